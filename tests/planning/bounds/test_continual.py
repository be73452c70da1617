"""The document's error theory: what it says, what it claims of itself, and that it covers."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import bdtrc

from sudare.errors import ParameterError
from sudare.planning.bounds.continual import (
    Reading,
    Setting,
    condition_edge,
    dense_bound,
    dense_or_sparse,
    divergence,
    general_bound,
    general_people,
    harmony_lower_bound,
    noise_exponent,
    printed_theta,
    sampling_bound,
    solved_theta,
)
from support.chance import ALPHA
from support.scripts import paper_module

CLOSED = paper_module("continual-counting", "closed_forms")

FIGURE_3 = Setting(50, 10_000, 4.0, 0.1)
BOTH = pytest.mark.parametrize("reading", [solved_theta, printed_theta])
REPETITIONS = 4000

rounds_, betas = st.integers(1, 10_000), st.floats(1e-12, 0.5)
epsilons, plenty = st.floats(1e-3, 300), st.floats(1.001, 1e6)


def setting(rounds: int, beta: float, epsilon: float, plenty: float) -> Setting:
    least = Setting(rounds, 1, epsilon, beta).least_people
    return Setting(rounds, math.ceil(plenty * least), epsilon, beta)


settings = st.builds(setting, rounds_, betas, epsilons, plenty)


@given(settings)
def test_theta_solves_the_condition_and_is_printed_twice_as_large(setting: Setting) -> None:
    theta = solved_theta(setting)
    assert noise_exponent(setting.epsilon, theta) == pytest.approx(setting.L, rel=1e-9)
    assert printed_theta(setting) == 2 * theta


@given(st.builds(setting, rounds_, betas, st.floats(0.01, 30), plenty))
def test_theta_is_printed_as_in_the_document(setting: Setting) -> None:
    """Equation (1) and the right side of (2), letter by letter."""
    e, L, theta = math.exp(setting.epsilon), setting.L, printed_theta(setting)
    a = 2 * e / 9 * L
    printed = 2 * e / (3 * (e - 1)) * L + 3 / (e - 1) * math.sqrt(a**2 + 4 * a)
    assert theta == pytest.approx(printed, rel=1e-9)
    right = ((e - 1) ** 2 * theta**2 / (2 * e)) / (1 + (e - 1) * theta / 3)
    assert noise_exponent(setting.epsilon, theta) == pytest.approx(right, rel=1e-9)


@given(settings)
def test_the_exponent_is_what_a_round_needs(setting: Setting) -> None:
    reached = math.exp(setting.people * math.log1p(math.expm1(-setting.L) / setting.rounds))
    assert reached <= setting.beta / (4 * setting.rounds) * (1 + 1e-6)


def test_too_few_people_are_told_how_many_it_takes() -> None:
    few = Setting(50, 380, 1.0, 0.1)
    assert few.least_people == 381 == math.floor(50 * math.log(2000)) + 1
    with pytest.raises(ParameterError, match=r"at least 381 people for 50 rounds .*, got 380"):
        general_bound(few)
    assert general_bound(replace(few, people=381)) > 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ((0, 10, 1.0, 0.1), "rounds must be between 1 and"),
        ((2, 0, 1.0, 0.1), "people must be between 1 and"),
        ((2, 10, 0.0, 0.1), "epsilon must be above 0 and finite, got 0.0"),
        ((2, 10, 1.0, 0.0), "beta must be between 0 and 1, got 0.0"),
        ((2, 10, 1.0, 1.0), "beta must be between 0 and 1, got 1.0"),
        ((2, 10, 1.0, math.nan), "beta must be between 0 and 1, got nan"),
    ],
)
def test_settings_that_mean_nothing_are_refused(
    wrong: tuple[int, int, float, float], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        Setting(*wrong)


def test_divergence_keeps_its_conventions() -> None:
    assert divergence(0.25, 0.5) == pytest.approx(0.25 * math.log(0.5) + 0.75 * math.log(1.5))
    assert divergence(0.0, 0.25) == pytest.approx(
        -math.log(0.75)
    )  # finite, where the document says infinite
    assert divergence(1.0, 0.25) == pytest.approx(math.log(4))
    assert divergence(-1e-9, 0.5) == divergence(1 + 1e-9, 0.5) == math.inf
    assert divergence(0.5, 0.0) == divergence(0.5, 1.0) == math.inf
    assert divergence(0.0, 0.0) == divergence(1.0, 1.0) == divergence(0.3, 0.3) == 0.0


def test_the_document_s_claims_hold_as_printed() -> None:
    """T = 50, N = 10⁴, β = 0.1: μ = .9995 satisfies (2) on 1 .. 8, μ = ½ does not from 2.5 on."""
    for epsilon in np.linspace(1, 8, 71).tolist():
        at = replace(FIGURE_3, epsilon=epsilon)
        assert dense_or_sparse(at, 0.9995, printed_theta)
        assert dense_or_sparse(at, 0.5, printed_theta) == (epsilon < 2.161)
        # Figure 3's caption has μ = .995: as printed it satisfies (2) as well, as solved not.
        assert dense_or_sparse(at, 0.995, printed_theta)
        assert dense_or_sparse(at, 0.995, solved_theta) == (epsilon < 6.418)


@pytest.mark.parametrize(
    ("people", "reading", "edge"),
    [
        (10_000, printed_theta, 1.8988),
        (100_000, printed_theta, 1.8032),
        (10_000, solved_theta, 1.8294),
        (100_000, solved_theta, 1.7829),
    ],
)
def test_the_boundary_of_figure_1_at_one_half(people: int, reading: Reading, edge: float) -> None:
    """T = 10, β = 0.1; the text says 100,000 people, the caption 10,000."""
    setting = Setting(10, people, 1.0, 0.1)
    assert condition_edge(setting, 0.5, reading) == pytest.approx(edge, abs=5e-5)
    for share in (0.0, 0.5, 1.0):
        for epsilon in (edge - 1e-4, edge + 1e-4):
            holds = dense_or_sparse(replace(setting, epsilon=epsilon), share, reading)
            assert holds == (share != 0.5 or epsilon < edge)


@BOTH
@given(setting=settings, share=st.floats(0, 1))
def test_the_condition_has_one_edge(setting: Setting, share: float, reading: Reading) -> None:
    edge = condition_edge(setting, share, reading)
    for epsilon in np.geomspace(0.01, 300, 40).tolist():
        if abs(epsilon - edge) > 1e-6:
            holds = dense_or_sparse(replace(setting, epsilon=epsilon), share, reading)
            assert holds == (epsilon < edge)


@given(settings)
def test_rates_are_right_up_to_a_constant(setting: Setting) -> None:
    """From four times the people that are needed on; over 20 orders of magnitude."""
    assume(setting.people >= 4 * setting.least_people)
    assert 0.7 < general_bound(setting) / CLOSED.general_rate(setting) < 1.8
    assert 0.6 < solved_theta(setting) / CLOSED.dense_rate(setting) < 2.4
    rare = replace(setting, beta=setting.beta / (setting.people + 1) ** 2)
    if setting.rounds > 1:
        assert 0.4 < harmony_lower_bound(rare) / CLOSED.harmony_rate(rare) <= 1


def test_the_product_of_corollary_5_leaves_the_floor_out() -> None:
    """√(T log(T/β) / e^ε N) √(T log(T/β) / N) falls to 0; 2θ stops at 4L/3."""
    floor = CLOSED.dense_floor(FIGURE_3)
    assert floor == pytest.approx(4 * FIGURE_3.L / 3)
    assert CLOSED.dense_floor(FIGURE_3, printed_theta) == pytest.approx(8 * FIGURE_3.L / 3)
    at = replace(FIGURE_3, epsilon=30.0)
    assert dense_bound(at, 0.0) == pytest.approx(floor, rel=1e-3)
    log_rounds = 50 * math.log(500) / 10_000
    assert log_rounds * math.exp(-15) < floor / 1e5
    assert CLOSED.dense_rate(at) == pytest.approx(log_rounds, rel=1e-3)


@given(st.builds(setting, rounds_, betas, st.floats(0.05, 30), plenty), st.floats(0.01, 0.5))
def test_people_for_a_wanted_error(setting: Setting, error: float) -> None:
    fewest = general_people(setting, error)
    assert general_bound(replace(setting, people=fewest)) <= error
    if fewest > setting.least_people:
        assert general_bound(replace(setting, people=fewest - 1)) > error


def test_wanted_errors_that_can_not_be_had_are_refused() -> None:
    with pytest.raises(ParameterError, match="above 0 and finite, got 0"):
        general_people(FIGURE_3, 0.0)
    with pytest.raises(ParameterError, match="no number of people up to"):
        general_people(FIGURE_3, 1e-12)


def test_theorem_5_is_refused_where_its_condition_fails() -> None:
    with pytest.raises(ParameterError, match=r"it does up to epsilon = 1\.951"):
        dense_bound(FIGURE_3, 0.5)
    with pytest.raises(ParameterError, match=r"a share must be between 0 and 1, got 1\.5"):
        dense_or_sparse(FIGURE_3, 1.5)


class Drawn:
    """Glance's noise and sampling parts, drawn for many streams of equal shares."""

    def __init__(self, setting: Setting, share: float, seed: int) -> None:
        generator = np.random.default_rng(seed)
        keep, held = 1 / (1 + math.exp(-setting.epsilon)), round(share * setting.people)
        even = np.full(setting.rounds, 1 / setting.rounds)
        fallen = generator.multinomial(setting.people, even, size=REPETITIONS)
        ones = generator.hypergeometric(held, setting.people - held, fallen)
        said = generator.binomial(ones, keep) + generator.binomial(fallen - ones, 1 - keep)
        self.missed = (fallen == 0).any(axis=1)
        fallen = np.maximum(fallen, 1)
        estimates = (said / fallen - (1 - keep)) / (2 * keep - 1)
        self.noise = np.abs(estimates - ones / fallen).max(axis=1)
        self.sampling = np.abs(ones / fallen - held / setting.people).max(axis=1)
        self.both = np.abs(estimates - held / setting.people).max(axis=1)

    def doubt(self, errors: NDArray[np.float64], bound: float, beta: float) -> float:
        """The chance of at least so many violations, if each has a chance of β."""
        violations = int(((errors >= bound) | self.missed).sum())
        return float(bdtrc(violations - 1, REPETITIONS, beta)) if violations else 1.0


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("share", [0.5, 0.9995])
def test_claims_and_theorem_5_cover(epsilon: float, share: float, seed: int) -> None:
    """Each fails by chance with probability 10⁻⁹; a part of each bound must be rejected."""
    setting = replace(FIGURE_3, epsilon=epsilon)
    drawn, beta, theta = Drawn(setting, share, seed), setting.beta, solved_theta(setting)
    assert drawn.doubt(drawn.noise, theta, beta / 2) > ALPHA
    assert drawn.doubt(drawn.noise, theta / (2 if epsilon < 8 else 8), beta / 2) < ALPHA
    assert drawn.doubt(drawn.sampling, sampling_bound(setting), beta / 2) > ALPHA
    assert drawn.doubt(drawn.both, general_bound(setting), beta) > ALPHA
    if share == 0.5:
        assert drawn.doubt(drawn.sampling, sampling_bound(setting) / 2, beta / 2) < ALPHA
        assert drawn.doubt(drawn.both, general_bound(setting) / 2, beta) < ALPHA
    for reading in (solved_theta, printed_theta):
        if dense_or_sparse(setting, share, reading):
            bound = dense_bound(setting, share, reading)
            assert drawn.doubt(drawn.both, bound, beta) > ALPHA
    if share == 0.9995:
        assert (
            drawn.doubt(drawn.both, dense_bound(setting, share) / (4 if epsilon < 8 else 16), beta)
            < ALPHA
        )
