"""What a budget means, said when it is chosen: little or much of it, and one that was lowered.

Nothing is refused here. A budget is whoever asks's to choose, and theirs to know.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

from sudare.cli.shared.terminal import say
from sudare.results.wording import at_most

if TYPE_CHECKING:
    from sudare.mechanisms.interface import Mechanism

_LITTLE, _MUCH = 0.01, 10.0  # budgets below and above are asked about
_NEAR = 1e-6  # a part of a budget that nobody misses
_MOST_PEOPLE = 10**6  # whom chances are told in


def remark_budget(asked: float, spent: float, mechanism: "Mechanism") -> None:
    """Say on stderr what is unusual about an ε that was asked for, and what it gives.

    Args:
        asked: the ε.
        spent: what a person really spends of it.
        mechanism: that was made for it.
    """
    from sudare.chance.exact import exp_enclosed, text_up

    lowered = spent < asked * (1 - _NEAR)
    if lowered:
        say(
            f"Note: ε = {text_up(asked)} was lowered to {text_up(spent)}, the most that "
            f"{mechanism.name} can spend with chances that are multiples of 2⁻⁵³.",
            err=True,
        )
    meant = spent if lowered else asked
    if meant < _LITTLE:
        say(
            f"Is ε = {text_up(spent)} meant? It says next to nothing of anybody: "
            f"{_odds(mechanism)} It takes very many people to see through so much noise; usual are "
            f"0.5 to 4.",
            err=True,
        )
    elif meant > _MUCH:
        say(
            f"Is ε = {text_up(spent)} meant? It hides next to nothing: {_odds(mechanism)} What "
            f"is sent may be {at_most(exp_enclosed(Fraction(spent))[1])} times likelier under one "
            f"answer than under another; usual are 0.5 to 4.",
            err=True,
        )


def _odds(mechanism: "Mechanism") -> str:
    """How many reports say an answer, of people who hold it and of others, in whole people."""
    holder, others = getattr(mechanism, "holder", None), getattr(mechanism, "others", None)
    if holder is None or others is None:
        return mechanism.odds
    people = 100
    while (
        people < _MOST_PEOPLE and not 0 < round(people * others) < round(people * holder) < people
    ):
        people *= 10
    told = _of(round(people * holder), people)
    return (
        f"of {people:,} people with an answer, {told} reports say it; of {people:,} without it, "
        f"{_of(round(people * others), people)}."
    )


def _of(some: int, everyone: int) -> str:
    """So many people, in a word where they are none or all."""
    return {0: "none", everyone: f"all {everyone:,}"}.get(some, f"{some:,}")
