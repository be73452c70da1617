"""The guarantee that a noise must keep: (ε, δ) where one person moves a result by at most Δ."""

import math
from dataclasses import dataclass
from fractions import Fraction

from sudare.chance.exact import check_epsilon, text_up
from sudare.errors import ParameterError
from sudare.formats.numbers import as_given, whole

MOST_EPSILON = 20.0
FARTHEST = 4000  # from 0 that a noise may have to reach: proofs beyond it take minutes


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy of a whole-numbered result of sensitivity Δ.

    Both floats are taken as the binary fractions that they are.
    """

    epsilon: float
    delta: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        if self.epsilon > MOST_EPSILON:
            raise ParameterError(f"epsilon must be at most {MOST_EPSILON:g}, got {self.epsilon}")
        if not 0 < self.delta < 0.5:
            raise ParameterError(f"delta must lie between 0 and 0.5, got {self.delta}")
        if whole("the sensitivity", self.sensitivity) < 1:
            raise ParameterError(f"the sensitivity must be at least 1, got {self.sensitivity}")
        reach = Fraction(-math.log(self.delta)) / self.rate  # which may be beyond all floats
        if reach > FARTHEST:
            raise ParameterError(
                f"such noise must reach to about ±{text_up(reach, 4)} (sensitivity · ln(1/delta) / "
                f"epsilon), and tables are made and proved up to ±{FARTHEST}"
            )

    def __str__(self) -> str:
        return f"ε = {as_given(self.epsilon)}, δ = {as_given(self.delta)}"

    @property
    def rate(self) -> Fraction:
        """ε/Δ: how fast the chances of the best noise fall, exactly."""
        return Fraction(self.epsilon) / self.sensitivity

    @property
    def reach(self) -> float:
        """About how far from 0 a noise must go: where the chances have fallen by δ."""
        return -math.log(self.delta) * self.sensitivity / self.epsilon

    @property
    def best_mean(self) -> float:
        """E|Z| of the exact discrete Laplace law, 1 / sinh(ε/Δ)."""
        return 1 / math.sinh(float(self.rate))

    @property
    def own_noise_mean(self) -> float:
        """E|Z| where two parties each add a discrete Laplace noise of their own: no table, δ = 0.

        A party knows its own noise, so the other's must be enough by itself. With p = e^(-ε/Δ)
        the sum is k with chance ((1-p)/(1+p))² p^|k| (|k| + (1+p²)/(1-p²)), which has this mean.
        """
        return (2 - 1 / (1 + math.cosh(float(self.rate)))) * self.best_mean
