"""Axes: where a value stands, in percent of the axis, and which values deserve a tick."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError

Floats = NDArray[np.float64]

ROOM = 0.03  # beyond the outermost values, as a part of the axis


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high``, linear or logarithmic."""

    low: float
    high: float
    log: bool = False

    @classmethod
    def over(cls, *values: Floats, log: bool = False) -> Self:
        """The axis that shows every value it can, with a little room at both ends."""
        everything = np.concatenate(values)
        shown = everything[_drawable(everything, log=log)]
        if not shown.size:
            kind = "finite and above 0" if log else "finite"
            raise ParameterError(f"there is nothing to draw: none of the values is {kind}")
        ends = np.array([shown.min(), shown.max()])
        low, high = np.log10(ends) if log else ends
        room = ROOM * (high - low) or abs(low) / 2 or 0.5
        low, high = float(low - room), float(high + room)
        return cls(10.0**low, 10.0**high, log) if log else cls(low, high)

    def drawable(self, values: Floats) -> NDArray[np.bool_]:
        """Which of some values have a place on the axis."""
        return _drawable(values, log=self.log)

    def place(self, values: Floats) -> Floats:
        """The place of a value, in percent of the axis; what lies outside stands at the end."""
        inside = np.clip(values, self.low, self.high)
        if self.log:
            part = np.log(inside / self.low) / math.log(self.high / self.low)
        else:
            part = (inside - self.low) / (self.high - self.low)
        return 100 * part

    def ticks(self, most: int) -> Floats:
        """At least two and at most so many (6 or more) round numbers along the axis."""
        if self.log:
            for digits in ((1,), (1, 2, 5)):
                ticks = self._powers(digits)
                if ticks.size >= 3:
                    return ticks[:: math.ceil(ticks.size / most)]
        step = self._step(most)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return step * np.arange(first, last + 1, dtype=np.float64)

    def _step(self, most: int) -> float:
        rough = (self.high - self.low) / (most - 1)
        power = 10.0 ** math.floor(math.log10(rough))
        return power * next(digit for digit in (1, 2, 5, 10) if digit * power >= rough)

    def _powers(self, digits: tuple[int, ...]) -> Floats:
        first, last = math.floor(math.log10(self.low)), math.floor(math.log10(self.high))
        values = np.array([digit * 10.0**n for n in range(first, last + 1) for digit in digits])
        return values[(self.low <= values) & (values <= self.high)]


def _drawable(values: Floats, *, log: bool) -> NDArray[np.bool_]:
    return np.isfinite(values) & ((values > 0) if log else True)
