"""Smooth distributions from reports by windows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare import Seeded, SquareWave
from sudare.estimation.smoothed import smoothed, smoothing

PEOPLE = 20_000


def bell(steps: int, people: int = PEOPLE) -> NDArray[np.int64]:
    """How many of these people hold each number, where they are a bell."""
    weight = np.exp(-(((np.arange(steps + 1) / steps - 0.5) / 0.15) ** 2) / 2)
    held: NDArray[np.int64] = np.floor(people * weight / weight.sum()).astype(np.int64)
    held[steps // 2] += people - held.sum()
    return held


def one_step(
    shares: NDArray[np.float64], mechanism: SquareWave, counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Expectation, maximisation and smoothing, as matrices write them."""
    law, widths = mechanism.window_shares.law, np.diff(mechanism.domain.edges)
    likelier = shares * (((counts / counts.sum()) / (law @ shares)) @ law)
    width = widths / widths.mean()
    moved: NDArray[np.float64] = np.eye(len(shares))
    for b in range(len(shares) - 1):
        between = 2 * width[b] * width[b + 1] / (width[b] + width[b + 1])
        part = smoothing(len(shares), int(counts.sum())) * between
        moved[b, b] -= part / width[b]
        moved[b + 1, b] += part / width[b]
        moved[b + 1, b + 1] -= part / width[b + 1]
        moved[b, b + 1] += part / width[b + 1]
    return np.asarray(moved @ likelier, np.float64)


@given(
    bins=st.integers(2, 40),
    epsilon=st.sampled_from([0.3, 1.0, 2.0, 5.0]),
    steps=st.integers(60, 200),
    seed=st.integers(0, 2**32),
)
def test_it_ends_where_a_step_changes_nothing(
    bins: int, epsilon: float, steps: int, seed: int
) -> None:
    mechanism = SquareWave.calibrate(steps, epsilon, bins=bins)
    counts = mechanism.simulate(bell(steps), Seeded(seed)).counts
    found = smoothed(counts, mechanism.window_shares, np.diff(mechanism.domain.edges))
    after = one_step(found.shares, mechanism, counts)
    assert found.change <= 1e-7
    assert np.abs(after - found.shares).sum() <= 1e-7
    assert found.shares.min() > 0
    assert found.shares.sum() == pytest.approx(1)


def test_it_finds_a_level_distribution_level_in_bins_of_two_widths() -> None:
    """101 numbers in 16 bins: of 6 and of 7. The counts are what is expected of them."""
    mechanism = SquareWave.calibrate(100, 1.0)
    widths = np.diff(mechanism.domain.edges)
    assert set(widths.tolist()) == {6, 7}
    expected = mechanism.window_shares.law @ (widths / widths.sum())
    counts = np.round(1e12 * expected).astype(np.int64)
    found = smoothed(counts, mechanism.window_shares, widths)
    assert np.allclose(found.shares, widths / widths.sum(), atol=1e-8)


def distance(shares: NDArray[Any], truth: NDArray[Any]) -> float:
    """The Wasserstein distance of two distributions over bins, in parts of the range."""
    return float(np.abs(np.cumsum(shares) - np.cumsum(truth)).mean())


def test_it_is_nearer_to_the_truth_than_the_unbiased_histogram(seed: int) -> None:
    """In the mean of 100 collections; a tenth of a distance is ten standard errors of it."""
    mechanism = SquareWave.calibrate(999, 1.0, bins=64)
    people, rng = bell(999), Seeded(seed)
    truth = mechanism.domain.held(people) / PEOPLE
    smooth, plain, rough = [], [], []
    for _ in range(100):
        total = mechanism.simulate(people, rng)
        windows, widths = mechanism.window_shares, np.diff(mechanism.domain.edges)
        smooth.append(distance(smoothed(total.counts, windows, widths).shares, truth))
        plain.append(distance(mechanism.estimate(total).values, truth))
        rough.append(distance(np.full(64, 1 / 64), truth))
    assert np.mean(smooth) < 0.5 * np.mean(plain)
    assert np.mean(smooth) < 0.2 * np.mean(rough)
