"""Theorem 4: where it is false as printed, and what of it is true; and figure 2."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtr, bdtrc

from sudare import Harmony
from sudare.errors import ParameterError
from sudare.planning.bounds.chernoff import maximal_error_bound
from sudare.planning.bounds.continual import (
    Reading,
    Setting,
    dense_bound,
    harmony_lower_bound,
    printed_theta,
    solved_theta,
)
from support.chance import ALPHA
from support.scripts import paper_module

CLOSED = paper_module("continual-counting", "closed_forms")


@pytest.mark.parametrize(("reading", "edge"), [(printed_theta, 7.8217), (solved_theta, 6.2026)])
def test_the_crossover_of_figure_2(reading: Reading, edge: float) -> None:
    """N = 10⁶, T = 10, β = 1/(2(N + 1)²): the document sees it at ε = 8, which is as printed."""
    setting = Setting(10, 10**6, 1.0, 1 / (2 * (10**6 + 1) ** 2))
    assert CLOSED.harmony_crossover(setting, reading) == pytest.approx(edge, abs=5e-5)
    for epsilon, below in ((edge - 0.01, False), (edge + 0.01, True)):
        at = replace(setting, epsilon=epsilon)
        assert (dense_bound(at, 0.0, reading) < harmony_lower_bound(at)) == below


def test_glance_s_bound_may_never_cross() -> None:
    """With few people the floor of θ is above Harmony's bound at every ε."""
    setting = Setting(10, 2000, 1.0, 1 / (2 * 2001**2))
    assert CLOSED.harmony_crossover(setting) == math.inf


@given(
    rounds=st.integers(1, 100),
    people=st.integers(1, 10**6),
    epsilon=st.floats(0.05, 10),
    rarity=st.floats(1e-3, 60),
)
def test_theorem_4_holds_with_probability_beta(
    rounds: int, people: int, epsilon: float, rarity: float
) -> None:
    """Everybody in state 1: one round alone is off by more with probability β, exactly."""
    setting = Setting(rounds, people, epsilon, math.exp(-rarity) / (people + 1) ** 2)
    keep = 1 / (1 + math.exp(-epsilon))
    said = keep / rounds
    if people * said * (1 - said) < max(1, rarity) * (1 + 1e-9):
        return
    x = harmony_lower_bound(setting) * (2 * keep - 1) / rounds
    assert _exceeded(people, said, x) >= setting.beta


def _exceeded(people: int, said: float, x: float) -> float:
    """The chance that the mean of so many bits is off by more than x."""
    above, below = math.floor(people * (said + x) + 1e-9), math.ceil(people * (said - x) - 1e-9)
    exceeded = float(bdtrc(above, people, said)) if above < people else 0.0
    return exceeded + (float(bdtr(below - 1, people, said)) if below > 0 else 0.0)


def test_theorem_4_needs_counts_that_vary() -> None:
    """One person: off by more than the document's root with a chance of .119, below β = .152."""
    setting = Setting(1, 1, 2.0, math.exp(-0.5) / 4)
    keep = 1 / (1 + math.exp(-2))
    assert _exceeded(1, keep, math.sqrt(keep * (1 - keep) * 0.5)) < setting.beta
    with pytest.raises(ParameterError, match=r"= 0\.105 to be at least 1$"):
        harmony_lower_bound(setting)
    rare = Setting(1, 60, 0.1, math.exp(-80) / 61**2)
    with pytest.raises(ParameterError, match=r"= 14\.96 to be at least 80$"):
        harmony_lower_bound(rare)


@given(st.integers(1, 1000), st.floats(0.05, 10))
def test_theorem_4_s_root_is_the_document_s(rounds: int, epsilon: float) -> None:
    people = 10**6
    setting, e = Setting(rounds, people, epsilon, 1e-20), math.exp(epsilon)
    root = rounds / people * e * (e + 1) / (e - 1) ** 2 * (1 - e / (e + 1) / rounds)
    printed = math.sqrt(root * math.log(1 / ((people + 1) ** 2 * 1e-20)))
    if rounds > 1:
        assert harmony_lower_bound(setting) == pytest.approx(printed, rel=1e-9)


def test_theorem_4_is_false_as_printed(seed: int) -> None:
    """ "With probability 1 - β" would leave an error below the bound a chance of β = 5·10⁻⁹.

    Of 1000 simulations about a third have one. Were the claim true, even two would have a
    chance below 10⁻⁹.
    """
    people = 10_000
    setting = Setting(2, people, 4.0, 1 / (2 * (people + 1) ** 2))
    generator = np.random.default_rng(seed)
    keep = 1 / (1 + math.exp(-setting.epsilon))
    fallen = generator.multinomial(people, [0.5, 0.5], size=1000)
    said = generator.binomial(fallen, keep)  # everybody is in state 1
    errors = np.abs((2 * said / people - (1 - keep)) / (2 * keep - 1) - 1).max(axis=1)
    missed = int((errors <= harmony_lower_bound(setting)).sum())
    assert missed > 200
    assert bdtrc(missed - 1, 1000, setting.beta) < ALPHA


def test_theorem_4_is_false_as_printed_on_every_stream() -> None:
    """The error is above the bound with probability below ½, whatever the stream."""
    setting = Setting(50, 10_000, 4.0, 1e-60)
    typical = maximal_error_bound(Harmony.calibrate(50, 4.0), 10_000, 0.5)
    assert typical < harmony_lower_bound(setting)


def test_theorem_4_speaks_of_small_beta_only() -> None:
    with pytest.raises(ParameterError, match=r"below 1/\(people \+ 1\)\^2 = 1e-08, got 0.1"):
        harmony_lower_bound(Setting(50, 10_000, 4.0, 0.1))
