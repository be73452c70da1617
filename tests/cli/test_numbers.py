"""A number in a range, from the question to the result."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare import Collection, Device, Seeded, SquareWave, Window
from sudare.engines.query import randomize, weights
from sudare.errors import InvalidDocument, ParameterError
from sudare.questions.interface import ResultOptions
from support.commands import refused, succeed

ASKED = ("--question", "How old?", "--epsilon", 1, "-o", "age.json")
RANGE = ("--from", 18, "--to", 99, "--step", 1)


@pytest.fixture
def age(tmp_path: Path) -> Collection:
    succeed(tmp_path, "collection", "new", "age", *ASKED, *RANGE)
    return Collection.from_json((tmp_path / "age.json").read_bytes())


def test_the_document_holds_the_ends_and_the_steps(age: Collection) -> None:
    assert age.answers == ("18", "99")
    assert age.mechanism == Window.calibrate(81, 1.0)
    assert age.kind.facts()["numbers"] == "18 to 99 in steps of 1"


@pytest.mark.parametrize("form", ["text", "int16", "int64", "float32", "float64", "decimal"])
def test_a_column_of_any_type_is_read_alike(form: str, age: Collection, tmp_path: Path) -> None:
    ages = np.array([18, 19, 45, 99, 104, -3])
    columns: dict[str, Any] = {
        "text": ["18", " 19.0", "4.5e1", "+99", "104", "-3"],
        "decimal": pa.array(ages).cast(pa.decimal128(21, 2)),
    }
    column = columns.get(form, pa.array(ages.astype(form) if form not in columns else []))
    pq.write_table(pa.table({"years": column}), tmp_path / "ages.parquet")
    options = ("--column", "years", "--insecure-seed", 3, "-o", "reports.arrow")
    said = succeed(tmp_path, "randomize", "age.json", "ages.parquet", *options).err
    assert "2 rows hold numbers outside 18 to 99: they count as the nearer end" in said
    succeed(tmp_path, "aggregate", "age.json", "reports.arrow", "-o", "total.json")
    made = age.mechanism.randomize([0, 1, 27, 81, 81, 0], Seeded(3))
    assert (tmp_path / "total.json").read_bytes() == age.aggregate(made).to_json()


def test_one_row_outside_is_told_as_one(age: Collection, tmp_path: Path) -> None:
    del age
    said = succeed(tmp_path, "randomize", "age.json", "-o", "r.arrow", stdin=b"answer\n104\n").err
    assert "1 row holds a number outside 18 to 99: it counts as the nearer end" in said
    said = succeed(tmp_path, "randomize", "age.json", "-o", "s.arrow", stdin=b"answer\n99\n").err
    assert "outside" not in said


@pytest.mark.parametrize("cell", ["forty", "nan", "inf", "1,5", "0x1f", "1 000", "true"])
def test_what_is_no_number_is_refused_by_its_line(
    cell: str, age: Collection, tmp_path: Path
) -> None:
    del age
    text = f"answer\n40\n{cell}\n".encode()
    options = ("--delimiter", "tab", "-o", "r.arrow")
    said = refused(tmp_path, "randomize", "age.json", *options, stdin=text)
    assert "line 3 of standard input: the answer is no number; “age” asks for a number" in said
    assert f"{cell!r}" not in said
    said = succeed(tmp_path, "randomize", "age.json", *options, "--skip-bad", stdin=text).err
    assert "1 answer randomised" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--from", 18, "--to", 99, "--step", 2), "steps of 2 don't lead from 18 to 99"),
        (("--from", 99, "--to", 18, "--step", 1), "it can't begin at 99 and end at 18"),
        (("--from", 5, "--to", 5, "--step", 1), "it can't begin at 5 and end at 5"),
        (("--from", 0, "--to", 1, "--step", 0), "a step is above 0, got 0"),
        (("--from", 0, "--to", 1, "--step", "1e-3"), "a decimal such as 18 or -1.5, of at most 15"),
        (
            ("--from", 0, "--to", 1, "--step", "0.1234567890123456"),
            "at most 15 digits on either side of its point, got '0.1234567890123456'",
        ),
        (("--from", "low", "--to", 1, "--step", 1), "on either side of its point, got 'low'"),
        (
            ("--from", 0, "--to", 10, "--step", "0.000001"),
            "a range has between 1 and 1,048,576 steps, got 10,000,000",
        ),
        (("--from", 0, "--to", 1), "there is no --step"),
        (("--from", 0, "--step", 1), "there is no --to"),
        (("--mechanism", "window"), "there is no --from"),
        (("--estimate", "mean"), "there is no --from"),
        ((*RANGE, "--mechanism", "grr"), "the mean of numbers is told by window, not by grr"),
        ((*RANGE, "--answer", "x"), "--from needs a question without --answer"),
        ((*RANGE, "--most", 2), "--most needs a question without --from and --to"),
        ((*RANGE, "--free-text"), "--free-text needs a question without --from and --to"),
        ((*RANGE, "--rounds", 3), "--rounds needs a question without --from and --to"),
    ],
)
def test_ranges_that_cannot_be_are_refused(
    options: tuple[object, ...], message: str, tmp_path: Path
) -> None:
    assert message in refused(tmp_path, "collection", "new", "age", *ASKED, *options)


def test_a_budget_that_is_too_small_is_refused(tmp_path: Path) -> None:
    asked = ("--question", "?", "--epsilon", "1e-17", "-o", "age.json")
    said = refused(tmp_path, "collection", "new", "age", *asked, *RANGE)
    assert "epsilon = 1e-17 is too small" in said


def test_the_result_is_the_mean_with_its_interval(age: Collection, tmp_path: Path) -> None:
    total = age.simulate({20: 3000, 60: 1000}, Seeded(1))
    (tmp_path / "total.json").write_bytes(total.to_json())
    (tmp_path / "truth.csv").write_text("answer\n" + "20\n" * 3000 + "60\n" * 1000)
    told = succeed(tmp_path, "estimate", "age.json", "total.json", "--json").json()
    [row] = told["estimates"]
    assert (told["n"], told["population"]) == (4000, False)
    assert told["range"] == {"least": 18.0, "most": 99.0, "step": 1.0}
    assert row["low"] < 30 < row["high"]
    assert row == age.analyse(total).rows()[0]
    wider = age.analyse(total, ResultOptions(population=True)).rows()[0]
    assert wider["stderr"] > row["stderr"]
    text = succeed(tmp_path, "estimate", "age.json", "total.json", "--truth", "truth.csv").out
    assert "The true mean lies inside the 95" in text
    assert "30.0" in text
    lines = succeed(tmp_path, "estimate", "age.json", "total.json", "--csv").out.splitlines()
    assert lines[0] == "mean,stderr,low,high"
    for name in ("mean.html", "mean.png", "mean.svg"):
        succeed(tmp_path, "estimate", "age.json", "total.json", "--plot", name)
        assert (tmp_path / name).stat().st_size > 1000
    assert "The estimated mean is" in (tmp_path / "mean.html").read_text("utf-8")
    for option, value in (("--simultaneous", ()), ("--consistent", ("clip",))):
        assert "is for listed answers" in refused(
            tmp_path, "estimate", "age.json", "total.json", option, *value
        )


@pytest.mark.parametrize(("low", "high"), [("-0.3", "1.2"), ("100000000000", "100000000001.5")])
def test_few_reports_may_all_be_the_same_and_ranges_far_from_0(low: str, high: str) -> None:
    """Whatever they all say, an interval for a population is one, and not the narrower one."""
    part = Collection("part", "?", (low, high), Window.calibrate(15, 4.0), 1)
    kind = part.report_dtype
    for output in range(len(part.mechanism.document()["scores"])):
        total = part.aggregate(np.full(200, (output,), kind))
        [own] = part.analyse(total).rows()
        [wider] = part.analyse(total, ResultOptions(population=True)).rows()
        assert own["stderr"] <= wider["stderr"] < 1
    half = part.simulate(np.bincount([0, 15], minlength=16) * 500, Seeded(1))
    [wider] = part.analyse(half, ResultOptions(population=True)).rows()
    assert wider["stderr"] == pytest.approx(0.75 / 1000**0.5, rel=0.2)  # and the noise's, less


def test_reports_have_weights_for_queries(age: Collection) -> None:
    people = pa.table({"answer": ["20", "60"] * 5000})
    reports = randomize(people, age, rng=Seeded(1))
    weighed = weights(reports, age)
    assert weighed.column_names == ["output", "mean"]
    [[mean]] = duckdb.execute("SELECT AVG(mean) FROM weighed").fetchall()
    made = np.array(reports["output"]).astype(age.mechanism.report_dtype)
    estimate = age.estimate(age.aggregate(made))
    assert mean == pytest.approx(float(estimate.values[0]))
    assert abs(mean - 40) < 6 * float(estimate.stderr[0])


def test_a_device_takes_a_number_as_text() -> None:
    age = Collection("age", "How old?", ("18", "99"), Window.calibrate(81, 1.0))
    device = Device.new()
    record = device.report(age, "45.2", Seeded(1))
    assert record.tobytes() == age.mechanism.randomize([27], Seeded(1)).tobytes()
    assert age.kind.clipped("45.2") is None
    assert age.kind.clipped("17") == "the answer lies outside 18 to 99, and counts as 18"


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("18e-0", 18),
        ("1e-999999999", 0),
        ("0e999999999", 0),
        ("-1e-99999999999999999999", 0),
        ("1e999999999", 100),
        ("1e-" + "9" * 5000, 0),
        ("1.5" + "0" * 5000, 2),
        ("0." + "0" * 5000 + "1", 0),
        (10**5000, 100),
        (-(10**5000), 0),
    ],
    ids=lambda given: str(given)[:12] if isinstance(given, str) else "",
)
def test_a_number_of_a_billion_digits_is_placed_at_once(text: str | int, step: int) -> None:
    percent = Collection("part", "How much?", ("0", "100"), Window.calibrate(100, 1.0))
    assert percent.encode([text]).tolist() == [step]


@pytest.mark.parametrize("form", [list, np.float64, np.float32, np.float16])
def test_a_number_between_two_steps_counts_as_the_upper_in_any_form(form: Any) -> None:
    """0.15 is a little less as a float of 64 bits, 0.35 as one of 32: what was written counts."""
    part = Collection("part", "How much?", ("0", "1"), Window.calibrate(10, 1.0))
    halves = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]
    numbers = halves if form is list else np.array(halves, form)
    assert part.encode(numbers).tolist() == list(range(1, 11))
    assert part.encode(list(numbers)).tolist() == list(range(1, 11))


@pytest.mark.parametrize("numbers", [[0.0] * 5000, ["0"] * 5000, np.zeros(5000), [2.5] * 5000])
def test_many_alike_are_read_once(numbers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At an end of the range, where most people may be, or between two steps."""
    part = Collection("part", "How much?", ("0", "10"), Window.calibrate(10, 1.0))
    read: list[str] = []

    def noted(text: str) -> Fraction:
        read.append(text)
        return Fraction(text)

    monkeypatch.setattr("sudare.questions.number.exact", noted)
    assert len(set(part.encode(numbers).tolist())) == 1
    assert len(read) == 1


def test_a_threshold_is_a_number_of_the_range() -> None:
    half = Collection("half", "How much?", ("0.5", "10.5"), SquareWave.calibrate(10, 1.0), 1)
    total = half.aggregate(half.randomize(["5"] * 100, Seeded(1)))
    for wrong in ("1e999999999", "1e-999999999", "10.5", "0.4"):
        with pytest.raises(ParameterError, match=r"a number from 0\.5 to below 10\.5, got"):
            half.analyse(total, ResultOptions(above=(wrong,)))
    for wrong in ("nan", "٥", "0x5", "1_0", ""):
        with pytest.raises(ParameterError, match="a threshold is a number, got"):
            half.analyse(total, ResultOptions(above=(wrong,)))


@pytest.mark.parametrize("mechanism", [Window.calibrate(10, 1.0), SquareWave.calibrate(10, 1.0)])
def test_a_sum_that_reports_cannot_have_is_refused(mechanism: Window | SquareWave) -> None:
    ten = Collection("ten", "How much?", ("0", "10"), mechanism, 1)
    total = ten.aggregate(ten.randomize(["5"] * 100, Seeded(1)))
    for counts in (0 * total.counts, 2 * total.counts, -total.counts):
        with pytest.raises(InvalidDocument, match="aren't those of 100 reports"):
            ten.analyse(replace(total, counts=counts))
