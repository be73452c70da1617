"""A store in PostgreSQL that breaks on purpose: its connections end at any statement."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import psycopg

from sudare.collector.stores.contract import Store
from sudare.collector.stores.open import open_store
from sudare.collector.stores.postgres.patience import Patience, Session
from sudare.collector.stores.postgres.store import PostgresStore
from support.fault_stores import Place, Trap
from support.postgres import end_connections


class PostgresPlace(Place):
    """A database, emptied first if that is wanted; a crash, or a failure, ends every connection."""

    statements = 10

    def __init__(self, url: str, patience: Patience | None = None, *, emptied: bool = True) -> None:
        self._url = url
        self._patience = patience
        if emptied:
            self._empty()

    def _empty(self) -> None:
        store = open_store(self._url)
        for held in store.held_collections():
            store.remove(held.collection.key)
        store.shut()

    def open(self) -> Store:
        place = self

        class Watched(psycopg.Cursor[Any]):
            def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
                with place._watched(last=False):
                    return super().execute(query, params, **options)

            def stream(self, query: Any, params: Any = None, **options: Any) -> Any:
                with place._watched(last=False):
                    yield from super().stream(query, params, **options)

            @contextmanager
            def copy(self, statement: Any, params: Any = None, **options: Any) -> Iterator[Any]:
                with place._watched(last=False), super().copy(statement, params, **options) as copy:
                    yield copy

        class Trapped(Session):
            @contextmanager
            def transaction(self, *arguments: Any, **options: Any) -> Iterator[Any]:
                place._at = -1
                manager = super().transaction(*arguments, **options)
                within = manager.__enter__()
                try:
                    yield within
                except BaseException as error:
                    manager.__exit__(type(error), error, error.__traceback__)
                    raise
                with place._watched(last=True):
                    manager.__exit__(None, None, None)

            @classmethod
            def connect(cls, conninfo: str = "", **options: Any) -> Any:
                return super().connect(conninfo, **options, cursor_factory=Watched)

        self._patched = patch("sudare.collector.stores.postgres.database.Session", Trapped)
        self._patched.start()
        return PostgresStore(self._url, self._patience)

    def crash(self, store: Store) -> None:
        self.crashed = False
        end_connections(self._url)
        self._patched.stop()
        store.shut()

    def shut(self, store: Store) -> None:
        self._patched.stop()
        store.shut()

    def _break(self, trap: Trap, *, whole: bool) -> None:
        end_connections(self._url)
        if whole and trap.kind == "fail":
            raise psycopg.OperationalError("the connection was lost at the commit")
