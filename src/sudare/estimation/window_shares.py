"""Shares of bins, when a report is one of the outputs in a window around its bin, or another.

Bin b of ``bins`` is the window of ``width`` consecutive outputs that begins with output b. Of the
people in a bin each output of its window is reported with chance ``inside``, any other with chance
``outside``. What is estimated here is unbiased, whatever the distribution, and so it is not smooth:
``sudare.estimation.smoothed`` shows the shape, and what is here says how sure one may be of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Estimate, Floats

_HALVINGS = 40  # of a quarter of a bin: what is left is nothing beside any number's step


class _Taken(NamedTuple):
    """Sums of parts of the shares, a row each."""

    taken: Floats
    """The part of each bin."""
    covered: Floats
    """The chance of each output, summed over what is taken."""
    parts: Floats
    """What a report of each output counts."""
    squares: Floats
    """What it counts in the sum of the squares of what is taken."""


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
        return self._of(
            counts,
            n,
            _Taken(np.eye(self.bins), self.law.T, self.parts, self.parts),
            self._blank_noise,
        )

    def sums(self, counts: NDArray[np.int64], n: int, taken: Floats) -> Estimate:
        """The sum of the parts that are taken of each bin's share.

        Args:
            counts: how many reports gave each output.
            n: how many there are.
            taken: the part of each bin, from 0 to 1, a row for each sum.
        """
        parts, squares = taken @ self.parts, taken**2 @ self.parts
        return self._of(counts, n, _Taken(taken, taken @ self.law.T, parts, squares))

    def up_to(self, counts: NDArray[np.int64], n: int, places: Floats) -> Estimate:
        """The share below each place, in bins from the least number; in a bin it rises evenly."""
        places = np.clip(places, 0, self.bins)
        whole = np.minimum(places.astype(np.int64), self.bins - 1)
        part = (places - whole)[:, np.newaxis]
        below, last = self.below[whole], self.parts[whole]
        return self._of(
            counts,
            n,
            _Taken(
                np.clip(places[:, np.newaxis] - np.arange(self.bins), 0, 1),
                self._covered[whole] + part * self.law.T[whole],
                below + part * last,
                below + part**2 * last,
            ),
        )

    @cached_property
    def _covered(self) -> Floats:
        """The chance of each output, summed over the first 0, 1, … bins."""
        return np.concatenate([np.zeros((1, self.outputs)), np.cumsum(self.law.T, axis=0)])

    def _of(
        self, counts: NDArray[np.int64], n: int, sums: "_Taken", blank: Floats | float = 0.0
    ) -> Estimate:
        """Sums of parts of the shares; of several collections, if there is a column of counts each.

        What a report counts in the noise is the square of its part, less its part in the sum of the
        taken squared: over the law of a bin its mean is the variance. ``blank`` has the mean 0.
        """
        taken, moments = sums.taken, sums.parts**2
        noise = (moments - sums.squares + blank) @ counts
        # The variance in the mean over what is taken, less that over what isn't, all bins alike.
        inner, outer = taken.sum(axis=1), (1 - taken).sum(axis=1)
        whole = (moments * sums.covered).sum(axis=1) - (taken**3).sum(axis=1)
        rest = (moments * (self.law.sum(axis=1) - sums.covered)).sum(axis=1)
        rest -= ((1 - taken) * taken**2).sum(axis=1)
        both = (inner > 0) & (outer > 0)
        slope = np.where(
            both, whole / np.where(both, inner, 1) - rest / np.where(both, outer, 1), 0
        )
        return Estimate(
            n=n,
            values=np.asarray(sums.parts @ counts / n, np.float64),
            stderr=np.sqrt(np.maximum(0.0, noise)) / n,
            slope=np.reshape(slope / n, (-1, *(1 for _ in counts.shape[1:]))),
        )

    def place_interval(
        self, estimated: Callable[[Floats], Estimate], share: float, level: float
    ) -> tuple[float, float]:
        """The places, in bins, below which a share may lie: where a test of that isn't rejected.

        From the first such place to the last: there may be others between them, and then the
        interval holds the true place more often than its level says.

        Args:
            estimated: the share below each of some places.
            share: whose place is asked for.
            level: of the interval.
        """

        def holds(places: Floats) -> NDArray[np.bool_]:
            low, high = estimated(places).interval(level)
            return (low <= share) & (share <= high)

        edges = np.arange(self.bins + 1.0)
        known = estimated(edges).values
        before, after = known[:-1], known[1:]
        crossed = (before - share) * (after - share) <= 0
        crossed &= before != after
        # Where the estimate itself is the share nothing is rejected, however narrow that is.
        inside = edges[:-1][crossed] + (share - before[crossed]) / (after - before)[crossed]
        quarters = (edges[:-1] + part / 4 for part in range(4))
        places = np.append(np.unique(np.concatenate([*quarters, inside])), self.bins)
        # Of a few reports an interval may be a point, which rounding moves away from the share.
        held = np.flatnonzero(holds(places) | np.isin(places, inside))
        first, last = int(held[0]), int(held[-1])
        low = _edge(holds, places[max(0, first - 1)], places[first])
        high = _edge(holds, places[min(len(places) - 1, last + 1)], places[last])
        return low, high

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


def _edge(holds: Callable[[Floats], NDArray[np.bool_]], outside: float, inside: float) -> float:
    """Where it begins to hold, between a place where it doesn't and one where it does."""
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        if holds(np.array([middle]))[0]:
            inside = middle
        else:
            outside = middle
    return float(inside)
