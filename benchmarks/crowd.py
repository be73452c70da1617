"""Do people × rounds stream through devices and a live count in bounded memory, and how fast?

``python benchmarks/crowd.py``; ``--help`` for options. The states of a round are drawn when the
round comes and forgotten after it. Each mechanism runs in a process of its own, for all rounds and
for a tenth of them: memory is bounded if it is the same. Beside it stands the time that NumPy needs
to draw the states alone, in the same run.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare import Glance, KShot, Seeded
from sudare.continual import ContinualMechanism
from sudare.crowd import Crowd
from sudare.live import LiveCount

EPSILON = 4.0
CALIBRATED: dict[str, Any] = {"glance": Glance.calibrate, "kshot": KShot.calibrate}
MIB = 1024 * 1024 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss
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
    crowd, live = Crowd(mechanism, people, Seeded(2)), LiveCount(mechanism)
    planned = time.perf_counter() - start
    outside = 0
    for number, held in enumerate(states(people, mechanism.rounds), 1):
        live.add(crowd.observe(number, held))
        closed = live.close(number)
        low, high = closed.simultaneous(COVERED) if closed else (0.0, 1.0)
        outside += not low <= held.mean() <= high
    seconds = time.perf_counter() - start
    if outside or live.received.counted != people * mechanism.reports_each:
        raise SystemExit(f"{outside} rounds miss their band; received: {live.received}")
    return {
        "reports_each": mechanism.reports_each,
        "planned": planned,
        "seconds": seconds,
        "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB,
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
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument(
        "--only", nargs=3, metavar=("MECHANISM", "PEOPLE", "ROUNDS"), help="as JSON"
    )
    options = parser.parse_args()
    if options.only:
        name, people, rounds = options.only
        print(json.dumps(streamed(CALIBRATED[name](int(rounds), EPSILON), int(people))))
        return
    print(f"{options.people:,} people, ε = {EPSILON:g} for the whole stream")
    print("mechanism  rounds  reports each  seconds  plans  states alone  states/s      peak MiB")
    for name in CALIBRATED:
        for rounds in (options.rounds // 10, options.rounds):
            found = in_a_process(name, options.people, rounds)
            cells = (
                f"{name:9}",
                f"{rounds:6,}",
                f"{found['reports_each']:12}",
                f"{found['seconds']:7.2f}",
                f"{found['planned']:5.2f}",
                f"{found['states']:12.2f}",
                f"{options.people * rounds / found['seconds']:8.2e}",
                f"{found['MiB']:12.0f}",
            )
            print("  ".join(cells))


if __name__ == "__main__":
    main()
