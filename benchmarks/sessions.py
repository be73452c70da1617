"""Sessions of two parties, by the thousand: what they open, and what they take.

``python benchmarks/sessions.py --runs 300`` prints how often each noise was opened, as JSON. Each
session is the whole protocol with ElGamal and the shipped tables for ε = 1, δ = 10⁻⁶: fresh keys,
freshly shuffled and encrypted tables, draws, a re-randomised sum, an opening. P1 and P2 are two
processes that talk over loopback, one pair of them for each core.
"""

import argparse
import json
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sudare.chance.randomness import System
from sudare.twoparty.ciphers.interface import cipher_named
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.connection import connected
from sudare.twoparty.protocol.parties import Listening, Starting, TotalOfP2
from sudare.twoparty.protocol.peer_listener import listening
from sudare.twoparty.protocol.session import run_one, run_two

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

CIPHER = "elgamal"
GUARANTEE = Guarantee(1.0, 1e-6)
PEOPLE = 1000
TOTAL = 500  # P2's: what is opened less this is the noise
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Opened:
    """What sessions opened, and what both parties took for it."""

    counts: Counter[int]
    cpu_seconds: float
    bytes: int

    @property
    def runs(self) -> int:
        """How many sessions."""
        return self.counts.total()

    def __add__(self, other: "Opened") -> "Opened":
        return Opened(
            self.counts + other.counts,
            self.cpu_seconds + other.cpu_seconds,
            self.bytes + other.bytes,
        )


def shipped_proof() -> Proof:
    """The shipped tables, proved anew."""
    proof = shipped(GUARANTEE)
    if proof is None:
        raise SystemExit(f"no tables are shipped for {GUARANTEE}")
    return proof


def agreement() -> Agreement:
    """What both parties hold alike: one candidate, as a proof doesn't change what is drawn."""
    return Agreement(TableDocument(GUARANTEE, shipped_proof().scheme), CIPHER, PEOPLE)


def be_one(runs: int, port: "Connection[int, int]", tell: "Connection[Any, Any]") -> None:
    """P1 of so many sessions, one after another."""
    party = Listening(agreement(), cipher_named(CIPHER))
    with listening(LOOPBACK, 0, None, ready=port.send) as wire:
        start = time.process_time()
        for _ in range(runs):
            tell.send(run_one(wire, party, System()).total)
        tell.send((time.process_time() - start, wire.sent + wire.received))


def be_two(runs: int, port: "Connection[int, int]", tell: "Connection[Any, Any]") -> None:
    """P2 of so many sessions."""
    party = Starting(agreement(), cipher_named(CIPHER), TotalOfP2(total=TOTAL))
    with connected(LOOPBACK, port.recv(), None) as wire:
        start = time.process_time()
        for _ in range(runs):
            found = run_two(wire, party, System())
            tell.send(None if found is None else found.total)
        tell.send((time.process_time() - start, wire.sent + wire.received))


def opened(runs: int, progress: Callable[[], object] = lambda: None) -> Opened:
    """The sessions of one pair; stops if the two parties don't hear the same totals."""
    fresh = multiprocessing.get_context("spawn")
    port_in, port_out = fresh.Pipe(duplex=False)
    processes, ends = [], []
    for party, port in ((be_one, port_out), (be_two, port_in)):
        hear, tell = fresh.Pipe(duplex=False)
        processes.append(fresh.Process(target=party, args=(runs, port, tell), daemon=True))
        processes[-1].start()
        tell.close()  # else a party that died would be waited for
        ends.append(hear)
    counts: Counter[int] = Counter()
    try:
        for _ in range(runs):
            first, second = (end.recv() for end in ends)
            if first != second:
                raise SystemExit("the two parties don't hear the same total")
            counts[first - TOTAL] += 1
            progress()
        (one, size), (two, same) = (end.recv() for end in ends)
    except EOFError:
        raise SystemExit("a party stopped before its last session") from None
    if size != same:
        raise SystemExit(f"P1 counted {size} bytes and P2 {same}")
    for process in processes:
        process.join()
    return Opened(counts, one + two, size)


def on_all_cores(runs: int) -> Opened:
    """So many sessions, dealt out to one pair of processes for each core, with a bar."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    console = Console(stderr=True)
    pairs = min(os.cpu_count() or 1, runs)
    shares = [runs // pairs + (pair < runs % pairs) for pair in range(pairs)]
    with (
        Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar,
        ThreadPoolExecutor(pairs) as pool,
    ):
        task = bar.add_task("sessions", total=runs)
        first, *others = pool.map(lambda share: opened(share, lambda: bar.advance(task)), shares)
    return sum(others, start=first)


def runs_asked(parser: argparse.ArgumentParser, usual: int) -> argparse.Namespace:
    """The options, with a number of runs that makes sense."""
    parser.add_argument("--runs", type=int, default=usual, help=f"sessions ({usual:,})")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error(f"runs must be at least 1, got {options.runs}")
    return options


def main() -> None:
    """Run and print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found = on_all_cores(runs_asked(parser, 300).runs)
    print(json.dumps({str(noise): count for noise, count in sorted(found.counts.items())}))


if __name__ == "__main__":
    main()
