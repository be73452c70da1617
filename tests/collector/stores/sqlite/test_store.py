"""SQLite in one process: opened twice, memory and disk that differ, and formats."""

import os
import resource
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from sudare.collector.stores.contract import Group, ReportFate, Role, State, Token
from sudare.collector.stores.counting import digests_of
from sudare.collector.stores.kept_reports import kept_reports, some_within
from sudare.collector.stores.migrations import SQLITE
from sudare.collector.stores.open import open_store
from sudare.collector.stores.sqlite import database as sqlite_database
from sudare.collector.stores.sqlite import store as sqlite
from sudare.collector.stores.sqlite.store import SqliteStore
from sudare.collector.stores.tables import Rows
from sudare.errors import InvalidDocument, ParameterError, StoreUnavailable
from support.sqlite_stores import KEPT, assert_consistent, closing_store
from support.stores import Rules, answers, digests, fates, group, held, question, total


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


# One process


def test_a_second_process_is_refused_and_the_first_goes_on(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        with pytest.raises(ParameterError, match=r"the store store\.db is open already"):
            SqliteStore(path)
        assert fates(store, group(tea, answers(0))) == [[ReportFate.NEW]]
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


def test_the_settings_that_make_it_durable_hold(path: Path) -> None:
    with closing_store(path) as store:
        connection = store._database.write
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert connection.execute("PRAGMA temp_store").fetchone() == (2,)  # in memory
        assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (4096,)  # pages
        assert connection.execute("PRAGMA journal_size_limit").fetchone() == (4096 * 4096,)


def test_whoever_reads_changes_nothing(path: Path) -> None:
    with closing_store(path) as store:
        with pytest.raises(StoreUnavailable, match="readonly"):
            store._read("UPDATE checks SET number = 7")
        assert store._read("SELECT number FROM checks") == [(0,)]


def test_a_file_system_without_a_log_holds_no_store(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As SQLite leaves a setting that it can't follow, without a word."""
    for name, weak in (("journal_mode = wal", "delete"), ("synchronous = full", "normal")):

        class Weak(sqlite3.Connection):
            def execute(
                self, query: str, *values: Any, asked: str = name, given: str = weak
            ) -> sqlite3.Cursor:
                wanted = asked.rpartition(" ")[2]
                return super().execute(
                    query.replace(wanted, given) if asked in query else query, *values
                )

        with monkeypatch.context() as patch:
            patch.setattr(
                "sudare.collector.stores.sqlite.database.sqlite3.connect",
                partial(sqlite3.connect, factory=Weak),
            )
            with pytest.raises(ParameterError, match="SQLite has no log there"):
                SqliteStore(path)


def test_names_of_closed_windows_are_gone(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        store.commit([group(tea, answers(0, 1), window=window) for window in (0, 1)])
        store.close(tea.key, 0)
        rows = store._read("SELECT window_number, length(names) FROM seen")
        assert rows == [(1, 32)]


@pytest.mark.parametrize("restarted", [False, True])
def test_names_are_forgotten_in_slices_and_after_a_crash_too(
    path: Path, monkeypatch: pytest.MonkeyPatch, restarted: bool
) -> None:
    """One row or 40 bytes at a time; a window is closed before its ids are gone."""
    monkeypatch.setattr(sqlite, "_FORGOTTEN_ROWS", 3)
    monkeypatch.setattr(sqlite, "_FORGOTTEN_BYTES", 40)
    with closing_store(path) as store:
        tea, done = held(store, question()), held(store, question("done"))
        for size in (1, 1, 1, 2, 3, 1):
            some = [(tea, 0), (tea, 1), (done, 0)]
            store.commit([group(one, answers(*[0] * size), window=at) for one, at in some])
        began = store._database.write.total_changes
        steps: list[int] = []

        def breathe(_: float) -> None:
            steps.append(store._database.write.total_changes - began)
            assert fates(store, group(tea, answers(0))) == [[ReportFate.LATE]]
            assert fates(store, group(tea, answers(0), window=1)) == [[ReportFate.NEW]]
            with store.snapshot() as each:  # of which a backup is made
                assert (1, 0) not in {place[:2] for place in store.snapshot_ids(each)}
            if restarted:
                raise StoreUnavailable("the power is gone")

        monkeypatch.setattr(time, "sleep", breathe)
        if restarted:
            with pytest.raises(StoreUnavailable, match="power"):
                store.close(tea.key, 0)
        else:
            store.close(tea.key, 0)
            assert len(steps) > 3
        monkeypatch.setattr(time, "sleep", lambda _: None)
        store.change(done.key, state=State.CLOSED)
    with closing_store(path) as store:
        assert store._read("SELECT DISTINCT collection, window_number FROM seen") == [(1, 1)]


def test_a_log_that_grew_is_cut(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        own = np.random.default_rng(1).integers(0, 1 << 63, (1_200_000, 2)).astype(np.uint64)
        store.commit([Group(tea, 0, own, np.zeros(len(own), tea.report_dtype))])
        log = Path(f"{path}-wal")
        assert log.stat().st_size > 18 << 20
        for _ in range(2):  # the first copies the log, the second starts it anew
            store.commit([group(tea, answers(0))])
        assert log.stat().st_size <= 16 << 20


def test_a_commit_makes_no_other_file(path: Path) -> None:
    """SQLite would copy pages into one, in whatever folder is for temporary files."""
    draw = np.random.default_rng(1)
    with closing_store(path) as store:
        tea = held(store, question(rules=KEPT))
        for first in range(0, 9, 3):
            groups = [
                Group(
                    tea,
                    window,
                    draw.integers(0, 1 << 63, (100_000, 2)).astype(np.uint64),
                    np.zeros(100_000, tea.report_dtype),
                )
                for window in range(first, first + 3)
            ]
            # What the first one imports is another matter.
            with no_more_files() if first else nullcontext():
                assert not np.concatenate(store.commit(groups)).any()
            store.close(tea.key, first)  # whose pages are used again


@contextmanager
def no_more_files() -> Iterator[None]:
    """Whoever opens a file meanwhile fails."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, limits[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            os.dup(0)
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


# Memory and disk


def test_what_another_program_changed_is_never_overwritten(path: Path) -> None:
    """Two that count in one file, because somebody deleted the lock."""
    with closing_store(path) as store:
        tea = held(store, question(rules=KEPT))
        Path(f"{path}.lock").unlink()
        with closing_store(path) as other:
            mine, theirs = group(tea, answers(0)), group(tea, answers(1, 1, 1))
            assert fates(store, mine) == [[ReportFate.NEW]]
            with pytest.raises(StoreUnavailable, match="changed by another program: read anew"):
                other.commit([theirs])
            assert fates(other, theirs, mine) == [[ReportFate.NEW] * 3, [ReportFate.REPEATED]]
            with pytest.raises(StoreUnavailable, match="changed by another program"):
                store.commit([group(tea, answers(2))])
            assert fates(store, theirs) == [[ReportFate.REPEATED] * 3]
            other.close(tea.key, 1)
            late = group(tea, answers(2), window=1)
            with pytest.raises(StoreUnavailable, match="changed by another program"):
                store.commit([late])
            assert fates(store, late) == [[ReportFate.LATE]]
            store.change(tea.key, state=State.PAUSED)
            shut = group(tea, answers(2), window=2)
            with pytest.raises(StoreUnavailable, match="changed by another program"):
                other.commit([shut])
            assert fates(other, shut) == [[ReportFate.SHUT]]
        coffee = held(store, question("coffee"))
        with closing(sqlite3.connect(path, isolation_level=None)) as program:
            program.execute("PRAGMA foreign_keys = on")
            program.execute("DELETE FROM collections WHERE key = ?", (coffee.key,))
        with pytest.raises(StoreUnavailable, match="changed by another program"):
            store.commit([group(coffee, answers(2))])
        assert fates(store, group(coffee, answers(2))) == [[ReportFate.SHUT]]
    with closing_store(path) as store:
        assert total(store, tea) == (4, [1, 3, 0])
        assert sum(map(len, store.reports(tea.key))) == 4


def test_a_commit_that_was_durable_though_it_failed_counts_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk has it, and memory not: as where the answer of COMMIT is lost."""
    with closing_store(path) as store:
        tea = held(store, question(rules=KEPT))
        store.commit([group(tea, answers(0))])
        sent = group(tea, answers(1, 1))
        transaction = store._database.transaction

        @contextmanager
        def losing(*, single: bool = False) -> Iterator[sqlite3.Connection]:
            with transaction(single=single) as connection:
                yield connection
            raise StoreUnavailable("the answer is lost")

        monkeypatch.setattr(store._database, "transaction", losing)
        with pytest.raises(StoreUnavailable, match="lost"):
            store.commit([sent])
        monkeypatch.undo()
        with pytest.raises(StoreUnavailable, match="read anew"):
            store.commit([group(tea, answers(2))])
        assert fates(store, sent) == [[ReportFate.REPEATED] * 2]
        assert fates(store, group(tea, answers(2))) == [[ReportFate.NEW]]
        assert total(store, tea) == (4, [1, 2, 1])
    assert_consistent(path, tea)


@pytest.mark.parametrize("step", ["allowed_fates", "counted", "part_fates", "_write"])
def test_names_of_what_failed_count_later(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Memory ends at the second group, wherever that is."""
    owner = SqliteStore if step == "_write" else sqlite
    calls = iter([getattr(owner, step)] if step != "part_fates" else [])

    def failing(*given: object) -> object:
        for call in calls:
            return call(*given)
        raise MemoryError

    with closing_store(path) as store:
        tea = held(store, question(rules=KEPT))
        first = group(tea, answers(0))
        store.commit([first, group(tea, answers(0), window=1)])
        sent = [group(tea, answers(1, 2), window=window) for window in (0, 1)]
        monkeypatch.setattr(owner, step, failing)
        with pytest.raises(MemoryError):
            store.commit(sent)
        monkeypatch.undo()
        assert fates(store, first) == [[ReportFate.REPEATED]]
        assert fates(store, *sent) == [[ReportFate.NEW] * 2] * 2
    assert_consistent(path, tea)


def test_a_collection_is_closed_in_memory_as_on_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if nothing can be read any more when that is durable."""
    with closing_store(path) as store:
        tea = held(store, question())
        store.commit([group(tea, answers(0))])
        transaction = store._database.transaction

        def unreadable(*_: object) -> NoReturn:
            raise StoreUnavailable("too many open files")

        @contextmanager
        def then_unreadable() -> Iterator[sqlite3.Connection]:
            with transaction() as connection:
                yield connection
            monkeypatch.setattr(store._database, "read", unreadable)

        monkeypatch.setattr(store._database, "transaction", then_unreadable)
        with pytest.raises(StoreUnavailable, match="too many"):
            store.change(tea.key, state=State.CLOSED)
        monkeypatch.undo()
        assert store.held_collections()[0].state is State.CLOSED
        assert fates(store, group(tea, answers(0))) == [[ReportFate.SHUT]]
    with closing_store(path) as store:
        assert store._read("SELECT * FROM seen") == []


def test_threads_that_read_leave_no_connections(path: Path) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        store.commit([group(tea, answers(0))])
        barrier = threading.Barrier(20)

        def read(_: int) -> None:
            with store._database.reading():  # all at the same time
                barrier.wait()
            store.windows(tea.key)

        for _ in range(3):
            with ThreadPoolExecutor(20) as pool:
                list(pool.map(read, range(20)))
        # SQLite keeps the descriptors of closed connections for the next, as long as one is open.
        files = [one.resolve() for one in Path("/proc/self/fd").iterdir()]
        assert files.count(path.resolve()) <= 21
        assert len(store._database._idle) <= 8
    files = [one.resolve() for one in Path("/proc/self/fd").iterdir()]
    assert path.resolve() not in files
    with pytest.raises(StoreUnavailable, match="is closed"):
        store.windows(tea.key)


def test_many_who_are_invited_cost_each_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hashes of a commit are made once, and asked for together."""
    asked: list[str] = []
    with closing_store(path) as store:
        club = held(store, question(rules=Rules(invited=True)))
        invited = digests(*map(str, range(500)))
        store.invite(club.key, [row.tobytes() for row in invited[:400]])
        sent = group(club, answers(*[0] * 500), invitations=invited)
        read = store._read

        def counting(query: str, parameters: Sequence[object] = ()) -> Rows:
            asked.append(query)
            return read(query, parameters)

        monkeypatch.setattr(store, "_read", counting)
        made = Counter[str]()

        def digests_made(some: Group) -> list[bytes]:
            made["calls"] += 1
            return digests_of(some)

        monkeypatch.setattr(sqlite, "digests_of", digests_made)
        assert fates(store, sent) == [[ReportFate.NEW] * 400 + [ReportFate.UNINVITED] * 100]
        assert (len(asked), made["calls"]) == (1, 2)
        monkeypatch.setattr(sqlite, "_ASKED", 64)
        assert fates(store, sent) == [[ReportFate.REPEATED] * 400 + [ReportFate.UNINVITED] * 100]
        assert len(asked) == 1 + 8


def test_kept_reports_are_found_without_searching(path: Path) -> None:
    """Many groups at a time, each window's by its index."""
    with closing_store(path) as store:
        tea = held(store, question(rules=KEPT))
        for step in range(60):
            store.commit([group(tea, answers(0), window=step % 2)])
        plans: list[str] = []
        asked = 0

        def explained(query: str, parameters: Sequence[object]) -> Rows:
            nonlocal asked
            asked += 1
            plans.extend(row[3] for row in store._read(f"EXPLAIN QUERY PLAN {query}", parameters))
            return store._read(query, parameters)

        assert len(list(kept_reports(explained, 1, None))) == 60
        assert asked == 1 + 2 * 3
        assert {plan.partition(" (")[0].replace("COVERING ", "") for plan in plans} == {
            "SEARCH reports USING INDEX reports_windows"
        }
        assert "(collection=? AND window_number=? AND rowid>? AND rowid<?)" in plans[-1]


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


def test_nobody_may_count_while_tables_are_changed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor may they be changed beside a collector."""
    SqliteStore(path).shut()
    monkeypatch.setattr(sqlite_database, "SQLITE", (*SQLITE, ("CREATE TABLE more (a)",)))
    upgrade = sqlite_database.upgrade
    met = []

    def meanwhile(connection: sqlite3.Connection, scripts: Sequence[Sequence[str]]) -> None:
        with pytest.raises(ParameterError, match="open already"):
            SqliteStore(path)
        met.append(True)
        upgrade(connection, scripts)

    monkeypatch.setattr(sqlite_database, "upgrade", meanwhile)
    open_store(str(path), counting=False).shut()
    assert met
    monkeypatch.undo()
    monkeypatch.setattr(sqlite_database, "SQLITE", (*SQLITE, ("CREATE TABLE more (a)",)))
    with closing_store(path):
        monkeypatch.setattr(sqlite_database, "SQLITE", (*SQLITE, (), ()))
        with pytest.raises(ParameterError, match="open already"):
            open_store(str(path), counting=False)


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
    with pytest.raises(InvalidDocument, match="has 2 reports and 0 ids"):
        SqliteStore(path)


@pytest.mark.parametrize("url", ["", "mysql://host/db", "sqlite://relative.db", "http://a"])
def test_another_address_is_refused(url: str) -> None:
    with pytest.raises(ParameterError, match="a store is a path"):
        open_store(url)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no folder"):
        open_store(str(tmp_path / "nowhere" / "store.db"))


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_no_longer_there_takes_nothing(path: Path, *, replaced: bool) -> None:
    with closing_store(path) as store:
        tea = held(store, question())
        kept = path.rename(path.with_name("elsewhere"))
        if replaced:
            path.write_bytes(b"")
        with pytest.raises(StoreUnavailable, match="was deleted or replaced"):
            store.commit([group(tea, answers(1))])
        kept.replace(path)
        assert fates(store, group(tea, answers(1))) == [[ReportFate.NEW]]


def test_only_its_owner_reads_a_store(path: Path) -> None:
    with closing_store(path) as store:
        held(store, question())
        for file in (path, path.with_name(f"{path.name}-wal")):
            assert file.stat().st_mode & 0o777 == 0o600


def test_an_upgrade_that_fails_is_taken_back(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            sqlite_database.upgrade(connection, [("CREATE TABLE one (id)", "no statement")])
        assert not connection.in_transaction
        assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)


@pytest.mark.parametrize(
    ("sizes", "some"), [([5], 1), ([1, 3], 2), ([1, 4], 1), ([2, 2, 1], 2), ([4, 1], 1)]
)
def test_as_many_rows_are_taken_together_as_fit(sizes: list[int], some: int) -> None:
    assert some_within(sizes, 4) == some
