"""The least budget of a new collection whose people and error are given."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sudare.errors import NoSuchPlan, ParameterError
from sudare.planning.mechanism_choice import SMALLEST, MechanismOptions
from sudare.planning.plans import Plan, plan

_NAMED = {"auto", "small"}


def planned(
    options: MechanismOptions, sizes: Sequence[int], people: int, error: float
) -> tuple[MechanismOptions, Plan]:
    """What is asked of a new collection, with the least ε that reaches an error; and its plan.

    The error is that of ``sudare.plan``: for texts the smallest share that is found, over time
    that of the worst round.

    Args:
        options: what is asked, whatever its ε.
        sizes: how many answers the question has, or each of several.
        people: how many are asked.
        error: what they are to reach.
    """
    kind, wishes = _asked(options, sizes)
    goal = "smallest_share" if options.own_words else "error"
    if options.mechanism == "small":
        wishes["most_bytes"] = SMALLEST
    made = plan(kind, people=people, **{goal: error}, **wishes)
    wanted = {options.mechanism, options.design} - {*_NAMED, None}
    rows = [row for row in made.rows if not wanted or row.name in wanted]
    if not rows:
        raise NoSuchPlan(
            "out_of_reach",
            f"{people:,} people can't reach that error with {' and '.join(map(str, wanted))}; "
            f"`sudare plan {kind}` says with what they can",
        )
    made = replace(made, rows=tuple(rows))
    best = rows[0]
    chosen: dict[str, Any] = {"epsilon": best.epsilon}
    if kind == "questions":
        chosen["design"] = best.name
    elif kind == "choice":
        chosen["mechanism"] = best.name
    elif kind == "text":
        filter_: Any = best.design.mechanism
        for name in ("bits", "hashes", "cohorts"):
            if getattr(options, name) is None:
                chosen[name] = getattr(filter_, name)
    return replace(options, **chosen), made


def _asked(options: MechanismOptions, sizes: Sequence[int]) -> tuple[str, dict[str, Any]]:
    """The kind of question that options ask for, and its wishes."""
    if options.shots is not None:
        raise ParameterError("a plan finds --shots by itself: leave it out beside --error")
    if len(sizes) > 1:
        return "questions", {"sizes": tuple(sizes), "associate": bool(options.associate)}
    if options.has_range:
        names = ("least", "largest", "step", "found_out", "bins")
        return "number", {name: getattr(options, name) for name in names}
    if options.has_rounds:
        told = {name: getattr(options, name) for name in ("rounds", "low", "high")}
        return "stream", {name: value for name, value in told.items() if value is not None}
    if options.own_words:
        return "text", {}
    if options.most is not None:
        return "several", {"answers": sizes[0], "most": options.most}
    return "choice", {"answers": sizes[0]}
