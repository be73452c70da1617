"""Do people × rounds stream through devices and their sums in bounded memory, and how fast?

``python benchmarks/crowd.py``; ``--help`` for options. The states of a round are drawn when the
round comes and forgotten after it. Each mechanism runs in a process of its own, for all rounds and
for a tenth of them: memory is bounded if it is the same. Beside it stands the time that NumPy needs
to draw the states alone, in the same run.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from memory import peak_memory
from report import RESULT, rows_table, save, significant
from sudare import Glance, KShot, Seeded
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.simulation.crowd import Crowd

PEOPLE, ROUNDS, EPSILON = 1_000_000, 1000, 4.0
CALIBRATED: dict[str, Any] = {"glance": Glance.calibrate, "kshot": KShot.calibrate}
COVERED = 1 - 1e-9  # the level of the band that all rounds must lie in


def states(people: int, rounds: int) -> Iterator[NDArray[np.bool_]]:
    """Everybody's states, round by round: a share that swings once, of people drawn anew."""
    generator = np.random.default_rng(1)
    for share in 0.5 + 0.4 * np.sin(np.linspace(0, 2 * np.pi, rounds)):
        yield generator.integers(0, 256, people, np.uint8) < round(256 * share)


def drawn(people: int, rounds: int) -> float:
    """The seconds that the states take by themselves."""
    start = time.perf_counter()
    for held in states(people, rounds):
        del held
    return time.perf_counter() - start


def streamed(mechanism: ContinualMechanism, people: int) -> dict[str, Any]:
    """Everybody through every round: seconds, without and with drawing the plans, and memory."""
    Crowd(mechanism, 100_000, Seeded(0))  # compile
    start = time.perf_counter()
    crowd, total = Crowd(mechanism, people, Seeded(2)), mechanism.zero
    planned = time.perf_counter() - start
    outside = 0
    for number, held in enumerate(states(people, mechanism.rounds), 1):
        counted = mechanism.aggregate(crowd.observe(number, held))
        total += counted
        if counted.n:
            ((low,), (high,)) = mechanism.estimate(counted).simultaneous(COVERED)
            outside += not low <= held.mean() <= high
    seconds = time.perf_counter() - start
    if outside or total.n != people * mechanism.reports_each:
        raise SystemExit(f"{outside} rounds miss their band; {total.n} reports were counted")
    return {
        "reports_each": mechanism.reports_each,
        "planned": planned,
        "seconds": seconds,
        "MiB": peak_memory(),
        "states": drawn(people, mechanism.rounds),
    }


def in_a_process(name: str, people: int, rounds: int) -> dict[str, Any]:
    """The same in a process of its own, so that the peak of memory is its own."""
    command = [sys.executable, __file__, "--only", name, str(people), str(rounds)]
    found: dict[str, Any] = json.loads(subprocess.check_output(command))
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument(
        "--only", nargs=3, metavar=("MECHANISM", "PEOPLE", "ROUNDS"), help="as JSON"
    )
    options = parser.parse_args()
    if options.only:
        name, people, rounds = options.only
        print(json.dumps(streamed(CALIBRATED[name](int(rounds), EPSILON), int(people))))
        return
    rows: list[dict[str, Any]] = []
    for name in CALIBRATED:
        short, long = (
            in_a_process(name, options.people, options.rounds // part) for part in (10, 1)
        )
        rows += measured(name, options.people, options.rounds, short, long)
    Console(width=None if sys.stdout.isatty() else 150).print(rows_table(rows))
    if (options.people, options.rounds) == (PEOPLE, ROUNDS):
        save(rows, RESULT)


def measured(
    name: str, people: int, rounds: int, short: dict[str, Any], long: dict[str, Any]
) -> list[dict[str, Any]]:
    """Rows of ``result.json``: nanoseconds per state, and memory beside a tenth of the rounds."""
    job = f"over time {name}, {people:,} people × {rounds:,} rounds"
    ours, states = (1e9 * long[part] / people / rounds for part in ("seconds", "states"))
    return [
        {
            "job": job,
            "ours": significant(ours),
            "peer": {"name": "NumPy, the states alone", "ns": significant(states)},
            "limit": None,
            "ratio": significant(states / ours),
            "unit": "ns/state",
        },
        {
            "job": f"{job}, memory",
            "ours": significant(long["MiB"]),
            "peer": {"name": "a tenth of the rounds", "MiB": significant(short["MiB"])},
            "limit": None,
            "ratio": significant(short["MiB"] / long["MiB"]),
            "unit": "MiB",
        },
    ]


if __name__ == "__main__":
    main()
