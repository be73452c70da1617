"""What a process has of a PostgreSQL store: names in memory, and connections that are kept."""

import threading
from collections.abc import Iterator
from unittest.mock import Mock

import pytest

from postgres import Server
from stores import answers, fates, group, held, names, question
from sudare.collector import postgres_names
from sudare.collector.postgres import PostgresStore
from sudare.collector.seen import Seen
from sudare.collector.store import Fate

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.new_database()


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
