"""How long does figure 3 take, beside a simulation of every person in plain NumPy?

The grid is the document's on continual counting, with BORAPPOR: 10,000 repetitions at ε = 1 … 8 of
T = 50 rounds with N = 10,000 people, for seven series. The plain simulation does the same work on
fewer repetitions and is scaled: its time is that of a repetition, times their number.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from report import significant
from sudare import Borappor, Glance, Harmony, Seeded
from sudare.mechanisms.over_time.continual import RepeatedResponse
from sudare.simulation.experiments import stream_errors
from sudare.simulation.scenarios import counted
from timing import best_cpu

ROUNDS, PEOPLE = 50, 10_000
EPSILONS = tuple(float(epsilon) for epsilon in range(1, 9))
SERIES: tuple[tuple[type[RepeatedResponse], float], ...] = (
    (Glance, 0.9995),
    (Glance, 0.995),
    (Glance, 0.5),
    (Harmony, 0.9995),
    (Harmony, 0.5),
    (Harmony, 0.0005),
    (Borappor, 0.5),
)
GRID = "streams figure 3"
NAMES = (GRID,)
ASKED = 30  # times as fast, at least
NUMPY = "NumPy, person by person"
Row = dict[str, Any]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Size:
    """How many repetitions are ours, and how many the plain simulation's."""

    repetitions: int
    plain: int
    seconds: float


FULL = Size(repetitions=10_000, plain=20, seconds=1.0)
QUICK = Size(repetitions=2000, plain=3, seconds=0.1)


def ours(cls: type[RepeatedResponse], share: float, epsilon: float, repetitions: int) -> Floats:
    """The maximal errors, through the public API."""
    truth = counted([share] * ROUNDS, PEOPLE)
    return stream_errors(cls.calibrate(ROUNDS, epsilon), truth, repetitions, Seeded(1)).maximal


def plain(cls: type[RepeatedResponse], share: float, epsilon: float, repetitions: int) -> Floats:
    """The same, as a careful notebook would draw every person: whole arrays, no checks."""
    rng = np.random.default_rng()
    states = np.arange(PEOPLE) < round(share * PEOPLE)
    told = ROUNDS if cls is Borappor else 1
    lie = 1 / (1 + math.exp(epsilon / told))
    errors = np.empty(repetitions)
    for repetition in range(repetitions):
        if cls is Borappor:
            said = ((rng.random((PEOPLE, ROUNDS)) < lie) ^ states[:, np.newaxis]).mean(axis=0)
        else:
            rounds = rng.integers(ROUNDS, size=PEOPLE)
            bits = (rng.random(PEOPLE) < lie) ^ states
            ones = np.bincount(rounds[bits], minlength=ROUNDS)
            if cls is Glance:
                said = ones / np.bincount(rounds, minlength=ROUNDS)
            else:
                said = ones * ROUNDS / PEOPLE  # all others say 0
        errors[repetition] = np.abs((said - lie) / (1 - 2 * lie) - share).max()
    return errors


def grid(simulate: Callable[..., Floats], repetitions: int) -> list[Floats]:
    """The errors of every series at every ε."""
    return [
        simulate(cls, share, epsilon, repetitions) for cls, share in SERIES for epsilon in EPSILONS
    ]


def agree(first: list[Floats], second: list[Floats]) -> None:
    """Stop if the two don't measure the same: by six standard errors of any cell."""
    for a, b in zip(first, second, strict=True):
        spread = math.hypot(a.std() / a.size**0.5, a.std() / b.size**0.5)
        if abs(a.mean() - b.mean()) > 6 * spread:
            raise SystemExit("the two simulations don't agree: their times can't be compared")


def measured(wanted: Callable[[str], bool], size: Size) -> list[Row]:
    """The grid as rows of ``result.json``, in seconds of the processor."""
    if not wanted(GRID):
        return []
    grid(ours, QUICK.repetitions)  # compiles
    start = time.process_time()
    found = grid(ours, size.repetitions)
    seconds = time.process_time() - start
    agree(found, grid(plain, size.plain))
    theirs = best_cpu(lambda: grid(plain, size.plain), size.seconds)
    theirs *= size.repetitions / size.plain
    cells = f"{size.repetitions:,} repetitions, {len(EPSILONS)} ε, {len(SERIES)} series"
    return [
        {
            "job": f"{GRID}, {cells}",
            "ours": significant(seconds),
            "peer": {"name": NUMPY, "s": significant(theirs)},
            "limit": {"name": f"1/{ASKED} of it", "s": significant(theirs / ASKED)},
            "ratio": significant(theirs / seconds),
            "unit": "s",
        }
    ]
