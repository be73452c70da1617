"""The most likely shares of a population.

The likelihood is the one that expectation maximisation climbs, and the certificate is EM's own:
at the maximum an EM step changes nothing. But EM crawls where a share is 0, so the maximum is
found directly. The likelihood is a sum of concave functions of one share each; for a price λ per
unit of share every answer takes what it is worth, and λ is such that the shares sum to 1.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Floats

_HALVINGS = 64  # of an interval of shares, then of prices: to the last bit of a float


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence of an aggregate about the shares of the answers.

    Row r of ``counts`` tallies an event that happens to answer v with chance ``holder[r]`` for
    the people who hold v and ``others[r]`` for the rest. GRR has one row (the answer is
    reported); a unary mechanism two (its bit is 1, its bit is 0): its bits are taken as if
    they came from different people, which keeps the estimate consistent.
    """

    counts: Floats
    holder: Floats
    others: Floats

    @classmethod
    def of_bits(cls, counts: NDArray[np.int64], n: int, holder: float, others: float) -> Self:
        """The evidence of one bit per answer: two events each, it is 1 and it is 0."""
        ones = counts.astype(np.float64)
        chances = (np.array([chance, 1 - chance]) for chance in (holder, others))
        return cls(np.stack([ones, n - ones]), *chances)

    def worth(self, shares: Floats) -> Floats:
        """The slope of the log-likelihood in each share; falls as the share grows."""
        lift = (self.holder - self.others)[:, np.newaxis]
        worth: Floats = (self.counts * lift / (self.others[:, np.newaxis] + lift * shares)).sum(0)
        return worth

    def gain(self, shares: Floats) -> Floats:
        """The factor by which an EM step changes each share; its excess over 1 is the slope."""
        lift = (self.holder - self.others)[:, np.newaxis]
        weight = self.counts / (self.others[:, np.newaxis] + lift * shares)
        background = (weight * self.others[:, np.newaxis]).sum()
        gain: Floats = (background + self.worth(shares)) / self.counts.sum()
        return gain


@dataclass(frozen=True, eq=False)
class MostLikely:
    """The most likely shares, with a certificate: none are likelier by more than ``gap``.

    ``gap`` is in log-likelihood per observation; the likelihood is concave, so its steepest
    slope towards a corner bounds what is left to gain.
    """

    shares: Floats
    gap: float


def most_likely(evidence: Evidence) -> MostLikely:
    """The shares that maximise the likelihood over the simplex."""
    k = evidence.counts.shape[1]
    # At the higher price nobody takes anything, at the lower one everybody takes everything.
    high = float(evidence.worth(np.zeros(k)).max())
    low = float(evidence.worth(np.ones(k)).min())
    for _ in range(_HALVINGS):
        price = (low + high) / 2
        if _taken(evidence, price).sum() > 1:
            low = price
        else:
            high = price
    shares = _taken(evidence, high)
    shares /= shares.sum()
    return MostLikely(shares, float(evidence.gain(shares).max() - 1))


def _taken(evidence: Evidence, price: float) -> Floats:
    """The share at which each answer's worth has fallen to the price; 0 where it starts below."""
    low, high = np.zeros(evidence.counts.shape[1]), np.ones(evidence.counts.shape[1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        dear = evidence.worth(middle) > price
        low, high = np.where(dear, middle, low), np.where(dear, high, middle)
    return low
