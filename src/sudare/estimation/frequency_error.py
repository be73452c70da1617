"""The error of frequency mechanisms, and where GRR and OUE change places.

A mechanism in which an answer's holders support it with chance p and all others with chance q
(p* and q* of Wang et al., USENIX Security 2017) has errors in closed form.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.errors import ParameterError

RELIABLE_SPREAD = 6.0  # reports


@dataclass(frozen=True)
class ShareNoise:
    """The variance of an unbiased share, times how many people report, whatever the share is.

    Attributes:
        inside: of a person who gives the answer.
        outside: of a person who doesn't.
        sampled: how much of the variance of a sample, share · (1 - share), is added.
        gain: how many reports more one person more makes, in the mean, of those that are counted.
    """

    inside: float
    outside: float
    sampled: float = 0.0
    gain: float = 1.0

    @classmethod
    def of(cls, p: float, q: float, sampled: float = 0.0) -> "ShareNoise":
        """That of an answer which its holders support with chance p and all others with q."""
        square = (p - q) ** 2
        return cls(p * (1 - p) / square, q * (1 - q) / square, sampled, p - q)

    def spread(self, share: float, reports: float) -> float:
        """The standard deviation of what is counted, in reports."""
        return math.sqrt(self.variance(share) * reports) * self.gain

    def variance(self, share: float) -> float:
        """The variance at a share, times how many people report."""
        noise = share * self.inside + (1 - share) * self.outside
        return noise + self.sampled * share * (1 - share)

    def slope(self, share: float) -> float:
        """How fast that variance grows with the share."""
        return self.inside - self.outside + self.sampled * (1 - 2 * share)


def share_seen(noise: ShareNoise, least: float, more: float) -> float:
    """The share s at which (s - least)² = more · variance(s); infinite for more than all.

    Args:
        noise: of the share.
        least: what the estimate has to exceed.
        more: the square of how many standard errors s is to lie above that, for one report.
    """
    square = 1 + more * noise.sampled
    half = least + more * (noise.inside - noise.outside + noise.sampled) / 2
    root = math.sqrt(max(0.0, half**2 - square * (least**2 - more * noise.outside)))
    share = (half + root) / square
    return share if share <= 1 else math.inf


def share_variance(p: float, q: float, n: int, share: ArrayLike) -> NDArray[np.float64]:
    """The variance of the unbiased estimate of a ``share`` among ``n`` people.

    Exact at every share; at share 0 it is the approximation usually quoted,
    q(1 - q) / (n(p - q)²).
    """
    f = np.asarray(share, np.float64)
    return np.asarray((f * p * (1 - p) + (1 - f) * q * (1 - q)) / (n * (p - q) ** 2))


def count_spread(p: float, q: float, n: int, share: ArrayLike) -> NDArray[np.float64]:
    """The standard deviation of an answer's count, in reports.

    From ``RELIABLE_SPREAD`` on, intervals of 95 % cover between 94 and 96 %; below, counts are
    too coarse for that (``tests/estimation/test_coverage.py`` shows both, exactly).
    """
    return np.asarray(np.sqrt(share_variance(p, q, n, share)) * n * (p - q))


def mean_squared_error(p: float, q: float, n: int, k: int) -> float:
    """The mean over ``k`` answers of the squared error of their shares.

    The same for every population: the variance is linear in the share, and shares sum to 1.
    """
    return float(share_variance(p, q, n, 1 / k))


def rare_answer_crossover(k: int) -> float:
    """The ε below which OUE beats GRR on *rare* answers: k > 3e^ε + 2 (Wang et al.)."""
    if k < 6:
        raise ParameterError(f"GRR is better on rare answers at every ε below k = 6, got k = {k}")
    return math.log((k - 2) / 3)


def total_error_crossover(k: int) -> float:
    """The ε below which OUE beats GRR in *total* squared error, exactly.

    With E = e^ε the two totals are equal where E² + 2kE = k² - 3k + 1, that is
    E = √((2k - 1)(k - 1)) - k.
    """
    if k < 6:
        raise ParameterError(f"GRR has less total error at every ε below k = 6, got k = {k}")
    return math.log(math.sqrt((2 * k - 1) * (k - 1)) - k)
