"""Glance: one round, drawn in advance, and randomised response there."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sudare.continual import Plans
from sudare.exact import chance_text
from sudare.keystream import Keystream
from sudare.populations import Counts, Lots, Truth, said_once
from sudare.randomness import Randomness
from sudare.repeated import RepeatedResponse


@dataclass(frozen=True)
class Glance(RepeatedResponse):
    """The true state with probability ``keep`` in one round, silence in all others.

    The round is drawn uniformly (Algorithm 1 of the document on continual counting). Each round
    is estimated from its own reporters, so that where nearly everybody is in the same state the
    error falls with ε; elsewhere it is that of a sample of n/T people.
    """

    name: ClassVar[str] = "glance"
    sampled: ClassVar[bool] = True

    @staticmethod
    def told(rounds: int) -> int:  # noqa: ARG004 - the same for any number
        """One: the drawn one."""
        return 1

    @property
    def odds(self) -> str:
        """How often a device speaks, and how often it then tells the truth."""
        return (
            f"A device reports in one of {self.rounds:,} rounds, any alike, and says the true "
            f"state there {chance_text(self.keep)} of the time."
        )

    @property
    def reports_each(self) -> int:
        """One."""
        return 1

    def draw(self, count: int, rng: Randomness) -> Plans:
        """A round, and whether to lie there."""
        rounds = 1 + rng.below(self.rounds, (count, 1))
        lies = self.lies(count, rng)
        return Plans(rounds, np.ones_like(lies), lies)

    def drawn_counts(
        self, truth: Truth, repetitions: int, rng: Keystream, *, balanced: bool
    ) -> Counts:
        """Everybody falls into a round; there they tell the truth or lie."""
        return said_once(truth, self.rounds, repetitions, self.keep, Lots(rng), balanced=balanced)
