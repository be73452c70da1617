"""Shares of bins, when a report is one of the outputs in a window around its bin, or another.

Bin b of ``bins`` is the window of ``width`` consecutive outputs that begins with output b. Of the
people in a bin each output of its window is reported with chance ``inside``, any other with chance
``outside``. What is estimated here is unbiased, whatever the distribution, and so it is not smooth:
``sudare.estimation.smoothed`` shows the shape, and what is here says how sure one may be of it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Estimate, Floats


@dataclass(frozen=True)
class WindowShares:
    """What reports of windows say of the shares of bins, and of sums of them.

    Attributes:
        bins: how many there are.
        width: of a window, in outputs.
        inside: the chance of an output of the window.
        outside: the chance of any other.
    """

    bins: int
    width: int
    inside: float
    outside: float

    @property
    def outputs(self) -> int:
        """How many there are: a window more or less lies at every bin."""
        return self.bins + self.width - 1

    @cached_property
    def law(self) -> Floats:
        """The chance of each output, a row each, of people in each bin."""
        first = np.arange(self.outputs)[:, np.newaxis] - np.arange(self.bins)
        return np.where((first >= 0) & (first < self.width), self.inside, self.outside)

    @cached_property
    def below(self) -> Floats:
        """What a report of each output counts in the share of the first 0, 1, … ``bins`` bins.

        The sums of what two neighbouring windows count differ where the share ends, and nowhere
        else. So all outputs count the same, but for those at a whole number of windows from that
        place: up to there they count more, and from there on less, by 1 / (inside - outside).
        What the others count is free. It is the share itself, if all bins are alike: then the
        variance is the least (the weighted least squares for people who are spread evenly).
        """
        counted = np.empty((self.bins + 1, self.outputs))
        counted[0], counted[-1] = 0.0, 1.0
        difference = self.inside - self.outside
        for last in range(self.bins - 1):
            blank = (last + 1) / self.bins
            places = np.arange(last % self.width, self.outputs, self.width)
            after = places > last
            own = difference + self.outside * len(places)
            drop = self.outside * after.sum() / difference
            # Both kinds together make the mean 1 for people of the first bin.
            most = (1 + drop - blank * (1 - own)) / own
            counted[last + 1] = blank
            counted[last + 1, places] = most - after / difference
        return counted

    @cached_property
    def parts(self) -> Floats:
        """What a report of each output counts in the share of each bin, a row each."""
        return np.diff(self.below, axis=0)

    def shares(self, counts: NDArray[np.int64], n: int) -> Estimate:
        """The share of each bin, from how many reports gave each output."""
        return self.sums(counts, n, np.eye(self.bins), blank=self._blank_noise)

    def sums(
        self,
        counts: NDArray[np.int64],
        n: int,
        taken: Floats,
        blank: Floats | float = 0.0,
    ) -> Estimate:
        """The sum of the parts that are taken of each bin's share.

        Args:
            counts: how many reports gave each output.
            n: how many there are.
            taken: the part of each bin, from 0 to 1, a row for each sum.
            blank: what a report of each output counts more in the variance: nothing in the mean.
        """
        parts = taken @ self.parts
        # Over the law of a bin the mean of the squares, less the square of the mean.
        noise = parts**2 - taken**2 @ self.parts + blank
        variances = parts**2 @ self.law - taken**2
        return Estimate(
            n=n,
            values=parts @ counts / n,
            stderr=np.sqrt(np.maximum(0.0, noise @ counts)) / n,
            slope=(_mean(variances, taken) - _mean(variances, 1 - taken)) / n,
        )

    @cached_property
    def _blank_noise(self) -> Floats:
        """For each bin what has the mean 0 in every bin, and makes no report's noise negative.

        A report that says nothing of a bin would count a little less than nothing in the variance
        of its share: of a few people, all of whose reports are such, that would be the sum.
        """
        more = np.zeros((self.bins, self.outputs))
        blank = (1 / self.bins) * (1 - 1 / self.bins)
        difference = self.inside - self.outside
        for number, row in enumerate(more):
            ends = {last % self.width for last in (number - 1, number) if 0 <= last < self.bins - 1}
            own = np.isin(np.arange(self.outputs) % self.width, list(ends))
            others = difference * (self.width - len(ends)) + self.outside * (~own).sum()
            row[:] = np.where(
                own, -blank * others / (difference * len(ends) + self.outside * own.sum()), blank
            )
            if len(ends) == self.width:
                row[:] = 0.0
        return more


def _mean(variances: Floats, weight: Floats) -> Floats:
    """The mean of each row, weighted; 0 where nothing has a weight."""
    total = np.maximum(weight.sum(axis=1), np.finfo(np.float64).tiny)
    means: Floats = (variances * weight).sum(axis=1) / total
    return means
