"""Which bits each candidate would set, kept as positions and never as a matrix."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Design:
    """The zeros and ones X of a regression: a column per candidate, a row per cohort and bit.

    Every candidate has the same number of ones in every cohort. An intercept per cohort (what
    the strings that are not candidates spread over the bits) is taken out of X by centring:
    x - hashes/bits; the methods speak of the centred columns.

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
        """The number of rows."""
        return self.cohorts * self.bits

    @property
    def density(self) -> float:
        """The share of ones in a column."""
        return float(self.rows.shape[1] / self.height)

    @property
    def hashes(self) -> int:
        """The ones of a candidate in each cohort."""
        return int(self.rows.shape[1]) // self.cohorts

    @property
    def coincidence(self) -> float:
        """The chance that a text has the same bits as another, in every cohort."""
        filters = self.bits if self.hashes == 1 else self.bits**2 / 2  # a start, and an odd stride
        return math.exp(-self.cohorts * math.log(filters))

    def part(self, support: Indices) -> "Design":
        """Some of the candidates."""
        return Design(self.rows[support], self.cohorts, self.bits)

    def scores(self, values: Floats) -> Floats:
        """X'v, for v that sums to 0 in every cohort."""
        from sudare.kernels.columns import gather_sums

        sums = np.empty(len(self))
        gather_sums(self.rows, values, sums)
        return sums

    def fitted(self, support: Indices, coefficients: Floats) -> Floats:
        """X b, for coefficients b on the support and 0 elsewhere."""
        from sudare.kernels.columns import scatter_sums

        sums = np.full(self.height, -self.density * coefficients.sum())
        scatter_sums(self.rows[support], coefficients, sums)
        return sums

    def gram(self, support: Indices, weights: Floats) -> Floats:
        """X'WX on the support, for a weight per row."""
        from sudare.kernels.columns import gather_sums, overlaps

        rows = self.rows[support]
        products, sums = np.zeros((len(rows), len(rows))), np.empty(len(rows))
        overlaps(rows, weights, products)
        gather_sums(rows, weights, sums)
        products -= self.density * (sums[:, np.newaxis] + sums)
        products += self.density**2 * weights.sum()
        return products
