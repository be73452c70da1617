"""Why a plan can't be had, and the cheapest wishes near by that can."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sudare.errors import NoPlanReason, NoSuchPlan
from sudare.formats.numbers import as_given, counted
from sudare.mechanisms.domain import MOST_PEOPLE
from sudare.planning.granting import Row, can_be_made, rows_of
from sudare.planning.kinds.interface import Kind
from sudare.planning.search import first
from sudare.planning.wish import MOST_EPSILON, Wish

_NEARLY = 1 - 1e-9  # of an error that is just too large
_DIGITS = 3  # of a number of people, and 2 of an error

Way = tuple[str, int | float]
"""A wish by its name, and what it may be instead."""
LeftOut = Mapping[str, int]


def too_long(kind: Kind, wish: Wish, left_out: LeftOut) -> NoSuchPlan:
    """That no report is as short as was wished."""
    return _refusal(
        kind,
        wish,
        "too_long",
        f"most bytes is {wish.most_bytes:,}, and no mechanism's report is as short: the shortest "
        f"has {min(left_out.values()):,}",
        left_out,
    )


def white_noise(kind: Kind, wish: Wish, best: Row, left_out: LeftOut) -> NoSuchPlan:
    """That a plan is worth nothing, with more people, a larger ε, or fewer answers instead."""
    return _refusal(
        kind,
        wish,
        "white_noise",
        f"{_noise(kind, wish, best.people, best.epsilon)}: a result is off by {best.error:.2g}, "
        f"and {kind.guessing}",
        left_out,
    )


def out_of_reach(kind: Kind, wish: Wish) -> NoSuchPlan:
    """That no mechanism grants a wish, with what would."""
    aim = f"{'an' if wish.goal == 'error' else 'a'} {wish.goal} of {as_given(wish.value or 0)}"
    aim, people, epsilon = aim.replace("_", " "), wish.people or 0, wish.epsilon or 0
    who = counted(people, "person", "people")
    reason: NoPlanReason = "out_of_reach"
    if wish.epsilon is not None and not can_be_made(kind, wish, epsilon):
        sentence = f"no mechanism spends as little as ε = {as_given(epsilon)}{_for(kind, wish)}"
    elif wish.found == "people":
        sentence = f"at ε = {as_given(epsilon)} {aim} takes more than {MOST_PEOPLE:,} people"
    elif wish.found == "epsilon":
        sentence = f"{who} can't reach {aim}, even at ε = {MOST_EPSILON:g}"
    else:
        reason = "white_noise"
        sentence = f"{_noise(kind, wish, people, epsilon)}: no result is any better than a guess"
    return _refusal(kind, wish, reason, sentence, {})


def _noise(kind: Kind, wish: Wish, people: int, epsilon: float) -> str:
    """That so many people give white noise."""
    who, give = counted(people, "person", "people"), "gives" if people == 1 else "give"
    return f"{who} at ε = {as_given(epsilon)}{_for(kind, wish)} {give} white noise"


def _for(kind: Kind, wish: Wish) -> str:
    """For how many visits or rounds an ε is, where there are several."""
    if kind.times:
        return f" for {counted(kind.times, 'round')}"
    return f" for {wish.visits:,} visits" if wish.visits > 1 else ""


def _refusal(
    kind: Kind, wish: Wish, reason: NoPlanReason, sentence: str, left_out: LeftOut
) -> NoSuchPlan:
    """A refusal with those ways out that lead somewhere."""
    ways: dict[str, int | float] = {}
    for name, value in _ways(kind, wish, sorted(left_out.values())):
        if name not in ways and is_granted(*_changed(kind, wish, name, value)):
            ways[name] = value
    if ways:
        words = [_in_words(wish, name, value) for name, value in ways.items()]
        listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        sentence += f"; what would do: {listed}"
    return NoSuchPlan(reason, sentence, tuple({name: value} for name, value in ways.items()))


def is_granted(kind: Kind, wish: Wish) -> bool:
    """Whether there is a plan that is no white noise."""
    if wish.value is not None and wish.value >= kind.guess(wish.goal):
        return False
    row = _best(kind, wish)
    return row is not None and not is_noise(kind, row)


def is_noise(kind: Kind, row: Row) -> bool:
    """Whether a guess would do as well."""
    return row.reached[kind.judged] >= kind.guess(kind.judged)


def _changed(kind: Kind, wish: Wish, name: str, value: float) -> tuple[Kind, Wish]:
    change: dict[str, Any] = {name: value}
    if name in kind.wishes:
        return kind.with_wish(**change), wish
    return kind, replace(wish, **change)


def _ways(kind: Kind, wish: Wish, longer: Sequence[int]) -> Iterator[Way]:
    """What may be changed, the least that may do; of a report's bytes one of those that are."""
    enough: dict[str, Any] = {} if wish.value else {kind.judged: _just_no_guess(kind)}
    if wish.people is not None:
        budget = wish.epsilon or MOST_EPSILON
        row = _best(kind, replace(wish, people=None, epsilon=budget, **enough))
        if row is not None and row.people > wish.people:
            yield "people", _up(row.people)
    if wish.epsilon is not None:
        people = wish.people or MOST_PEOPLE
        row = _best(kind, replace(wish, people=people, epsilon=None, **enough))
        if row is not None and row.epsilon > wish.epsilon:
            yield "epsilon", row.epsilon
    yield from _fewer_answers(kind, wish)
    yield from (("most_bytes", size) for size in longer)
    if wish.value is not None:
        yield from _other_value(kind, wish, wish.value)


def _other_value(kind: Kind, wish: Wish, value: float) -> Iterator[Way]:
    """The best value of the goal that can be reached, or the worst that is no white noise."""
    unknown: dict[str, Any] = {wish.goal: None}
    people, epsilon = wish.people or MOST_PEOPLE, wish.epsilon or MOST_EPSILON
    given = replace(wish, people=people, epsilon=epsilon, **unknown)
    best = min((row.reached[wish.goal] for row in rows_of(kind, given)[0]), default=math.inf)
    if value < best < math.inf:
        yield wish.goal, _rounded(best, math.ceil)
    elif best <= value and wish.goal != kind.judged:
        unknown[kind.judged] = _just_no_guess(kind)
        row = _best(kind, replace(wish, **unknown))
        if row is not None and row.reached[wish.goal] < value:
            yield wish.goal, _rounded(row.reached[wish.goal], math.floor)


def _just_no_guess(kind: Kind) -> float:
    """The worst of what is judged that isn't white noise."""
    return kind.guess(kind.judged) * _NEARLY


def _best(kind: Kind, wish: Wish) -> Row | None:
    rows, _ = rows_of(kind, wish)
    return rows[0] if rows else None


def _fewer_answers(kind: Kind, wish: Wish) -> Iterator[Way]:
    """The most answers with which the wish is granted, if they can be merged."""
    if kind.mergeable is None:
        return
    name, many, few = kind.mergeable

    def granted(answers: int) -> bool:
        return is_granted(kind.with_wish(**{name: answers}), wish)

    if many > few and granted(few):
        refused = first(lambda more: not granted(few + more), many - few) or 1
        yield name, few + refused - 1


def _up(people: int) -> int:
    """A number of people, rounded up to a few digits."""
    unit = int(10 ** max(0, len(str(people)) - _DIGITS))
    return -(-people // unit) * unit


def _rounded(value: float, rounding: Callable[[float], int]) -> float:
    """A value, rounded up or down to two digits."""
    unit = 10 ** (math.floor(math.log10(value)) - 1)
    return float(f"{rounding(value / unit) * unit:.2g}")


def _in_words(wish: Wish, name: str, value: float) -> str:
    """A way out as a clause."""
    if name == "people":
        more = round(value) - (wish.people or 0)
        return f"{more:,} more people ({value:,} in all)"
    if name == "epsilon":
        return f"ε = {as_given(value)} instead of {as_given(wish.epsilon or 0)}"
    if name == "answers":
        return f"answers merged to {value:,}"
    return f"{name.replace('_', ' ')} {as_given(value)} instead of {as_given(getattr(wish, name))}"
