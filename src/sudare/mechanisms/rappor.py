"""RAPPOR: an answer as bits, randomised once for good and again for every report."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.chance.exact import (
    affordable,
    chance_text,
    check_epsilon,
    dyadic,
    is_coin,
    largest_dyadic,
    smallest_dyadic,
    too_small,
)
from sudare.chance.keystream import Keystream, Words, packed_words
from sudare.chance.packed import (
    check_packed,
    choose_bits,
    column_counts,
    grouped_counts,
    has_bit,
)
from sudare.chance.randomness import Randomness
from sudare.errors import InvalidReport, ParameterError
from sudare.estimation.debias import debias, report_weights
from sudare.estimation.estimate import Estimate, Floats
from sudare.estimation.likelihood import Evidence
from sudare.formats.numbers import whole
from sudare.formats.wire import Fields
from sudare.mechanisms import bloom
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Categories, Domain
from sudare.mechanisms.interface import MemoisedMechanism, Records
from sudare.mechanisms.strings import Digests, Strings

Form = Literal["full", "one-time", "instant", "basic", "basic one-time", "basic instant"]

_MOST_BITS = 1 << 16
_MOST_COUNTS = 1 << 22  # of an aggregate: 32 MiB
_ENUMERABLE = 10  # coins per report: up to three for each bit
_BLOCK = 1 << 16  # words randomised at a time: enough to be compiled, few enough to be cached


@dataclass(frozen=True)
class Rappor(MemoisedMechanism):
    """RAPPOR: an answer's ones among ``bits``, noised for good by ``f``, per report by p and q.

    A text sets ``hashes`` bits, which ones depending on the person's cohort; with ``hashes=0``
    (basic RAPPOR) an answer numbered i sets bit i, and there is one cohort. The permanent step
    flips each bit with probability f/2. A report then has a 1 with probability ``q`` where the
    kept bit is 1, and ``p`` where it is 0.

    Attributes:
        bits: the width of the filter, a power of two if there are hashes.
        hashes: how many bits a text sets; 0 for answers that have a bit each.
        cohorts: how many hash families the people are divided among.
        f: the permanent noise (0 for none: then every report costs anew).
        p: the chance that a report says 1 to a bit that is 0.
        q: the chance that a report says 1 to a bit that is 1.
    """

    name: ClassVar[str] = "rappor"
    bits: int
    hashes: int
    cohorts: int
    f: float
    p: float
    q: float

    def __post_init__(self) -> None:
        for name in ("bits", "hashes", "cohorts"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        for name in ("f", "p", "q"):
            object.__setattr__(self, name, _probability(name, getattr(self, name)))
        self._check_filter()
        if not 0 <= self.f < 1 or not is_coin(self.f / 2):
            raise ParameterError(f"f must be a multiple of 2^-52 with 0 <= f < 1, got {self.f!r}")
        if not (is_coin(self.p) and is_coin(self.q) and self.p < self.q):
            raise ParameterError(
                f"p and q must be multiples of 2^-53 with p < q, got p={self.p!r} and q={self.q!r}"
            )
        if self.f == 0 and (self.p == 0 or self.q == 1):
            raise ParameterError(
                f"without permanent noise (f=0) p and q must lie strictly between 0 and 1, "
                f"got p={self.p!r} and q={self.q!r}"
            )

    def _check_filter(self) -> None:
        if not 2 <= self.bits <= _MOST_BITS:
            raise ParameterError(f"bits must be between 2 and {_MOST_BITS}, got {self.bits}")
        if not 0 <= self.hashes < self.bits:
            raise ParameterError(
                f"hashes must be between 0 and bits - 1 = {self.bits - 1}, got {self.hashes}"
            )
        if self.hashes and self.bits & (self.bits - 1):
            raise ParameterError(f"bits must be a power of two to be hashed into, got {self.bits}")
        if not 1 <= self.cohorts <= _MOST_BITS:
            raise ParameterError(f"cohorts must be between 1 and {_MOST_BITS}, got {self.cohorts}")
        if self.cohorts * self.bits > _MOST_COUNTS:
            raise ParameterError(
                f"cohorts × bits must be at most {_MOST_COUNTS}, got {self.cohorts * self.bits}"
            )
        if self.cohorts > 1 and not self.hashes:
            raise ParameterError(f"without hashes there is 1 cohort, got {self.cohorts}")

    @classmethod
    def calibrate(  # noqa: PLR0913 - the parameters of the method itself
        cls,
        epsilon: float,
        *,
        form: Form = "full",
        lifetime: float | None = None,
        bits: int = 128,
        hashes: int = 1,
        cohorts: int = 64,
    ) -> Self:
        """The RAPPOR of a named form that spends at most ``epsilon`` per report.

        Args:
            epsilon: the budget of one report, ε₁.
            form: ``full`` has both steps, ``one-time`` the permanent one alone (p=0, q=1),
                ``instant`` the other alone (f=0, for a single report: the most accurate).
                ``basic`` before it means no Bloom filter: one bit for each of ``bits`` answers.
            lifetime: for ``full``, the budget of all reports of one answer, ε∞; twice
                ``epsilon`` unless given.
            bits: the width of the filter, or the number of answers.
            hashes: bits per text; 1 is best for a given ε.
            cohorts: hash families.
        """
        epsilon = check_epsilon(epsilon)
        if form not in get_args(Form):
            raise ParameterError(f"there is no form {form!r} of RAPPOR")
        steps = form.removeprefix("basic").strip() or "full"
        if form.startswith("basic"):
            hashes, cohorts = 0, 1
        elif hashes < 1:
            raise ParameterError(f"hashes must be at least 1 unless basic, got {hashes}")
        if lifetime is not None and steps != "full":
            raise ParameterError(f"only the full form has a lifetime budget, got {lifetime}")
        shape = cls(bits, hashes, cohorts, 0.5, 0.5, 0.75)  # refuses what can't be a filter
        changes = shape.changes
        if steps == "one-time":
            return cls(bits, hashes, cohorts, lasting_noise(changes, epsilon), 0.0, 1.0)
        f = 0.0
        if steps == "full":
            budget = 2 * epsilon if lifetime is None else check_epsilon(lifetime)
            if budget <= epsilon:
                raise ParameterError(
                    f"the lifetime budget must exceed that of a report, {epsilon}, got {lifetime}"
                )
            f = lasting_noise(changes, budget)
        return cls(bits, hashes, cohorts, f, *report_odds(changes, f, epsilon))

    @property
    def ones(self) -> int:
        """How many bits an answer sets."""
        return self.hashes or 1

    @property
    def changes(self) -> int:
        """How many of an answer's bits another answer can miss: all, unless bits are few."""
        return min(self.ones, self.bits - self.ones)

    @cached_property
    def domain(self) -> Domain:
        """The values that a person may answer: texts, or ``bits`` numbered answers."""
        return Strings(self.key) if self.hashes else Categories(self.bits)

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: the cohort, for texts, and the bits in 64-bit words."""
        bits = ("bits", "<u8", (packed_words(self.bits),))
        return np.dtype([("cohort", "<u2"), bits] if self.hashes else [bits])

    def ratio_of(self, reports: int) -> Fraction:
        """The worst ratio of so many reports: ones at all bits of one answer, zeros at the other's.

        Bits are independent, and so are reports given the kept bit, which is 1 with chance
        a = 1 - f/2 for a 1 and b = f/2 for a 0. Two answers differ in ``changes`` bits each way.
        """
        return bit_ratio(self.f, self.p, self.q, reports) ** self.changes

    @property
    def lifetime_ratio(self) -> Fraction | None:
        """e^ε of the kept bits themselves, ((1 - f/2) / (f/2))² for each changed; None at f = 0."""
        return bit_ratio(self.f, 0, 1) ** self.changes if self.f else None

    @property
    def holder(self) -> float:
        """q*: the chance of a 1 in a report where the answer's bit is 1."""
        return float(said_chances(self.f, self.p, self.q)[1])

    @property
    def others(self) -> float:
        """p*: the chance of a 1 in a report where the answer's bit is 0."""
        return float(said_chances(self.f, self.p, self.q)[0])

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path: free text, or too many coins."""
        coins = self.bits * sum(0 < chance < 1 for chance in (self.f / 2, self.p, self.q))
        if self.hashes or coins <= _ENUMERABLE:
            return super().not_enumerable if self.hashes else None
        return f"not at {coins} coins per report (up to {_ENUMERABLE})"

    @property
    def odds(self) -> str:
        """How the bits of an answer are randomised, in plain words."""
        setting = f"sets {self.ones} of {self.bits} bits"
        kept = (
            f"each bit is flipped with a chance of {chance_text(self.f / 2)}, once and for good; "
            if self.f
            else ""
        )
        if (self.p, self.q) == (0, 1):
            return f"An answer {setting}; {kept}a report is these bits."
        said = f"{chance_text(self.holder)} of the time to a bit that the answer sets and "
        said += f"{chance_text(self.others)} of the time to one that it doesn't"
        return f"An answer {setting}; {kept}a report says yes, all told, {said}."

    def assign(self, count: int, rng: Randomness) -> NDArray[np.int64]:
        """A cohort for each of so many devices, drawn once and for all."""
        return rng.below(self.cohorts, (count,))

    def permanent(
        self, values: NDArray[Any], assigned: NDArray[np.int64], rng: Randomness
    ) -> Words:
        """The bits that devices keep of their answers, each flipped with probability f/2."""
        if self.hashes:
            kept = bloom.filters(values, assigned, self.hashes, self.bits)
        else:
            kept = np.zeros((len(values), packed_words(self.bits)), "<u8")
            one = np.left_shift(np.uint64(1), (values & 63).astype(np.uint64))
            kept[np.arange(len(values)), values >> 6] = one
        self.flip(kept, rng)
        return kept

    def flip(self, kept: Words, rng: Randomness) -> None:
        """Flip each bit of a filter with probability f/2, in place."""
        if self.f:
            for rows in self._blocks(len(kept)):
                kept[rows] ^= rng.packed(self.f / 2, rows.stop - rows.start, self.bits)

    def instant(self, kept: Words, assigned: NDArray[np.int64], rng: Randomness) -> Records:
        """Reports of kept bits, each answered by its own coin, of probability q or p."""
        reports = np.empty(len(kept), self.report_dtype)
        if self.hashes:
            reports["cohort"] = assigned
        for rows in self._blocks(len(kept)):
            said = rng.packed(self.q, rows.stop - rows.start, self.bits)
            unsaid = rng.packed(self.p, rows.stop - rows.start, self.bits)
            choose_bits(kept[rows], said, unsaid, reports["bits"][rows])
        return reports

    def _blocks(self, count: int) -> list[slice]:
        size = max(1, _BLOCK // packed_words(self.bits))
        return [slice(start, min(start + size, count)) for start in range(0, count, size)]

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every cohort exists, and the bits above ``bits`` are 0."""
        if self.hashes and len(reports) and reports["cohort"].max() >= self.cohorts:
            where = int(np.argmax(reports["cohort"] >= self.cohorts))
            raise InvalidReport(
                f"the report at position {where} has the cohort {reports['cohort'][where]}; "
                f"there are {self.cohorts}, numbered from 0"
            )
        check_packed(reports["bits"], self.bits)

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports have each bit set.

        With hashes, a row for each cohort: its number of reports, then its bits' sums.
        """
        if not self.hashes:
            return column_counts(np.ascontiguousarray(reports["bits"]), self.bits)
        return grouped_counts(reports["bits"], self.bits, reports["cohort"], self.cohorts)

    def debiased(self, aggregate: Aggregate) -> Estimate:
        """The share of each numbered answer; texts need candidates, and a decoder."""
        if self.hashes:
            raise ParameterError(
                "free text has no list of answers to estimate: decode it with candidates "
                "(`sudare decode --candidates`, or sudare.decode)"
            )
        return debias(aggregate.counts, aggregate.n, self.holder, self.others)

    def supports(self, reports: Records, bit: int) -> NDArray[np.bool_]:
        """Which reports have a bit: a numbered answer's own, or one that texts share."""
        return has_bit(reports["bits"], bit)

    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each report in the number of people whose answer sets a bit.

        Without hashes these are the people who hold the answer of that number. With hashes it is
        a bit of the report's cohort, which any number of texts may set.
        """
        return report_weights(self.supports(reports, answer), self.holder, self.others)

    def supported(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports have each numbered answer's bit."""
        return aggregate.counts

    def evidence(self, aggregate: Aggregate) -> Evidence:
        """The evidence of the counts about the shares of numbered answers: each answer's bit."""
        return Evidence.of_bits(aggregate.counts, aggregate.n, self.holder, self.others)

    def simulate(self, truth: Any, rng: Keystream) -> Aggregate:  # noqa: ANN401 - either domain's
        """The aggregate of a population: in each cohort, a bit's sum is that of two binomials."""
        generator = rng.generator()
        if isinstance(self.domain, Strings):
            sizes, held = self._divided(*self.domain.population(truth), generator)
        else:
            held = Categories(self.bits).population(truth)
            sizes = held.sum()
        ones = generator.binomial(held, self.holder)
        ones += generator.binomial(sizes[..., np.newaxis] - held, self.others)
        if self.hashes:
            ones = np.column_stack([sizes, ones])
        return Aggregate(self.key, int(sizes.sum()), ones)

    def _divided(
        self, held: Digests, people: NDArray[np.int64], generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """People divided at random among cohorts: how many are in each, and how many hold a bit."""
        split = generator.multinomial(people, np.full(self.cohorts, 1 / self.cohorts))
        rows = bloom.design_rows(held, self.cohorts, self.hashes, self.bits)
        holders = np.repeat(split, self.hashes)
        sums = np.bincount(rows.ravel(), holders, self.cohorts * self.bits)
        return split.sum(axis=0), sums.astype(np.int64).reshape(self.cohorts, self.bits)


def _probability(name: str, value: float) -> float:
    if not isinstance(value, float | int) or not 0 <= value <= 1:
        raise ParameterError(f"{name} must be a probability between 0 and 1, got {value!r}")
    return float(value)


def said_chances(f: float, p: float, q: float) -> tuple[Fraction, Fraction]:
    """p* and q*: the chance that a report says 1 where the answer's bit is 0, and where it is 1."""
    b, zero, one = Fraction(f) / 2, Fraction(p), Fraction(q)
    return b * one + (1 - b) * zero, (1 - b) * one + b * zero


def bit_ratio(f: float, p: float, q: float, reports: int = 1) -> Fraction:
    """The worst ratio of ``reports`` reports of one kept bit, times that of another bit.

    One bit turns from 0 to 1 and tells most when all reports say 1; another turns from 1 to 0
    and tells most when all say 0.
    """
    b = Fraction(f) / 2
    return _lift(b, Fraction(q) ** reports, Fraction(p) ** reports) * _lift(
        b, (1 - Fraction(p)) ** reports, (1 - Fraction(q)) ** reports
    )


def _lift(b: Fraction, likely: Fraction, unlikely: Fraction) -> Fraction:
    return ((1 - b) * likely + b * unlikely) / (b * likely + (1 - b) * unlikely)


def lasting_noise(changes: int, epsilon: float) -> float:
    """The least f for which all the reports of an answer together spend at most ``epsilon``.

    Two answers differ in ``changes`` bits each way, so e^ε∞ = ((1 - f/2) / (f/2))^(2 · changes).
    """
    b = smallest_dyadic(
        _rare_side(epsilon / (2 * changes)),
        lambda b: b > 0 and affordable(bit_ratio(2 * b, 0, 1) ** changes, epsilon),
    )
    if b >= 0.5:
        raise too_small(epsilon)
    return 2 * b


def report_odds(changes: int, f: float, epsilon: float) -> tuple[float, float]:
    """The p and q of a report that spends at most ``epsilon``, the best for rare answers.

    Without permanent noise the least variance is at q = ½ (as in OUE). With it the same holds
    for what is left of the bit, q* = ½, as long as p can be as small as that takes.
    """

    def spent(p: float, q: float) -> bool:
        return affordable(bit_ratio(f, p, q) ** changes, epsilon)

    said = _rare_side(epsilon / changes)  # p* where q* = ½
    distance = (0.5 - said) / (1 - f)
    p = said - f * distance / 2
    q = p + distance
    if f == 0 or (p > 0 and q < 1):
        q = dyadic(q)
        return smallest_dyadic(p, lambda p: p < q and spent(p, q)), q
    return 0.0, largest_dyadic(min(q, 1 - 2.0**-53), lambda q: spent(0.0, q))


def _rare_side(log_odds: float) -> float:
    """1 / (1 + e^x): the rarer side of a coin of these odds, however long they are."""
    small = math.exp(-log_odds)
    return small / (1 + small)
