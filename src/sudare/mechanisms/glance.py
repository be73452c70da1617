"""Glance: one round, drawn in advance, and randomised response there."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sudare.continual import Plans, RepeatedResponse, drawn_once
from sudare.domain import Groups
from sudare.exact import chance_text
from sudare.keystream import Keystream
from sudare.randomness import Randomness


@dataclass(frozen=True)
class Glance(RepeatedResponse):
    """The true state with probability ``keep`` in one round, silence in all others.

    The round is drawn uniformly (Algorithm 1 of the document on continual counting). Each round
    is estimated from its own reporters, so that where nearly everybody is in the same state the
    error falls with ε; elsewhere it is that of a sample of n/T people.
    """

    name: ClassVar[str] = "glance"

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

    @property
    def sampled(self) -> bool:
        """Those whose round it is."""
        return True

    @property
    def holder(self) -> float:
        """``keep``."""
        return self.keep

    @property
    def others(self) -> float:
        """A lie."""
        return 1 - self.keep

    def draw(self, count: int, rng: Randomness) -> Plans:
        """A round, and whether to lie there."""
        rounds = 1 + rng.below(self.rounds, (count, 1))
        lies = rng.bernoulli(1 - self.keep, (count, 1))
        return Plans(rounds, np.ones((count, 1), np.uint8), lies.astype(np.uint8))

    def drawn_counts(self, truth: NDArray[np.int64] | Groups, rng: Keystream) -> NDArray[np.int64]:
        """Everybody falls into a round; there they tell the truth or lie."""
        generator = rng.generator()
        zeros, ones = drawn_once(truth, generator)
        said = generator.binomial(ones, self.keep) + generator.binomial(zeros, 1 - self.keep)
        return np.column_stack([zeros + ones - said, said])
