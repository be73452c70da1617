"""Is an answer present? Exact tails, corrections by their definitions, and error rates kept."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import bdtrc, ndtr, ndtri
from scipy.stats import binom, false_discovery_control, poisson

from sudare.chance.randomness import Seeded
from sudare.estimation.significance import (
    Correction,
    Tests,
    benjamini_hochberg,
    holm,
    presence,
    presence_of_sums,
)
from sudare.mechanisms.unary import OUE
from support.chance import ALPHA

Floats = NDArray[np.float64]
p_values = st.lists(st.floats(0, 1), max_size=30).map(np.array)


# The test itself


@pytest.mark.parametrize("chance", [1e-8, 1e-10, 0.0, -1e-16])
def test_sums_of_what_is_rare_are_of_rare_events(chance: float) -> None:
    sums, mean = np.array([0, 1, 2, 9]), 3.0
    found = presence_of_sums(sums, mean, mean * (1 - chance))
    np.testing.assert_allclose(found, [1, *poisson.sf(sums[1:] - 1, mean)], rtol=1e-6)


@pytest.mark.parametrize("q", [1 / 4, 3 / 8, 1 / 64, OUE.calibrate(5, 1.0).q])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_p_values_are_exact_binomial_tails(n: int, q: float) -> None:
    chance = Fraction(q)
    law = [comb(n, count) * chance**count * (1 - chance) ** (n - count) for count in range(n + 1)]
    tails = [float(sum(law[count:])) for count in range(n + 1)]
    np.testing.assert_allclose(presence(np.arange(n + 1), n, q), tails, rtol=1e-11)


@given(n=st.integers(1, 10**9), q=st.floats(0.001, 0.6), data=st.data())
def test_at_any_size_they_agree_with_another_library(n: int, q: float, data: st.DataObject) -> None:
    spread = int(8 * np.sqrt(n * q * (1 - q))) + 1
    count = min(n, max(0, int(n * q) + data.draw(st.integers(-spread, spread))))
    expected = float(binom.sf(count - 1, n, q))
    assert presence(np.array([count]), n, q)[0] == pytest.approx(expected, rel=1e-6, abs=1e-300)


def test_a_count_of_nobody_is_no_evidence() -> None:
    assert presence(np.array([0, 0]), 100, 0.3).tolist() == [1, 1]


# Corrections for asking many times


def test_holm_by_hand() -> None:
    """0.01 · 4, 0.02 · 3, then 0.03 · 2 = 0.06 which 0.06 already is, 0.9 · 1."""
    adjusted = holm(np.array([0.9, 0.01, 0.03, 0.02]))
    np.testing.assert_allclose(adjusted, [0.9, 0.04, 0.06, 0.06], rtol=1e-15)


def test_benjamini_hochberg_by_hand() -> None:
    """0.04 · 4/4 bounds 0.03 · 4/3 and 0.02 · 4/2; 0.001 · 4 is below."""
    adjusted = benjamini_hochberg(np.array([0.02, 0.001, 0.04, 0.03]))
    np.testing.assert_allclose(adjusted, [0.04, 0.004, 0.04, 0.04], rtol=1e-15)


def stepwise_holm(values: Floats, level: float) -> set[int]:
    """Holm (1979): reject the smallest while p ≤ level / (how many are left)."""
    rejected: set[int] = set()
    for index in np.argsort(values, kind="stable"):
        if values[index] * (values.size - len(rejected)) > level:
            break
        rejected.add(int(index))
    return rejected


@given(values=p_values, level=st.floats(0.001, 0.999))
def test_holm_rejects_as_the_stepwise_test(values: Floats, level: float) -> None:
    assert set(np.flatnonzero(holm(values) <= level)) == stepwise_holm(values, level)


@given(values=p_values)
def test_benjamini_hochberg_is_that_of_another_library(values: Floats) -> None:
    expected = false_discovery_control(values) if values.size else values
    np.testing.assert_allclose(benjamini_hochberg(values), expected, rtol=1e-12)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@given(values=p_values)
def test_adjusting_only_weakens_and_keeps_order(adjust: object, values: Floats) -> None:
    assert callable(adjust)
    before = values.copy()
    adjusted = adjust(values)
    assert (values == before).all()
    assert (adjusted >= values * (1 - 1e-15)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(values)]) >= 0).all()


# Error rates


RUNS, ABSENT, LEVEL = 20_000, 20, 0.05


@pytest.fixture
def nulls(seed: int) -> Floats:
    """p-values of answers that nobody holds, in many surveys of OUE: its bits are independent."""
    mechanism = OUE.calibrate(ABSENT, 1.0)
    counts = Seeded(seed).generator().binomial(1000, mechanism.q, (RUNS, ABSENT))
    return presence(counts, 1000, mechanism.q)


def excess(errors: int) -> float:
    """The chance of so many surveys with an error if each has one with chance ``LEVEL``."""
    return float(bdtrc(errors - 1, RUNS, LEVEL)) if errors else 1.0


def surveys_with(discoveries: NDArray[np.bool_]) -> int:
    return int(discoveries.any(axis=1).sum())


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_no_more_surveys_err_than_the_level_says(adjust: object, nulls: Floats) -> None:
    """Chance of failing: 1e-9. Power: without correction it fails."""
    assert callable(adjust)
    adjusted = np.array([adjust(row) for row in nulls])
    assert excess(surveys_with(adjusted <= LEVEL)) > ALPHA
    assert excess(surveys_with(nulls <= LEVEL)) <= ALPHA
    # and a correction a third too weak fails too, so the level is used, not only kept
    assert excess(surveys_with(adjusted <= LEVEL * 1.5)) <= ALPHA


def test_a_present_answer_is_found(seed: int) -> None:
    """2,000 people of 10,000 against a standard error of 192: missed with chance below 1e-9."""
    mechanism = OUE.calibrate(ABSENT, 1.0)
    truth = [8000, 2000, *[0] * (ABSENT - 2)]
    total = mechanism.simulate(truth, Seeded(seed))
    assert (holm(presence(total.counts, total.n, mechanism.others))[:2] < LEVEL).all()


@pytest.mark.parametrize("correction", ["benjamini-hochberg", "bonferroni", "none"])
def test_the_few_near_the_level_are_judged_as_all_together(correction: Correction) -> None:
    generator = np.random.default_rng(5)
    scores = np.concatenate([generator.normal(size=2000), generator.normal(4, 1, 50)])
    tests = Tests(scores, lambda x: np.asarray(ndtr(-x), np.float64), correction)
    for level in (0.01, 0.05, 0.2):
        found, p_values, adjusted = tests.passed(level, float(-ndtri(level)))
        assert found.tolist() == np.flatnonzero(tests.adjusted <= level).tolist()
        assert found.size > 10
        assert p_values.tolist() == tests.p_values[found].tolist()
        assert adjusted == pytest.approx(tests.adjusted[found], rel=1e-15)
