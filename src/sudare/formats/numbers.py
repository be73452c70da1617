"""Whole numbers as arguments: taken as Python's own, or refused."""

import operator
from typing import SupportsIndex

from sudare.errors import ParameterError


def whole(name: str, value: SupportsIndex) -> int:
    """A whole number as Python's own, of no width; refuses anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise ParameterError(f"{name} must be a whole number, got {value!r}") from None
