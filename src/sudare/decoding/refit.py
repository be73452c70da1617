"""Weighted least squares on a few candidates, deaf to the rows that strangers disturb.

A string that is missing from the candidates lifts its own bits, a few in every cohort, and tells
nothing about the others: residuals far beyond the bulk are cut (Huber's estimator), at two of its
standard deviations where the tails show such strings, at three elsewhere: there hardly any is cut,
and this is least squares.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from sudare.decoding.bit_sums import BitShares
from sudare.decoding.design import Design, Indices
from sudare.decoding.null_law import HashLaw, deviation_of, hash_law
from sudare.estimation.estimate import Floats

_NARROW, _WIDE = 2.0, 3.0  # standard deviations of the bulk at which residuals are cut
_HEAVY = 1.05  # times the bulk's standard deviation that all rows together have, with strangers
_NORMAL = NormalDist()
_SCALING_STEPS = 1
_MOST_STEPS = 50
_RIDGE = 1e-9
_STILL = 1e-3  # of a standard error: a step that small is the last
_FARTHEST = 0.5  # of a normal law's deviations: cumulants say no more than that
_CLEAR = 8.0  # standard deviations: beyond, nothing is at stake


@dataclass(frozen=True, eq=False)
class Fit:
    """Some candidates, fitted together to the bits' shares by weighted least squares.

    Attributes:
        design: all candidates.
        bits: what was fitted.
        support: the candidates in the model.
        shares: the fitted share of each.
        inverse: of their Gram matrix: the covariance of least squares, per unit of noise.
        rest: what the model leaves in each row.
        residual: the rest, cut, and without its mean in each cohort and class.
        limits: where each row is cut: at a multiple of the bulk's deviation, or of its own.
        deviations: that multiple.
        listening: the share of rows, by weight, that were not cut.
    """

    design: Design
    bits: BitShares
    support: Indices
    shares: Floats
    inverse: Floats
    rest: Floats
    residual: Floats
    limits: Floats
    deviations: float
    listening: float

    @property
    def heard(self) -> Floats:
        """The bits' shares with the disturbed rows cut: the model plus the residuals."""
        return self.design.fitted(self.support, self.shares) + self.residual

    @property
    def length(self) -> float:
        """The curvature of a candidate outside the model: of x'Wx what is heard, and left to it."""
        left = 1 - len(self.support) / self.design.freedom
        return column_weight(self.design, self.bits.weights) * self.listening * left

    @cached_property
    def scores(self) -> Floats:
        """Every candidate's score: the sum of the weighted residuals at its bits."""
        return self.design.scores(self._weighted)

    @cached_property
    def law(self) -> HashLaw:
        """The law of the score of a candidate that nobody holds."""
        return hash_law(self._weighted.reshape(self.design.cohorts, -1), self.design.hashes)

    def score_at(self, chance: float) -> float:
        """The score that a candidate whom nobody holds reaches with about this chance.

        By the first four cumulants of as many independent draws (Cornish and Fisher 1938): good
        enough to let candidates in, and much quicker than the law that judges them.
        """
        from scipy.special import ndtri

        table = self._weighted.reshape(self.design.cohorts, -1)
        square = table * table
        means = [part.mean(axis=1) for part in (square, square * table, square * square)]
        second, third, fourth = means[0].sum(), means[1].sum(), (means[2] - 3 * means[0] ** 2).sum()
        deviation = math.sqrt(self.design.hashes * second) or 1.0
        skew = self.design.hashes * third / deviation**3
        kurtosis = self.design.hashes * fourth / deviation**4
        u = -float(ndtri(chance))
        moved = (u**2 - 1) * skew / 6 + (u**3 - 3 * u) * kurtosis / 24
        moved -= (2 * u**3 - 5 * u) * skew**2 / 36
        return deviation * (u + float(np.clip(moved, -_FARTHEST * u, _FARTHEST * u)))

    @cached_property
    def _weighted(self) -> Floats:
        return np.asarray(self.bits.weights * self.residual, np.float64)

    @cached_property
    def _power(self) -> float:
        return float((self._weighted**2).sum())

    @cached_property
    def _outside(self) -> tuple[Floats, Floats]:
        """The score of each in the model in the fit without it, and the residuals' power there.

        Without it the others take up some of what it explains, and the rest is back in the
        residuals, cut just as before. Where the score is beyond all doubt, as if nothing was cut.
        """
        from sudare.kernels.columns import left_out

        scores = self.listening * self.shares / np.diag(self.inverse)
        powers = self._power + self.shares * scores
        doubtful = scores < _CLEAR * self.law.deviation * np.sqrt(powers / self._power)
        members = np.flatnonzero(doubtful)
        totals = np.empty((2, members.size))
        left_out(
            self.design.rows[self.support],
            self.inverse,
            self.shares,
            self.rest,
            self.limits,
            self.bits.weights,
            self.design.bits,
            self.design.classes,
            members,
            totals,
        )
        scores[members], powers[members] = totals
        return scores, powers

    @cached_property
    def standardised(self) -> Floats:
        """Every candidate's score in units of the null law, as if it stood outside the model.

        Sums of reports are whole numbers: a continuous law meets them half a report below.
        """
        scores, (own, powers) = self.scores.copy(), self._outside
        scores[self.support] = own
        z = (scores - self.bits.step / 2) / self.law.deviation
        z[self.support] *= np.sqrt(self._power / powers)
        return z

    def outsider(self, number: int) -> float:
        """The standardised score of a single candidate outside the model."""
        table = self._weighted.reshape(self.design.cohorts, -1)
        score = float(self._weighted[self.design.rows[number : number + 1]].sum())
        return (score - self.bits.step / 2) / deviation_of(table, self.design.hashes)

    def shares_at(self, standardised: float) -> Floats:
        """The share at which each candidate would have this standardised score.

        A share in the model raises its own score, and with it the power by which it is measured.
        """
        score = standardised * self.law.deviation
        shares = np.full(len(self.design), (score + self.bits.step / 2) / self.length)
        own, powers = self._outside
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = own / self.shares
            grown = (powers / self._power - 1) / self.shares**2
            shares[self.support] = score / np.sqrt(np.maximum(rate**2 - score**2 * grown, 0))
        return shares

    @property
    def excess(self) -> float:
        """How many times as large as randomising makes them the residuals are."""
        return math.sqrt(self._misfit(self.rest))

    @cached_property
    def _variances(self) -> Floats:
        return _variances(self.bits, self.rest)

    def _misfit(self, residual: Floats) -> float:
        """The mean square of residuals in units of binomial noise."""
        telling = self.bits.weights > 0
        freedom = float(telling.mean()) * self.design.freedom - len(self.support)
        total = float((residual[telling] ** 2 / self._variances[telling]).sum())
        return total / max(freedom, 1)

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of the fitted shares, as estimates for the people who answered.

        Each row has the binomial variance of what is fitted there, raised where the residuals
        show more than binomial noise. That counts which people came into a cohort, too, in each of
        a text's bits; but all of them together are those who answered: s(1 - s)/n, shared by the
        bits, is not part of it.
        """
        bits = self.bits
        variances = np.where(bits.weights > 0, self._variances, 0)
        variances *= max(self._misfit(self.residual), _kept(self.deviations))
        inner = self.design.gram(self.support, bits.weights**2 * variances)
        spread = np.asarray(self.inverse @ inner @ self.inverse, np.float64) / self.listening**2
        clipped = np.clip(self.shares, 0, 1)
        diagonal = np.diag_indices_from(spread)
        spread[diagonal] -= clipped * (1 - clipped) / (bits.n * self.design.hashes)
        spread[diagonal] = np.maximum(
            spread[diagonal], bits.least_variance(clipped, self.design.hashes)
        )
        return spread


def refit(design: Design, bits: BitShares, support: Indices, like: Fit | None = None) -> Fit:
    """The fit of some candidates, each row weighted by its cohort's reports.

    Args:
        design: all candidates.
        bits: what is fitted.
        support: the candidates in the model.
        like: a fit of nearly the same candidates, which says where rows are cut.
    """
    model, everyone = design.part(support), np.arange(len(support))
    # The curvature of least squares is above that of the cut rows: steps by it only descend.
    inverse = _inverse(model.gram(everyone, bits.weights))
    response, levels = design.centred(bits.shares)
    shares = inverse @ model.scores(bits.weights * response)
    still = _STILL * bits.noise / math.sqrt(column_weight(design, bits.weights))
    if like is not None:
        limits, deviations = like.limits, like.deviations
    for step in range(_MOST_STEPS):
        rest = bits.shares.ravel() - model.fitted(everyone, shares) - levels
        scaling = like is None and step < _SCALING_STEPS
        if scaling:  # then fixed, so that what follows only descends
            limits, deviations = _limits(bits, rest)
        residual, heard = _cut(rest, limits)
        residual, mean = design.centred(residual)
        change = inverse @ model.scores(bits.weights * residual)
        if not scaling and np.abs(change).max(initial=0) <= still:
            break
        shares = shares + change
        levels = levels + mean
    listening = float(bits.weights @ heard / bits.weights.sum())
    return Fit(
        design, bits, support, shares, inverse, rest, residual, limits, deviations, listening
    )


def _limits(bits: BitShares, rest: Floats) -> tuple[Floats, float]:
    """Where rows are cut, and at how many deviations of most rows, or of their own."""
    scale = max(bulk(rest, bits.weights), bits.noise)
    heavy = math.sqrt(float(np.mean(bits.weights * rest**2))) > _HEAVY * scale
    deviations = _NARROW if heavy else _WIDE
    with np.errstate(divide="ignore"):  # a cohort without reports has no limit
        own = np.maximum(scale / np.sqrt(bits.weights), np.sqrt(_variances(bits, rest)))
    return deviations * own, deviations


def _variances(bits: BitShares, rest: Floats) -> Floats:
    """The binomial variance of each row, by what is fitted there."""
    return bits.variances(bits.shares.ravel() - rest)


def bulk(values: Floats, weights: Floats) -> float:
    """The standard deviation of most rows at weight 1: a few large ones don't move it."""
    telling = weights > 0
    return 1.4826 * float(np.median(np.abs(values[telling]) * np.sqrt(weights[telling])))


def column_weight(design: Design, weights: Floats) -> float:
    """The weighted square x'Wx of a centred column, the same for every candidate."""
    return float(weights.sum()) * design.density * (1 - design.density)


def _kept(deviations: float) -> float:
    """The variance that is left of a standard normal law when it is cut there."""
    beyond, density = _NORMAL.cdf(-deviations), _NORMAL.pdf(deviations)
    return 1 - 2 * (1 - deviations**2) * beyond - 2 * deviations * density


def _inverse(gram: Floats) -> Floats:
    if not gram.size:
        return gram
    # A trace of ridge: candidates that share all their bits get half the share and no certainty.
    ridge = _RIDGE * np.diag(gram).max() * np.eye(len(gram))
    return np.asarray(np.linalg.inv(gram + ridge), np.float64)


def _cut(values: Floats, limits: Floats) -> tuple[Floats, Floats]:
    """The values cut at their limits, and which of them were not (1 or 0)."""
    return np.clip(values, -limits, limits), (np.abs(values) < limits).astype(np.float64)
