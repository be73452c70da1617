"""How much a collector takes at once, and what it says beyond it."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sudare.collector.http.addresses import Addresses
from sudare.collector.http.problems import Problem, busy
from sudare.collector.stores.id_set import MOST_MEMORY

WINDOW_BYTES = 1 << 30  # of memory that the ids of one window may take, by default
_PEERS = Addresses()  # who connects: proxies count as themselves


@dataclass(frozen=True)
class Limits:
    """The bounds of the memory and the work that senders can cause.

    Attributes:
        rate: new reports per second of each collection, over all senders; None for any number.
        head_seconds: how long a request's head may take, and an idle connection stay.
        body_seconds: how long a body may take.
        answer_seconds: how long the store may take, before those who wait for it are told so.
        handshake_seconds: how long a handshake of TLS may take.
        write_seconds: after which somebody for whom an answer waits is looked at again.
        write_rate: bytes a second that they must have read by then.
        connections: at once.
        reports: that may wait to be committed.
        bytes: of bodies that may be read or wait at once.
        window_reports: that a window may have, where anybody may send.
    """

    rate: float | None = None
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    answer_seconds: float = 10.0
    handshake_seconds: float = 10.0
    write_seconds: float = 30.0
    write_rate: int = 4096
    connections: int = 4096
    reports: int = 1_000_000
    bytes: int = 256 << 20
    window_reports: int = WINDOW_BYTES // MOST_MEMORY


class Bucket:
    """A limit of new reports per second: those beyond it are owed, and the next sender waits.

    So a large body passes too, and is paid for by the pause after it. Only what has counted is paid
    for: the writer charges, from its thread, when it is durable.
    """

    def __init__(self, rate: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._then = (rate or 0.0, clock())  # what was left, and when: one value for all threads

    def left(self) -> float | None:
        """How many may count now, if above 0; None for any number."""
        if self._rate is None:
            return None
        left, at = self._then
        return min(self._rate, left + (self._clock() - at) * self._rate)

    def charge(self, reports: int) -> None:
        """Pay for reports that have counted."""
        left = self.left()
        if left is not None:
            self._then = (left - reports, self._clock())

    def check(self) -> None:
        """Raise a ``Problem`` (429) while something is owed."""
        left = self.left()
        if left is not None and left <= 0:
            raise self.busy()

    def busy(self) -> Problem:
        """The problem (429) that says when something may count again."""
        rate, owed = self._rate or 1.0, max(0.0, -(self.left() or 0.0))
        message = f"this collection takes {rate:g} new reports a second"
        return busy(math.floor(owed / rate) + 1, message)


class Room:
    """The room for bodies that aren't answered yet; used on the event loop only.

    One address has at most as much as is left then. So one alone gets half of the room, two get a
    third each, and something is always left for the next.

    Attributes:
        bytes: of bodies that are held.
        reports: that wait to be committed.
        window_reports: that a window may have, where anybody may send.
    """

    def __init__(self, limits: Limits) -> None:
        self._most_bytes, self._most_reports = limits.bytes, limits.reports
        self._held: dict[str, int] = {}
        self.bytes = 0
        self.reports = 0
        self.window_reports = limits.window_reports

    def hold(self, address: str, size: int) -> None:
        """Make room for bytes that came from an address; a ``Problem`` (429) if there is none."""
        own = self._held.get(address, 0) + size
        if self.bytes + size + own > self._most_bytes:
            raise busy(1, f"bodies of {self.bytes:,} bytes are waiting already")
        self._held[address] = own
        self.bytes += size

    def let_go(self, address: str, size: int) -> None:
        """Give back the room of bytes that came from an address."""
        self.bytes -= size
        own = self._held.get(address, 0) - size
        if own:
            self._held[address] = own
        else:
            self._held.pop(address, None)

    def queue(self, reports: int) -> None:
        """Make room for reports; a ``Problem`` (429) if there is none."""
        if self.reports + reports > self._most_reports:
            raise busy(1, f"{self._most_reports:,} reports are waiting already")
        self.reports += reports


class Hold:
    """The room that one body takes: as much of it as has arrived."""

    __slots__ = ("_address", "_room", "_size")

    def __init__(self, room: Room, address: str) -> None:
        self._room, self._address, self._size = room, address, 0

    def add(self, size: int) -> None:
        """Make room for more bytes of the body; a ``Problem`` (429) if there is none."""
        self._room.hold(self._address, size)
        self._size += size

    def free(self) -> None:
        """Give back what the body has taken."""
        self._room.let_go(self._address, self._size)
        self._size = 0


class Member(Protocol):
    """One connection."""

    @property
    def idle(self) -> bool:
        """Whether nobody waits for an answer on it."""

    def leave(self) -> None:
        """End the connection at once."""


class Crowd:
    """Everybody who is connected, by address; used on the event loop only."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._members: dict[str, set[Member]] = {}
        self._size = 0

    def add(self, host: str, member: Member) -> bool:
        """Count a connection from an address; whether it may stay.

        Beyond the most that there may be, it takes the place of one on which nothing happens, of
        the address that has the most; but only if its own has fewer.
        """
        address = _PEERS.of({"client": (host, 0)})
        own = self._members.setdefault(address, set())
        own.add(member)
        self._size += 1
        if self._size <= self._most:
            return True
        if len(own) > self._size // len(self._members):  # no less than its share
            return False
        greediest = max(self._members.values(), key=len)
        if len(own) >= len(greediest):
            return False
        idle = next((one for one in greediest if one.idle), None)
        if idle is None:
            return False
        idle.leave()
        return True

    def discard(self, host: str, member: Member) -> None:
        """Count a connection no longer."""
        address = _PEERS.of({"client": (host, 0)})
        own = self._members.get(address)
        if own is None or member not in own:
            return
        own.discard(member)
        self._size -= 1
        if not own:
            del self._members[address]
