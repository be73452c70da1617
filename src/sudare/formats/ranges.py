"""Ranges of numbers in equal steps: their ends are decimals, and nothing is rounded."""

import re
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sudare.errors import ParameterError

NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""A number as people and programs write it; neither a comma nor NaN is in it."""
_PLAIN = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)
_FINEST = 10**15
_DIGITS = 15  # of an end in the smallest decimal place of the range: each is a float, exactly
_LONGEST = 60  # characters and powers of ten of a number that is read digit by digit
_NUMBER = re.compile(NUMBER)


@dataclass(frozen=True)
class Range:
    """The numbers ``low``, ``low + step``, … ``high``.

    Attributes:
        low: the least.
        high: the largest.
        steps: how many steps lead from one to the other.
    """

    low: Fraction
    high: Fraction
    steps: int

    def __post_init__(self) -> None:
        if self.low >= self.high:
            raise ParameterError(
                f"a range goes up: it can't begin at {_text(self.low)} and end at "
                f"{_text(self.high)}"
            )
        if self.steps < 1:
            raise ParameterError(f"a range has at least 1 step, got {self.steps}")
        if not _is_decimal(self.step):
            raise ParameterError(
                f"{self.steps} steps from {_text(self.low)} to {_text(self.high)} are of "
                f"{self.step} each, which is no decimal"
            )
        if max(abs(self.low), abs(self.high)) * 10**self.decimals >= 10**_DIGITS:
            raise ParameterError(
                f"from {_text(self.low)} to {_text(self.high)} in steps of {_text(self.step)} "
                f"takes numbers of more than {_DIGITS} digits"
            )

    @classmethod
    def between(cls, ends: tuple[str, ...], steps: int) -> "Range":
        """The range between two ends, each a decimal in text."""
        low, high = (decimal(end) for end in ends)
        return cls(low, high, steps)

    @classmethod
    def in_steps_of(cls, low: str, high: str, step: str) -> "Range":
        """The range between two ends whose step is given; refused unless it divides the range."""
        least, most, each = (decimal(text) for text in (low, high, step))
        if each <= 0:
            raise ParameterError(f"a step is above 0, got {step}")
        if least >= most:
            return cls(least, most, 1)  # which is refused
        steps = (most - least) / each
        if steps.denominator > 1:
            below = least + int(steps) * each
            nearest = [_text(end) for end in (below, below + each) if end > least]
            raise ParameterError(
                f"steps of {step} don't lead from {low} to {high}, but to {' or '.join(nearest)}"
            )
        return cls(least, most, int(steps))

    @property
    def step(self) -> Fraction:
        """The distance of a number to the next."""
        return (self.high - self.low) / self.steps

    @cached_property
    def decimals(self) -> int:
        """How many decimal places the numbers have."""
        return max(_places(number) for number in (self.low, self.high, self.step))

    def __str__(self) -> str:
        return f"{_text(self.low)} to {_text(self.high)}"


def decimal(text: str) -> Fraction:
    """A plain decimal, such as 18 or -1.5, as an exact number."""
    if not _PLAIN.fullmatch(text):
        raise ParameterError(
            f"an end or a step of a range is a decimal such as 18 or -1.5, of at most {_DIGITS} "
            f"digits on either side of its point, got {text!r}"
        )
    return Fraction(text)


def exact(text: str) -> Fraction | None:
    """A number as people write it, exactly; of very long ones, what a float makes of it.

    None if it is no number. A text of a few characters may stand for a number of a billion digits.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    if len(text) > _LONGEST or abs(int((found[2] or "e0")[1:])) > _LONGEST:
        largest = sys.float_info.max
        return Fraction(min(largest, max(-largest, float(text))))
    return Fraction(text)


def _is_decimal(number: Fraction) -> bool:
    return _FINEST % number.denominator == 0


def _places(number: Fraction) -> int:
    return next(places for places in range(_DIGITS + 1) if 10**places % number.denominator == 0)


def _text(number: Fraction) -> str:
    places = _places(number)
    digits = f"{abs(number.numerator) * 10**places // number.denominator:0{places + 1}d}"
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return "-" * (number < 0) + whole + f".{part}" * bool(places)
