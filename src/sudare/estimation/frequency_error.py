"""The error of frequency mechanisms, and where GRR and OUE change places.

A mechanism in which an answer's holders support it with chance p and all others with chance q
(p* and q* of Wang et al., USENIX Security 2017) has errors in closed form.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.errors import ParameterError

RELIABLE_SPREAD = 6.0  # reports


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
