"""SQLite under what happens to disks and processes: full, cut, killed, opened twice."""

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

from stores import Rules, answers, fates, group, held, question, total
from sudare.collection import Collection
from sudare.collector import sqlite_database
from sudare.collector.migrations import SQLITE
from sudare.collector.opening import open_store
from sudare.collector.sqlite import SqliteStore
from sudare.collector.store import Fate, Group, Role, Standing, Token
from sudare.errors import InvalidDocument, ParameterError, StoreUnavailable
from sudare.named import names_of

KEPT = Rules(keeps_reports=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def state_of(path: Path) -> tuple[int, list[int], int, int]:
    """How many counted, their sum, how many names and raw reports there are: read by itself."""
    with closing(sqlite3.connect(path)) as connection:
        (sums,) = connection.execute("SELECT n, counts FROM windows").fetchall() or [(0, b"")]
        seen = b"".join(row[0] for row in connection.execute("SELECT names FROM seen"))
        kept = b"".join(row[0] for row in connection.execute("SELECT payload FROM reports"))
    assert len(np.unique(names_of(seen), axis=0)) == len(seen) // 16
    return sums[0], np.frombuffer(sums[1], "<i8").tolist(), len(seen) // 16, len(kept)


# One process


def test_a_second_process_is_refused_and_the_first_goes_on(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        with pytest.raises(ParameterError, match=r"the store store\.db is open already"):
            SqliteStore(path)
        assert fates(store, group(tea, answers(0))) == [[Fate.NEW]]
    SqliteStore(path).shut()


def test_beside_a_collector_one_can_read_and_make_tokens(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question(rules=KEPT))
        store.commit([group(tea, answers(0, 1))])
        beside = open_store(f"sqlite:///{path}", counting=False)
        beside.add_token(Token("anna", b"a" * 32, Role.ADMIN, None, ""))
        assert [token.name for token in store.tokens()] == ["anna"]
        assert [len(some) for some in beside.reports(tea.key)] == [2]
        for change in (
            lambda: beside.commit([group(tea, answers(0))]),
            lambda: beside.close(tea.key, 0),
            lambda: beside.remove(tea.key),
        ):
            with pytest.raises(ParameterError, match="opened beside a collector"):
                change()
        beside.shut()


class closing_store:  # noqa: N801 - used as contextlib's are
    """A store that is let go of at the end."""

    def __init__(self, path: Path) -> None:
        self.store = SqliteStore(path)

    def __enter__(self) -> SqliteStore:
        return self.store

    def __exit__(self, *_: object) -> None:
        self.store.shut()


def test_the_settings_that_make_it_durable_hold(path: Path) -> None:
    with closing_store(path) as store:
        connection = store._database.write
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_names_of_closed_windows_are_gone(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        store.commit([group(tea, answers(0, 1), window=window) for window in (0, 1)])
        store.close(tea.key, 0)
        rows = store._read("SELECT window_number, length(names) FROM seen")
        assert rows == [(1, 32)]


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
        assert all((one == Fate.NEW).all() for one in store.commit(groups))
        assert all((one == Fate.REPEATED).all() for one in store.commit(groups))
    added = sum(len(one.names) for groups in refused for one in groups)
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


def assert_consistent(path: Path, tea: Collection) -> None:
    with closing_store(path) as store:  # which compares names and sums
        for standing in store.windows(tea.key):
            kept = sum(len(some) for some in store.reports(tea.key, standing.window))
            assert kept == standing.n


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB in memory."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(["mount", *options], check=False).returncode:
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def write_without_end(handle: RawIOBase) -> NoReturn:
    while True:
        handle.write(bytes(4096))


def test_a_full_disk_refuses_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    filler = small_disk / "filler"
    with closing_store(small_disk / "store.db") as store:
        tea = held(store, question(rules=KEPT))

        def fill() -> None:
            with filler.open("wb", buffering=0) as handle, pytest.raises(OSError, match="No space"):
                write_without_end(handle)

        fill_and_mend(store, tea, fill, filler.unlink)
    assert_consistent(small_disk / "store.db", tea)


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
        store.add(Standing(tea))
        state = state_of(path)
        assert fates(store, group(tea, answers(0), window=1)) == [[Fate.NEW]]
    return state


COMMITTING = textwrap.dedent("""
    import sys
    from pathlib import Path
    import numpy as np
    from stores import Rules, answers, group, question
    from sudare.collector.sqlite import SqliteStore

    path, first = Path(sys.argv[1]), int(sys.argv[2])
    store = SqliteStore(path)
    tea = question(rules=Rules(keeps_reports=True))
    print("open", flush=True)
    for step in range(first, 1 << 40):
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
    for _ in range(10):
        process = subprocess.Popen(
            [sys.executable, "-c", COMMITTING, str(path), str(step)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        for _ in range(int(rng.integers(1, 40))):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        lines = process.stdout.read().split(b"\n")
        process.wait()
        process.stdout.close()
        step = committed_steps(path, at_least=int(lines[-2]) if len(lines) > 1 else step)
    n, counts = counted_until(step)
    with closing_store(path) as store:
        assert total(store, tea) == (n, counts)


def counted_until(step: int) -> tuple[int, list[int]]:
    sizes = [1 + one % 50 for one in range(step)]
    counts = [sum(size for one, size in enumerate(sizes) if one % 3 == value) for value in range(3)]
    return sum(sizes), counts


def committed_steps(path: Path, at_least: int) -> int:
    """How many steps are whole in a store: the sum, the names and the reports agree on it."""
    SqliteStore(path).shut()
    state = state_of(path)
    step = at_least
    while counted_until(step)[0] < state[0]:
        step += 1
    n, counts = counted_until(step)
    assert state == (n, counts, n, n)
    return step


# Formats


def test_an_older_store_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        store.commit([group(tea, answers(0))])
    later = (*SQLITE, ("ALTER TABLE tokens ADD COLUMN color TEXT", "CREATE TABLE more (a) "))
    monkeypatch.setattr(sqlite_database, "SQLITE", later)
    with closing_store(path) as store:
        assert store._read("SELECT count(*) FROM more") == [(0,)]
        assert total(store, tea) == (1, [1, 0, 0])
    monkeypatch.undo()
    with pytest.raises(ParameterError, match="format 2, this version of Sudare knows up to 1"):
        SqliteStore(path)


def test_an_upgrade_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SqliteStore(path).shut()
    bad = (*SQLITE, ("CREATE TABLE more (a)", "INSERT INTO nowhere VALUES (1)"))
    monkeypatch.setattr(sqlite_database, "SQLITE", bad)
    with pytest.raises(StoreUnavailable):
        SqliteStore(path)
    monkeypatch.undo()
    with closing_store(path) as store:
        assert store._read("SELECT 1 FROM sqlite_schema WHERE name = 'more'") == []


def test_a_file_that_is_no_store_is_refused(path: Path) -> None:
    path.write_bytes(b"something else entirely" * 100)
    with pytest.raises(InvalidDocument, match="is no store"):
        SqliteStore(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE things (a)")
    with pytest.raises(ParameterError, match="no store of a collector"):
        SqliteStore(path)


def test_a_store_whose_names_are_lost_is_refused(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        store.commit([group(tea, answers(0, 1))])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM seen")
    with pytest.raises(InvalidDocument, match="has 2 reports and 0 names"):
        SqliteStore(path)


@pytest.mark.parametrize("url", ["", "mysql://host/db", "sqlite://relative.db", "http://a"])
def test_another_address_is_refused(url: str) -> None:
    with pytest.raises(ParameterError, match="a store is a path"):
        open_store(url)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no folder"):
        open_store(str(tmp_path / "nowhere" / "store.db"))
