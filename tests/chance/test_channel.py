"""Exact conditional laws and the privacy that follows from them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, OUE, Channel
from sudare.errors import ParameterError

THIRD = Fraction(1, 3)


def coin(keep: float) -> Channel:
    """Warner's coin by hand."""
    p = Fraction(keep)
    return Channel({0: {0: p, 1: 1 - p}, 1: {0: 1 - p, 1: p}})


def test_the_enumerated_coin_is_warners() -> None:
    laws = GRR(2, 0.75).channel().laws
    assert laws == {
        0: {b"\0": Fraction(3, 4), b"\1": Fraction(1, 4)},
        1: {b"\0": Fraction(1, 4), b"\1": Fraction(3, 4)},
    }


@given(st.floats(0.51, 0.99), st.floats(0, 5))
def test_delta_of_warners_coin(keep: float, epsilon: float) -> None:
    # One report is more likely under one answer: δ = max(0, p - e^ε (1 - p)).
    delta = coin(keep).delta(epsilon)
    exact = max(0.0, keep - math.exp(epsilon) * (1 - keep))
    assert float(delta) == pytest.approx(exact, abs=1e-12)


def test_delta_is_stated_from_above() -> None:
    p, epsilon = Fraction(3, 4), 0.5
    delta = coin(0.75).delta(epsilon)
    # e^(1/2), from below and above, by its series
    terms = [Fraction(1, 2**i * math.factorial(i)) for i in range(40)]
    low, high = p - sum(terms) * (1 - p) - Fraction(1, 10**40), p - sum(terms) * (1 - p)
    assert low < high < delta < high + Fraction(1, 10**40)


def test_delta_ends_where_epsilon_is_the_ratios() -> None:
    for mechanism in (GRR(2, 0.75), GRR(4, 0.5), OUE(3, 0.5, 0.25)):
        channel = mechanism.channel()
        assert channel.delta(mechanism.epsilon) == 0
        assert channel.delta(mechanism.epsilon * (1 - 1e-9)) > 0
        assert channel.delta(0) > channel.delta(0.5) > 0


def test_delta_at_epsilon_zero_is_the_distance_of_the_laws() -> None:
    assert coin(0.75).delta(0) == pytest.approx(Fraction(1, 2))
    same = Channel({0: {"a": THIRD, "b": 2 * THIRD}, 1: {"a": THIRD, "b": 2 * THIRD}})
    assert same.delta(0) < Fraction(1, 10**40)
    assert same.worst_ratio == 1


def test_an_impossible_report_leaves_no_epsilon_but_a_delta() -> None:
    leaky = Channel({0: {"a": Fraction(1)}, 1: {"a": Fraction(9, 10), "b": Fraction(1, 10)}})
    with pytest.raises(ParameterError, match="no epsilon holds"):
        _ = leaky.worst_ratio
    assert leaky.delta(5.0) == Fraction(1, 10)


def test_the_worst_ratio_looks_at_every_pair_both_ways() -> None:
    half, tenth = Fraction(1, 2), Fraction(1, 10)
    channel = Channel(
        {
            0: {"a": half, "b": half},
            1: {"a": half - tenth, "b": half + tenth},
            2: {"a": 1 - tenth, "b": tenth},
        }
    )
    assert channel.worst_ratio == 6


def test_a_channel_of_some_values_only() -> None:
    mechanism = GRR(5, 0.5)
    assert mechanism.channel([1, 3]).laws.keys() == {1, 3}
    assert mechanism.channel([1, 3]).worst_ratio == mechanism.worst_ratio


def test_the_values_may_be_an_array() -> None:
    assert GRR(5, 0.5).channel(np.array([1, 3])).laws.keys() == {1, 3}
