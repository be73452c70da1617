"""Is this answer present at all? Exact tests, and their correction for asking many at once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Floats

_POISSON = 1e-9  # a chance below which a binomial count is one of rare events, as near as can be
Correction = Literal["benjamini-hochberg", "bonferroni", "none"]


def presence(counts: NDArray[np.int64], n: int, q: float) -> Floats:
    """For each answer the exact p-value of "nobody holds it".

    If nobody does, each of the n reports supports it with chance q on its own: the count is
    binomial, and the p-value is the chance of a count at least as large.
    """
    from scipy.special import betainc  # heavy, and only an analyst needs it

    # The binomial tail as an incomplete beta function; SciPy's bdtrc loses digits at large n.
    tail = betainc(np.maximum(counts, 1), n - np.maximum(counts, 1) + 1, q)
    return np.where(counts <= 0, 1.0, np.asarray(tail, np.float64))


def presence_of_sums(sums: NDArray[np.int64], mean: float, variance: float) -> Floats:
    """For each sum of supports the p-value of "nobody holds it": at least as large a sum.

    If nobody does, the sum has this mean and variance. They are those of a binomial count, exactly
    where one answer of a report falls among the cells that are summed up or not, and where the
    cells are independent; else a binomial law of the same two moments stands for the true one.
    """
    from scipy.special import betainc, gammainc  # heavy, and only an analyst needs it

    chance = 1 - variance / mean
    if chance < _POISSON:  # nothing is left of it but rounding, or it is 0
        return np.where(sums <= 0, 1.0, np.asarray(gammainc(np.maximum(sums, 1), mean)))
    trials = mean / chance
    reached = np.clip(sums, 1, trials)
    tail = np.asarray(betainc(reached, trials - reached + 1, chance), np.float64)
    return np.where(sums <= 0, 1.0, tail)


def holm(p_values: Floats) -> Floats:
    """p-values adjusted so that *any* false discovery has at most the level's chance (Holm)."""
    factors = np.arange(p_values.size, 0, -1, dtype=np.float64)
    return _adjust(p_values, factors, np.maximum.accumulate)


def bonferroni(p_values: Floats, tests: int | None = None) -> Floats:
    """p-values multiplied by their number: stricter than Holm's, and simpler."""
    return np.minimum(p_values * (tests or p_values.size), 1)


def benjamini_hochberg(p_values: Floats, tests: int | None = None) -> Floats:
    """p-values adjusted so that the expected share of false discoveries is at most the level.

    Args:
        p_values: those of all tests, or of those whose p-value is at most some level: what is
            adjusted to at most that level is then right, what is above it may be too large.
        tests: the number of all tests, if these are some.
    """
    factors = (tests or p_values.size) / np.arange(1, p_values.size + 1)
    return _adjust(p_values, factors, lambda x: np.minimum.accumulate(x[::-1])[::-1])


def _adjust(p_values: Floats, factors: Floats, monotone: Callable[[Floats], Floats]) -> Floats:
    order = np.argsort(p_values)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(monotone(p_values[order] * factors), 1)
    return adjusted


ADJUSTMENTS: dict[str, Callable[[Floats, int | None], Floats]] = {
    "benjamini-hochberg": benjamini_hochberg,
    "bonferroni": bonferroni,
    "none": lambda p_values, _: p_values,
}


@dataclass(frozen=True, eq=False)
class Tests:
    """One test asked of many candidates, corrected for asking so many times.

    Nearly all of many candidates are unremarkable: their p-values wait until somebody asks.

    Attributes:
        scores: one per candidate; the larger, the smaller its p-value.
        chance: the p-values of some scores.
        correction: how they are adjusted.
    """

    __test__ = False  # nothing for pytest

    scores: Floats
    chance: Callable[[Floats], Floats]
    correction: Correction

    @cached_property
    def p_values(self) -> Floats:
        """The p-value of every candidate."""
        return self.chance(self.scores)

    @cached_property
    def adjusted(self) -> Floats:
        """The p-value of every candidate, adjusted for asking so many times."""
        return ADJUSTMENTS[self.correction](self.p_values, None)

    def passed(self, level: float, least: float) -> tuple[NDArray[np.intp], Floats, Floats]:
        """The candidates that pass at this level, and their p-values, as they are and adjusted.

        Args:
            level: what an adjusted p-value may be.
            least: a score below which the p-value is above the level.
        """
        near = np.flatnonzero(self.scores >= least)
        p_values = self.chance(self.scores[near])
        adjusted = ADJUSTMENTS[self.correction](p_values, self.scores.size)
        kept = adjusted <= level
        return near[kept], p_values[kept], adjusted[kept]
