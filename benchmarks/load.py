"""Senders: keep-alive connections, each with one request in flight, and when it was answered."""

import asyncio
import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import uvloop


@dataclass(frozen=True)
class Load:
    """What the senders saw.

    Attributes:
        requests: that were answered with 202.
        seconds: from the first request to the last answer.
        latencies: of each request, in seconds.
    """

    requests: int
    seconds: float
    latencies: list[float]

    @property
    def p99(self) -> float:
        """Of a hundred requests, the second-slowest took so many seconds."""
        return statistics.quantiles(self.latencies, n=100)[98]


class _Sender(asyncio.Protocol):
    """One connection: sends the next request when the last one is answered."""

    def __init__(
        self, requests: Iterator[bytes], latencies: list[float], done: "asyncio.Future[None]"
    ) -> None:
        self._requests = requests
        self._latencies = latencies
        self._done = done
        self._length = 0  # of an answer: all are alike, so it is read off the first
        self._answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = transport
        self._next()

    def _next(self) -> None:
        request = next(self._requests, None)
        if request is None:
            if not self._done.done():
                self._done.set_result(None)
            return
        self._start = time.perf_counter()
        self._transport.write(request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        """Look whether the answer is whole, and is a 202."""
        answer = self._answer = self._answer + data if self._answer else data
        if not self._length:
            head, _, _ = answer.lower().partition(b"\r\n\r\n")
            self._length = len(head) + 4 + int(head.partition(b"content-length: ")[2].split()[0])
        if len(answer) < self._length:
            return
        self._latencies.append(time.perf_counter() - self._start)
        if not answer.startswith(b"HTTP/1.1 202") or len(answer) > self._length:
            self._done.set_exception(SystemExit(f"not a 202 as before: {answer[:200]!r}"))
            return
        self._answer = b""
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody may go away while a request is in flight."""
        if not self._done.done():
            self._done.set_exception(exc or ConnectionError("the server closed the connection"))


def loaded(port: int, connections: int, request: Callable[[], Iterator[bytes]]) -> Load:
    """Send all requests of an iterator over so many connections."""

    async def run() -> Load:
        loop = asyncio.get_running_loop()
        requests, latencies = request(), list[float]()
        done = [loop.create_future() for _ in range(connections)]
        start = time.perf_counter()
        made = [
            await loop.create_connection(
                lambda each=each: _Sender(requests, latencies, each),  # type: ignore[misc]
                "127.0.0.1",
                port,
            )
            for each in done
        ]
        await asyncio.gather(*done)
        seconds = time.perf_counter() - start
        for transport, _ in made:
            transport.abort()
        return Load(len(latencies), seconds, latencies)

    return uvloop.run(run())


def timed(requests: Iterator[bytes], seconds: float) -> Iterator[bytes]:
    """Requests until so much time has passed."""
    until = time.perf_counter() + seconds
    return itertools.takewhile(lambda _: time.perf_counter() < until, requests)
