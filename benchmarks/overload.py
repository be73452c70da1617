"""What becomes of a collector that is sent ten times what it can take? ``--help`` for options.

First its capacity: single reports over as many connections as keep it busy. Then ten times as many
senders, each with a request in flight at all times and none that waits when it is refused, at a
collector with room for four times what kept it busy. (By default there is room for a million.) Then
as before: when does it answer as fast as it did?
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvloop
from rich.console import Console

from collecting import ASKED, singles
from report import RESULT, rows_table, save, significant

CONNECTIONS, TIMES = 64, 10
ROOM = 4 * CONNECTIONS  # reports that may wait
SECONDS = 8.0
CALM = 200  # requests in a row, all accepted, none slower than calm ones are


def serve(folder: str) -> None:
    """Be the server, until a signal comes; the first line says the port."""
    from sudare.collector.app import create_app
    from sudare.collector.limits import Limits
    from sudare.collector.opening import open_store
    from sudare.collector.server import listen
    from sudare.collector.server import serve as answer
    from sudare.collector.service import Service
    from sudare.collector.store import Standing

    store = open_store(str(Path(folder) / "load.db"))
    store.add(Standing(ASKED))
    service, limits = Service(store), Limits(reports=ROOM)
    app = create_app(service, limits=limits)
    answer(app, service, listen("127.0.0.1", 0), limits, lambda url: print(url, flush=True))
    print(sum(window.n for window in store.windows(ASKED.key)), flush=True)
    store.shut()


@dataclass
class Served:
    """A server, and at its end how many reports it holds."""

    port: int
    counted: int = -1


@contextmanager
def server() -> Iterator[Served]:
    """A server in a process of its own."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        command = [sys.executable, __file__, "--serve", folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if process.stdout is None:
            raise SystemExit("the server has no output")
        served = Served(int(process.stdout.readline().rpartition(":")[2]))
        try:
            yield served
        finally:
            process.terminate()
            served.counted = int(process.stdout.readline())
            process.wait()


@dataclass
class Seen:
    """What senders saw.

    Attributes:
        statuses: how often each came; 0 for a connection that was closed.
        accepted: when each 202 came, and how long it took.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    accepted: list[tuple[float, float]] = field(default_factory=list)

    @property
    def p99(self) -> float:
        """Of a hundred 202s, the second-slowest took so many seconds."""
        return statistics.quantiles([took for _, took in self.accepted], n=100)[98]


class Sender(asyncio.Protocol):
    """One connection: sends the next report as soon as the last one is answered, however."""

    def __init__(self, requests: Iterator[bytes], seen: Seen, seconds: float) -> None:
        self._requests, self._seen, self._seconds = requests, seen, seconds
        self._answer, self._until = b"", 0.0
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[None] = loop.create_future()
        self.done: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for one answer, so that the connection is there when all begin."""
        self._transport = transport
        self._send()

    def begin(self) -> None:
        """Send from now on."""
        self._until = time.perf_counter() + self._seconds
        self._next()

    def _send(self) -> None:
        self._start = time.perf_counter()
        self._transport.write(next(self._requests))  # type: ignore[attr-defined]

    def _next(self) -> None:
        if time.perf_counter() > self._until:
            if not self.done.done():
                self.done.set_result(None)
            return
        self._send()

    def data_received(self, data: bytes) -> None:
        """Count an answer that is whole."""
        self._answer += data
        head, found, body = self._answer.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length: ")[2].split()[0])
        if len(body) < length:
            return
        self._answer = b""
        if not self.ready.done():
            self.ready.set_result(None)
            return
        status, now = int(head.split()[1]), time.perf_counter()
        self._seen.statuses[status] += 1
        if status == 202:
            self._seen.accepted.append((now, now - self._start))
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        """The server may close a connection; that is counted."""
        del exc
        if not self.done.done():
            self._seen.statuses[0] += 1
            self.done.set_result(None)
        if not self.ready.done():
            self.ready.set_result(None)


async def sent(port: int, connections: int, seconds: float) -> Seen:
    """Reports over so many connections, for a time."""
    seen, requests = Seen(), singles()
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: Sender(requests, seen, seconds), "127.0.0.1", port)
        for _ in range(connections)
    ]
    await asyncio.gather(*(sender.ready for _, sender in made))
    for _, sender in made:
        sender.begin()
    await asyncio.gather(*(sender.done for _, sender in made))
    for transport, _ in made:
        transport.abort()
    return seen


def recovered(after: Seen, start: float, slow: float) -> float | None:
    """Seconds until so many in a row were answered as fast as calm ones; None for never."""
    row = 0
    for moment, took in after.accepted:
        row = row + 1 if took <= slow else 0
        if row == CALM:
            return moment - start
    return None


@dataclass(frozen=True)
class Measured:
    """A calm load, ten times as much, and a calm one again."""

    calm: Seen
    flood: Seen
    seconds: float
    recovery: float

    @property
    def rates(self) -> tuple[float, float]:
        """Accepted reports a second, calm and flooded."""
        calm, flood = (len(seen.accepted) / self.seconds for seen in (self.calm, self.flood))
        return calm, flood


def measure(seconds: float) -> Measured:
    """Load the server; what was acknowledged must have counted, and nothing else."""

    async def run(port: int) -> tuple[Seen, Seen, Seen, float]:
        await sent(port, CONNECTIONS, 1.0)  # to warm up: its reports count too
        calm = await sent(port, CONNECTIONS, seconds)
        flood = await sent(port, TIMES * CONNECTIONS, seconds)
        start = time.perf_counter()
        return calm, flood, await sent(port, CONNECTIONS, seconds), start

    with server() as served:
        calm, flood, after, start = uvloop.run(run(served.port))
    if served.counted < sum(len(seen.accepted) for seen in (calm, flood, after)):
        raise SystemExit("fewer were counted than were acknowledged")
    wrong = {status for seen in (calm, flood, after) for status in seen.statuses} - {0, 202, 429}
    if wrong:
        raise SystemExit(f"there were answers of the statuses {sorted(wrong)}")
    recovery = recovered(after, start, 2 * calm.p99)
    if recovery is None:
        raise SystemExit("the collector didn't recover")
    return Measured(calm, flood, seconds, recovery)


def rows(found: Measured) -> list[dict[str, Any]]:
    """As in ``result.json``."""
    calm, flood = found.rates
    job = f"collector, {TIMES} times as many senders"

    def row(name: str, ours: float, peer: dict[str, Any] | None, unit: str) -> dict[str, Any]:
        return {
            "job": f"{job}, {name}",
            "ours": significant(ours),
            "peer": peer,
            "limit": None,
            "ratio": None,
            "unit": unit,
        }

    as_calm = f"{CONNECTIONS} connections"
    refused = found.flood.statuses[429] / max(1, sum(found.flood.statuses.values()))
    return [
        row("accepted", flood, {"name": as_calm, "reports": significant(calm)}, "reports/s"),
        row(
            "p99 of the accepted",
            1e3 * found.flood.p99,
            {"name": as_calm, "ms": significant(1e3 * found.calm.p99)},
            "ms",
        ),
        row("answered with 429", 100 * refused, None, "%"),
        row("until as fast as before", found.recovery, None, "s"),
    ]


def main() -> None:
    """Measure, print the table, keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a few seconds, writes nothing")
    parser.add_argument("--serve", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    found = measure(SECONDS / (4 if options.quick else 1))
    measured = rows(found)
    Console(width=None if sys.stdout.isatty() else 150).print(rows_table(measured))
    print(json.dumps({"calm": found.calm.statuses, "flood": found.flood.statuses}))
    if not options.quick:
        save(measured, RESULT)


if __name__ == "__main__":
    main()
