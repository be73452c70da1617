"""SQLite under what happens to disks and processes: full, cut, killed."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from io import RawIOBase
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from sudare.collection.document import Collection
from sudare.collector.stores.backup import back_up, restore
from sudare.collector.stores.contract import Group, HeldCollection, ReportFate
from sudare.collector.stores.sqlite.store import SqliteStore
from sudare.errors import StoreUnavailable
from sudare.formats.report_ids import ids_of
from support.small_disk import small_disk
from support.sqlite_stores import KEPT, assert_consistent, closing_store
from support.stores import answers, fates, group, held, question, total


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def state_of(path: Path) -> tuple[int, list[int], int, int]:
    """How many counted, their sum, how many ids and raw reports there are: read by itself."""
    with closing(sqlite3.connect(path)) as connection:
        (sums,) = connection.execute("SELECT n, counts FROM windows").fetchall() or [(0, b"")]
        seen = b"".join(row[0] for row in connection.execute("SELECT names FROM seen"))
        kept = b"".join(row[0] for row in connection.execute("SELECT payload FROM reports"))
    assert len(np.unique(ids_of(seen), axis=0)) == len(seen) // 16
    return sums[0], np.frombuffer(sums[1], "<i8").tolist(), len(seen) // 16, len(kept)


# A full disk


def until_refused(store: SqliteStore, tea: Collection) -> list[Group]:
    """Groups of two windows, commit by commit, until the store takes no more: those refused."""
    said = answers(*[1] * 3000)
    while True:
        groups = [group(tea, said, window=window) for window in (0, 1)]
        try:
            store.commit(groups)
        except StoreUnavailable:
            with pytest.raises(StoreUnavailable, match=r"takes nothing now: .* disk is full$"):
                store.commit(groups)
            return groups


def fill_and_mend(
    store: SqliteStore, tea: Collection, fill: Callable[[], None], mend: Callable[[], None]
) -> None:
    """What is refused on a full disk isn't counted; when there is room, it counts once."""
    fill()
    refused = [until_refused(store, tea) for _ in range(3)]
    before = store.windows(tea.key)
    mend()
    assert store.windows(tea.key) == before
    store.check()
    for groups in refused:
        assert all((one == ReportFate.NEW).all() for one in store.commit(groups))
        assert all((one == ReportFate.REPEATED).all() for one in store.commit(groups))
    added = sum(len(one.ids) for groups in refused for one in groups)
    assert sum(one.n for one in store.windows(tea.key)) == added + sum(one.n for one in before)


def test_a_full_database_refuses_and_goes_on_when_there_is_room(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question(rules=KEPT))
        connection = store._database.write
        pages = connection.execute("PRAGMA page_count").fetchone()[0]

        def limit(most: int) -> None:
            connection.execute(f"PRAGMA max_page_count = {most}").fetchone()

        fill_and_mend(store, tea, lambda: limit(pages + 20), lambda: limit(1 << 30))
        n, counts = total(store, tea)
        assert n == sum(counts)
    assert_consistent(path, tea)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path, 2) as mounted:
        yield mounted


def write_without_end(handle: RawIOBase) -> NoReturn:
    while True:
        handle.write(bytes(4096))


def test_a_full_disk_refuses_and_goes_on_when_there_is_room(disk: Path) -> None:
    filler = disk / "filler"
    with closing_store(disk / "store.db") as store:
        tea = held(store, question(rules=KEPT))

        def fill() -> None:
            with filler.open("wb", buffering=0) as handle, pytest.raises(OSError, match="No space"):
                write_without_end(handle)

        fill_and_mend(store, tea, fill, filler.unlink)
    assert_consistent(disk / "store.db", tea)


def test_a_restored_store_is_whole_or_not_there_however_full_the_disk(
    disk: Path, tmp_path: Path
) -> None:
    """SQLite has all of it twice for a moment: in its log, and in the file."""
    source, file, made = tmp_path / "one.db", tmp_path / "backup", disk / "two.db"
    with closing_store(source) as store:
        tea = held(store, question(rules=KEPT))
        store.commit([group(tea, answers(*[1] * 30_000))])
    back_up(str(source), file)
    size = source.stat().st_size
    told = []
    for room in np.linspace(0.5, 2.5, 9):
        with (disk / "filler").open("wb") as handle:
            handle.write(bytes((2 << 20) - int(room * size)))
        try:
            restore(file, str(made))
        except StoreUnavailable as error:
            told.append(str(error))
            assert [one.name for one in disk.iterdir()] == ["filler"]
        else:
            with closing_store(made) as store:
                assert total(store, tea) == (30_000, [0, 30_000, 0])
            for one in disk.iterdir():
                one.unlink()
    assert 3 < len(told) < 9  # also where there is room for the log, but not for both
    assert all(one.endswith("disk is full") for one in told)


# Crashes


def test_a_log_cut_anywhere_leaves_a_prefix_of_the_commits(path: Path, tmp_path: Path) -> None:
    """Copies of the files as they were, with the log cut or torn at many places."""
    states: list[tuple[int, list[int], int, int]] = [(0, [], 0, 0)]
    with closing_store(path) as store:
        tea = held(store, question(rules=KEPT))
        for step in range(12):
            store.commit([group(tea, answers(*[step % 3] * (50 * step + 1)))])
            states.append(state_of(path))
        files = {name: Path(f"{path}{name}").read_bytes() for name in ("", "-wal")}
    log = files["-wal"]
    assert len(log) > 20 * 4096
    found = []
    cuts = {*np.linspace(0, len(log), 60).astype(int).tolist(), *range(len(log) - 40, len(log), 9)}
    for number, cut in enumerate(sorted(cuts)):
        copy = tmp_path / f"cut{number}" / "store.db"
        copy.parent.mkdir()
        copy.write_bytes(files[""])
        torn = bytes(512) if number % 2 else b""  # what a disk may have had there instead
        Path(f"{copy}-wal").write_bytes(log[:cut] + torn)
        found.append(states.index(reopened_state(copy, tea)))
    assert found == sorted(found)
    assert set(found) == set(range(len(states)))
    assert found[-1] == len(states) - 1  # nothing cut: nothing lost


def reopened_state(path: Path, tea: Collection) -> tuple[int, list[int], int, int]:
    """What a collector finds that starts after a crash, and that it can count."""
    with closing_store(path) as store:
        store.add(HeldCollection(tea))
        state = state_of(path)
        assert fates(store, group(tea, answers(0), window=1)) == [[ReportFate.NEW]]
    return state


COMMITTING = textwrap.dedent("""
    import os
    import sys
    from pathlib import Path
    import numpy as np
    from support.stores import Rules, answers, group, question
    from sudare.collector.stores.sqlite.store import SqliteStore
    from sudare.collector.stores.contract import HeldCollection

    path, other = map(Path, sys.argv[1:])
    tea = question(rules=Rules(keeps_reports=True))
    store = SqliteStore(other)  # so that everything is compiled
    store.add(HeldCollection(tea))
    store.commit([group(tea, answers(0))])
    store.shut()
    for line in sys.stdin:  # a process for each
        if child := os.fork():
            os.waitpid(child, 0)
            print("killed", flush=True)
            continue
        print(os.getpid(), flush=True)
        store = SqliteStore(path)
        for step in range(int(line), 1 << 40):
            own = np.array([[step, i] for i in range(1 + step % 50)], np.uint64)
            store.commit([group(tea, answers(*[step % 3] * len(own)), own)])
            print(step, flush=True)
""")


def test_what_was_acknowledged_survives_being_killed(path: Path, seed: int) -> None:
    """Ten times: whatever was printed is there, in whole commits, and at most one more."""
    rng = np.random.default_rng(seed)
    with closing_store(path) as store:
        tea = held(store, question(rules=KEPT))
    step = 0
    with subprocess.Popen(
        [sys.executable, "-c", COMMITTING, str(path), f"{path}.other"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(10):
            process.stdin.write(b"%d\n" % step)
            process.stdin.flush()
            child = int(process.stdout.readline())
            for _ in range(int(rng.integers(1, 40))):
                acknowledged = int(process.stdout.readline())
            os.kill(child, signal.SIGKILL)
            while (line := process.stdout.readline()) != b"killed\n":
                acknowledged = int(line)
            step = committed_steps(path, acknowledged + 1)
    n, counts = counted_until(step)
    with closing_store(path) as store:
        assert total(store, tea) == (n, counts)


def counted_until(step: int) -> tuple[int, list[int]]:
    sizes = [1 + one % 50 for one in range(step)]
    counts = [sum(size for one, size in enumerate(sizes) if one % 3 == value) for value in range(3)]
    return sum(sizes), counts


def committed_steps(path: Path, at_least: int) -> int:
    """How many steps are whole in a store: the sum, the ids and the reports agree on it."""
    SqliteStore(path).shut()
    state = state_of(path)
    (step,) = [one for one in (at_least, at_least + 1) if counted_until(one)[0] == state[0]]
    n, counts = counted_until(step)
    assert state == (n, counts, n, n)
    return step
