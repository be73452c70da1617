"""Windows of time: a collection that is asked again and again counts each window by itself."""

import math
from dataclasses import dataclass

import msgspec

from sudare.domain import whole
from sudare.errors import ParameterError

_MOST = 1 << 53  # seconds, or windows: beyond it, JSON's numbers aren't whole everywhere


@dataclass(frozen=True)
class Windows:
    """Equal stretches of time, one after the other, numbered from 0.

    Attributes:
        start: when window 0 opens, in seconds since 1970-01-01 UTC.
        seconds: how long each is open.
    """

    start: int
    seconds: int

    def __post_init__(self) -> None:
        for name, least in (("start", 0), ("seconds", 1)):
            value = whole(f"a window's {name}", getattr(self, name))
            if not least <= value <= _MOST:
                raise ParameterError(
                    f"a window's {name} must be between {least} and 2^53, got {value}"
                )
            object.__setattr__(self, name, value)

    def at(self, moment: float) -> int:
        """The window of a moment; negative before the first."""
        return math.floor((moment - self.start) / self.seconds)

    def opens(self, window: int) -> int:
        """When a window begins."""
        return self.start + window * self.seconds

    def check_rounds(self, rounds: int) -> None:
        """Raise unless a window holds so many rounds of a whole number of seconds each."""
        if self.seconds % rounds:
            raise ParameterError(
                f"a window of {rounds} rounds lasts a whole number of seconds for each, got "
                f"{self.seconds} seconds"
            )

    def round_at(self, moment: float, rounds: int) -> int:
        """The round of a moment, counted from 1 over all windows of so many rounds each."""
        return math.floor((moment - self.start) * rounds / self.seconds) + 1


class WindowsBody(msgspec.Struct, forbid_unknown_fields=True):
    """Windows as a collection's document states them."""

    start: int
    seconds: int

    def value(self) -> Windows:
        """The windows, if they may be."""
        return Windows(self.start, self.seconds)
