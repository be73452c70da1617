"""The unbiased estimate: its mean and its stated variance are exact, by enumeration."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.estimation.debias import debias, report_weights

chances = st.tuples(st.integers(1, 63), st.integers(1, 63)).filter(lambda pair: pair[0] > pair[1])


def binomial(n: int, p: Fraction) -> list[Fraction]:
    return [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


def count_law(holders: int, n: int, p: Fraction, q: Fraction) -> list[Fraction]:
    """How many of n people support an answer that ``holders`` of them hold."""
    law = [Fraction(0)] * (n + 1)
    pairs = product(enumerate(binomial(holders, p)), enumerate(binomial(n - holders, q)))
    for (a, chance), (b, other) in pairs:
        law[a + b] += chance * other
    return law


@given(pair=chances, n=st.integers(1, 12), data=st.data())
def test_mean_and_variance_are_exact(pair: tuple[int, int], n: int, data: st.DataObject) -> None:
    holders = data.draw(st.integers(0, n))
    p, q = (Fraction(part, 64) for part in pair)
    law = count_law(holders, n, p, q)
    estimate = debias(np.arange(n + 1), n, float(p), float(q))
    values = [(count - n * q) / (n * (p - q)) for count in range(n + 1)]
    mean = sum(chance * value for chance, value in zip(law, values, strict=True))
    variance = sum(chance * (value - mean) ** 2 for chance, value in zip(law, values, strict=True))
    weights = np.array([float(chance) for chance in law])
    assert mean == Fraction(holders, n)
    np.testing.assert_allclose(estimate.values, [float(v) for v in values], rtol=1e-12, atol=1e-12)
    assert weights @ estimate.stderr**2 == pytest.approx(float(variance), rel=1e-9)


@given(pair=chances, n=st.integers(1, 10**9), data=st.data())
def test_the_slope_is_how_fast_the_variance_grows(
    pair: tuple[int, int], n: int, data: st.DataObject
) -> None:
    p, q = pair[0] / 64, pair[1] / 64
    counts = np.array([data.draw(st.integers(0, n)), data.draw(st.integers(0, n))])
    estimate = debias(counts, n, p, q)
    assert np.isfinite(estimate.stderr).all()  # no count makes the variance negative
    grown = np.diff(estimate.stderr**2)
    scale = (estimate.stderr**2).max()
    np.testing.assert_allclose(
        grown, estimate.slope[0] * np.diff(estimate.values), rtol=1e-9, atol=1e-12 * scale
    )


def test_by_hand() -> None:
    """p = 3/4, q = 1/4, 80 of 120: (80 - 30) / 60 = 5/6, variance 120 · 3/16 / 60²."""
    estimate = debias(np.array([80, 40]), 120, 0.75, 0.25)
    np.testing.assert_allclose(estimate.values, [5 / 6, 1 / 6], rtol=1e-15)
    np.testing.assert_allclose(estimate.stderr, np.sqrt(22.5) / 60, rtol=1e-15)
    assert estimate.slope.tolist() == [0, 0]
    assert estimate.n == 120


@given(pair=chances, n=st.integers(2, 12), data=st.data())
def test_the_weights_of_reports_add_up(pair: tuple[int, int], n: int, data: st.DataObject) -> None:
    """Their sum is n times the share; three sums of their squares are three variances of it."""
    p, q = pair[0] / 64, pair[1] / 64
    count = data.draw(st.integers(0, n))
    weights = report_weights(np.arange(n) < count, p, q)
    estimate = debias(np.array([count]), n, p, q)
    people, noise = n * estimate.values[0], (n * estimate.stderr[0]) ** 2
    rounding = 1e-9 * float((weights**2).max())
    assert weights.sum() == pytest.approx(people, rel=1e-9, abs=rounding)
    assert (weights * (weights - 1)).sum() == pytest.approx(noise, rel=1e-9, abs=rounding)
    assert (weights**2).sum() == pytest.approx(noise + people, rel=1e-9, abs=rounding)
    # Of a sample of a population; where that variance is above the noise's own.
    sampled = weights.var(ddof=1) * n
    stated = float((n * estimate.of_population().stderr[0]) ** 2)
    assert max(sampled, noise) == pytest.approx(stated, rel=1e-9, abs=rounding)


@given(pair=chances)
def test_a_weight_is_one_for_a_holder_and_nothing_for_others(pair: tuple[int, int]) -> None:
    p, q = pair[0] / 64, pair[1] / 64
    said, unsaid = report_weights(np.array([True, False]), p, q).tolist()
    size = abs(said) + abs(unsaid)
    assert p * said + (1 - p) * unsaid == pytest.approx(1, abs=1e-12 * size)
    assert q * said + (1 - q) * unsaid == pytest.approx(0, abs=1e-12 * size)
