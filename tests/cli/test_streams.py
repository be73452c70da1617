"""States over time on the command line: from the question to the rounds, and what is refused."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from sudare import Glance, KShot, Mechanism, Seeded, Streams
from sudare.chance.exact import text_up
from sudare.estimation.rounds import StreamEstimate
from sudare.formats.report_files import report_file
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.over_time.continual import ContinualMechanism
from support.cli_streams import OUTPUT, ROUNDS, agreed, csv_states, online, reports_of, streams
from support.commands import csv_of, refused, run, succeed, tea

MECHANISMS = ("glance", "harmony", "borappor", "kshot")
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS)


# From the question to the rounds


@every_mechanism
def test_from_the_question_to_the_rounds(mechanism: str, tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", mechanism)
    collection, states = agreed(tmp_path, file), streams(400)
    (tmp_path / "states.csv").write_text(csv_states(states))
    done = succeed(tmp_path, "randomize", file, "states.csv", "--insecure-seed", 3, *OUTPUT)
    made = collection.mechanism.randomize(states, Seeded(3))
    assert reports_of(tmp_path, file) == made.tobytes()
    assert f"400 people's streams randomised into {len(made):,} reports" in done.err
    counted = succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    assert counted.err == f"{len(made):,} reports counted, in 6 of 6 rounds\n"
    total = Aggregate.from_json((tmp_path / "total.json").read_bytes())
    assert total == collection.aggregate(made)
    shown = succeed(tmp_path, "estimate", file, "total.json", "--json", "--level", 0.9).json()
    estimate = collection.estimate(total)
    assert isinstance(estimate, StreamEstimate)
    assert (shown["n"], shown["state"], shown["level"]) == (len(made), "yes", 0.9)
    assert shown["epsilon"] == collection.epsilon
    assert [row["share"] for row in shown["estimates"]] == estimate.values.tolist()
    for ends, (low, high) in {
        "": estimate.interval(0.9),
        "band_": estimate.simultaneous(0.9),
    }.items():
        assert [row[f"{ends}low"] for row in shown["estimates"]] == low.tolist()
        assert [row[f"{ends}high"] for row in shown["estimates"]] == high.tolist()
    table = succeed(tmp_path, "estimate", file, "total.json", "--csv", "--level", 0.9).out
    for row, same in zip(csv.DictReader(io.StringIO(table)), shown["estimates"], strict=True):
        assert {name: str(value) for name, value in same.items()} == row


def test_the_table_has_a_line_for_each_round(tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", "glance", "--minimum-reports", 20)
    counts = np.array([[30, 50], [0, 0], [5, 14], [40, 0], [15, 5], [1, 0]])
    total = Aggregate(agreed(tmp_path, file).key, int(counts.sum()), counts)
    (tmp_path / "total.json").write_bytes(total.to_json())
    out = succeed(tmp_path, "estimate", file, "total.json").out
    lines = {
        int(cells[1]): cells
        for line in out.splitlines()
        if len(cells := [cell.strip() for cell in line.split("│")]) == 8
    }
    assert [lines[number][2] for number in range(1, 7)] == ["80", "0", "19", "40", "20", "1"]
    assert [lines[number][4] for number in (2, 3, 6)] == ["no estimate", "withheld", "withheld"]
    assert all(lines[number][3].endswith("\N{NO-BREAK SPACE}%") for number in (1, 4, 5))
    assert "▓" in lines[1][6]
    assert "1 round without a report: no estimate." in out
    assert "2 rounds with fewer than 20 reports: withheld." in out
    assert "160 reports, ε = 2 for all reports of a person" in out
    rows = succeed(tmp_path, "estimate", file, "total.json", "--json").json()["estimates"]
    assert [row["reports"] for row in rows] == [80, 0, 19, 40, 20, 1]
    assert [row["withheld"] for row in rows] == [False, False, True, False, False, True]
    assert [row["share"] is None for row in rows] == [False, True, True, False, False, True]


def test_a_single_report_has_no_standard_error(tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", "glance")
    succeed(
        tmp_path, "randomize", file, "--format", "lines", *OUTPUT, stdin=b"yes,no,yes,no,yes,no\n"
    )
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    rows = succeed(tmp_path, "estimate", file, "total.json", "--json").json()["estimates"]
    (known,) = [row for row in rows if row["share"] is not None]
    assert known["stderr"] is None
    assert "no estimate" in succeed(tmp_path, "estimate", file, "total.json").out
    succeed(tmp_path, "estimate", file, "total.json", "--plot", "one.html")
    succeed(tmp_path, "estimate", file, "total.json", "--plot", "one.svg")


def test_a_long_table_is_cut_and_says_so(tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", "glance", rounds=1200)
    total = agreed(tmp_path, file).simulate([[5000, 5000]] * 1200, Seeded(1))
    (tmp_path / "total.json").write_bytes(total.to_json())
    out = succeed(tmp_path, "estimate", file, "total.json").out
    assert "The first 1,000 of 1,200 rounds; --csv has all." in out
    assert "│ 1,000 │" in out
    assert "│ 1,001 │" not in out
    assert len(succeed(tmp_path, "estimate", file, "total.json", "--csv").out.splitlines()) == 1201


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("html", b"<!")]
)
def test_every_kind_of_plot(suffix: str, start: bytes, tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", "kshot")
    total = agreed(tmp_path, file).simulate([[50, 50]] * ROUNDS, Seeded(1))
    (tmp_path / "total.json").write_bytes(total.to_json())
    succeed(tmp_path, "estimate", file, "total.json", "--plot", f"plot.{suffix}")
    assert (tmp_path / f"plot.{suffix}").read_bytes().startswith(start)


def test_reports_go_through_pipes_and_parquet(tmp_path: Path) -> None:
    file, rows = online(tmp_path), csv_states(streams(300)).encode()
    piped = succeed(tmp_path, "randomize", file, "--insecure-seed", 1, stdin=rows).stdout
    total = succeed(tmp_path, "aggregate", file, stdin=piped).stdout
    options = ("--insecure-seed", 1, "-o", "reports.parquet")
    succeed(tmp_path, "randomize", file, *options, stdin=rows)
    assert succeed(tmp_path, "aggregate", file, "reports.parquet").stdout == total
    assert "Online?" in succeed(tmp_path, "estimate", file, stdin=total).out


# The document


@every_mechanism
def test_a_new_collection_says_what_it_costs(mechanism: str, tmp_path: Path) -> None:
    file = online(tmp_path, "--mechanism", mechanism, "--epsilon", 4, rounds=50)
    collection = agreed(tmp_path, file)
    assert collection.answers == ("no", "yes")
    assert 4 - 1e-9 < collection.epsilon <= 4
    made = collection.mechanism
    assert (made.name, made.domain) == (mechanism, Streams(50))
    assert isinstance(made, ContinualMechanism)
    shown = " ".join(succeed(tmp_path, "collection", "show", file).out.split())
    odds = " ".join(made.odds.split())
    assert odds in shown
    assert f"reports per person {made.reports_each} " in shown
    assert f"ε of a whole stream {text_up(collection.epsilon)}" in shown
    assert "states 0: no 1: yes" in shown
    checked = " ".join(succeed(tmp_path, "collection", "check", file).out.split())
    assert (
        f"over 50 rounds a person spends ε = {text_up(collection.epsilon)} and not more" in checked
    )
    assert f"in {made.reports_each} report" in checked
    assert checked.endswith(odds)
    document = succeed(tmp_path, "collection", "show", file, "--json").json()
    assert document["mechanism"] == made.document()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), KShot.calibrate(50, 4.0)),
        (("--mechanism", "kshot"), KShot.calibrate(50, 4.0)),
        (("--low", 0.4, "--high", 0.6), KShot.calibrate(50, 4.0, low=0.4, high=0.6)),
        (("--high", 0.01), KShot.calibrate(50, 4.0, high=0.01)),
        (("--low", 0.5), KShot.calibrate(50, 4.0, low=0.5)),
        (("--shots", 5), KShot.calibrate(50, 4.0, shots=5)),
        (("--shots", 5, "--flips", 1), KShot.calibrate(50, 4.0, shots=5, flips=1)),
        (("--mechanism", "glance"), Glance.calibrate(50, 4.0)),
    ],
    ids=str,
)
def test_the_mechanism_is_the_one_asked_for(
    options: tuple[object, ...], expected: Mechanism, tmp_path: Path
) -> None:
    file = online(tmp_path, "--epsilon", 4, *options, rounds=50)
    assert agreed(tmp_path, file).mechanism == expected


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--rounds", 0), "rounds must be between 1 and 1048576, got 0"),
        (("--rounds", 2**20 + 1), "rounds must be between"),
        (("--mechanism", "glance"), "glance needs --rounds"),
        (("--mechanism", "kshot", "--shots", 2), "kshot needs --rounds"),
        (("--rounds", 5, "--mechanism", "grr"), "--rounds is for glance, harmony"),
        (("--rounds", 5, "--mechanism", "rappor"), "not for rappor"),
        (("--rounds", 5, "--answer", "a"), "2 states, each with its name, got 1"),
        (("--rounds", 5, "--answer", "a", "--answer", "b", "--answer", "c"), "got 3"),
        (("--rounds", 5, "--answer", "a", "--answer", "a"), "same label"),
        (("--rounds", 5, "--free-text"), "--free-text needs"),
        (("--rounds", 5, "--lifetime", 4), "--lifetime needs"),
        (("--rounds", 5, "--bits", 4), "--bits needs"),
        (("--rounds", 5, "--mechanism", "glance", "--shots", 2), "--shots needs --mechanism kshot"),
        (("--rounds", 5, "--mechanism", "glance", "--low", 0), "--low needs --mechanism kshot"),
        (("--rounds", 5, "--flips", 0), "--flips needs --shots"),
        (("--rounds", 5, "--shots", 2, "--low", 0.1), "give one of them"),
        (("--rounds", 5, "--shots", 6), "shots must be between 1 and 5, got 6"),
        (("--rounds", 5, "--shots", 0), "shots must be between 1 and 5, got 0"),
        (("--rounds", 5, "--shots", 3, "--flips", 3), "flips must be between 0 and 2, got 3"),
        (("--rounds", 5, "--shots", 3, "--flips", -1), "flips must be between 0 and 2, got -1"),
        (("--rounds", 5, "--low", 0.6, "--high", 0.4), "lies in 0 to 1, got 0.6 to 0.4"),
        (("--rounds", 5, "--high", "nan"), "lies in 0 to 1"),
        (("--rounds", 5, "--epsilon", 0), "epsilon must be above 0"),
        (("--rounds", 5, "--epsilon", "inf"), "epsilon must be above 0 and finite"),
        (("--answer", "a", "--answer", "b", "--shots", 2), "--shots needs --mechanism kshot"),
        (("--answer", "a", "--answer", "b", "--low", 0), "--low needs"),
        (("--free-text", "--high", 1), "--high needs"),
    ],
    ids=str,
)
def test_a_wish_that_cannot_be_met(
    options: tuple[object, ...], reason: str, tmp_path: Path
) -> None:
    start = ("collection", "new", "x", "--question", "?", "--epsilon", 2, "-o", "x.json")
    assert reason in refused(tmp_path, *start, *options)


@every_mechanism
def test_epsilon_is_that_of_a_whole_stream(mechanism: str, tmp_path: Path) -> None:
    small = online(tmp_path, "--mechanism", mechanism, rounds=3)
    collection = agreed(tmp_path, small)
    told = succeed(tmp_path, "epsilon", small, "--json").json()
    made = collection.mechanism
    assert told["worst_ratio"] == told["enumerated"] == str(made.worst_ratio)
    assert isinstance(made, ContinualMechanism)
    assert (told["rounds"], told["reports_each"]) == (3, made.reports_each)
    shown = " ".join(succeed(tmp_path, "epsilon", small).out.split())
    assert "enumerated equal: every path of the code that ships was walked" in shown
    assert "a person's reports, all together, are never more than" in shown
    large = online(tmp_path, "--mechanism", mechanism, name="large", rounds=50)
    told = succeed(tmp_path, "epsilon", large, "--json").json()
    assert told["enumerated"] is None
    shown = succeed(tmp_path, "epsilon", large).out
    assert "not at 50 rounds (up to 4)" in shown
    assert max(map(len, shown.splitlines())) < 500
    assert "together" in refused(tmp_path, "epsilon", large, "--plot", "cost.png")


def test_many_shots_are_not_enumerated(tmp_path: Path) -> None:
    file = online(tmp_path, "--shots", 4, rounds=4)
    assert "not at 4 shots (up to 3)" in succeed(tmp_path, "epsilon", file).out


# What is refused


@pytest.fixture
def survey(tmp_path: Path) -> str:
    """online.json, reports.arrow, reports.parquet and total.json."""
    file = online(tmp_path)
    for suffix in ("arrow", "parquet"):
        rows = csv_states(streams(500)).encode()
        succeed(tmp_path, "randomize", file, "-o", f"reports.{suffix}", stdin=rows)
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    return file


def test_a_hard_link_is_the_same_file(survey: str, tmp_path: Path) -> None:
    (tmp_path / "again.arrow").hardlink_to(tmp_path / "reports.arrow")
    sentence = refused(tmp_path, "aggregate", survey, "reports.arrow", "again.arrow")
    assert "named twice" in sentence
    assert "count twice" in succeed(tmp_path, "aggregate", "--help").out


@pytest.mark.parametrize("suffix", ["arrow", "parquet"])
def test_cut_and_changed_files_of_reports(survey: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"reports.{suffix}"
    whole = path.read_bytes()
    for size in (0, 4, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:size])
        refused(tmp_path, "aggregate", survey, path.name, "-o", "new.json")
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    path.write_bytes(changed)
    refused(tmp_path, "aggregate", survey, path.name, "-o", "new.json")


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [("round", 0, "names round 0"), ("round", 7, "names round 7"), ("bit", 2, "says 2")],
)
def test_a_report_that_no_device_made(
    field: str, value: int, reason: str, survey: str, tmp_path: Path
) -> None:
    collection = agreed(tmp_path, survey)
    reports = collection.randomize(streams(20))
    reports[field][4] = value
    with report_file(tmp_path / "r.arrow", collection.report_dtype, collection.key) as sink:
        sink.write(reports)
    sentence = refused(tmp_path, "aggregate", survey, "r.arrow", "-o", "new.json")
    assert f"position 4 {reason}" in sentence


def test_things_of_another_collection(survey: str, tmp_path: Path) -> None:
    other = online(tmp_path, name="other")
    for reports in ("reports.arrow", "reports.parquet", "total.json"):
        assert "collection" in refused(tmp_path, "aggregate", other, reports, "-o", "new.json")
    assert "collection" in refused(tmp_path, "estimate", other, "total.json", "--plot", "p.html")
    assert survey != other


@pytest.mark.parametrize("counts", [[500] * 6, [[1, 2]] * 5, [[1, 2, 3]] * 6, []], ids=str)
@pytest.mark.parametrize("command", ["aggregate", "estimate"])
def test_an_aggregate_of_another_shape(
    command: str, counts: list[object], survey: str, tmp_path: Path
) -> None:
    forged = Aggregate(agreed(tmp_path, survey).key, 500, np.array(counts, np.int64))
    (tmp_path / "forged.json").write_bytes(forged.to_json())
    refused(tmp_path, command, survey, "forged.json")


@pytest.mark.parametrize(
    "option", [("--simultaneous",), ("--population",), ("--consistent", "clip")], ids=str
)
def test_options_that_mean_nothing_over_time(
    option: tuple[str, ...], survey: str, tmp_path: Path
) -> None:
    sentence = refused(tmp_path, "estimate", survey, "total.json", *option, "--plot", "p.png")
    assert sentence.startswith(f"{option[0][2:]} is for listed answers; ")


@pytest.mark.parametrize("level", [0, 1, 1.5, "nan"])
def test_a_level_that_is_none(level: object, survey: str, tmp_path: Path) -> None:
    options = ("--level", level, "--plot", "p.html")
    assert "a level must be" in refused(tmp_path, "estimate", survey, "total.json", *options)


def test_nothing_is_released_of_too_few(tmp_path: Path) -> None:
    file = online(tmp_path, "--minimum-reports", 400, "--mechanism", "glance")
    rows = csv_states(streams(500)).encode()
    succeed(tmp_path, "randomize", file, *OUTPUT, stdin=rows)
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    sentence = refused(tmp_path, "estimate", file, "total.json", "--plot", "p.html")
    assert "“online” releases nothing of a round below 400" in sentence


# Commands for what is asked once


def test_commands_that_do_not_count_over_time_say_so(survey: str, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("yes\nno\n")
    sentence = refused(tmp_path, "decode", survey, "total.json", "--candidates", "words")
    assert sentence.startswith("“online” has no texts to find (6 rounds, ")
    assert sentence.endswith("): `sudare estimate` gives its result")
    question = tea(tmp_path)
    succeed(
        tmp_path, "randomize", question, "-o", "tea.arrow", stdin=csv_of({"green": 500}).encode()
    )
    told = ("online.json", "reports.arrow"), (question, "tea.arrow")
    for first, second in (told, told[::-1]):
        sentence = refused(tmp_path, "associate", *first, *second)
        assert sentence.startswith("single reports of “online” (6 rounds, ")
        assert "say nothing of one answer: `sudare estimate` gives" in sentence
    (tmp_path / "states.csv").write_text(csv_states(streams(10)))
    assert "no column 'answer'" in refused(tmp_path, "compare", "states.csv")
    refused(tmp_path, "discover", "randomize", survey, "states.csv", "-o", "folder")


@pytest.mark.parametrize("command", [("simulate", "survey"), ("compare", "states.csv")])
def test_mechanisms_over_time_are_not_offered(command: tuple[str, ...], tmp_path: Path) -> None:
    result = run(tmp_path, *command, "--mechanism", "glance")
    assert result.code == 2
    assert "'glance' is not one of" in result.err
    assert "Traceback" not in result.err
    assert list(tmp_path.iterdir()) == []
