"""Undoing the noise of independent lies: the unbiased estimate and its exact error."""

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidDocument
from sudare.estimation.estimate import Estimate, Floats


def debias(counts: NDArray[np.int64], n: int, p: float, q: float) -> Estimate:
    """The share behind each answer, when its holders report it with chance p and others with q.

    The count of an answer held by a share f is, in the mean, n(q + f(p - q)), with variance
    n(f p(1-p) + (1-f) q(1-q)): the sum of two binomials. That variance is linear in f, so
    putting the unbiased estimate in its place gives an unbiased variance,
    (c(1 - p - q) + n p q) / (n(p - q))², which is never negative.
    """
    if counts.min() < 0 or counts.max() > n:
        raise InvalidDocument(f"an answer is counted below 0 or above n = {n} times")
    stderr, slope = noise(counts, np.full(counts.shape, n), p, q)
    return Estimate(
        n=n,
        values=np.asarray((counts - n * q) / (n * (p - q)), np.float64),
        stderr=stderr,
        slope=slope,
    )


def report_weights(supported: NDArray[np.bool_], p: float, q: float) -> Floats:
    """The part of each report in the number of people with an answer: (s - q) / (p - q).

    s is 1 if the report supports the answer and 0 if not. A report's weight w is 1 in the mean if
    its sender holds the answer, else 0, so the sum of all is unbiased: n times the share that
    ``debias`` gives. The sum of w(w - 1) is the square of n times its standard error; the sum of
    w² exceeds that, in the mean, by the number of people who hold the answer.
    """
    return np.where(supported, (1 - q) / (p - q), -q / (p - q))


def noise(
    counts: NDArray[np.int64], n: NDArray[np.int64], p: float, q: float
) -> tuple[Floats, Floats]:
    """The standard errors of shares, each of n people, and how fast the variances grow."""
    gain = np.asarray(n * (p - q), np.float64)
    stderr: Floats = np.sqrt(counts * (1 - p - q) + n * p * q) / gain
    return stderr, (1 - p - q) / gain
