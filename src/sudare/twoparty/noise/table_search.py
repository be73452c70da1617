"""The search for our tables: signed draws from several small ones, found in floats, then proved.

The digits of a geometric variable are independent, so the difference of two of them, which is
the best noise there is, is a sum of small parts: the digit of unit u needs only the values 0 and
u, in the right proportion. What lies beyond the digits can't be exact in a small table, but it
may be *heavier*: privacy only asks that neighbouring chances stay within e^±ε. One table in which
almost every entry is 0 and a few are far away reaches there. From such a start the search changes
counts and values until E|Z| is small, δ is held and the entries are few enough.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, require
from sudare.twoparty.noise.scheme import USUAL_ENTRIES, Scheme

ATTEMPTS = 16
FEWEST_ENTRIES, MOST_ENTRIES = 40, 1_000_000
_PLACES = 6  # different values of one table
_WORK = 5e7  # steps of an attempt times what one costs: a second or some
_MOST_STEPS = 500_000
_POLISHES = 4  # further attempts, from the best, with little heat
_HEAT, _LITTLE_HEAT = 0.05, 0.005
_MARGIN = 1e-9  # of δ, for the rounding of a search in floats

Integers = NDArray[np.int64]
Start = tuple[Integers, Integers]


@dataclass(frozen=True)
class _Found:
    """Tables as the kernel has them, and their E|Z|."""

    values: Integers
    counts: Integers
    mean: float

    @property
    def scheme(self) -> Scheme:
        rows = zip(self.values.tolist(), self.counts.tolist(), strict=True)
        tables = [zip(values, counts, strict=True) for values, counts in rows]
        return Scheme.of_differences(
            {value: count for value, count in table if count} for table in tables
        )


def search(
    guarantee: Guarantee,
    entries: int = USUAL_ENTRIES,
    *,
    seed: int = 0,
    attempts: int = ATTEMPTS,
    progress: Callable[[], object] = lambda: None,
) -> Proof:
    """Tables for a new guarantee, proved; a second or some for each attempt.

    The same arguments find the same tables again on the same machine.

    Args:
        guarantee: what the noise must keep.
        entries: at most so many in all tables.
        seed: of the search; nothing private depends on it.
        attempts: from how many starts.
        progress: called ``steps_of(attempts)`` times.
    """
    if not FEWEST_ENTRIES <= entries <= MOST_ENTRIES:
        raise ParameterError(
            f"a search needs from {FEWEST_ENTRIES} to {MOST_ENTRIES} entries, got {entries}"
        )
    if attempts < 1 or seed < 0:
        raise ParameterError(
            f"a search needs at least 1 attempt and a seed from 0 on, got {attempts} and {seed}"
        )
    best: _Found | None = None
    for attempt in range(attempts):
        rng = np.random.default_rng([seed, attempt])
        found = _attempt(guarantee, entries, _start(guarantee, entries, rng), _HEAT, rng)
        best = _better(best, found)
        progress()
    for polish in range(_POLISHES):
        rng = np.random.default_rng([seed, attempts + polish])
        if best is not None:
            found = _attempt(guarantee, entries, (best.values, best.counts), _LITTLE_HEAT, rng)
            best = _better(best, found)
        progress()
    if best is None:
        raise ParameterError(
            f"no tables of {entries} entries were found that keep {guarantee}: allow more "
            f"entries, or more attempts than {attempts}"
        )
    return require(best.scheme, guarantee)


def steps_of(attempts: int) -> int:
    """How often a search of so many attempts reports progress."""
    return attempts + _POLISHES


def _better(best: _Found | None, found: _Found) -> _Found | None:
    if math.isinf(found.mean) or (best is not None and best.mean <= found.mean):
        return best
    return found


def _attempt(
    guarantee: Guarantee, entries: int, start: Start, heat: float, rng: np.random.Generator
) -> _Found:
    from sudare.kernels.annealing import anneal

    values, counts, mean = anneal(
        *start,
        math.exp(guarantee.epsilon),
        guarantee.sensitivity,
        guarantee.delta * (1 - _MARGIN),
        entries,
        math.ceil(4 * max(guarantee.reach, 16 * guarantee.sensitivity / guarantee.epsilon)),
        round(min(_MOST_STEPS, _WORK / (guarantee.reach * (1 + guarantee.sensitivity / 8)))),
        heat,
        rng.uniform(0.5, 1.5),  # how dear a δ too large is, in units of ln E|Z|
        int(rng.integers(1 << 32)),
    )
    return _Found(values, counts, mean)


def _start(guarantee: Guarantee, entries: int, rng: np.random.Generator) -> Start:
    """Binary digits in small tables, and one or two tables of rare jumps for what lies beyond."""
    scale = guarantee.sensitivity / guarantee.epsilon
    beyond = rng.uniform(3, 9) * scale
    units = [1 << digit for digit in range(math.ceil(math.log2(max(2.0, beyond))))]
    jumpers = int(rng.integers(1, 3))
    shape = len(units) + jumpers, _PLACES
    values, counts = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, unit in enumerate(units):
        # A digit differs by +unit with chance p = x / (1 + x)², x = e^(-unit / scale).
        p = 1 / (2 + 2 * math.cosh(unit / scale))
        size = min(entries // 2, max(int(rng.integers(8, 40)), round(0.9 / p)))
        ones = max(1, round(size * (1 - math.sqrt(1 - 4 * p)) / 2))
        values[row, 1], counts[row, :2] = unit, (size - ones, ones)
    left = max(30, entries - int(counts.sum()))
    far = 2 * units[-1]
    for row in range(len(units), len(counts)):
        jumps = rng.uniform(0.6, 1.6, _PLACES - 1) * far * rng.choice([-1, 1], _PLACES - 1)
        different = np.unique(np.rint(jumps))[: int(rng.integers(2, _PLACES))]
        values[row, 1 : 1 + different.size], counts[row, 1 : 1 + different.size] = different, 1
        counts[row, 0] = left // jumpers
    return values, counts
