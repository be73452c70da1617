"""What a process has of a PostgreSQL store: ids in memory, and connections that are kept."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from unittest.mock import Mock, patch

import pytest

from sudare.collector.stores.contract import ReportFate
from sudare.collector.stores.id_set import IdSet
from sudare.collector.stores.postgres import database as postgres_database
from sudare.collector.stores.postgres import report_ids as postgres_ids
from sudare.collector.stores.postgres import store as postgres_store
from sudare.collector.stores.postgres.database import Cursor, Database
from sudare.collector.stores.postgres.report_ids import Place, WindowIds
from sudare.collector.stores.postgres.store import PostgresStore
from support.postgres import administrator, wait_for
from support.stores import answers, fates, group, held, new_ids, question, total

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(url)
    yield opened
    opened.shut()


def test_memory_that_ends_while_names_are_read_stops_nobody(
    url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of the ids is not waited for, and the window isn't locked for ever."""
    tea = held(store, question())
    own = new_ids(3)
    for one in range(3):
        store.commit([group(tea, answers(0), own[[one]])])
    monkeypatch.setattr(postgres_ids, "_BLOCK", 1)
    other = PostgresStore(url)
    raised = []

    def commit() -> None:
        try:
            other.commit([group(tea, answers(0))])
        except MemoryError as error:
            raised.append(error)

    with monkeypatch.context() as full:
        full.setattr(IdSet, "_make_room", Mock(side_effect=MemoryError))
        committing = threading.Thread(target=commit, daemon=True)
        committing.start()
        committing.join(30)
    assert len(raised) == 1
    assert fates(store, group(tea, answers(0))) == [[ReportFate.NEW]]
    assert fates(other, group(tea, answers(0, 0, 0), own)) == [[ReportFate.REPEATED] * 3]
    other.shut()


def test_others_count_while_many_names_are_read(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a process starts in the middle of a window; whoever waits for a lock fails."""
    monkeypatch.setattr(postgres_store, "_MANY", 2)
    starting, other = (PostgresStore(f"{url}&options=-c%20lock_timeout%3D5s") for _ in range(2))
    tea = held(other, question())
    own = new_ids(9)
    other.commit([group(tea, answers(0, 0, 0), own[:3])])
    follow = WindowIds.follow

    def slowly(known: WindowIds, cursor: Cursor, place: Place) -> None:
        monkeypatch.setattr(WindowIds, "follow", follow)
        follow(known, cursor, place)
        assert fates(other, group(tea, answers(*[0] * 5), own[3:8])) == [[ReportFate.NEW] * 5]

    monkeypatch.setattr(WindowIds, "follow", slowly)
    assert fates(starting, group(tea, answers(*[0] * 9), own)) == [
        [ReportFate.REPEATED] * 8 + [ReportFate.NEW]
    ]
    assert total(other, tea) == (9, [9, 0, 0])
    starting.shut()
    other.shut()


def test_a_window_that_closes_while_its_names_are_read_takes_nothing(
    url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_store, "_MANY", 2)
    tea = held(store, question())
    store.commit([group(tea, answers(0, 0, 0))])
    starting = PostgresStore(url)
    follow = WindowIds.follow

    def too_late(known: WindowIds, cursor: Cursor, place: Place) -> None:
        store.close(tea.key, 0)
        follow(known, cursor, place)

    monkeypatch.setattr(WindowIds, "follow", too_late)
    assert fates(starting, group(tea, answers(0))) == [[ReportFate.LATE]]
    assert total(store, tea) == (3, [3, 0, 0])
    starting.shut()


def test_a_look_at_the_store_takes_as_many_statements_for_many_windows(
    store: PostgresStore,
) -> None:
    """A collector looks each second."""
    tea = held(store, question())
    store.held_collections()
    looked = []
    for window in range(20):
        store.commit([group(tea, answers(0), window=window)])
        with patch.object(Database, "transaction", autospec=True, side_effect=_transaction) as one:
            store.held_collections()
        looked.append(one.call_count)
    assert len(store._known) == 20
    assert looked == [looked[0]] * 20


_transaction = Database.transaction


def test_connections_are_replaced_before_the_server_lacks_numbers(
    url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that nobody uses: their temporary tables are as old as they are."""
    tables = "SELECT 1 FROM pg_class WHERE relpersistence = 't' AND relkind IN ('r', 't')"
    old = f"{tables} AND age(relfrozenxid) >= 100"
    with ExitStack() as reading:
        for _ in range(3):
            reading.enter_context(store._database.transaction())
    with administrator(url) as other:
        for _ in range(100):
            other.execute("SELECT pg_current_xact_id()")
        store.held_collections()
        assert len(other.execute(old).fetchall()) >= 3
        later = time.monotonic() + postgres_database._LIFE
        monkeypatch.setattr(postgres_database, "monotonic", lambda: later)
        store.held_collections()
        wait_for(other, f"SELECT 1 WHERE NOT EXISTS ({old})")
        assert other.execute(tables).fetchall()
