"""Weighted least squares on a few candidates, deaf to the rows that strangers disturb.

A string that is missing from the candidates lifts its own bits, a few in every cohort, and tells
nothing about the others: residuals beyond two standard deviations of the bulk are cut there
(Huber's estimator). Where nothing is missing hardly any are, and this is least squares.
"""

import math
from dataclasses import dataclass

import numpy as np

from sudare.estimation.bits import BitShares
from sudare.estimation.design import Design, Floats, Indices

_CUT = 2.0  # standard deviations of the bulk: costs 1 % where nothing is missing
_SCALING_STEPS = 3
_MOST_STEPS = 50
_RIDGE = 1e-9
_STILL = 1e-3  # of a standard error: a step that small is the last


@dataclass(frozen=True, eq=False)
class Fit:
    """Some candidates fitted together.

    Attributes:
        support: the candidates in the model.
        shares: theirs.
        covariance: of these shares, as estimates for the people who answered.
        residual: what the model leaves in each row, cut; weighted, it sums to 0 in each cohort.
        listening: the share of rows, by weight, whose residual was not cut.
        leverage: for each in the support, its variance per unit of noise.
    """

    support: Indices
    shares: Floats
    covariance: Floats
    residual: Floats
    listening: float
    leverage: Floats


def refit(design: Design, bits: BitShares, support: Indices) -> Fit:
    """Fit the support.

    Rows are weighted by their cohorts' reports. The covariance takes the binomial variance of
    each row by itself, raised where the residuals show more than binomial noise; what would be
    the sampling error of a larger population, s(1 - s)/n, is not part of it.
    """
    shares = _solved(design, support, bits.weights, bits.response)
    levels = np.zeros(design.cohorts)
    still = _STILL / math.sqrt(column_weight(design, bits.weights))
    for step in range(_MOST_STEPS):
        rest = _rest(design, bits, support, shares, levels)
        if step < _SCALING_STEPS:  # then fixed, so that what follows only descends
            cut = _CUT * max(bulk(rest, bits.weights), noise(bits))
        residual, trust = _cut(rest, cut, bits.weights)
        centred, mean = _centred(residual, design)
        change = _solved(design, support, bits.weights * trust, centred / trust)
        shares += change
        levels += mean / np.maximum(trust.reshape(design.cohorts, -1).mean(axis=1), still)
        if step >= _SCALING_STEPS and np.abs(change).max(initial=0) <= still * cut:
            break
    rest = _rest(design, bits, support, shares, levels)
    residual, trust = _cut(rest, cut, bits.weights)
    heard = (trust == 1).astype(np.float64)
    inverse = _inverse(design.gram(support, bits.weights * heard))
    residual, _ = _centred(residual, design)
    covariance = _covariance(design, bits, support, shares, inverse, residual, rest)
    listening = float(bits.weights @ heard / bits.weights.sum())
    return Fit(support, shares, covariance, residual, listening, np.diag(inverse).copy())


def noise(bits: BitShares) -> float:
    """The standard deviation that binomial noise gives a row of weight 1, in the mean."""
    telling = bits.weights > 0
    expected = bits.variances(bits.shares.ravel())[telling] * bits.weights[telling]
    return math.sqrt(float(np.mean(expected)))


def bulk(values: Floats, weights: Floats) -> float:
    """The standard deviation of most rows at weight 1: a few large ones don't move it."""
    telling = weights > 0
    return 1.4826 * float(np.median(np.abs(values[telling]) * np.sqrt(weights[telling])))


def column_weight(design: Design, weights: Floats) -> float:
    """The weighted square x'Wx of a centred column, the same for every candidate."""
    return float(weights.sum()) * design.density * (1 - design.density)


def _rest(
    design: Design, bits: BitShares, support: Indices, shares: Floats, levels: Floats
) -> Floats:
    return bits.response - design.fitted(support, shares) - levels.repeat(design.bits)


def _solved(design: Design, support: Indices, weights: Floats, response: Floats) -> Floats:
    """Least squares; the weighted response must sum to 0 in every cohort."""
    inverse = _inverse(design.gram(support, weights))
    return np.asarray(inverse @ design.scores(weights * response, support), np.float64)


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


def _cut(values: Floats, cut: float, weights: Floats) -> tuple[Floats, Floats]:
    """The values cut at ``cut`` deviations of their rows, and what part is left of each."""
    with np.errstate(divide="ignore"):
        limit = cut / np.sqrt(weights)
    small = np.clip(values, -limit, limit)
    return small, np.divide(small, values, out=np.ones_like(values), where=np.abs(values) > limit)


def _covariance(  # noqa: PLR0913, PLR0917 - what the steps above have found
    design: Design,
    bits: BitShares,
    support: Indices,
    shares: Floats,
    inverse: Floats,
    residual: Floats,
    whole: Floats,
) -> Floats:
    held = bits.shares.mean(axis=1).repeat(design.bits) + bits.response - whole
    variances = bits.variances(held)
    telling = bits.weights > 0
    freedom = int(telling.sum()) * (1 - 1 / design.bits) - len(support)
    misfit = float((residual[telling] ** 2 / variances[telling]).sum()) / max(freedom, 1)
    variances[~telling] = 0
    inner = design.gram(support, bits.weights**2 * variances * max(misfit, 1.0))
    covariance: Floats = inverse @ inner @ inverse
    clipped = np.clip(shares, 0, 1)
    covariance[np.diag_indices_from(covariance)] -= clipped * (1 - clipped) / bits.n
    return covariance
