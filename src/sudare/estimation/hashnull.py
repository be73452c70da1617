"""The law of a candidate that nobody holds, whatever else is in the data.

Such a candidate's bits are where the hash family put them: at random. So its score, the sum of
the residuals at its bits, is a sum of independent draws from the residuals of each cohort. That
law needs no assumption about the noise, nor about strings that are missing from the candidates:
it is read off the residuals, and its far tail is found by a saddlepoint approximation
(Lugannani and Rice 1980), which keeps its relative accuracy where a normal law would not.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_POINTS = 24
_NEAREST, _FARTHEST = 0.5, 38.0  # tilts, nearly standard deviations: a float's tail ends there
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class HashNull:
    """Upper tails of a null candidate's score, in units of its standard deviation.

    Attributes:
        deviation: the standard deviation of the score.
        scores: where the tail is known, rising.
        quantiles: where a normal law has the same tail; nearly a straight line of the scores.
    """

    deviation: float
    scores: Floats
    quantiles: Floats

    def p_values(self, standardised: Floats) -> Floats:
        """The chance that a candidate nobody holds scores at least so much."""
        from scipy.special import ndtr

        same = np.interp(standardised, self.scores, self.quantiles)
        # Below the middle nothing is at stake, and the normal law serves.
        return np.asarray(ndtr(-np.where(standardised < self.scores[0], standardised, same)))


def hash_null(residuals: Floats, hashes: int) -> HashNull:
    """The law of a score, from weighted residuals: a row per cohort, each summing to 0."""
    variance = hashes * float((residuals**2).mean(axis=1).sum())
    deviation = math.sqrt(variance)
    tilts = np.geomspace(_NEAREST, _FARTHEST, _POINTS)
    cumulant, mean, curvature = _cumulants(residuals / deviation, tilts, hashes)
    root = np.sqrt(2 * np.maximum(tilts * mean - cumulant, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Lugannani-Rice in the form of Barndorff-Nielsen: one normal tail, safe far out.
        quantiles = root + np.log(tilts * np.sqrt(curvature) / root) / root
    # Far out the law ends: its largest score is reached, and nothing lies beyond.
    rising = np.diff(np.maximum.accumulate(mean), prepend=-np.inf) > _ROUNDING
    usable = rising & np.isfinite(quantiles) & (curvature > _ROUNDING)
    return HashNull(deviation, mean[usable], np.maximum.accumulate(quantiles[usable]))


def _cumulants(values: Floats, tilts: Floats, hashes: int) -> tuple[Floats, Floats, Floats]:
    """The cumulant function of the score and its first two derivatives, at each tilt."""
    cumulant, mean, curvature = (np.empty(tilts.size) for _ in range(3))
    for i, tilt in enumerate(tilts):
        exponent = tilt * values
        top = exponent.max(axis=1, keepdims=True)
        weight = np.exp(exponent - top)
        total = weight.sum(axis=1, keepdims=True)
        weight /= total
        first = (weight * values).sum(axis=1)
        second = (weight * values**2).sum(axis=1)
        cumulant[i] = hashes * float((np.log(total / values.shape[1]) + top).sum())
        mean[i] = hashes * float(first.sum())
        curvature[i] = hashes * float((second - first**2).sum())
    return cumulant, mean, curvature
