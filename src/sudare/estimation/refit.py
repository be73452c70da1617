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

from sudare.estimation.bits import BitShares
from sudare.estimation.design import Design, Floats, Indices
from sudare.estimation.hashnull import HashNull, hash_null

_NARROW, _WIDE = 2.0, 3.0  # standard deviations of the bulk at which residuals are cut
_HEAVY = 1.05  # times the bulk's standard deviation that all rows together have, with strangers
_NORMAL = NormalDist()
_SCALING_STEPS = 3
_MOST_STEPS = 50
_RIDGE = 1e-9
_STILL = 1e-3  # of a standard error: a step that small is the last


@dataclass(frozen=True, eq=False)
class Fit:
    """Some candidates fitted together.

    Attributes:
        design: all candidates.
        bits: what was fitted.
        support: the candidates in the model.
        shares: theirs.
        inverse: of their Gram matrix: the covariance of least squares, per unit of noise.
        rest: what the model leaves in each row.
        residual: the same, cut, and without its mean in each cohort.
        mean: that mean.
        limits: where each row is cut: at a multiple of the bulk's deviation, or of its own.
        deviations: that multiple.
        listening: the share of rows, by weight, that were not cut.
        law: that of the score of a candidate whom nobody holds.
    """

    design: Design
    bits: BitShares
    support: Indices
    shares: Floats
    inverse: Floats
    rest: Floats
    residual: Floats
    mean: Floats
    limits: Floats
    deviations: float
    listening: float
    law: HashNull

    @property
    def length(self) -> float:
        """The curvature of a candidate outside the model: x'Wx over the rows that are heard."""
        return column_weight(self.design, self.bits.weights) * self.listening

    @cached_property
    def scores(self) -> Floats:
        """For every candidate, what the weighted residuals at its bits add up to."""
        return self.design.scores(self.bits.weights * self.residual)

    @cached_property
    def standardised(self) -> Floats:
        """Every candidate's score in units of the null law.

        It is what the residuals at the candidate's bits add up to; for one in the model, the
        residuals without its own share, cut just as if it stood outside.
        """
        z = self.scores / self.law.deviation
        rows = self.design.rows[self.support].astype(np.intp)
        own = self.rest[rows] + self.shares[:, np.newaxis]
        own, _ = _cut(own, self.limits[rows])
        own -= self.mean[rows // self.design.bits]
        # What it shares with the others in the model is no evidence for it, and what the model
        # took from the residuals' variance must be given back.
        alone = column_weight(self.design, self.bits.weights) * np.diag(self.inverse)
        freedom = 1 - len(self.support) / self.design.height
        total = (self.bits.weights[rows] * own).sum(axis=1)
        z[self.support] = total / self.law.deviation * np.sqrt(freedom / alone)
        # Sums of reports are whole numbers: a continuous law meets them half a report below.
        z -= self.bits.step / 2 / self.law.deviation
        return z

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
        freedom = int(telling.sum()) * (1 - 1 / self.design.bits) - len(self.support)
        total = float((residual[telling] ** 2 / self._variances[telling]).sum())
        return total / max(freedom, 1)

    @cached_property
    def covariance(self) -> Floats:
        """Of the fitted shares, as estimates for the people who answered.

        Each row has the binomial variance of what is fitted there, raised where the residuals
        show more than binomial noise. What would be the sampling error of a larger population,
        s(1 - s)/n, is not part of it.
        """
        bits = self.bits
        variances = np.where(bits.weights > 0, self._variances, 0)
        variances *= max(self._misfit(self.residual), _kept(self.deviations))
        inner = self.design.gram(self.support, bits.weights**2 * variances)
        spread = np.asarray(self.inverse @ inner @ self.inverse, np.float64) / self.listening**2
        clipped = np.clip(self.shares, 0, 1)
        diagonal = np.diag_indices_from(spread)
        spread[diagonal] -= clipped * (1 - clipped) / bits.n
        spread[diagonal] = np.maximum(
            spread[diagonal], bits.least_variance(clipped, self.design.hashes)
        )
        return spread


def refit(design: Design, bits: BitShares, support: Indices, like: Fit | None = None) -> Fit:
    """Fit the support, each row weighted by its cohort's reports.

    Args:
        design: all candidates.
        bits: what is fitted.
        support: the candidates in the model.
        like: a fit that says where rows are cut and what law nobody's score has. Without it both
            are found anew, which takes several times as long.
    """
    model, everyone = design.part(support), np.arange(len(support))
    # The curvature of least squares is above that of the cut rows: steps by it only descend.
    inverse = _inverse(model.gram(everyone, bits.weights))
    shares = inverse @ model.scores(bits.weights * bits.response)
    levels = np.zeros(design.cohorts)
    still = _STILL * bits.noise / math.sqrt(column_weight(design, bits.weights))
    if like is not None:
        limits, deviations = like.limits, like.deviations
    for step in range(_MOST_STEPS):
        rest = bits.response - model.fitted(everyone, shares) - levels.repeat(design.bits)
        scaling = like is None and step < _SCALING_STEPS
        if scaling:  # then fixed, so that what follows only descends
            limits, deviations = _limits(bits, rest)
        residual, heard = _cut(rest, limits)
        residual, mean = _centred(residual, design)
        weighted = bits.weights * residual
        change = inverse @ model.scores(weighted)
        if not scaling and np.abs(change).max(initial=0) <= still:
            break
        shares = shares + change
        levels += mean
    listening = float(bits.weights @ heard / bits.weights.sum())
    law = (
        hash_null(weighted.reshape(design.cohorts, -1), design.hashes) if like is None else like.law
    )
    return Fit(
        design,
        bits,
        support,
        shares,
        inverse,
        rest,
        residual,
        mean,
        limits,
        deviations,
        listening,
        law,
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
    mean = bits.shares.mean(axis=1).repeat(bits.sums.shape[1])
    return bits.variances(mean + bits.response - rest)


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


def _centred(values: Floats, design: Design) -> tuple[Floats, Floats]:
    """The values without their mean in each cohort, and that mean."""
    table = values.reshape(design.cohorts, -1)
    mean = np.asarray(table.mean(axis=1), np.float64)
    return (table - mean[:, np.newaxis]).ravel(), mean


def _cut(values: Floats, limits: Floats) -> tuple[Floats, Floats]:
    """The values cut at their limits, and which of them were not (1 or 0)."""
    return np.clip(values, -limits, limits), (np.abs(values) < limits).astype(np.float64)
