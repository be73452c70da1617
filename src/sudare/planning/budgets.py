"""The least budget of a new collection whose people and error are given."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sudare.errors import NoSuchPlan, ParameterError
from sudare.mechanisms.over_time.kshot import KShot
from sudare.planning.mechanism_choice import SMALLEST, MechanismOptions
from sudare.planning.plans import Plan, plan

_UNNAMED = {"auto", "small"}
_FOUND = ("shots", "flips", "bits", "hashes", "cohorts")  # by a plan
_ANY_BYTES = 1 << 40


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
    wanted = {options.mechanism, options.design or "auto"} - _UNNAMED
    if wanted:
        wishes["most_bytes"] = _ANY_BYTES
    elif options.mechanism == "small":
        wishes["most_bytes"] = SMALLEST
    made = plan(kind, people=people, **{goal: error}, **wishes)
    families = made.kind.families(made.wish)
    if strange := sorted(wanted - set(families)):
        raise ParameterError(
            f"a plan of {kind} knows {', '.join(families)}, not {strange[0]}: say --epsilon "
            f"instead of --people and --error"
        )
    rows = [row for row in made.rows if not wanted or row.name in wanted]
    if not rows:
        raise NoSuchPlan(
            "out_of_reach",
            f"{people:,} people can't reach that error with {' and '.join(sorted(wanted))}; "
            f"`sudare plan {kind}` says with what they can",
        )
    made = replace(made, rows=tuple(rows))
    best = rows[0]
    chosen: dict[str, Any] = {"epsilon": best.epsilon}
    if kind == "questions":
        chosen["design"] = best.name
    elif kind in {"choice", "stream"}:
        chosen["mechanism"] = best.name
        if best.name != KShot.name:
            chosen |= {"low": None, "high": None}
    elif kind == "text":
        filter_: Any = best.design.mechanism
        chosen |= {name: getattr(filter_, name) for name in ("bits", "hashes", "cohorts")}
    return replace(options, **chosen), made


def _asked(options: MechanismOptions, sizes: Sequence[int]) -> tuple[str, dict[str, Any]]:
    """The kind of question that options ask for, and its wishes."""
    found = [name for name in _FOUND if getattr(options, name) is not None]
    if found:
        raise ParameterError(f"a plan finds --{found[0]} by itself: leave it out beside --error")
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
