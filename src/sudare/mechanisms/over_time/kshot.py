"""KShot: several rounds per person, and noise drawn for all of them together."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import ClassVar, Self

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
from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Randomness
from sudare.errors import ParameterError
from sudare.formats.numbers import whole
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.domain import Streams
from sudare.mechanisms.over_time.continual import ContinualMechanism, Plans
from sudare.mechanisms.over_time.population_sampler import (
    Counts,
    PopulationSampler,
    Truth,
    people_of,
    said_with_flips,
)

MOST_SHOTS = 16
ALLOWED = 1.02  # times Glance's error, at the least favourable share in the range

_ENUMERABLE = 3  # reports of a person


@dataclass(frozen=True)
class KShot(ContinualMechanism):
    """KShot: the state in ``shots`` rounds, of which mostly at most ``flips`` are lies.

    In advance a device draws its rounds and which of them to lie in: with probability ``few``
    one of the patterns of at most ``flips`` lies, else one of the others, any alike. Whatever the
    states, a pattern leads from one transcript to another, so the whole stream is as private as
    the two kinds of pattern are likely: more rounds are heard for the same ε, each a little
    noisier. With one round and no flip it is Glance.
    """

    name: ClassVar[str] = "kshot"
    sampled: ClassVar[bool] = True
    shots: int
    flips: int
    few: float

    def __post_init__(self) -> None:
        checked = _checked(self.rounds, self.shots, self.flips)
        for field, value in zip(("rounds", "shots", "flips"), checked, strict=True):
            object.__setattr__(self, field, value)
        if not is_dyadic(self.few) or _ratio(self.shots, self.flips, self.few) <= 1:
            near, far = patterns(self.shots, self.flips)
            raise ParameterError(
                f"few must be a multiple of 2^-53 above {near / (near + far):.6g} and below 1, got "
                f"{self.few!r}"
            )
        if self.flip >= Fraction(1, 2):
            raise ParameterError(
                f"at most {self.flips} flips in {self.shots} rounds tell nothing: a state is "
                f"flipped half the time"
            )

    @classmethod
    def calibrate(  # noqa: PLR0913 - what a design may be told
        cls,
        rounds: int,
        epsilon: float,
        *,
        low: float = 0.0,
        high: float = 1.0,
        shots: int | None = None,
        flips: int = 0,
    ) -> Self:
        """The most accurate KShot that spends at most ``epsilon`` on the whole stream.

        Args:
            rounds: how many rounds there are.
            epsilon: the budget.
            low: what the share of people in state 1 is expected to be at least.
            high: what the share in state 1 is expected to be at most.
            shots: in how many rounds a person reports; the best for that range unless given.
            flips: how many lies are few, if ``shots`` is given.
        """
        rounds, epsilon = Streams(rounds).rounds, check_epsilon(epsilon)
        check_range(low, high)
        if shots is None:
            shots, flips = best_shots(rounds, epsilon, low, high)
        rounds, shots, flips = _checked(rounds, shots, flips)
        few = largest_dyadic(
            few_chance(shots, flips, epsilon),
            lambda few: affordable(_ratio(shots, flips, few), epsilon),
        )
        if _ratio(shots, flips, few) <= 1:
            raise too_small(epsilon)
        return cls(rounds, shots, flips, few)

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of a stream: the chance of a pattern of few flips against that of one of many."""
        return _ratio(self.shots, self.flips, self.few)

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path: too many rounds, or reports."""
        if self.shots > _ENUMERABLE:
            return super().not_enumerable or f"not at {self.shots} shots (up to {_ENUMERABLE})"
        return super().not_enumerable

    @property
    def odds(self) -> str:
        """How often a device speaks and then tells the truth, in plain words."""
        return (
            f"A device reports in {self.shots} of {self.rounds:,} rounds, any alike, and says the "
            f"true state there {chance_text(self.holder)} of the time."
        )

    @property
    def reports_each(self) -> int:
        """How many reports a person sends: ``shots``."""
        return self.shots

    @cached_property
    def flip(self) -> Fraction:
        """The chance of a lie in any one of a person's rounds."""
        return flip_chance(self.shots, self.flips, Fraction(self.few))

    @property
    def holder(self) -> float:
        """The chance that somebody in state 1, reporting in a round, says 1: the truth."""
        return float(1 - self.flip)

    @property
    def others(self) -> float:
        """The chance that somebody in state 0, reporting in a round, says 1: a lie."""
        return float(self.flip)

    def draw(self, count: int, rng: Randomness) -> Plans:
        """The plans of so many devices: the rounds of each, and which of them to lie in."""
        rounds = _distinct(self.rounds, self.shots, count, rng)
        lies = self.lies(count, rng)
        return Plans(1 + rounds, np.ones_like(lies), lies)

    def lies(self, count: int, rng: Randomness) -> NDArray[np.uint8]:
        """Where so many people lie: one pattern for all of a person's rounds."""
        near, far = patterns(self.shots, self.flips)
        few = rng.bernoulli(self.few, count)
        number = np.where(few, rng.below(near, count), near + rng.below(far, count))
        lies = _by_flips(self.shots)[number]
        return (lies[:, np.newaxis] >> np.arange(self.shots) & 1).astype(np.uint8)

    def drawn_counts(
        self, truth: Truth, repetitions: int, rng: Keystream, *, balanced: bool
    ) -> Counts:
        """Drawn counts, person by person: what one says in a round depends on other rounds."""
        sampler, people = PopulationSampler(rng), people_of(truth)
        group = np.repeat(np.arange(people.size), people)
        counts = np.zeros((repetitions, people.size, self.rounds, 2), np.int64)
        if repetitions * group.size * self.shots < COMPILE_FROM:
            for table in counts:
                plans = self._plans(group.size, rng, balanced=balanced)
                who = sampler.generator.permutation(group) if balanced else group
                np.add.at(table, (who[:, np.newaxis], plans.rounds - 1, plans.noise), 1)
        else:
            from sudare.kernels.streams import count_shots

            count_shots(sampler.state, group, self.shots, self._flips_law(), balanced, counts)
        return said_with_flips(truth, counts, sampler)

    def _plans(self, count: int, rng: Randomness, *, balanced: bool) -> Plans:
        return self.draw_balanced(count, rng) if balanced else self.draw(count, rng)

    def _flips_law(self) -> NDArray[np.float64]:
        """The chances of at most 0, 1, 2, … flips."""
        near, far = patterns(self.shots, self.flips)
        few = Fraction(self.few)
        chances = [
            math.comb(self.shots, flips) * (few / near if flips <= self.flips else (1 - few) / far)
            for flips in range(self.shots + 1)
        ]
        return np.array([float(chance) for chance in accumulate(chances)])


def _checked(rounds: int, shots: int, flips: int) -> tuple[int, int, int]:
    """The three as whole numbers, if they fit each other."""
    rounds, shots, flips = Streams(rounds).rounds, whole("shots", shots), whole("flips", flips)
    most = min(rounds, MOST_SHOTS)
    if not 1 <= shots <= most:
        raise ParameterError(f"shots must be between 1 and {most}, got {shots}")
    if not 0 <= flips < shots:
        raise ParameterError(f"flips must be between 0 and {shots - 1}, got {flips}")
    return rounds, shots, flips


def _ratio(shots: int, flips: int, few: float) -> Fraction:
    """(few / the number of such patterns) / (many / the number of those)."""
    near, far = patterns(shots, flips)
    return Fraction(few) / (1 - Fraction(few)) * Fraction(far, near)


def _distinct(bound: int, picks: int, count: int, rng: Randomness) -> NDArray[np.int64]:
    """Rows of ``picks`` different numbers below ``bound``, rising; every set is as likely."""
    chosen = np.empty((count, picks), np.int64)
    for already in range(picks):
        chosen[:, already] = rng.below(bound - already, count)
    if chosen.size >= COMPILE_FROM:
        from sudare.kernels.choices import spread_apart

        spread_apart(chosen)
        return chosen
    for already in range(1, picks):
        for earlier in range(already):  # a number counts only those that are left
            chosen[:, already] += chosen[:, already] >= chosen[:, earlier]
        chosen[:, : already + 1].sort(axis=1)
    return chosen


@lru_cache
def _by_flips(shots: int) -> NDArray[np.int64]:
    """All patterns of ``shots`` bits, those with fewer ones first, then by their value."""
    every = np.arange(2**shots)
    return every[np.argsort(np.bitwise_count(every), kind="stable")]


def patterns(shots: int, flips: int) -> tuple[int, int]:
    """How many patterns of ``shots`` bits have at most ``flips`` ones, and how many have more."""
    few = sum(math.comb(shots, ones) for ones in range(flips + 1))
    return few, 2**shots - few


def flip_chance(shots: int, flips: int, few: Fraction) -> Fraction:
    """The chance that one round's state is flipped, if few flips have the chance ``few``."""
    near, far = patterns(shots, flips)
    # Of the patterns with i ones, a share i/k has one in any given round.
    ones = sum(math.comb(shots - 1, i - 1) for i in range(1, flips + 1))
    return few * Fraction(ones, near) + (1 - few) * Fraction(2 ** (shots - 1) - ones, far)


def few_chance(shots: int, flips: int, epsilon: float) -> float:
    """The chance of at most ``flips`` flips that spends ``epsilon``, nearly."""
    near, far = patterns(shots, flips)
    return near / (near + far * math.exp(-epsilon))


def round_variance(rounds: int, shots: int, flip: float, share: float) -> float:
    """The variance of a round's estimate, times the number of people.

    n k/T of the n people report, drawn without replacement.
    """
    noise = flip * (1 - flip) / (1 - 2 * flip) ** 2
    return (noise + share * (1 - share) * (1 - shots / rounds)) * rounds / shots


def check_range(low: float, high: float) -> None:
    """Refuse what is no range of shares within 0 to 1."""
    if not 0 <= low <= high <= 1:
        raise ParameterError(f"a range of shares lies in 0 to 1, got {low} to {high}")


def nearest_share(low: float, high: float) -> float:
    """The share in a range that is nearest to ½: where the sampling error is largest."""
    return min(max(low, 0.5), high)


def extreme_share(low: float, high: float) -> float:
    """The share in a range that is furthest from ½: where noise counts most."""
    return low if low * (1 - low) < high * (1 - high) else high


def best_shots(rounds: int, epsilon: float, low: float = 0.0, high: float = 1.0) -> tuple[int, int]:
    """The shots and flips with the least error, if all that is known of the share is its range.

    Only those count whose standard error of a round is nowhere in the range more than 2 % above
    Glance's. Of these the one is taken whose largest standard error in the range is least. Told
    nothing, this is two rounds from about ε = 3.2 on; told that the share stays near ½, many more.

    This is right for as many people as give several lies in a round. Where lies are rare, the
    worst round is off if anybody lies at all, and several rounds per person make that likelier.
    ``sudare.planning.streams`` knows the number of people and takes Glance there.
    """
    nearest, extreme = nearest_share(low, high), extreme_share(low, high)
    glance = [_variance(rounds, 1, 0, epsilon, share) for share in (nearest, extreme)]
    best, least = (1, 0), glance[0]
    for shots in range(2, min(MOST_SHOTS, rounds) + 1):
        for flips in range((shots + 1) // 2):
            here, there = (
                _variance(rounds, shots, flips, epsilon, share) for share in (nearest, extreme)
            )
            if there <= ALLOWED**2 * glance[1] and here < least:
                best, least = (shots, flips), here
    return best


def _variance(rounds: int, shots: int, flips: int, epsilon: float, share: float) -> float:
    few = Fraction(few_chance(shots, flips, epsilon))
    flip = float(flip_chance(shots, flips, few)) if few < 1 else 0.0
    return round_variance(rounds, shots, flip, share) if flip < 0.5 else math.inf
