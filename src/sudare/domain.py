"""What a person may answer.

A domain checks answers on the device, before anything is randomised or sent. Its errors
say where an answer stands, never what it says.
"""

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.errors import InvalidAnswer, ParameterError


def whole(name: str, value: SupportsIndex) -> int:
    """A whole number as Python's own, of no width; refuses anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise ParameterError(f"{name} must be a whole number, got {value!r}") from None


class Domain(Protocol):
    """A set of values that a mechanism can randomise."""

    @property
    def size(self) -> int:
        """How many answers a collection names for it."""
        ...

    def check(self, values: ArrayLike) -> NDArray[Any]:
        """The values as an array a mechanism can trust; raises ``InvalidAnswer``."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """Every value, for the exact enumeration of small mechanisms."""
        ...


@dataclass(frozen=True)
class Categories:
    """One answer of ``k``, numbered ``0 .. k - 1``."""

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))
        if not 2 <= self.k <= 2**32:
            raise ParameterError(f"k must be between 2 and 2^32, got {self.k}")

    @property
    def size(self) -> int:
        """Each of the ``k`` answers has a name."""
        return self.k

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.k))

    def check(self, values: ArrayLike) -> NDArray[np.integer[Any]]:
        """The values as a one-dimensional array of integers, all in ``0 .. k - 1``."""
        array = np.atleast_1d(np.asarray(values))
        if array.ndim != 1:
            raise InvalidAnswer(f"answers must be a flat list, got {array.ndim} dimensions")
        if array.size == 0:
            return np.empty(0, np.int64)
        if array.dtype.kind not in "iu":
            # Not the dtype itself: of texts it tells the longest one's length.
            raise InvalidAnswer(f"answers must be whole numbers, got kind {array.dtype.kind!r}")
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))  # as kernels want it
        # Seen as unsigned, a negative answer is a huge one: one pass finds both ends.
        unsigned = array.view(array.dtype.str.replace("i", "u"))
        if unsigned.max() >= self.k:
            where = int(np.argmax(unsigned >= self.k))
            raise InvalidAnswer(
                f"the answer at position {where} is not one of 0 to {self.k - 1} "
                f"(nothing was randomised)"
            )
        return array

    def population(self, counts: ArrayLike) -> NDArray[np.int64]:
        """How many people hold each answer: ``k`` whole numbers, none negative."""
        array = np.asarray(counts)
        if array.shape != (self.k,) or array.dtype.kind not in "iu" or array.min() < 0:
            raise ParameterError(f"a population of {self.k} answers is {self.k} counts of people")
        return array.astype(np.int64)
