"""Why a plan can't be had, and the cheapest wishes near by that can."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from sudare.errors import NoSuchPlan, ParameterError
from sudare.formats.numbers import as_given, counted
from sudare.mechanisms.domain import MOST_PEOPLE
from sudare.planning.granting import Row, rows_of
from sudare.planning.kinds.interface import Kind
from sudare.planning.wish import MOST_EPSILON, Wish

_NEARLY = 1 - 1e-9  # of an error that is just too large
_DIGITS = 3  # of a number of people, and 2 of an error

Way = dict[str, int | float]
Reason = Literal["white_noise", "out_of_reach"]


def too_long(wish: Wish, shortest: int) -> NoSuchPlan:
    """That no report is as short as was wished."""
    return NoSuchPlan(
        "too_long",
        f"most bytes is {wish.most_bytes:,}, and no mechanism's report is as short: the shortest "
        f"has {shortest:,}",
        ({"most_bytes": shortest},),
    )


def white_noise(kind: Kind, wish: Wish, best: Row) -> NoSuchPlan:
    """That a plan is worth nothing, with more people, a larger ε, or fewer answers instead."""
    return _refusal(
        kind,
        wish,
        "white_noise",
        f"{counted(best.people, 'person', 'people')} at ε = {as_given(best.epsilon)}"
        f"{_for(kind, wish)} give white noise: a result is off by {best.error:.2g}, and "
        f"{kind.guessing}",
    )


def out_of_reach(kind: Kind, wish: Wish) -> NoSuchPlan:
    """That no mechanism grants a wish, with what would."""
    aim = f"{'an' if wish.goal == 'error' else 'a'} {wish.goal} of {as_given(wish.value or 0)}"
    aim, people = aim.replace("_", " "), counted(wish.people or 0, "person", "people")
    return _refusal(
        kind,
        wish,
        "white_noise" if wish.found == "error" else "out_of_reach",
        {
            "people": f"at ε = {as_given(wish.epsilon or 0)} {aim} takes more than "
            f"{MOST_PEOPLE:,} people",
            "epsilon": f"{people} can't reach {aim}, even at ε = {MOST_EPSILON:g}",
            "error": f"{people} at ε = {as_given(wish.epsilon or 0)}{_for(kind, wish)} give white "
            f"noise: no result is any better than a guess",
        }[wish.found],
    )


def _for(kind: Kind, wish: Wish) -> str:
    """For how many visits or rounds an ε is, where there are several."""
    if kind.times:
        return f" for {counted(kind.times, 'round')}"
    return f" for {wish.visits:,} visits" if wish.visits > 1 else ""


def _refusal(kind: Kind, wish: Wish, reason: Reason, sentence: str) -> NoSuchPlan:
    """A refusal with those ways out that lead somewhere."""
    ways = [way for way in _ways(kind, wish) if is_granted(*_changed(kind, wish, way))]
    if ways:
        words = [_in_words(wish, way) for way in ways]
        listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        sentence += f"; what would do: {listed}"
    return NoSuchPlan(reason, sentence, tuple(ways))


def is_granted(kind: Kind, wish: Wish) -> bool:
    """Whether there is a plan that is no white noise."""
    rows, _ = rows_of(kind, wish)
    return bool(rows) and rows[0].error < kind.guess("error")


def _changed(kind: Kind, wish: Wish, way: Way) -> tuple[Kind, Wish]:
    own = {name: value for name, value in way.items() if name in kind.wishes}
    rest: dict[str, Any] = {name: value for name, value in way.items() if name not in own}
    return (kind.with_wish(**own) if own else kind), replace(wish, **rest)


def _ways(kind: Kind, wish: Wish) -> Iterator[Way]:
    """What may be changed, the least that may do."""
    enough: dict[str, Any] = {} if wish.value else {"error": kind.guess("error") * _NEARLY}
    if wish.people is not None:
        budget = wish.epsilon or MOST_EPSILON
        row = _best(kind, replace(wish, people=None, epsilon=budget, **enough))
        if row is not None:
            yield {"people": _up(row.people)}
    if wish.epsilon is not None:
        people = wish.people or MOST_PEOPLE
        row = _best(kind, replace(wish, people=people, epsilon=None, **enough))
        if row is not None:
            yield {"epsilon": row.epsilon}
    if fewer := _fewer_answers(kind, wish):
        yield fewer
    if wish.value is not None:
        yield from _other_values(kind, wish)


def _other_values(kind: Kind, wish: Wish) -> Iterator[Way]:
    """Another value of the goal: the best that can be reached, or one that is no white noise."""
    people, epsilon = wish.people or MOST_PEOPLE, wish.epsilon or MOST_EPSILON
    unknown: dict[str, Any] = {wish.goal: None}
    given = replace(wish, people=people, epsilon=epsilon, **unknown)
    reached = [row.reached[wish.goal] for row in rows_of(kind, given)[0]]
    for value in (min(reached, default=math.inf), kind.guess("error") / 2):
        if math.isfinite(value):
            yield {wish.goal: _rounded_up(value)}
            return


def _best(kind: Kind, wish: Wish) -> Row | None:
    rows, _ = rows_of(kind, wish)
    return rows[0] if rows else None


def _fewer_answers(kind: Kind, wish: Wish) -> Way:
    """The most answers with which the wish is granted, if they can be merged."""
    if kind.mergeable is None:
        return {}
    name, many = kind.mergeable
    few = 2

    def granted(answers: int) -> bool:
        try:
            return is_granted(kind.with_wish(**{name: answers}), wish)
        except ParameterError:  # fewer answers than may be selected
            return False

    if many <= few or not granted(few):
        return {}
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (middle, many) if granted(middle) else (few, middle)
    return {name: few}


def _up(people: int) -> int:
    """A number of people, rounded up to a few digits."""
    unit = int(10 ** max(0, len(str(people)) - _DIGITS))
    return -(-people // unit) * unit


def _rounded_up(value: float) -> float:
    """A value, rounded up to two digits."""
    unit = 10 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit * _NEARLY) * unit:.2g}")


def _in_words(wish: Wish, way: Way) -> str:
    """A way out as a clause."""
    ((name, value),) = way.items()
    if name == "people":
        more = round(value) - (wish.people or 0)
        return f"{more:,} more people ({value:,} in all)"
    if name == "epsilon":
        return f"ε = {as_given(value)} instead of {as_given(wish.epsilon or 0)}"
    if name == "answers":
        return f"answers merged to {value:,}"
    return f"{name.replace('_', ' ')} {as_given(value)} instead of {as_given(wish.value or 0)}"
