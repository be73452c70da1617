"""Bit sums of cohorts, debiased: the share of each cohort whose filter has each bit."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidDocument
from sudare.estimation.estimate import Floats

_RARE = 1e-12  # no chance counts as smaller: a variance of 0 would be certainty


@dataclass(frozen=True, eq=False)
class BitShares:
    """The bits of each cohort, counted and debiased.

    A report says 1 with chance ``holder`` where the answer's bit is 1, ``others`` elsewhere.
    The people of a cohort are a random part of all, so a bit's count is binomial.

    Attributes:
        sizes: the reports of each cohort.
        sums: a row per cohort, a column per bit: how many of its reports say 1.
        holder: q*.
        others: p*.
    """

    sizes: NDArray[np.int64]
    sums: NDArray[np.int64]
    holder: float
    others: float

    def __post_init__(self) -> None:
        if (self.sums < 0).any() or (self.sums > self.sizes[:, np.newaxis]).any():
            raise InvalidDocument("a cohort's bit is counted below 0 or above its reports")

    @property
    def n(self) -> int:
        """The number of reports in all cohorts."""
        return int(self.sizes.sum())

    @property
    def telling(self) -> int:
        """The number of cohorts that have reports; a collector shows one before the other."""
        return int(np.count_nonzero(self.sizes))

    @cached_property
    def shares(self) -> Floats:
        """The debiased share of each cohort and bit, (c/N - p*) / (q* - p*); 0 without reports."""
        said = self.sums / np.maximum(self.sizes, 1)[:, np.newaxis]
        shares: Floats = (said - self.others) / (self.holder - self.others)
        shares[self.sizes == 0] = 0
        return shares

    @cached_property
    def weights(self) -> Floats:
        """The weight of each cohort and bit: by the reports of its cohort, 1 in the mean."""
        return np.repeat(self.sizes / self.sizes.mean(), self.sums.shape[1])

    @property
    def step(self) -> float:
        """The change of a weighted share by one more report, in whichever cohort."""
        return 1 / (float(self.sizes.mean()) * (self.holder - self.others))

    @cached_property
    def noise(self) -> float:
        """The standard deviation that binomial noise gives a row of weight 1, in the mean."""
        telling = self.weights > 0
        expected = self.variances(self.shares.ravel())[telling] * self.weights[telling]
        return math.sqrt(float(np.mean(expected)))

    def least_variance(self, shares: Floats, hashes: int) -> Floats:
        """The variance that randomising alone gives a text's share, seen in all its bits."""
        coins = shares * self.holder * (1 - self.holder)
        coins += (1 - shares) * self.others * (1 - self.others)
        slope = self.holder - self.others
        return np.asarray(coins / (self.n * hashes * slope**2), np.float64)

    def variances(self, shares: Floats) -> Floats:
        """The variance of each bit's share, if the true ones are these; infinite without reports.

        One report's bit is 1 with chance s = p* + share · (q* - p*): s(1 - s) / (N (q* - p*)²).
        """
        slope = self.holder - self.others
        said = np.clip(self.others + np.clip(shares, 0, 1) * slope, _RARE, 1 - _RARE)
        sizes = np.repeat(self.sizes, self.sums.shape[1])
        with np.errstate(divide="ignore"):
            return np.asarray(said * (1 - said) / (sizes * slope**2), np.float64)
