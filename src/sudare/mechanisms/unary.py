"""Unary encoding: one bit per answer, each flipped on its own. OUE and SUE differ in the odds."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.exact import (
    affordable,
    chance_text,
    check_epsilon,
    is_dyadic,
    smallest_dyadic,
    too_small,
)
from sudare.chance.keystream import Keystream, packed_words
from sudare.chance.packed import check_packed, column_counts, has_bit
from sudare.chance.randomness import Randomness
from sudare.errors import ParameterError
from sudare.estimation.likelihood import Evidence
from sudare.formats.wire import Fields
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Categories
from sudare.mechanisms.interface import CategoricalMechanism, Records


@dataclass(frozen=True)
class Unary(CategoricalMechanism):
    """Unary encoding: bit i of a report is 1 with chance ``p`` if i is the answer, else ``q``.

    Values are answers numbered ``0 .. k - 1``; a report is ``k`` bits, packed.
    """

    p: float
    q: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", Categories(self.k).k)
        if not (is_dyadic(self.p) and is_dyadic(self.q) and self.q < self.p):
            raise ParameterError(
                f"p and q must be multiples of 2^-53 with 0 < q < p < 1, "
                f"got p={self.p!r} and q={self.q!r}"
            )

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: ``k`` bits in 64-bit words; the bits above ``k`` are 0."""
        return np.dtype([("bits", "<u8", (packed_words(self.k),))])

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report, as two answers differ in two bits: p(1 - q) / ((1 - p)q)."""
        return _worst_ratio(self.p, self.q)

    @property
    def odds(self) -> str:
        """How often a bit tells the truth, in plain words."""
        return (
            f"A report says yes or no to every answer by chance: yes {chance_text(self.p)} of the "
            f"time to the true one, and {chance_text(self.q)} of the time to each of the others."
        )

    @property
    def holder(self) -> float:
        """The chance that a report has the bit of the answer that the person holds: ``p``."""
        return self.p

    @property
    def others(self) -> float:
        """The chance that a report has the bit of any one other answer: ``q``."""
        return self.q

    @property
    def together(self) -> tuple[float, float]:
        """The chances of two bits at once, which are independent."""
        return self.p * self.q, self.q**2

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked answers: noise on every bit, then the answer's own by its own coin."""
        noise = rng.packed(self.q, len(values), self.k)
        heads = rng.bernoulli(self.p, values.shape)
        if noise.size >= COMPILE_FROM:
            from sudare.kernels.coins import plant
        else:
            plant = _plant_plain
        plant(noise, values, heads)
        return noise.view(self.report_dtype)[:, 0]

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless the bits above ``k`` are 0."""
        check_packed(reports["bits"], self.k)

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports have each bit set."""
        return column_counts(reports["bits"], self.k)

    def supports(self, reports: Records, answer: int) -> NDArray[np.bool_]:
        """Which reports have the answer's bit."""
        return has_bit(reports["bits"], answer)

    def evidence(self, aggregate: Aggregate) -> Evidence:
        """The evidence of the counts about the shares: two events per answer, its bit is 1 or 0."""
        return Evidence.of_bits(aggregate.counts, aggregate.n, self.p, self.q)

    def simulate(self, truth: ArrayLike, rng: Keystream) -> Aggregate:
        """The aggregate of a population: bits are independent, so each column is two binomials."""
        counts = self.domain.population(truth)
        n = int(counts.sum())
        generator = rng.generator()
        ones = generator.binomial(counts, self.p) + generator.binomial(n - counts, self.q)
        return Aggregate(self.key, n, ones)


class OUE(Unary):
    """Optimized unary encoding: the answer's bit is a fair coin, the others rarely lie.

    The best of the unary family for rare answers, and better than :class:`sudare.GRR` there
    when k > 3e^ε + 2.
    """

    name: ClassVar[str] = "oue"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.p != 0.5:
            raise ParameterError(f"OUE has p = 1/2, got {self.p!r}")

    @classmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        """The most accurate OUE that spends at most ``epsilon``."""
        epsilon = check_epsilon(epsilon)
        small = math.exp(-epsilon)
        guess = small / (1 + small)
        q = smallest_dyadic(guess, lambda q: affordable(_worst_ratio(0.5, q), epsilon))
        if q >= 0.5:
            raise too_small(epsilon)
        return cls(k, 0.5, q)


class SUE(Unary):
    """Symmetric unary encoding (basic RAPPOR): every bit lies with the same probability."""

    name: ClassVar[str] = "sue"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.p != 1 - self.q:
            raise ParameterError(f"SUE has p = 1 - q, got p={self.p!r} and q={self.q!r}")

    @classmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        """The most accurate SUE that spends at most ``epsilon``."""
        epsilon = check_epsilon(epsilon)
        small = math.exp(-epsilon / 2)
        guess = small / (1 + small)
        q = smallest_dyadic(guess, lambda q: affordable(_worst_ratio(1 - q, q), epsilon))
        if q >= 0.5:
            raise too_small(epsilon)
        return cls(k, 1 - q, q)


def _worst_ratio(p: float, q: float) -> Fraction:
    one, zero = Fraction(p), Fraction(q)
    return one * (1 - zero) / ((1 - one) * zero)


def _plant_plain(bits: NDArray[np.uint64], values: NDArray[Any], heads: NDArray[np.bool_]) -> None:
    people = np.arange(len(values))
    word, bit = values >> 6, np.left_shift(np.uint64(1), (values & 63).astype(np.uint64))
    bits[people, word] = np.where(heads, bits[people, word] | bit, bits[people, word] & ~bit)
