"""Shares and intervals of those who were found, given that they were found.

Whoever passes a test has been lucky: an estimate just above the cut is more often lifted there by
noise than lowered. An interval that ignores this misses the truth too often, and the shares of
those found add up to too much. Both are mended here, from the score at which each was just found.
"""

import math
from typing import NamedTuple

import numpy as np

from sudare.decoding.null_law import NullLaw
from sudare.estimation.estimate import Floats

_ABOUT = 0.5  # standard deviations on either side of a cut that count as being at it
_CLOSE = 0.01  # standard deviations between which a density is the slope of a tail
_HALVINGS = 50
_FARTHEST = 40.0  # standard errors: no end of an interval lies beyond


def interval_given_found(
    shares: Floats, stderr: Floats, least: Floats, confidence: float
) -> tuple[Floats, Floats]:
    """The ends of intervals of shares that cover with this confidence among those found.

    A share f is inside if an estimate about it, given that it is at least ``least``, is neither
    above nor below what was seen but rarely: a normal law, cut off there. Shares are not
    negative, and an interval holds its own estimate.

    Args:
        shares: estimates, each at least its least.
        stderr: their standard errors.
        least: the estimate at which each would just have been found.
        confidence: the level.
    """
    ends = [
        shares - stderr * _deviations((shares - least) / stderr, chance)
        for chance in ((1 - confidence) / 2, (1 + confidence) / 2)
    ]
    return np.maximum(np.minimum(ends[0], shares), 0), np.maximum(ends[1], shares)


def _deviations(margin: Floats, chance: float) -> Floats:
    """The u with P(Z ≥ u | Z ≥ u - margin) = chance, for a standard normal Z."""
    from scipy.special import log_ndtr

    margin = np.maximum(margin, 0)
    low, high = np.full_like(margin, -_FARTHEST), np.full_like(margin, _FARTHEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        likely = log_ndtr(-middle) - log_ndtr(margin - middle) > math.log(chance)
        low, high = np.where(likely, middle, low), np.where(likely, high, middle)
    return (low + high) / 2


class Luck(NamedTuple):
    """The excess that luck adds to the summed shares of those found, and its variance.

    Attributes:
        amount: the expected excess of the sum.
        variance: of the sum, beyond that of the shares if they were chosen in advance.
    """

    amount: float
    variance: float


def luck_at(  # noqa: PLR0913, PLR0917 - what is known of candidates
    cut: float, scores: Floats, stderr: Floats, law: NullLaw, absent: int, typical: float
) -> Luck:
    """The luck of all candidates that pass a cut.

    The expected excess of a candidate's estimate is its variance times the density of that
    estimate at the cut. Summed over candidates this is the density of all scores there. Of those
    that nobody holds it is known, and falls steeply; of the others it can be seen: it is how many
    more lie about there than nobody's would.

    Args:
        cut: the score from which on a candidate is found.
        scores: those of all candidates, standardised.
        stderr: the standard errors of their shares.
        law: that of a candidate whom nobody holds.
        absent: how many such candidates there are.
        typical: the standard error of the share of one of them.
    """
    if not math.isfinite(cut):  # a score that nobody can reach
        return Luck(0.0, 0.0)
    about = np.flatnonzero((scores >= cut - _ABOUT) & (scores <= cut + _ABOUT))
    about = about[np.isfinite(stderr[about])]
    tails = law.p_values(cut + np.array([-_ABOUT, -_CLOSE, _CLOSE, _ABOUT])).tolist()
    here, around = (tails[1] - tails[2]) / (2 * _CLOSE), (tails[0] - tails[3]) / (2 * _ABOUT)
    seen = stderr[about] / (2 * _ABOUT)
    amount = float(seen.sum()) + absent * typical * (here - around)
    # Who is found though nobody holds it comes with a share of about cut · stderr.
    return Luck(amount, float((seen**2).sum()) + absent * typical**2 * cut * here)


def explained(shares: Floats, covariance: Floats, luck: Luck) -> tuple[float, float]:
    """The summed share of those found, without the luck that helped them, and its error."""
    if not shares.size:
        return 0.0, 0.0
    variance = float(covariance.sum()) + luck.variance
    return float(shares.sum()) - luck.amount, math.sqrt(max(variance, 0))
