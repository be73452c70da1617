"""Reports that wait on a device until a collector has them.

Each has its name when it is put here, and keeps it: however often it is sent, it counts once. It
leaves when the collector said that it is durable, or that it will never be taken; then the refusal
stays, for the person to see. A crash in between sends it again.

A refusal because the window is closed doesn't say that the report has not counted: the names of a
closed window are forgotten, so a report that counted, but whose receipt was lost, is told the same.
"""

import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

from sudare.client import Collector
from sudare.errors import CollectorRefused, CollectorUnavailable, InvalidDocument, ParameterError
from sudare.named import NAME_BYTES

MOST_TOGETHER = 100  # in one body, of a sender without a token
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds

_MARK = 0x5D_0A_7E_01  # of the file: an outbox, in this version
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
    invitation TEXT
);
CREATE TABLE refused (
    id BLOB PRIMARY KEY,
    address TEXT NOT NULL,
    key TEXT NOT NULL,
    window INTEGER NOT NULL,
    round INTEGER NOT NULL,
    reason TEXT NOT NULL
);
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
    """

    id: bytes
    address: str
    key: str
    window: int
    round: int
    record: bytes = field(repr=False)
    invitation: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.id) != NAME_BYTES:
            raise ParameterError(f"a report's id is {NAME_BYTES} bytes, got {len(self.id)}")


class Refusal(NamedTuple):
    """A report that a collector will never take."""

    id: bytes
    address: str
    key: str
    window: int
    round: int
    reason: str


class Delivery(NamedTuple):
    """What came of sending.

    Attributes:
        taken: how many reports the collector has now, durably.
        refused: how many it will never take.
        waiting: how many are left for another time.
        reason: why they are.
    """

    taken: int
    refused: int
    waiting: int
    reason: str | None


class Outbox:
    """Reports that wait, in a file that several processes may use at once.

    Two that send at the same time may send a report twice, under its one name.
    """

    def __init__(self, path: Path) -> None:
        """The outbox in a file; a new one if there is no such file."""
        self.path = path
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
                if not mark and not tables:
                    for statement in filter(str.strip, _TABLES.split(";")):
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
        return [Refusal(*row) for row in rows]

    def send(
        self,
        collector: Collector,
        *,
        patience: float = 60.0,
        pause: Callable[[float], None] = time.sleep,
    ) -> Delivery:
        """Hand a collector what waits for it, a window at a time.

        Where it can't take it now, it is asked again after a pause that doubles, by chance longer
        or shorter, and never before the moment that it named.

        Args:
            collector: only reports for its address are sent.
            patience: after so many seconds no further pause is begun.
            pause: how to wait.
        """
        given_up = time.monotonic() + patience
        taken = refused = failures = 0
        reason: str | None = None
        while group := self._group(collector.address):
            try:
                for part in self._deliver(collector, group):
                    taken += part.taken
                    refused += part.refused
                failures = 0
            except CollectorUnavailable as error:
                wait = error.retry_after + _jitter(failures)
                failures += 1
                if time.monotonic() + wait > given_up:
                    reason = str(error)
                    break
                pause(wait)
        left = sum(report.address == collector.address for report in self.waiting())
        return Delivery(taken, refused, left, reason)

    def _deliver(self, collector: Collector, group: Sequence[Waiting]) -> Iterator[Delivery]:
        """Send reports of one window, and let go of them as soon as their fate is known."""
        first = group[0]
        body = b"".join(report.id + report.record for report in group)
        try:
            receipt = collector.post(first.key, first.window, body, invitation=first.invitation)
        except CollectorRefused as refusal:
            if len(group) > 1 and refusal.status == 400:  # one of them spoilt it for all
                for report in group:
                    yield from self._deliver(collector, [report])
                return
            self._settle(group, str(refusal))
            yield Delivery(0, len(group), 0, None)
            return
        if receipt.refused:  # a group is of one round, which closed
            self._settle(group, f"the collector left out {receipt.refused}: their round is closed")
            yield Delivery(len(group) - receipt.refused, receipt.refused, 0, None)
            return
        self._settle(group, None)
        yield Delivery(len(group), 0, 0, None)

    def _group(self, address: str) -> list[Waiting]:
        """The oldest report for an address, and others that may travel with it."""
        oldest = self._select(
            "SELECT {} FROM waiting WHERE address = ? ORDER BY place LIMIT 1", address
        )
        if not oldest or oldest[0].invitation is not None:
            return oldest
        first = oldest[0]
        return self._select(
            "SELECT {} FROM waiting WHERE address = ? AND key = ? AND window = ? AND round = ? "
            "AND invitation IS NULL ORDER BY place LIMIT ?",
            *(address, first.key, first.window, first.round, MOST_TOGETHER),
        )

    def _settle(self, group: Sequence[Waiting], refusal: str | None) -> None:
        """Let go of reports; of those that were refused, note why."""
        with self._using() as base:
            base.execute("BEGIN IMMEDIATE")
            for report in group:
                base.execute("DELETE FROM waiting WHERE id = ?", (report.id,))
                if refusal is not None:
                    noted = (report.id, report.address, report.key, report.window, report.round)
                    base.execute(
                        "INSERT OR IGNORE INTO refused VALUES (?, ?, ?, ?, ?, ?)", (*noted, refusal)
                    )
            base.execute("COMMIT")

    def _select(self, query: str, *values: object) -> list[Waiting]:
        columns = "id, address, key, window, round, record, invitation"
        with self._using() as base:
            rows = base.execute(query.format(columns), values).fetchall()
        return [Waiting(*row) for row in rows]

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


def _jitter(failures: int) -> float:
    """A pause after so many failures: full jitter, so that devices don't come back together."""
    return random.SystemRandom().uniform(
        0, min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures, 30))
    )
