"""Numbers: taken as Python's own, and in sentences as they were given, or as things counted."""

import math
import operator
from typing import SupportsFloat, SupportsIndex

from sudare.errors import ParameterError


def whole(name: str, value: SupportsIndex) -> int:
    """A whole number as Python's own, of no width; refuses anything else."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise ParameterError(f"{name} must be a whole number, got {value!r}")


def real(name: str, value: object) -> float:
    """A number as a float of full width, infinite if none is as large; refuses anything else."""
    try:
        if isinstance(value, SupportsFloat) and not isinstance(value, bool):
            return float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        pass
    raise ParameterError(f"{name} must be a number, got {value!r}")


def yes_or_no(name: str, value: object) -> bool:
    """A wish that is true or false; refuses anything else."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be true or false, got {value!r}")
    return value


def as_given(number: float) -> str:
    """A number that somebody chose, such as an ε, to its last digit: 4, 0.1, 1e-06."""
    return repr(float(number)).removesuffix(".0")


def counted(number: int, one: str, many: str | None = None) -> str:
    """So many of something: 1 report, 2,000 reports; 1 person, 2 people."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def there_are(number: int, one: str, many: str | None = None) -> str:
    """That there are so many of something: there is 1 report, there are 2 reports."""
    return f"there {'is' if number == 1 else 'are'} {counted(number, one, many)}"
