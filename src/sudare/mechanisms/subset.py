"""Subset selection: one answer of k, hidden in a set of some of them."""

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
    largest_dyadic,
    too_small,
)
from sudare.chance.keystream import Keystream, Words, packed_words
from sudare.chance.packed import check_packed, column_counts, has_bit
from sudare.chance.randomness import Randomness
from sudare.errors import InvalidReport, ParameterError
from sudare.estimation.likelihood import Evidence
from sudare.formats.numbers import counted, whole
from sudare.formats.wire import Fields
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Categories
from sudare.mechanisms.interface import CategoricalMechanism, Records

# Words of reports that are drawn together: enough to pay for a call, few enough for a cache. Part
# of the format: a golden vector of any length means the same to every implementation.
_BLOCK = 1 << 18
_LONG = 10**7  # answers times those in a set, from which on a simulation may draw few people's sets
_FEW = 150  # people for each answer in a set: for more, to go by answers is quicker
_DRAWN = 1 << 23  # words of sets that a simulation draws together
_TOGETHER = 10**8  # people of a simulation: NumPy draws up to 10^9 without replacement


@dataclass(frozen=True)
class SubsetSelection(CategoricalMechanism):
    """Subset selection: a set of ``size`` of the ``k`` answers that mostly has the true one.

    With chance ``keep`` it is the true answer with ``size - 1`` of the others, else ``size`` of the
    others, all such sets alike (Ye and Barg, IEEE Trans. Inf. Theory 2018; Wang et al. 2016). No
    mechanism of the same ε has a smaller squared error (Pan, arXiv 2603.11523). With one answer in
    a set it is :class:`sudare.GRR`, whose report is shorter.

    Attributes:
        k: the number of answers.
        size: how many of them a report has.
        keep: the chance that the true one is among them.
    """

    name: ClassVar[str] = "subset"
    size: int
    keep: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", Categories(self.k).k)
        object.__setattr__(self, "size", whole("size", self.size))
        if not 1 <= self.size < self.k:
            raise ParameterError(f"size must be at least 1 and below k = {self.k}, got {self.size}")
        blind = Fraction(self.size, self.k)
        if not is_dyadic(self.keep) or Fraction(self.keep) <= blind:
            raise ParameterError(
                f"keep must be a multiple of 2^-53 above {blind} = {float(blind):.6g} and below "
                f"1, got {self.keep!r}"
            )

    @classmethod
    def calibrate(cls, k: int, epsilon: float) -> Self:
        """The most accurate subset selection that spends at most ``epsilon``.

        The error falls up to the size k / (e^ε + 1) and rises after it, so that the best whole
        number is one of its two neighbours; of two as good, the smaller.
        """
        k, epsilon = Categories(k).k, check_epsilon(epsilon)
        ideal = k / (1 + math.exp(min(epsilon, math.log(k))))
        near = {min(max(size, 1), k - 1) for size in (math.floor(ideal), math.ceil(ideal))}
        made = [cls(k, size, _most_keep(k, size, epsilon)) for size in sorted(near)]
        return min(made, key=lambda one: one._error)  # noqa: SLF001 - of this class

    @property
    def _error(self) -> Fraction:
        """The exact mean squared error of the shares, of one person."""
        holder, others = Fraction(self.keep), self._exact_others
        noise = holder * (1 - holder) + (self.k - 1) * others * (1 - others)
        return noise / (self.k * (holder - others) ** 2)

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: ``k`` bits in 64-bit words; the bits above ``k`` are 0."""
        return np.dtype([("bits", "<u8", (packed_words(self.k),))])

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report, one set with the true answer to one without it."""
        return _worst_ratio(self.k, self.size, self.keep)

    @property
    def odds(self) -> str:
        """How often a report has the truth, in plain words."""
        return (
            f"A device names {self.size:,} of the {counted(self.k, 'answer')}. "
            f"{chance_text(self.keep)} of the time the true one is among them, and "
            f"{chance_text(self.others)} of the time each of the others is."
        )

    @property
    def holder(self) -> float:
        """The chance that a report has the answer that the person holds: ``keep``."""
        return self.keep

    @property
    def _exact_others(self) -> Fraction:
        return (self.size - Fraction(self.keep)) / (self.k - 1)

    @cached_property
    def others(self) -> float:
        """The chance that a report has any one answer that the person doesn't hold."""
        return float(self._exact_others)

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked answers: whether the true one is in, then a set of the others."""
        reports = np.empty(len(values), self.report_dtype)
        blocks = -(-len(values) * packed_words(self.k) // _BLOCK)
        for index in range(blocks):  # as even as can be
            block = slice(len(values) * index // blocks, len(values) * (index + 1) // blocks)
            self._respond(values[block], rng, reports["bits"][block])
        return reports

    def _respond(self, values: NDArray[Any], rng: Randomness, out: Words) -> None:
        honest = rng.bernoulli(self.keep, values.shape)
        others = rng.subsets(self.k - 1, self.size - honest.astype(np.int64))
        if len(values) * self.k >= COMPILE_FROM:
            from sudare.kernels.sets import insert
        else:
            insert = _insert_plain
        insert(others, values, honest, out)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every report is a set of ``size`` of the answers."""
        check_packed(reports["bits"], self.k)
        wrong = np.bitwise_count(reports["bits"]).sum(axis=1, dtype=np.int64) != self.size
        if wrong.any():
            raise InvalidReport(
                f"the report at position {int(np.argmax(wrong))} is not a set of {self.size} of "
                f"the {counted(self.k, 'answer')}"
            )

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports have each answer."""
        return column_counts(reports["bits"], self.k)

    def supported(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports have each answer; ``size`` of them are in every report."""
        return aggregate.summed(self.size).counts

    def supports(self, reports: Records, answer: int) -> NDArray[np.bool_]:
        """Which reports have the answer."""
        return has_bit(reports["bits"], answer)

    def evidence(self, aggregate: Aggregate) -> Evidence:
        """The evidence of the counts: two events per answer, a report has it or hasn't."""
        return Evidence.of_bits(aggregate.counts, aggregate.n, self.holder, self.others)

    def simulate(self, truth: ArrayLike, rng: Keystream) -> Aggregate:
        """The aggregate of a population: who has their own answer in, then answer by answer.

        Of many answers and not so many people, each person's report is drawn.
        """
        held = self.domain.population(truth)
        n = int(held.sum())
        if self.k * self.size > _LONG and n < _FEW * self.size:
            return self._drawn(held, rng)
        generator = rng.generator()
        parts = 1 + n // _TOGETHER
        counts = np.zeros(self.k, np.int64)
        for part in range(parts):
            some = held // parts + (part < held % parts)
            counts += _sum_of_sets(some, self.keep, self.size, generator)
        return Aggregate(self.key, n, counts)

    def _drawn(self, held: NDArray[np.int64], rng: Keystream) -> Aggregate:
        """The aggregate of everybody's reports."""
        values, counts = np.repeat(np.arange(self.k), held), np.zeros(self.k, np.int64)
        together = max(1, _DRAWN // packed_words(self.k))
        for first in range(0, len(values), together):
            counts += self.tally(self.perturb(values[first : first + together], rng))
        return Aggregate(self.key, len(values), counts)


def _worst_ratio(k: int, size: int, keep: float) -> Fraction:
    # C(k - 1, size) sets without the true answer, for C(k - 1, size - 1) with it.
    exact = Fraction(keep)
    return exact / (1 - exact) * Fraction(k - size, size)


def _most_keep(k: int, size: int, epsilon: float) -> float:
    """The largest chance of the true answer that spends at most ``epsilon``."""
    guess = 1 / (1 + (k / size - 1) * math.exp(-epsilon))
    keep = largest_dyadic(guess, lambda keep: affordable(_worst_ratio(k, size, keep), epsilon))
    if _worst_ratio(k, size, keep) <= 1:
        raise too_small(epsilon)
    return keep


def _insert_plain(
    others: Words, values: NDArray[Any], honest: NDArray[np.bool_], out: Words
) -> None:
    """Make room for each person's own answer in a set of the others, and put it in if honest."""
    words = np.zeros(out.shape, np.uint64)
    words[:, : others.shape[1]] = others
    above = words << np.uint64(1)
    above[:, 1:] |= words[:, :-1] >> np.uint64(63)
    people, word = np.arange(len(values)), values >> 6
    own = np.left_shift(np.uint64(1), (values & 63).astype(np.uint64))
    below = np.where(np.arange(out.shape[1]) < word[:, np.newaxis], np.uint64(2**64 - 1), 0)
    below[people, word] = own - np.uint64(1)
    out[:] = (words & below) | (above & ~below)
    out[people, word] = np.where(honest, out[people, word] | own, out[people, word] & ~own)


def _sum_of_sets(
    held: NDArray[np.int64], keep: float, size: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """How many people have each answer in their set, drawn answer by answer.

    Of those who still need i of what is left some take the next answer, all alike, but not those
    whose own it is. Among the people whose own is still to come, how many they need says nothing
    of which it is: so those who come to theirs are any of them.
    """
    k, row = len(held), size + 1
    # How many need 0, 1, 2 … more: of people whose own answer is to come, and goes into their set,
    # or doesn't; then of those whose own has come.
    needing = np.zeros(3 * row, np.int64)
    needing[size - 1] = generator.binomial(held.sum(), keep)
    needing[row + size] = held.sum() - needing[size - 1]
    wanted = np.tile(np.arange(row), 3)
    counts = np.zeros(k, np.int64)
    for answer, people in enumerate(held.tolist()):
        come = np.zeros(2 * row, np.int64)
        if people:
            some = np.flatnonzero(needing[: 2 * row])
            come[some] = generator.multivariate_hypergeometric(
                needing[some], people, method="marginals"
            )
            needing[: 2 * row] -= come
            counts[answer] = come[:row].sum()
        some = np.flatnonzero(needing)
        left = k - answer - (some < 2 * row)
        taken = generator.binomial(needing[some], np.minimum(1.0, wanted[some] / left))
        needing[some] -= taken
        needing[some - 1] += taken  # nobody who needs none takes any
        counts[answer] += taken.sum()
        needing[2 * row :] += come[:row] + come[row:]
    return counts
