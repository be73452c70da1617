"""BORAPPOR: randomised response in every round, with a T-th of the budget each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sudare.chance.exact import chance_text
from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Randomness
from sudare.mechanisms.domain import Groups
from sudare.mechanisms.over_time.continual import Plans, RepeatedResponse
from sudare.mechanisms.over_time.population_sampler import Counts, PopulationSampler, Truth


@dataclass(frozen=True)
class Borappor(RepeatedResponse):
    """BORAPPOR, basic one-time RAPPOR: in every round the true state with probability ``keep``.

    Nobody is left out, but each round has only ε/T to spend: the error grows like T.
    """

    name: ClassVar[str] = "borappor"
    sampled: ClassVar[bool] = False
    most_rounds: ClassVar[int] = 10_000  # whose ratio, 53 bits each, is still exact in no time

    @staticmethod
    def rounds_told(rounds: int) -> int:
        """In how many of the rounds a person's state is looked at: in all."""
        return rounds

    @property
    def odds(self) -> str:
        """How often a device tells the truth, in plain words."""
        return (
            f"A device says the true state {chance_text(self.keep)} of the time, in each of "
            f"{self.rounds:,} rounds."
        )

    @property
    def reports_each(self) -> int:
        """How many reports a person sends: one in every round."""
        return self.rounds

    def draw(self, count: int, rng: Randomness) -> Plans:
        """The plans of so many devices: a report in every round, and in which of them to lie."""
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
        """Drawn counts: in each round those in state 1 who keep it, and in state 0 who don't."""
        held = truth.per_round if isinstance(truth, Groups) else truth
        zeros, ones = (np.tile(held[:, state], (repetitions, 1)) for state in (0, 1))
        sampler = PopulationSampler(rng)
        said = sampler.binomial(ones, self.keep) + sampler.binomial(zeros, 1 - self.keep)
        return np.stack([zeros + ones - said, said], axis=-1)
