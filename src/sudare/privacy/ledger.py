"""A ledger: what a person has spent, in each collection and for life, and the cap they set.

Costs of one person add up, whatever was asked and whenever (basic composition). Sums are exact:
an ε is a float, a float is a fraction. Only what is shown to people is rounded, and then against
the claim: what is spent upwards, what is left downwards.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

import msgspec

from sudare.errors import BudgetExceeded, InvalidDocument, ParameterError
from sudare.exact import float_up, text_up
from sudare.privacy.charges import Charge, Kept, Spent, check_delta, tidy, total, windows
from sudare.sealed import seal, unseal

__all__ = ["Charge", "Kept", "Ledger", "LedgerBody", "Spent"]


@dataclass(frozen=True)
class Ledger:
    """What a person has spent.

    A value: ``charge`` gives a new ledger. Equal spending is an equal ledger, in whatever order
    and portions it was spent.

    Attributes:
        cap: the ε that all charges together may come to; None for no limit.
        delta_cap: the same of δ.
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
            object.__setattr__(self, "delta_cap", check_delta(self.delta_cap))

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
        if self._capped:  # exact sums are slow
            self.afford(key, total(due))
        return replace(self, charges=tidy([*self.charges, *due]))

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
        """What one collection has cost, or all together."""
        return total(
            (charge for charge in self.charges if key in (None, charge.key)),
            (kept for kept in self.kept if key in (None, kept.key)),
        )

    @property
    def left(self) -> Fraction | None:
        """How much ε may still be spent; None where there is no cap."""
        return _left(self.cap, self.spent().epsilon)

    @property
    def delta_left(self) -> Fraction | None:
        """The same of δ."""
        return _left(self.delta_cap, self.spent().delta)

    @property
    def keys(self) -> list[str]:
        """The collections that something was paid to."""
        paid = {charge.key for charge in self.charges}
        return sorted(paid.union(answer.key for answer in self.kept))

    def rows(self) -> list[dict[str, Any]]:
        """A row per collection: single reports, windows, and what they cost, rounded up."""
        rows = []
        for key in self.keys:
            paid = [charge for charge in self.charges if charge.key == key]
            kept = [answer for answer in self.kept if answer.key == key]
            single = sum(charge.times for charge in paid if charge.window is None)
            cost = total(paid, kept)
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
        for window, paid in windows(paid for paid in self.charges if paid.key == asked.key):
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

    @property
    def _capped(self) -> bool:
        return not self.cap is self.collection_cap is self.delta_cap is None

    def afford(self, key: str, due: Spent) -> None:
        """Raise ``BudgetExceeded`` unless the caps leave room for so much more."""
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
        lines = [
            _Line(charge.key, *charge.price, charge.window, charge.times) for charge in self.charges
        ]
        kept = [_KeptLine(kept.key, kept.answer, kept.reports, kept.epsilon) for kept in self.kept]
        return LedgerBody(self.cap, self.delta_cap, lines, kept, self.collection_cap)

    @classmethod
    def from_body(cls, body: "LedgerBody") -> Self:
        """The ledger of such a part, if it could have been written: tidy, no window paid twice.

        More may be spent than its cap, which may have been lowered since.
        """
        written = tuple(
            Charge(line.key, line.epsilon, line.delta, line.window, line.times)
            for line in body.charges
        )
        if tidy(written) != written or any(
            one.key == other.key and window + one.times > start
            for (window, one), (start, other) in pairwise(windows(written))
        ):
            raise InvalidDocument("the charges of a ledger stand in one order, none of them twice")
        kept = tuple(Kept(line.key, line.answer, line.reports, line.epsilon) for line in body.kept)
        if any(one.order >= other.order for one, other in pairwise(kept)):
            raise InvalidDocument("the answers of a ledger stand in one order, none of them twice")
        return cls(body.cap, body.delta_cap, written, kept, body.collection_cap)


def _left(cap: float | None, spent: Fraction) -> Fraction | None:
    return None if cap is None else max(Fraction(0), Fraction(cap) - spent)


def text_down(exact: Fraction) -> str:
    """What is left, in a few digits, never more than it is."""
    return text_up(-exact).removeprefix("-")


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    epsilon: float
    delta: float
    window: int | None
    times: int


class _KeptLine(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    answer: str
    reports: int
    epsilon: float


class LedgerBody(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A ledger as it is written."""

    cap: float | None
    delta_cap: float | None
    charges: list[_Line]
    kept: list[_KeptLine] = []
    collection_cap: float | None = None
