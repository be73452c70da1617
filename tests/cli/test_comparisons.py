"""``sudare compare`` for every kind of question."""

import csv
import io
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.commands import Result, refused, succeed

ROW = ["mechanism", "epsilon", "mean_squared_error", "stderr", "theory"]
COLOURS = {"red;blue": 400, "green": 300, "blue ; yellow": 200, ";": 100}
AGES = {"18": 300, "30": 500, "44.5": 100, "99": 50, "120": 50}
STUDY = {"green,Tokyo": 400, "black,Kyoto": 300, "green,Osaka": 200, "black,Tokyo": 100}
QUESTIONS = """
[[questions]]
name = "tea"
question = "Which tea?"
answers = ["green", "black"]

[[questions]]
name = "town"
question = "Where?"
answers = ["Tokyo", "Kyoto", "Osaka"]
"""
RANGE = ("--from", 18, "--to", 99, "--step", 1)
KINDS: dict[str, tuple[str, dict[str, int], tuple[object, ...], list[str], dict[str, Any]]] = {
    "several answers": (
        "answer",
        COLOURS,
        ("--most", 2),
        ["SET", "YES-NO", "SAMPLED-GRR", "SAMPLED-SUBSET"],
        {"k": 4, "most": 2, "error": "mean squared error of the shares of people who select each"},
    ),
    "mean": (
        "answer",
        AGES,
        RANGE,
        ["WINDOW", "GRR", "OUE", "SUE", "SUBSET"],
        {"steps": 81, "step": 1.0, "error": "mean squared error of the mean"},
    ),
    "distribution": (
        "answer",
        AGES,
        (*RANGE, "--estimate", "distribution", "--bins", 9),
        ["WAVE", "SUBSET", "OUE"],
        {"steps": 81, "bins": 9, "error": "mean squared Wasserstein distance from the truth"},
    ),
    "several questions": (
        "tea,town",
        STUDY,
        ("--questions", "questions.toml"),
        ["SAMPLE", "SPLIT", "JOINT"],
        {"sizes": [2, 3], "error": "mean squared error of the shares of all answers to all"},
    ),
}


def compare(folder: Path, kind: str, *more: object, counts: bool = False) -> Result:
    header, people, options, _, _ = KINDS[kind]
    rows = [f"{row},{n}" for row, n in people.items()]
    if not counts:
        rows = [row for row, n in people.items() for _ in range(n)]
    (folder / "people.csv").write_text("\n".join([header + ",n" * counts, *rows]) + "\n")
    (folder / "questions.toml").write_text(QUESTIONS)
    given = (*options, *(("--counts", "n") if counts else ()), "--epsilon", 2, "--epsilon", 1)
    return succeed(folder, "compare", "people.csv", *given, "--repetitions", 5, *more)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_the_rows_of_a_choice(kind: str, tmp_path: Path) -> None:
    *_, names, facts = KINDS[kind]
    found = compare(tmp_path, kind, "--json").json()
    rows = found["rows"]
    assert found["n"] == 1000
    assert found["error"].startswith(facts["error"])
    assert {name: found[name] for name in facts} == {**facts, "error": found["error"]}
    assert [(row["mechanism"], row["epsilon"]) for row in rows] == [
        (name, epsilon) for name in names for epsilon in (1.0, 2.0)
    ]
    assert all(list(row) == ROW for row in rows)
    assert all((row["theory"] is None) is (kind == "distribution") for row in rows)
    printed = compare(tmp_path, kind, "--csv").out
    table = list(csv.DictReader(io.StringIO(printed)))
    assert list(table[0]) == ROW
    assert [float(row["mean_squared_error"]) for row in table] == [
        row["mean_squared_error"] for row in rows
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_a_table_and_a_plot(kind: str, tmp_path: Path) -> None:
    *_, names, facts = KINDS[kind]
    shown = compare(tmp_path, kind, "--plot", "errors.html")
    assert facts["error"][1:] in shown.out
    assert "1,000 people" in shown.out
    assert all(name in shown.out for name in names)
    assert facts["error"] in (tmp_path / "errors.html").read_text()
    assert ("50 rows hold numbers outside 18 to 99" in shown.err) is ("--from" in KINDS[kind][2])


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_several_people_is_as_many_rows(kind: str, tmp_path: Path) -> None:
    each = compare(tmp_path, kind, "--json").json()
    counted = compare(tmp_path, kind, "--json", counts=True).json()
    assert each == counted


def test_the_design_that_is_named_is_compared(tmp_path: Path) -> None:
    named = compare(tmp_path, "several questions", "--mechanism", "joint", "--json").json()
    assert {row["mechanism"] for row in named["rows"]} == {"JOINT"}


def test_a_plot_without_theory_has_no_legend_for_it(tmp_path: Path) -> None:
    for kind, theory in (("mean", True), ("distribution", False)):
        compare(tmp_path, kind, "--plot", "errors.svg")
        assert ("theory" in (tmp_path / "errors.svg").read_text()) is theory


@pytest.mark.parametrize(
    ("cells", "options", "said"),
    [
        ("a\na;b\n", "--most 1", "line 3 of people.csv: the answer has more than 1 answer"),
        ("a;b\na;a\n", "--most 2", "line 3 of people.csv: the answer has the same answer twice"),
        ('a;b\n" "\n', "--most 2", "line 3 of people.csv: the answer is blank (a selection of"),
        ('a;b\n""\n', "--most 2", "line 3 of people.csv: the answer is missing"),
        ("a;b\n;\n", "--most 3", "of 2 answers, a selection has at most 1 to 2, got 3"),
        ("a;b\n;\n", "--most 0", "--most must be at least 1, got 0"),
        (";\n;\n", "--most 2", "at least 2 answers, got 2 people and 0 answers"),
        ("a;b\n", "--most 2 --separator ' '", "--separator needs a sign that isn't a space"),
        ("a\nb\n", "--separator ,", "--separator has no effect without --most"),
        ("1\ntwo\n", "--from 1 --to 3 --step 1", "line 3 of people.csv: the answer is no number"),
        ("1\n2\n", "--from 1 --to 3", "there is no --step"),
        ("1\n2\n", "--from 1 --to 3 --step 1 --bins 2", "--bins needs --estimate distribution"),
        ("1\n2\n", "--from 1 --to 3 --step 1 --most 2", "--most needs a question without --from"),
        ("1\n2\n", "--from 1 --to 3 --step 1 --separator ,", "--separator has no effect without"),
        ("1\n2\n", "--estimate mean", "there is no --from"),
        ("", "--from 1 --to 3 --step 1", "got 0 people"),
        ("a\nb\n", "--questions q.toml --most 2", "--most needs one question, without --questions"),
        ("a\nb\n", "--questions q.toml --from 1", "--from needs one question, without --questions"),
        ("a\nb\n", "--questions q.toml", "no column 'tea'"),
        ("a\nb\n", "--questions q.toml --column tea", "--column is for one question"),
        ("a\nb\n", "--mechanism set", "of one answer of a list, the mechanism is one of grr"),
    ],
)
def test_what_does_not_go_together_is_a_sentence(
    cells: str, options: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text(f"answer\n{cells}")
    (tmp_path / "q.toml").write_text(QUESTIONS)
    assert said in refused(tmp_path, "compare", "people.csv", *shlex.split(options))


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), "from 1 to 2^53 - 1 people and at least 2 answers, got 0 people and 0 answers"),
        (("--most", 2), "from 1 to 2^53 - 1 people, got 0 people"),
        (("--from", 1, "--to", 5, "--step", 1), "from 1 to 2^53 - 1 people, got 0 people"),
    ],
)
def test_nobody_can_not_be_compared(
    options: tuple[object, ...], found: str, tmp_path: Path
) -> None:
    (tmp_path / "none.csv").write_text("answer\n")
    said = refused(tmp_path, "compare", "none.csv", *options)
    assert f"none.csv: a comparison needs {found}" in said
    assert "at least 0" not in said
