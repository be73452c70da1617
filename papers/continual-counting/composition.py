"""Theorem 1: what several mechanisms tell together, enumerated as fractions."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import product

from record import Row

from sudare import Borappor
from sudare.chance.channel import Channel, Law
from sudare.chance.exact import log_up
from sudare.errors import ParameterError

RATIOS = (Fraction(2), Fraction(3, 2), Fraction(3), Fraction(5, 4))  # e^ε of each response
SIXTHS = 6  # chances of the channels of which all are tried
QUARTERS = 4
_ROUNDS, _EPSILON = 3, 1.5

Case = tuple[Channel, Mapping[Hashable, Channel]]


def response(ratio: Fraction) -> Channel:
    """Randomised response with e^ε = ``ratio``."""
    keep = ratio / (1 + ratio)
    return Channel({state: {state: keep, 1 - state: 1 - keep} for state in (0, 1)})


def in_turn(first: Channel, then: Mapping[Hashable, Channel]) -> Channel:
    """Two mechanisms with fresh chance, the second chosen by what the first said.

    A value is a pair, one for each; two values may differ in both.
    """
    values = next(iter(then.values())).laws
    return Channel(
        {
            (a, b): {
                (x, y): chance * more
                for x, chance in law.items()
                for y, more in then[x].laws[b].items()
            }
            for a, law in first.laws.items()
            for b in values
        }
    )


def always(first: Channel, second: Channel) -> dict[Hashable, Channel]:
    """The same second mechanism, whatever the first said."""
    return {said: second for law in first.laws.values() for said in law}


def channels(parts: int, values: int, outputs: int) -> list[Channel]:
    """Every channel whose chances are positive multiples of 1/``parts``."""
    laws: list[Law] = [
        {output: Fraction(weight, parts) for output, weight in enumerate(weights)}
        for weights in product(range(1, parts), repeat=outputs)
        if sum(weights) == parts
    ]
    return [Channel(dict(enumerate(chosen))) for chosen in product(laws, repeat=values)]


def rows() -> list[Row]:
    """The bound where it is attained, where it isn't, and what it needs."""
    return [*_response_rows(), *_exhaustive_rows(), _borappor_row(), _shared_row()]


def _response_rows() -> list[Row]:
    found, whole, allowed = [], response(RATIOS[0]), RATIOS[0]
    for number, ratio in enumerate(RATIOS[1:], start=2):
        whole, allowed = in_turn(whole, always(whole, response(ratio))), allowed * ratio
        found.append(
            Row(
                f"theorem1.responses.{number}",
                f"Theorem 1: e^ε of {number} randomised responses, over the product of theirs",
                "at most 1",
                float(whole.worst_ratio / allowed),
                _verdict(whole.worst_ratio, allowed),
            )
        )
    return found


def _verdict(found: Fraction, allowed: Fraction) -> str:
    if found > allowed:
        return "refuted"
    return "confirmed: attained, so no smaller sum would do" if found == allowed else "confirmed"


def _exhaustive_rows() -> list[Row]:
    binary, ternary = channels(SIXTHS, 2, 2), channels(QUARTERS, 3, 3)
    few = channels(QUARTERS, 2, 2)
    pairs = [(first, always(first, second)) for first, second in product(binary, repeat=2)]
    chosen: list[Case] = [
        (first, {0: one, 1: other}) for first, one, other in product(few, repeat=3)
    ]
    wide = [(first, always(first, second)) for first, second in product(ternary, repeat=2)]
    return [
        _exhaustive_row("pairs", "2 states, 2 answers, sixths", pairs),
        _exhaustive_row("same", "the same, and both are told the same state", pairs, same=True),
        _exhaustive_row("adaptive", "quarters, the second chosen by the first's answer", chosen),
        _exhaustive_row("wide", "3 states, 3 answers, quarters", wide),
    ]


def _exhaustive_row(
    name: str,
    what: str,
    cases: Sequence[Case],
    *,
    same: bool = False,
) -> Row:
    ratios = {
        id(each): each.worst_ratio for first, then in cases for each in (first, *then.values())
    }
    compared = []
    for first, then in cases:
        whole = in_turn(first, then)
        if same:
            whole = Channel({state: whole.laws[state, state] for state in first.laws})
        allowed = ratios[id(first)] * max(ratios[id(each)] for each in then.values())
        compared.append((whole.worst_ratio, allowed))
    above = sum(found > allowed for found, allowed in compared)
    attained = sum(found == allowed for found, allowed in compared)
    return Row(
        f"theorem1.{name}",
        f"Theorem 1: every pair of channels ({what}), {len(cases):,} in all: those whose e^ε is "
        f"above the product",
        0,
        above,
        "refuted" if above else f"confirmed: attained by {attained:,}",
    )


def _borappor_row() -> Row:
    mechanism = Borappor.calibrate(_ROUNDS, _EPSILON)
    found = mechanism.channel(list(mechanism.domain)).worst_ratio
    keep = Fraction(mechanism.keep)
    each = keep / (1 - keep)
    return Row(
        "theorem1.borappor",
        f"Theorem 1: BORAPPOR's own code, {_ROUNDS} rounds at ε = {_EPSILON}: ε of the whole "
        f"stream's enumerated law",
        _EPSILON,
        log_up(found),
        f"confirmed: {_ROUNDS} times that of a round, as fractions"
        if found == each**_ROUNDS and log_up(found) <= _EPSILON
        else "refuted",
    )


def _shared_row() -> Row:
    """Two responses that lie together: what the theorem leaves unsaid."""
    ratio = RATIOS[0]
    lies = {0: ratio / (1 + ratio), 1: 1 / (1 + ratio)}
    whole = Channel(
        {
            (a, b): {(a ^ lie, b ^ lie): chance for lie, chance in lies.items()}
            for a, b in product((0, 1), repeat=2)
        }
    )
    alone = Channel({a: {a ^ lie: chance for lie, chance in lies.items()} for a in (0, 1)})
    allowed = float(alone.worst_ratio**2)
    try:
        together: float | str = float(whole.worst_ratio)
        holds = whole.worst_ratio <= alone.worst_ratio**2
    except ParameterError:  # whether the states are alike is seen for certain
        together, holds = "no ε", False
    return Row(
        "theorem1.shared",
        f"Theorem 1 if two responses of e^ε = {alone.worst_ratio} lie together: e^ε of both",
        allowed,
        together,
        "confirmed" if holds else "differs: each needs chance of its own, which isn't said",
    )
