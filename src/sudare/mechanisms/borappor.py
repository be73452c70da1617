"""BORAPPOR: randomised response in every round, with a T-th of the budget each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sudare.continual import Plans
from sudare.domain import Groups
from sudare.exact import chance_text
from sudare.keystream import Keystream
from sudare.populations import Counts, Lots, Truth
from sudare.randomness import Randomness
from sudare.repeated import RepeatedResponse


@dataclass(frozen=True)
class Borappor(RepeatedResponse):
    """The true state in every round with probability ``keep``: basic one-time RAPPOR.

    Nobody is left out, but each round has only ε/T to spend: the error grows like T.
    """

    name: ClassVar[str] = "borappor"
    sampled: ClassVar[bool] = False
    most_rounds: ClassVar[int] = 10_000  # whose ratio, 53 bits each, is still exact in no time

    @staticmethod
    def told(rounds: int) -> int:
        """All of them."""
        return rounds

    @property
    def odds(self) -> str:
        """How often a device tells the truth."""
        return (
            f"A device says the true state {chance_text(self.keep)} of the time, in each of "
            f"{self.rounds:,} rounds."
        )

    @property
    def reports_each(self) -> int:
        """One in every round."""
        return self.rounds

    def draw(self, count: int, rng: Randomness) -> Plans:
        """In which rounds to lie."""
        lies = self.lies(count, rng)
        rounds = np.broadcast_to(np.arange(1, self.rounds + 1), lies.shape)
        return Plans(rounds, np.ones_like(lies), lies)

    def drawn_counts(
        self,
        truth: Truth,
        repetitions: int,
        rng: Keystream,
        *,
        balanced: bool,  # noqa: ARG002 - never: nobody is left out
    ) -> Counts:
        """In each round those in state 1 who keep it, and those in state 0 who don't."""
        held = truth.per_round if isinstance(truth, Groups) else truth
        zeros, ones = (np.tile(held[:, state], (repetitions, 1)) for state in (0, 1))
        lots = Lots(rng)
        said = lots.binomial(ones, self.keep) + lots.binomial(zeros, 1 - self.keep)
        return np.stack([zeros + ones - said, said], axis=-1)
