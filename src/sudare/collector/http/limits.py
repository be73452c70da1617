"""How much a collector takes at once, and what it says beyond it."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from sudare.collector.http.problems import busy

BODY_REPORTS = 100_000  # in one body
SMALL_REPORTS = 100  # in one body of somebody without a token
BODY_BYTES = 64 << 20  # of one body, however few reports that is


@dataclass(frozen=True)
class Limits:
    """The bounds of the memory and the work that senders can cause.

    Attributes:
        rate: reports per second of each collection, over all senders; None for any number.
        head_seconds: how long a request's head may take, and an idle connection stay.
        body_seconds: how long a body may take.
        answer_seconds: how long the store may take, before those who wait for it are told so.
        connections: at once.
        reports: that may wait to be committed.
        bytes: of bodies that may be read or wait at once.
    """

    rate: float | None = None
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    answer_seconds: float = 10.0
    connections: int = 4096
    reports: int = 1_000_000
    bytes: int = 256 << 20


class Bucket:
    """A limit of reports per second: those taken beyond it are owed, and the next sender waits.

    So a large body passes too, and is paid for by the pause after it.
    """

    def __init__(self, rate: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._left = rate or 0.0
        self._at = clock()

    def take(self, reports: int) -> None:
        """Pay for reports; a ``Problem`` (429) while something is owed."""
        if self._rate is None:
            return
        now = self._clock()
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left <= 0:
            raise busy(
                math.floor(-self._left / self._rate) + 1,
                f"this collection takes {self._rate:g} reports a second",
            )
        self._left -= reports

    def give_back(self, reports: int) -> None:
        """Take back the payment for so many reports, which didn't count."""
        if self._rate is not None:
            self._left += reports


class Room:
    """The room for bodies that aren't answered yet; used on the event loop only."""

    def __init__(self, limits: Limits) -> None:
        self._most_bytes, self._most_reports = limits.bytes, limits.reports
        self.bytes = 0
        self.reports = 0

    def hold(self, size: int) -> None:
        """Make room for a body of so many bytes; a ``Problem`` (429) if there is none."""
        if self.bytes + size > self._most_bytes:
            raise busy(1, f"bodies of {self._most_bytes:,} bytes are waiting already")
        self.bytes += size

    def let_go(self, size: int) -> None:
        """Give back the room of a body of so many bytes, which was answered."""
        self.bytes -= size

    def queue(self, reports: int) -> None:
        """Make room for reports; a ``Problem`` (429) if there is none."""
        if self.reports + reports > self._most_reports:
            raise busy(1, f"{self._most_reports:,} reports are waiting already")
        self.reports += reports
