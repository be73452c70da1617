"""A ledger: what a person has spent, in each collection and for life, and the cap they set.

Costs of one person add up, whatever was asked and whenever (basic composition). Sums are exact:
an ε is a float, a float is a fraction. Only what is shown to people is rounded, and then against
the claim: what is spent upwards, what is left downwards.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any, NamedTuple, Self

import msgspec

from sudare.domain import whole
from sudare.errors import BudgetExceeded, InvalidDocument, ParameterError
from sudare.exact import check_epsilon, float_up, text_up
from sudare.sealed import seal, unseal

_MOST = 1 << 53  # of anything counted here: beyond it, JSON's numbers aren't whole everywhere


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
        object.__setattr__(self, "delta", _check_delta(self.delta))
        object.__setattr__(self, "times", _check_count("times", self.times, 1))
        if self.window is not None:
            object.__setattr__(self, "window", _check_count("a window", self.window, 0))

    @property
    def price(self) -> tuple[float, float]:
        """ε and δ of one time."""
        return self.epsilon, self.delta

    @property
    def order(self) -> tuple[str, float, float, int]:
        """By collection and price; single reports before windows."""
        return self.key, *self.price, -1 if self.window is None else self.window


@dataclass(frozen=True)
class Ledger:
    """What a person has spent.

    A value: ``charge`` gives a new ledger. Equal spending is an equal ledger, in whatever order
    and portions it was spent.

    Attributes:
        cap: the ε that all charges together may come to; None for no limit.
        delta_cap: the same of δ.
        charges: what was paid, in one order, neighbouring windows in one line.
    """

    cap: float | None = None
    delta_cap: float | None = None
    charges: tuple[Charge, ...] = ()

    def __post_init__(self) -> None:
        if self.cap is not None:
            if not 0 <= self.cap < math.inf:
                raise ParameterError(f"a cap must be at least 0 and finite, got {self.cap}")
            object.__setattr__(self, "cap", float(self.cap))
        if self.delta_cap is not None:
            object.__setattr__(self, "delta_cap", _check_delta(self.delta_cap))

    def charge(
        self,
        key: str,
        epsilon: float,
        *,
        delta: float = 0.0,
        window: int | None = None,
        times: int = 1,
    ) -> Self:
        """The ledger after one more cost; raises ``BudgetExceeded`` where the cap forbids it.

        Args:
            key: the collection's.
            epsilon: the cost of one time.
            delta: the chance that it is more.
            window: the window that is paid for, or the first of ``times`` windows. Whoever has
                paid for a window doesn't pay again. Without one, each time is a report and costs.
            times: how often.
        """
        asked = Charge(key, epsilon, delta, window, times)
        due = list(self._unpaid(asked))
        if not due:
            return self
        self._afford(_total(due))
        return replace(self, charges=_tidy([*self.charges, *due]))

    def spent(self, key: str | None = None) -> Spent:
        """What one collection has cost, or all together."""
        return _total(charge for charge in self.charges if key in (None, charge.key))

    @property
    def left(self) -> Fraction | None:
        """How much ε may still be spent; None where there is no cap."""
        return _left(self.cap, self.spent().epsilon)

    @property
    def delta_left(self) -> Fraction | None:
        """The same of δ."""
        return _left(self.delta_cap, self.spent().delta)

    def rows(self) -> list[dict[str, Any]]:
        """A row per collection: single reports, windows, and what they cost, rounded up."""
        return [
            {
                "collection": key,
                "reports": sum(charge.times for charge in paid if charge.window is None),
                "windows": sum(charge.times for charge in paid if charge.window is not None),
                "epsilon": float_up(_total(paid).epsilon),
                "delta": float_up(_total(paid).delta),
            }
            for key, group in groupby(self.charges, lambda charge: charge.key)
            for paid in [list(group)]
        ]

    def _unpaid(self, asked: Charge) -> Iterator[Charge]:
        """The parts of a charge that weren't paid for before."""
        if asked.window is None:
            yield asked
            return
        start, end = asked.window, asked.window + asked.times
        for window, paid in _windows(paid for paid in self.charges if paid.key == asked.key):
            first, beyond = max(start, window), min(end, window + paid.times)
            if first >= beyond:
                continue
            if paid.price != asked.price:
                raise ParameterError(
                    f"window {first} was paid for with ε = {paid.epsilon}, δ = {paid.delta}; now "
                    f"it is said to cost ε = {asked.epsilon}, δ = {asked.delta}"
                )
            if start < first:
                yield replace(asked, window=start, times=first - start)
            start = beyond
        if start < end:
            yield replace(asked, window=start, times=end - start)

    def _afford(self, due: Spent) -> None:
        spent = self.spent()
        for name, cap, before, asked in (
            ("ε", self.cap, spent.epsilon, due.epsilon),
            ("δ", self.delta_cap, spent.delta, due.delta),
        ):
            if cap is not None and before + asked > Fraction(cap):
                left = max(Fraction(0), Fraction(cap) - before)
                raise BudgetExceeded(
                    f"{name} = {text_up(asked)} is asked for; {text_up(before)} of {cap} is spent, "
                    f"{_text_down(left)} is left (nothing was sent)"
                )

    def to_json(self) -> bytes:
        """A document that reads back to the same ledger, sealed by a digest."""
        return seal("ledger", self.body())

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The ledger of a document; one that was cut or changed is refused."""
        return cls.from_body(unseal(data, "ledger", LedgerBody, "a ledger"))

    def body(self) -> "LedgerBody":
        """The ledger as a part of a document."""
        lines = [
            _Line(charge.key, *charge.price, charge.window, charge.times) for charge in self.charges
        ]
        return LedgerBody(self.cap, self.delta_cap, lines)

    @classmethod
    def from_body(cls, body: "LedgerBody") -> Self:
        """The ledger of such a part, if it could have been written: tidy, no window paid twice.

        More may be spent than its cap, which may have been lowered since.
        """
        written = tuple(
            Charge(line.key, line.epsilon, line.delta, line.window, line.times)
            for line in body.charges
        )
        if _tidy(written) != written or any(
            one.key == other.key and window + one.times > start
            for (window, one), (start, other) in pairwise(_windows(written))
        ):
            raise InvalidDocument("the charges of a ledger stand in one order, none of them twice")
        return cls(body.cap, body.delta_cap, written)


def _tidy(charges: Iterable[Charge]) -> tuple[Charge, ...]:
    """In one order, each line joined to the one that it continues."""
    tidied: list[Charge] = []
    for charge in sorted(charges, key=lambda charge: charge.order):
        if tidied and _continues(tidied[-1], charge):
            last = tidied.pop()
            tidied.append(replace(last, times=last.times + charge.times))
        else:
            tidied.append(charge)
    return tuple(tidied)


def _windows(charges: Iterable[Charge]) -> list[tuple[int, Charge]]:
    """The charges for windows, by collection and first window."""
    paid = [(charge.window, charge) for charge in charges if charge.window is not None]
    return sorted(paid, key=lambda each: (each[1].key, each[0]))


def _continues(line: Charge, other: Charge) -> bool:
    """More reports at the same price, or the windows that follow."""
    if (line.key, line.price) != (other.key, other.price):
        return False
    return other.window == (None if line.window is None else line.window + line.times)


def _total(charges: Iterable[Charge]) -> Spent:
    times = Counter[tuple[float, float]]()  # few prices, many charges: fractions are slow
    for charge in charges:
        times[charge.price] += charge.times
    epsilon = sum((paid * Fraction(each) for (each, _), paid in times.items()), Fraction(0))
    delta = sum((paid * Fraction(each) for (_, each), paid in times.items()), Fraction(0))
    return Spent(epsilon, delta)


def _left(cap: float | None, spent: Fraction) -> Fraction | None:
    return None if cap is None else max(Fraction(0), Fraction(cap) - spent)


def _text_down(exact: Fraction) -> str:
    """What is left, in a few digits, never more than it is."""
    return text_up(-exact).removeprefix("-")


def _check_delta(delta: float) -> float:
    if not 0 <= delta < 1:
        raise ParameterError(f"delta must be at least 0 and below 1, got {delta}")
    return float(delta)


def _check_count(name: str, value: int, least: int) -> int:
    count = whole(name, value)
    if not least <= count <= _MOST:
        raise ParameterError(f"{name} must be between {least} and 2^53, got {count}")
    return count


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    epsilon: float
    delta: float
    window: int | None
    times: int


class LedgerBody(msgspec.Struct, forbid_unknown_fields=True):
    """A ledger as it is written."""

    cap: float | None
    delta_cap: float | None
    charges: list[_Line]
