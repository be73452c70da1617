"""The tables of decoder accuracy hold, and are those of the page."""

from itertools import product
from typing import Any

import msgspec
import numpy as np
import pytest

from decoder_grid import (
    EPSILON,
    FALSE_RUNS,
    FILE,
    LISTS,
    PAGE,
    PEOPLE,
    RUNS,
    cell,
    distributions,
    false_discoveries,
    page,
)
from sudare.mechanisms.rappor import Rappor
from texts import trial, zipf

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


@pytest.mark.parametrize("row", DOCUMENT["false"], ids=str)
def test_false_discoveries_stay_at_the_level(row: dict[str, Any]) -> None:
    assert row["false"] <= 0.05 + 3 * row["stderr"]


@pytest.mark.parametrize("missing", [0.0, 1 / 3])
def test_false_discoveries_are_repeated(missing: float) -> None:
    """Fails by chance once in 10⁹: six standard errors above the level."""
    row = false_discoveries(missing, Rappor.calibrate(2.2, form="instant"), 10**5, 40)
    assert row["false"] <= 0.05 + 6 * row["stderr"]


def test_a_test_without_correction_is_rejected_by_the_same_measure() -> None:
    mechanism, held = Rappor.calibrate(2.2, form="instant"), zipf(300, 10**5)
    runs = [trial(mechanism, held, 10_000, run, correction="none") for run in range(10)]
    false = np.array([run.false_share for run in runs])
    assert false.mean() > 0.05 + 6 * false.std() / np.sqrt(10)
    assert FALSE_RUNS >= 200
    assert EPSILON == 3
