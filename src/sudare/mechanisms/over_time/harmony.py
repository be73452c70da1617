"""Harmony: one round, drawn in advance, with randomised response, and 0 in all others."""

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
    people_of,
    said_once,
)


@dataclass(frozen=True)
class Harmony(RepeatedResponse):
    """Harmony: Glance, but who isn't asked in a round says 0 there, so nobody sees who was.

    The document's reading of Nguyên et al. 2016. Whether a 0 is an answer or a filler is lost,
    and with it the accuracy on streams where nearly everybody is in state 1: the error there
    stays above a constant, whatever ε. It is kept for comparison.
    """

    name: ClassVar[str] = "harmony"
    sampled: ClassVar[bool] = False

    @property
    def odds(self) -> str:
        """How a device answers in its round and in the others, in plain words."""
        return (
            f"A device says 0 in all but one of {self.rounds:,} rounds, any alike, and the true "
            f"state there {chance_text(self.keep)} of the time."
        )

    @property
    def reports_each(self) -> int:
        """How many reports a person sends: one in every round."""
        return self.rounds

    @property
    def holder(self) -> float:
        """The chance that somebody in state 1 says 1: it is their round, and they don't lie."""
        return self.keep / self.rounds

    @property
    def others(self) -> float:
        """The chance that somebody in state 0 says 1: it is their round, and they lie."""
        return (1 - self.keep) / self.rounds

    def draw(self, count: int, rng: Randomness) -> Plans:
        """The plans of so many devices: in which round to look at the state, and whether to lie."""
        drawn = 1 + rng.below(self.rounds, (count, 1))
        lies = self.lies(count, rng)
        rounds = np.broadcast_to(np.arange(1, self.rounds + 1), (count, self.rounds))
        heard = (rounds == drawn).astype(np.uint8)
        return Plans(rounds, heard, heard * lies)

    def drawn_counts(
        self, truth: Truth, repetitions: int, rng: Keystream, *, balanced: bool
    ) -> Counts:
        """Drawn counts: everybody falls into a round; who then says 1 is seen, all others say 0."""
        counts = said_once(
            truth, self.rounds, repetitions, self.keep, PopulationSampler(rng), balanced=balanced
        )
        counts[..., 0] = people_of(truth).sum() - counts[..., 1]
        return counts
