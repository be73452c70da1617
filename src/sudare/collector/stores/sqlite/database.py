"""A SQLite file as a store needs it: durable, written by one process, read by any thread."""

import logging
import os
import shutil
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sudare.collector.stores.migrations import SQLITE, Script, missing_statements
from sudare.collector.stores.sqlite.acknowledged import Acknowledged
from sudare.errors import InvalidDocument, ParameterError, StoreUnavailable
from sudare.formats.file_kinds import STORE_ID, FileKind, found_at
from sudare.formats.files import lock, real, regular
from sudare.formats.numbers import counted

_log = logging.getLogger(__name__)
_PAGES_AHEAD = 4096
"""How long the log may grow before it is copied into the database: 16 MiB."""
_LOG_BYTES = 4096 * _PAGES_AHEAD  # to which it is cut if it was longer
_PATIENCE = 10.0  # seconds, for another process that writes a token
_TICK = 2_000_000_000  # nanoseconds: no file system's clock is coarser
_IDLE = 8  # connections for reading that are kept


class Database:
    """The connections to one SQLite file.

    Attributes:
        path: the file.
        write: the connection that writes; only under ``lock``.
        lock: held by whoever writes.
        acknowledged: how many reports have counted, for whoever is alone with the file.
    """

    def __init__(self, path: Path, *, alone: bool, accept_loss: bool = False) -> None:
        """Open a SQLite file, or make it.

        Args:
            path: where it is.
            alone: whether to refuse, and be refused by, another process that is alone with it.
            accept_loss: whether to go on without reports that were acknowledged and are missing.
        """
        self.path = real(path)
        self.lock = threading.RLock()
        self._idle: deque[sqlite3.Connection] = deque()
        self._closed = False
        if not self.path.parent.is_dir():
            raise ParameterError(f"there is no folder for the store {path}")
        if self.path.exists():
            _require_database(regular(self.path))  # before anything is made beside it
        self._alone = lock(self.path, "the store") if alone else None
        self.acknowledged = Acknowledged(self.path)
        self._log_path = self.path.with_name(f"{self.path.name}-wal")
        try:
            if alone and not self.path.exists():
                self.acknowledged.forget()
            # Nobody else reads it; SQLite gives its log the same permissions.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self.write = self._connect()
            with _explained(self.path):
                self._settle()
                if alone:
                    self._compare(accept_loss=accept_loss)
                self._upgrade()
            self._files = self._identities()
            self._folder = str(self.path.parent)
            self._unchanged_since = -1
        except BaseException:
            self.close()
            raise

    def _connect(self) -> sqlite3.Connection:
        with _explained(self.path):
            return sqlite3.connect(
                self.path, _PATIENCE, isolation_level=None, check_same_thread=False
            )

    def _connect_reader(self) -> sqlite3.Connection:
        connection = self._connect()
        connection.execute("PRAGMA query_only = on")
        return connection

    def _settle(self) -> None:
        """Durability, checked: SQLite leaves a setting that it can't follow without a word."""
        kind, tables = _setting(self.write, "application_id"), _tables(self.write)
        if tables and kind != STORE_ID:
            raise ParameterError(f"{self.path.name} is a database, but no store of a collector")
        (mode,) = self.write.execute("PRAGMA journal_mode = wal").fetchone()
        self.write.execute("PRAGMA synchronous = full")
        self.write.execute("PRAGMA foreign_keys = on")
        # Else it copies pages into a file elsewhere, to be able to take back a statement.
        self.write.execute("PRAGMA temp_store = memory")
        self.write.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_AHEAD}")
        self.write.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
        if mode != "wal" or _setting(self.write, "synchronous") != 2:
            raise ParameterError(
                f"a store can't be kept on the file system of {self.path}: SQLite has no log there"
            )

    def _compare(self, *, accept_loss: bool) -> None:
        """Say what is missing of what was acknowledged, before anything is written over it."""
        said = self.acknowledged.read()
        if said is None:  # a store of before, or a power cut
            return
        held = 0
        if _tables(self.write):
            ((held,),) = self.write.execute("SELECT coalesce(sum(n), 0) FROM windows").fetchall()
        if held >= said:
            return
        found = (
            f"the store {self.path.name} holds {counted(held, 'report')}, and {said:,} were "
            f"acknowledged, "
            f"the last at {self.acknowledged.moment}: {said - held:,} are missing. Its log was "
            f"damaged or deleted, or its file set back"
        )
        if kept := self._kept_log():
            found += f"; the log as it was found is {kept.name}"
        if not accept_loss:
            raise InvalidDocument(f"{found}. With --accept-loss, a collector goes on without them")
        _log.warning("%s. The collector goes on without them", found)

    def _kept_log(self) -> Path | None:
        """A copy of the log: SQLite writes over what it can't read. None if the log is empty."""
        if not self._log_path.exists() or not self._log_path.stat().st_size:
            return None
        number = 1
        while (
            kept := self._log_path.with_name(f"{self._log_path.name}.damaged-{number}")
        ).exists():
            number += 1
        shutil.copyfile(self._log_path, kept)
        kept.chmod(0o600)
        return kept

    def _upgrade(self) -> None:
        if self._alone is not None or _setting(self.write, "user_version") == len(SQLITE):
            upgrade(self.write, SQLITE)
            return
        alone = lock(self.path, "the store")  # no running program may be surprised
        try:
            upgrade(self.write, SQLITE)
        finally:
            os.close(alone)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for reading, which nobody else has during the block."""
        if self._closed:
            raise StoreUnavailable(f"the store {self.path.name} is closed")
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect_reader()
        try:
            with _explained(self.path):
                yield connection
        except BaseException:
            connection.close()  # whatever state it is in
            raise
        self._idle.append(connection)
        self._keep_few()

    def read(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query, as last committed."""
        with self.reading() as connection:
            return connection.execute(query, parameters).fetchall()

    def each(self, query: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, as last committed, one after the other."""
        with self.reading() as connection:
            yield from connection.execute(query, parameters)

    @contextmanager
    def transaction(self, *, single: bool = False) -> Iterator[sqlite3.Connection]:
        """The writing connection, inside a transaction: all of it is durable, or nothing.

        Raises ``StoreUnavailable`` where nothing was.

        Args:
            single: whether one statement follows, which is a transaction by itself.
        """
        with self.lock, _explained(self.path):
            self.check_files()
            try:
                if not single:
                    self.write.execute("BEGIN IMMEDIATE")
                yield self.write
                if not single:
                    self.write.execute("COMMIT")
            except BaseException:
                if self.write.in_transaction:  # SQLite itself takes some back
                    self.write.execute("ROLLBACK")
                raise
            self.check_files()  # else it was written where nobody will look for it

    def check_files(self) -> None:
        """Raise ``StoreUnavailable`` if a file was deleted or replaced; under ``lock``.

        A folder says when a name in it changed last: while that is as it was, so are the files.
        """
        changed = os.stat(self._folder).st_mtime_ns  # noqa: PTH116 - a Path takes twice as long
        if changed == self._unchanged_since:
            return
        if self._identities() == self._files:
            # Its clock may tick slowly: another change may follow within a tick.
            if time.time_ns() - changed > _TICK:
                self._unchanged_since = changed
            return
        if _identity(f"{self.path}-wal") is None and _identity(str(self.path)) == self._files[0]:
            # What was acknowledged is in the log that is open still, and nowhere else.
            self.write.execute("PRAGMA wal_checkpoint")
        raise StoreUnavailable(
            f"the store {self.path.name} or its log was deleted or replaced under the collector"
        )

    def _identities(self) -> list[tuple[int, int] | None]:
        """Which files stand at the paths of the database, of its log, and of what guards that."""
        return [_identity(f"{self.path}{suffix}") for suffix in ("", "-wal", "-shm")]

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees what was committed at its first query, while others write."""
        with closing(self._connect_reader()) as connection, _explained(self.path):
            connection.execute("BEGIN")
            yield connection

    def empty_log(self) -> None:
        """Copy SQLite's whole log into the file, or raise ``StoreUnavailable``.

        Closing does that too, but says nothing where it fails.
        """
        with self.lock, _explained(self.path):
            busy, *_ = self.write.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        log = self._log_path
        if busy or (log.exists() and log.stat().st_size):
            raise StoreUnavailable(f"the log of {self.path.name} can't be copied into it")

    def close(self) -> None:
        """Close every connection, then let others in; one that reads is closed when it has.

        A disk that has not answered a commit for long is left alone: the process may end.
        """
        if not self.lock.acquire(timeout=_PATIENCE):
            _log.warning("the disk of %s doesn't answer: left without closing it", self.path.name)
            return
        try:
            self._closed = True
            self._keep_few()
            if hasattr(self, "write"):
                self.write.close()
            self.acknowledged.close()
            if self._alone is not None:
                os.close(self._alone)
                self._alone = None
        finally:
            self.lock.release()

    def _keep_few(self) -> None:
        """Close the connections that nobody needs: all but a few, and all at the end."""
        while len(self._idle) > (0 if self._closed else _IDLE):
            with suppress(IndexError):  # another thread took the last
                self._idle.popleft().close()


def upgrade(connection: sqlite3.Connection, scripts: Sequence[Script]) -> None:
    """Bring the tables up to date, in one transaction; a newer file than the program is refused."""
    if _setting(connection, "user_version") == len(scripts):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in missing_statements(_setting(connection, "user_version"), scripts):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(scripts)}")
        connection.execute(f"PRAGMA application_id = {STORE_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _require_database(path: Path) -> None:
    """Refuse a file that SQLite couldn't open; an empty one it makes its own."""
    known = FileKind.STORE, FileKind.OUTBOX, FileKind.DATABASE, FileKind.EMPTY
    if found_at(path).kind not in known:
        raise InvalidDocument(f"{path.name} is no store: it is no database of SQLite")


def _identity(path: str) -> tuple[int, int] | None:
    """Which file stands at a path; None if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - at every commit, and a Path takes twice as long
    except OSError:
        return None
    return found.st_dev, found.st_ino


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
