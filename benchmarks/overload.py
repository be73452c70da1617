"""What becomes of a collector that is sent ten times what it can take? ``--help`` for options.

First its capacity: single reports over as many connections as keep it busy, one request in flight
on each. Then ten times as much, in two ways, at a collector with room for four times what kept it
busy (by default there is room for a million):

- senders: ten times as many connections, each with a request in flight at all times and none that
  waits when it is refused; meanwhile new connections come, sixteen at once.
- rate: ten times the capacity in requests a second over as many connections, written when the clock
  says so, whatever comes back. A collector reads what it can answer. The rest waits in the kernel's
  buffers, and is lost when the senders leave.

Then as before: when does it answer as fast as it did? Senders and server share the machine's cores,
so the capacity is that of a server that has its senders beside it, less than it would be alone; ten
times of it is ten times of that number. During an overload its senders take more of the cores.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import uvloop
from rich.console import Console

from collecting import CONNECTIONS, NARROW, server
from flood import Offered, Seen, offered, sent
from report import RESULT, rows_table, save, significant

TIMES = 10
SECONDS = 8.0
CALM = 200  # requests in a row, all accepted, none slower than calm ones are
NEW = 16  # connections that come at once during a flood
LEAST = 0.9  # of the rate that is to be offered


@dataclass(frozen=True)
class Measured:
    """A calm load, ten times as much, and seconds until it was as before."""

    calm: Seen
    capacity: float
    recovery: float


@dataclass(frozen=True)
class Crowded(Measured):
    """Ten times as many senders, and what newcomers saw meanwhile."""

    flood: Seen
    newcomers: Seen


@dataclass(frozen=True)
class Hurried(Measured):
    """Ten times the rate."""

    flood: Offered


def recovered(calm: Seen, after: Seen, start: float) -> float:
    """Seconds until so many in a row were answered as fast as calm ones."""
    row, slow = 0, 2 * calm.p99
    for moment, took in after.accepted:
        row = row + 1 if took <= slow else 0
        if row == CALM:
            return moment - start
    raise SystemExit("the collector didn't recover")


def check(counted: int, seen: list[Counter[int]], unanswered: int = 0) -> None:
    """Nothing but 202 and 429; what was acknowledged has counted, and nothing refused has."""
    statuses = sum(seen, Counter[int]())
    wrong = {status: number for status, number in statuses.items() if status not in (202, 429)}
    if wrong:
        raise SystemExit(
            f"there were answers of other statuses (0 for a closed connection): {wrong}"
        )
    if not statuses[202] <= counted <= statuses[202] + unanswered:
        raise SystemExit(
            f"{statuses[202]} were acknowledged and {unanswered} not answered, {counted} counted"
        )


async def newcomers(port: int, seconds: float) -> Seen:
    """New connections, one request each; the next come when all were answered."""
    await asyncio.sleep(seconds / 4)  # until the flood is there
    seen, until = Seen(), time.perf_counter() + seconds / 2
    while time.perf_counter() < until:
        each = await sent(port, NEW, 0.0)
        seen.statuses += each.statuses
        seen.greetings += each.greetings
        await asyncio.sleep(0.1)
    return seen


def crowd(seconds: float) -> Crowded:
    """Ten times as many senders."""

    async def run(port: int) -> tuple[list[Seen], float]:
        warm = await sent(port, CONNECTIONS, 1.0)
        calm = await sent(port, CONNECTIONS, seconds)
        flood, new = await asyncio.gather(
            sent(port, TIMES * CONNECTIONS, seconds), newcomers(port, seconds)
        )
        start = time.perf_counter()
        return [warm, calm, flood, new, await sent(port, CONNECTIONS, seconds)], start

    with server(NARROW) as served:
        seen, start = uvloop.run(run(served.port))
    check(served.counted, [one.statuses for one in seen])
    _, calm, flood, new, after = seen
    capacity = len(calm.accepted) / seconds
    return Crowded(calm, capacity, recovered(calm, after, start), flood, new)


def hurry(seconds: float) -> Hurried:
    """Ten times the rate."""

    async def run(port: int) -> tuple[list[Seen], Offered, float]:
        warm = await sent(port, CONNECTIONS, 1.0)
        calm = await sent(port, CONNECTIONS, seconds)
        rate = TIMES * len(calm.accepted) / seconds
        flood = await offered(port, TIMES * CONNECTIONS, rate, seconds)
        start = time.perf_counter()
        return [warm, calm, await sent(port, CONNECTIONS, seconds)], flood, start

    with server(NARROW) as served:
        seen, flood, start = uvloop.run(run(served.port))
    check(served.counted, [flood.statuses, *(one.statuses for one in seen)], flood.unanswered)
    _, calm, after = seen
    capacity = len(calm.accepted) / seconds
    if flood.rate < LEAST * TIMES * capacity:
        raise SystemExit(f"the senders offered only {flood.rate:,.0f} requests a second")
    return Hurried(calm, capacity, recovered(calm, after, start), flood)


def crowd_rows(found: Crowded, seconds: float) -> list[dict[str, Any]]:
    """As in ``result.json``."""
    job, as_calm = f"collector, {TIMES} times as many senders", f"{CONNECTIONS} connections"
    accepted = len(found.flood.accepted) / seconds
    waits = found.newcomers.greetings
    calm_wait = statistics.median(found.calm.greetings)
    return [
        row(f"{job}, accepted", accepted, "reports/s", (as_calm, "reports", found.capacity)),
        row(
            f"{job}, p99 of the accepted",
            *(1e3 * found.flood.p99, "ms", (as_calm, "ms", 1e3 * found.calm.p99)),
        ),
        row(f"{job}, answered with 429", refused(found.flood.statuses), "%"),
        row(
            f"{job}, a new connection's answer",
            *(1e3 * statistics.median(waits), "ms", (as_calm, "ms", 1e3 * calm_wait)),
        ),
        row(f"{job}, the slowest new connection's answer", 1e3 * max(waits), "ms"),
        row(f"{job}, until as fast as before", found.recovery, "s"),
    ]


def hurry_rows(found: Hurried) -> list[dict[str, Any]]:
    """As in ``result.json``."""
    job, flood = f"collector, {TIMES} times its rate", found.flood
    answered = sum(flood.statuses.values()) / flood.seconds
    capacity = ("capacity", "reports", found.capacity)
    return [
        row(f"{job}, offered", flood.rate, "requests/s", capacity),
        row(f"{job}, answered", answered, "requests/s", capacity),
        row(f"{job}, accepted", flood.statuses[202] / flood.seconds, "reports/s", capacity),
        row(f"{job}, answered with 429", refused(flood.statuses), "%"),
        row(f"{job}, until as fast as before", found.recovery, "s"),
    ]


def refused(statuses: Counter[int]) -> float:
    """Of a hundred answers, so many said to come again."""
    return 100 * statuses[429] / max(1, sum(statuses.values()))


def row(
    job: str, ours: float, unit: str, peer: tuple[str, str, float] | None = None
) -> dict[str, Any]:
    """One object of ``result.json``."""
    return {
        "job": job,
        "ours": significant(ours),
        "peer": None if peer is None else {"name": peer[0], peer[1]: significant(peer[2])},
        "limit": None,
        "ratio": None,
        "unit": unit,
    }


def main() -> None:
    """Measure, print the table, keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a few seconds, writes nothing")
    options = parser.parse_args()
    seconds = SECONDS / (4 if options.quick else 1)
    crowded, hurried = crowd(seconds), hurry(seconds)
    measured = crowd_rows(crowded, seconds) + hurry_rows(hurried)
    Console(width=None if sys.stdout.isatty() else 150).print(
        rows_table(measured, "far too many reports over HTTP on loopback, SQLite")
    )
    statuses = {
        "senders": crowded.flood.statuses,
        "newcomers": crowded.newcomers.statuses,
        "rate": hurried.flood.statuses,
    }
    print(json.dumps(statuses))
    if not options.quick:
        save(measured, RESULT)


if __name__ == "__main__":
    main()
