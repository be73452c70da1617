"""The ε that a discovery costs a person, and the mechanisms that a budget allows."""

import math
from fractions import Fraction
from typing import Literal

from sudare.chance.exact import affordable, check_epsilon
from sudare.errors import ParameterError
from sudare.mechanisms.rappor import Form, Rappor

Asks = Literal["either", "both"]


def together(asks: Asks, words: Fraction, grams: Fraction) -> Fraction:
    """The worst ratio of all that a person sends, from those of a whole text and of a gram.

    What a person is asked is drawn whatever their text is, and tells nothing. Given that, two
    reports are independent and their ratios multiply; of one report, the worse kind counts.
    """
    return words * grams if asks == "both" else max(words, grams)


def spend(  # noqa: PLR0913 - the parameters of two mechanisms
    epsilon: float,
    *,
    lifetime: float | None,
    asks: Asks,
    split: float,
    bits: int,
    cohorts: int,
) -> tuple[Rappor, Rappor]:
    """The mechanisms of whole texts and of grams that together spend at most the budget."""
    budget = check_epsilon(epsilon)
    if not 0 < split < 1:
        raise ParameterError(f"the split must lie between 0 and 1, got {split}")
    form: Form = "instant" if lifetime is None else "full"
    whole_life = None if lifetime is None else check_epsilon(lifetime, "lifetime")
    parts = (split, 1 - split) if asks == "both" else (1.0, 1.0)

    def spending(part: float) -> Rappor:
        lasting = None if whole_life is None else part * whole_life
        return Rappor.calibrate(
            part * budget, form=form, lifetime=lasting, bits=bits, cohorts=cohorts
        )

    def afforded(words: Rappor, grams: Rappor) -> bool:
        ratio = together(asks, words.worst_ratio, grams.worst_ratio)
        if words.lifetime_ratio is None or grams.lifetime_ratio is None or whole_life is None:
            return affordable(ratio, budget)
        lasting = together(asks, words.lifetime_ratio, grams.lifetime_ratio)
        return affordable(ratio, budget) and affordable(lasting, whole_life)

    spare = 1.0
    while not afforded(*(pair := (spending(parts[0] * spare), spending(parts[1] * spare)))):
        spare = math.nextafter(spare, 0)  # two parts, each rounded, can be more than the whole
    return pair
