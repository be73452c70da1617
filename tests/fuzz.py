"""What strangers may send, changed at random for so many minutes: ``make fuzz MINUTES=10``.

In turn: documents of every kind, messages between two parties, commands on files, uploads to a
collector in this process and to one on the network, and requests drawn from the OpenAPI document.
A finding is anything but what is promised: an error that isn't ours, a status of 500, a count that
isn't what the bytes say, words of a sender in a log, or no end. Its kind and its seed are printed,
and kept in ``fuzz_seeds.json``, which the tests try again. The last line is a JSON object; the code
is 1 if anything was found. A day is ``MINUTES=1440``; Ctrl-C ends it at once, with what there is.
"""

import argparse
import asyncio
import hashlib
import json
import logging
import random
import secrets
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from schemathesis.generation import GenerationMode

from schema_fuzz import serving
from support import hostile
from support.fault_fuzz import ASKED, Fuzz, leaks
from support.fault_fuzzing import exchanged_raw, fuzzed
from support.fault_kills import Process, write
from support.in_memory import memory_folder

SEEDS = Path(__file__).with_name("fuzz_seeds.json")
PATIENCE = 600  # seconds for one try of a kind, on a machine that does much else
Fates = Counter[str]


def uploads(seed: int, number: int = 500) -> Fates:
    """Mutated uploads to a collector in this process: refused, or counted as their bytes say."""
    with memory_folder() as folder:
        statuses, written = fuzzed(folder, seed, number)
    assert leaks(written) == []
    return _told(statuses)


def network(seed: int, number: int = 200) -> Fates:
    """Mutated requests, heads too, to ``sudare serve``: nothing but 2xx, 4xx or a closed line."""
    # A stream without windows isn't served: what is sent to it meets a 404.
    served = [asked.collection for asked in ASKED if not asked.collection.over_time]
    with memory_folder() as folder:
        write(folder, served)
        process = Process(folder, str(folder / "store.db"), options=["--body-seconds", "1"])
        process.start()
        try:
            statuses, _ = asyncio.run(exchanged_raw(process, Fuzz(seed), number))
            process.stop()
        finally:
            process.kill()
        assert leaks(process.log.read_text()) == []
    assert {status // 100 for status in statuses} <= {0, 2, 4}, statuses
    return _told(statuses)


def requests(seed: int, number: int = 20) -> Fates:
    """Requests drawn from the OpenAPI document: every answer is one that it describes."""
    rng = random.Random(seed)  # noqa: S311 - a test's, no secret
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as target:
        for _ in range(3):
            label = rng.choice(list(target.operations))
            target.try_out(label, rng.choice(list(GenerationMode)), number, rng.randrange(1 << 32))
    statuses = Counter[int]()
    for (_, status), times in target.seen.items():
        statuses[status] += times
    return _told(statuses)


def _told(statuses: Counter[int]) -> Fates:
    fates = Fates()
    for status, times in statuses.items():
        fates["taken" if status // 100 == 2 else "refused"] += times
    return fates


KINDS: dict[str, Callable[[int], Fates]] = {
    "documents": hostile.documents,
    "messages": hostile.messages,
    "commands": hostile.commands,
    "uploads": uploads,
    "network": network,
    "requests": requests,
}


class NoEnd(Exception):  # noqa: N818 - named by what is wrong
    """Something that takes longer than anything may."""


@contextmanager
def ended_in(seconds: float) -> Iterator[None]:
    """Raise ``NoEnd`` in the middle of whatever hasn't ended by then."""

    def end(_: int, __: FrameType | None) -> None:
        raise NoEnd(f"no end after {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def tried(kind: str, seed: int, patience: float = PATIENCE) -> Fates:
    """Try one kind once; raises where something is found."""
    with ended_in(patience):
        return KINDS[kind](seed)


def kept() -> list[dict[str, Any]]:
    """The kinds and seeds that once found something."""
    found: list[dict[str, Any]] = json.loads(SEEDS.read_text(encoding="utf-8"))
    return found


def keep(kind: str, seed: int, error: BaseException) -> None:
    """Remember a finding, for the tests to try again."""
    entry = {"kind": kind, "seed": seed, "found": f"{type(error).__name__}: {error}"[:200]}
    if not any((one["kind"], one["seed"]) == (kind, seed) for one in kept()):
        text = json.dumps([*kept(), entry], indent=1, ensure_ascii=True)
        SEEDS.write_text(text + "\n", encoding="utf-8")


def fuzz(kinds: list[str], seed: int, minutes: float) -> tuple[dict[str, Fates], int]:
    """Try the kinds in turn until the time is over; what became of all, and the findings."""
    fates = {kind: Fates() for kind in kinds}
    findings = 0
    start = time.monotonic()
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    try:
        with Progress(*columns, console=console) as progress:
            task = progress.add_task("fuzz", total=60 * minutes)
            for number in count():
                kind = kinds[number % len(kinds)]
                own = int.from_bytes(hashlib.sha256(f"{seed} {number}".encode()).digest()[:6])
                try:
                    fates[kind] += tried(kind, own)
                except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
                    findings += 1
                    keep(kind, own, error)
                    console.print(f"found by {kind}, seed {own}:", markup=False)
                    console.print("".join(traceback.format_exception(error)), markup=False)
                passed = time.monotonic() - start
                tries = sum(each.total() for each in fates.values())
                told = f"{tries:,} tried, {findings} found"
                progress.update(task, completed=passed, description=told)
                if passed >= 60 * minutes:
                    break
    except KeyboardInterrupt:
        console.print("stopped")
    return fates, findings


def main() -> None:
    """Fuzz for some minutes, or try one seed again; the code is 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (10)")
    parser.add_argument("--kind", action="append", choices=KINDS, help="may be repeated (all)")
    parser.add_argument("--seed", type=int, help="another each time unless given")
    parser.add_argument("--again", type=int, metavar="SEED", help="one try of one --kind, once")
    chosen = parser.parse_args()
    kinds = chosen.kind or list(KINDS)
    logging.disable(logging.CRITICAL)
    if chosen.again is not None:
        if len(kinds) != 1:
            parser.error("--again takes one --kind")
        print(kinds[0], dict(tried(kinds[0], chosen.again)))  # noqa: T201 - what was asked for
        return
    seed = secrets.randbelow(1 << 32) if chosen.seed is None else chosen.seed
    start = time.monotonic()
    fates, findings = fuzz(kinds, seed, chosen.minutes)
    said = {
        "seed": seed,
        "minutes": round((time.monotonic() - start) / 60, 1),
        "tried": {kind: each.total() for kind, each in fates.items()},
        "findings": findings,
    }
    print(json.dumps(said))  # noqa: T201 - what was asked for
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
