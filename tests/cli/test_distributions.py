"""A number's distribution on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from sudare import Collection, Seeded, SquareWave
from sudare.questions.distribution import Spread
from sudare.questions.interface import ResultOptions
from sudare.results.distribution import notes
from support.commands import refused as turned_down
from support.commands import succeed

NEW = ["collection", "new", "age", "--question", "How old are you?"]
AGES = ["--from", "18", "--to", "99", "--step", "1", "--epsilon", "1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection, and the total of 40,000 people of two ages' humps."""
    made = tmp_path_factory.mktemp("ages")
    succeed(made, *NEW, *AGES, "--estimate", "distribution", "-o", "age.json")
    collection = Collection.from_json((made / "age.json").read_bytes())
    people = np.zeros(82, np.int64)
    people[2:27], people[42:62] = 1000, 750
    (made / "total.json").write_bytes(collection.simulate(people, Seeded(7)).to_json())
    return made


def test_a_new_collection_has_bins_as_they_are_asked_for(folder: Path) -> None:
    made = Collection.from_json((folder / "age.json").read_bytes())
    assert made.mechanism == SquareWave.calibrate(81, 1.0)
    succeed(folder, *NEW, *AGES, "--mechanism", "wave", "--bins", "8", "-o", "few.json")
    few = Collection.from_json((folder / "few.json").read_bytes())
    assert few.mechanism == SquareWave.calibrate(81, 1.0, bins=8)


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        (["--bins", "8"], "--bins needs --estimate distribution"),
        (["--estimate", "distribution", "--bins", "1"], "between 2 and 82 bins, got 1"),
        (["--estimate", "distribution", "--bins", "83"], "between 2 and 82 bins, got 83"),
        (["--estimate", "distribution", "--mechanism", "window"], "told by wave, not by window"),
        (["--estimate", "mean", "--mechanism", "wave"], "told by window, not by wave"),
    ],
)
def test_what_can_not_be_is_refused(folder: Path, options: list[str], refused: str) -> None:
    assert refused in turned_down(folder, *NEW, *AGES, *options, "-o", "wrong.json")
    assert not (folder / "wrong.json").exists()


def test_json_has_bins_quantiles_thresholds_and_the_mean(folder: Path) -> None:
    said = succeed(
        folder,
        *("estimate", "age.json", "total.json", "--json", "--above", "65", "--above", "18"),
        *("--quantile", ".5", "--quantile", ".25"),
    ).out
    found = json.loads(said)
    assert [row["quantile"] for row in found["quantiles"]] == [0.5, 0.25]
    assert [row["above"] for row in found["above"]] == [65, 18]
    assert len(found["bins"]) == 16
    assert (found["bins"][0]["least"], found["bins"][-1]["most"]) == (18, 99)
    for name in ("share", "unbiased"):
        assert sum(row[name] for row in found["bins"]) == pytest.approx(1)
    for row in (*found["quantiles"], *found["estimates"]):
        value = row.get("value", row.get("mean"))
        assert row["low"] < value < row["high"]
    # The truth, within what no right collection misses: 6 standard errors.
    above = found["above"][0]
    assert abs(above["unbiased"] - 14 * 750 / 40_000) < 6 * above["stderr"]
    assert abs(found["estimates"][0]["mean"] - 47.0625) < 6 * found["estimates"][0]["stderr"] + 0.5


def test_csv_has_a_row_for_each_bin(folder: Path) -> None:
    head, *rows = succeed(folder, "estimate", "age.json", "total.json", "--csv").out.splitlines()
    assert head == "least,most,share,unbiased,stderr,low,high"
    assert len(rows) == 16


def test_people_are_told_what_is_smoothed(folder: Path) -> None:
    said = succeed(folder, "estimate", "age.json", "total.json", "--population").out
    assert "The shares are smoothed; the intervals rest on the reports alone." in said
    assert "The intervals are for the population" in said
    assert "50 % are below" in said
    assert "The mean is" in said


def test_people_are_told_where_numbers_count_as_spread_evenly(folder: Path) -> None:
    """All people are 40, and the bin goes from 39 to 43: a quantile's interval ends below 40."""
    collection = Collection.from_json((folder / "age.json").read_bytes())
    heaped = collection.analyse(collection.simulate({40: 100_000}, Seeded(1)))
    assert isinstance(heaped, Spread)
    assert heaped.quantiles[0]["high"] < 40
    assert any("take the numbers of a bin as spread evenly" in note for note in notes(heaped))
    five = Collection("five", "?", ("1", "5"), SquareWave.calibrate(4, 1.0))
    known = five.analyse(five.simulate({3: 100_000}, Seeded(1)))
    assert isinstance(known, Spread)
    assert not any("spread evenly" in note for note in notes(known))


def test_quantiles_and_thresholds_outside_their_intervals_are_told(folder: Path) -> None:
    collection = Collection.from_json((folder / "age.json").read_bytes())
    total = collection.simulate({40: 100_000}, Seeded(1))
    found = collection.analyse(total, ResultOptions(above=("39", "60"), quantiles=(0.1, 0.5)))
    assert isinstance(found, Spread)
    outside = [
        [row for row in rows if not row["low"] <= row[name] <= row["high"]]
        for rows, name in (
            (found.rows(), "share"),
            (found.above, "share"),
            (found.quantiles, "value"),
        )
    ]
    bins, above, quantiles = map(len, outside)
    assert above == quantiles == 1
    said = f"{bins + above} shares and 1 quantile lie outside their intervals: something was"
    assert any(note.startswith(said) for note in notes(found))


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        (["--above", "99"], "a threshold is a number from 18 to below 99, got 99"),
        (["--above", "old"], "a threshold is a number, got 'old'"),
        (["--above", "nan"], "a threshold is a number, got 'nan'"),
        (["--quantile", "1"], "a quantile is between 0 and 1, got 1"),
        (["--quantile", "50"], "a quantile is between 0 and 1, got 50: 50 % is 0.5"),
        (["--quantile", "nan"], "a quantile is between 0 and 1, got nan"),
        (["--simultaneous"], "simultaneous is for listed answers"),
    ],
)
def test_what_can_not_be_told_is_refused(folder: Path, options: list[str], refused: str) -> None:
    assert refused in turned_down(folder, "estimate", "age.json", "total.json", *options)


def test_other_kinds_have_no_quantiles(folder: Path) -> None:
    tea = ["--answer", "green", "--answer", "black", "--epsilon", "1", "-o", "tea.json"]
    succeed(folder, *NEW, *tea)
    collection = Collection.from_json((folder / "tea.json").read_bytes())
    total = collection.simulate({"green": 100, "black": 100}, Seeded(1))
    (folder / "teas.json").write_bytes(total.to_json())
    said = turned_down(folder, "estimate", "tea.json", "teas.json", "--quantile", ".5")
    assert "a quantile is one of a distribution of numbers; “age” has 2 answers" in said
    said = turned_down(folder, "estimate", "tea.json", "teas.json", "--above", "65")
    assert "a share above a number is one of a distribution" in said
