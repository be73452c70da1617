"""Reports that are points, each of which supports some answers: counted, summed and simulated.

How a person's point is drawn is a mechanism's own affair; with what chance it supports the answer
held says the rest. One family of points is here as well, since two mechanisms draw from it: a hash
of the answer, whose seed is reported with it.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.exact import chance_text
from sudare.chance.keystream import Keystream
from sudare.errors import InvalidReport, ParameterError
from sudare.estimation.likelihood import Evidence
from sudare.formats.numbers import whole
from sudare.formats.wire import Fields
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Categories
from sudare.mechanisms.interface import CategoricalMechanism, Records

MOST_POINTS = 1 << 26
"""Points of a mechanism: their counts fill 512 MiB."""
_ENUMERABLE = 1000  # points: each person's two numbers take the square of that many paths at most
_SIMULATED = 1 << 22  # reports drawn together in a simulation
NARROW = 1 << 31  # reports: below it, sums of counts fit 32 bits

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class PointReports(CategoricalMechanism):
    """A uniform point of those that support the answer with some chance, else one of the rest.

    Every answer is supported by equally many points, and any two by equally many at once. A
    subclass says how many, which ones they are, and how counts of points become supports.
    """

    @property
    @abstractmethod
    def points(self) -> int:
        """How many points there are."""

    @property
    @abstractmethod
    def supporting(self) -> int:
        """How many of the points support an answer, whichever it is."""

    @property
    @abstractmethod
    def shared(self) -> int:
        """How many of the points support two answers at once, whichever they are."""

    @property
    @abstractmethod
    def fitting(self) -> Fraction:
        """The chance that a report supports the answer that the person holds, exactly."""

    @abstractmethod
    def supporters(self, values: NDArray[Any], numbers: Numbers) -> Numbers:
        """The point with this number, below ``supporting``, among those that support a value."""

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: the number of a point, in the fewest bytes that hold it."""
        return np.dtype([("point", np.min_scalar_type(self.points - 1).newbyteorder("<"))])

    @property
    def odds(self) -> str:
        """How often a report supports the truth, in plain words."""
        return (
            f"A report is one of {self.points:,} numbers, each of which fits some of the answers. "
            f"It fits the true one {chance_text(self.holder)} of the time, and each of the others "
            f"{chance_text(self.others)} of the time."
        )

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path: too many answers, or points."""
        if self.points > _ENUMERABLE:
            return f"not at {self.points:,} points (up to {_ENUMERABLE:,})"
        return super().not_enumerable

    @property
    def holder(self) -> float:
        """The chance that a report supports the answer that the person holds."""
        return float(self.fitting)

    @property
    def others(self) -> float:
        """The chance that a report supports any one answer that the person doesn't hold."""
        truth = self.fitting / self.supporting  # of one point
        lie = (1 - self.fitting) / (self.points - self.supporting)
        return float(self.shared * truth + (self.supporting - self.shared) * lie)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every report is the number of a point."""
        numbers = reports["point"]
        if numbers.size and numbers.max() >= self.points:
            where = int(np.argmax(numbers >= self.points))
            raise InvalidReport(
                f"the report at position {where} says {numbers[where]}; "
                f"points are numbered 0 to {self.points - 1}"
            )

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports give each point."""
        numbers = reports["point"]
        if len(numbers) >= COMPILE_FROM:
            from sudare.kernels.choices import histogram

            return histogram(numbers, self.points)
        counts: NDArray[np.int64] = np.bincount(numbers, minlength=self.points)
        return counts

    def evidence(self, aggregate: Aggregate) -> Evidence:
        """The evidence of the counts: two events per answer, a report supports it or doesn't."""
        return Evidence.of_bits(self.supported(aggregate), aggregate.n, self.holder, self.others)

    def simulate(self, truth: ArrayLike, rng: Keystream) -> Aggregate:
        """The aggregate of a population: any point at all, or with some chance a supporting one.

        Of an answer with more such reports than points that support it, the points are counted by
        a multinomial draw; of the other answers each report is drawn.
        """
        held = self.domain.population(truth)
        generator = rng.generator()
        lie = (1 - self.fitting) / (self.points - self.supporting)  # of one point
        sure = generator.binomial(held, float(1 - lie * self.points))
        counts = _uniform(generator, int(held.sum() - sure.sum()), self.points)
        for answer in np.flatnonzero(sure > self.supporting):
            drawn = _uniform(generator, int(sure[answer]), self.supporting)
            numbers = np.arange(self.supporting)
            counts[self.supporters(np.full(self.supporting, answer), numbers)] += drawn
            sure[answer] = 0
        ends = np.cumsum(sure)
        for start in range(0, int(ends[-1]), _SIMULATED):
            people = np.arange(start, min(start + _SIMULATED, int(ends[-1])))
            values = np.searchsorted(ends, people, side="right")
            numbers = generator.integers(self.supporting, size=len(people))
            counts += np.bincount(self.supporters(values, numbers), minlength=self.points)
        return Aggregate(self.key, int(held.sum()), counts)


@dataclass(frozen=True)
class HashedReports(PointReports):
    """A seed, and a cell of g: the answer's hash by that seed, or another.

    Answers are vectors x of ``dimension`` digits to the base ``prime``, g; a seed is a vector a of
    as many. The hash of x is ⟨a, x⟩ modulo g, so that two answers have the same one by exactly one
    seed in g: of the linear equations ⟨a, x - x'⟩ = 0 each has g^(m - 1) solutions. The point of a
    seed and a cell is numbered g · a + cell, and supports the answers whose hash the cell is.

    Attributes:
        k: the number of answers, at most ``prime ** dimension``.
        prime: g, a prime number: how many cells there are.
        dimension: m, how many digits number the answers.
    """

    prime: int
    dimension: int

    def _check_hashes(self) -> None:
        for name in ("k", "prime", "dimension"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        Categories(self.k)
        check_digits(self.k, self.prime, self.dimension)
        if self.points > MOST_POINTS:
            raise ParameterError(
                f"there are at most 2^26 points, whose counts fill 512 MiB, got {self.points}"
            )

    @cached_property
    def points(self) -> int:
        """How many seeds with a cell there are: g^(m + 1)."""
        return self.prime * self.supporting

    @cached_property
    def supporting(self) -> int:
        """How many points support an answer, one for each seed: g^m."""
        return int(self.prime**self.dimension)

    @property
    def shared(self) -> int:
        """How many points support two answers at once: g^(m - 1)."""
        return self.supporting // self.prime

    def cells(self, values: NDArray[Any], seeds: Numbers) -> Numbers:
        """The hash of each answer by a seed."""
        return inner_products(seeds, values, self.prime, self.dimension)

    def supporters(self, values: NDArray[Any], numbers: Numbers) -> Numbers:
        """The seed of this number, with the cell of an answer."""
        return self.prime * numbers + self.cells(values, numbers)

    def supports(self, reports: Records, answer: int) -> NDArray[np.bool_]:
        """Which reports have the cell of an answer."""
        seeds, told = np.divmod(reports["point"].astype(np.int64), self.prime)
        return np.asarray(self.cells(np.full(len(seeds), answer), seeds) == told)

    def supported(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports have the cell of each answer, digit by digit.

        The sums for the digits of x take the places of those of the seed, one after the other, for
        each cell; of the sums for the last digit only those for one cell are needed.
        """
        q, counts = self.prime, aggregate.summed().counts
        narrow = np.int32 if aggregate.n < NARROW else np.int64
        lines, last = counts.reshape(-1, q), q ** (self.dimension - 1)
        if self.dimension > 1:
            lines = lines.astype(narrow)
        for digit in range(self.dimension - 1):
            sum_lines(lines, q**digit, q)
        ends, digits = lines.reshape(q, last, q), np.arange(q)
        sums = [
            ends[digits, :, digits * digit % q].sum(axis=0, dtype=np.int64)
            for digit in range(-(-self.k // last))
        ]
        return np.concatenate(sums)[: self.k]


def best_hashes(k: int, epsilon: float) -> tuple[int, int]:
    """The g and m of the least error, where one cell is e^ε times as likely as each other.

    All primes are tried whose points can be counted. The chance of the answer's own cell is then
    e^ε / (e^ε + g - 1), and that of any other answer's exactly 1/g.
    """
    small = math.exp(-epsilon)
    errors = [
        (_hashing_error(k, prime, small), prime)
        for prime in small_primes()
        if prime ** (digits_of(k, prime) + 1) <= MOST_POINTS
    ]
    if not errors:
        raise ParameterError(
            f"hashes are counted by at most 2^26 points, in 512 MiB; {k} answers need more"
        )
    _, prime = min(errors)
    return prime, digits_of(k, prime)


def _hashing_error(k: int, prime: int, small: float) -> float:
    """The mean squared error of the shares, times a factor that only ``small`` = e^-ε changes."""
    holder, others = 1 / (1 + (prime - 1) * small), 1 / prime
    slope = (1 - others) * holder  # holder - others, over 1 - e^-ε
    return (holder * (1 - holder) / k + (1 - 1 / k) * others * (1 - others)) / slope**2


def inner_products(left: Numbers, values: NDArray[Any], prime: int, dimension: int) -> Numbers:
    """⟨a, x⟩ modulo a prime, of vectors that are numbers to that base."""
    answers, products = values.astype(np.int64), np.zeros(len(left), np.int64)
    for _ in range(dimension):
        left, digits = np.divmod(left, prime)
        answers, those = np.divmod(answers, prime)
        products += digits * those % prime
    return products % prime


def check_digits(k: int, prime: int, dimension: int) -> None:
    """Raise ``ParameterError`` unless so many digits to the base of a prime number k answers."""
    if not (2 <= prime < MOST_POINTS and is_prime(prime)):
        raise ParameterError(f"prime must be a prime below 2^26, got {prime}")
    if dimension != digits_of(k, prime):
        raise ParameterError(
            f"{k} answers have {digits_of(k, prime)} digits to the base {prime}, got the "
            f"dimension {dimension}"
        )


def digits_of(k: int, prime: int) -> int:
    """How many digits to the base ``prime`` number k answers."""
    digits, numbers = 1, prime
    while numbers < k:
        digits, numbers = digits + 1, numbers * prime
    return digits


def is_prime(number: int) -> bool:
    """Whether no smaller number but 1 divides this one."""
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


@cache
def small_primes() -> tuple[int, ...]:
    """All primes to whose base two digits are few enough to be counted."""
    return tuple(filter(is_prime, range(math.isqrt(MOST_POINTS))))


def _uniform(generator: np.random.Generator, draws: int, size: int) -> NDArray[np.int64]:
    """How often each of ``size`` numbers is drawn: one by one if that is quicker."""
    if draws > size:
        return generator.multinomial(draws, np.full(size, 1 / size))
    counts: NDArray[np.int64] = np.bincount(generator.integers(size, size=draws), minlength=size)
    return counts


def sum_lines(lines: NDArray[Any], stride: int, wanted: int) -> None:
    """Put sums for a digit a of x in the place of those for a digit b of w, in place.

    Row b of each group, whose rows are ``stride`` apart, has a count for each z; row a gets the
    sum over b of those for z + ab. Of these sums the first ``wanted`` are needed.
    """
    if lines.size >= COMPILE_FROM:
        from sudare.kernels.points import sum_lines as compiled_sums

        compiled_sums(lines, stride, wanted)
        return
    q = lines.shape[1]
    groups = lines.reshape(-1, q, stride, q).transpose(1, 3, 0, 2)  # by b and z
    counts, digits = groups.copy(), np.arange(q)
    for digit in digits:
        told = (np.arange(wanted) + digits[:, np.newaxis] * digit) % q
        groups[digit, :wanted] = counts[digits[:, np.newaxis], told].sum(axis=0)
