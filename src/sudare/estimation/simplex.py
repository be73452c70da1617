"""Consistency: shares that are not negative and sum to 1, as a step of its own.

An unbiased estimate may leave the simplex; these steps bring it back and pay with a bias.
Keep the unbiased one for sums, differences and tests; use one of these to show or to draw from.

| step          | what it does                                  | when to use it                   |
| ------------- | --------------------------------------------- | -------------------------------- |
| ``clip``      | negatives to 0, excess to 1                   | one answer alone; the sum drifts |
| ``normalise`` | clip, then scale to sum 1                     | ratios between answers matter    |
| ``norm_sub``  | subtract a constant, clip, until the sum is 1 | the usual choice: least squares  |
| ``project``   | least squares weighted by each answer's error | errors differ between answers    |
| likelihood    | the most likely shares (``likelihood.py``)    | few people, answers near 0       |
"""

import numpy as np
from numpy.typing import ArrayLike

from sudare.estimation.estimate import Floats


def clip(values: Floats) -> Floats:
    """Shares, each on its own moved into [0, 1]."""
    return np.clip(values, 0, 1)


def normalise(values: Floats) -> Floats:
    """Non-negative shares scaled to sum 1; uniform where nothing is positive."""
    positive = np.maximum(values, 0)
    total = positive.sum()
    return positive / total if total > 0 else np.full(values.shape, 1 / values.size)


def norm_sub(values: Floats) -> Floats:
    """Norm-Sub (Wang et al., NDSS 2020): the point of the simplex nearest to the values."""
    return project(values, 1.0)


def project(values: Floats, stderr: ArrayLike) -> Floats:
    """The point x of the simplex with the least Σ ((x - value) / stderr)².

    By the Karush-Kuhn-Tucker conditions x = max(0, value - λ stderr²), with λ such that the
    sum is 1. An answer leaves at λ = value / stderr²: sorted by that, λ is found in one pass.
    """
    weight = np.broadcast_to(np.square(np.asarray(stderr, np.float64)), values.shape)
    order = np.argsort(-(values / weight))
    value_sum, weight_sum = np.cumsum(values[order]), np.cumsum(weight[order])
    levels = (value_sum - 1) / weight_sum  # λ if exactly the first i answers stay
    last = np.flatnonzero(values[order] / weight[order] > levels)[-1]
    nearest: Floats = np.maximum(values - levels[last] * weight, 0)
    return nearest
