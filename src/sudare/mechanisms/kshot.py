"""KShot: several rounds per person, and noise drawn for all of them together."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sudare.bounds.shots import MOST_SHOTS, best_shots, few_chance, flip_chance, patterns
from sudare.continual import ContinualMechanism, Plans
from sudare.domain import Groups, Streams, whole
from sudare.errors import ParameterError
from sudare.exact import (
    affordable,
    chance_text,
    check_epsilon,
    is_dyadic,
    largest_dyadic,
    too_small,
)
from sudare.kernels import COMPILE_FROM
from sudare.keystream import Keystream
from sudare.randomness import Randomness


@dataclass(frozen=True)
class KShot(ContinualMechanism):
    """The state in ``shots`` rounds, of which mostly at most ``flips`` are lies.

    In advance a device draws its rounds and which of them to lie in: with probability ``few``
    one of the patterns of at most ``flips`` lies, else one of the others, any alike. Whatever the
    states, a pattern leads from one transcript to another, so the whole stream is as private as
    the two kinds of pattern are likely: more rounds are heard for the same ε, each a little
    noisier. With one round and no flip it is Glance.
    """

    name: ClassVar[str] = "kshot"
    shots: int
    flips: int
    few: float

    def __post_init__(self) -> None:
        for field, value in (
            ("rounds", Streams(self.rounds).rounds),
            ("shots", whole("shots", self.shots)),
            ("flips", whole("flips", self.flips)),
        ):
            object.__setattr__(self, field, value)
        if not 1 <= self.shots <= min(self.rounds, MOST_SHOTS):
            raise ParameterError(
                f"shots must be between 1 and {min(self.rounds, MOST_SHOTS)}, got {self.shots}"
            )
        if not 0 <= self.flips < self.shots:
            raise ParameterError(f"flips must be between 0 and {self.shots - 1}, got {self.flips}")
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
        """The most accurate one that spends at most ``epsilon`` on the whole stream.

        Args:
            rounds: how many rounds there are.
            epsilon: the budget.
            low: what the share of people in state 1 is expected to be at least.
            high: and at most.
            shots: in how many rounds a person reports; the best for that range unless given.
            flips: how many lies are few, if ``shots`` is given.
        """
        rounds, epsilon = Streams(rounds).rounds, check_epsilon(epsilon)
        if not 0 <= low <= high <= 1:
            raise ParameterError(f"a range of shares lies in 0 to 1, got {low} to {high}")
        if shots is None:
            shots, flips = best_shots(rounds, epsilon, low, high)
        few = largest_dyadic(
            few_chance(shots, flips, epsilon),
            lambda few: affordable(_ratio(shots, flips, few), epsilon),
        )
        if _ratio(shots, flips, few) <= 1:
            raise too_small(epsilon)
        return cls(rounds, shots, flips, few)

    @property
    def worst_ratio(self) -> Fraction:
        """A pattern of few flips against one of many."""
        return _ratio(self.shots, self.flips, self.few)

    @property
    def odds(self) -> str:
        """How often a device speaks, and how often it then tells the truth."""
        return (
            f"A device reports in {self.shots} of {self.rounds:,} rounds, any alike, and says the "
            f"true state there {chance_text(self.holder)} of the time."
        )

    @property
    def reports_each(self) -> int:
        """``shots``."""
        return self.shots

    @property
    def sampled(self) -> bool:
        """Those whose round it is."""
        return True

    @cached_property
    def flip(self) -> Fraction:
        """The chance of a lie in any one of a person's rounds."""
        return flip_chance(self.shots, self.flips, Fraction(self.few))

    @property
    def holder(self) -> float:
        """The truth."""
        return float(1 - self.flip)

    @property
    def others(self) -> float:
        """A lie."""
        return float(self.flip)

    def draw(self, count: int, rng: Randomness) -> Plans:
        """The rounds, and which of them to lie in."""
        rounds = _distinct(self.rounds, self.shots, count, rng)
        near, far = patterns(self.shots, self.flips)
        few = rng.bernoulli(self.few, count)
        number = np.where(few, rng.below(near, count), near + rng.below(far, count))
        lies = _by_flips(self.shots)[number]
        noise = (lies[:, np.newaxis] >> np.arange(self.shots) & 1).astype(np.uint8)
        return Plans(1 + rounds, np.ones(rounds.shape, np.uint8), noise)

    def drawn_counts(self, truth: NDArray[np.int64] | Groups, rng: Keystream) -> NDArray[np.int64]:
        """Person by person: what one says in a round depends on what they say in another."""
        held = truth.per_round if isinstance(truth, Groups) else truth
        plans = self.draw(int(held[0].sum()), rng)
        if isinstance(truth, Groups):
            group = np.repeat(np.arange(len(truth.people)), truth.people)
            states = truth.streams[group[:, np.newaxis], plans.rounds - 1]
        else:
            states = _placed(plans.rounds - 1, held, rng.generator())
        cells = 2 * (plans.rounds - 1) + (states ^ plans.noise)
        return np.bincount(cells.ravel(), minlength=2 * self.rounds).reshape(self.rounds, 2)


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


def _placed(
    rounds: NDArray[np.int64], held: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.uint8]:
    """Reporters' states, if the people in state 1 are anybody, drawn anew in each round."""
    flat = rounds.ravel()
    reporters = np.bincount(flat, minlength=len(held))
    ones = generator.hypergeometric(held[:, 1], held[:, 0], reporters)
    order = np.lexsort((generator.random(flat.size), flat))
    rank = np.arange(flat.size) - np.repeat(np.cumsum(reporters) - reporters, reporters)
    states = np.empty(flat.size, np.uint8)
    states[order] = rank < ones[flat[order]]
    return states.reshape(rounds.shape)


@lru_cache
def _by_flips(shots: int) -> NDArray[np.int64]:
    """All patterns of ``shots`` bits, those with fewer ones first, then by their value."""
    every = np.arange(2**shots)
    return every[np.argsort(np.bitwise_count(every), kind="stable")]
