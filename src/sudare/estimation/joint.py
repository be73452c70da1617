"""Two questions to the same people: how likely a pair of reports is, and whether they are related.

A pair of answers is a component like any other, its likelihood the product of the two. If the
questions are independent the likelihood splits, and the most likely product of margins is that of
the most likely margins.
"""

from dataclasses import dataclass

import numpy as np

from sudare.estimation.mixture import Floats, Likelihoods, Mixture, row_blocks

_FLAT = 1e-9  # of the largest curvature: below, a contrast of shares can't be seen


@dataclass(frozen=True, eq=False)
class Pairs:
    """The likelihoods of pairs of answers: for each of the first question all of the second."""

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
        """The products, a row for each of some people."""
        ones, others = self.first.block(rows), self.second.block(rows)
        both = ones[:, :, np.newaxis] * others[:, np.newaxis, :]
        return both.reshape(len(ones), self.size)


@dataclass(frozen=True)
class Independence:
    """A test of "the answers to the two questions are independent".

    Attributes:
        statistic: large if they are not.
        freedom: the degrees of freedom of its chi-squared law.
        p_value: the chance of such a statistic under independence.
    """

    statistic: float
    freedom: int
    p_value: float


def likelihood_ratio(joint: Mixture, first: Mixture, second: Mixture) -> Independence:
    """Twice the log-likelihood that the joint table gains over the product of its margins.

    Degrees of freedom are those of the margins' supports. Joint shares can't be negative, so the
    statistic stays below its chi-squared law: the test is valid, and timid in large tables.
    """
    gained = 2 * (joint.log_likelihood - first.log_likelihood - second.log_likelihood)
    freedom = (first.support.size - 1) * (second.support.size - 1)
    return _tested(max(gained, 0.0), freedom)


def score_test(likelihoods: Pairs, first: Mixture, second: Mixture) -> Independence:
    """The slope of the log-likelihood at the product of the margins, against its own variance.

    Under independence the relative likelihoods of a person's two reports, each less 1, have
    covariance 0. Their empirical one in units of its standard deviations is the statistic
    (n times Pillai's trace). No boundary enters: the law is chi-squared.
    """
    height, width = first.support.size, second.support.size
    ours, theirs = np.zeros((height, height)), np.zeros((width, width))
    crossed = np.zeros((height, width))
    for rows in row_blocks(likelihoods.n, max(likelihoods.first.size, likelihoods.second.size)):
        one = _relative(likelihoods.first, first, rows)
        two = _relative(likelihoods.second, second, rows)
        crossed += one.T @ two
        ours += one.T @ one
        theirs += two.T @ two
    whitened = _whitening(ours).T @ crossed @ _whitening(theirs)
    return _tested(likelihoods.n * float((whitened**2).sum()), whitened.size)


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


def _tested(statistic: float, freedom: int) -> Independence:
    from scipy.special import gammaincc

    p_value = float(gammaincc(freedom / 2, statistic / 2)) if freedom else 1.0
    return Independence(statistic, freedom, p_value)
