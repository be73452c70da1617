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
from itertools import pairwise
from typing import Any, NamedTuple, Self

import msgspec
from msgspec.structs import force_setattr

from sudare.chance.exact import check_epsilon, float_up, text_down, text_up
from sudare.errors import BudgetExceeded, InvalidDocument, ParameterError
from sudare.formats.numbers import whole
from sudare.formats.seals import seal, unseal

_MOST = 1 << 53  # of anything counted here: beyond it, JSON's numbers aren't whole everywhere
MOST_WINDOW = _MOST - 1  # counted from 0: so many windows are _MOST


class Spent(NamedTuple):
    """The ε and δ that costs come to together, exactly."""

    epsilon: Fraction
    delta: Fraction

    def __str__(self) -> str:
        text = f"ε = {text_up(self.epsilon)}"
        return f"{text}, δ = {text_up(self.delta)}" if self.delta else text


class Charge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One price, paid so many times to one collection.

    Attributes:
        key: the collection's.
        epsilon: what is paid each time.
        delta: the chance, each time, of paying more.
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
        force_setattr(self, "epsilon", check_epsilon(self.epsilon))
        force_setattr(self, "delta", _check_delta(self.delta))
        force_setattr(self, "times", _check_count("times", self.times, 1))
        if self.window is not None:
            window = _check_count("a window", self.window, 0, MOST_WINDOW)
            if window + self.times > _MOST:
                raise ParameterError(
                    f"windows are numbered 0 to 2^53 - 1, got {self.times} from {window} on"
                )
            force_setattr(self, "window", window)

    @property
    def price(self) -> tuple[float, float]:
        """The ε and the δ that are paid each time."""
        return self.epsilon, self.delta

    @property
    def order(self) -> tuple[str, float, float, int]:
        """The place of a charge in a ledger: by collection and price, windows last."""
        return self.key, *self.price, -1 if self.window is None else self.window


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
        force_setattr(self, "reports", _check_count("reports", self.reports, 1))
        force_setattr(self, "epsilon", check_epsilon(self.epsilon))

    @property
    def order(self) -> tuple[str, str]:
        """The place of a kept answer in a ledger: by collection and answer."""
        return self.key, self.answer


@dataclass(frozen=True)
class Ledger:
    """A person's spending, in each collection and for life, and the caps on it.

    A value: ``charge`` gives a new ledger. Equal spending is an equal ledger, in whatever order
    and portions it was spent.

    Attributes:
        cap: the ε that all charges together may come to; None for no limit.
        delta_cap: the δ that all charges together may come to; None for no limit.
        charges: what was paid, in one order, neighbouring windows in one line.
        kept: what was paid for answers whose noise is kept, in one order, a line for each.
        collection_cap: the ε that the charges of any one collection may come to.
    """

    cap: float | None = None
    delta_cap: float | None = None
    charges: tuple[Charge, ...] = ()
    kept: tuple[Kept, ...] = ()
    collection_cap: float | None = None

    def __post_init__(self) -> None:
        for name in ("cap", "collection_cap"):
            cap = getattr(self, name)
            if cap is None:
                continue
            if not 0 <= cap < math.inf:
                raise ParameterError(f"a cap must be at least 0 and finite, got {cap}")
            object.__setattr__(self, name, float(cap))
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
        """The ledger after one more cost; raises ``BudgetExceeded`` where a cap forbids it.

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
        if self._capped:  # exact sums are slow
            self.afford(key, _total(due))
        return replace(self, charges=_tidy([*self.charges, *due]))

    def keep(self, key: str, answer: str, reports: int, epsilon: float) -> Self:
        """The ledger after so many reports of one answer whose noise is kept.

        Only what they cost more than was paid for that answer before is new. Whoever has paid for
        so many doesn't pay again.

        Args:
            key: the collection's.
            answer: what stands for the answer: the same for the same answer, and not the answer.
            reports: how many there are of it, with those before.
            epsilon: what they cost, all together.
        """
        asked = Kept(key, answer, reports, epsilon)
        before = self._kept(key, answer)
        if before is not None and before.reports >= asked.reports:
            return self
        paid = 0.0 if before is None else before.epsilon
        if asked.epsilon < paid:
            raise ParameterError(
                f"{asked.reports} reports are said to cost ε = {asked.epsilon}, less than the "
                f"{paid} that was paid for fewer"
            )
        if self._capped:
            self.afford(key, Spent(Fraction(asked.epsilon) - Fraction(paid), Fraction(0)))
        others = [kept for kept in self.kept if kept is not before]
        return replace(self, kept=tuple(sorted([*others, asked], key=lambda kept: kept.order)))

    def reports_of(self, key: str, answer: str) -> int:
        """How many reports of one kept answer were paid for."""
        before = self._kept(key, answer)
        return 0 if before is None else before.reports

    def _kept(self, key: str, answer: str) -> Kept | None:
        return next((kept for kept in self.kept if kept.order == (key, answer)), None)

    def spent(self, key: str | None = None) -> Spent:
        """The ε and δ that one collection has cost, or all together."""
        return _total(
            (charge for charge in self.charges if key in (None, charge.key)),
            (kept for kept in self.kept if key in (None, kept.key)),
        )

    @property
    def left(self) -> Fraction | None:
        """How much ε may still be spent; None where there is no cap."""
        return _left(self.cap, self.spent().epsilon)

    @property
    def delta_left(self) -> Fraction | None:
        """How much δ may still be spent; None where there is no cap on δ."""
        return _left(self.delta_cap, self.spent().delta)

    @property
    def keys(self) -> list[str]:
        """The keys of the collections that something was paid to."""
        paid = {charge.key for charge in self.charges}
        return sorted(paid.union(answer.key for answer in self.kept))

    def rows(self) -> list[dict[str, Any]]:
        """The spending, a row per collection: reports, windows, and their cost, rounded up."""
        rows = []
        for key in self.keys:
            paid = [charge for charge in self.charges if charge.key == key]
            kept = [answer for answer in self.kept if answer.key == key]
            single = sum(charge.times for charge in paid if charge.window is None)
            cost = _total(paid, kept)
            rows.append(
                {
                    "collection": key,
                    "reports": single + sum(answer.reports for answer in kept),
                    "windows": sum(charge.times for charge in paid if charge.window is not None),
                    "epsilon": float_up(cost.epsilon),
                    "delta": float_up(cost.delta),
                }
            )
        return rows

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
                yield msgspec.structs.replace(asked, window=start, times=first - start)
            start = beyond
        if start < end:
            yield msgspec.structs.replace(asked, window=start, times=end - start)

    @property
    def _capped(self) -> bool:
        return not self.cap is self.collection_cap is self.delta_cap is None

    def afford(self, key: str, due: Spent) -> None:
        """Raise ``BudgetExceeded`` unless the caps leave room for a cost of a collection."""
        for name, cap, part, key_of, where in (
            ("ε", self.cap, "epsilon", None, ""),
            ("ε", self.collection_cap, "epsilon", key, " on this collection"),
            ("δ", self.delta_cap, "delta", None, ""),
        ):
            if cap is None:
                continue
            asked, before = getattr(due, part), getattr(self.spent(key_of), part)
            if before + asked > Fraction(cap):
                left = max(Fraction(0), Fraction(cap) - before)
                raise BudgetExceeded(
                    f"{name} = {text_up(asked)} is asked for; {text_up(before)} of {cap} is spent"
                    f"{where}, {text_down(left)} is left (nothing was sent)"
                )

    def admit(self, epsilon: float) -> None:
        """Raise ``BudgetExceeded`` if the caps would forbid so much even to a new ledger."""
        unspent = replace(self, charges=(), kept=())
        unspent.afford("", Spent(Fraction(epsilon), Fraction(0)))

    def to_json(self) -> bytes:
        """A document that reads back to the same ledger, sealed by a digest."""
        return seal("ledger", self.body())

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The ledger of a document; one that was cut or changed is refused."""
        return cls.from_body(unseal(data, "ledger", LedgerBody, "a ledger"))

    def body(self) -> "LedgerBody":
        """The ledger as a part of a document."""
        return LedgerBody(self.cap, self.delta_cap, self.charges, self.kept, self.collection_cap)

    @classmethod
    def from_body(cls, body: "LedgerBody") -> Self:
        """The ledger of a part of a document, if it could have been written: nothing paid twice.

        More may be spent than its cap, which may have been lowered since.
        """
        if _tidy(body.charges) != body.charges or any(
            one.key == other.key and window + one.times > start
            for (window, one), (start, other) in pairwise(_windows(body.charges))
        ):
            raise InvalidDocument("the charges of a ledger stand in one order, none of them twice")
        if any(one.order >= other.order for one, other in pairwise(body.kept)):
            raise InvalidDocument("the answers of a ledger stand in one order, none of them twice")
        return cls(body.cap, body.delta_cap, body.charges, body.kept, body.collection_cap)


def _tidy(charges: Iterable[Charge]) -> tuple[Charge, ...]:
    """In one order, each line joined to the one that it continues."""
    tidied: list[Charge] = []
    for charge in sorted(charges, key=lambda charge: charge.order):
        if tidied and _continues(tidied[-1], charge):
            last = tidied.pop()
            tidied.append(msgspec.structs.replace(last, times=last.times + charge.times))
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


def _total(charges: Iterable[Charge], kept: Iterable[Kept] = ()) -> Spent:
    """What they come to, exactly."""
    times = Counter[tuple[float, float]]()  # few prices, many charges: fractions are slow
    for charge in charges:
        times[charge.price] += charge.times
    epsilon = sum((paid * Fraction(each) for (each, _), paid in times.items()), Fraction(0))
    epsilon += sum((Fraction(answer.epsilon) for answer in kept), Fraction(0))
    delta = sum((paid * Fraction(each) for (_, each), paid in times.items()), Fraction(0))
    return Spent(epsilon, delta)


def _check_delta(delta: float) -> float:
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


def _left(cap: float | None, spent: Fraction) -> Fraction | None:
    return None if cap is None else max(Fraction(0), Fraction(cap) - spent)


class LedgerBody(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A ledger as it is written in a document."""

    cap: float | None
    delta_cap: float | None
    charges: tuple[Charge, ...]
    kept: tuple[Kept, ...] = ()
    collection_cap: float | None = None
