"""Each party adds its own noise: the mean that every table is compared with."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.integer_law import IntegerLaw
from sudare.twoparty.noise.law import divergence

UNIT = 10**30


def laplace(rate: float) -> IntegerLaw:
    """The discrete Laplace law in whole units of 1e-30, as far as there are any."""
    p, side = Fraction(math.exp(-rate)), [UNIT]
    while side[-1]:
        side.append(side[-1] * p.numerator // p.denominator)
    return IntegerLaw(1 - len(side), (*side[:0:-1], *side)).trimmed


@given(epsilon=st.floats(0.1, 12), sensitivity=st.integers(1, 3))
def test_the_closed_form_is_the_mean_of_the_summed_law(epsilon: float, sensitivity: int) -> None:
    guarantee = Guarantee(epsilon, 1e-3, sensitivity)
    one = laplace(epsilon / sensitivity)
    both = one * one
    assert guarantee.best_mean == pytest.approx(float(one.mean_size), rel=1e-9)
    assert guarantee.own_noise_mean == pytest.approx(float(both.mean_size), rel=1e-9)
    # Never less than half as much again as the best, and less than twice.
    assert 1.5 < guarantee.own_noise_mean / guarantee.best_mean < 2
    p = math.exp(-epsilon / sensitivity)
    for k in range(4):
        chance = ((1 - p) / (1 + p)) ** 2 * p**k * (k + (1 + p * p) / (1 - p * p))
        assert both[k] / both.total == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "mean"), [(1.0, 1.3672349), (0.5, 2.9361089), (0.25, 5.9685603), (0.1, 14.9874876)]
)
def test_the_means_at_the_documents_budgets(epsilon: float, mean: float) -> None:
    assert Guarantee(epsilon, 1e-6).own_noise_mean == pytest.approx(mean, abs=5e-8)


def test_a_party_that_knows_its_own_noise_is_left_with_enough() -> None:
    """The other's noise alone keeps ε with next to no δ, and no less would."""
    seen = [(1, laplace(1.0))]
    assert divergence(seen, Fraction(1), (1, -1)) < Fraction(1, 10**15)
    assert divergence(seen, Fraction(9, 10), (1, -1)) > Fraction(1, 100)
