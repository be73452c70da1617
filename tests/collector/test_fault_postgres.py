"""The same lives of a collector, and kills of two at once, on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support import postgres as servers
from support.fault_histories import lived
from support.fault_kills import killed
from support.fault_postgres import PostgresPlace
from support.fault_reports import Verdict

pytestmark = pytest.mark.xdist_group("postgres-faults")  # one server for all of them
CHUNK, STEPS = 25, 10


@pytest.fixture(scope="module")
def server() -> Iterator[servers.Server]:
    """One of these tests' own: what crashes here are connections, and the server stays."""
    with servers.server() as running:
        yield running


def chunk(url: str, first: int, variant: str = "sound", size: int = CHUNK) -> Verdict:
    total = Verdict()
    for seed in range(first, first + size):
        total += lived(seed, PostgresPlace(url), variant, STEPS)
    return total


@pytest.mark.parametrize("part", range(4))
def test_nothing_is_lost_and_nothing_counts_twice(
    server: servers.Server, seed: int, part: int
) -> None:
    del part  # the seed is of this part
    found = chunk(server.new_database(), seed)
    assert found.clean, found
    assert found.acknowledged > 8 * CHUNK
    assert {"crash", "crash in a commit", "commit fail", "commit after"} <= found.faults.keys()


def test_one_that_acknowledges_before_the_commit_is_caught(
    server: servers.Server, seed: int
) -> None:
    assert chunk(server.new_database(), seed, "hasty", 10).losses > 5


def test_one_that_forgets_names_is_caught(server: servers.Server, seed: int) -> None:
    assert chunk(server.new_database(), seed, "forgetful", 10).doubles > 5


def test_two_collectors_on_one_database_are_killed_under_load(
    server: servers.Server, tmp_path: Path, seed: int
) -> None:
    found = killed(tmp_path, server.new_database(), 3, seed, processes=2)
    assert found.clean, found
    assert found.faults["kill"] == 3
    assert found.acknowledged > 100
