"""Reports on a device's disk: those that wait, and those that were refused for good."""

import os
import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

from sudare.errors import InvalidDocument, ParameterError
from sudare.files import regular
from sudare.named import NAME_BYTES

MOST_TOGETHER = 100  # in one body, of a sender without a token

_FIRST_MARK = 0x5D_0A_7E_01  # of a file that doesn't say what is doubtful
_MARK = 0x5D_0A_7E_02  # of the file: an outbox, in this version
_TABLES = f"""
PRAGMA application_id = {_MARK};
CREATE TABLE waiting (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    address TEXT NOT NULL,
    key TEXT NOT NULL,
    window INTEGER NOT NULL,
    round INTEGER NOT NULL,
    record BLOB NOT NULL,
    invitation TEXT,
    doubtful INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE refused (
    id BLOB PRIMARY KEY,
    address TEXT NOT NULL,
    key TEXT NOT NULL,
    window INTEGER NOT NULL,
    round INTEGER NOT NULL,
    reason TEXT NOT NULL,
    doubtful INTEGER NOT NULL DEFAULT 0
);
"""
_NEWER = f"""
PRAGMA application_id = {_MARK};
ALTER TABLE waiting ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refused ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0;
"""


@dataclass(frozen=True)
class Waiting:
    """A report that waits.

    Attributes:
        id: its name, 16 bytes.
        address: of the collector that it is for.
        key: of its collection.
        window: that it is of.
        round: within the window, over time; else 0.
        record: what it says, as bytes.
        invitation: the token it needs, where people are invited.
        doubtful: whether an attempt to send it may have reached the collector.
    """

    id: bytes
    address: str
    key: str
    window: int
    round: int
    record: bytes = field(repr=False)
    invitation: str | None = field(default=None, repr=False)
    doubtful: bool = False

    def __post_init__(self) -> None:
        if len(self.id) != NAME_BYTES:
            raise ParameterError(f"a report's id is {NAME_BYTES} bytes, got {len(self.id)}")


class Refusal(NamedTuple):
    """A report that a collector will never take.

    Attributes:
        reason: the collector's.
        doubtful: whether an earlier attempt may have counted all the same: its receipt was lost.
    """

    id: bytes
    address: str
    key: str
    window: int
    round: int
    reason: str
    doubtful: bool = False


class Shelf:
    """Reports in a file that several processes may use at once."""

    def __init__(self, path: Path) -> None:
        """The outbox in a file; a new one if there is no such file."""
        self.path = path
        if path.exists():
            regular(path)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # its owner's alone
        self._lock = threading.Lock()
        self._base = sqlite3.connect(
            path, timeout=30, isolation_level=None, check_same_thread=False
        )
        try:
            with self._using() as base:
                base.execute("PRAGMA synchronous = EXTRA")  # a commit outlives a power failure
                base.execute("PRAGMA secure_delete = ON")  # what was sent isn't kept
                base.execute("BEGIN IMMEDIATE")
                (mark,) = base.execute("PRAGMA application_id").fetchone()
                (tables,) = base.execute("SELECT count(*) FROM sqlite_master").fetchone()
                missing = _NEWER if mark == _FIRST_MARK else "" if mark or tables else _TABLES
                for statement in filter(str.strip, missing.split(";")):
                    base.execute(statement)
                    mark = _MARK
                base.execute("COMMIT")
        except BaseException:
            self._base.close()
            raise
        if mark != _MARK:
            self._base.close()
            raise InvalidDocument(f"{path.name} is not an outbox")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the file."""
        with self._lock:
            self._base.close()

    def put(self, report: Waiting) -> None:
        """Keep a report until it is sent: durable when this returns."""
        values = (report.id, report.address, report.key, report.window, report.round)
        with self._using() as base:
            try:
                base.execute(
                    "INSERT INTO waiting (id, address, key, window, round, record, invitation) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*values, report.record, report.invitation),
                )
            except sqlite3.IntegrityError:
                raise ParameterError("a report of this id waits already") from None

    def waiting(self) -> list[Waiting]:
        """All reports that wait, in the order in which they were put here."""
        return self._select("SELECT {} FROM waiting ORDER BY place")

    def refusals(self) -> list[Refusal]:
        """All reports that were refused for good."""
        with self._using() as base:
            rows = base.execute("SELECT * FROM refused ORDER BY rowid").fetchall()
        return [Refusal(*(*row[:-1], bool(row[-1]))) for row in rows]

    def next_group(self, address: str, aside: Collection[tuple[str, int]]) -> list[Waiting]:
        """The oldest report for an address, and others that may travel with it.

        Args:
            address: of the collector.
            aside: (key, window) of what is left out.
        """
        with self._using() as base:
            places = base.execute(
                "SELECT key, window FROM waiting WHERE address = ? GROUP BY key, window "
                "ORDER BY min(place)",
                (address,),
            ).fetchall()
        for place in places:
            if place not in aside:
                return self._group(address, *place)
        return []

    def _group(self, address: str, key: str, window: int) -> list[Waiting]:
        of = "SELECT {} FROM waiting WHERE address = ? AND key = ? AND window = ? "
        oldest = self._select(of + "ORDER BY place LIMIT 1", address, key, window)
        if not oldest or oldest[0].invitation is not None:
            return oldest
        return self._select(
            of + "AND round = ? AND invitation IS NULL ORDER BY place LIMIT ?",
            *(address, key, window, oldest[0].round, MOST_TOGETHER),
        )

    def doubt(self, group: Sequence[Waiting], *, doubtful: bool) -> None:
        """Note durably whether reports may have reached their collector.

        Those that may have before an attempt still may have after it, whatever came of that.
        """
        certain = [(doubtful, report.id) for report in group if not report.doubtful]
        if certain:
            with self._using() as base:
                base.execute("BEGIN IMMEDIATE")
                base.executemany("UPDATE waiting SET doubtful = ? WHERE id = ?", certain)
                base.execute("COMMIT")

    def settle(self, group: Sequence[Waiting], refusal: str | None) -> None:
        """Let go of reports; of those that were refused, note why."""
        with self._using() as base:
            base.execute("BEGIN IMMEDIATE")
            for report in group:
                base.execute("DELETE FROM waiting WHERE id = ?", (report.id,))
                if refusal is not None:
                    noted = (report.id, report.address, report.key, report.window, report.round)
                    base.execute(
                        "INSERT OR IGNORE INTO refused VALUES (?, ?, ?, ?, ?, ?, ?)",
                        (*noted, refusal, report.doubtful),
                    )
            base.execute("COMMIT")

    def _select(self, query: str, *values: object) -> list[Waiting]:
        columns = "id, address, key, window, round, record, invitation, doubtful"
        with self._using() as base:
            rows = base.execute(query.format(columns), values).fetchall()
        return [Waiting(*(*row[:-1], bool(row[-1]))) for row in rows]

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """The database, for one thread at a time; what fails is undone."""
        with self._lock:
            try:
                yield self._base
            except BaseException as error:
                if _is_open(self._base) and self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise InvalidDocument(
                        f"the outbox {self.path.name} can't be used: {error}"
                    ) from None
                raise


def _is_open(base: sqlite3.Connection) -> bool:
    try:
        return base.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False
