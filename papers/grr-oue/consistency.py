"""Shares made consistent after the estimate: what it takes from the error of GRR and of OUE.

GRR's unbiased shares sum to 1 by themselves, OUE's don't: each of its bits is noisy on its own.
So OUE gains from any step that makes shares sum to 1, and GRR doesn't.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudare import GRR, OUE
from sudare.errors import ParameterError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mechanism = GRR | OUE

CLEAR = 4.0  # standard errors that decide who is ahead
TOO_FAR = 5.0  # standard errors between measured and exact


def unbiased(mechanism: Mechanism, tallies: Integers, n: int) -> Floats:
    """The document's L[f] as shares: a row for each answer, a column for each survey of ``n``."""
    q = mechanism.others
    return np.asarray((tallies / n - q) / (mechanism.holder - q))


def summed(shares: Floats) -> Floats:
    """Each column moved by one constant so that it sums to 1: still unbiased."""
    return np.asarray(shares - (shares.sum(axis=0) - 1) / len(shares))


def projected(shares: Floats) -> Floats:
    """Norm-Sub of each column: ``sudare.estimation.simplex.norm_sub`` for many at once.

    The constant to subtract is (sum - 1) / i over the i answers that stay, which are the largest.
    No other i gives more: what i answers have above the constant sums to 1 at most.
    """
    falling = np.sort(shares, axis=0)[::-1]
    levels = (falling.cumsum(axis=0) - 1) / np.arange(1, len(shares) + 1)[:, np.newaxis]
    return np.asarray(np.maximum(shares - levels.max(axis=0), 0))


STEPS: Mapping[str, Callable[[Floats], Floats]] = {
    "unbiased": lambda shares: shares,
    "summed": summed,
    "projected": projected,
}


def squared_errors(shares: Floats, truth: Floats) -> dict[str, Floats]:
    """The mean squared error over answers in each survey, after each step."""
    wanted = truth[:, np.newaxis]
    return {name: np.square(step(shares) - wanted).mean(axis=0) for name, step in STEPS.items()}


@dataclass(frozen=True)
class Moments:
    """The mean and the standard deviation of one survey's squared error."""

    mean: float
    spread: float

    @classmethod
    def measured(cls, errors: Floats) -> "Moments":
        """Those of a sample of surveys."""
        if not errors.any():
            raise ParameterError(f"{errors.size} surveys without any error are too few to compare")
        return cls(float(errors.mean()), float(errors.std(ddof=1)))

    @classmethod
    def exact(cls, errors: Floats, chances: Floats) -> "Moments":
        """Those of a law: every error with its chance."""
        # Sums, not the products of BLAS: their last digits change with the number of its threads.
        mean = float((chances * errors).sum())
        return cls(mean, math.sqrt(float((chances * np.square(errors - mean)).sum())))


@dataclass(frozen=True)
class Pair:
    """The squared errors of GRR and OUE in one setting."""

    grr: Moments
    oue: Moments

    @property
    def ratio(self) -> float:
        """The error of GRR in units of OUE's: above 1, OUE is better."""
        return self.grr.mean / self.oue.mean

    def stderr(self, surveys: int) -> float:
        """That of ``ratio`` over so many surveys, to first order."""
        parts = (moments.spread / moments.mean for moments in (self.grr, self.oue))
        return self.ratio * math.hypot(*parts) / math.sqrt(surveys)


def summed_crossover(k: int) -> float:
    """The ε below which OUE has the smaller error once its shares sum to 1, exactly.

    OUE's bits are independent, so the sum of its shares has k times the variance of one in the
    mean; spreading it evenly takes 1/k of the error away. With E = e^ε that makes the errors
    equal where k(2E + k - 2) = (E + 1)² + 4(k - 1)E: E = √(2k(k - 2)) - (k - 1).
    """
    return math.log(math.sqrt(2 * k * (k - 2)) - (k - 1))
