"""Connections to a PostgreSQL database: durable, up to date, and made again when one is lost."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg import errors

from sudare.collector.migrations import POSTGRES, Script, missing_statements
from sudare.errors import ParameterError, StoreUnavailable

Connection = psycopg.Connection[tuple[Any, ...]]
Cursor = psycopg.Cursor[tuple[Any, ...]]
Result = TypeVar("Result")

_AGAIN = (errors.DeadlockDetected, errors.SerializationFailure)
_GONE = (psycopg.OperationalError, psycopg.InterfaceError, errors.ReadOnlySqlTransaction)
_UPGRADING = 0x53756461  # of advisory locks, ours
_ATTEMPTS = 10
_PATIENCE = 10  # seconds, for a server that doesn't answer


class Database:
    """Connections to one database, each used by one thread at a time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[Connection] = []
        self._guard = threading.Lock()
        with self.transaction() as cursor:
            upgrade(cursor, POSTGRES)

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        """A cursor inside a transaction: all of it is durable, or nothing.

        Raises ``StoreUnavailable`` where that isn't known: if the connection is lost while the
        server commits, it may be either, and whoever tries again counts nothing twice.
        """
        with _explained():
            connection = self._take()
            try:
                with connection.transaction(), connection.cursor(binary=True) as cursor:
                    yield cursor
            except BaseException:
                if connection.broken or connection.closed:
                    self.close()  # the others are of the same server
                raise
            finally:
                self._give(connection)

    def retried(self, work: Callable[[Cursor], Result]) -> Result:
        """Work in a transaction, again if the server asks for that."""
        for _ in range(_ATTEMPTS):
            try:
                with self.transaction() as cursor:
                    return work(cursor)
            except StoreUnavailable as error:
                if not isinstance(error.__cause__, _AGAIN):
                    raise
        raise StoreUnavailable(f"the database was too busy, {_ATTEMPTS} times")

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._guard:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> Connection:
        with self._guard:
            if self._idle:
                return self._idle.pop()
        return _connected(self._url)

    def _give(self, connection: Connection) -> None:
        if connection.broken or connection.closed:
            connection.close()
            return
        with self._guard:
            self._idle.append(connection)


def _connected(url: str) -> Connection:
    try:
        connection: Connection = psycopg.connect(
            url, autocommit=True, connect_timeout=_PATIENCE, application_name="sudare"
        )
    except psycopg.ProgrammingError:
        raise ParameterError("this is no address of a PostgreSQL database") from None
    for setting, weak in (("fsync", ("off",)), ("full_page_writes", ("off",))):
        if _shown(connection, setting) in weak:
            connection.close()
            raise ParameterError(f"the database isn't durable: its {setting} is off")
    if _shown(connection, "synchronous_commit") in {"off", "local"}:
        connection.execute("SET synchronous_commit = on")
    connection.execute("SET search_path = sudare, pg_catalog")
    connection.execute("SET default_transaction_isolation = 'read committed'")
    connection.execute(
        "CREATE TEMPORARY TABLE incoming (place integer, name uuid) ON COMMIT DELETE ROWS"
    )
    return connection


def _shown(connection: Connection, setting: str) -> str:
    row = connection.execute(f"SHOW {setting}").fetchone()
    return str(row[0]) if row else ""


def upgrade(cursor: Cursor, scripts: Sequence[Script]) -> None:
    """Bring the tables up to date; of processes that start at once, one does it."""
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_UPGRADING,))
    cursor.execute("CREATE SCHEMA IF NOT EXISTS sudare")
    cursor.execute("CREATE TABLE IF NOT EXISTS format (version integer NOT NULL)")
    row = cursor.execute("SELECT version FROM format").fetchone()
    statements = missing_statements(row[0] if row else 0, scripts)
    for statement in statements:
        cursor.execute(statement)
    if statements:
        cursor.execute("DELETE FROM format")
        cursor.execute("INSERT INTO format VALUES (%s)", (len(scripts),))


@contextmanager
def _explained() -> Iterator[None]:
    """PostgreSQL's troubles in a sentence of ours, without its details: they may hold names."""
    try:
        yield
    except _GONE as error:
        why = error.sqlstate or "no connection"
        raise StoreUnavailable(f"the database takes nothing now ({why})") from error
