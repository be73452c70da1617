"""Set response (PrivSet): several answers of k, reported as a set that meets them or not."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

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
from sudare.chance.keystream import COIN_BITS, Keystream, Words, packed_words
from sudare.chance.packed import check_packed, column_counts, has_bit
from sudare.chance.randomness import Randomness
from sudare.errors import InvalidReport, ParameterError
from sudare.estimation.debias import debias, report_weights
from sudare.estimation.estimate import Estimate, Floats, check_level
from sudare.estimation.frequency_error import RELIABLE_SPREAD
from sudare.formats.numbers import counted, whole
from sudare.formats.wire import Fields
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import SelectionGroups, Selections
from sudare.mechanisms.interface import Mechanism, Records

# Words of reports that are drawn together: enough to pay for a call, few enough for a cache. Part
# of the format: a golden vector of any length means the same to every implementation.
_BLOCK = 1 << 18
_CELLS = 1 << 20  # items of people that are placed together: each takes some bytes for a moment
_PATHS = 1 << 14  # values times reports that are walked down one by one


class MeanSize(NamedTuple):
    """How many answers a person selects, in the mean, unbiased, and its standard error."""

    mean: float
    stderr: float
    variance: float
    """That of people's numbers of answers around their mean."""
    rough: bool
    """Whether the blanks' count is too coarse for an interval to keep its level."""

    def of_population(self, people: int) -> "MeanSize":
        """The mean in a population of which so many people are a random sample."""
        if people < 2:
            raise ParameterError(f"a sample needs at least 2 people, got {people}")
        return self._replace(stderr=math.sqrt(self.stderr**2 + self.variance / (people - 1)))

    def interval(self, level: float) -> tuple[float, float]:
        """The interval that covers the true mean with probability ``level``."""
        from scipy.special import ndtri  # heavy, and a device never asks for an interval

        check_level(level)
        reach = self.stderr * float(ndtri((1 + level) / 2))
        return self.mean - reach, self.mean + reach


@dataclass(frozen=True)
class SetResponse(Mechanism):
    """Set response: a report is a set of ``size`` items that meets a person's own, or doesn't.

    A value selects at most ``most`` of ``k`` answers. It is filled up to ``most`` items by blanks,
    numbered from ``k`` on, the first ones first; there are ``most`` of them, so a person has
    ``most`` of ``k + most`` items. A report is a set of ``size`` of these items, packed. With
    chance ``keep`` it is one that has some of the person's items, else one that has none (Wang et
    al., PrivSet, INFOCOM 2018).
    """

    name: ClassVar[str] = "set"
    k: int
    most: int
    size: int
    keep: float

    def __post_init__(self) -> None:
        domain = Selections(self.k, self.most)
        object.__setattr__(self, "k", domain.k)
        object.__setattr__(self, "most", domain.most)
        object.__setattr__(self, "size", whole("size", self.size))
        if not 1 <= self.size <= self.k:
            raise ParameterError(f"size must be between 1 and k = {self.k}, got {self.size}")
        if not all(is_dyadic(coin) for coin in self.coins):
            raise ParameterError(
                f"no multiple of 2^-53 is near enough to the chances of sets of {self.size} that "
                f"meet {self.most} of {self.items} items"
            )
        if not is_dyadic(self.keep) or not self._says_something:
            blind = 1 - _missed(self.k, self.most, self.size)
            raise ParameterError(
                f"keep must be a multiple of 2^-53 above {blind:.6g} and below 1, got {self.keep!r}"
            )

    @classmethod
    def calibrate(cls, k: int, most: int, epsilon: float) -> Self:
        """The most accurate set response that spends at most ``epsilon``.

        Of all sizes of a report that which has the least total variance over all items, blanks
        included: the same whatever people select.
        """
        domain, epsilon = Selections(k, most), check_epsilon(epsilon)
        size = _best_size(domain.k, domain.most, epsilon)
        missed = _missed(domain.k, domain.most, size)
        guess = (1 - missed) / (1 - missed + missed * math.exp(-epsilon))
        levels = _levels(domain.k, domain.most, size)

        def ratio(keep: float) -> Fraction:
            return _worst_ratio(levels, keep)

        keep = largest_dyadic(guess, lambda keep: affordable(ratio(keep), epsilon))
        try:
            return cls(domain.k, domain.most, size, keep)
        except ParameterError:
            raise too_small(epsilon) from None

    @cached_property
    def domain(self) -> Selections:
        """At most ``most`` of ``k`` answers, as a row of 0 and 1."""
        return Selections(self.k, self.most)

    @property
    def items(self) -> int:
        """How many items a report is a set of: the answers, and as many blanks as are needed."""
        return self.k + self.most

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: a bit per item in 64-bit words; those above are 0."""
        return np.dtype([("bits", "<u8", (packed_words(self.items),))])

    @cached_property
    def coins(self) -> tuple[float, ...]:
        """The chances that a set with i of a person's items has more than i, for i from 1 on.

        Those of a set drawn uniformly among all that meet the person's, each rounded to the
        nearest multiple of 2⁻⁵³.
        """
        return _coins(self.k, self.most, self.size)

    @cached_property
    def law(self) -> tuple[Fraction, ...]:
        """The exact chance that a report has 0, 1, 2 … of a person's items."""
        keep = Fraction(self.keep)
        return (1 - keep, *(keep * chance for chance in _chain(self.coins)))

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a report: the likeliest that has some of a person's items, to one with none."""
        return _worst_ratio(_levels(self.k, self.most, self.size), self.keep)

    @property
    def _says_something(self) -> bool:
        """Whether every report with some of a person's items is likelier than one with none."""
        keep, levels = Fraction(self.keep), _levels(self.k, self.most, self.size)
        return keep * min(levels) > 1 - keep and self._exact_holder > self._exact_others

    @property
    def odds(self) -> str:
        """How often a report says something true, in plain words."""
        blanks = counted(self.most, "blank")
        return (
            f"A device names {self.size:,} of {self.items:,} items: the {self.k:,} answers, and "
            f"{blanks} for what isn't selected. {chance_text(self.keep)} of the time some of them "
            f"are the person's own, and otherwise none is."
        )

    @cached_property
    def _exact_holder(self) -> Fraction:
        return sum(count * chance for count, chance in enumerate(self.law)) / Fraction(self.most)

    @cached_property
    def _exact_others(self) -> Fraction:
        return (self.size - self.most * self._exact_holder) / self.k

    @cached_property
    def holder(self) -> float:
        """The chance that a report has any one answer that the person selects."""
        return float(self._exact_holder)

    @cached_property
    def others(self) -> float:
        """The chance that a report has any one answer that the person doesn't select."""
        return float(self._exact_others)

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path of chance, where it would take forever."""
        values = sum(math.comb(self.k, size) for size in range(self.most + 1))
        reports = math.comb(self.items, self.size)
        if values * reports <= _PATHS:
            return None
        # Numbers of hundreds of digits say no more than that they are large.
        return f"not of at most {self.most} of {counted(self.k, 'answer')}, by sets of {self.size}"

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Reports of checked selections: how many of a person's items, then which, and others."""
        reports = np.empty(len(values), self.report_dtype)
        blocks = -(-len(values) * packed_words(self.items) // _BLOCK)
        for index in range(blocks):  # as even as can be
            block = slice(len(values) * index // blocks, len(values) * (index + 1) // blocks)
            reports["bits"][block] = self._respond(values[block], rng)
        return reports

    def _respond(self, values: NDArray[np.uint8], rng: Randomness) -> Words:
        going = rng.bernoulli(self.keep, len(values))
        overlap = going.astype(np.int64)
        for coin in self.coins:  # tossed for everybody, also where the set is settled
            going = going & rng.bernoulli(coin, len(values))
            overlap += going
        own = rng.subsets(self.most, overlap)
        strange = rng.subsets(self.k, self.size - overlap)
        words = np.empty((len(values), packed_words(self.items)), "<u8")
        if len(values) * self.items >= COMPILE_FROM:
            from sudare.kernels.sets import place

            place(values, own, strange, self.most, words)
            return words
        step = max(1, _CELLS // self.items)
        for start in range(0, len(values), step):
            part = slice(start, start + step)
            words[part] = self._placed(values[part], own[part], strange[part])
        return words

    def _placed(self, values: NDArray[np.uint8], own: Words, strange: Words) -> Words:
        """Reports with the i-th of a person's items if ``own`` has i, and so of all others."""
        held = self._filled(values)
        drawn = np.concatenate([_unpacked(own, self.most), _unpacked(strange, self.k)], axis=1)
        before = np.cumsum(held, axis=1, dtype=np.int32)
        places = np.where(held, before - 1, np.arange(self.most, self.most + self.items) - before)
        bits = np.zeros((len(values), 64 * packed_words(self.items)), np.uint8)
        bits[:, : self.items] = np.take_along_axis(drawn, places, axis=1)
        packed: Words = np.packbits(bits, axis=1, bitorder="little").view("<u8")
        return packed

    def _filled(self, values: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Which items each person has: the answers, and blanks until there are enough."""
        missing = self.most - values.sum(axis=1, dtype=np.int64)
        blanks = np.arange(self.most) < missing[:, np.newaxis]
        return np.concatenate([values.astype(np.bool_), blanks], axis=1)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless every report is a set of ``size`` of the items."""
        check_packed(reports["bits"], self.items)
        wrong = np.bitwise_count(reports["bits"]).sum(axis=1, dtype=np.int64) != self.size
        if wrong.any():
            raise InvalidReport(
                f"the report at position {int(np.argmax(wrong))} is not a set of {self.size} of "
                f"the {self.items} items"
            )

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports have each item: the answers, then the blanks."""
        return column_counts(reports["bits"], self.items)

    def supported(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports have each answer."""
        return aggregate.summed(self.size).counts[: self.k]

    def debiased(self, aggregate: Aggregate) -> Estimate:
        """The unbiased share of people who select each answer, (c/n - others) / (holder - others).

        The shares don't sum to 1: a person has a part in several of them.
        """
        return debias(self.supported(aggregate), aggregate.n, self.holder, self.others)

    def mean_size(self, aggregate: Aggregate) -> MeanSize:
        """How many answers people select in the mean: what the blanks leave of ``most``.

        The blank i is a person's own if at most ``most - 1 - i`` answers are selected, so that
        the blanks tell how many people select how many; and the variance of one report's number of
        blanks is a known one for each of these numbers of answers.
        """
        owned = self.own(aggregate).summed(self.size)
        blanks = debias(owned.counts[self.k :], owned.n, self.holder, self.others).values
        sizes = np.diff(np.append(blanks[::-1], 1.0), prepend=0.0)  # the share that selects 0, 1 …
        spread = self._blank_variances
        variance = np.clip(sizes @ spread, spread.min(), spread.max())  # as any mean of them is
        stderr = math.sqrt(variance / owned.n) / (self.holder - self.others)
        mean = self.most - float(blanks.sum())
        # E[mean²] exceeds the true mean's square by the noise's own variance.
        around = float(sizes @ np.arange(self.most + 1) ** 2) - mean**2 + stderr**2
        # Of ``most`` blanks, each as coarse as the count of an answer that is rough.
        rough = math.sqrt(variance * owned.n / self.most) < RELIABLE_SPREAD
        return MeanSize(mean, stderr, max(0.0, around), rough)

    @property
    def _blank_variances(self) -> Floats:
        """The variance of a report's number of blanks, of people who select 0, 1, … ``most``."""
        k, most = self.k, self.most
        chances = np.array([float(chance) for chance in self.law])
        own = np.arange(len(chances))
        strange = self.size - own
        selected = np.arange(most + 1)[:, np.newaxis]  # as many of their blanks are not their own
        mean = own * (most - selected) / most + strange * selected / k
        within = own * (most - selected) * selected * (most - own) / (most**2 * max(1, most - 1))
        within = within + strange * selected * (k - selected) * (k - strange) / (k**2 * (k - 1))
        around = mean - (mean @ chances)[:, np.newaxis]
        variances: Floats = (within + around**2) @ chances
        return variances

    def supports(self, reports: Records, answer: int) -> NDArray[np.bool_]:
        """Which reports have the answer."""
        return has_bit(reports["bits"], answer)

    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each report in the number of people who select an answer."""
        return report_weights(self.supports(reports, answer), self.holder, self.others)

    def simulate(self, truth: SelectionGroups, rng: Keystream) -> Aggregate:
        """The aggregate of a population: who has how many own items, then item by item."""
        groups = self.domain.population(truth)
        held = self._filled(groups.selections)
        generator = rng.generator()
        overlaps = generator.multinomial(groups.people, [float(chance) for chance in self.law])
        strangers = np.zeros((len(held), self.size + 1), np.int64)
        strangers[:, self.size - np.arange(len(self.law))] = overlaps
        counts = _sum_of_subsets(held, overlaps, generator)
        counts += _sum_of_subsets(~held, strangers, generator)
        return Aggregate(self.key, int(groups.people.sum()), counts)


def _missed(k: int, most: int, size: int) -> float:
    """The chance that a uniform set of so many items misses ``most`` of ``k + most``."""
    steps = np.arange(1, most + 1)
    return float(np.prod((k - size + steps) / (k + steps)))


def _best_size(k: int, most: int, epsilon: float) -> int:
    """The size of a report with the least total variance over all items."""
    sizes = np.arange(1, k + 1)
    missed = np.cumprod((k + 1 - sizes) / (k + most + 1 - sizes))  # one item after the other
    meeting = (1 - missed) / (1 - missed + missed * math.exp(-epsilon))
    # A uniform set has size · most / items of them in the mean, 0 if it misses.
    holder = meeting * sizes / (k + most) / (1 - missed)
    others = (sizes - most * holder) / k
    noise = most * holder * (1 - holder) + k * others * (1 - others)
    with np.errstate(divide="ignore"):  # at the edge of what floats can tell
        variance = noise / (holder - others) ** 2
    return int(sizes[np.argmin(variance)])


def _growth(k: int, most: int, size: int, own: int) -> Fraction:
    """How many sets have ``own + 1`` of a person's items, for each that has ``own``."""
    return Fraction((most - own) * (size - own), (own + 1) * (k - size + own + 1))


def _coins(k: int, most: int, size: int) -> tuple[float, ...]:
    """The chances of one more own item, given the first, given the second, and so on."""
    coins, more = [], Fraction(0)
    for own in range(min(most, size) - 1, 0, -1):
        more = _growth(k, most, size, own) * (1 + more)  # sets with more, for each with so many
        coins.append(round(more / (1 + more) * (1 << COIN_BITS)) * 2.0**-COIN_BITS)
    return tuple(reversed(coins))


def _chain(coins: tuple[float, ...]) -> list[Fraction]:
    """The chance of 1, 2, 3 … own items where there is one."""
    chances, reached = [], Fraction(1)
    for coin in coins:
        chances.append(reached * (1 - Fraction(coin)))
        reached *= Fraction(coin)
    return [*chances, reached]


def _levels(k: int, most: int, size: int) -> list[Fraction]:
    """The chance of one set with 1, 2, 3 … own items where there is one.

    In units of the chance of one set without any, where there is none.
    """
    levels, sets = [], Fraction(1)
    for own, chance in enumerate(_chain(_coins(k, most, size))):
        sets *= _growth(k, most, size, own)
        levels.append(chance / sets)
    return levels


def _worst_ratio(levels: list[Fraction], keep: float) -> Fraction:
    """The likeliest set to the least likely, of those that all numbers of own items allow."""
    exact = Fraction(keep)
    chances = [1 - exact, *(exact * level for level in levels)]
    return max(chances) / min(chances)


def _unpacked(words: Words, bits: int) -> NDArray[np.uint8]:
    return np.unpackbits(words.view(np.uint8), axis=1, count=bits, bitorder="little")


def _sum_of_subsets(
    members: NDArray[np.bool_], people: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """How many people have each item, when each has a uniform subset of their group's members.

    Args:
        members: which items the subsets of a group are of, a row per group.
        people: how many of a group have a subset of 0, 1, 2 … items.
        generator: of chance.
    """
    needing, left = people.copy(), members.sum(axis=1)
    wanted = np.arange(people.shape[1])
    counts = np.zeros(members.shape[1], np.int64)
    for item in range(members.shape[1]):
        here = np.flatnonzero(members[:, item])
        # Who still needs some of what is left has this one with chance wanted / left.
        chances = np.minimum(1.0, wanted / left[here, np.newaxis])
        taken = generator.binomial(needing[here], chances)
        needing[here] -= taken
        needing[here, :-1] += taken[:, 1:]
        left[here] -= 1
        counts[item] = taken.sum()
    return counts
