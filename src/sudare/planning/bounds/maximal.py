"""The exact law of the maximal error max_t |μ̂_t - μ_t| over all rounds, without simulation.

It is that of ``simulate`` with a table of states per round: in each round the people in state 1
are anybody, drawn anew. What m reporters say is then the same whoever they are: the ones among N
would-be reports of which m are drawn without replacement. And how many report in each round is
multinomial, that is, independent Poisson numbers given their sum N, so the chance that all rounds
are within x is one coefficient of a product of T polynomials, found by a Fourier transform.

A round without reports has no estimate and does not count. Chances are right to 1e-9: what is
cut off is below 1e-15, the rest is rounding. KShot is left out: one person's rounds depend on
each other there, and no such product gives their law. ``chernoff`` bounds it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from sudare.mechanisms.over_time.borappor import Borappor
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.mechanisms.over_time.glance import Glance
from sudare.mechanisms.over_time.harmony import Harmony
from sudare.mechanisms.over_time.kshot import KShot
from sudare.planning.bounds.continual import check_people

Integers = NDArray[np.int64]

_CUT = 45.0  # a tail of e^-45, 3e-20, is left out at each end
_TIE = 1e-9  # reports: an error so near to x is x
_MOST_CELLS = 1 << 25  # of a table
_TOGETHER = 256  # errors that are looked at in one transform
_STEPS = 4096  # of the integral that is the mean
_RIGHT = 1e-9  # chances are; so much is left out at either end of that integral


@dataclass(frozen=True, eq=False)
class MaximalError:
    """The law of the maximal error max_t |μ̂_t - μ_t| over all rounds.

    Attributes:
        within: the chance that no round is off by more than each of these numbers.
        largest: an error that can't be exceeded.
    """

    within: Callable[[Floats], Floats]
    largest: float

    def cdf(self, error: ArrayLike) -> Floats:
        """The chance that no round is off by more than ``error``."""
        errors = np.asarray(error, np.float64)
        return np.where(errors < 0, 0.0, self.within(np.maximum(errors, 0.0).ravel())).reshape(
            errors.shape
        )

    def quantile(self, level: float) -> float:
        """The maximal error that is not exceeded with probability ``level``."""
        if not _RIGHT < level < 1 - _RIGHT:
            raise ParameterError(
                f"an exact law is right to {_RIGHT:g}, so a level must be so far from 0 and 1, got "
                f"{level!r}"
            )
        return self._reaching(level)

    def _reaching(self, level: float) -> float:
        low, high = 0.0, self.largest
        while high - low > 1e-12 * high:
            middle = (low + high) / 2
            reached = self.within(np.array([middle]))[0] >= level
            low, high = (low, middle) if reached else (middle, high)
        return high

    @cached_property
    def mean(self) -> float:
        """The mean of the maximal error, ∫ P(> x) dx.

        At most half a step off: 1/8192 of the distance between the least and the largest error
        of any note. Jumps cancel, so mostly it is far nearer.
        """
        whole = float(self.within(np.array([self.largest]))[0])  # 1 but for rounding
        low, high = self._reaching(_RIGHT), self._reaching(whole - _RIGHT)
        errors = low + (high - low) * (np.arange(_STEPS) + 0.5) / _STEPS
        return low + (high - low) * float((whole - self.within(errors)).mean())


def glance_maximum(keep: float, people: int, ones: ArrayLike) -> MaximalError:
    """The law of Glance's maximal error: each round is estimated from its own reporters.

    Args:
        keep: the chance that a reporter tells the truth.
        people: how many there are.
        ones: how many of them are in state 1, in each round.
    """
    population = _Population(keep, people, ones)
    reports = _poisson_range(population)
    return _sharing(population, reports, reports.astype(np.float64), 1 / population.slope)


def harmony_maximum(keep: float, people: int, ones: ArrayLike) -> MaximalError:
    """The law of Harmony's maximal error: Glance's reporters, but ones are divided by N/T."""
    population = _Population(keep, people, ones)
    reports = _poisson_range(population)
    divisor = np.full(reports.size, people / population.rounds)
    return _sharing(population, reports, divisor, population.rounds / population.slope)


def borappor_maximum(keep: float, people: int, ones: ArrayLike) -> MaximalError:
    """The law of BORAPPOR's maximal error: everybody reports in every round, independently."""
    population = _Population(keep, people, ones)
    laws = _laws(population, np.array([people]))
    divisor = np.array([float(people)])

    def within(errors: Floats) -> Floats:
        chances = np.ones(errors.size)
        for law, count in laws:
            chances *= law.within(errors, divisor)[:, 0] ** count
        return chances

    return MaximalError(within, 1 / population.slope)


def maximum_of(mechanism: ContinualMechanism, people: int, ones: ArrayLike) -> MaximalError:
    """The law of a mechanism's maximal error, if its rounds have one; people as in the others."""
    match mechanism:
        case Harmony():
            return harmony_maximum(mechanism.keep, people, ones)
        case Borappor():
            return borappor_maximum(mechanism.keep, people, ones)
        case Glance() | KShot() if mechanism.reports_each == 1:  # one shot is Glance
            return glance_maximum(mechanism.holder, people, ones)
    raise ParameterError(f"{mechanism.name} has no exact law here, only its bound")


class _Population:
    """How many people are in state 1 in each round, and how often a reporter says so."""

    def __init__(self, keep: float, people: int, ones: ArrayLike) -> None:
        self.keep, self.people, self.ones = keep, check_people(people), np.asarray(ones)
        if not 0.5 < keep < 1:
            raise ParameterError(f"keep must be above 1/2 and below 1, got {keep}")
        wrong = self.ones.ndim != 1 or self.ones.dtype.kind not in "iu" or self.ones.size == 0
        if wrong or self.ones.min() < 0 or self.ones.max() > people:
            raise ParameterError(
                f"the people in state 1 are a whole number from 0 to {people} for each round"
            )

    @property
    def rounds(self) -> int:
        return int(self.ones.size)

    @property
    def slope(self) -> float:
        return 2 * self.keep - 1

    def said(self, held: int) -> float:
        """ρ: the chance that a report says 1, where so many people are in state 1."""
        return 1 - self.keep + self.slope * held / self.people


def _require_cells(population: _Population, cells: int) -> None:
    """Refuse a law that takes more chances than anybody waits for."""
    if cells > _MOST_CELLS:
        raise ParameterError(
            f"the exact law for {population.people} people in {population.rounds} rounds needs a "
            f"table of {cells} chances, more than {_MOST_CELLS}"
        )


class _Round:
    """The law of what is said in one round: a row of chances for each number of them."""

    def __init__(self, population: _Population, held: int, reports: Integers) -> None:
        people, keep = population.people, population.keep
        self.said, self.slope = population.said(held), population.slope
        widest = _reach(int(reports.max(initial=0)) * self.said * (1 - self.said))
        _require_cells(population, reports.size * int(widest))  # before each is looked at
        spread = np.array([_reach(m * self.said * (1 - self.said)) for m in reports.tolist()])
        self.first = np.maximum(0, np.floor(reports * self.said - spread)).astype(np.int64)
        last = np.minimum(reports, np.ceil(reports * self.said + spread)).astype(np.int64)
        width = int((last - self.first).max()) + 1
        _require_cells(population, reports.size * width)
        start = int(self.first[0])
        law = np.zeros(int(last[-1]) + width + 1 - start)  # of the ones among the most reporters
        would = _convolved(_binomial(held, keep), _binomial(people - held, 1 - keep))
        for number, chance in would:
            at, drawn = _hypergeometric(people, number, int(reports[-1]), start, int(last[-1]))
            law[at - start : at - start + drawn.size] += chance * drawn
        said = start + np.arange(law.size)
        self.below = np.zeros((reports.size, width + 1))
        for row in range(reports.size - 1, -1, -1):
            if row + 1 < reports.size:  # one report fewer: any of them alike is taken away
                m = int(reports[row]) + 1
                law[:-1] = (law[:-1] * (m - said[:-1]) + law[1:] * said[1:]) / m
            at = int(self.first[row]) - start
            np.cumsum(law[at : at + width], out=self.below[row, 1:])

    def within(self, errors: Floats, divisor: Floats) -> Floats:
        """The chance that ones / divisor is within each error: a row per error."""
        reach = errors[:, np.newaxis] * self.slope
        low = np.ceil(divisor * (self.said - reach) - _TIE) - self.first
        high = np.floor(divisor * (self.said + reach) + _TIE) - self.first + 1
        rows, most = np.arange(len(self.below)), self.below.shape[1] - 1
        low, high = (np.clip(end, 0, most).astype(np.int64) for end in (low, high))
        chances: Floats = self.below[rows, high] - self.below[rows, low]
        return chances


def _laws(population: _Population, reports: Integers) -> list[tuple[_Round, int]]:
    """The law of a round for each number of people in state 1, and how many rounds have it."""
    held, times = np.unique(population.ones, return_counts=True)
    every = zip(held.tolist(), times.tolist(), strict=True)
    return [(_Round(population, number, reports), count) for number, count in every]


def _sharing(
    population: _Population, reports: Integers, divisor: Floats, largest: float
) -> MaximalError:
    """Rounds that share N people, each of whom reports in one."""
    rounds, people = population.rounds, population.people
    laws = _laws(population, reports)
    numbers = _normalised(np.log(people / rounds / reports[1:]))
    # Sums that differ by the length fall together, so it must be a rare distance from N.
    length = 1 << max(reports.size, math.ceil(_reach(people))).bit_length()
    at = (people - rounds * int(reports[0])) % length

    def coefficient(spectrum: NDArray[np.complex128]) -> Floats:
        return np.asarray(np.fft.irfft(spectrum, length)[..., at])

    whole = coefficient(np.fft.rfft(numbers, length) ** rounds)

    def within(errors: Floats) -> Floats:
        chances = np.empty(errors.size)
        for start in range(0, errors.size, _TOGETHER):
            some = errors[start : start + _TOGETHER]
            product = np.ones((some.size, length // 2 + 1), np.complex128)
            for law, count in laws:
                spectrum = np.fft.rfft(numbers * law.within(some, divisor), length)
                product *= _power(spectrum, count)
            chances[start : start + some.size] = coefficient(product) / whole
        return np.clip(chances, 0.0, 1.0)

    return MaximalError(within, largest)


def _reach(variance: float) -> float:
    """How far a sum of independent bits strays, but for a tail of e^-45 (Bernstein)."""
    return _CUT / 3 + math.sqrt(_CUT**2 / 9 + 2 * variance * _CUT)


def _poisson_range(population: _Population) -> Integers:
    """The numbers of reporters that a round has, but for tails."""
    expected = population.people / population.rounds
    low = max(0, math.floor(expected - _reach(expected)))
    high = min(population.people, math.ceil(expected + _reach(expected)))
    return np.arange(low, high + 1)


def _normalised(log_ratios: Floats) -> Floats:
    """A law, from the logarithms of its neighbours' ratios."""
    logs = np.concatenate([[0.0], np.cumsum(log_ratios)])
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _binomial(n: int, chance: float) -> tuple[int, Floats]:
    """The least number of any note, and the law from there on."""
    reach = _reach(n * chance * (1 - chance))
    low, high = max(0, math.floor(n * chance - reach)), min(n, math.ceil(n * chance + reach))
    number = np.arange(low, high)
    return low, _normalised(np.log((n - number) / (number + 1) * (chance / (1 - chance))))


def _hypergeometric(
    people: int, ones: int, drawn: int, least: int, most: int
) -> tuple[int, Floats]:
    """How many ones are drawn: from ``least`` to ``most``, or where it is possible."""
    low, high = max(least, drawn - (people - ones)), min(most, ones, drawn)
    if high < low:
        return least, np.empty(0)
    number = np.arange(low, high)
    more = (ones - number) * (drawn - number)
    return low, _normalised(np.log(more / ((number + 1) * (people - ones - drawn + number + 1))))


def _convolved(a: tuple[int, Floats], b: tuple[int, Floats]) -> list[tuple[int, float]]:
    """The law of a sum: each number with its chance."""
    law = np.convolve(a[1], b[1])
    return list(enumerate(law.tolist(), start=a[0] + b[0]))


def _power(spectrum: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """By squaring, which is much faster than NumPy's power of complex numbers."""
    result = np.ones_like(spectrum)
    while exponent:
        if exponent & 1:
            result *= spectrum
        spectrum, exponent = spectrum * spectrum, exponent >> 1
    return result
