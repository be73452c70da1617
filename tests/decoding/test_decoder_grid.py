"""The tables of decoder accuracy hold, and are those of the page."""

import math
from itertools import product
from typing import Any

import msgspec
import pytest
from scipy.stats import binom

from decoder_grid import (
    EPSILON,
    FILE,
    LISTS,
    MISSING,
    PAGE,
    PEOPLE,
    PROMISE_RUNS,
    RUNS,
    SEVERAL,
    cell,
    distributions,
    false_share,
    page,
    promise,
)
from sudare.mechanisms.rappor import Rappor
from support.texts import trial, zipf

LEVEL = 0.05
README = PAGE.parents[2] / "README.md"
DOCUMENT: dict[str, Any] = msgspec.json.decode(FILE.read_bytes())
CELLS = {(row["people"], row["distribution"], row["candidates"]): row for row in DOCUMENT["grid"]}


def test_the_page_shows_the_file() -> None:
    assert PAGE.read_text("utf-8") == page(DOCUMENT)
    assert CELLS.keys() == set(product(PEOPLE, distributions(), LISTS))


@pytest.mark.parametrize("people", PEOPLE)
@pytest.mark.parametrize("distribution", distributions())
def test_the_grid_is_repeated(people: int, distribution: str) -> None:
    for candidates in LISTS:
        again = cell(people, distribution, candidates, 2, first=RUNS)
        said = CELLS[people, distribution, candidates]
        low, high = again.limits(2)
        assert low <= again.coverage <= high
        assert again.variation <= 1.5 * said["variation"] + 0.05


@pytest.mark.parametrize("row", DOCUMENT["grid"], ids=lambda row: str(list(row.values())[:3]))
def test_the_table_keeps_its_promises(row: dict[str, Any]) -> None:
    assert 0.93 <= row["coverage"] <= 0.97
    if row["people"] >= 10**6 and row["candidates"] != "a third missing":
        assert row["variation"] < 0.1


@pytest.mark.parametrize("row", DOCUMENT["promises"], ids=lambda row: str(list(row.values())[:3]))
def test_false_discoveries_stay_at_the_level(row: dict[str, Any]) -> None:
    """Within three standard errors, of which there is one in 700 by chance for each row."""
    false, error = false_share(row)
    assert row["runs"] >= PROMISE_RUNS >= 200
    assert row["any"] / row["runs"] <= LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / row["runs"])
    assert false <= LEVEL + 3 * max(error, math.sqrt(LEVEL * (1 - LEVEL) / row["runs"]) / 3)


def test_intervals_of_those_found_cover() -> None:
    rows = DOCUMENT["promises"]
    assert sum(row["intervals"] for row in rows) >= 20_000
    assert 0.94 <= sum(row["covered"] for row in rows) / sum(r["intervals"] for r in rows) <= 0.96
    for row in rows:
        if row["intervals"] >= 2000:
            assert 0.93 <= row["covered"] / row["intervals"] <= 0.98
    several = [row for row in rows if row["found"] >= SEVERAL * row["runs"]]
    rests = sum(row["rests"] for row in several)
    assert rests >= 5000
    assert 0.94 <= sum(row["rests covered"] for row in several) / rests <= 0.97


def test_the_readme_says_these_figures() -> None:
    rows, said = DOCUMENT["promises"], " ".join(README.read_text("utf-8").split())
    covered, intervals = (sum(row[name] for row in rows) for name in ("covered", "intervals"))
    false = sum(false_share(row)[0] for row in rows) / len(rows)
    assert f"{covered / intervals:.1%} of {intervals:,.0f} covered".replace("%", " %") in said
    assert f"Tried on {len(rows)} kinds of surveys, {100 * false:.1f} % were" in said


@pytest.mark.parametrize("survey", ["8 × 2 × 128, few texts", "16 × 1 × 64", "128 × 2 × 64"])
@pytest.mark.parametrize("missing", MISSING)
def test_the_promise_is_repeated(survey: str, missing: str) -> None:
    """Fails by chance once in 10⁹: 24 surveys, of which at most so many may have a false one."""
    row = promise(survey, 10**6, missing, range(PROMISE_RUNS, PROMISE_RUNS + 24))
    assert row["any"] <= binom.isf(1e-9, row["runs"], LEVEL)


def test_a_test_without_correction_is_rejected_by_the_same_measure() -> None:
    mechanism, held = Rappor.calibrate(2.2, form="instant"), zipf(300, 10**5)
    runs = [trial(mechanism, held, 10_000, run, correction="none") for run in range(24)]
    assert sum(run.false_share > 0 for run in runs) > binom.isf(1e-9, 24, LEVEL)
    assert EPSILON == 3
