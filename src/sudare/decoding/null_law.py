"""The law of a candidate that nobody holds, whatever else is in the data.

Such a candidate's bits are where the hash family put them: at random. So its score, the sum of
the residuals at its bits, is a sum of independent draws, one in each cohort, of a progression of
bits with any start and any odd stride. That law needs no assumption about the noise, nor about
strings that are missing from the candidates: it is read off the residuals, and its far tail is
found by a saddlepoint approximation (Lugannani and Rice 1980), which keeps its relative accuracy
where a normal law would not.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sudare.estimation.estimate import Floats

_NEAREST = 0.5  # the first tilt, in standard deviations of the score: about its mean there
_OCTAVES = 7  # how often it doubles: up to 64 standard deviations
_STEPS = 16  # tilts per octave
_MOST_SUMS = 1 << 18  # over progressions: more would take longer than all the rest
_LARGEST_ROOT = 37.0  # beyond which a normal tail is no float any more


class NullLaw(Protocol):
    """The law of the standardised score of a candidate that nobody holds."""

    def p_values(self, standardised: Floats) -> Floats:
        """The chance that a candidate nobody holds scores at least so much."""

    def threshold(self, chance: float) -> float:
        """The least score whose p-value is at most this chance."""


@dataclass(frozen=True, eq=False)
class HashLaw:
    """Upper tails of a null candidate's score, in units of its standard deviation.

    A tail is that of a normal law at the score's root, which is nearly the score itself and
    therefore easy to interpolate.

    Attributes:
        deviation: the standard deviation of the score.
        scores: where the tail is known, rising.
        roots: where a normal law has the same tail, rising.
    """

    deviation: float
    scores: Floats
    roots: Floats

    def p_values(self, standardised: Floats) -> Floats:
        """The chance that a candidate nobody holds scores at least so much."""
        from scipy.special import ndtr

        # Below the middle nothing is at stake, and the normal law serves: score and root agree.
        middle = [-_LARGEST_ROOT, np.nextafter(self.scores[0], -np.inf)]
        scores, roots = (np.concatenate([middle, part]) for part in (self.scores, self.roots))
        return np.asarray(ndtr(-np.interp(standardised, scores, roots)), np.float64)

    def threshold(self, chance: float) -> float:
        """The least score whose p-value is at most this chance, of the upper half of the law."""
        from scipy.special import ndtri

        root = -float(ndtri(chance))
        if root > self.roots[-1]:
            return float("inf")
        return (
            min(root, self.scores[0])
            if root < self.roots[0]
            else float(np.interp(root, self.roots, self.scores))
        )


def hash_law(residuals: Floats, hashes: int) -> HashLaw:
    """The law of a null candidate's score, from weighted residuals: a row per cohort, of sum 0."""
    draws = _draws(residuals, hashes)
    deviation = _deviation(draws)
    tilts, cumulant, mean, curvature = _cumulants(draws / deviation)
    root = np.sqrt(2 * np.maximum(tilts * mean - cumulant, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Lugannani-Rice in the form of Barndorff-Nielsen: one normal tail, safe far out.
        moved = root + np.log(tilts * np.sqrt(curvature) / root) / root
    usable = np.isfinite(moved) & (curvature > 0)
    scores, roots = mean[usable], np.minimum(moved[usable], _LARGEST_ROOT)
    rising = np.concatenate([[True], np.diff(np.maximum.accumulate(scores)) > 0])
    return HashLaw(deviation, scores[rising], np.maximum.accumulate(roots)[rising])


def deviation_of(residuals: Floats, hashes: int) -> float:
    """The standard deviation of the score of a candidate that nobody holds."""
    return _deviation(_draws(residuals, hashes))


def _deviation(draws: Floats) -> float:
    return max(math.sqrt(float(draws.var(axis=1).sum())), float(np.finfo(np.float64).tiny))


def _draws(residuals: Floats, hashes: int) -> Floats:
    """Independent draws whose sum is a score: a line each, with what it may give.

    A candidate's bits in a cohort are an arithmetic progression with an odd stride. One bit is any;
    two are any even one and any odd one; of more, a draw is the sum over a whole progression.
    """
    cohorts, bits = residuals.shape
    if hashes == 1:
        return residuals
    if hashes == 2:
        halves = residuals.reshape(cohorts, bits // 2, 2).swapaxes(1, 2)
        return np.ascontiguousarray(halves).reshape(2 * cohorts, bits // 2)
    different = max(bits // 4, 1)  # a stride and its opposite give the same progressions
    taken = min(max(_MOST_SUMS // residuals.size, 1), different)
    # Where these are too many, each cohort shows some of its strides, spread evenly.
    first = np.arange(cohorts)[:, np.newaxis] * 0x9E3779B1
    strides = 2 * ((first + np.arange(taken) * different // taken) % different) + 1
    starts, cohort = np.arange(bits), np.arange(cohorts)[:, np.newaxis, np.newaxis]
    sums = np.zeros((cohorts, taken, bits))
    for place in range(hashes):
        sums += residuals[cohort, (starts + place * strides[..., np.newaxis]) % bits]
    return sums.reshape(cohorts, taken * bits)


def _cumulants(values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Tilts, and at each the cumulant function of the score and its first two derivatives.

    The tilted law has weights exp(tilt · value), up to a factor. Tilts are evenly spaced within
    an octave, so that a weight grows by the same ratio at each, and by its square in the next.
    """
    from sudare.kernels.tilts import tilted_sums

    groups, size = values.shape
    steps = _NEAREST / _STEPS * 2.0 ** np.repeat(np.arange(_OCTAVES), _STEPS)
    tilts = _NEAREST - steps[0] + np.cumsum(steps)
    top = values.max(axis=1)
    columns = np.ascontiguousarray(values.T)
    exponents = columns - top  # never above 0: a weight can only vanish
    weights, ratios = np.exp((tilts[0] - steps[0]) * exponents), np.exp(steps[0] * exponents)
    sums = np.empty((tilts.size, 3, groups))
    for octave in range(_OCTAVES):
        tilted_sums(columns, ratios, weights, sums[octave * _STEPS : (octave + 1) * _STEPS])
        ratios *= ratios
    total, first, second = sums[:, 0], sums[:, 1] / sums[:, 0], sums[:, 2] / sums[:, 0]
    cumulant = np.log(total / size).sum(axis=1) + tilts * top.sum()
    curvature = (second - first**2).sum(axis=1)
    return tilts, cumulant, first.sum(axis=1), curvature
