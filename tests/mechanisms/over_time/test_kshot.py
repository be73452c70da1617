"""In how many rounds a person reports: the closed forms, and the choice."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import KShot
from sudare.mechanisms.over_time.kshot import (
    MOST_SHOTS,
    best_shots,
    few_chance,
    flip_chance,
    patterns,
    round_variance,
)

SHARES = [0, 0.0005, 0.005, 0.05, 0.2, 0.5, 0.8, 0.95, 0.995, 0.9995, 1]


def variance(rounds: int, design: tuple[int, int], epsilon: float, share: float) -> float:
    flip = float(flip_chance(*design, Fraction(few_chance(*design, epsilon))))
    return round_variance(rounds, design[0], flip, share)


def every_design(rounds: int) -> list[tuple[int, int]]:
    """Also those that lie more often than not among few: they are never best."""
    most = min(rounds, MOST_SHOTS)
    return [(shots, flips) for shots in range(1, most + 1) for flips in range(shots)]


@pytest.mark.parametrize("shots", range(1, 9))
def test_patterns_are_counted(shots: int) -> None:
    every = list(product((0, 1), repeat=shots))
    for flips in range(shots):
        near = [pattern for pattern in every if sum(pattern) <= flips]
        far = [pattern for pattern in every if sum(pattern) > flips]
        assert patterns(shots, flips) == (len(near), len(far))
        few = Fraction(7, 8)
        first = few * Fraction(sum(pattern[0] for pattern in near), len(near))
        first += (1 - few) * Fraction(sum(pattern[0] for pattern in far), len(far))
        assert flip_chance(shots, flips, few) == first


@given(shots=st.integers(1, MOST_SHOTS), data=st.data(), epsilon=st.floats(0.01, 12))
def test_few_flips_spend_the_budget(shots: int, data: st.DataObject, epsilon: float) -> None:
    flips = data.draw(st.integers(0, shots - 1))
    near, far = patterns(shots, flips)
    few = few_chance(shots, flips, epsilon)
    assert math.log(few / near) - math.log((1 - few) / far) == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 3, 3.2, 3.25, 4, 5, 6, 8, 12])
@pytest.mark.parametrize("rounds", [1, 2, 5, 50, 1000])
def test_told_nothing_it_is_nowhere_much_worse_than_glance(rounds: int, epsilon: float) -> None:
    design = best_shots(rounds, epsilon)
    for share in SHARES:
        ratio = variance(rounds, design, epsilon, share) / variance(rounds, (1, 0), epsilon, share)
        assert ratio <= 1.02**2
    others = [other for other in every_design(rounds) if other[1] < (other[0] + 1) // 2]
    for other in others:  # and none that keeps this rule is better
        extreme = variance(rounds, other, epsilon, 0.0)
        if extreme <= 1.02**2 * variance(rounds, (1, 0), epsilon, 0.0):
            mine, its = (variance(rounds, made, epsilon, 0.5) for made in (design, other))
            assert mine <= its * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [1.0, 2.0, 3.0, 4.0, 6.0, 8.0])
def test_told_one_half_no_design_is_better(epsilon: float) -> None:
    best = variance(50, best_shots(50, epsilon, 0.5, 0.5), epsilon, 0.5)
    assert best == min(variance(50, design, epsilon, 0.5) for design in every_design(50))


def test_the_mechanism_has_the_stated_variance() -> None:
    """Up to the budget's rounding to multiples of 2⁻⁵³."""
    mechanism = KShot.calibrate(50, 4.0, low=0.4, high=0.6)
    design = (mechanism.shots, mechanism.flips)
    assert design == best_shots(50, 4.0, 0.4, 0.6)
    stated = round_variance(50, mechanism.shots, float(mechanism.flip), 0.4)
    assert stated == pytest.approx(variance(50, design, 4.0, 0.4))
