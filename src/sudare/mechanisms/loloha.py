"""LOLOHA: a hash of the answer, randomised once for good and again for every report.

Noise is kept for each of a few cells, not for each answer. So a person whose answer changes again
and again comes to an end of what that can cost: all cells' noise.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sudare.chance.exact import (
    affordable,
    chance_text,
    check_epsilon,
    is_dyadic,
    largest_dyadic,
    too_small,
)
from sudare.chance.randomness import Randomness
from sudare.errors import ParameterError
from sudare.formats.numbers import whole
from sudare.mechanisms.domain import Categories
from sudare.mechanisms.interface import MemoisedMechanism, Records
from sudare.mechanisms.point_reports import HashedReports, Numbers, best_hashes

_ENUMERABLE = 4000  # paths of a report: more take long to walk for each answer
_COUNTED = 2000  # ways in which reports can fall into cells: their square is summed over


@dataclass(frozen=True)
class Loloha(HashedReports, MemoisedMechanism):
    """LOLOHA: a seed for life, a cell kept for each hash, and one told anew for each report.

    Longitudinal local hashing (Arcolezi, Pinzón, Palamidessi and Gambs, arXiv 2210.00262), by
    hashes that meet with chance exactly 1/g. A device draws a seed once. The hash of its answer is
    one of g cells; what it keeps of a cell is that cell with chance ``lasting``, else another one,
    drawn when it first comes there. A report tells what is kept with chance ``fresh``, else another
    cell.

    Attributes:
        lasting: the chance that what is kept of a cell is that cell.
        fresh: the chance that a report tells what is kept.
    """

    name: ClassVar[str] = "loloha"
    kept_for: ClassVar[str] = "cell"
    lasting: float
    fresh: float

    def __post_init__(self) -> None:
        self._check_hashes()
        for name in ("lasting", "fresh"):
            chance = getattr(self, name)
            if not is_dyadic(chance) or Fraction(chance) <= Fraction(1, self.prime):
                raise ParameterError(
                    f"{name} must be a multiple of 2^-53 above 1/{self.prime} and below 1, "
                    f"got {chance!r}"
                )

    @classmethod
    def calibrate(cls, k: int, epsilon: float, *, lifetime: float | None = None) -> Self:
        """The most accurate LOLOHA that spends at most ``epsilon`` for a report.

        As for local hashing, the number of cells is that of the least error.

        Args:
            k: the number of answers.
            epsilon: the budget of one report, ε₁.
            lifetime: the budget of all reports from one cell, ε∞; twice ``epsilon`` unless given.
        """
        k, epsilon = Categories(k).k, check_epsilon(epsilon)
        budget = 2 * epsilon if lifetime is None else check_epsilon(lifetime, "the lifetime budget")
        if budget <= epsilon:
            raise ParameterError(
                f"the lifetime budget must exceed that of a report, {epsilon}, got {lifetime}"
            )
        prime, dimension = best_hashes(k, epsilon)
        lasting = largest_dyadic(
            _own(prime, budget), lambda kept: affordable(_ratio(prime, Fraction(kept)), budget)
        )

        def told(fresh: float) -> Fraction:
            return _ratio(prime, _twice(prime, Fraction(lasting), Fraction(fresh)))

        other = (1 - lasting) / (prime - 1)
        guess = (_own(prime, epsilon) - other) / (lasting - other) if lasting > other else 0.5
        fresh = largest_dyadic(guess, lambda fresh: affordable(told(fresh), epsilon))
        if min(_ratio(prime, Fraction(lasting)), told(fresh)) <= 1:
            raise too_small(epsilon)
        return cls(k, prime, dimension, lasting, fresh)

    @property
    def fitting(self) -> Fraction:
        """The chance that a report has the answer's cell, after both steps."""
        return _twice(self.prime, Fraction(self.lasting), Fraction(self.fresh))

    def ratio_of(self, reports: int) -> Fraction:
        """The worst ratio of so many reports from one cell: all of them tell it.

        A kept cell says so with chance r = ``fresh``, each other one with s = (1 - r) / (g - 1).
        Any two answers have two cells by some seed, so this is the worst case for answers, too.
        """
        lasting, fresh = Fraction(self.lasting), Fraction(self.fresh)
        other = (1 - lasting) / (self.prime - 1)
        said, unsaid = fresh**reports, ((1 - fresh) / (self.prime - 1)) ** reports
        return (lasting * said + (1 - lasting) * unsaid) / (other * said + (1 - other) * unsaid)

    @property
    def lifetime_ratio(self) -> Fraction:
        """e^ε of what is kept of one cell, lasting · (g - 1) / (1 - lasting)."""
        return _ratio(self.prime, Fraction(self.lasting))

    @property
    def most_kept(self) -> int:
        """How many cells a device can come to keep noise for, whatever it answers: g."""
        return self.prime

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path: too many answers, or paths."""
        paths = self.supporting * (2 * (self.prime - 1)) ** 2
        if paths > _ENUMERABLE:
            return f"not at {paths:,} paths of a report (up to {_ENUMERABLE:,})"
        return super().not_enumerable

    @property
    def odds(self) -> str:
        """How often a report has the cell of the truth, in plain words."""
        return (
            f"A device sorts the answers into {self.prime:,} cells, in a way of its own. What it "
            f"keeps of a cell is that cell {chance_text(self.lasting)} of the time, once and for "
            f"good; a report fits the true answer, all told, {chance_text(self.holder)} of the "
            f"time and each of the others {chance_text(self.others)} of the time."
        )

    def assign(self, count: int, rng: Randomness) -> Numbers:
        """A seed for each of so many devices, drawn once and for all."""
        return rng.below(self.supporting, (count,))

    def remembered(self, values: NDArray[Any], assigned: Numbers) -> Numbers:
        """What noise is kept for: the cell, which answers share."""
        return self.cells(values, assigned)

    def permanent(self, values: NDArray[Any], assigned: Numbers, rng: Randomness) -> Numbers:
        """What devices keep of their cells: these, or others."""
        return self._moved(self.cells(values, assigned), self.lasting, rng)

    def instant(self, kept: Numbers, assigned: Numbers, rng: Randomness) -> Records:
        """Reports of what is kept: that, or another cell, and the seed."""
        reports = np.empty(len(kept), self.report_dtype)
        reports["point"] = self.prime * assigned + self._moved(kept, self.fresh, rng)
        return reports

    def _moved(self, cells: Numbers, keep: float, rng: Randomness) -> Numbers:
        """Each cell with chance ``keep``, else another one, uniformly."""
        honest = rng.bernoulli(keep, cells.shape)
        off = rng.below(self.prime - 1, cells.shape)
        return np.asarray((cells + np.where(honest, 0, off + 1)) % self.prime)

    def change_shows(self, reports: int | None = None) -> float | None:
        """How well reports tell a person whose answer changed once from one whose didn't.

        The most by which the chance to say "changed" can differ between the two, for somebody who
        knows both answers and when it would have been, and sees the seed (the total variation of
        the laws): 0 is no better than a guess, 1 is always right.

        Args:
            reports: so many before the change and so many after it; without a number, however
                many. None is returned where they fall into cells in too many ways to be counted.
        """
        apart = 1 - Fraction(1, self.prime)  # two answers have two cells
        if reports is None:
            other = (1 - Fraction(self.lasting)) / (self.prime - 1)
            same = 2 * Fraction(self.lasting) * other + (self.prime - 2) * other**2
            return float(apart * (1 - same))
        reports = whole("the number of reports", reports)
        if reports < 0:
            raise ParameterError(f"the number of reports must be at least 0, got {reports}")
        if not reports:
            return 0.0
        if math.comb(reports + self.prime - 1, self.prime - 1) > _COUNTED:
            return None
        return float(apart) * _told_apart(self.prime, self.lasting, self.fresh, reports)


def _ratio(cells: int, keep: Fraction) -> Fraction:
    """How much likelier a cell is under itself than under another."""
    return keep * (cells - 1) / (1 - keep)


def _twice(cells: int, first: Fraction, second: Fraction) -> Fraction:
    """The chance that a cell comes out of two steps as it was."""
    return first * second + (1 - first) * (1 - second) / (cells - 1)


def _own(cells: int, epsilon: float) -> float:
    """The chance of a cell that is e^ε times as likely as each other."""
    return 1 / (1 + (cells - 1) * math.exp(-epsilon))


@cache
def _told_apart(cells: int, lasting: float, fresh: float, reports: int) -> float:
    """The total variation between reports from one cell twice, and from two cells.

    What counts is how often each cell was told, before and after.
    """
    counts = _counts(cells, reports)
    # In logarithms: of some hundred reports there are more ways than the largest float.
    each = np.array([math.lgamma(1 + count) for count in range(reports + 1)])
    ways = each[reports] - each[counts].sum(axis=1)
    chances = np.where(np.eye(cells, dtype=bool), fresh, (1 - fresh) / (cells - 1))
    told = np.exp(ways[:, np.newaxis] + counts @ np.log(chances).T)
    other = (1 - lasting) / (cells - 1)
    kept = np.where(np.eye(2, cells, dtype=bool), lasting, other)  # of cell 0, and of cell 1
    same = (told * kept[0]) @ told.T
    changed = np.outer(told @ kept[0], told @ kept[1])
    return float(np.abs(same - changed).sum() / 2)


def _counts(cells: int, reports: int) -> NDArray[np.int64]:
    """All ways in which so many reports fall into cells, a row for each."""
    told = np.array(list(combinations_with_replacement(range(cells), reports)))
    counts = np.zeros((len(told), cells), np.int64)
    np.add.at(counts, (np.arange(len(told))[:, np.newaxis], told), 1)
    return counts
