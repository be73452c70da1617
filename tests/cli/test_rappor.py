"""RAPPOR from the command line: free text, permanent noise, and what many reports cost."""

import math
import re
from pathlib import Path
from typing import Any

import pytest

from sudare import Aggregate, Collection, Rappor
from sudare.chance.exact import text_up
from sudare.cli.shared.mechanism_options import FORMS
from sudare.mechanisms.rappor import Form
from support.commands import TEAS, csv_of, refused, run, succeed, tea

BUDGETS = ("--epsilon", 1)


def words(folder: Path, *options: object) -> Rappor:
    """The mechanism of a new collection of free text, in words.json."""
    succeed(
        folder,
        *("collection", "new", "words", "--question", "Which word?", "--free-text", *BUDGETS),
        *("--minimum-reports", 1, "-o", "words.json", "--force", *options),
    )
    return mechanism(folder, "words.json")


def mechanism(folder: Path, file: str) -> Rappor:
    made = Collection.from_json((folder / file).read_bytes()).mechanism
    assert isinstance(made, Rappor)
    return made


# New collections


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), {"form": "full"}),
        (("--form", "instant"), {"form": "instant"}),
        (("--form", "one-time"), {"form": "one-time"}),
        (("--form", "full"), {"form": "full"}),
        (("--lifetime", 3), {"form": "full", "lifetime": 3.0}),
        (("--lifetime", 3, "--form", "full"), {"form": "full", "lifetime": 3.0}),
        (("--mechanism", "rappor"), {"form": "full"}),
        (
            ("--bits", 256, "--hashes", 2, "--cohorts", 8),
            {"form": "full", "bits": 256, "hashes": 2, "cohorts": 8},
        ),
    ],
    ids=repr,
)
def test_free_text_takes_the_form_that_is_asked_for(
    options: tuple[object, ...], expected: dict[str, Any], tmp_path: Path
) -> None:
    assert words(tmp_path, *options) == Rappor.calibrate(1.0, **expected)


@pytest.mark.parametrize(
    ("options", "form", "lifetime"),
    [
        ((), "basic", None),
        (("--form", "instant"), "basic instant", None),
        (("--form", "full"), "basic", None),
        (("--form", "one-time"), "basic one-time", None),
        (("--lifetime", 1.5), "basic", 1.5),
    ],
)
def test_listed_answers_take_the_basic_form(
    options: tuple[object, ...], form: Form, lifetime: float | None, tmp_path: Path
) -> None:
    file = tea(tmp_path, "--mechanism", "rappor", *options)
    expected = Rappor.calibrate(1.0, form=form, lifetime=lifetime, bits=3)
    assert mechanism(tmp_path, file) == expected


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--free-text", "--answer", "tea"), "free text has no list of answers, got 1"),
        (("--free-text", "--mechanism", "oue"), "free text is randomised by rappor, not by oue"),
        (("--free-text", "--bits", 100), "bits must be a power of two to be hashed into, got 100"),
        (("--free-text", "--hashes", 0), "hashes must be at least 1 unless basic, got 0"),
        (("--free-text", "--cohorts", 0), "cohorts must be between 1 and 65536, got 0"),
        (
            ("--free-text", "--lifetime", 1),
            "the lifetime budget must exceed that of a report, 1.0, got 1.0",
        ),
        (
            ("--free-text", "--form", "instant", "--lifetime", 2),
            "only the full form has a lifetime budget, got 2.0",
        ),
        (("--bits", 0), "--bits is for --free-text: listed answers need none"),
        (("--mechanism", "rappor", "--cohorts", 4), "--cohorts is for --free-text: .*"),
        (
            ("--lifetime", 2),
            "--lifetime needs --mechanism loloha, --mechanism rappor or --free-text",
        ),
        (("--mechanism", "grr", "--form", "full"), "--form needs --mechanism rappor or .*"),
    ],
    ids=repr,
)
def test_what_does_not_go_together_is_refused(
    options: tuple[object, ...], sentence: str, tmp_path: Path
) -> None:
    listed = () if "--free-text" in options else ("--answer", "a", "--answer", "b")
    said = refused(
        tmp_path,
        *("collection", "new", "x", "--question", "?", *BUDGETS, *listed, *options),
        *("-o", "x.json"),
    )
    assert re.fullmatch(sentence, said)


def test_no_answers_and_no_free_text_is_refused(tmp_path: Path) -> None:
    said = refused(tmp_path, "collection", "new", "x", "--question", "?", *BUDGETS)
    assert said == "a question needs at least 2 answers, got 0"


def test_the_forms_are_those_of_the_mechanism(tmp_path: Path) -> None:
    for form in FORMS:
        words(tmp_path, "--form", form)
    assert run(tmp_path, "collection", "new", "x", "--form", "basic").code == 2
    told = " ".join(re.findall(r"[^\s│]+", succeed(tmp_path, "collection", "new", "--help").out))
    assert all(re.search(rf"{form}(, the default)?:", told) for form in FORMS)


def test_the_lifetime_is_told_when_it_is_made_shown_and_checked(tmp_path: Path) -> None:
    made = words(tmp_path, "--lifetime", 3)
    spent = text_up(made.lifetime_epsilon)
    again = succeed(
        tmp_path,
        *("collection", "new", "words", "--question", "?", "--free-text", *BUDGETS),
        *("--lifetime", 3, "-o", "again.json"),
    ).out
    assert f"rappor, ε = {text_up(made.epsilon)} for a report, {spent} for life, key" in again
    shown = succeed(tmp_path, "collection", "show", "words.json").out
    assert f"{spent} for all reports of one answer" in " ".join(shown.split())
    assert "free text" in shown
    document = succeed(tmp_path, "collection", "show", "words.json", "--json").json()
    assert document["lifetime_epsilon"] == made.lifetime_epsilon
    checked = succeed(tmp_path, "collection", "check", "words.json").out
    assert f"one report spends ε = {text_up(made.epsilon)} and not more" in checked
    assert f"all reports of one answer {spent}; answered in free text" in checked


def test_where_there_is_no_lifetime_none_is_told(tmp_path: Path) -> None:
    words(tmp_path, "--form", "instant")
    for file, told in (("words.json", True), (tea(tmp_path), False)):
        shown = succeed(tmp_path, "collection", "show", file).out
        assert ("none: each report costs anew" in shown) == told
        assert "all reports" not in succeed(tmp_path, "collection", "check", file).out


# What many reports cost


def test_epsilon_tells_the_curve_from_one_report_to_all(tmp_path: Path) -> None:
    made = words(tmp_path, "--lifetime", 3)
    found = succeed(tmp_path, "epsilon", "words.json", "--json").json()
    assert found["lifetime_epsilon"] == made.lifetime_epsilon
    assert found["enumerated"] is None
    rows = found["reports"]
    assert [row["reports"] for row in rows] == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    assert [row["epsilon"] for row in rows] == [made.epsilon_of(row["reports"]) for row in rows]
    told = succeed(tmp_path, "epsilon", "words.json").out
    assert "words: rappor over free text" in told
    assert "not for free text, whose answers can't be listed" in told
    assert f"for life    {made.lifetime_epsilon!r}" in told
    bars = [line.count("█") for line in told.splitlines() if "█" in line]
    assert bars == sorted(bars)
    assert (len(bars), bars[0], bars[-1]) == (10, round(32 / 3), 32)


def test_epsilon_without_permanent_noise_has_no_end(tmp_path: Path) -> None:
    made = words(tmp_path, "--form", "instant")
    found = succeed(tmp_path, "epsilon", "words.json", "--json").json()
    assert found["lifetime_epsilon"] is None
    assert found["reports"][-1]["epsilon"] == pytest.approx(1000 * made.epsilon)
    assert "no bound: without permanent noise" in succeed(tmp_path, "epsilon", "words.json").out


def test_epsilon_of_other_mechanisms_has_no_curve(tmp_path: Path) -> None:
    file = tea(tmp_path)
    assert "reports" not in succeed(tmp_path, "epsilon", file, "--json").json()
    assert "for life" not in succeed(tmp_path, "epsilon", file).out
    said = refused(tmp_path, "epsilon", file, "--plot", "cost.png")
    assert said.startswith("grr has no permanent step: k reports cost k times")


@pytest.mark.parametrize("form", FORMS)
def test_epsilon_of_few_answers_is_enumerated(form: str, tmp_path: Path) -> None:
    file = tea(tmp_path, "--mechanism", "rappor", "--form", form)
    found = succeed(tmp_path, "epsilon", file, "--json").json()
    assert found["enumerated"] == found["worst_ratio"] is not None
    assert "equal: every path of the code" in succeed(tmp_path, "epsilon", file).out


def test_epsilon_says_why_it_is_not_enumerated(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("\n".join(map(str, range(4))))
    succeed(
        tmp_path,
        *("collection", "new", "n", "--question", "?", "--answers-file", "labels.txt"),
        *("--epsilon", 1, "--mechanism", "rappor", "--form", "full", "-o", "n.json"),
    )
    assert "not at 12 coins per report (up to 10)" in succeed(tmp_path, "epsilon", "n.json").out


def test_epsilon_of_very_many_hashes_is_told_without_its_digits(tmp_path: Path) -> None:
    words(tmp_path, "--bits", 512, "--hashes", 128, "--form", "one-time")
    found = succeed(tmp_path, "epsilon", "words.json", "--json").json()
    assert 1 - 1e-9 < found["epsilon"] <= 1
    assert found["worst_ratio"] is None
    told = succeed(tmp_path, "epsilon", "words.json").out
    assert "a fraction of thousands of digits = 2.71828" in told


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_the_curve_is_saved_as_a_figure(suffix: str, start: bytes, tmp_path: Path) -> None:
    words(tmp_path, "--lifetime", 3)
    succeed(tmp_path, "epsilon", "words.json", "--plot", f"cost.{suffix}")
    assert (tmp_path / f"cost.{suffix}").read_bytes().startswith(start)


def test_a_kind_of_figure_that_is_not_written_is_refused(tmp_path: Path) -> None:
    words(tmp_path, "--lifetime", 3)
    said = refused(tmp_path, "epsilon", "words.json", "--plot", "cost.html")
    assert said == "a plot is saved as .png, .svg, .pdf; got 'cost.html'"


# Surveys


TRUTH = {"green": 15_000, "black": 9_000, "oolong": 6_000}


@pytest.mark.parametrize("form", FORMS)
def test_basic_rappor_is_estimated_like_any_other(form: str, tmp_path: Path) -> None:
    """Within six standard errors."""
    file = tea(tmp_path, "--mechanism", "rappor", "--form", form)
    (tmp_path / "answers.csv").write_text(csv_of(TRUTH))
    succeed(tmp_path, "randomize", file, "answers.csv", "-o", "reports.arrow", "--insecure-seed", 1)
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    options = ("--consistent", "likelihood", "--plot", "tea.html")
    found = succeed(tmp_path, "estimate", file, "total.json", "--json", *options).json()
    assert [row["answer"] for row in found["answers"]] == list(TEAS)
    for row, people in zip(found["answers"], TRUTH.values(), strict=True):
        assert abs(row["share"] - people / 30_000) < 6 * row["stderr"] < 0.15
        assert row["p_value"] < 1e-9
    assert sum(row["consistent"] for row in found["answers"]) == pytest.approx(1)
    assert "RAPPOR" in (tmp_path / "tea.html").read_text("utf-8")


def test_free_text_is_counted_and_left_to_the_decoder(tmp_path: Path) -> None:
    words(tmp_path, "--cohorts", 4)
    answers = "緑茶\nmate\n緑茶\n".encode()
    reports = succeed(
        tmp_path, "randomize", "words.json", "--format", "lines", stdin=answers
    ).stdout
    total = succeed(tmp_path, "aggregate", "words.json", stdin=reports).stdout
    counted = Aggregate.from_json(total)
    assert (counted.n, counted.counts.shape) == (3, (4, 129))
    said = refused(tmp_path, "estimate", "words.json", stdin=total)
    assert said.startswith("“words” is answered in free text")
    assert "use `sudare decode` with candidates" in said


def test_a_wrong_text_is_refused_by_its_line(tmp_path: Path) -> None:
    words(tmp_path)
    answers = b"answer\ntea\n" + b"x" * 10_001 + b"\n"
    said = refused(tmp_path, "randomize", "words.json", stdin=answers)
    assert said == (
        "line 3 of standard input: the answer is not a text of 1 to 10000 bytes; --skip-bad leaves "
        "such rows out"
    )


def test_a_budget_is_kept_for_life(tmp_path: Path) -> None:
    made = words(tmp_path, "--lifetime", 2.5)
    assert made.epsilon <= 1
    assert made.lifetime_epsilon <= 2.5
    assert math.isinf(words(tmp_path, "--form", "instant").lifetime_epsilon)
    assert 1.9 < words(tmp_path).lifetime_epsilon <= 2
