"""What ``estimate``, ``compare`` and ``simulate survey`` print, and the files they draw."""

import csv
import io
from pathlib import Path
from xml.etree import ElementTree as ET

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.collection.document import Collection
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.aggregate import Aggregate
from support.commands import TEAS, Result, contents, csv_of, refused, run, succeed, tea

PEOPLE = {"green": 900, "black": 300, "oolong": 0}
FIELDS = ["answer", "share", "stderr", "low", "high", "people", "p_value", "rough"]
STEPS = ["clip", "normalise", "norm-sub", "project", "likelihood"]


@pytest.fixture
def survey(tmp_path: Path) -> str:
    """tea.json and total.json."""
    file = tea(tmp_path)
    options = ("--insecure-seed", 1, "-o", "reports.arrow")
    succeed(tmp_path, "randomize", file, *options, stdin=csv_of(PEOPLE).encode())
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    return file


def estimate(folder: Path, *options: object) -> Result:
    return succeed(folder, "estimate", "tea.json", "total.json", *options)


# Estimates


def test_json_has_everything(survey: str, tmp_path: Path) -> None:
    found = estimate(tmp_path, "--json").json()
    agreed = Collection.from_json((tmp_path / survey).read_bytes())
    answers = found.pop("answers")
    assert found == {
        "collection": "tea",
        "key": agreed.key,
        "mechanism": "grr",
        "epsilon": agreed.epsilon,
        "n": 1200,
        "level": 0.95,
        "simultaneous": False,
        "population": False,
    }
    assert [list(row) for row in answers] == [FIELDS] * 3
    total = Aggregate.from_json((tmp_path / "total.json").read_bytes())
    library = agreed.estimate(total)
    assert [row["share"] for row in answers] == library.values.tolist()
    assert [row["low"] for row in answers] == library.interval(0.95).low.tolist()


@pytest.mark.usefixtures("survey")
def test_csv_is_the_same_table(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(estimate(tmp_path, "--csv").out)))
    expected = estimate(tmp_path, "--json").json()["answers"]
    assert [list(row) for row in rows] == [FIELDS] * 3
    assert [row["answer"] for row in rows] == list(TEAS)
    for row, other in zip(rows, expected, strict=True):
        assert [float(row[name]) for name in FIELDS[1:-1]] == [other[name] for name in FIELDS[1:-1]]
        assert row["rough"] == str(other["rough"]) == "False"


@pytest.mark.usefixtures("survey")
def test_the_table_is_for_people(tmp_path: Path) -> None:
    shown = estimate(tmp_path).out
    assert all(text in shown for text in (*TEAS, "Which tea?", "interval", "1,200 reports"))
    assert max(map(len, shown.splitlines())) <= 80
    assert "95\N{NO-BREAK SPACE}% interval" in shown
    assert "99.5\N{NO-BREAK SPACE}% interval" in estimate(tmp_path, "--level", 0.995).out
    assert "< 0.0001" in shown


@pytest.mark.usefixtures("survey")
def test_intervals_widen_with_what_they_promise(tmp_path: Path) -> None:
    widths = []
    for options in (
        (),
        ("--simultaneous",),
        ("--level", 0.999),
        ("--level", 0.999, "--population"),
    ):
        rows = estimate(tmp_path, "--json", *options).json()["answers"]
        widths.append([row["high"] - row["low"] for row in rows])
    for answer in (0, 1):  # of an answer that nobody gives, a sample has nobody either
        own = [width[answer] for width in widths]
        assert own == sorted(own)
        assert len(set(own)) == len(own)


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize("step", STEPS)
def test_consistent_shares(step: str, tmp_path: Path) -> None:
    rows = estimate(tmp_path, "--json", "--consistent", step).json()["answers"]
    shares = [row["consistent"] for row in rows]
    assert min(shares) >= 0
    assert max(shares) <= 1
    assert step == "clip" or sum(shares) == pytest.approx(1, abs=1e-9)
    assert rows[0]["share"] == estimate(tmp_path, "--json").json()["answers"][0]["share"]
    assert "consistent" in estimate(tmp_path, "--consistent", step).out


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("mechanism", ["grr", "oue", "sue"])
def test_consistent_shares_of_one_sided_people(mechanism: str, step: str, tmp_path: Path) -> None:
    """All give one answer: the other estimates are negative as often as not."""
    file = tea(tmp_path, "--mechanism", mechanism)
    people = csv_of({"green": 3000}).encode()
    for seed in (1, 2, 3):
        options = ("--insecure-seed", seed, "-o", "r.arrow")
        succeed(tmp_path, "randomize", file, *options, stdin=people)
        succeed(tmp_path, "aggregate", file, "r.arrow", "-o", "total.json")
        rows = estimate(tmp_path, "--json", "--consistent", step).json()["answers"]
        assert min(row["consistent"] for row in rows) >= 0


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize("suffix", ["html", "png", "svg", "pdf"])
def test_plots(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"tea.{suffix}"
    estimate(tmp_path, "--plot", path, "--simultaneous", "--consistent", "norm-sub")
    starts = {"html": b"<!doctype html>", "png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    data = path.read_bytes()
    assert data[:15].lower().startswith(starts[suffix].lower())
    if suffix == "html":
        assert all(label.encode() in data for label in TEAS)
    if suffix == "svg":
        assert ET.fromstring(data).tag.endswith("svg")  # noqa: S314 - our own file


# Comparisons


def compare(folder: Path, *options: object) -> Result:
    (folder / "answers.csv").write_text(csv_of({"green": 900, "black": 300, "oolong": 30}))
    return succeed(folder, "compare", "answers.csv", "--repetitions", 20, *options)


def test_compare_as_json_and_csv(tmp_path: Path) -> None:
    options = ("--epsilon", 2, "--epsilon", 1)
    found = compare(tmp_path, "--json", *options).json()
    assert (found["n"], found["k"]) == (1230, 3)
    rows = found["rows"]
    expected = [(name.upper(), epsilon) for name in CATEGORICAL for epsilon in (1.0, 2.0)]
    assert [(row["mechanism"], row["epsilon"]) for row in rows] == expected
    assert all(abs(row["mean_squared_error"] - row["theory"]) < 7 * row["stderr"] for row in rows)
    table = list(csv.DictReader(io.StringIO(compare(tmp_path, "--csv", *options).out)))
    assert [float(row["mean_squared_error"]) for row in table] == [
        row["mean_squared_error"] for row in rows
    ]
    assert list(table[0]) == ["mechanism", "epsilon", "mean_squared_error", "stderr", "theory"]


def test_compare_for_people(tmp_path: Path) -> None:
    shown = compare(tmp_path, "--mechanism", "grr", "--mechanism", "oue", "--epsilon", 1).out
    assert all(text in shown for text in ("GRR", "OUE", "theory", "1,230 people", "3 answers"))
    assert "SUE" not in shown


def test_compare_counts(tmp_path: Path) -> None:
    """One row per answer is the same population as one row per person."""
    whole = compare(tmp_path, "--json", "--epsilon", 1).json()
    (tmp_path / "counts.csv").write_text("answer,people\ngreen,900\nblack,300\noolong,30\n")
    options = ("--repetitions", 20, "--epsilon", 1, "--json")
    counted = succeed(tmp_path, "compare", "counts.csv", "--counts", "people", *options).json()
    assert counted == whole


@pytest.mark.parametrize("suffix", ["html", "png", "svg"])
def test_compare_plots(suffix: str, tmp_path: Path) -> None:
    compare(tmp_path, "--plot", f"errors.{suffix}", "--epsilon", 1, "--epsilon", 2)
    assert (tmp_path / f"errors.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("answer,people\na,1\n", ("--counts", "people")),
        ("answer,people\na,1\nb,-1\n", ("--counts", "people")),
        ("answer,people\na,0\nb,0\n", ("--counts", "people")),
        ("answer,people\na,1.5\nb,2\n", ("--counts", "people")),
        ("answer,people\na,\nb,2\n", ("--counts", "people")),
        ("answer,people\na,1\nb,2\n", ("--counts", "number")),
        ("answer\na\na\n", ()),
        ("answer\n", ()),
        ("", ()),
        ("a\nb\n", ()),
        ("answer\na\nb\n", ("--epsilon", "0")),
        ("answer\na\nb\n", ("--epsilon", "nan")),
        ("answer\na\nb\n", ("--repetitions", "1")),
        ("answer\na\nb\n", ("--plot", "errors.docx")),
    ],
)
def test_compare_refuses(text: str, options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(text)
    refused(tmp_path, "compare", "answers.csv", *options)


def test_compare_refuses_missing_counts(tmp_path: Path) -> None:
    people = pa.array([1, None, 2], pa.int64())
    pq.write_table(pa.table({"answer": ["a", "b", "c"], "people": people}), tmp_path / "a.parquet")
    refused(tmp_path, "compare", "a.parquet", "--counts", "people", "--repetitions", 2)


# A simulated survey


def surveyed(folder: Path, *options: object) -> Result:
    command = ("simulate", "survey", "-o", "survey")
    return succeed(folder, *command, "--people", 2000, "--seed", 1, *options)


@pytest.mark.parametrize("mechanism", ["grr", "oue", "sue"])
def test_a_survey_leaves_its_files(mechanism: str, tmp_path: Path) -> None:
    found = surveyed(tmp_path, "--json", "--mechanism", mechanism).json()
    assert found["n"] == 2000
    assert sum(found["truth"]) == pytest.approx(1)
    for row, share in zip(found["answers"], found["truth"], strict=True):
        assert abs(row["share"] - share) < 6 * row["stderr"]
    names = {"collection.json", "reports.arrow", "aggregate.json", "report.html"}
    assert contents(tmp_path).keys() == {f"survey/{name}" for name in names}
    folder = tmp_path / "survey"
    again = succeed(folder, "aggregate", "collection.json", "reports.arrow").stdout
    assert again.strip() == (folder / "aggregate.json").read_bytes()
    page = (folder / "report.html").read_text()
    assert all(row["answer"] in page for row in found["answers"])


def test_a_survey_tells_its_steps_and_repeats_them(tmp_path: Path) -> None:
    first, second = surveyed(tmp_path).out, surveyed(tmp_path).out
    assert first == second
    assert all(f"{step}. " in first for step in (1, 2, 3, 4))
    assert "2,000 people answered" in first
    assert "truths lie inside their 95 % intervals" in first


@pytest.mark.parametrize("options", [("--people", 0), ("--epsilon", 0), ("--epsilon", "nan")])
def test_a_survey_refuses(options: tuple[object, ...], tmp_path: Path) -> None:
    result = run(tmp_path, "simulate", "survey", "-o", "survey", *options)
    assert (result.code, result.stdout) == (2, b"")
    assert contents(tmp_path) == {}


def test_a_survey_does_not_overwrite_a_file(tmp_path: Path) -> None:
    (tmp_path / "survey").write_text("mine")
    assert run(tmp_path, "simulate", "survey", "-o", "survey").code == 2
    assert (tmp_path / "survey").read_text() == "mine"
