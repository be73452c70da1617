"""Figure 2: Glance's upper bound against Harmony's lower bound, and where they cross."""

import math

from closed_forms import harmony_crossover
from record import Row
from setting import READINGS

from sudare.planning.bounds.continual import Setting, harmony_lower_bound

PEOPLE, ROUNDS = 1_000_000, 10
SAID = 8  # “reversed at ε = 8”
EPSILONS = tuple(range(1, 11))


def at(epsilon: float) -> Setting:
    """The caption's setting: β = 1 / (2(N + 1)²)."""
    return Setting(ROUNDS, PEOPLE, epsilon, 1 / (2 * (PEOPLE + 1) ** 2))


def glance_bound(reading: str, epsilon: float) -> float:
    """Theorem 5's 2θ."""
    return 2 * READINGS[reading](at(epsilon))


def crossing(reading: str) -> float:
    """From this ε on Glance's bound is the lower one."""
    return harmony_crossover(at(1.0), READINGS[reading])


def rows() -> list[Row]:
    """Both bounds at each ε, and where they cross."""
    return [*map(_crossing_row, READINGS), *_bound_rows()]


def _crossing_row(reading: str) -> Row:
    place = crossing(reading)
    first = math.ceil(place)
    return Row(
        f"figure2.{reading}.crossing",
        f"figure 2, θ {reading}: Glance's 2θ is below Harmony's lower bound from this ε on",
        SAID,
        place,
        f"confirmed: {first} is the first whole ε after it"
        if first == SAID
        else f"differs: reversed at ε = {first} already, so the figure shows the other θ",
    )


def _bound_rows() -> list[Row]:
    found = []
    for epsilon in EPSILONS:
        bounds = {f"glance.{reading}": glance_bound(reading, epsilon) for reading in READINGS}
        bounds["harmony"] = harmony_lower_bound(at(epsilon))
        found += [
            Row(f"figure2.{name}.{epsilon}", f"figure 2, {name}, ε = {epsilon}", "figure", *pair)
            for name, bound in bounds.items()
            for pair in [(bound, "measured")]
        ]
    return found
