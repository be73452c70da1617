"""Error theory: the closed forms are the exact errors of the code, and cross where they say."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import ParameterError
from sudare.estimation.frequency_error import (
    count_spread,
    mean_squared_error,
    rare_answer_crossover,
    share_variance,
    total_error_crossover,
)
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.interface import CategoricalMechanism
from sudare.mechanisms.unary import OUE, SUE
from support.enumeration import records

INSTANCES = [
    GRR(2, 0.75),
    GRR(3, 0.5),
    GRR.calibrate(4, 1.0),
    OUE(3, 0.5, 0.25),
    SUE(3, 0.75, 0.25),
]
sizes = st.integers(6, 10**5)


def exact_variances(mechanism: CategoricalMechanism, truth: list[int]) -> list[Fraction]:
    """Var of each estimated share: people are independent, so their variances add up."""
    n = sum(truth)
    gain = Fraction(mechanism.holder) - Fraction(mechanism.others)
    variances = [Fraction(0)] * mechanism.k
    for value, law in mechanism.channel().laws.items():
        assert isinstance(value, int)
        for answer in range(mechanism.k):
            support = sum(
                chance
                for report, chance in law.items()
                if isinstance(report, bytes)
                and mechanism.tally(records(mechanism, [report]))[answer]
            )
            variances[answer] += truth[value] * support * (1 - support) / (n * gain) ** 2
    return variances


@pytest.mark.parametrize("mechanism", INSTANCES, ids=repr)
@pytest.mark.parametrize("skew", [0, 1, 5])
def test_the_variance_is_that_of_the_enumerated_law(
    mechanism: CategoricalMechanism, skew: int
) -> None:
    truth = [1 + skew * value for value in range(mechanism.k)]
    n = sum(truth)
    exact = [float(variance) for variance in exact_variances(mechanism, truth)]
    stated = share_variance(mechanism.holder, mechanism.others, n, np.array(truth) / n)
    np.testing.assert_allclose(stated, exact, rtol=1e-12)
    mean = mean_squared_error(mechanism.holder, mechanism.others, n, mechanism.k)
    assert mean == pytest.approx(sum(exact) / mechanism.k, rel=1e-12)  # whatever the skew


def test_the_usual_approximation_is_the_variance_of_a_rare_answer() -> None:
    assert share_variance(0.75, 0.25, 100, 0) == pytest.approx(0.25 * 0.75 / (100 * 0.5**2))


def test_the_spread_of_a_count_is_that_of_its_binomials() -> None:
    """30 holders at 3/4 and 70 others at 1/4: both add 3/16 each."""
    assert count_spread(0.75, 0.25, 100, 0.3) == pytest.approx(math.sqrt(100 * 3 / 16), rel=1e-12)


# GRR and OUE change places


def grr(k: int, epsilon: float) -> tuple[float, float]:
    total = math.exp(epsilon) + k - 1
    return math.exp(epsilon) / total, 1 / total


def oue(_: int, epsilon: float) -> tuple[float, float]:
    return 0.5, 1 / (math.exp(epsilon) + 1)


def lead_in_total(k: int, epsilon: float) -> float:
    """How far OUE's total error is below GRR's, as a share of it."""
    ours, theirs = (mean_squared_error(*odds(k, epsilon), 1, k) for odds in (oue, grr))
    return 1 - ours / theirs


def lead_on_rare(k: int, epsilon: float) -> float:
    ours, theirs = (float(share_variance(*odds(k, epsilon), 1, 0)) for odds in (oue, grr))
    return 1 - ours / theirs


@pytest.mark.parametrize(
    ("crossover", "lead"),
    [(total_error_crossover, lead_in_total), (rare_answer_crossover, lead_on_rare)],
)
@given(k=sizes)
def test_the_errors_are_equal_at_the_crossover_only(
    crossover: object, lead: object, k: int
) -> None:
    assert callable(crossover)
    assert callable(lead)
    where = crossover(k)
    assert abs(lead(k, where)) < 1e-9
    assert lead(k, where * 0.99) > 0 > lead(k, where * 1.01)
    leads = [lead(k, where * factor) for factor in (0.1, 0.5, 0.9, 1, 1.1, 1.5)]
    assert all(one > other for one, other in pairwise(leads))


def test_forty_three_answers() -> None:
    """The document's clothing models: ln(41/3) on rare answers, a little later in total."""
    assert rare_answer_crossover(43) == pytest.approx(math.log(41 / 3), rel=1e-15)
    assert round(rare_answer_crossover(43), 3) == 2.615
    assert round(total_error_crossover(43), 3) == 2.818


@given(k=sizes)
def test_rare_answers_cross_first(k: int) -> None:
    assert 0 < rare_answer_crossover(k) < total_error_crossover(k)


@pytest.mark.parametrize("crossover", [rare_answer_crossover, total_error_crossover])
@pytest.mark.parametrize("k", [2, 5])
def test_few_answers_have_no_crossover(crossover: object, k: int) -> None:
    assert callable(crossover)
    with pytest.raises(ParameterError, match=f"below k = 6, got k = {k}"):
        crossover(k)


@pytest.mark.parametrize("lead", [lead_in_total, lead_on_rare])
def test_and_there_grr_is_better_at_every_budget(lead: object) -> None:
    assert callable(lead)
    assert all(lead(k, e) < 0 for k in range(2, 6) for e in (0.001, 0.01, 0.1, 1, 3, 6))


@given(k=st.integers(7, 1000), side=st.sampled_from([0.9, 1.1]))
def test_the_calibrated_mechanisms_cross_there_too(k: int, side: float) -> None:
    epsilon = total_error_crossover(k) * side
    errors = [
        mean_squared_error(m.holder, m.others, 1, k)
        for m in (OUE.calibrate(k, epsilon), GRR.calibrate(k, epsilon))
    ]
    assert (errors[0] < errors[1]) == (side < 1)
