"""Estimates and their intervals."""

import math
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, OUE, Aggregate, Estimate, Mechanism
from sudare.errors import ParameterError
from support.enumeration import aggregate_law

Z95 = 1.959963984540054  # the normal law's 97.5 % quantile


def plain(values: list[float], stderr: list[float], slope: float = 0.0, n: int = 100) -> Estimate:
    return Estimate(n, np.array(values), np.array(stderr), np.full(len(values), slope))


def test_without_slope_the_interval_is_plus_minus_z() -> None:
    low, high = plain([0.2, -0.1], [0.05, 0.01]).interval()
    assert low == pytest.approx([0.2 - Z95 * 0.05, -0.1 - Z95 * 0.01])
    assert high == pytest.approx([0.2 + Z95 * 0.05, -0.1 + Z95 * 0.01])


@given(
    count=st.integers(0, 1000),
    epsilon=st.floats(0.1, 5),
    k=st.integers(2, 50),
    level=st.floats(0.5, 0.999),
)
def test_the_ends_are_the_shares_just_not_rejected(
    count: int, epsilon: float, k: int, level: float
) -> None:
    """At both ends |f̂ - f| is z times the error that f itself would cause."""
    mechanism, n = GRR.calibrate(k, epsilon), 1000
    p, q = mechanism.holder, mechanism.others
    counts = np.full(k, count)
    estimate = mechanism.estimate(Aggregate(mechanism.key, n, counts))
    z = NormalDist().inv_cdf((1 - level) / 2)
    for f in (estimate.interval(level).low[0], estimate.interval(level).high[0]):
        variance = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (n * (p - q) ** 2)
        gap = float(estimate.values[0] - f)
        assert gap**2 == pytest.approx(z**2 * variance, rel=1e-6)


def test_a_higher_level_is_wider_and_all_at_once_is_wider_still() -> None:
    estimate = plain([0.1, 0.2, 0.3], [0.01, 0.02, 0.03], slope=0.001)
    one, more, all_three = (
        estimate.interval(0.9),
        estimate.interval(0.99),
        estimate.simultaneous(0.9),
    )
    assert (more.low < one.low).all()
    assert (more.high > one.high).all()
    third = estimate.interval(1 - 0.1 / 3)  # Bonferroni
    assert all_three.low == pytest.approx(third.low)
    assert all_three.high == pytest.approx(third.high)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0, math.nan])
def test_a_level_is_between_0_and_1(level: float) -> None:
    for ask in (plain([0.1], [0.1]).interval, plain([0.1], [0.1]).simultaneous):
        with pytest.raises(ParameterError, match=rf"got {level}(: 95 % is 0.95)?$"):
            ask(level)


def test_labels_are_carried() -> None:
    estimate = plain([0.1, 0.2], [0.1, 0.1]).labelled(["tea", "coffee"])
    assert estimate.labels == ("tea", "coffee")
    assert estimate.of_population().labels == ("tea", "coffee")


@pytest.mark.parametrize("mechanism", [GRR(2, 0.75), GRR(3, 0.875), OUE(2, 0.5, 0.125)], ids=repr)
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_the_populations_variance_is_unbiased(mechanism: Mechanism, share: float) -> None:
    """By enumeration of a sample of three and its noise: no chance, no approximation.

    What is stated is stderr² plus (f̂(1 - f̂) + stderr²)/(n - 1), whose exact mean is the exact
    variance of f̂ around the population's share. Only where the second part is negative is it
    left out, which makes the statement larger, never smaller.
    """
    n, variance, formula, stated = 3, 0.0, 0.0, 0.0
    for sample in product((0, 1), repeat=n):
        drawn = math.prod(share if value == 0 else 1 - share for value in sample)
        for counts, chance in aggregate_law(mechanism, np.array(sample)).items():
            estimate = mechanism.estimate(Aggregate(mechanism.key, n, np.array(counts)))
            value, noise = float(estimate.values[0]), float(estimate.stderr[0]) ** 2
            sampling = (value * (1 - value) + noise) / (n - 1)
            weight = drawn * float(chance)
            widened = float(estimate.of_population().stderr[0]) ** 2
            assert widened == pytest.approx(noise + max(0.0, sampling))
            variance += weight * (value - share) ** 2
            formula += weight * (noise + sampling)
            stated += weight * widened
    assert formula == pytest.approx(variance, rel=1e-12)
    assert stated >= variance


def test_a_population_is_estimated_by_two_people_or_more() -> None:
    with pytest.raises(ParameterError, match=r"got 1$"):
        plain([0.5], [0.1], n=1).of_population()


def test_a_large_sample_without_noise_has_the_binomial_error() -> None:
    wide = plain([0.3], [0.0], n=10_001).of_population()
    assert wide.stderr[0] == pytest.approx(math.sqrt(0.3 * 0.7 / 10_000))
    assert wide.values[0] == 0.3
