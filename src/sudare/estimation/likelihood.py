"""The most likely shares, by expectation maximisation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What an aggregate says about the answers' shares.

    Row r of ``counts`` tallies an event that happens to answer v with chance ``holder[r]`` for
    the people who hold v and ``others[r]`` for the rest. GRR has one row (the answer is
    reported); a unary mechanism two (its bit is 1, its bit is 0): its bits are taken as if
    they came from different people, which keeps the estimate consistent.
    """

    counts: Floats
    holder: Floats
    others: Floats

    def gain(self, shares: Floats) -> Floats:
        """The factor by which one EM step changes each share; its excess over 1 is the gradient."""
        lift = (self.holder - self.others)[:, None]
        expected = self.others[:, None] + lift * shares
        weight = self.counts / expected
        background = (weight * self.others[:, None]).sum()
        gains: Floats = (background + (weight * lift).sum(axis=0)) / self.counts.sum()
        return gains

    def log_likelihood(self, shares: Floats) -> float:
        """Up to a constant, per observation."""
        expected = self.others[:, None] + (self.holder - self.others)[:, None] * shares
        return float((self.counts * np.log(expected)).sum() / self.counts.sum())


@dataclass(frozen=True, eq=False)
class MostLikely:
    """Shares with a certificate: no point of the simplex is likelier by more than ``gap``.

    ``gap`` is in log-likelihood per observation; the likelihood is concave, so its largest
    slope towards a corner bounds what is left to gain.
    """

    shares: Floats
    gap: float
    steps: int


def most_likely(evidence: Evidence, *, gap: float = 1e-9, max_steps: int = 100_000) -> MostLikely:
    """The shares that maximise the likelihood, to within ``gap``.

    EM with the SQUAREM step of Varadhan and Roland (2008): two EM steps, then a leap along
    their trend, taken only if it does not lose likelihood.
    """
    shares = np.full(evidence.counts.shape[1], 1 / evidence.counts.shape[1])
    for step in range(max_steps):
        gains = evidence.gain(shares)
        left = float(gains.max() - 1)
        if left <= gap:
            return MostLikely(shares, left, step)
        first = shares * gains
        second = first * evidence.gain(first)
        shares = _leap(evidence, shares, first, second)
    raise ParameterError(
        f"the likelihood was still {left:.2g} from its maximum after {max_steps} steps; "
        f"allow a larger gap than {gap:.2g}"
    )


def _leap(evidence: Evidence, start: Floats, first: Floats, second: Floats) -> Floats:
    change, bend = first - start, second - 2 * first + start
    bend_size = np.linalg.norm(bend)
    if bend_size == 0:
        return second
    reach = max(1.0, float(np.linalg.norm(change) / bend_size))
    leapt = np.maximum(start + 2 * reach * change + reach**2 * bend, 0)
    leapt = evidence.gain(leapt / leapt.sum()) * leapt / leapt.sum()  # settles the leap
    better = evidence.log_likelihood(leapt) >= evidence.log_likelihood(second)
    return leapt if better else second
