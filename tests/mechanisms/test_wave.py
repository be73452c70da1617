"""The square wave: a number's bin, told by a window around it."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import Aggregate, Mechanism, Seeded, SquareWave
from sudare.errors import InvalidAnswer, InvalidDocument, InvalidReport, ParameterError
from sudare.estimation.window_shares import WindowShares
from sudare.laws.mechanism_laws import EXACT
from support.enumeration import random_values
from support.laws import MechanismLaws

UNIT = 2.0**-53


class TestSquareWave(MechanismLaws):
    instances: ClassVar = [
        SquareWave(1, 2, 1, 0.75),
        SquareWave(2, 3, 2, 0.75),
        SquareWave(4, 3, 2, 0.625),  # bins of two numbers, and of one
        SquareWave(4, 4, 3, 0.75),
        SquareWave.calibrate(4, 1.0),
    ]
    large: ClassVar = [
        SquareWave.calibrate(72, 1.0),
        SquareWave(72, 2, 2, 0.75),  # two bins: one output that isn't in a window
        SquareWave.calibrate(72, 6.0),  # windows of one output
        SquareWave.calibrate(2000, 1.0, bins=1024),  # two bytes a report
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, SquareWave)
        return replace(mechanism, keep=mechanism.keep + 3 / 32)


@given(
    steps=st.integers(1, 10**5),
    bins=st.integers(2, 300),
    epsilon=st.floats(0.01, 10),
)
def test_calibrate_spends_the_budget_and_no_more(steps: int, bins: int, epsilon: float) -> None:
    mechanism = SquareWave.calibrate(steps, epsilon, bins=min(bins, steps + 1))
    assert mechanism.epsilon <= epsilon
    assert replace(mechanism, keep=mechanism.keep + UNIT).epsilon > epsilon
    # One unit of keep is worth this much ε, so nothing more than that is left.
    assert epsilon - mechanism.epsilon <= 2 * UNIT / mechanism.keep / (1 - mechanism.keep) + 1e-14


def test_a_budget_may_be_too_small_or_beyond_all_use() -> None:
    with pytest.raises(ParameterError, match="too small"):
        SquareWave.calibrate(100, 1e-17)
    assert SquareWave.calibrate(100, 30.0).width == 1
    assert SquareWave.calibrate(100, 30.0).epsilon <= 30
    for epsilon in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ParameterError, match="epsilon must be above 0"):
            SquareWave.calibrate(100, epsilon)


@pytest.mark.parametrize(
    ("steps", "epsilon", "bins"),
    [(100, 1.0, 16), (100, 2.0, 16), (100, 2.01, 32), (9, 4.0, 10), (1, 1.0, 2)],
)
def test_bins_are_few_unless_they_are_asked_for(steps: int, epsilon: float, bins: int) -> None:
    assert SquareWave.calibrate(steps, epsilon).bins == bins
    assert SquareWave.calibrate(100, epsilon, bins=50).bins == 50


@pytest.mark.parametrize(
    ("numbers", "epsilon", "bins"),
    [
        (21, 1.0, 7),
        (30, 1.0, 15),
        (23, 1.0, 16),
        (80, 1.0, 16),
        (64, 3.0, 32),
        (66, 3.0, 22),
        (20, 1.0, 10),
    ],
)
def test_bins_of_few_numbers_are_even_where_they_can_be(
    numbers: int, epsilon: float, bins: int
) -> None:
    assert SquareWave.calibrate(numbers - 1, epsilon).bins == bins


@pytest.mark.parametrize("bins", [2, 7, 16, 64])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0, 8.0])
def test_the_width_tells_the_most(bins: int, epsilon: float) -> None:
    """The mutual information of bin and output, from the law written out."""

    def information(width: int) -> float:
        outside = 1 / (width * math.exp(epsilon) + bins - 1)
        law = WindowShares(bins, width, math.exp(epsilon) * outside, outside).law
        return float((law * np.log(law / law.mean(axis=1, keepdims=True))).sum() / bins)

    chosen = SquareWave.calibrate(1000, epsilon, bins=bins).width
    others = [information(width) for width in range(1, bins + 1)]
    assert information(chosen) >= max(others) - 1e-12


@given(steps=st.integers(1, 3000), bins=st.integers(2, 1024))
def test_bins_are_as_wide_as_each_other(steps: int, bins: int) -> None:
    domain = SquareWave(steps, min(bins, steps + 1), 1, 1 - UNIT).domain
    numbers = np.arange(steps + 1)
    assert domain.bin_of.tolist() == (numbers * domain.bins // (steps + 1)).tolist()
    assert np.ptp(np.diff(domain.edges)) <= 1
    assert domain.held(np.ones(steps + 1, np.int64)).tolist() == np.diff(domain.edges).tolist()


@pytest.mark.parametrize("width", [1, 2, 5, 8])
@pytest.mark.parametrize("keep", [0.7, 0.9, 0.99])
def test_parts_are_the_least_squares_of_people_spread_evenly(width: int, keep: float) -> None:
    found = WindowShares(8, width, keep / width, (1 - keep) / 7)
    law = found.law
    weighted = law / law.mean(axis=1, keepdims=True)
    expected = np.linalg.solve(law.T @ weighted, weighted.T)
    assert np.allclose(found.parts, expected, atol=1e-9)
    assert np.allclose(found.parts @ law, np.eye(8), atol=EXACT * 100)


@pytest.mark.parametrize("mechanism", TestSquareWave.instances[1:])
def test_sums_of_bins_are_unbiased_and_so_are_their_variances(mechanism: SquareWave) -> None:
    """For a part of the bins, by the exact law of one report under each bin."""
    shares = mechanism.window_shares
    taken = np.array([[1.0] * (mechanism.bins - 1) + [0.0], [1.0] + [0.25] * (mechanism.bins - 1)])
    parts = taken @ shares.parts
    assert np.allclose(parts @ shares.law, taken, atol=1e-12)
    held = np.array([5, *[3] * (mechanism.bins - 1)]) * 1000
    n = int(held.sum())
    expected = (shares.law @ held).round().astype(np.int64)
    variance = (parts**2 @ shares.law - taken**2) @ held / n**2
    found = shares.sums(expected, n, taken)
    assert np.allclose(found.stderr**2, variance, rtol=1e-3)
    assert np.allclose(found.values, taken @ held / n, atol=1e-3)


def test_the_order_of_questions_is_written_down() -> None:
    """The coin, the place in the window, the place outside it: for all people each time."""
    mechanism = SquareWave(9, 5, 2, 0.75)
    asked: list[str] = []

    class Noted:
        def bernoulli(self, p: float, shape: Any) -> Any:
            asked.append(f"bernoulli {p} of {shape}")
            return np.array([True, False, False])

        def below(self, bound: int, shape: Any) -> Any:
            asked.append(f"below {bound} of {shape}")
            return np.array([1, 0, 3])

    reports = mechanism.perturb(np.array([3, 3, 9]), Noted())  # type: ignore[arg-type]
    assert asked == ["bernoulli 0.75 of (3,)", "below 2 of (3,)", "below 4 of (3,)"]
    assert reports["output"].tolist() == [2, 0, 3]


@pytest.mark.parametrize(
    ("parameters", "refused"),
    [
        ((0, 2, 1, 0.75), "a range has between 1 and"),
        ((10, 1, 1, 0.75), "between 2 and 11 bins, got 1"),
        ((10, 12, 1, 0.75), "between 2 and 11 bins, got 12"),
        ((10**6, 1025, 1, 0.75), "between 2 and 1,024 bins, got 1,025"),
        ((10, 4, 0, 0.75), "width must be between 1 and the number of bins, 4, got 0"),
        ((10, 4, 5, 0.75), "width must be between 1 and the number of bins, 4, got 5"),
        ((10, 4, 2, 0.375), "keep must be a multiple"),
        ((10, 4, 2, 1.0), "keep must be a multiple"),
    ],
)
def test_what_is_no_square_wave_is_refused(parameters: tuple[Any, ...], refused: str) -> None:
    with pytest.raises(ParameterError, match=refused):
        SquareWave(*parameters)


def test_numbers_outside_the_range_and_reports_outside_the_outputs_are_refused() -> None:
    mechanism = SquareWave.calibrate(100, 1.0)
    with pytest.raises(InvalidAnswer, match="position 1 is not one of 0 to 100"):
        mechanism.randomize([5, 101])
    reports = mechanism.randomize([5, 100], Seeded(1))
    reports["output"][1] = mechanism.outputs
    with pytest.raises(InvalidReport, match="position 1 says 21; outputs are numbered 0 to 20"):
        mechanism.aggregate(reports)
    with pytest.raises(InvalidDocument):
        mechanism.estimate(Aggregate(mechanism.key, 3, np.zeros(5, np.int64)))


def test_a_long_batch_is_even_blocks_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = SquareWave.calibrate(72, 1.0)
    values = random_values(mechanism, 2501, Seeded(1))
    together, apart = Seeded(2), Seeded(2)
    blocks = [mechanism.randomize(part, apart) for part in np.split(values, [833, 1667])]
    monkeypatch.setattr("sudare.mechanisms.wave._BLOCK", 1000)
    reports = mechanism.randomize(values, together)
    assert reports.tobytes() == np.concatenate(blocks).tobytes()


def test_the_stated_variance_is_the_exact_one_of_one_report() -> None:
    """By hand: two bins, two outputs in each window, the middle one in both."""
    mechanism = SquareWave(1, 2, 2, 0.75)
    inside, outside = Fraction(3, 8), Fraction(1, 4)
    assert mechanism.worst_ratio == inside / outside
    parts = mechanism.window_shares.parts
    assert np.allclose(parts[0], [4.5, 0.5, -3.5])
    assert np.allclose(parts.sum(axis=0), 1)
