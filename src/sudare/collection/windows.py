"""Windows of time: a collection that is asked again and again counts each window by itself."""

import math
import re
from dataclasses import dataclass

import msgspec

from sudare.errors import ParameterError
from sudare.formats.numbers import counted, whole

_MOST = 1 << 53  # seconds, or windows: beyond it, JSON's numbers aren't whole everywhere
_UNITS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}


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
        """When a window of this number begins, in seconds since 1970."""
        return self.start + window * self.seconds

    def check_rounds(self, rounds: int) -> None:
        """Raise unless a window holds so many rounds of a whole number of seconds each."""
        if self.seconds % rounds:
            raise ParameterError(
                f"a window of {counted(rounds, 'round')} lasts a whole number of seconds for "
                f"each, got "
                f"{counted(self.seconds, 'second')}"
            )

    def round_at(self, moment: float, rounds: int) -> int:
        """The round of a moment, counted from 1 over all windows of so many rounds each."""
        return math.floor((moment - self.start) * rounds / self.seconds) + 1


class WindowsBody(msgspec.Struct, forbid_unknown_fields=True):
    """Windows as a collection's document states them."""

    start: int
    seconds: int

    def value(self) -> Windows:
        """The windows that the document states, if they are allowed."""
        return Windows(self.start, self.seconds)


def seconds_of(text: str) -> int:
    """The seconds of a length of time written as 90s, 15m, 1h or 1d."""
    form = re.fullmatch(r"([1-9][0-9]{0,8})([dhms])", text, re.ASCII)
    if form is None:
        raise ParameterError(
            f"a length of time is a whole number of s, m, h or d, such as 15m or 1d; got {text!r}"
        )
    return int(form[1]) * _UNITS[form[2]]


def length_text(seconds: int) -> str:
    """A length of time written in its largest whole unit: 90s, 15m, 1h or 1d."""
    unit = next(unit for unit, size in _UNITS.items() if seconds % size == 0)
    return f"{seconds // _UNITS[unit]}{unit}"


def current_start(moment: float, seconds: int) -> int:
    """When the window of a moment began, if windows of this length begin with the day, in UTC."""
    day = math.floor(moment / _UNITS["d"]) * _UNITS["d"]
    return day + math.floor((moment - day) / seconds) * seconds
