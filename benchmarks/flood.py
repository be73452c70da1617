"""Senders that take no for an answer: each counts what it is told, and goes on.

Those of ``sent`` have one request in flight each (a closed loop). Those of ``offered`` write what
the clock says, whatever comes back (an open loop): requests wait in the kernel's buffers.
"""

import asyncio
import os
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import httptools
import numpy as np

from collecting import singles
from sudare.formats.report_ids import ID_BYTES

BLOCK = 16  # requests in one write
_TICK = 0.01  # seconds between two looks at the clock
CLOSED = 0  # stands for the status of a connection that the server closed


@dataclass
class Seen:
    """What senders saw.

    Attributes:
        statuses: how often each came.
        greetings: how long each new connection waited for its first answer.
        accepted: when each 202 came, and how long it took; without the first answers.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    greetings: list[float] = field(default_factory=list)
    accepted: list[tuple[float, float]] = field(default_factory=list)

    @property
    def p99(self) -> float:
        """Of a hundred 202s, the second-slowest took so many seconds."""
        return statistics.quantiles([took for _, took in self.accepted], n=100)[98]


class _Hearing(asyncio.Protocol):
    """A connection that counts the statuses of whole answers."""

    transport: asyncio.Transport

    def __init__(self, statuses: Counter[int]) -> None:
        self._statuses = statuses
        self._parser = httptools.HttpResponseParser(self)
        self._left = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It may be written to."""
        self.transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Any number of answers, or a part of one."""
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        """An answer is whole."""
        self._statuses[self._parser.get_status_code()] += 1

    def connection_lost(self, exc: Exception | None) -> None:
        """The server may not close a connection; that is counted."""
        del exc
        if not self._left:
            self._statuses[CLOSED] += 1

    def leave(self) -> None:
        """Wait for no more answers."""
        self._left = True
        self.transport.abort()


class _Sender(_Hearing):
    """Sends the next report as soon as the last one is answered, however."""

    def __init__(self, requests: Iterator[bytes], seen: Seen, seconds: float) -> None:
        super().__init__(seen.statuses)
        self._requests, self._seen, self._seconds = requests, seen, seconds
        self._until, self._start = 0.0, time.perf_counter()
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[None] = loop.create_future()
        self.done: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for one answer, so that the connection is there when all begin."""
        super().connection_made(transport)
        self.transport.write(next(self._requests))

    def begin(self) -> None:
        """Send from now on."""
        self._until = time.perf_counter() + self._seconds
        self._next()

    def _next(self) -> None:
        self._start = time.perf_counter()
        if self._start < self._until:
            self.transport.write(next(self._requests))
        elif not self.done.done():
            self.done.set_result(None)

    def on_message_complete(self) -> None:
        """Count the answer, and go on."""
        super().on_message_complete()
        now = time.perf_counter()
        if not self.ready.done():
            self._seen.greetings.append(now - self._start)
            self.ready.set_result(None)
            return
        if self._parser.get_status_code() == 202:
            self._seen.accepted.append((now, now - self._start))
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody need wait for it any more."""
        super().connection_lost(exc)
        for future in (self.ready, self.done):
            if not future.done():
                future.set_result(None)


async def sent(port: int, connections: int, seconds: float) -> Seen:
    """Reports over so many connections, for a time; at the end all are answered."""
    seen, requests = Seen(), singles()
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: _Sender(requests, seen, seconds), "127.0.0.1", port)
        for _ in range(connections)
    ]
    await asyncio.gather(*(sender.ready for _, sender in made))
    for _, sender in made:
        if not sender.done.done():
            sender.begin()
    await asyncio.gather(*(sender.done for _, sender in made))
    for _, sender in made:
        sender.leave()
    return seen


@dataclass(frozen=True)
class Offered:
    """What an open loop did and saw.

    Attributes:
        written: requests, with those that the kernel had no room for.
        unsent: of those, requests that the kernel had no room for.
        seconds: from the first to the last.
        statuses: of the answers that came before the senders left.
    """

    written: int
    unsent: int
    seconds: float
    statuses: Counter[int]

    @property
    def rate(self) -> float:
        """Requests a second that the kernel took."""
        return (self.written - self.unsent) / self.seconds

    @property
    def unanswered(self) -> int:
        """Requests that may have counted, or not."""
        return self.written - sum(self.statuses.values()) + self.statuses[CLOSED]


async def offered(port: int, connections: int, rate: float, seconds: float) -> Offered:
    """So many requests a second, in blocks over all connections in turn; then all leave."""
    statuses: Counter[int] = Counter()
    number = round(rate * seconds / BLOCK)
    data, width = await asyncio.to_thread(_blocks, number)
    loop = asyncio.get_running_loop()
    made = [
        (await loop.create_connection(lambda: _Hearing(statuses), "127.0.0.1", port))[1]
        for _ in range(connections)
    ]
    start, written = time.perf_counter(), 0
    while written < number:
        await asyncio.sleep(_TICK)
        due = min(number, int((time.perf_counter() - start) * rate / BLOCK))
        for block in range(written, due):
            made[block % connections].transport.write(data[block * width : (block + 1) * width])
        written = due
    took = time.perf_counter() - start
    unsent = sum(-(-one.transport.get_write_buffer_size() * BLOCK // width) for one in made)
    for one in made:
        one.leave()
    return Offered(number * BLOCK, unsent, took, statuses)


def _blocks(number: int) -> tuple[memoryview, int]:
    """Requests with one report each, all of different ids, end to end; and a block's bytes."""
    one = np.frombuffer(next(singles()), np.uint8)
    start = one.tobytes().index(b"\r\n\r\n") + 4
    requests = np.tile(one, (number * BLOCK, 1))
    ids = os.urandom(number * BLOCK * ID_BYTES)
    requests[:, start : start + ID_BYTES] = np.frombuffer(ids, np.uint8).reshape(-1, ID_BYTES)
    return memoryview(requests.tobytes()), BLOCK * len(one)
