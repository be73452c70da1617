"""Chernoff's bounds on the maximal error: they cover, and they are tighter than the document's."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtrc

from sudare import Borappor, Glance, Harmony, KShot, Seeded
from sudare.errors import ParameterError
from sudare.mechanisms.over_time.continual import ContinualMechanism, RepeatedResponse
from sudare.planning.bounds.chernoff import (
    _bound,
    _least_divergence,
    _sampled,
    fixed_groups_bound,
    maximal_error_bound,
    people_needed,
)
from sudare.planning.bounds.continual import Setting, divergence, general_bound
from sudare.planning.bounds.maximal import (
    MaximalError,
    borappor_maximum,
    glance_maximum,
    harmony_maximum,
)
from support.chance import ALPHA
from support.scripts import paper_module

MECHANISMS: list[type[ContinualMechanism]] = [Glance, Harmony, Borappor, KShot]
Law = Callable[[float, int, Any], MaximalError]
EXACT: list[tuple[type[RepeatedResponse], Law]] = [
    (Glance, glance_maximum),
    (Harmony, harmony_maximum),
    (Borappor, borappor_maximum),
]
BETA = 0.1


@given(st.floats(1e-6, 0.999), st.floats(1e-3, 0.999), st.floats(1e-3, 0.999))
def test_the_least_divergence_of_a_range_is_found(x: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    least = _least_divergence(x, low, high)
    every = [divergence(p + x, p) for p in np.linspace(low, high, 400).tolist()]
    assert least <= min(every) * (1 + 1e-8)
    if math.isfinite(least) and high <= 1 - x:
        assert least >= min(every) * (1 - 1e-2) - 1e-6  # and it is one of them, nearly


@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 1.0])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
@pytest.mark.parametrize(("cls", "law"), EXACT)
def test_bounds_cover_by_the_exact_law(
    cls: type[RepeatedResponse], law: Law, epsilon: float, share: float
) -> None:
    rounds, people = 20, 3000
    mechanism = cls.calibrate(rounds, epsilon)
    bound = maximal_error_bound(mechanism, people, BETA, share, share)
    exact = law(mechanism.keep, people, np.full(rounds, round(share * people)))
    assert exact.cdf(bound) >= 1 - BETA
    assert exact.cdf(0.6 * bound) < 1 - BETA
    assert bound <= maximal_error_bound(mechanism, people, BETA) * (1 + 1e-9)


@pytest.mark.parametrize("share", [0.03, 0.5])
def test_the_bound_of_fixed_groups_covers_by_the_exact_law(share: float) -> None:
    mechanism, rounds, people = Glance.calibrate(20, 4.0), 20, 3010
    bound = fixed_groups_bound(mechanism, people, BETA, share, share)
    groups_maximum = paper_module("continual-counting", "fixed_groups").groups_maximum
    exact = groups_maximum(mechanism.keep, people, np.full(rounds, round(share * people)))
    assert exact.cdf(bound) >= 1 - BETA
    assert exact.cdf(0.6 * bound) < 1 - BETA
    sampled = maximal_error_bound(mechanism, people - people % rounds, BETA, share, share)
    assert fixed_groups_bound(mechanism, people - people % rounds, BETA, share, share) < sampled


@pytest.mark.parametrize("cls", MECHANISMS)
def test_bounds_cover_in_simulations(cls: type[ContinualMechanism], seed: int) -> None:
    """Shares that differ by round; fails by chance with 10⁻⁹, and rejects half the bound."""
    rounds, people, repetitions = 10, 1000, 400
    mechanism, rng = cls.calibrate(rounds, 5.0), Seeded(seed)
    ones = np.linspace(300, 700, rounds).astype(int)
    bound = maximal_error_bound(mechanism, people, BETA, 0.3, 0.7)
    errors = []
    for _ in range(repetitions):
        estimate = mechanism.estimate(
            mechanism.simulate(np.column_stack([people - ones, ones]), rng)
        )
        missing = len(estimate.rounds) < rounds
        errors.append(math.inf if missing else np.abs(estimate.values - ones / people).max())
    for limit, covers in ((bound, True), (0.5 * bound, False)):
        violations = sum(error >= limit for error in errors)
        doubt = float(bdtrc(violations - 1, repetitions, BETA)) if violations else 1.0
        assert (doubt > ALPHA) == covers


@given(
    rounds=st.integers(1, 200),
    plenty=st.floats(1.1, 100),
    epsilon=st.floats(0.05, 12),
    beta=st.floats(1e-6, 0.5),
)
def test_the_document_s_general_bound_is_never_tighter(
    rounds: int, plenty: float, epsilon: float, beta: float
) -> None:
    people = math.ceil(plenty * Setting(rounds, 1, epsilon, beta).least_people)
    ours = maximal_error_bound(Glance.calibrate(rounds, epsilon), people, beta)
    assert ours < general_bound(Setting(rounds, people, epsilon, beta))


@given(
    cls=st.sampled_from(MECHANISMS),
    rounds=st.integers(1, 100),
    epsilon=st.floats(0.2, 8),
    error=st.floats(0.01, 0.5),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_the_people_needed_are_enough_and_no_more(
    cls: type[ContinualMechanism],
    rounds: int,
    epsilon: float,
    error: float,
    ends: tuple[float, float],
) -> None:
    mechanism, (low, high) = cls.calibrate(rounds, epsilon), sorted(ends)
    fewest = people_needed(mechanism, error, BETA, low, high)
    assert maximal_error_bound(mechanism, fewest, BETA, low, high) <= error * (1 + 1e-8)
    if fewest > 1:
        try:
            with_fewer = maximal_error_bound(mechanism, fewest - 1, BETA, low, high)
        except ParameterError:  # a round may be empty
            return
        assert with_fewer > error * (1 - 1e-8)


@pytest.mark.parametrize(
    ("people", "beta", "low", "high", "message"),
    [
        (10, 0.1, 0.0, 1.0, r"needs at least 342 people, got 10$"),
        (0, 0.1, 0.0, 1.0, "people must be between 1 and"),
        (1000, 1.0, 0.0, 1.0, r"beta must be between 0 and 1, got 1\.0"),
        (1000, 0.1, 0.7, 0.2, r"a range of shares lies in 0 to 1, got 0\.7 to 0\.2"),
        (1000, 0.1, math.nan, 0.2, "a range of shares lies in 0 to 1, got nan"),
    ],
)
def test_what_can_not_be_bounded_is_refused(
    people: int, beta: float, low: float, high: float, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        maximal_error_bound(Glance.calibrate(50, 1.0), people, beta, low, high)


def test_groups_need_somebody_in_each_round() -> None:
    with pytest.raises(ParameterError, match="needs at least 50 people, got 49"):
        fixed_groups_bound(Glance.calibrate(50, 1.0), 49, BETA)
    with pytest.raises(ParameterError, match="needs at least 49 people, got 48"):
        fixed_groups_bound(KShot.calibrate(50, 4.0, shots=2), 48, BETA)
    assert fixed_groups_bound(KShot.calibrate(50, 4.0, shots=2), 49, BETA) > 0


@pytest.mark.parametrize(("rounds", "people", "shots"), [(10, 15, 3), (10, 8, 3), (7, 17, 5)])
def test_the_bound_of_fixed_groups_is_that_of_the_smallest(
    rounds: int, people: int, shots: int
) -> None:
    """As ``draw_balanced`` makes them; as many people as fill such groups have the same bound."""
    mechanism = KShot.calibrate(rounds, 9.0, shots=shots)
    used = mechanism.draw_balanced(people, Seeded(1)).rounds
    smallest = int(np.bincount(used.ravel(), minlength=rounds + 1)[1:].min())
    assert 0 < smallest < people * shots // rounds

    def alone(size: int) -> float:
        return _bound(_sampled(mechanism, 0, 1)._replace(reporting=1.0), size, 0.5)

    bound = fixed_groups_bound(mechanism, people, 0.5)
    assert bound == alone(smallest) != alone(smallest + 1)


def test_the_bound_of_fixed_groups_covers_where_a_block_is_short(seed: int) -> None:
    """T = 100, N = 150, k = 6: most rounds have 6 reports, few more. Chance of failing: 10⁻⁹."""
    rounds, people, repetitions, beta = 100, 150, 400, 0.5
    mechanism = KShot.calibrate(rounds, 14.0, shots=6)
    shares = mechanism.simulate_shares(
        [[75, 75]] * rounds, repetitions, Seeded(seed), balanced=True
    )
    errors = np.abs(shares - 0.5).max(axis=1)
    bound = fixed_groups_bound(mechanism, people, beta, 0.5, 0.5)
    nine = _bound(_sampled(mechanism, 0.5, 0.5)._replace(reporting=1.0), 9, beta)  # Nk/T
    for limit, covers in ((bound, True), (nine, False)):
        violations = int((errors >= limit).sum())
        doubt = float(bdtrc(violations - 1, repetitions, beta)) if violations else 1.0
        assert (doubt > ALPHA) == covers
