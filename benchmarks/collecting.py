"""How many durable reports a second does a collector take? ``--help`` for options.

The server is a process of its own with a store on this disk (in SQLite, or in a PostgreSQL of its
own), the senders are another, on loopback. Beside single reports stands a handler that reads the
body and answers 202, on the same server: what HTTP itself costs here.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console

from databases import DATABASES, NewStore, new_sqlite
from load import Load, loaded, timed
from report import RESULT, rows_table, save, significant
from sudare.chance.randomness import Seeded
from sudare.collection.document import Collection
from sudare.formats.report_ids import ID_BYTES, IdentifiedReports, ids_of, join
from sudare.mechanisms.unary import OUE

CONNECTIONS, SECONDS, RUNS = 64, 8.0, 4
NULL = "null handler"
NARROW = "narrow"  # a server that refuses what is beyond ``ROOM``
ROOM = 4 * CONNECTIONS  # reports that may wait there; by default there is room for a million
WARMING = 2000  # requests before those that are measured
BATCH, BATCHES, SENDERS = 100_000, 60, 4
ASKED_RATIO, ASKED_BATCHED = 0.45, 2e6
# Reports of 16 bytes.
ASKED = Collection("load", "Which?", tuple(map(str, range(128))), OUE.calibrate(128, 1.0))


def serve(kind: str, url: str) -> None:
    """Be the server, until a signal comes; the first line says the port."""
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sudare.collector.http.app import create_app
    from sudare.collector.http.limits import Limits
    from sudare.collector.service import Service
    from sudare.collector.serving.server import listen
    from sudare.collector.serving.server import serve as answer
    from sudare.collector.stores.contract import HeldCollection, Role
    from sudare.collector.stores.open import open_store
    from sudare.collector.uploads.receipts import ReceiptBody
    from sudare.collector.uploads.upload import accepted

    store = open_store(url)
    store.add(HeldCollection(ASKED))
    service = Service(store)
    limits = Limits(reports=ROOM) if kind == NARROW else Limits()
    app = create_app(service, role_of=lambda _: Role.RELAY, limits=limits)
    start, body = accepted(ReceiptBody(1, 0, 0))

    async def null(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        message: Message = {"more_body": True}
        while message.get("more_body"):
            message = await receive()
        await send(start)
        await send(body)

    listening = listen("127.0.0.1", 0)
    chosen: ASGIApp = null if kind == "null" else app
    began: list[float] = []

    def ready(url: str) -> None:
        print(url, flush=True)
        began.append(time.process_time())

    answer(chosen, service, listening, limits, ready)
    processor = time.process_time() - began[0]
    counted = sum(window.n for window in store.windows(ASKED.key))
    print(json.dumps({"counted": counted, "processor": processor}), flush=True)
    store.shut()


@dataclass
class Served:
    """What the server says of itself at its end.

    Attributes:
        port: where it listens.
        counted: how many reports it holds.
        processor: its seconds on all cores, once it listened.
    """

    port: int
    counted: int = -1
    processor: float = 0.0


@contextmanager
def server(kind: str, new_store: NewStore = new_sqlite) -> Iterator[Served]:
    """A server in a process of its own, with a new store."""
    with new_store() as url:
        command = [sys.executable, __file__, "--serve", kind, url]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if process.stdout is None:
            raise SystemExit("the server has no output")
        served = Served(int(process.stdout.readline().rpartition(":")[2]))
        try:
            yield served
        finally:
            process.terminate()
            for name, value in json.loads(process.stdout.readline()).items():
                setattr(served, name, value)
            process.wait()


def request(body: bytes, *headers: str) -> bytes:
    """An upload."""
    lines = [
        f"POST /collections/{ASKED.key}/reports HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/octet-stream",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def singles() -> Iterator[bytes]:
    """Requests with one report each, all of different ids."""
    report = ASKED.randomize(["1"], Seeded(1)).tobytes()
    head = request(bytes(ID_BYTES + len(report)))[: -ID_BYTES - len(report)]
    while True:
        ids = os.urandom(ID_BYTES << 12)
        for start in range(0, len(ids), ID_BYTES):
            yield head + ids[start : start + ID_BYTES] + report


def batches(number: int) -> list[bytes]:
    """Requests with many reports each, made beforehand."""
    reports = ASKED.mechanism.randomize(np.arange(BATCH) % 128, Seeded(2))
    return [
        request(
            join(IdentifiedReports(ids_of(os.urandom(BATCH * ID_BYTES)), reports)).tobytes(),
            "Authorization: relay",
        )
        for _ in range(number)
    ]


@dataclass(frozen=True)
class Measured:
    """What the senders saw, and the seconds of the processor that the server took for it."""

    load: Load
    processor: float


def measure(kind: str, seconds: float, new_store: NewStore) -> Measured:
    """Single reports over many connections; what was acknowledged must have counted."""
    with server(kind, new_store) as served:
        loaded(served.port, CONNECTIONS, lambda: itertools.islice(singles(), WARMING))
        found = loaded(served.port, CONNECTIONS, lambda: timed(singles(), seconds))
    sent = found.requests + WARMING
    if kind == "durable" and served.counted != sent:
        raise SystemExit(f"{sent} were acknowledged, {served.counted} counted")
    return Measured(found, served.processor * found.requests / sent)


def measure_batches(number: int, new_store: NewStore) -> Measured:
    """Batches over a few connections."""
    sent = batches(number)
    with server("durable", new_store) as served:
        found = loaded(served.port, SENDERS, lambda: iter(sent))
    if served.counted != number * BATCH:
        raise SystemExit(f"{number * BATCH} were acknowledged, {served.counted} counted")
    return Measured(found, served.processor)


def rows(
    collector: str, null: Measured, durable: Measured, many: Measured, *, asked: bool
) -> list[dict[str, Any]]:
    """As in ``result.json``, with what was asked for if anything was."""
    single_job = f"{collector}, single reports, {CONNECTIONS} connections"
    many_job = f"{collector}, bodies of {BATCH:,}, {SENDERS} connections"
    nothing, single = (1e6 * one.load.seconds / one.load.requests for one in (null, durable))
    busy, busier = (1e6 * one.processor / one.load.requests for one in (null, durable))
    reports = many.load.requests * BATCH
    single_limit, many_limit = (
        ("asked for", most) if asked else None
        for most in (nothing / ASKED_RATIO, 1e9 / ASKED_BATCHED)
    )
    return [
        row(single_job, "us", single, (NULL, nothing), single_limit),
        row(f"{single_job}, processor", "us", busier, (NULL, busy)),
        row(f"{single_job}, p99", "ms", 1e3 * durable.load.p99, (NULL, 1e3 * null.load.p99)),
        row(many_job, "ns", 1e9 * many.load.seconds / reports, limit=many_limit),
        row(f"{many_job}, processor", "ns", 1e9 * many.processor / reports),
        row(f"{many_job}, p99 of a body", "ms", 1e3 * many.load.p99),
    ]


def row(
    job: str,
    unit: str,
    ours: float,
    peer: tuple[str, float] | None = None,
    limit: tuple[str, float] | None = None,
) -> dict[str, Any]:
    """One object of ``result.json``."""
    peer_row, limit_row = (
        None if one is None else {"name": one[0], unit: significant(one[1])}
        for one in (peer, limit)
    )
    return {
        "job": job,
        "ours": significant(ours),
        "peer": peer_row,
        "limit": limit_row,
        "ratio": None if peer is None else significant(peer[1] / ours),
        "unit": unit if unit == "ms" else f"{unit}/report",
    }


def main() -> None:
    """Measure, print the table, keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a few seconds, writes nothing")
    parser.add_argument(
        "--store", choices=DATABASES, default="sqlite", help="what counts the reports"
    )
    parser.add_argument("--serve", nargs=2, metavar=("KIND", "URL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(*options.serve)
        return
    database = DATABASES[options.store]
    with database.stores() as new_store:
        best = measured(new_store, quick=options.quick)
    asked = options.store == "sqlite"  # of the others nothing was
    found = rows("collector" if asked else f"collector on {database.name}", *best, asked=asked)
    Console(width=None if sys.stdout.isatty() else 150).print(
        rows_table(found, f"durable reports over HTTP on loopback, {database.name}")
    )
    if not options.quick:
        save(found, RESULT)


def measured(new_store: NewStore, *, quick: bool) -> tuple[Measured, Measured, Measured]:
    """The best of the null handler, of single reports and of batches."""
    part, turns = (5, 1) if quick else (1, RUNS)
    # In turns, and the best of each: others on the machine disturb both.
    null, durable = (
        max(runs, key=lambda one: one.load.requests / one.load.seconds)
        for runs in zip(
            *(
                [measure(kind, SECONDS / part, new_store) for kind in ("null", "durable")]
                for _ in range(turns)
            ),
            strict=True,
        )
    )
    many = [measure_batches(BATCHES // part, new_store) for _ in range(turns)]
    return null, durable, min(many, key=lambda one: one.load.seconds)


if __name__ == "__main__":
    main()
