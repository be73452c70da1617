"""A SQLite file as a store needs it: durable, written by one process, read by any thread."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sudare.collector.migrations import SQLITE, Script, missing_statements
from sudare.errors import InvalidDocument, ParameterError, StoreUnavailable
from sudare.files import lock

_KIND = 0x53756461
"""SQLite's application id: that a file is a store of ours."""
_PAGES_AHEAD = 4096
"""How long the log may grow before it is copied into the database: 16 MiB."""
_PATIENCE = 10.0  # seconds, for another process that writes a token


class Database:
    """The connections to one file.

    Attributes:
        path: the file.
        write: the connection that writes; only under ``lock``.
        lock: held by whoever writes.
    """

    def __init__(self, path: Path, *, alone: bool) -> None:
        """Open a file, or make it.

        Args:
            path: where it is.
            alone: whether to refuse, and be refused by, another process that is alone with it.
        """
        self.path = path.resolve()
        self.lock = threading.RLock()
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        if not self.path.parent.is_dir():
            raise ParameterError(f"there is no folder for the store {path}")
        self._alone = lock(self.path, "the store") if alone else None
        try:
            self.write = self._connect()
            with _explained(self.path):
                self._settle()
                self._upgrade()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> sqlite3.Connection:
        with _explained(self.path):
            return sqlite3.connect(
                self.path, _PATIENCE, isolation_level=None, check_same_thread=False
            )

    def _settle(self) -> None:
        """Durability, checked: SQLite leaves a setting that it can't follow without a word."""
        kind, tables = _setting(self.write, "application_id"), _tables(self.write)
        if tables and kind != _KIND:
            raise ParameterError(f"{self.path.name} is a database, but no store of a collector")
        (mode,) = self.write.execute("PRAGMA journal_mode = wal").fetchone()
        self.write.execute("PRAGMA synchronous = full")
        self.write.execute("PRAGMA foreign_keys = on")
        self.write.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_AHEAD}")
        if mode != "wal" or _setting(self.write, "synchronous") != 2:
            raise ParameterError(
                f"a store can't be kept on the file system of {self.path}: SQLite has no log there"
            )

    def _upgrade(self) -> None:
        if self._alone is None and _setting(self.write, "user_version") != len(SQLITE):
            os.close(lock(self.path, "the store"))  # no running program may be surprised
        upgrade(self.write, SQLITE)

    @property
    def reader(self) -> sqlite3.Connection:
        """This thread's connection for reading."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            connection.execute("PRAGMA query_only = on")
            self._local.connection = connection
            self._readers.append(connection)
        return connection

    def read(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query, as last committed."""
        return list(self.each(query, parameters))

    def each(self, query: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The same, one after the other."""
        with _explained(self.path):
            yield from self.reader.execute(query, parameters)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The writing connection, inside a transaction: all of it is durable, or nothing.

        Raises ``StoreUnavailable`` where nothing was.
        """
        with self.lock, _explained(self.path):
            try:
                self.write.execute("BEGIN IMMEDIATE")
                yield self.write
                self.write.execute("COMMIT")
            except BaseException:
                if self.write.in_transaction:  # SQLite itself takes some back
                    self.write.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close every connection, then let others in."""
        with self.lock:
            for connection in (*self._readers, *([self.write] if hasattr(self, "write") else [])):
                connection.close()
            self._readers.clear()
            if self._alone is not None:
                os.close(self._alone)
                self._alone = None


def upgrade(connection: sqlite3.Connection, scripts: Sequence[Script]) -> None:
    """Bring the tables up to date, in one transaction; a newer file than the program is refused."""
    if _setting(connection, "user_version") == len(scripts):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in missing_statements(_setting(connection, "user_version"), scripts):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(scripts)}")
        connection.execute(f"PRAGMA application_id = {_KIND}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """SQLite's troubles in a sentence of ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        # Its names (SQLITE_FULL) and messages say nothing about what is stored.
        raise StoreUnavailable(f"the store {path.name} takes nothing now: {error}") from None
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            raise  # a mistake of ours, not of the disk
        raise InvalidDocument(f"{path.name} is no store, or is damaged: {error}") from None


def _setting(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)


def _tables(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return int(count)
