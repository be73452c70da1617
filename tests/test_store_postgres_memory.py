"""What a process has of a PostgreSQL store: names in memory, and connections that are kept."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from unittest.mock import Mock, patch

import pytest

from postgres import administrator, wait_for
from stores import answers, fates, group, held, names, question, total
from sudare.collector import postgres as postgres_store
from sudare.collector import postgres_database, postgres_names
from sudare.collector.postgres import PostgresStore
from sudare.collector.postgres_database import Cursor, Database
from sudare.collector.postgres_names import Known, Place
from sudare.collector.seen import Seen
from sudare.collector.store import Fate

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(url)
    yield opened
    opened.shut()


def test_memory_that_ends_while_names_are_read_stops_nobody(
    url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of the names is not waited for, and the window isn't locked for ever."""
    tea = held(store, question())
    own = names(3)
    for one in range(3):
        store.commit([group(tea, answers(0), own[[one]])])
    monkeypatch.setattr(postgres_names, "_BLOCK", 1)
    other = PostgresStore(url)
    raised = []

    def commit() -> None:
        try:
            other.commit([group(tea, answers(0))])
        except MemoryError as error:
            raised.append(error)

    with monkeypatch.context() as full:
        full.setattr(Seen, "_make_room", Mock(side_effect=MemoryError))
        committing = threading.Thread(target=commit, daemon=True)
        committing.start()
        committing.join(30)
    assert len(raised) == 1
    assert fates(store, group(tea, answers(0))) == [[Fate.NEW]]
    assert fates(other, group(tea, answers(0, 0, 0), own)) == [[Fate.REPEATED] * 3]
    other.shut()


def test_others_count_while_many_names_are_read(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a process starts in the middle of a window; whoever waits for a lock fails."""
    monkeypatch.setattr(postgres_store, "_MANY", 2)
    starting, other = (PostgresStore(f"{url}&options=-c%20lock_timeout%3D5s") for _ in range(2))
    tea = held(other, question())
    own = names(9)
    other.commit([group(tea, answers(0, 0, 0), own[:3])])
    follow = Known.follow

    def slowly(known: Known, cursor: Cursor, place: Place) -> None:
        monkeypatch.setattr(Known, "follow", follow)
        follow(known, cursor, place)
        assert fates(other, group(tea, answers(*[0] * 5), own[3:8])) == [[Fate.NEW] * 5]

    monkeypatch.setattr(Known, "follow", slowly)
    assert fates(starting, group(tea, answers(*[0] * 9), own)) == [[Fate.REPEATED] * 8 + [Fate.NEW]]
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
    follow = Known.follow

    def too_late(known: Known, cursor: Cursor, place: Place) -> None:
        store.close(tea.key, 0)
        follow(known, cursor, place)

    monkeypatch.setattr(Known, "follow", too_late)
    assert fates(starting, group(tea, answers(0))) == [[Fate.LATE]]
    assert total(store, tea) == (3, [3, 0, 0])
    starting.shut()


def test_a_look_at_the_store_takes_as_many_statements_for_many_windows(
    store: PostgresStore,
) -> None:
    """A collector looks each second."""
    tea = held(store, question())
    store.standings()
    looked = []
    for window in range(20):
        store.commit([group(tea, answers(0), window=window)])
        with patch.object(Database, "transaction", autospec=True, side_effect=_transaction) as one:
            store.standings()
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
        store.standings()
        assert len(other.execute(old).fetchall()) >= 3
        later = time.monotonic() + postgres_database._LIFE
        monkeypatch.setattr(postgres_database, "monotonic", lambda: later)
        store.standings()
        wait_for(other, f"SELECT 1 WHERE NOT EXISTS ({old})")
        assert other.execute(tables).fetchall()
