"""Two questions to the same people: how likely a pair of reports is, and whether they are related.

A pair of answers is a component like any other, its likelihood the product of the two. If the
questions are independent the likelihood splits, and the most likely product of margins is that of
the most likely margins.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sudare.decoding.mixture import Floats, Indices, Likelihoods, Mixture, row_blocks

_FLAT = 1e-9  # of the largest curvature: below, a contrast of shares can't be seen


@dataclass(frozen=True, eq=False)
class Pairs:
    """The likelihood of each person's two reports under each pair of answers."""

    first: Likelihoods
    second: Likelihoods

    @property
    def n(self) -> int:
        """The number of people."""
        return self.first.n

    @property
    def size(self) -> int:
        """The number of pairs of answers."""
        return self.first.size * self.second.size

    def block(self, rows: slice) -> Floats:
        """The likelihoods of pairs of answers, a row for each of some people."""
        ones, others = self.first.block(rows), self.second.block(rows)
        both = ones[:, :, np.newaxis] * others[:, np.newaxis, :]
        return both.reshape(len(ones), self.size)


@dataclass(frozen=True)
class Independence:
    """A test of "the answers to the two questions are independent".

    Attributes:
        statistic: large if they are not.
        freedom: the degrees of freedom of its chi-squared law; of the score test no whole number.
        p_value: the chance of such a statistic under independence.
    """

    statistic: float
    freedom: float
    p_value: float


def likelihood_ratio(joint: Mixture, first: Mixture, second: Mixture) -> Independence:
    """Twice the log-likelihood that the joint table gains over the product of its margins.

    Degrees of freedom are those of the margins' supports. Joint shares can't be negative, so the
    statistic stays below its chi-squared law: the test is valid, and timid in large tables. A
    mixture is linear in its shares, whence curvature and variance of the slope agree even where
    the model is wrong: answers that it lacks do no harm while the two *reports* are independent.
    """
    gained = 2 * (joint.log_likelihood - first.log_likelihood - second.log_likelihood)
    freedom = (first.support.size - 1) * (second.support.size - 1)
    return _chi_squared(max(gained, 0.0), freedom)


def score_test(
    likelihoods: Pairs, first: Mixture, second: Mixture, strata: Indices | None = None
) -> Independence:
    """The slope of the log-likelihood at the product of the margins, against its own law.

    The slope is the covariance of the relative likelihoods of a person's two reports, here in
    units of their standard deviations; the statistic is its sum of squares (Pillai's trace). If
    the reports of two questions are independent, every other pairing of first with second
    reports was as likely as theirs: the law is that of the trace over all pairings. That takes
    nothing from the model, so the test holds for answers that the model lacks as well.

    Args:
        likelihoods: of the reports of all people.
        first: the most likely shares of the first question.
        second: the most likely shares of the second question.
        strata: a number from 0 for each person; only people of one stratum are paired anew. For
            reports that are independent only given something known about the person.
    """
    n = likelihoods.n
    strata = np.zeros(n, np.intp) if strata is None else strata
    blocks = list(row_blocks(n, max(likelihoods.first.size, likelihoods.second.size)))
    people = np.bincount(strata)[:, np.newaxis]
    sides = [
        _centred(side, mixture, blocks, strata, people)
        for side, mixture in ((likelihoods.first, first), (likelihoods.second, second))
    ]
    height, width = first.support.size, second.support.size
    ours, theirs = np.zeros((height, height)), np.zeros((width, width))
    crossed = np.zeros((height, width))
    for rows in blocks:
        one, two = (side(rows) for side in sides)
        crossed += one.T @ two
        ours += one.T @ one
        theirs += two.T @ two
    scales = _whitening(ours), _whitening(theirs)
    trace = float(((scales[0].T @ crossed @ scales[1]) ** 2).sum())
    weights = [
        np.concatenate([((side(rows) @ scale) ** 2).sum(axis=1) for rows in blocks])
        for side, scale in zip(sides, scales, strict=True)
    ]
    return among_pairings(trace, weights[0], weights[1], strata)


def _centred(
    likelihoods: Likelihoods,
    mixture: Mixture,
    blocks: list[slice],
    strata: Indices,
    people: NDArray[np.int64],
) -> Callable[[slice], Floats]:
    """The relative likelihoods of some people, less the mean of each one's stratum."""
    means = np.zeros((len(people), mixture.support.size))
    for rows in blocks:
        np.add.at(means, strata[rows], _relative(likelihoods, mixture, rows))
    means /= people
    return lambda rows: _relative(likelihoods, mixture, rows) - means[strata[rows]]


def table_test(table: Floats, covariance: Callable[[Floats], Floats], n: int) -> Independence:
    """Whether an unbiased joint table differs from the product of its margins more than by chance.

    The contrasts of its deviations from that product, of which there are (rows - 1)(columns - 1),
    against their covariance under independence: asymptotically chi-squared.

    Args:
        table: the unbiased shares of pairs, a row for each answer to the first question.
        covariance: that of one person's part in the flattened table, where people's pairs have
            such shares: the noise, and who takes part.
        n: the number of people.
    """
    margins = [table.sum(axis=1), table.sum(axis=0)]
    rows, columns = (np.maximum(margin, 0) / np.maximum(margin, 0).sum() for margin in margins)
    height, width = table.shape
    # A small change of the table moves it, less what its margins move by.
    ones = np.ones(height), np.ones(width)
    moved = np.eye(table.size)
    moved -= np.kron(np.eye(height), np.outer(columns, ones[1]))
    moved -= np.kron(np.outer(rows, ones[0]), np.eye(width))
    contrasts = np.kron(_contrasts(height), _contrasts(width))
    seen = contrasts @ (table - np.outer(*margins)).ravel()
    mapped = contrasts @ moved
    spread = mapped @ covariance(np.outer(rows, columns).ravel()) @ mapped.T / n
    statistic = float(seen @ np.linalg.solve(spread, seen))
    return _chi_squared(max(statistic, 0.0), (height - 1) * (width - 1))


def _contrasts(size: int) -> Floats:
    """The differences of all but the last from the last."""
    return np.hstack([np.eye(size - 1), -np.ones((size - 1, 1))])


def pairing_moments(ours: Floats, theirs: Floats, strata: Indices) -> tuple[float, float, float]:
    """Mean, variance and third central moment of the trace over all pairings within strata.

    The mean is exact. Of the others it gives the leading terms: one of many people's products,
    whose sum is nearly normal, and one of the few who carry most of an answer's weight and meet
    by chance. After Kazi-Aoual, Hitier, Sabatier and Lebreton 1995, "Refined approximations to
    permutation tests for multivariate inference".

    Args:
        ours: the weight of each person, the squared length of their whitened values.
        theirs: the weight of each person in the second question.
        strata: a number from 0 for each person.
    """
    people = np.bincount(strata)
    others = np.maximum(people - 1, 1)

    def products(first: Floats, second: Floats) -> Floats:
        """The product of the sums over each stratum."""
        return np.asarray(np.bincount(strata, first) * np.bincount(strata, second), np.float64)

    mean = float((products(ours, theirs) / others).sum())
    even = mean / (float(ours.sum() * theirs.sum()) or 1.0)
    one, two = (
        weights - (np.bincount(strata, weights) / people)[strata] for weights in (ours, theirs)
    )
    # A projection's squares sum to its diagonal: this is a person's part off the diagonal.
    ours_off, theirs_off = ours * (1 - ours), theirs * (1 - theirs)
    spread = float(ours_off.sum() * theirs_off.sum()) * even**2
    variance = 2 * spread + float((products(one**2, two**2) / others).sum())
    alone = products(one**3, two**3) + 12 * even * products(one * ours_off, two * theirs_off)
    third = 8 * spread * even + max(float((alone / people).sum()), 0.0)
    return mean, variance, third


def among_pairings(trace: float, ours: Floats, theirs: Floats, strata: Indices) -> Independence:
    """Where a trace lies in a chi-squared law, moved and scaled to have the pairings' moments.

    Args:
        trace: the sum of the squared covariances of whitened values.
        ours: the weight of each person, the squared length of their whitened values.
        theirs: the weight of each person in the second question.
        strata: a number from 0 for each person.
    """
    mean, variance, third = pairing_moments(ours, theirs, strata)
    if not third:
        return _chi_squared(0.0, 0)
    freedom = 8 * variance**3 / third**2
    statistic = freedom + (trace - mean) * sqrt(2 * freedom / variance)
    return _chi_squared(max(statistic, 0.0), freedom)


def _relative(likelihoods: Likelihoods, mixture: Mixture, rows: slice) -> Floats:
    """Likelihood / mixture - 1 for the answers with a share."""
    block = likelihoods.block(rows)
    mixed = (block @ mixture.shares)[:, np.newaxis]
    relative: Floats = block.take(mixture.support, axis=1) / mixed - 1
    return relative


def _whitening(moments: Floats) -> Floats:
    """Columns in which these moments are the identity; a direction without variance is left out.

    There is always one: the shares themselves, for the mean of the relative likelihoods is 0.
    """
    values, vectors = np.linalg.eigh(moments)
    clear = values > _FLAT * (values.max() + len(moments))
    whitening: Floats = vectors[:, clear] / np.sqrt(values[clear])
    return whitening


def _chi_squared(statistic: float, freedom: float) -> Independence:
    from scipy.special import gammaincc

    p_value = float(gammaincc(freedom / 2, statistic / 2)) if freedom else 1.0
    return Independence(statistic, freedom, p_value)
