"""``sudare simulate stream``: one run, many, files, and what is refused."""

import csv
import re
from pathlib import Path

import pytest

from sudare.cli.simulate import METHOD_NAMES, SCENARIO_NAMES
from sudare.simulation.experiments import METHODS
from sudare.simulation.scenarios import SCENARIOS
from support.commands import refused, succeed

SMALL = ("simulate", "stream", "--rounds", 8, "--people", 400)


def test_the_choices_are_those_of_the_library() -> None:
    assert tuple(METHODS) == METHOD_NAMES
    assert SCENARIOS == SCENARIO_NAMES


def test_one_run_is_a_table_of_rounds(tmp_path: Path) -> None:
    told = succeed(tmp_path, *SMALL, "--share", 0.25, "--epsilon", 3).out
    lines = told.splitlines()
    assert lines[0] == "static: 400 people, 8 rounds, ε = 3"
    assert "95 % interval" in told
    assert sum("25.00\N{NO-BREAK SPACE}%" in line for line in lines) == 8
    assert lines[-1].startswith("glance: maximal error ")


def test_the_json_of_a_run_has_every_round(tmp_path: Path) -> None:
    found = succeed(tmp_path, *SMALL, "--kind", "seasonal", "--json").json()
    assert (found["stream"], found["rounds"], found["people"]) == ("seasonal", 8, 400)
    (run,) = found["runs"]
    assert [row["round"] for row in run["rows"]] == list(range(1, 9))
    worst = max(abs(row["share"] - row["truth"]) for row in run["rows"])
    assert run["maximal_error"] == worst
    assert all(row["band_low"] < row["low"] < row["high"] < row["band_high"] for row in run["rows"])


def test_a_thousand_million_people_may_take_part(tmp_path: Path) -> None:
    most = ("simulate", "stream", "--people", 10**9, "--rounds", 5, "--share", 1, "--json")
    (run,) = succeed(tmp_path, *most).json()["runs"]
    assert run["maximal_error"] < 1e-3


def test_the_seed_decides(tmp_path: Path) -> None:
    outs = [succeed(tmp_path, *SMALL, "--seed", seed).out for seed in (1, 1, 2)]
    assert outs[0] == outs[1] != outs[2]


def test_rounds_without_reports_are_said(tmp_path: Path) -> None:
    told = succeed(tmp_path, "simulate", "stream", "--rounds", 30, "--people", 15).out
    assert "rounds without reports" in told
    assert "–" in told


def test_several_mechanisms_stand_side_by_side(tmp_path: Path) -> None:
    some = [part for name in METHODS for part in ("--mechanism", name)]
    told = succeed(tmp_path, *SMALL, *some).out
    assert all(name in told.splitlines()[2] for name in METHODS)
    assert told.count("maximal error") == len(METHODS)


def test_many_repetitions_give_errors(tmp_path: Path) -> None:
    options = ("--mechanism", "glance", "--mechanism", "lpa", "--epsilon", 4, "--epsilon", 1)
    many = (*SMALL, *options, "--repetitions", 40)
    found = succeed(tmp_path, *many, "--json").json()
    succeed(tmp_path, *many, "-o", "e.csv")
    assert found["repetitions"] == 40
    assert [(row["mechanism"], row["epsilon"]) for row in found["rows"]] == [
        ("glance", 1.0),
        ("glance", 4.0),
        ("lpa", 1.0),
        ("lpa", 4.0),
    ]
    for row in found["rows"]:
        assert row["quantile_05"] <= row["median"] <= row["quantile_95"]
        assert 0 < row["stderr"] < row["mean_maximal_error"]
    with (tmp_path / "e.csv").open() as file:
        saved = list(csv.DictReader(file))
    assert [float(row["median"]) for row in saved] == [row["median"] for row in found["rows"]]
    told = succeed(tmp_path, *many).out
    assert told.startswith("Maximal error over the rounds: static: 400 people, 8 rounds, 40")
    assert f"{found['rows'][0]['mean_maximal_error']:.4g}" in told


def test_errors_are_told_in_digits_that_count(tmp_path: Path) -> None:
    noise = ("--rounds", 500, "--people", 10, "--mechanism", "borappor", "--epsilon", 0.1)
    told = succeed(tmp_path, "simulate", "stream", *noise, "--repetitions", 3).out
    assert "…" not in told
    assert "5000 " in told


def test_the_same_budget_twice_is_one(tmp_path: Path) -> None:
    twice = (*SMALL, "--epsilon", 4, "--epsilon", 4)
    assert succeed(tmp_path, *twice).out == succeed(tmp_path, *SMALL, "--epsilon", 4).out
    many = succeed(tmp_path, *twice, "--repetitions", 5, "--json").json()
    assert [row["epsilon"] for row in many["rows"]] == [4.0]


def test_what_is_infinite_is_an_empty_cell(tmp_path: Path) -> None:
    few = ("simulate", "stream", "--rounds", 30, "--people", 25, "--share", 0.5)
    found = succeed(tmp_path, *few, "--json").json()
    succeed(tmp_path, *few, "-o", "rounds.csv")
    with (tmp_path / "rounds.csv").open() as file:
        saved = list(csv.DictReader(file))
    single = [row["stderr"] for row in saved if row["reports"] == "1"]
    assert single
    assert set(single) == {""}
    told = [row.get("stderr") for row in found["runs"][0]["rows"]]
    assert [row["stderr"] == "" for row in saved] == [value is None for value in told]


@pytest.mark.parametrize(("name", "has"), [("lpa", False), ("lpu", False), ("glance", True)])
def test_intervals_have_columns_where_there_are_any(name: str, has: bool, tmp_path: Path) -> None:
    told = succeed(tmp_path, *SMALL, "--mechanism", name).out
    assert ("95 % interval" in told) == has
    assert ("band" in told) == has


def test_one_is_singular(tmp_path: Path) -> None:
    one = ("simulate", "stream", "--rounds", 1, "--people", 1)
    assert succeed(tmp_path, *one).out.startswith("static: 1 person, 1 round, ε = 4\n")


def test_silent_rounds_have_a_column_where_there_are_any(tmp_path: Path) -> None:
    few = ("simulate", "stream", "--rounds", 30, "--people", 15, "--repetitions", 20)
    assert "missing" in succeed(tmp_path, *few).out
    assert "missing" not in succeed(tmp_path, *SMALL, "--repetitions", 20, "--fixed-groups").out


def test_a_range_of_shares_gives_kshot_more_rounds(tmp_path: Path) -> None:
    run = (*SMALL, "--mechanism", "kshot", "--epsilon", 6, "--json")
    reports = [
        sum(row["reports"] for row in succeed(tmp_path, *run, *more).json()["runs"][0]["rows"])
        for more in ((), ("--low", 0.4, "--high", 0.6))
    ]
    assert reports[0] < reports[1]


def test_fixed_groups_are_equal(tmp_path: Path) -> None:
    found = succeed(tmp_path, *SMALL, "--fixed-groups", "--json").json()
    assert {row["reports"] for row in found["runs"][0]["rows"]} == {50}


def test_the_truth_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("minute,share\n1,0.5\n2,1\n3,0\n")
    found = succeed(tmp_path, "simulate", "stream", "--truth", "truth.csv", "--json").json()
    assert (found["stream"], found["rounds"], found["people"]) == ("truth.csv", 3, 10_000)
    assert [row["truth"] for row in found["runs"][0]["rows"]] == [0.5, 1, 0]


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
@pytest.mark.parametrize("more", [(), ("--repetitions", 5)])
def test_plots_are_saved(
    suffix: str, start: bytes, more: tuple[object, ...], tmp_path: Path
) -> None:
    succeed(tmp_path, *SMALL, *more, "--plot", f"run.{suffix}")
    assert (tmp_path / f"run.{suffix}").read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--rounds", 0), "rounds must be between 1 and 1048576, got 0"),
        (("--people", 0), "--people must be between 1 and 1,000,000,000, got 0"),
        (("--epsilon", 0), "epsilon must be above 0 and finite, got 0.0"),
        (
            ("--repetitions", 0),
            "a standard error needs at least 2 repetitions, got 0",
        ),
        (("--epsilon", 1, "--epsilon", 2), "one run has one ε, got 2; .* with --repetitions"),
        (("--share", 2), "a share lies in 0 to 1, a swing is finite and isn't negative: 2.0, 0.3"),
        (("--plot", "x.html"), "a plot is saved as .png, .svg, .pdf; got 'x.html'"),
        (("--plot", "no/x.png"), "there is no folder no to save x.png in"),
        (("-o", "no/x.csv"), "there is no folder no to save x.csv in"),
        (("--low", 0.2), "--low and --high are for --mechanism kshot"),
        (("--mechanism", "lpa", "--people", 9), "lpa divides people into 100 groups; .* 9 people"),
        (("--mechanism", "harmony", "--fixed-groups"), "groups of fixed size are for glance .*"),
        (("--truth", "none.csv"), "none.csv isn't there"),
        (("--truth", "truth.csv", "--share", 0.5), "--truth says what happens: leave out --share"),
        (("--truth", "truth.csv", "--rounds", 9), "truth.csv has 2 rounds, --rounds says 9"),
        (("--truth", "truth.csv", "-o", "truth.csv"), "the output truth.csv is one of .*"),
        (("--truth", "bad.csv"), "bad.csv: the share of round 2 is not a number from 0 to 1"),
        (("--truth", "head.csv"), "head.csv has no column 'share' in its first line"),
        (("--truth", "empty.csv"), "empty.csv has 0 rounds; a stream needs at least 1"),
    ],
    ids=repr,
)
def test_what_cannot_be_is_refused(
    options: tuple[object, ...], sentence: str, tmp_path: Path
) -> None:
    for name, text in {
        "truth": "share\n0.5\n0.25\n",
        "bad": "share\n0.5\n1.25\n",
        "head": "part\n0.5\n",
        "empty": "share\n",
    }.items():
        (tmp_path / f"{name}.csv").write_text(text)
    assert re.fullmatch(sentence, refused(tmp_path, "simulate", "stream", *options))


def test_the_help_has_examples(tmp_path: Path) -> None:
    assert "sudare simulate stream --mechanism kshot --kind seasonal" in " ".join(
        succeed(tmp_path, "simulate", "stream", "--help").out.split()
    )
