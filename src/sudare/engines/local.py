"""Aggregation on one machine: a sum over chunks."""

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.aggregate import Aggregate


class Aggregator(Protocol):
    """A mechanism or a collection: whatever knows how to count its reports."""

    @property
    def zero(self) -> Aggregate:
        """The aggregate of nobody."""
        ...

    def aggregate(self, reports: NDArray[np.void]) -> Aggregate:
        """Check and count reports."""
        ...


def aggregate(source: Aggregator, chunks: Iterable[NDArray[np.void]]) -> Aggregate:
    """The aggregate of all chunks, in the memory of one."""
    return sum((source.aggregate(chunk) for chunk in chunks), source.zero)
