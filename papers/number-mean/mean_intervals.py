"""Intervals of a mean, counted.

Whole collections are simulated for each shape of numbers, number of people and ε; result.json is
written beside this file (or into --out).
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from sudare import Seeded, Window

HERE = Path(__file__).resolve().parent
LEVEL = 0.95
EPSILONS = (0.5, 1.0, 2.0, 4.0)
PEOPLE = (100, 1000, 100_000)
STEPS = 81  # as from 18 to 99 in years
STARS = 4  # as from 1 to 5

Counts = NDArray[np.int64]


def shapes(mechanism: Window) -> dict[str, NDArray[np.float64]]:
    """The shares of people with each number: smooth ones, and the worst that there can be."""
    steps = mechanism.steps
    numbers = np.arange(steps + 1)
    one, bell = np.eye(steps + 1), np.exp(-((numbers / steps - 0.35) ** 2) / 0.03)
    nodes = [float(node) for node in mechanism.node_numbers]
    above = np.interp(numbers, nodes, np.arange(len(nodes))) % 1  # the chance of the upper node
    return {
        "spread evenly": np.ones(steps + 1) / (steps + 1),
        "a bell": bell / bell.sum(),
        "all at one end": one[0],
        "half at each end": (one[0] + one[-1]) / 2,
        "all between two nodes": one[np.argmin(np.abs(above - 0.5))],
    }


def people(shares: NDArray[np.float64], n: int) -> Counts:
    """So many people in these shares, as near as whole numbers come."""
    edges = np.round(np.cumsum(shares) * n).astype(np.int64)
    return np.diff(edges, prepend=0)


def held(mechanism: Window, truth: Counts, repetitions: int, rng: Seeded) -> int:
    """In how many simulated collections the interval holds the true mean."""
    mean = float(truth @ np.arange(len(truth))) / truth.sum()
    count = 0
    for _ in range(repetitions):
        low, high = mechanism.estimate(mechanism.simulate(truth, rng)).interval(LEVEL)
        count += bool(low[0] <= mean <= high[0])
    return count


def cases() -> Iterator[tuple[Window, str, NDArray[np.float64], float, int]]:
    """Every mechanism with every shape and number of people."""
    for epsilon in EPSILONS:
        for steps in (STEPS, STARS):
            mechanism = Window.calibrate(steps, epsilon)
            for name, shares in shapes(mechanism).items():
                for n in PEOPLE if steps == STEPS else PEOPLE[1:2]:
                    yield mechanism, name, shares, epsilon, n


def main() -> None:
    """Simulate, count, write."""
    arguments = _arguments()
    rows: list[dict[str, Any]] = []
    every = list(cases())
    with Progress(transient=True) as progress:
        task = progress.add_task("simulating", total=len(every))
        for number, (mechanism, shape, shares, epsilon, n) in enumerate(every):
            rng = Seeded(arguments.seed * 1000 + number)
            count = held(mechanism, people(shares, n), arguments.repetitions, rng)
            rows.append(
                {
                    "steps": mechanism.steps,
                    "shape": shape,
                    "people": n,
                    "epsilon": epsilon,
                    "collections": arguments.repetitions,
                    "held": count / arguments.repetitions,
                }
            )
            progress.advance(task)
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    (arguments.out / "result.json").write_text(f"[\n  {lines}\n]\n")
    found = [row["held"] for row in rows]
    print(f"{len(rows)} cases: between {min(found):.2%} and {max(found):.2%} hold the truth")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the simulated collections")
    parser.add_argument(
        "--repetitions", type=int, default=20_000, help="simulated collections of each case"
    )
    parser.add_argument("--out", type=Path, default=HERE, help="where the file is written")
    return parser.parse_args()
