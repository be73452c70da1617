"""Randomised response over time: Warner's coin, in one round or in every one."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sudare.continual import ContinualMechanism
from sudare.domain import MOST_ROUNDS, Streams
from sudare.errors import ParameterError
from sudare.exact import affordable, check_epsilon, is_dyadic, largest_dyadic, too_small
from sudare.randomness import Randomness


@dataclass(frozen=True)
class RepeatedResponse(ContinualMechanism):
    """Randomised response, Warner's coin, in one round or in several, each by itself.

    The true state is told with probability ``keep``.
    """

    most_rounds: ClassVar[int] = MOST_ROUNDS
    keep: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", self._check_rounds(self.rounds))
        if not is_dyadic(self.keep) or self.keep <= 0.5:
            raise ParameterError(
                f"keep must be a multiple of 2^-53 above 1/2 and below 1, got {self.keep!r}"
            )

    @staticmethod
    @abstractmethod
    def told(rounds: int) -> int:
        """In how many of the rounds a person's state is looked at."""

    @classmethod
    def calibrate(cls, rounds: int, epsilon: float) -> Self:
        """The most accurate one that spends at most ``epsilon`` on the whole stream."""
        rounds, epsilon = cls._check_rounds(rounds), check_epsilon(epsilon)
        told = cls.told(rounds)
        guess = 1 / (1 + math.exp(-epsilon / told))
        keep = largest_dyadic(guess, lambda keep: affordable(_odds(keep) ** told, epsilon))
        if keep <= 0.5:
            raise too_small(epsilon)
        return cls(rounds, keep)

    @property
    def holder(self) -> float:
        """``keep``."""
        return self.keep

    @property
    def others(self) -> float:
        """A lie."""
        return 1 - self.keep

    def lies(self, count: int, rng: Randomness) -> NDArray[np.uint8]:
        """Each by itself."""
        return rng.bernoulli(1 - self.keep, (count, self.told(self.rounds))).astype(np.uint8)

    @classmethod
    def _check_rounds(cls, rounds: int) -> int:
        rounds = Streams(rounds).rounds
        if rounds > cls.most_rounds:
            raise ParameterError(f"{cls.name} takes at most {cls.most_rounds} rounds, got {rounds}")
        return rounds

    @property
    def worst_ratio(self) -> Fraction:
        """The truth against a lie, keep / (1 - keep), in every round that is told."""
        return _odds(self.keep) ** self.told(self.rounds)


def _odds(keep: float) -> Fraction:
    return Fraction(keep) / (1 - Fraction(keep))
