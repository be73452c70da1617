"""Connections to a PostgreSQL database: durable, up to date, and made again when one is lost."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from time import monotonic
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from psycopg import errors
from psycopg.conninfo import make_conninfo

from sudare.collector.stores.migrations import POSTGRES, Script, missing_statements
from sudare.collector.stores.postgres.opening import explaining
from sudare.collector.stores.postgres.patience import Patience, Session
from sudare.errors import ParameterError, StoreUnavailable

Cursor = psycopg.Cursor[tuple[Any, ...]]
Result = TypeVar("Result")

_AGAIN = (
    errors.DeadlockDetected,
    errors.SerializationFailure,
    errors.LockNotAvailable,
    # Ended while nothing was said, so before the commit: all of it was taken back.
    errors.IdleInTransactionSessionTimeout,
)
_GONE = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    errors.ReadOnlySqlTransaction,
    errors.IdleInTransactionSessionTimeout,
)
_NAME = "sudare"
_END_SILENT = f"""SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND application_name = '{_NAME}'
    AND state = 'active' AND wait_event = 'ClientRead'
    AND state_change < clock_timestamp() - make_interval(secs => %s)"""  # noqa: S608
"""Ends a session of ours that was stopped inside a COPY, for which the server waits for ever."""
_UPGRADING = 0x53756461  # of advisory locks, ours
_COPYING = _UPGRADING + 1
_WEAK = {"off", "local"}  # a commit that the server, or its standby, may still lose
_ATTEMPTS = 10
_PATIENCE_TO_DROP = "100ms"
_CONNECTIONS = 8
_SENT = (
    "incoming (stamp bigint, names bytea, counts bytea, payload bytea)",
    "offered (stamp bigint, digest bytea)",
)
"""Tables of each connection, for what is no parameter of a statement."""
_LIFE = 3600.0
"""Seconds after which a connection is replaced. As long as its tables are there, the server can't
give up the numbers of transactions since they were made, of which it has two thousand million."""
_COMMITTING = 2  # more, so that readers can't keep reports from being counted


class Database:
    """Connections to one PostgreSQL database, a few at most, each used by one thread at a time."""

    def __init__(self, url: str, patience: Patience | None = None) -> None:
        """Connect to a database, and bring its tables up to date.

        Args:
            url: where it is.
            patience: how long it may take to answer.
        """
        self._url = url
        self._patience = patience or Patience()
        self._places = threading.BoundedSemaphore(_CONNECTIONS)
        self._committing = threading.BoundedSemaphore(_COMMITTING)
        self._idle: list[Session] = []
        self._ends: WeakKeyDictionary[Session, float] = WeakKeyDictionary()
        self._guard = threading.Lock()
        try:
            with explaining(url), self.transaction(long=True) as cursor:
                upgrade(cursor, POSTGRES)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def transaction(self, *, committing: bool = False, long: bool = False) -> Iterator[Cursor]:
        """A cursor inside a transaction: all of it is durable, or nothing.

        Raises ``StoreUnavailable`` where that isn't known: if the connection is lost while the
        server commits, it may be either, and whoever tries again counts nothing twice.

        Args:
            committing: whether it counts reports, for which some connections are kept.
            long: whether it may take longer than a commit.
        """
        places = self._committing if committing else self._places
        patience = self._patience.long if long else self._patience
        with _waiting(places, self._patience.place), _explained():
            connection = self._take()
            connection.reply = patience.reply
            try:
                with connection.transaction(), connection.cursor(binary=True) as cursor:
                    if long:
                        cursor.execute(patience.settings(local=True))
                    yield cursor
            except BaseException:
                if connection.broken or connection.closed:
                    self.close()  # the others are of the same server
                raise
            finally:
                self._give(connection)

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        """A connection that sees what was committed at its first query, while others write."""
        patience = self._patience.long
        with _explained(), closing(_connected(self._url, patience)) as connection:
            # Before the snapshot: a table that is dropped after it is one that it still expects.
            connection.execute("SELECT pg_advisory_lock_shared(%s)", (_COPYING,))
            with connection.transaction():
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield connection

    def dropped(self, table: str) -> bool:
        """Drop a table unless a snapshot or somebody else reads it; whether it was dropped."""
        try:
            with self.transaction() as cursor:
                cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", (_COPYING,))
                if cursor.fetchall() != [(True,)]:
                    return False
                cursor.execute(f"SET LOCAL lock_timeout = '{_PATIENCE_TO_DROP}'")
                cursor.execute(f"DROP TABLE IF EXISTS {table}")
        except StoreUnavailable as error:
            if isinstance(error.__cause__, errors.LockNotAvailable):
                return False
            raise
        return True

    def retried(
        self, work: Callable[[Cursor], Result], *, committing: bool = False, long: bool = False
    ) -> Result:
        """The result of work in a transaction, done again if the server asks for that."""
        for _ in range(_ATTEMPTS):
            try:
                with self.transaction(committing=committing, long=long) as cursor:
                    return work(cursor)
            except StoreUnavailable as error:
                if not isinstance(error.__cause__, _AGAIN):
                    raise
                if isinstance(error.__cause__, errors.LockNotAvailable):
                    self._end_silent()
        raise StoreUnavailable(f"the database was too busy, {_ATTEMPTS} times")

    def _end_silent(self) -> None:
        """End the sessions of collectors that stand still inside a COPY: somebody waits for them.

        All others that stand still in a transaction are ended by the server itself.
        """
        with self.transaction(committing=True) as cursor:
            cursor.execute(_END_SILENT, (self._patience.idle,))

    def close(self) -> None:
        """Close the connections to the database that nobody uses."""
        with self._guard:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> Session:
        self._close_old()
        with self._guard:
            if self._idle:
                return self._idle.pop()
        connection = _connected(self._url, self._patience)
        with self._guard:
            self._ends[connection] = monotonic() + _LIFE
        return connection

    def _close_old(self) -> None:
        with self._guard:
            now = monotonic()
            old = [each for each in self._idle if self._ends[each] < now]
            self._idle = [each for each in self._idle if self._ends[each] >= now]
        for connection in old:
            connection.close()

    def _give(self, connection: Session) -> None:
        if connection.broken or connection.closed:
            connection.close()
            return
        with self._guard:
            self._idle.append(connection)


def _connected(url: str, patience: Patience) -> Session:
    try:
        address = make_conninfo(url, application_name=_NAME, **patience.network)
        connection = Session.connect(address, autocommit=True)
    except psycopg.ProgrammingError:
        raise ParameterError(
            "this is no address of a PostgreSQL database, such as postgresql://USER@HOST/DATABASE"
        ) from None
    connection.reply = patience.reply
    try:
        connection.execute(patience.settings())
        _settle(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _settle(connection: Session) -> None:
    """Durability, checked; and what our statements rely on."""
    for setting in ("fsync", "full_page_writes"):
        if _shown(connection, setting) == "off":
            raise ParameterError(f"the database isn't durable: its {setting} is off")
    # Said here even where it is so: what a session has said is held if the server's own changes.
    wanted = _shown(connection, "synchronous_commit")
    connection.execute(f"SET synchronous_commit = {'on' if wanted in _WEAK else wanted}")
    connection.execute("SET jit = off")  # compiling takes longer than our queries
    connection.execute("SET search_path = sudare, pg_catalog")
    connection.execute("SET default_transaction_isolation = 'read committed'")
    for table in _SENT:  # emptied now and then: at every commit it would cost more than the rest
        connection.execute(f"CREATE TEMPORARY TABLE {table}")


def _shown(connection: Session, setting: str) -> str:
    row = connection.execute(f"SHOW {setting}").fetchone()
    return str(row[0]) if row else ""


def run(cursor: Cursor, query: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
    """The rows of a query whose parameters are question marks."""
    cursor.execute(query.replace("?", "%b"), parameters)
    return cursor.fetchall() if cursor.description else []


def upgrade(cursor: Cursor, scripts: Sequence[Script]) -> None:
    """Bring the tables up to date; of processes that start at once, one does it."""
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_UPGRADING,))
    # Asked by hand: IF NOT EXISTS trusts what this connection knew before it had the lock.
    found = "SELECT 1 FROM pg_tables WHERE schemaname = 'sudare' AND tablename = 'format'"
    if cursor.execute(found).fetchone() is None:
        cursor.execute("CREATE SCHEMA sudare")
        cursor.execute("CREATE TABLE format (version integer NOT NULL)")
    row = cursor.execute("SELECT version FROM format").fetchone()
    statements = missing_statements(row[0] if row else 0, scripts)
    for statement in statements:
        cursor.execute(statement)
    if statements:
        cursor.execute("DELETE FROM format")
        cursor.execute("INSERT INTO format VALUES (%s)", (len(scripts),))


@contextmanager
def _waiting(places: threading.BoundedSemaphore, seconds: float) -> Iterator[None]:
    if not places.acquire(timeout=seconds):
        raise StoreUnavailable(
            f"all connections to the database have been busy for {seconds:g} seconds"
        )
    try:
        yield
    finally:
        places.release()


@contextmanager
def _explained() -> Iterator[None]:
    """PostgreSQL's troubles in a sentence of ours, without its details: they may hold ids."""
    try:
        yield
    except _GONE as error:
        why = error.sqlstate or "no connection"
        raise StoreUnavailable(f"the database takes nothing now ({why})") from error
