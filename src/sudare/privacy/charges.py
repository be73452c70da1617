"""What a ledger is made of: single costs, and their exact sum."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from sudare.domain import whole
from sudare.errors import ParameterError
from sudare.exact import check_epsilon, text_up

_MOST = 1 << 53  # of anything counted here: beyond it, JSON's numbers aren't whole everywhere
MOST_WINDOW = _MOST - 1  # counted from 0: so many windows are _MOST


class Spent(NamedTuple):
    """A sum of costs, exactly."""

    epsilon: Fraction
    delta: Fraction

    def __str__(self) -> str:
        text = f"ε = {text_up(self.epsilon)}"
        return f"{text}, δ = {text_up(self.delta)}" if self.delta else text


@dataclass(frozen=True)
class Charge:
    """One price, paid so many times to one collection.

    Attributes:
        key: the collection's.
        epsilon: what is paid each time.
        delta: and with which chance of paying more.
        window: the first of ``times`` windows that follow one another, each paid for once; None
            for single reports.
        times: how often.
    """

    key: str
    epsilon: float
    delta: float
    window: int | None
    times: int

    def __post_init__(self) -> None:
        if not isinstance(self.key, str) or not self.key:
            raise ParameterError("a charge names its collection's key")
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "delta", check_delta(self.delta))
        object.__setattr__(self, "times", _check_count("times", self.times, 1))
        if self.window is not None:
            window = _check_count("a window", self.window, 0, MOST_WINDOW)
            if window + self.times > _MOST:
                raise ParameterError(
                    f"windows are numbered 0 to 2^53 - 1, got {self.times} from {window} on"
                )
            object.__setattr__(self, "window", window)

    @property
    def price(self) -> tuple[float, float]:
        """ε and δ of one time."""
        return self.epsilon, self.delta

    @property
    def order(self) -> tuple[str, float, float, int]:
        """By collection and price; single reports before windows."""
        return self.key, *self.price, -1 if self.window is None else self.window


@dataclass(frozen=True)
class Kept:
    """Reports of one answer whose noise is kept, so that together they cost less than each.

    Attributes:
        key: the collection's.
        answer: what stands for the answer: never the answer itself.
        reports: how many there were.
        epsilon: what they cost, all together.
    """

    key: str
    answer: str
    reports: int
    epsilon: float

    def __post_init__(self) -> None:
        if not isinstance(self.key, str) or not self.key or not self.answer:
            raise ParameterError("a kept answer names its collection's key, and what stands for it")
        object.__setattr__(self, "reports", _check_count("reports", self.reports, 1))
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

    @property
    def order(self) -> tuple[str, str]:
        """By collection and answer."""
        return self.key, self.answer


def tidy(charges: Iterable[Charge]) -> tuple[Charge, ...]:
    """In one order, each line joined to the one that it continues."""
    tidied: list[Charge] = []
    for charge in sorted(charges, key=lambda charge: charge.order):
        if tidied and _continues(tidied[-1], charge):
            last = tidied.pop()
            tidied.append(replace(last, times=last.times + charge.times))
        else:
            tidied.append(charge)
    return tuple(tidied)


def windows(charges: Iterable[Charge]) -> list[tuple[int, Charge]]:
    """The charges for windows, by collection and first window."""
    paid = [(charge.window, charge) for charge in charges if charge.window is not None]
    return sorted(paid, key=lambda each: (each[1].key, each[0]))


def _continues(line: Charge, other: Charge) -> bool:
    """More reports at the same price, or the windows that follow."""
    if (line.key, line.price) != (other.key, other.price):
        return False
    return other.window == (None if line.window is None else line.window + line.times)


def total(charges: Iterable[Charge], kept: Iterable[Kept] = ()) -> Spent:
    """What they come to, exactly."""
    times = Counter[tuple[float, float]]()  # few prices, many charges: fractions are slow
    for charge in charges:
        times[charge.price] += charge.times
    epsilon = sum((paid * Fraction(each) for (each, _), paid in times.items()), Fraction(0))
    epsilon += sum((Fraction(answer.epsilon) for answer in kept), Fraction(0))
    delta = sum((paid * Fraction(each) for (_, each), paid in times.items()), Fraction(0))
    return Spent(epsilon, delta)


def check_delta(delta: float) -> float:
    """A chance of paying more, if it is one."""
    if not 0 <= delta < 1:
        raise ParameterError(f"delta must be at least 0 and below 1, got {delta}")
    return float(delta)


def _check_count(name: str, value: int, least: int, most: int = _MOST) -> int:
    count = whole(name, value)
    if not least <= count <= most:
        shown = "2^53" if most == _MOST else "2^53 - 1"
        raise ParameterError(f"{name} must be between {least} and {shown}, got {count}")
    return count
