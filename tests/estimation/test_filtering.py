"""The causal filter: what it gains on slow streams, what it costs at a jump, what it never sees."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import bdtr

from sudare import Borappor, Glance, Harmony, KShot, Seeded
from sudare.errors import ParameterError
from sudare.estimation.filtering import DRIFTS, FilteredStream, filtered
from sudare.estimation.rounds import StreamEstimate, round_estimates
from sudare.mechanisms.over_time.continual import ContinualMechanism
from support.chance import ALPHA

Floats = NDArray[np.float64]

ROUNDS, PEOPLE = 50, 10_000
TIME = np.arange(ROUNDS)
JUMP = 25
MECHANISMS = [Glance.calibrate(ROUNDS, 4.0), KShot.calibrate(ROUNDS, 4.0, low=0.4, high=0.6)]


def of(counts: Any, flip: float = 0.125) -> StreamEstimate:
    return round_estimates(np.array(counts, np.int64), 1 - flip, flip, sampled=True)


def walk(step: float, seed: int) -> Floats:
    moves = np.random.default_rng(seed).normal(0, step, ROUNDS)
    share: Floats = np.clip(0.5 + np.cumsum(moves), 0, 1)
    return share


def errors(
    mechanism: ContinualMechanism, share: Floats, seed: int, runs: int
) -> tuple[Floats, Floats]:
    """How far the rounds' own estimates are off, and the filtered ones: a row per run."""
    ones = np.round(PEOPLE * share).astype(np.int64)
    truth, rng = np.column_stack([PEOPLE - ones, ones]), Seeded(seed)
    own, smooth = [], []
    for _ in range(runs):
        estimate = mechanism.estimate(mechanism.simulate(truth, rng))
        own.append(estimate.values - ones / PEOPLE)
        smooth.append(filtered(estimate).values - ones / PEOPLE)
    return np.array(own), np.array(smooth)


def wins(less: Floats, more: Floats) -> bool:
    """Whether ``less`` is below ``more`` in so many runs that luck won't do.

    If each were below as often as above, so many wins would have a chance of at most 1e-9.
    """
    return float(bdtr(int((less >= more).sum()), len(less), 0.5)) < ALPHA


def of_run(error: Floats) -> tuple[Floats, Floats]:
    """The root of the mean squared error and the largest error of each run."""
    rmse: Floats = np.sqrt((error**2).mean(axis=1))
    largest: Floats = np.abs(error).max(axis=1)
    return rmse, largest


SLOW = {
    "static": np.full(ROUNDS, 0.5),
    "rare": np.full(ROUNDS, 0.0005),
    "nobody": np.zeros(ROUNDS),
    "everybody": np.ones(ROUNDS),
    "walk": walk(0.005, 1),
    "faster walk": walk(0.01, 2),
    "seasonal": 0.4 + 0.1 * np.sin(2 * np.pi * TIME / ROUNDS),
}


@pytest.mark.parametrize(
    ("mechanism", "name"),
    [*((MECHANISMS[0], name) for name in SLOW), (MECHANISMS[1], "walk")],
    ids=lambda value: getattr(value, "name", value),
)
def test_it_gains_on_slow_streams(mechanism: ContinualMechanism, name: str, seed: int) -> None:
    """The error of the whole stream and that of its worst round, in nearly every run.

    In at most 3 of 100 runs the worst round is hardly filtered, as the first one: more losses
    than luck allows have a chance below 1e-9.
    """
    own, smooth = errors(mechanism, SLOW[name], seed, 100)
    for before, after in zip(of_run(own), of_run(smooth), strict=True):
        assert wins(after, before)
        assert after.mean() < 0.8 * before.mean()
        assert not wins(before, after)


def test_it_hurts_just_after_a_jump(seed: int) -> None:
    """In about 77 of 100 runs: fewer wins than luck excludes have a chance below 1e-9."""
    own, smooth = errors(MECHANISMS[0], np.where(TIME < JUMP, 0.1, 0.15), seed, 600)
    # It is drawn to where the share was, and says so with confidence.
    assert smooth[:, JUMP].mean() < -0.02 < -0.015 < own[:, JUMP].mean()
    assert wins(np.abs(own[:, JUMP]), np.abs(smooth[:, JUMP]))
    assert wins(np.abs(smooth[:, JUMP - 1]), np.abs(own[:, JUMP - 1]))


def test_a_drift_that_is_too_small_hurts_for_long(seed: int) -> None:
    share = np.where(TIME < JUMP, 0.3, 0.6)
    mechanism, rng = MECHANISMS[0], Seeded(seed)
    ones = np.round(PEOPLE * share).astype(np.int64)
    estimate = mechanism.estimate(mechanism.simulate(np.column_stack([PEOPLE - ones, ones]), rng))
    stubborn = filtered(estimate, drift=0.001).values - share
    assert (stubborn[JUMP : JUMP + 10] < -0.1).all()
    assert np.abs(filtered(estimate).values - share)[JUMP + 5 :].max() < 0.1


def test_on_independent_rounds_it_neither_helps_nor_hurts(seed: int) -> None:
    share = 0.1 + 0.8 * np.random.default_rng(3).random(ROUNDS)
    own, smooth = errors(MECHANISMS[0], share, seed, 60)
    for before, after in zip(of_run(own), of_run(smooth), strict=True):
        assert after.mean() == pytest.approx(before.mean(), rel=0.1)


@pytest.mark.parametrize("cls", [Harmony, Borappor])
def test_it_takes_the_estimates_of_every_mechanism(
    cls: type[ContinualMechanism], seed: int
) -> None:
    own, smooth = errors(cls.calibrate(ROUNDS, 4.0), np.full(ROUNDS, 0.3), seed, 40)
    assert wins(of_run(smooth)[0], of_run(own)[0])


counts = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=2, max_size=12
).filter(lambda rows: sum(rows[0]) > 0)


@given(rows=counts, later=counts, keep=st.integers(1, 11))
def test_later_rounds_never_change_earlier_ones(
    rows: list[tuple[int, int]], later: list[tuple[int, int]], keep: int
) -> None:
    keep = min(keep, len(rows) - 1)
    changed = rows[:keep] + (later * len(rows))[: len(rows) - keep]
    for drift in (None, 0.01):
        before, after = filtered(of(rows), drift=drift), filtered(of(changed), drift=drift)
        for column in ("values", "stderr", "drift"):
            np.testing.assert_array_equal(
                getattr(before, column)[:keep], getattr(after, column)[:keep]
            )


def test_a_later_round_does_change_itself() -> None:
    rows = [(10, 20)] * 5
    changed = [*rows[:4], (20, 10)]
    before, after = filtered(of(rows)), filtered(of(changed))
    assert before.values[4] > after.values[4]


def test_rounds_without_reports_are_predicted_and_less_certain() -> None:
    rows = [(0, 0), (0, 0), (60, 40), (50, 50), (0, 0), (0, 0), (45, 55)]
    stream = filtered(of(rows), drift=0.02)
    assert stream.rounds == (3, 4, 5, 6, 7)
    assert stream.values[1] == stream.values[2] == stream.values[3]
    assert stream.stderr[1] < stream.stderr[2] < stream.stderr[3] > stream.stderr[4]
    assert stream.stderr[3] ** 2 == pytest.approx(stream.stderr[1] ** 2 + 2 * 0.02**2)
    told = stream.rows()
    assert [row["round"] for row in told] == [1, 2, 3, 4, 5, 6, 7]
    assert told[0]["filtered"] is told[1]["stderr"] is None
    assert told[4]["filtered"] == stream.values[2]


def test_every_row_says_that_it_is_model_based() -> None:
    stream = filtered(of([(5, 5), (6, 4)]))
    assert {row["model"] for row in stream.rows()} == {FilteredStream.model}
    assert "random walk" in FilteredStream.model
    assert "share" not in stream.rows()[0]  # the unbiased one's name


def test_no_drift_is_the_running_mean_and_a_large_one_the_rounds_own() -> None:
    rows = [(60, 40), (50, 50), (45, 55), (55, 45)]
    estimate = of(rows)
    mean = np.cumsum(estimate.values) / np.arange(1, 5)
    np.testing.assert_allclose(filtered(estimate, drift=0.0).values, mean, atol=2e-3)
    np.testing.assert_allclose(filtered(estimate, drift=1e3).values, estimate.values, atol=1e-6)


@pytest.mark.parametrize("said", [(200, 0), (0, 200)])
def test_a_count_of_nobody_is_not_taken_as_certain(said: tuple[int, int]) -> None:
    """The rounds' own standard errors are 0 there."""
    estimate = of([said] * 20, flip=2.0**-20)
    assert estimate.stderr.max() == 0
    stream = filtered(estimate)
    assert stream.stderr.min() > 1e-6
    assert stream.stderr[0] > 1 / 250
    one_more = [said] * 20 + [(190, 10) if said[0] else (10, 190)]
    assert np.isfinite(filtered(of(one_more, flip=2.0**-20)).values).all()


def test_a_single_report_is_worth_little() -> None:
    estimate = of([(100, 100)] * 5 + [(0, 1)])
    assert math.isinf(estimate.stderr[-1])
    moved = filtered(estimate).values
    assert 0 < moved[-1] - moved[-2] < 0.1


def test_its_error_is_right_if_the_model_holds(seed: int) -> None:
    """The last round of random walks, held by at least 95 % of the intervals.

    That fails by chance with probability at most 1e-9. Told that the share stands still, the
    filter must fail it; learning the step costs a little.
    """
    mechanism, runs, step = MECHANISMS[0], 400, 0.02
    rng, noise = Seeded(seed), np.random.default_rng(seed)
    hits = {None: 0, step: 0, 0.0: 0}
    for _ in range(runs):
        share = 0.5 + np.cumsum(noise.normal(0, step, ROUNDS))
        ones = np.clip(np.round(PEOPLE * share), 0, PEOPLE).astype(np.int64)
        truth = np.column_stack([PEOPLE - ones, ones])
        estimate = mechanism.estimate(mechanism.simulate(truth, rng))
        for drift in hits:
            low, high = filtered(estimate, drift=drift).interval(0.95)
            hits[drift] += bool(low[-1] <= ones[-1] / PEOPLE <= high[-1])
    assert bdtr(hits[step], runs, 0.95) > ALPHA
    assert bdtr(hits[None], runs, 0.9) > ALPHA
    assert bdtr(hits[0.0], runs, 0.9) < ALPHA


def test_the_drift_is_learned(seed: int) -> None:
    mechanism, rng = MECHANISMS[1], Seeded(seed)
    learned = []
    for share in (np.full(ROUNDS, 0.5), 0.5 + 0.4 * (-1.0) ** TIME):
        ones = np.round(PEOPLE * share).astype(np.int64)
        truth = np.column_stack([PEOPLE - ones, ones])
        learned.append(filtered(mechanism.estimate(mechanism.simulate(truth, rng))).drift)
    still, jumping = learned
    assert still[-1] < 0.02
    assert jumping[-1] > 0.2
    assert still[0] == jumping[0] == pytest.approx(np.mean(DRIFTS))


@pytest.mark.parametrize("drift", [-0.1, math.inf, math.nan])
def test_a_drift_is_a_distance(drift: float) -> None:
    with pytest.raises(ParameterError, match="a drift must be at least 0 and finite"):
        filtered(of([(1, 1)]), drift=drift)


@pytest.mark.parametrize("level", [0, 1, math.nan])
def test_a_level_is_a_chance(level: float) -> None:
    with pytest.raises(ParameterError, match="a level must be between 0 and 1"):
        filtered(of([(1, 1)])).interval(level)


def test_nothing_can_be_made_of_nothing() -> None:
    with pytest.raises(ParameterError, match="0 rounds have reports"):
        filtered(of([(0, 0), (0, 0)]))
