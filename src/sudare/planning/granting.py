"""Which mechanisms grant a wish, with how many people, at which ε, and how well: a row for each."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sudare.errors import ParameterError
from sudare.mechanisms.domain import MOST_PEOPLE
from sudare.planning.costs import Cost, cost_of
from sudare.planning.kinds.interface import Design, Kind, Make
from sudare.planning.search import PER_UNIT, first, first_below
from sudare.planning.wish import GOALS, MOST_EPSILON, Goal, Wish

_FIRST_BUDGET = 1000  # thousandths at which the search for an ε begins
MOST_BUDGET = round(MOST_EPSILON * PER_UNIT)
_SAME = 9  # digits to which two errors are the same: chances are multiples of 2^-53
_FORGED = 0.01  # the share of reports that somebody forges


@dataclass(frozen=True)
class Row:
    """One mechanism, at a budget and with so many people.

    Attributes:
        name: of the mechanism, or of the design.
        people: how many are asked.
        reports: how many of them answer.
        epsilon: the budget.
        design: what it makes of that.
        reached: what is foreseen, by goal; infinite what can't be reached.
        details: what only a kind knows.
    """

    name: str
    people: int
    reports: int
    epsilon: float
    design: Design = field(repr=False)
    reached: Mapping[Goal, float] = field(repr=False)
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def error(self) -> float:
        """Half the width of an interval; over time, the expected error of the worst round."""
        return self.reached["error"]

    @property
    def cost(self) -> Cost | None:
        """What a report costs to make and to count, as far as it was measured."""
        return cost_of(self.design.mechanism)

    @property
    def forger_moves(self) -> float | None:
        """How far 1 % of the reports raise a share, or move a mean, if somebody forges them."""
        gain = self.design.forger_gain
        return None if gain is None else _FORGED * gain

    def document(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {
            "mechanism": self.name,
            "people": self.people,
            "reports": self.reports,
            "epsilon": self.epsilon,
            "spends": self.design.spends,
            **{goal: known(self.reached.get(goal)) for goal in GOALS},
            "bytes": self.design.report_bytes,
            "forger_gain": self.design.forger_gain,
            "forger_moves": self.forger_moves,
            "year_epsilon": self.design.year_epsilon,
            "device_ns": self.cost and self.cost.device_ns,
            "server_ns": self.cost and self.cost.server_ns,
            "rough": self.design.measure.rough(self.reports),
            **self.details,
        }


def rows_of(kind: Kind, wish: Wish) -> tuple[tuple[Row, ...], dict[str, int]]:
    """A row for each mechanism that grants the wish, the best first; and the ones left out."""
    rows, left_out = [], {}
    families = kind.families(wish)
    for name, make in families.items():
        row = Family(kind, wish, name, make).granted()
        if row is None or not math.isfinite(row.error):
            continue
        if row.design.report_bytes > wish.most_bytes:
            left_out[name] = row.design.report_bytes
            continue
        details = kind.details(row.design, row.reports)
        rows.append(replace(row, design=kind.finished(row.design, row.reports), details=details))
    if not rows and not left_out:
        _refuse_unmade(families)
    return tuple(sorted(rows, key=_rank)), left_out


def can_be_made(kind: Kind, wish: Wish, epsilon: float) -> bool:
    """Whether there is any mechanism at a budget, however bad."""
    return any(_made(make, epsilon) for make in kind.families(wish).values())


def _refuse_unmade(families: Mapping[str, Make]) -> None:
    """Refuse what no mechanism can be made for, even where a report may tell nearly the truth."""
    for make in families.values():
        try:
            make(MOST_EPSILON)
        except ParameterError as error:
            refusal = error
        else:
            return
    raise refusal


def _rank(row: Row) -> tuple[float, ...]:
    """What makes one row better than another: what was found first, and equals by their bytes.

    Two of the three are the same in all rows, so that all may be compared.
    """
    aims = [row.reached.get(goal, 0.0) for goal in GOALS]
    return (
        row.people,
        row.epsilon,
        *(float(f"{aim:.{_SAME}g}") for aim in aims),
        row.design.report_bytes,
    )


@dataclass(frozen=True)
class Family:
    """One way to ask a question, at any budget and of any people, for a wish.

    Attributes:
        kind: what is asked.
        wish: what is wished for.
        name: of the way.
        make: its design at a budget.
    """

    kind: Kind
    wish: Wish
    name: str
    make: Make

    def granted(self) -> Row | None:
        """The row in which what was not given is found; None if the wish can't be granted."""
        people, epsilon = self.wish.people, self.wish.epsilon
        if people is None:
            return self._with_people(epsilon or 0)
        if epsilon is None:
            return self._with_budget(people)
        return self._row(epsilon, people)

    def _row(self, epsilon: float, people: int) -> Row | None:
        design = _made(self.make, epsilon)
        if design is None:
            return None
        reports, measure = self.wish.reports(people), design.measure
        goals = [goal for goal in self.kind.goals if goal in measure.goals]
        reached = {goal: measure.foreseen(goal, reports) for goal in goals}
        return Row(self.name, people, reports, epsilon, design, reached)

    def _with_people(self, epsilon: float) -> Row | None:
        """The row with the fewest people who reach what is wished for."""
        goal, value = self.wish.goal, self.wish.value or 0
        design = _made(self.make, epsilon)
        needed = math.inf if design is None else design.measure.reports(goal, value)
        if design is None or needed > MOST_PEOPLE:
            return None
        reports = max(1, math.ceil(needed))
        while design.measure.foreseen(goal, reports) > value:  # by an ulp, if at all
            reports += 1
        people = self.wish.asked(reports)
        return None if people > MOST_PEOPLE else self._row(epsilon, people)

    def _with_budget(self, people: int) -> Row | None:
        """The row with the least budget, in thousandths, that reaches what is wished for."""
        goal, value = self.wish.goal, self.wish.value or 0
        reports = self.wish.reports(people)

        def foreseen(budget: int) -> float:
            design = _made(self.make, budget / PER_UNIT)
            return math.inf if design is None else design.measure.foreseen(goal, reports)

        if self.kind.steady(self.name):
            least = first_below(foreseen, value, _FIRST_BUDGET, MOST_BUDGET)
        else:
            least = first(lambda budget: foreseen(budget) <= value, MOST_BUDGET, slowly=4)
        return None if least is None else self._row(least / PER_UNIT, people)


def _made(make: Make, epsilon: float) -> Design | None:
    """The design at a budget; None where there is none for so little, or for so many answers."""
    try:
        return make(epsilon)
    except ParameterError:
        return None


def known(value: float | None) -> float | None:
    """A number that JSON can say."""
    return None if value is None or not math.isfinite(value) else value
