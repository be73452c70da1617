"""Consistency steps: on the simplex, nearest to the values, and still in their order."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare.estimation.simplex import clip, norm_sub, normalise, project

Floats = NDArray[np.float64]
LOST = 1e-9  # what floats may lose: values are sums of up to 30 numbers below 10


def arrays(low: float, high: float, size: int = 30) -> st.SearchStrategy[Floats]:
    return st.lists(st.floats(low, high), min_size=1, max_size=size).map(np.array)


estimates = arrays(-10, 10)
weighted = st.integers(1, 20).flatmap(
    lambda size: st.tuples(
        st.lists(st.floats(-10, 10), min_size=size, max_size=size).map(np.array),
        st.lists(st.floats(0.1, 10), min_size=size, max_size=size).map(np.array),
    )
)


def on_simplex(shares: Floats) -> bool:
    return bool(shares.min() >= 0 and abs(shares.sum() - 1) < LOST)


def shifted_until_positive(values: Floats) -> Floats:
    """Norm-Sub, plainly: shift to the sum 1, drop whoever is negative, until nobody is."""
    kept = np.ones(values.size, np.bool_)
    while True:
        shift = (1 - values[kept].sum()) / kept.sum()
        negative = kept & (values + shift < 0)
        if not negative.any():
            return np.where(kept, values + shift, 0)
        kept &= ~negative


def clipped_and_shifted(values: Floats) -> Floats:
    """Norm-Sub as usually coded: negatives to 0, the difference spread over the rest, again."""
    shares = values.copy()
    while True:
        shares = np.maximum(shares, 0)
        positive = shares > 0
        excess = shares.sum() - 1
        if abs(excess) < 1e-13:
            return shares
        shares[positive] -= excess / positive.sum()


@pytest.mark.parametrize("step", [normalise, norm_sub])
@given(values=estimates)
def test_shares_are_not_negative_and_sum_to_one(step: object, values: Floats) -> None:
    assert callable(step)
    assert on_simplex(step(values))


@given(values=estimates)
def test_norm_sub_is_its_definition(values: Floats) -> None:
    np.testing.assert_allclose(norm_sub(values), shifted_until_positive(values), atol=LOST)


@given(values=arrays(-1, 1))
def test_norm_sub_is_the_usual_loop_where_there_is_excess(values: Floats) -> None:
    """An unbiased estimate sums to about 1, so what is cut below 0 is excess above it."""
    assume(np.maximum(values, 0).sum() > 1)
    np.testing.assert_allclose(norm_sub(values), clipped_and_shifted(values), atol=LOST)


@pytest.mark.parametrize("step", [normalise, norm_sub])
@given(values=estimates)
def test_a_step_taken_twice_is_taken_once(step: object, values: Floats) -> None:
    assert callable(step)
    once = step(values)
    np.testing.assert_allclose(step(once), once, atol=LOST)


@pytest.mark.parametrize("step", [clip, normalise, norm_sub])
@given(values=estimates)
def test_the_order_of_answers_is_kept(step: object, values: Floats) -> None:
    assert callable(step)
    assert (np.diff(step(values)[np.argsort(values)]) >= 0).all()


@given(pair=weighted)
def test_projection_meets_the_optimality_conditions(pair: tuple[Floats, Floats]) -> None:
    """Karush-Kuhn-Tucker: one multiplier for all that stay; whoever left would pull less."""
    values, stderr = pair
    nearest = project(values, stderr)
    assert on_simplex(nearest)
    pull = (values - nearest) / stderr**2
    multiplier = pull[np.argmax(nearest)]
    scale = np.abs(pull).max() + 1 / stderr.min() ** 2
    assert (np.abs(pull - multiplier) <= LOST * scale)[nearest > 0].all()
    assert (pull <= multiplier + LOST * scale).all()


@given(pair=weighted, seed=st.integers(0, 2**32))
def test_no_point_of_the_simplex_is_nearer(pair: tuple[Floats, Floats], seed: int) -> None:
    values, stderr = pair
    points = np.random.default_rng(seed).dirichlet(np.full(values.size, 0.5), 200)
    corners = np.eye(values.size)
    rivals = np.square((np.concatenate([points, corners]) - values) / stderr).sum(axis=1)
    best = np.square((project(values, stderr) - values) / stderr).sum()
    assert best <= rivals.min() * (1 + LOST)


@given(values=estimates, stderr=st.floats(0.01, 100))
def test_equal_errors_make_the_projection_norm_sub(values: Floats, stderr: float) -> None:
    np.testing.assert_allclose(project(values, stderr), norm_sub(values), atol=LOST)


def test_an_uncertain_answer_gives_way_first() -> None:
    """Excess 0.3, shared 1 : 9 by variance."""
    shares = project(np.array([0.6, 0.7]), np.array([0.1, 0.3]))
    np.testing.assert_allclose(shares, [0.6 - 0.03, 0.7 - 0.27], rtol=1e-12)


@given(values=estimates)
def test_clip_moves_only_what_is_outside(values: Floats) -> None:
    shares = clip(values)
    inside = (values >= 0) & (values <= 1)
    assert (shares[inside] == values[inside]).all()
    assert set(shares[~inside]) <= {0.0, 1.0}


@given(values=arrays(-1, 1))
def test_normalise_keeps_ratios(values: Floats) -> None:
    positive = np.maximum(values, 0)
    assume(positive.sum() > 1e-3)
    np.testing.assert_allclose(normalise(values) * positive.sum(), positive, atol=LOST)


@pytest.mark.parametrize("values", [[0.0, 0.0], [-1.0, -2.0, -3.0]])
def test_normalise_of_nothing_is_uniform(values: list[float]) -> None:
    assert normalise(np.array(values)).tolist() == [1 / len(values)] * len(values)


@pytest.mark.parametrize("step", [clip, normalise, norm_sub])
def test_the_estimate_itself_is_left_alone(step: object) -> None:
    assert callable(step)
    values = np.array([1.2, -0.3, 0.1])
    step(values)
    assert values.tolist() == [1.2, -0.3, 0.1]
