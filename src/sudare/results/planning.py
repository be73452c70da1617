"""A plan in words: what it recommends, what its ε means, and what else there is to know."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from sudare.chance.exact import text_up
from sudare.estimation.estimate import Floats
from sudare.formats.numbers import as_given, counted
from sudare.results.wording import ABSENT, percent

if TYPE_CHECKING:
    from sudare.planning.granting import Row
    from sudare.planning.models import TrustModel
    from sudare.planning.plans import Plan
    from sudare.planning.simulated import Confirmation

_BASES = (100, 1_000, 10_000, 100_000, 1_000_000)
_MICRO = 1000  # nanoseconds
_CURVES = 6  # that can be told apart in a plot
_TRUSTED = {
    "randomised": "nobody: answers are randomised before they are sent",
    "two_parties": "two parties, of whom one has to be honest",
    "curator": "a curator, who sees every answer",
}


def recommendation(plan: "Plan") -> str:
    """What to do, in a sentence, and what is then known."""
    best, wish = plan.recommended, plan.wish
    who = f"{counted(best.people, 'person', 'people')}"
    how = f"with {best.name}"
    if best.design.mechanism is not None:  # else it is named by its ε
        how += f" at ε = {as_given(best.epsilon)}"
    if wish.visits > 1:
        how += f" for all {wish.visits:,} visits"
    asked = f"Ask {who} {how}"
    if best.reports < best.people:
        asked += f", of whom {best.reports:,} answer"
    if plan.kind.name == "stream":
        return f"{asked}: the worst round is then off by {value_text(plan, best.error)} on average."
    if plan.kind.name == "text":
        return f"{asked}: a text that {_seen(plan, best)}."
    sentence = f"{asked}: {_what(plan)} is then known to ±{value_text(plan, best.error)}"
    if wish.grouped:
        share = "" if wish.compare is None else f" ({percent(wish.compare)} of them in one)"
        difference = value_text(plan, best.reached["difference"])
        return (
            f"{sentence}, and a difference of {difference} between two groups{share} is seen "
            f"{_of_ten(wish.power)}."
        )
    if math.isfinite(best.reached.get("smallest_share", math.inf)):
        return f"{sentence}, and an answer that {_seen(plan, best)}."
    return f"{sentence}."


def _what(plan: "Plan") -> str:
    share = plan.wish.share
    what = f"a share of {percent(share)}" if share else plan.kind.estimated
    return f"the difference of two groups in {what}" if plan.wish.compare is not None else what


def _seen(plan: "Plan", row: "Row") -> str:
    share = row.reached["smallest_share"]
    return f"{percent_text(share)} give is seen {_of_ten(plan.wish.power)}"


def _of_ten(power: float) -> str:
    right, base = out_of(power, (10, *_BASES))
    return f"{right:,} times in {base:,}"


def percent_text(share: float) -> str:
    """A share in percent, to three digits."""
    return percent(float(f"{share:.3g}"))


def value_text(plan: "Plan", value: float | None) -> str:
    """An error or a difference in the unit of the result."""
    if value is None or not math.isfinite(value):
        return ABSENT
    if plan.kind.name == "stream":
        return f"{value:.3g}"
    return f"{value:.3g}" if plan.kind.unit == "number" else percent_text(value)


def out_of(chance: float, bases: tuple[int, ...] = _BASES) -> tuple[int, int]:
    """A chance as so many of so many, never all of them and never none."""
    base = next((base for base in bases if 0 < round(chance * base) < base), bases[-1])
    return min(max(1, round(chance * base)), base - 1), base


def bet(epsilon: float) -> str:
    """What ε means: how often somebody is right at most who bets on one of two answers."""
    wrong = 1 / (1 + math.exp(epsilon))
    for base in _BASES:
        right = base - math.floor(wrong * base)  # rounded up: "at most" stays true
        if right < base:
            return f"{right:,} times in {base:,}"
    return f"{_BASES[-1]:,} times in {_BASES[-1]:,}"


def meaning(epsilon: float) -> str:
    """An ε in words, with the end of the scale that it is near to."""
    ends = (
        (0.1, "hardly more than a coin's toss: next to nothing is told of anybody"),
        (0.7, "not far from a coin's toss: every answer can be denied"),
        (1.5, "better than a coin's toss, but every answer can be denied"),
        (3.5, "mostly the truth: an answer can still be denied, but not as well"),
        (8.0, "nearly always the truth: it protects little more than the doubt"),
        (math.inf, "the truth, as good as: this protects nobody"),
    )
    word = next(word for most, word in ends if epsilon <= most)
    return (
        f"who sees all reports of a person, and bets on one of two answers, is right at most "
        f"{bet(epsilon)} ({word})"
    )


def truth(row: "Row") -> str | None:
    """How often a report of the mechanism fits an answer, if it is for or against each."""
    if row.design.fits is None:
        return None
    base = max(out_of(chance)[1] for chance in row.design.fits)
    mine, theirs = (out_of(chance, (base,))[0] for chance in row.design.fits)
    return (
        f"of {base:,} people who give an answer, {mine:,} send a report that fits it; of {base:,} "
        f"who don't, {theirs:,} do"
    )


def trusted(model: "TrustModel") -> str:
    """Whom a model of trust asks people to trust."""
    return _TRUSTED[model.model]


def confirmation(plan: "Plan", simulated: "Confirmation") -> list[str]:
    """What became of simulated collections beside what was foreseen, a sentence each."""
    made = f"{simulated.collections:,} simulated collections"
    if plan.kind.name == "stream":
        return [
            (
                f"{made}: the worst round was off by {value_text(plan, simulated.error)} on "
                f"average, where {value_text(plan, simulated.foreseen)} was foreseen"
            )
        ]
    sentences = [
        (
            f"{made}: ±{value_text(plan, simulated.error)}, where "
            f"±{value_text(plan, simulated.foreseen)} was foreseen; intervals held the truth "
            f"{percent(simulated.covered, 1)} of the time"
        )
    ]
    for goal in ("smallest_share", "difference"):
        value = getattr(simulated, goal)
        seen = simulated.seen if goal == "smallest_share" else simulated.difference_seen
        if value is not None and seen is not None:
            what = "share" if goal == "smallest_share" else "difference"
            sentences.append(
                f"a {what} of {value_text(plan, value)} was seen {percent(seen, 1)} of the time, "
                f"where {percent(plan.wish.power)} was foreseen"
            )
    return sentences


def warnings(plan: "Plan") -> list[str]:
    """What somebody who follows the plan should know, each a sentence."""
    best, found = plan.recommended, []
    average, smallest = plan.kind.average_share, best.reached.get("smallest_share")
    if average is not None and smallest is not None and smallest > average:
        found.append(
            f"An average answer, of {percent_text(average)}, won't be seen: only those that "
            f"{percent_text(smallest) if math.isfinite(smallest) else 'more than all'} give."
        )
    if best.design.measure.rough(best.reports):
        found.append(
            "So few reports are so coarse that intervals don't keep their level: take this for "
            "an order of magnitude."
        )
    return found


def cost_text(nanoseconds: float | None) -> str:
    """The cost of one report: 12 ns, 3.4 µs."""
    if nanoseconds is None:
        return ABSENT
    value, unit = (nanoseconds, "ns") if nanoseconds < _MICRO else (nanoseconds / _MICRO, "µs")
    return f"{float(f'{value:.2g}'):,g}\N{NO-BREAK SPACE}{unit}"


def year_text(row: "Row") -> str:
    """The ε of a year's weekly answers."""
    year = row.design.year_epsilon
    return ABSENT if year is None else text_up(year, 3)


class PlanColumn(NamedTuple):
    """A column of the table of mechanisms.

    Attributes:
        heading: above it, of a plan.
        cell: what stands in it, of a plan's row.
        fits: whether a plan has it.
        justify: its side.
    """

    heading: Callable[["Plan"], str]
    cell: Callable[["Plan", "Row"], str]
    fits: Callable[["Plan"], bool] = lambda _: True
    justify: Literal["left", "right"] = "right"


def _error_heading(plan: "Plan") -> str:
    return "worst round" if plan.kind.name == "stream" else "error ±"


def _marked(plan: "Plan", row: "Row") -> str:
    return f"{row.name} ←" if row is plan.recommended else row.name


def _reaches(goal: str) -> Callable[["Plan"], bool]:
    return lambda plan: goal in plan.recommended.reached


def _finds(*found: str) -> Callable[["Plan"], bool]:
    """What was found: what was given is the same in every row."""
    return lambda plan: plan.found in found


TABLE = (
    PlanColumn(lambda _: "mechanism", _marked, justify="left"),
    PlanColumn(lambda _: "people", lambda _, row: f"{row.people:,}", _finds("people")),
    PlanColumn(lambda _: "ε", lambda _, row: as_given(row.epsilon), _finds("epsilon")),
    PlanColumn(
        _error_heading,
        lambda plan, row: value_text(plan, row.error),
        lambda plan: plan.found == "error" or plan.wish.goal != "error",
    ),
    PlanColumn(
        lambda _: "seen from",
        lambda plan, row: value_text(plan, row.reached["smallest_share"]),
        lambda plan: _reaches("smallest_share")(plan) and plan.wish.goal != "smallest_share",
    ),
    PlanColumn(
        lambda _: "difference",
        lambda plan, row: value_text(plan, row.reached["difference"]),
        lambda plan: plan.wish.compare is not None and plan.wish.goal != "difference",
    ),
    PlanColumn(lambda _: "bytes", lambda _, row: f"{row.design.report_bytes:,}"),
    PlanColumn(
        lambda _: "1 % forged",
        lambda _, row: ABSENT if row.forger_moves is None else percent_text(row.forger_moves),
    ),
    PlanColumn(
        lambda _: "ε a year",
        lambda _, row: year_text(row),
        lambda plan: plan.recommended.design.year_epsilon is not None,
    ),
    PlanColumn(
        lambda _: "device",
        lambda _, row: cost_text(row.cost and row.cost.device_ns),
        lambda plan: any(row.cost for row in plan.rows),
    ),
    PlanColumn(
        lambda _: "server",
        lambda _, row: cost_text(row.cost and row.cost.server_ns),
        lambda plan: any(row.cost for row in plan.rows),
    ),
)
"""The columns of the table of mechanisms, in their order."""


@dataclass(frozen=True)
class PlanCurve:
    """What a mechanism takes along ε, as a line of points."""

    label: str
    x: Floats
    y: Floats
    stderr: None = None

    @property
    def theory(self) -> Floats:
        """The same: nothing was measured, all is foreseen."""
        return self.y


def plan_curves(plan: "Plan") -> tuple[list[PlanCurve], str]:
    """What the best mechanisms take along ε, and what that is."""
    goal, finds_people = plan.wish.goal, plan.found == "people"
    curves = []
    for row in plan.rows[:_CURVES]:
        points = plan.curve_of(row.name)
        heights = [point.people if finds_people else point.reached[goal] for point in points]
        budgets = [point.epsilon for point in points]
        curves.append(PlanCurve(row.name, np.array(budgets), np.array(heights, np.float64)))
    return curves, "people" if finds_people else goal.replace("_", " ")


def plan_title(plan: "Plan") -> str:
    """What curves of a plan show, above them."""
    wish, best = plan.wish, plan.recommended
    if plan.found == "people":
        reached = best.reached[wish.goal]
        words = wish.goal.replace("_", " ")
        return f"How many people it takes for a given {words} ({value_text(plan, reached)})"
    what = wish.goal.replace("_", " ").capitalize()
    return f"{what} of {counted(best.people, 'person', 'people')}, against ε"
