"""Numbers in sentences: whole ones taken as Python's own, any as it was given, things counted."""

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


def counted(number: int, one: str, many: str | None = None) -> str:
    """So many of something: 1 report, 2,000 reports; 1 person, 2 people."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def there_are(number: int, one: str, many: str | None = None) -> str:
    """That there are so many of something: there is 1 report, there are 2 reports."""
    return f"there {'is' if number == 1 else 'are'} {counted(number, one, many)}"
