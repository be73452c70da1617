"""One point of many, which supports some answers: projective geometry, Hadamard, local hashing.

A report is a number of a few bytes, however many answers there are. What is counted is how many
reports give each point; a fast transform turns that into how many support each answer.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sudare.chance.exact import affordable, check_epsilon, is_dyadic, largest_dyadic, too_small
from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Randomness
from sudare.errors import ParameterError
from sudare.formats.numbers import whole
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Categories
from sudare.mechanisms.interface import Records
from sudare.mechanisms.point_reports import (
    MOST_POINTS,
    NARROW,
    HashedReports,
    Numbers,
    PointReports,
    best_hashes,
    check_digits,
    digits_of,
    inner_products,
    is_prime,
    small_primes,
    sum_lines,
)

_BLOCK = 1 << 18  # people randomised together, as for GRR: part of the format
_AS_GOOD = 1.002  # times the least error: so little is worth fewer points


@dataclass(frozen=True)
class PointMechanism(PointReports):
    """A uniform point of those that support the answer with chance ``keep``, else of the rest."""

    keep: float

    @abstractmethod
    def _respond(self, values: NDArray[Any], rng: Randomness, out: NDArray[Any]) -> None:
        """Write the reports of a block of people."""

    def _check_keep(self) -> None:
        blind = Fraction(self.supporting, self.points)
        if not is_dyadic(self.keep) or Fraction(self.keep) <= blind:
            raise ParameterError(
                f"keep must be a multiple of 2^-53 above {blind} = {float(blind):.6g} and below "
                f"1, got {self.keep!r}"
            )

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report: a point's chance where it supports the answer, over where it doesn't."""
        return _worst_ratio(self.points, self.supporting, self.keep)

    @property
    def fitting(self) -> Fraction:
        """The chance that a report supports the answer that the person holds: ``keep``."""
        return Fraction(self.keep)

    @property
    def together(self) -> None:
        """Of three answers, how many points support them all depends on which they are."""
        return None

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked answers: a point that supports the answer, or one that doesn't."""
        reports = np.empty(len(values), self.report_dtype)
        blocks = -(-len(values) // _BLOCK)
        for index in range(blocks):  # as even as can be
            block = slice(len(values) * index // blocks, len(values) * (index + 1) // blocks)
            self._respond(values[block], rng, reports["point"][block])
        return reports


@dataclass(frozen=True)
class ProjectiveGeometry(PointMechanism):
    """Projective geometry response: an equation over a finite field that the answer may solve.

    Answers are vectors x of ``dimension`` digits to the base ``prime``, q. A report is an equation
    ⟨w, x⟩ = z, where the first digit of w that isn't 0 is 1, or ⟨0, x⟩ = 1, which nothing solves:
    the points of the projective space over the field of q elements, seen from one side (Feldman,
    Nelson, Nguyen and Talwar, ICML 2022). With q near e^ε + 1 its error is that of
    :class:`sudare.OUE` for many answers, and a report has 4 bytes at most.

    Attributes:
        k: the number of answers, at most ``prime ** dimension``.
        keep: the chance that the answer solves the equation.
        prime: q, a prime number.
        dimension: m, how many digits number the answers.
    """

    name: ClassVar[str] = "projective"
    prime: int
    dimension: int

    def __post_init__(self) -> None:
        for name in ("k", "prime", "dimension"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        Categories(self.k)
        check_digits(self.k, self.prime, self.dimension)
        if self.points > MOST_POINTS:
            raise ParameterError(
                f"there are at most 2^26 points, whose counts fill 512 MiB, got {self.points}"
            )
        self._check_keep()

    @classmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        """One that spends at most ``epsilon``: the fewest points within 0.2 % of the least error.

        All primes are tried whose squares can be counted, and the first one from ``k`` on.
        """
        k, epsilon = Categories(k).k, check_epsilon(epsilon)
        small = math.exp(-epsilon)
        fitting = [
            (_error(k, prime, dimension, small), points, prime)
            for prime, dimension, points in _spaces(k)
        ]
        if not fitting:
            raise ParameterError(
                f"projective geometry counts at most 2^26 points, in 512 MiB; {k} answers need more"
            )
        least, *_ = min(fitting)
        points, prime = min(found[1:] for found in fitting if found[0] <= _AS_GOOD * least)
        dimension = digits_of(k, prime)
        keep = _most_keep(points, _points(prime, dimension - 1), epsilon)
        return cls(k, keep, prime, dimension)

    @cached_property
    def points(self) -> int:
        """How many equations there are: (q^(m + 1) - 1) / (q - 1)."""
        return _points(self.prime, self.dimension)

    @cached_property
    def supporting(self) -> int:
        """How many equations an answer solves, one for each w: (q^m - 1) / (q - 1)."""
        return _points(self.prime, self.dimension - 1)

    @property
    def shared(self) -> int:
        """How many equations two answers solve at once: (q^(m - 1) - 1) / (q - 1)."""
        return _points(self.prime, self.dimension - 2)

    @cached_property
    def _firsts(self) -> Numbers:
        """The number of the first w that has so many digits after its leading 1."""
        return np.array([_points(self.prime, after - 1) for after in range(self.dimension)])

    def _products(self, sides: Numbers, values: NDArray[Any]) -> Numbers:
        """⟨w, x⟩ for the w of each number, ``sides``.

        They are numbered by how many digits follow their leading 1, then by these digits; so w,
        read as a number, is what is left of its own, with that 1 in front.
        """
        after = np.searchsorted(self._firsts, sides, side="right") - 1
        left = sides - self._firsts[after] + self.prime**after
        return inner_products(left, values, self.prime, self.dimension)

    def supporters(self, values: NDArray[Any], numbers: Numbers) -> Numbers:
        """The equation with the w of this number that an answer solves."""
        return 1 + self.prime * numbers + self._products(numbers, values)

    def _respond(self, values: NDArray[Any], rng: Randomness, out: NDArray[Any]) -> None:
        honest = rng.bernoulli(self.keep, values.shape)
        solved = rng.below(self.supporting, values.shape)
        unsolved = rng.below(self.points - self.supporting, values.shape)
        if len(values) >= COMPILE_FROM:
            from sudare.kernels.points import equations

            equations(values, honest, solved, unsolved, self.prime, self._firsts, out)
            return
        # Of the equations that x doesn't solve the first is ⟨0, x⟩ = 1. The others have each w
        # with each of the q - 1 numbers that ⟨w, x⟩ isn't.
        sides, off = np.divmod(np.maximum(unsolved - 1, 0), self.prime - 1)
        sides, off = np.where(honest, solved, sides), np.where(honest, 0, off + 1)
        told = (self._products(sides, values) + off) % self.prime
        out[:] = np.where(honest | (unsolved > 0), 1 + self.prime * sides + told, 0)

    def supports(self, reports: Records, answer: int) -> NDArray[np.bool_]:
        """Which reports are equations that the answer solves."""
        numbers = reports["point"].astype(np.int64)
        sides, told = np.divmod(np.maximum(numbers - 1, 0), self.prime)
        solved = self._products(sides, np.full(len(numbers), answer)) == told
        return np.asarray((numbers > 0) & solved)

    def supported(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports each answer solves, digit by digit.

        Of the w with one leading digit, ⟨w, x⟩ = z says what that digit of x is, by the digits
        after it. So the sums for the digits of x take the places of those of w, one after the
        other; and what answers with the same last digits have in common is added up once.
        """
        q, counts = self.prime, aggregate.summed().counts
        narrow = np.int32 if aggregate.n < NARROW else np.int64
        supports = np.zeros(1, np.int64)
        for after in range(self.dimension):
            sides = slice(_points(q, after - 1), _points(q, after))
            lines = counts[1:].reshape(-1, q)[sides].astype(narrow)
            leading = q if after < self.dimension - 1 else -(-self.k // q**after)
            for digit in range(after):
                sum_lines(lines, q**digit, leading if digit == after - 1 else q)
            supports = np.add(lines[:, :leading].T, supports, dtype=np.int64).ravel()
        return supports[: self.k]


@dataclass(frozen=True)
class HadamardResponse(PointMechanism):
    """Hadamard response: a row of a Hadamard matrix, mostly one with a + in the answer's column.

    The matrix has the smallest power of 2 above k rows; row y has a + in the column of answer x if
    y and x + 1 have an even number of ones in common. Half of the rows do, so the error is least
    for a small ε (Acharya, Sun and Zhang, AISTATS 2019); :class:`ProjectiveGeometry` is better from
    ε = 1 on.
    """

    name: ClassVar[str] = "hadamard"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", Categories(self.k).k)
        if self.points > MOST_POINTS:
            raise ParameterError(
                f"Hadamard response counts at most 2^26 points, in 512 MiB; "
                f"{self.k} answers need more"
            )
        self._check_keep()

    @classmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        """The most accurate Hadamard response that spends at most ``epsilon``."""
        k, epsilon = Categories(k).k, check_epsilon(epsilon)
        return cls(k, _most_keep(2, 1, epsilon))

    @property
    def points(self) -> int:
        """How many rows the matrix has: the smallest power of 2 above k."""
        return 1 << self.k.bit_length()

    @property
    def supporting(self) -> int:
        """How many rows have a + in an answer's column: half of them."""
        return self.points // 2

    @property
    def shared(self) -> int:
        """How many rows have a + in two answers' columns: a quarter of them."""
        return self.points // 4

    def supporters(self, values: NDArray[Any], numbers: Numbers) -> Numbers:
        """The row with this number that has a + in an answer's column."""
        return _rows(values, numbers, np.True_)

    def _respond(self, values: NDArray[Any], rng: Randomness, out: NDArray[Any]) -> None:
        honest = rng.bernoulli(self.keep, values.shape)
        numbers = rng.below(self.supporting, values.shape)
        if len(values) >= COMPILE_FROM:
            from sudare.kernels.points import rows

            rows(values, honest, numbers, out)
        else:
            out[:] = _rows(values, numbers, honest)

    def supports(self, reports: Records, answer: int) -> NDArray[np.bool_]:
        """Which reports are rows with a + in the answer's column."""
        even: NDArray[np.bool_] = np.bitwise_count(reports["point"] & (answer + 1)) % 2 == 0
        return even

    def supported(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports have a + in each answer's column, by a Walsh-Hadamard transform."""
        sums = aggregate.summed().counts.copy()
        half = 1
        while half < len(sums):
            pairs = sums.reshape(-1, 2, half)
            pairs[:, 0] += pairs[:, 1]
            pairs[:, 1] = pairs[:, 0] - 2 * pairs[:, 1]
            half *= 2
        return (aggregate.n + sums[1 : self.k + 1]) // 2  # as many more + than -


@dataclass(frozen=True)
class LocalHashing(HashedReports, PointMechanism):
    """Optimal local hashing: a seed and the answer's hash by it, or another cell.

    OLH (Wang, Blocki, Li and Jha, USENIX Security 2017), by hashes that meet with chance exactly
    1/g, and with counts of points where it takes the hash of every answer for each report.
    :class:`ProjectiveGeometry` has a smaller error; this is what people know, to compare.

    Attributes:
        keep: the chance that the cell is the answer's.
    """

    name: ClassVar[str] = "olh"

    def __post_init__(self) -> None:
        self._check_hashes()
        self._check_keep()

    @classmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        """The most accurate local hashing that spends at most ``epsilon``: g by the exact error."""
        k, epsilon = Categories(k).k, check_epsilon(epsilon)
        prime, dimension = best_hashes(k, epsilon)
        return cls(k, _most_keep(prime, 1, epsilon), prime, dimension)

    def _respond(self, values: NDArray[Any], rng: Randomness, out: NDArray[Any]) -> None:
        honest = rng.bernoulli(self.keep, values.shape)
        lies = self.points - self.supporting  # by how much the cell is off, and a seed
        if isinstance(rng, Keystream) and len(values) >= COMPILE_FROM:
            from sudare.kernels.points import hashes

            lanes = rng.fair_lanes(lies, len(values))
            hashes(values, honest, lanes, self.prime, self.dimension, out)
            rng.done(lanes)
            return
        off, seeds = np.divmod(rng.below(lies, values.shape), self.supporting)
        told = self.cells(values, seeds) + np.where(honest, 0, off + 1)
        out[:] = self.prime * seeds + told % self.prime


def _worst_ratio(points: int, supporting: int, keep: float) -> Fraction:
    exact = Fraction(keep)
    return exact / (1 - exact) * Fraction(points - supporting, supporting)


def _most_keep(points: int, supporting: int, epsilon: float) -> float:
    """The largest chance of a supporting point that spends at most ``epsilon``."""
    guess = 1 / (1 + (points / supporting - 1) * math.exp(-epsilon))
    keep = largest_dyadic(
        guess, lambda keep: affordable(_worst_ratio(points, supporting, keep), epsilon)
    )
    if _worst_ratio(points, supporting, keep) <= 1:
        raise too_small(epsilon)
    return keep


def _points(prime: int, dimension: int) -> int:
    """How many points a projective space has: (q^(m + 1) - 1) / (q - 1); none below dimension 0."""
    return int((prime ** (dimension + 1) - 1) // (prime - 1))


def _primes(k: int) -> list[int]:
    """The primes that may be best for k answers: one digit is best to the smallest base."""
    first = next(number for number in range(k, 2 * k) if is_prime(number))
    small = [prime for prime in small_primes() if prime < first]
    return [*small, first]


@lru_cache(maxsize=64)  # a planner asks for the same ones again
def _spaces(k: int) -> list[tuple[int, int, int]]:
    """Those whose points can be counted: of each prime that may be best, with its dimension."""
    spaces = ((prime, digits_of(k, prime)) for prime in _primes(k))
    counted = ((*space, _points(*space)) for space in spaces)
    return [space for space in counted if space[-1] <= MOST_POINTS]


def _error(k: int, prime: int, dimension: int, small: float) -> float:
    """The mean squared error of the shares, times a factor that only ``small`` = e^-ε changes."""
    solved, unsolved = _points(prime, dimension - 1), prime**dimension * small
    keep, lie = solved / (solved + unsolved), unsolved / (solved + unsolved)
    others = keep * _points(prime, dimension - 2) / solved + lie / prime
    slope = prime ** (dimension - 1) / (solved + unsolved)  # holder - others, over 1 - e^-ε
    return float((keep * lie / k + (1 - 1 / k) * others * (1 - others)) / slope**2)


def _rows(values: NDArray[Any], numbers: Numbers, plus: NDArray[np.bool_] | np.bool_) -> Numbers:
    """The row with this number of those that have a + (or a -) in an answer's column.

    The number says all bits of the row but one, which the sign then decides: that of the lowest
    one of the column.
    """
    columns = values.astype(np.int64) + 1
    deciding = columns & -columns
    lower = numbers & (deciding - 1)
    rows = ((numbers - lower) << 1) | lower
    odd = np.bitwise_count(rows & columns) % 2 == 1
    return rows | np.where(odd == plus, deciding, 0)
