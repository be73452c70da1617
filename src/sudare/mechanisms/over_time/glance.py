"""Glance: one round, drawn in advance, and randomised response there."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sudare.chance.exact import chance_text
from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Randomness
from sudare.mechanisms.over_time.continual import Plans, RepeatedResponse
from sudare.mechanisms.over_time.population_sampler import (
    Counts,
    PopulationSampler,
    Truth,
    said_once,
)


@dataclass(frozen=True)
class Glance(RepeatedResponse):
    """Glance: the true state with probability ``keep`` in one round, silence in all others.

    The round is drawn uniformly (Algorithm 1 of the document on continual counting). Each round
    is estimated from its own reporters, so that where nearly everybody is in the same state the
    error falls with ε; elsewhere it is that of a sample of n/T people.
    """

    name: ClassVar[str] = "glance"
    sampled: ClassVar[bool] = True

    @property
    def odds(self) -> str:
        """How often a device speaks and then tells the truth, in plain words."""
        return (
            f"A device reports in one of {self.rounds:,} rounds, any alike, and says the true "
            f"state there {chance_text(self.keep)} of the time."
        )

    @property
    def reports_each(self) -> int:
        """How many reports a person sends: one."""
        return 1

    def draw(self, count: int, rng: Randomness) -> Plans:
        """The plans of so many devices: the round of each, and whether to lie there."""
        rounds = 1 + rng.below(self.rounds, (count, 1))
        lies = self.lies(count, rng)
        return Plans(rounds, np.ones_like(lies), lies)

    def drawn_counts(
        self, truth: Truth, repetitions: int, rng: Keystream, *, balanced: bool
    ) -> Counts:
        """Drawn counts: everybody falls into a round, and there tells the truth or lies."""
        return said_once(
            truth, self.rounds, repetitions, self.keep, PopulationSampler(rng), balanced=balanced
        )
