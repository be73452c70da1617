"""Reports that wait on a device until a collector has them, and those that were refused for good.

Each has its id when it is put here, and keeps it: however often it is sent, it counts once. It
leaves when the collector said that it is durable, or that it will never be taken; then the refusal
stays, for the person to see. A crash in between sends it again.

A refusal because the window is closed doesn't say that the report has not counted: the ids of a
closed window are forgotten, so a report that counted, but whose receipt was lost, is told the same.
"""

import math
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Self

from sudare.device.collector_client import CollectorClient
from sudare.device.delivery import pause_after
from sudare.errors import (
    CollectionUnavailable,
    CollectorRefused,
    CollectorUnavailable,
    InvalidDocument,
    ParameterError,
)
from sudare.formats.file_kinds import OLD_OUTBOX_ID, OUTBOX_ID
from sudare.formats.files import make_private, regular
from sudare.formats.report_ids import ID_BYTES

MOST_TOGETHER = 100  # in one body, of a sender without a token

_TABLES = f"""
PRAGMA application_id = {OUTBOX_ID};
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
PRAGMA application_id = {OUTBOX_ID};
ALTER TABLE waiting ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refused ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0;
"""


class Fate(StrEnum):
    """The fate of a report, as far as its device knows."""

    TAKEN = "taken"
    """The collector has the report, durably."""
    WAITING = "waiting"
    """The report waits in the outbox."""
    REFUSED = "refused"
    """The collector will never take the report."""
    DOUBTFUL = "doubtful"
    """Refused now; an earlier attempt may have counted, whose receipt was lost."""


@dataclass(frozen=True)
class Waiting:
    """A report that waits on a device until a collector has it.

    Attributes:
        id: its id, 16 bytes.
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
        if len(self.id) != ID_BYTES:
            raise ParameterError(f"a report's id is {ID_BYTES} bytes, got {len(self.id)}")


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


class Aside(NamedTuple):
    """A window of a collection that a collector took nothing of for now, while others went on."""

    key: str
    window: int
    reason: str


class Delivery(NamedTuple):
    """How many reports a collector took, refused and left waiting, when it was sent all of them.

    Attributes:
        taken: how many reports the collector has now, durably.
        refused: how many it will never take.
        waiting: how many are left for another time.
        reason: why they are.
        doubtful: how many it refused now, though an earlier attempt may have counted.
        aside: what it takes nothing of for now, and why, where it may take other reports.
    """

    taken: int
    refused: int
    waiting: int
    reason: str | None
    doubtful: int = 0
    aside: tuple[Aside, ...] = ()

    def reason_of(self, report: Waiting) -> str | None:
        """Why a report still waits after the delivery."""
        place = (report.key, report.window)
        return next((each.reason for each in self.aside if each[:2] == place), self.reason)


class _Aside:
    """What was put aside: until when, and why. Each collection has its own pauses."""

    def __init__(self) -> None:
        self.places: dict[tuple[str, int], tuple[float, str]] = {}
        self.failures = Counter[str]()

    def put(self, key: str, window: int, error: CollectionUnavailable) -> None:
        until = time.monotonic() + pause_after(self.failures[key], error.retry_after)
        self.places[key, window] = until, str(error)
        self.failures[key] += 1

    def seconds(self) -> float:
        """Until the first may be asked for again."""
        return max(0.0, min(self.places.values())[0] - time.monotonic())

    def take_first(self) -> None:
        del self.places[min(self.places, key=self.places.__getitem__)]

    def told(self) -> tuple[Aside, ...]:
        return tuple(Aside(*place, reason) for place, (_, reason) in self.places.items())


class Outbox:
    """The reports that wait on a device, in a file that several processes may use at once.

    Two that send at the same time may send a report twice, under its one id.
    """

    def __init__(self, path: Path) -> None:
        """The outbox in a file; a new one if there is no such file."""
        self.path = path
        if path.exists():
            regular(path)
        make_private(path)
        self._lock = threading.Lock()
        self._base = sqlite3.connect(
            path.absolute(), timeout=30, isolation_level=None, check_same_thread=False
        )
        try:
            with self._using() as base:
                base.execute("PRAGMA synchronous = EXTRA")  # a commit outlives a power failure
                base.execute("PRAGMA secure_delete = ON")  # what was sent isn't kept
                base.execute("BEGIN IMMEDIATE")
                (mark,) = base.execute("PRAGMA application_id").fetchone()
                (tables,) = base.execute("SELECT count(*) FROM sqlite_master").fetchone()
                missing = _NEWER if mark == OLD_OUTBOX_ID else "" if mark or tables else _TABLES
                for statement in filter(str.strip, missing.split(";")):
                    base.execute(statement)
                    mark = OUTBOX_ID
                base.execute("COMMIT")
        except BaseException:
            self._base.close()
            raise
        if mark != OUTBOX_ID:
            self._base.close()
            raise InvalidDocument(f"{path.name} is not an outbox")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the outbox's file."""
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
        """All reports that collectors refused for good."""
        with self._using() as base:
            rows = base.execute("SELECT * FROM refused ORDER BY rowid").fetchall()
        return [Refusal(*(*row[:-1], bool(row[-1]))) for row in rows]

    def send(
        self,
        collector: CollectorClient,
        *,
        patience: float = 60.0,
        pause: Callable[[float], None] = time.sleep,
    ) -> Delivery:
        """Send a collector the reports that wait for it, a window at a time.

        Where it can't take it now, it is asked again later, by the rules of ``device.delivery``. If
        that is about one collection or window only, the others go on meanwhile.

        Args:
            collector: only reports for its address are sent.
            patience: after so many seconds no further pause is begun.
            pause: how to wait.
        """
        given_up = time.monotonic() + check_patience(patience)
        fates, failures = Counter[Fate](), 0
        aside = _Aside()
        stopped: str | None = None
        while True:
            group = self._next_group(collector.address, aside.places)
            if not group and not aside.places:
                break
            error = self._attempt(collector, group, fates) if group else None
            if isinstance(error, CollectionUnavailable):
                aside.put(group[0].key, group[0].window, error)
                continue
            if group and error is None:
                aside.failures[group[0].key] = failures = 0
                continue
            if error is None:  # nothing is left but what was put aside
                wait = aside.seconds()
            else:
                wait = pause_after(failures, error.retry_after)
                failures += 1
            if time.monotonic() + wait > given_up:
                stopped = None if error is None else str(error)
                break
            pause(wait)
            if error is None:
                aside.take_first()
        left = sum(report.address == collector.address for report in self.waiting())
        put = aside.told()
        reason = stopped or (put[0].reason if put else None)
        taken, refused, doubtful = fates[Fate.TAKEN], fates[Fate.REFUSED], fates[Fate.DOUBTFUL]
        return Delivery(taken, refused, left, reason, doubtful, put)

    def _attempt(
        self, collector: CollectorClient, group: Sequence[Waiting], fates: Counter[Fate]
    ) -> CollectorUnavailable | None:
        """Send reports of one window and count what became of them; why they can't be taken now."""
        try:
            for fate in self._deliver(collector, group):
                fates[fate] += 1
        except CollectorUnavailable as error:
            return error
        return None

    def _deliver(self, collector: CollectorClient, group: Sequence[Waiting]) -> Iterator[Fate]:
        """Send reports of one window, and let go of them as soon as their fate is known."""
        first = group[0]
        body = b"".join(report.id + report.record for report in group)
        self._doubt(group, doubtful=True)  # before they leave: after a crash nobody could tell
        try:
            receipt = collector.post(first.key, first.window, body, invitation=first.invitation)
        except CollectorUnavailable as error:
            if not error.doubtful:
                self._doubt(group, doubtful=False)
            raise
        except ParameterError as error:  # it could never be put into a request
            yield from self._refuse(group, str(error))
            return
        except CollectorRefused as error:
            if len(group) > 1 and error.status == 400:  # one of them spoilt it for all
                self._doubt(group, doubtful=False)
                yield from self._deliver_each(collector, group)
            else:
                yield from self._refuse(group, str(error))
            return
        if 0 < receipt.refused < len(group):  # each is asked about by its id
            yield from self._deliver_each(collector, group)
        elif receipt.refused:  # a group is of one round
            yield from self._refuse(group, "the collector left it out: its round is closed")
        else:
            self._settle(group, None)
            yield from [Fate.TAKEN] * len(group)

    def _deliver_each(self, collector: CollectorClient, group: Sequence[Waiting]) -> Iterator[Fate]:
        for report in group:
            yield from self._deliver(collector, [report])

    def _refuse(self, group: Sequence[Waiting], reason: str) -> Iterator[Fate]:
        """Let go of reports for good: of each, whether an earlier attempt may have counted."""
        self._settle(group, reason)
        return (Fate.DOUBTFUL if report.doubtful else Fate.REFUSED for report in group)

    def _next_group(self, address: str, aside: Collection[tuple[str, int]]) -> list[Waiting]:
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

    def _doubt(self, group: Sequence[Waiting], *, doubtful: bool) -> None:
        """Note durably whether reports may have reached their collector.

        Those that may have before an attempt still may have after it, whatever came of that.
        """
        certain = [(doubtful, report.id) for report in group if not report.doubtful]
        if certain:
            with self._using() as base:
                base.execute("BEGIN IMMEDIATE")
                base.executemany("UPDATE waiting SET doubtful = ? WHERE id = ?", certain)
                base.execute("COMMIT")

    def _settle(self, group: Sequence[Waiting], refusal: str | None) -> None:
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
                with suppress(sqlite3.ProgrammingError):  # it is closed
                    if self._base.in_transaction:
                        self._base.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise InvalidDocument(
                        f"the outbox {self.path.name} can't be used: {error}"
                    ) from None
                raise


def check_patience(patience: float) -> float:
    """The patience of whoever sends, in seconds, if it ever ends."""
    if not 0 <= patience < math.inf:
        raise ParameterError(f"patience must be at least 0 seconds and finite, got {patience}")
    return patience
