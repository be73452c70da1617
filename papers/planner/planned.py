"""What is planned and tried: every mechanism in several sizes, at several ε, of few and many."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, product
from typing import Any

from sudare import Seeded
from sudare.errors import NoSuchPlan
from sudare.planning.kinds.joint_total import JointTotal
from sudare.planning.measures import TotalMeasure
from sudare.planning.plans import plan
from sudare.planning.simulated import Confirmation, confirm

_NUMBER = {"least": "0", "step": "1"}
_BINS = {**_NUMBER, "found_out": "distribution"}
_OF_TOTALS = 100  # times as many collections: their noise is seldom large, and quickly drawn
_TABLES = (0.1, 0.25, 0.5, 1.0)  # ε of totals: those of shipped tables

ASKED: Mapping[str, Sequence[tuple[dict[str, Any], Sequence[float], Sequence[int]]]] = {
    "choice": [({"answers": k}, (0.5, 1, 2, 4), (2_000, 100_000)) for k in (2, 5, 20)],
    "several": [
        ({"answers": k, "most": most}, (0.5, 1, 2, 4), (2_000, 100_000))
        for k, most in ((4, 2), (8, 3), (12, 12))
    ],
    "number": [
        *(({**_NUMBER, "largest": end}, (0.5, 1, 2, 4), (500, 20_000)) for end in ("4", "100")),
        *(({**_BINS, "largest": end}, (1, 2, 4), (5_000, 100_000)) for end in ("9", "100")),
    ],
    "questions": [({"sizes": sizes}, (1, 2, 4), (5_000, 100_000)) for sizes in ((2, 2), (3, 5, 2))],
    "text": [({"candidates": 100}, (2, 4), (20_000,)), ({"candidates": 1000}, (3,), (50_000,))],
    "stream": [({"rounds": rounds}, (1, 2, 4, 6), (10_000,)) for rounds in (5, 40)],
    "joint": [({"most": 1}, _TABLES, (1_000, 100_000))],
}
"""For each kind its wishes, budgets and numbers of people."""

OF_SHARES: Sequence[dict[str, Any]] = (
    {},
    {"compare": 0.5},
    {"share": 0.2},
    {"population": True, "share": 0.1},
    {"level": 0.9, "power": 0.9},
    {"compare": 0.3, "share": 0.05},
    {"response_rate": 0.4},
)
OF_OTHERS: Mapping[str, Sequence[dict[str, Any]]] = {
    "number": ({}, {"compare": 0.5}, {"level": 0.9, "compare": 0.3, "power": 0.9}),
    "joint": ({}, {"compare": 0.5}, {"level": 0.9, "power": 0.9}),
    "stream": ({}, {"low": 0.1, "high": 0.3}, {"low": 0.0, "high": 0.02}),
    "text": ({},),
}
"""What else is wished, in turn."""


@dataclass(frozen=True)
class Case:
    """One mechanism of one plan.

    Attributes:
        kind: what is asked.
        wishes: of the plan.
        mechanism: the row of the plan that is tried.
    """

    kind: str
    wishes: dict[str, Any]
    mechanism: str

    def tried(self, collections: int, seed: int) -> dict[str, Any]:
        """What the plan says and what happens, as JSON values."""
        found = plan(self.kind, **self.wishes)
        row = next(row for row in found.rows if row.name == self.mechanism)
        many = collections * (_OF_TOTALS if self.kind == JointTotal.name else 1)
        told = confirm(found, many, Seeded(seed), row=row)
        share, difference = float(found.wish.power), float(found.wish.power)
        if isinstance(row.design.measure, TotalMeasure):
            share, difference = of_total(row.design.measure, row.reports, told)
        return {
            "kind": self.kind,
            "wishes": self.wishes,
            "level": found.wish.level,
            "rough": row.design.measure.rough(row.reports),
            **told.document(),
            "power": share,
            "difference_power": difference,
        }


def of_total(measure: TotalMeasure, reports: int, told: Confirmation) -> tuple[float, float]:
    """The exact chances that a total, or the difference of two, is seen.

    A whole number is the least that is seen with the chance wished, and so with some more.
    """

    def chance(value: float | None, chances: Any, sure: int, people: float) -> float:  # noqa: ANN401
        if value is None:
            return 0.0
        middle, total = len(chances) // 2, round(value * people)
        return float(chances[max(0, middle + sure + 1 - total) :].sum())

    group = min(measure.wish.part, 1 - measure.wish.part)
    own = reports if measure.wish.compare is None else group * reports
    return (
        chance(told.smallest_share, measure.chances, measure.sure, own),
        chance(told.difference, measure.apart, measure.sure_apart, group * reports),
    )


def cases() -> Iterator[Case]:
    """Every mechanism of every plan that can be had."""
    others = {kind: cycle(OF_OTHERS.get(kind, OF_SHARES)) for kind in ASKED}
    for kind, asked in ASKED.items():
        for own, epsilons, numbers in asked:
            for epsilon, people in product(epsilons, numbers):
                if kind == "number" and "found_out" in own:
                    more = next(others["choice"])
                else:
                    more = next(others[kind])
                wishes = {**own, "epsilon": float(epsilon), "people": people, **more}
                try:
                    found = plan(kind, **wishes)
                except NoSuchPlan:
                    continue
                for row in found.rows:
                    if kind != JointTotal.name or row.design.each == epsilon:
                        yield Case(kind, wishes, row.name)
