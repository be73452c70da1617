"""Many faults, counted: ``python tests/fault_campaign.py --histories 5000 --store sqlite``.

Writes one JSON object to stdout: what was done, what broke, what was lost, what counted twice.
"""

import argparse
import json
import logging
import queue
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress

from support.fault_fuzz import leaks
from support.fault_fuzzing import fuzzed
from support.fault_histories import lived
from support.fault_kills import killed
from support.fault_reports import Verdict
from support.fault_stores import VARIANTS, Place, SqlitePlace
from support.in_memory import memory_folder

if TYPE_CHECKING:
    from support.fault_stops import World


@contextmanager
def places(store: str) -> Iterator[Callable[[], Place]]:
    """New places for stores of one kind."""
    if store == "sqlite":
        with memory_folder() as folder:
            yield lambda: SqlitePlace(Path(tempfile.mkdtemp(dir=folder)))
        return
    from support import postgres
    from support.fault_postgres import PostgresPlace

    with postgres.server() as server:
        url = server.new_database()
        yield lambda: PostgresPlace(url)


@contextmanager
def disk_store(store: str) -> Iterator[tuple[Path, str]]:
    """A folder on this disk, and the address of a new store."""
    with tempfile.TemporaryDirectory() as name:
        if store == "sqlite":
            yield Path(name), str(Path(name) / "store.db")
            return
        from support import postgres

        with postgres.server(tempfile.gettempdir()) as server:
            yield Path(name), server.new_database()


def histories(store: str, number: int, seed: int, variant: str) -> Verdict:
    """Random lives in one process."""
    total = Verdict()
    with places(store) as place, Progress(console=Console(stderr=True)) as progress:
        for each in progress.track(range(number), description="histories"):
            total += lived(seed + each, place(), variant)
    return total


def worlds(stack: ExitStack, options: argparse.Namespace) -> Iterator[Callable[[], "World"]]:
    """What makes a new world, for each of those who live through histories."""
    from support import postgres
    from support.fault_stops import PostgresWorld, SqliteWorld

    def in_folder(folder: Path) -> SqliteWorld:
        return SqliteWorld(Path(tempfile.mkdtemp(dir=folder)), options.variant)

    for _ in range(options.workers):
        if options.store == "sqlite":
            yield partial(in_folder, stack.enter_context(memory_folder()))
        else:
            server = stack.enter_context(postgres.server())
            yield partial(PostgresWorld, server, options.variant)


def stops(options: argparse.Namespace) -> tuple[int, Verdict]:
    """Lives of real processes that are stopped and cut off, several at once; and how many."""
    from support.fault_stops import stopped

    def one(own: int) -> Verdict | None:
        if time.monotonic() > until:
            return None
        world = free.get()
        try:
            return stopped(own, world())
        except AssertionError as error:
            print(f"seed {own}: {error}", file=sys.stderr, flush=True)  # noqa: T201 - a finding
            return Verdict(late=1)
        finally:
            free.put(world)

    until = time.monotonic() + 60 * options.minutes
    total, lived, free = Verdict(), 0, queue.SimpleQueue[Callable[[], "World"]]()
    with ExitStack() as stack:
        for world in worlds(stack, options):
            free.put(world)
        pool = stack.enter_context(ThreadPoolExecutor(options.workers))
        for verdict in pool.map(one, range(options.seed, options.seed + options.stops)):
            if verdict is None:
                continue
            total += verdict
            lived += 1
            if not verdict.clean or lived % 50 == 0:
                said = f"{lived} of {options.stops}: {verdict}"
                print(said, file=sys.stderr, flush=True)  # noqa: T201 - it takes long
    return lived, total


def main() -> None:
    """Run what is asked for; the code is 1 if anything was lost or counted twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--variant", choices=sorted(VARIANTS), default="sound")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 40))
    parser.add_argument("--workers", type=int, default=4, help="at once, when stopping")
    parser.add_argument("--minutes", type=float, default=60, help="at most, when stopping")
    parser.add_argument("--processes", type=int, default=1, help="on one store, when killing")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--histories", type=int, metavar="N", help="in one process")
    what.add_argument("--fuzz", type=int, metavar="N", help="mutated uploads in one process")
    what.add_argument("--stops", type=int, metavar="N", help="histories of stopped processes")
    what.add_argument("--kills", type=int, metavar="N", help="kill -9 of sudare serve under load")
    options = parser.parse_args()
    start = time.monotonic()
    if options.fuzz:
        with memory_folder() as folder:
            statuses, written = fuzzed(folder, options.seed, options.fuzz)
        said = {"fuzz": options.fuzz, "seed": options.seed, "statuses": statuses}
        seconds = round(time.monotonic() - start, 1)
        print(json.dumps({**said, "leaks": len(leaks(written)), "seconds": seconds}))  # noqa: T201
        sys.exit(bool(leaks(written)))
    if options.processes > 1 and options.store == "sqlite":
        parser.error("a store in SQLite is of one process")
    logging.disable(logging.CRITICAL)
    if options.histories:
        found = histories(options.store, options.histories, options.seed, options.variant)
    elif options.stops:
        options.stops, found = stops(options)
    else:
        with disk_store(options.store) as (folder, url):
            given = {"variant": options.variant, "processes": options.processes}
            found = killed(folder, url, options.kills, options.seed, **given)
    own = {"workers", "minutes"} if options.stops is None else set[str]()
    said = {
        name: value
        for name, value in vars(options).items()
        if value is not None and name not in own
    }
    seconds = round(time.monotonic() - start, 1)
    json.dump({**said, **asdict(found), "seconds": seconds}, sys.stdout)
    print()  # noqa: T201 - a line
    sys.exit(not found.clean)


if __name__ == "__main__":
    main()
