"""PostgreSQL with others at work beside a store: backups, administrators, removals, settings."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest

from sudare.collector.stores.contract import ReportFate, Role, State, Token
from sudare.collector.stores.postgres import database as postgres_database
from sudare.collector.stores.postgres import store as postgres_store
from sudare.collector.stores.postgres.patience import Patience
from sudare.collector.stores.postgres.store import PostgresStore
from sudare.errors import ParameterError, StoreUnavailable
from sudare.formats.report_ids import ReportIds
from support.postgres import Server, administrator, wait_for
from support.stores import Rules, answers, digests, fates, group, held, new_ids, question, total

pytestmark = pytest.mark.xdist_group("postgres")

TABLES = "SELECT tablename FROM pg_tables WHERE starts_with(tablename, 'seen') ORDER BY 1"


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    """Whoever waits long for a lock fails, and doesn't hang."""
    opened = PostgresStore(f"{url}&options=-c%20lock_timeout%3D10s")
    yield opened
    opened.shut()


WAITING = """SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'"""


# What the server writes down


LOGGING = {
    "log_statement": "all",
    "log_min_duration_statement": "0",
    "log_parameter_max_length": "-1",
    "log_parameter_max_length_on_error": "-1",
    "log_error_verbosity": "verbose",
}


@contextmanager
def logging(url: str) -> Iterator[None]:
    """For sessions that begin meanwhile: the server writes down whatever it can."""
    with administrator(url) as other:
        name = other.info.dbname
        for setting, value in LOGGING.items():
            other.execute(f"ALTER DATABASE {name} SET {setting} = '{value}'")
        yield
        for setting in LOGGING:
            other.execute(f"ALTER DATABASE {name} RESET {setting}")


def written(own: ReportIds) -> list[str]:
    """Ids as a server would write them."""
    return [each.astype("<u8").tobytes().hex() for each in own]


def test_nothing_of_a_report_reaches_the_servers_log(postgres: Server, url: str) -> None:
    """Also of a server that logs every statement with what was sent along."""
    with logging(url):
        store = PostgresStore(url)
        club = held(store, question("club", Rules(invited=True)))
        tea = held(store, question(rules=Rules(keeps_reports=True)))
        own = new_ids(300)
        both = [
            group(club, answers(0, 1), own[:2], invitations=digests("one", "two")),
            group(tea, answers(*[1] * 298), own[2:]),
        ]
        with administrator(url) as other:  # whose own log is another matter
            other.execute("SET log_statement = none")
            other.execute("SET log_min_duration_statement = -1")
            for row in digests("one", "two"):
                other.execute("INSERT INTO invitations VALUES (1, %b)", (row.tobytes(),))
        for expected in (ReportFate.NEW, ReportFate.REPEATED):
            assert fates(store, *both) == [[expected] * 2, [expected] * 298]
        partly = group(tea, answers(1, 1), np.concatenate([own[2:3], new_ids(1)]))
        assert fates(store, partly) == [[ReportFate.REPEATED, ReportFate.NEW]]
        (shown,) = written(new_ids(1))
        with administrator(url) as other:  # what a log looks like that has one
            other.execute("INSERT INTO seen_2_0 VALUES (9, 9, %b)", (bytes.fromhex(shown),))
        store.shut()
    log = postgres.log
    assert "COPY incoming" in log
    assert f"\\x{shown}" in log
    sums = np.array([0, 298, 0], "<i8").tobytes().hex()
    kept = "01" * 298
    offered = [row.tobytes().hex() for row in digests("one", "two")]
    secret = [*written(own), sums, kept, *offered]
    assert [one for one in secret if one in log] == []


# Backups


def test_a_window_closes_while_a_backup_reads(url: str, store: PostgresStore) -> None:
    tea = held(store, question())
    own = new_ids(3)
    for window in range(3):
        store.commit([group(tea, answers(1), own[[window]], window=window)])
    copying = PostgresStore(url)
    with copying.snapshot() as each:
        assert list(each("SELECT count(*) FROM windows")) == [(3,)]
        store.close(tea.key, 0)  # of which nothing is read yet
        found = copying.snapshot_ids(each)
        first = next(found)
        store.close(tea.key, 1)
        assert fates(store, group(tea, answers(0), own[:1], window=1)) == [[ReportFate.LATE]]
        assert fates(store, group(tea, answers(0), own[:1], window=2)) == [[ReportFate.NEW]]
        store.held_collections()
        assert len(store._read(TABLES)) == 3
        assert sorted([first, *found]) == [
            (1, window, own[window].astype("<u8").tobytes()) for window in range(3)
        ]
    with copying.snapshot() as each:  # closed, and not dropped yet
        assert [window for _, window, _ in copying.snapshot_ids(each)] == [2]
    copying.shut()
    with administrator(url) as other:
        held_locks = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory'"
        wait_for(other, f"SELECT 1 WHERE NOT EXISTS ({held_locks})")  # that it is gone was noticed
    store.held_collections()
    assert store._read(TABLES) == [("seen_1_2",)]


def test_whoever_reads_names_keeps_nobody_from_closing(url: str, store: PostgresStore) -> None:
    """As pg_dump does, which knows nothing of our locks; the next process tidies up too."""
    tea = held(store, question())
    store.commit([group(tea, answers(1))])
    with administrator(url) as other:
        with other.transaction():
            other.execute("SELECT count(*) FROM seen_1_0")
            store.close(tea.key, 0)
            assert fates(store, group(tea, answers(1))) == [[ReportFate.LATE]]
            assert fates(store, group(tea, answers(1), window=1)) == [[ReportFate.NEW]]
            assert len(store._read(TABLES)) == 2
        later = PostgresStore(url)
        later.held_collections()
        assert store._read(TABLES) == [("seen_1_1",)]
        later.change(tea.key, state=State.CLOSED)
        assert store._read(TABLES) == []
        later.shut()


# Locks


def test_release_and_close_lock_in_one_order(url: str, store: PostgresStore) -> None:
    """Step by step as ``close`` does it: the collection's row, then that of the window."""
    tea = held(store, question())
    store.commit([group(tea, answers(0, 1))])
    with ThreadPoolExecutor(1) as pool, administrator(url) as other, administrator(url) as watching:
        with other.transaction():
            other.execute("SELECT 1 FROM collections FOR UPDATE")
            released = pool.submit(store.release, tea.key, 0)
            wait_for(watching, WAITING)
            other.execute("SELECT 1 FROM windows FOR UPDATE NOWAIT")
        shown = released.result()
    assert shown is not None
    assert shown.aggregate.counts.tolist() == [1, 1, 0]


def test_release_against_close_from_threads(postgres: Server, store: PostgresStore) -> None:
    tea = held(store, question())
    before = postgres.log.count("deadlock detected")
    with ThreadPoolExecutor(2) as pool:
        for window in range(20):
            store.commit([group(tea, answers(0, 1), window=window)])
            start = threading.Barrier(2)

            def release(window: int, start: threading.Barrier) -> None:
                start.wait(30)
                store.release(tea.key, window)

            def close(window: int, start: threading.Barrier) -> None:
                start.wait(30)
                store.close(tea.key, window)

            for running in [pool.submit(work, window, start) for work in (release, close)]:
                running.result()
            assert total(store, tea, window) == (2, [1, 1, 0])
    assert postgres.log.count("deadlock detected") == before


CHANGES: dict[str, Callable[[PostgresStore, str], object]] = {
    "close": lambda store, key: store.close(key, 0),
    "release": lambda store, key: store.release(key, 0),
    "invite": lambda store, key: store.invite(key, [bytes(32)]),
    "candidates": lambda store, key: store.keep_candidates(key, ["tea"]),
    "change": lambda store, key: store.change(key, public=True),
    "remove": lambda store, key: store.remove(key),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_removed_meanwhile_is_unknown(
    url: str, store: PostgresStore, change: Callable[[PostgresStore, str], object]
) -> None:
    tea = held(store, question())
    store.commit([group(tea, answers(0, 1))])
    with ThreadPoolExecutor(1) as pool, administrator(url) as other, administrator(url) as watching:
        with other.transaction():
            other.execute("DELETE FROM collections")
            changing: Future[object] = pool.submit(change, store, tea.key)
            wait_for(watching, WAITING)
        with pytest.raises(ParameterError, match=r"no collection|just been removed"):
            changing.result()


def test_two_collectors_revoke_one_after_the_other(url: str, store: PostgresStore) -> None:
    """So that of two administrators who revoke each other, one stays."""
    for name in ("anna", "bert"):
        store.add_token(Token(name, name.encode() * 8, Role.ADMIN, None, ""))
    seen: list[list[str]] = []
    with ExitStack() as stack:
        second = PostgresStore(url)
        stack.callback(second.shut)
        threads = stack.enter_context(ThreadPoolExecutor(1))
        other = stack.enter_context(administrator(url))
        waiting: list[Future[bool]] = []

        def then(held: list[Token]) -> None:
            seen.append([one.name for one in held])

        def first(held: list[Token]) -> None:
            then(held)
            waiting.append(threads.submit(second.revoke, "bert", then))
            wait_for(other, WAITING)

        assert store.revoke("anna", first)
        assert waiting[0].result()
    assert seen == [["anna", "bert"], ["bert"]]


# Connections


def test_what_a_session_says_of_durability_holds(url: str, store: PostgresStore) -> None:
    """An administrator's setting of the whole server reaches sessions that are open."""
    assert store._read("SHOW synchronous_commit") == [("on",)]
    with administrator(url) as other:
        try:
            other.execute("ALTER SYSTEM SET synchronous_commit = off")
            other.execute("SELECT pg_reload_conf()")
            off = "SELECT 1 WHERE current_setting('synchronous_commit') = 'off'"
            wait_for(other, off)
            for _ in range(20):  # the server tells its sessions one after the other
                assert store._read("SHOW synchronous_commit") == [("on",)]
                time.sleep(0.01)
        finally:
            other.execute("ALTER SYSTEM RESET synchronous_commit")
            other.execute("SELECT pg_reload_conf()")
            wait_for(other, off.replace("off", "on"))


def test_readers_are_bounded_and_leave_room_to_count(
    url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = held(store, question())
    most = postgres_database._CONNECTIONS + postgres_database._COMMITTING
    with ThreadPoolExecutor(30) as pool, administrator(url) as other:
        for _ in pool.map(lambda _: store.windows(tea.key), range(120)):
            pass
        (open_now,) = other.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sudare'"
        )
        assert 1 <= int(str(open_now[0])) <= most
    monkeypatch.setattr(store._database, "_patience", Patience(place=0.01))
    with ExitStack() as reading:
        for _ in range(postgres_database._CONNECTIONS):
            reading.enter_context(store._database.transaction())
        assert fates(store, group(tea, answers(1))) == [[ReportFate.NEW]]
        with pytest.raises(StoreUnavailable, match=r"busy for 0\.01 seconds"):
            store.windows(tea.key)
    assert total(store, tea) == (1, [0, 1, 0])


def test_many_invitations_take_few_statements(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = held(store, question("club", Rules(invited=True)))
    given = [number.to_bytes(32) for number in range(2500)]
    statements = []
    run = postgres_database.run

    def counting(cursor: object, query: str, parameters: object) -> object:
        statements.append(query)
        return run(cursor, query, parameters)  # type: ignore[arg-type]

    monkeypatch.setattr(postgres_store, "run", counting)
    store.invite(club.key, given + given[:10])
    assert len(statements) == 4  # one of them finds the collection
    store.invite(club.key, given[:1])
    assert store._read("SELECT count(*) FROM invitations") == [(2500,)]
