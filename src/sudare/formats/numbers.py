"""Numbers as arguments: whole ones taken as Python's own, and any repeated as it was given."""

import operator
from typing import SupportsIndex

from sudare.errors import ParameterError


def whole(name: str, value: SupportsIndex) -> int:
    """A whole number as Python's own, of no width; refuses anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise ParameterError(f"{name} must be a whole number, got {value!r}") from None


def as_given(number: float) -> str:
    """A number that somebody chose, such as an ε, to its last digit: 4, 0.1, 1e-06."""
    return repr(float(number)).removesuffix(".0")
