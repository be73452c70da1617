"""Which bits each candidate would set, as positions and never as a matrix.

Of few candidates the positions are kept; of many, where they would take gigabytes, they are
computed from the digests whenever they are needed, which takes about as long as reading them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Floats
from sudare.mechanisms.bloom import design_rows
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.strings import Digests

Indices = NDArray[np.intp]
Positions = NDArray[np.unsignedinteger[Any]]

_KEPT = 1 << 26  # positions that are kept (256 MiB); of more, each pass computes them anew
_AT_ONCE = 1 << 16  # positions that a pass computes at a time: they stay in the cache


@dataclass(frozen=True, eq=False)
class HashedRows:
    """The positions of candidates' ones, computed from the digests whenever they are asked for.

    It is indexed as the array of these positions is, by a slice or by numbers of candidates.

    Attributes:
        digests: one per candidate.
        cohorts: the number of cohorts.
        hashes: how many ones a candidate has in each cohort.
        bits: the number of bits of a filter.
    """

    digests: Digests
    cohorts: int
    hashes: int
    bits: int

    def __len__(self) -> int:
        return len(self.digests)

    @property
    def shape(self) -> tuple[int, int]:
        """That of the array of positions: a line per candidate."""
        return len(self), self.cohorts * self.hashes

    def __getitem__(self, which: slice | Indices) -> Positions:
        return design_rows(self.digests[which], self.cohorts, self.hashes, self.bits)

    def part(self, support: Indices) -> "Rows":
        """The positions of some of the candidates."""
        some = HashedRows(self.digests[support], self.cohorts, self.hashes, self.bits)
        return some.kept()

    def kept(self) -> "Rows":
        """These positions, computed and held in memory if they are few."""
        return self[:] if math.prod(self.shape) <= _KEPT else self


Rows = Positions | HashedRows


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

    rows: Rows
    cohorts: int
    bits: int

    @classmethod
    def of_texts(cls, digests: Digests, mechanism: Rappor) -> "Design":
        """The design of texts that a mechanism hashes."""
        rows = HashedRows(digests, mechanism.cohorts, mechanism.hashes, mechanism.bits)
        return cls(rows.kept(), mechanism.cohorts, mechanism.bits)

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
        rows = self.rows
        part = rows.part(support) if isinstance(rows, HashedRows) else rows[support]
        return Design(part, self.cohorts, self.bits)

    def scores(self, values: Floats) -> Floats:
        """Every candidate's score X'v, for v that sums to 0 in every cohort and class."""
        from sudare.kernels.columns import gather_sums

        sums = np.empty(len(self))
        for some in self._blocks(len(self)):
            gather_sums(self.rows[some], values, sums[some])
        return sums

    def fitted(self, support: Indices, coefficients: Floats) -> Floats:
        """The fitted rows X b, for coefficients b on the support and 0 elsewhere."""
        from sudare.kernels.columns import scatter_sums

        sums = np.full(self.height, -self.density * coefficients.sum())
        for some in self._blocks(len(support)):
            scatter_sums(self.rows[support[some]], coefficients[some], sums)
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

    def _blocks(self, candidates: int) -> Iterator[slice]:
        """So many candidates, as many at a time as are computed at once."""
        step = max(_AT_ONCE // self.rows.shape[1], 1)
        return (slice(start, start + step) for start in range(0, candidates, step))
