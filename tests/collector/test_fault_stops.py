"""Nothing lost, nothing twice, nobody left waiting: collectors that are stopped, and cut off.

Real processes, a real PostgreSQL, a network that swallows packets; ``fault_campaign.py --stops``
does the same a thousand times.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from support import postgres
from support.fault_reports import Verdict
from support.fault_stopped import WAITING
from support.fault_stops import SLACK, PostgresWorld, SqliteWorld, World, stopped
from support.in_memory import memory_folder

pytestmark = pytest.mark.xdist_group("stops")  # one process to fork collectors from
TOGETHER = 3  # servers, each of which is stopped by one history at a time


@pytest.fixture(scope="module")
def servers() -> Iterator[list[postgres.Server]]:
    with ExitStack() as stack:
        yield [stack.enter_context(postgres.server()) for _ in range(TOGETHER)]


@pytest.fixture
def folder() -> Iterator[Path]:
    with memory_folder() as name:
        yield name


def in_sqlite(folder: Path, variant: str = "sound") -> SqliteWorld:
    return SqliteWorld(Path(tempfile.mkdtemp(dir=folder)), variant)


def lived(
    worlds: Sequence[Callable[[], World]],
    seed: int,
    faults: Sequence[str] = (),
    slack: float = SLACK,
) -> Verdict:
    """What became of some histories at once."""
    total = Verdict()
    with ThreadPoolExecutor(len(worlds)) as pool:
        done = [
            pool.submit(stopped, seed + place, world(), faults, slack)
            for place, world in enumerate(worlds)
        ]
        for one in done:
            total += one.result()
    return total


def test_on_sqlite(folder: Path, seed: int) -> None:
    found = lived([lambda: in_sqlite(folder)] * 4, seed)
    assert found.clean, found
    assert found.acknowledged > 100


def test_on_postgresql(servers: list[postgres.Server], seed: int) -> None:
    found = lived([partial(PostgresWorld, own) for own in servers], seed)
    assert found.clean, found
    assert found.acknowledged > 50


@pytest.mark.parametrize("fault", ["stopped in a commit", "database stopped", "swallowed"])
def test_others_are_answered_whatever_stands_still(
    servers: list[postgres.Server], seed: int, fault: str
) -> None:
    found = lived([partial(PostgresWorld, servers[0])], seed, [fault])
    assert found.clean, found
    assert found.faults[fault] > 0


def test_one_that_waits_for_ever_is_caught(servers: list[postgres.Server], seed: int) -> None:
    worlds = [partial(PostgresWorld, servers[0], WAITING)]
    assert lived(worlds, seed, ["database stopped"], slack=1.0).late > 0


def test_one_that_acknowledges_before_the_commit_is_caught(folder: Path, seed: int) -> None:
    found = lived([lambda: in_sqlite(folder, "hasty")] * 3, seed, ["killed"])
    assert found.losses > 0
