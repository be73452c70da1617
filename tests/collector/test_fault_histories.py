"""Nothing lost, nothing twice: random lives of a collector, with every fault a network has.

The same histories must catch a store that acknowledges too early, and one that forgets ids.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fault_page import FOUND, PAGE, page
from support.fault_histories import lived
from support.fault_reports import Verdict
from support.fault_stores import SqlitePlace
from support.in_memory import memory_folder

CHUNK = 25


@pytest.fixture
def folder() -> Iterator[Path]:
    with memory_folder() as name:
        yield name


def chunk(folder: Path, first: int, variant: str = "sound", size: int = CHUNK) -> Verdict:
    total = Verdict()
    for seed in range(first, first + size):
        own = folder / str(seed)
        own.mkdir()
        total += lived(seed, SqlitePlace(own), variant)
    return total


@pytest.mark.parametrize("part", range(8))
def test_nothing_is_lost_and_nothing_counts_twice(folder: Path, seed: int, part: int) -> None:
    del part  # the seed is of this part
    found = chunk(folder, seed)
    assert found.clean, found
    # There must have been something to lose, and all that could have lost it.
    assert found.acknowledged > 20 * CHUNK
    assert {"crash", "crash in a commit", "commit fail", "commit after"} <= found.faults.keys()
    assert {"lost request", "lost half", "lost answer", "clock back"} <= found.faults.keys()


def test_one_that_acknowledges_before_the_commit_is_caught(folder: Path, seed: int) -> None:
    assert chunk(folder, seed, "hasty", 10).losses > 10


def test_one_that_forgets_names_is_caught(folder: Path, seed: int) -> None:
    assert chunk(folder, seed, "forgetful", 10).doubles > 10


def test_a_history_is_the_same_again(folder: Path, seed: int) -> None:
    first = [lived(seed, SqlitePlace(_new(folder / name))) for name in ("a", "b")]
    assert first[0] == first[1]


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_the_page_says_what_the_campaigns_found() -> None:
    assert page() == PAGE.read_text()
    runs = [run for run in json.loads(FOUND.read_text()) if "fuzz" not in run]
    for run in runs:
        wrong = run["losses"] + run["doubles"] + run["ghosts"]
        assert bool(wrong) == (run["variant"] != "sound")
    kills = [
        (run["store"], run["kills"]) for run in runs if run.get("processes") and "kills" in run
    ]
    assert {store for store, number in kills if number >= 40} == {"sqlite", "postgres"}
