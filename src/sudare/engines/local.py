"""Aggregation on one machine: a sum over chunks."""

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.mechanisms.aggregate import Aggregate


class Aggregator(Protocol):
    """A mechanism or a collection: whatever knows how to count its reports."""

    @property
    def zero(self) -> Aggregate:
        """The aggregate of no reports: neutral under ``+``."""

    def aggregate(self, reports: NDArray[np.void]) -> Aggregate:
        """Check and count reports."""


def aggregate(source: Aggregator, chunks: Iterable[NDArray[np.void]]) -> Aggregate:
    """The aggregate of all reports, chunk by chunk, in the memory of one chunk."""
    return sum((source.aggregate(chunk) for chunk in chunks), source.zero)
