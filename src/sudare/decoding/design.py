"""Which bits each candidate would set, kept as positions and never as a matrix."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Design:
    """The zeros and ones X of a regression: a column per candidate, a row per cohort and bit.

    A candidate's ones in a cohort are an arithmetic progression with an odd stride. So of the
    ``classes`` of bits, by their position modulo the largest power of two in ``hashes``, it has
    equally many in each, whoever it is. What a class has in the mean says nothing about
    candidates: an intercept per cohort and class (what texts that are not candidates spread over
    the bits, and noise) is taken out of X by centring: x - hashes/bits. The methods speak of the
    centred columns.

    Attributes:
        rows: a line per candidate: cohort · bits + position of each of its ones.
        cohorts: the number of cohorts.
        bits: the number of bits of a filter.
    """

    rows: NDArray[np.unsignedinteger[Any]]
    cohorts: int
    bits: int

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def height(self) -> int:
        """The number of rows of X: one per cohort and bit."""
        return self.cohorts * self.bits

    @property
    def density(self) -> float:
        """The share of ones in a column of X."""
        return float(self.rows.shape[1] / self.height)

    @property
    def hashes(self) -> int:
        """How many ones a candidate has in each cohort."""
        return int(self.rows.shape[1]) // self.cohorts

    @property
    def classes(self) -> int:
        """Into how many classes the bits of a cohort fall, of which every candidate has as many."""
        return math.gcd(self.hashes, self.bits)

    @property
    def freedom(self) -> int:
        """The number of rows less that of intercepts: how much can be known of candidates."""
        return self.height - self.cohorts * self.classes

    def coincidence(self, cohorts: int) -> float:
        """The chance that a text has the same bits as another in each of so many cohorts.

        A progression and its reverse are the same bits; so are those left out by all but one.
        """
        different = min(self.hashes, self.bits - self.hashes)
        filters = (1, self.bits, self.bits**2 / 4)[min(different, 2)]
        return math.exp(-cohorts * math.log(filters))

    def centred(self, values: Floats) -> tuple[Floats, Floats]:
        """Values, one per row, less the mean of their cohort and class, and these means."""
        table = values.reshape(self.cohorts, -1, self.classes)
        mean = np.broadcast_to(table.mean(axis=1, keepdims=True), table.shape)
        return (table - mean).ravel(), mean.ravel()

    def part(self, support: Indices) -> "Design":
        """The design of some of the candidates."""
        return Design(self.rows[support], self.cohorts, self.bits)

    def scores(self, values: Floats) -> Floats:
        """Every candidate's score X'v, for v that sums to 0 in every cohort and class."""
        from sudare.kernels.columns import gather_sums

        sums = np.empty(len(self))
        gather_sums(self.rows, values, sums)
        return sums

    def fitted(self, support: Indices, coefficients: Floats) -> Floats:
        """The fitted rows X b, for coefficients b on the support and 0 elsewhere."""
        from sudare.kernels.columns import scatter_sums

        sums = np.full(self.height, -self.density * coefficients.sum())
        scatter_sums(self.rows[support], coefficients, sums)
        return sums

    def gram(self, support: Indices, weights: Floats) -> Floats:
        """The Gram matrix X'WX of the support, for a weight per row."""
        from sudare.kernels.columns import gather_sums, overlaps

        rows = self.rows[support]
        products, sums = np.zeros((len(rows), len(rows))), np.empty(len(rows))
        overlaps(rows, weights, products)
        gather_sums(rows, weights, sums)
        products -= self.density * (sums[:, np.newaxis] + sums)
        products += self.density**2 * weights.sum()
        return products
