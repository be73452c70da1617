"""Kernels of the decoder's regression, each against plain NumPy on the whole matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare.kernels.columns import descend, gather_sums, overlaps, scatter_sums
from sudare.kernels.tilts import tilted_sums

seeds = st.integers(0, 2**32 - 1)
Floats = NDArray[np.float64]
Rows = NDArray[np.unsignedinteger]

shapes = given(
    seed=seeds,
    columns=st.integers(0, 50),
    ones=st.integers(1, 19),
    height=st.integers(1, 300),
    kind=st.sampled_from([np.uint16, np.uint32]),
)


def random_rows(
    seed: int, columns: int, ones: int, height: int, kind: type[np.unsignedinteger]
) -> tuple[Rows, Floats]:
    """Positions of ones, different within a column, and the matrix that they stand for."""
    rng = np.random.default_rng(seed)
    ones = min(ones, height)
    rows = np.empty((columns, ones), kind)
    matrix = np.zeros((height, columns))
    for column in range(columns):
        rows[column] = rng.choice(height, ones, replace=False)
        matrix[rows[column], column] = 1
    return rows, matrix


@shapes
def test_gather_sums_are_those_of_the_matrix(
    seed: int, columns: int, ones: int, height: int, kind: type[np.unsignedinteger]
) -> None:
    rows, matrix = random_rows(seed, columns, ones, height, kind)
    values = np.random.default_rng(seed).normal(size=height)
    sums = np.full(columns, np.nan)
    gather_sums(rows, values, sums)
    np.testing.assert_allclose(sums, matrix.T @ values, rtol=0, atol=1e-12)


@shapes
def test_scatter_sums_are_added(
    seed: int, columns: int, ones: int, height: int, kind: type[np.unsignedinteger]
) -> None:
    rows, matrix = random_rows(seed, columns, ones, height, kind)
    values = np.random.default_rng(seed).normal(size=columns)
    sums = np.arange(height, dtype=np.float64)
    scatter_sums(rows, values, sums)
    np.testing.assert_allclose(sums, np.arange(height) + matrix @ values, rtol=0, atol=1e-11)


@shapes
def test_overlaps_are_the_weighted_products(
    seed: int, columns: int, ones: int, height: int, kind: type[np.unsignedinteger]
) -> None:
    rows, matrix = random_rows(seed, columns, ones, height, kind)
    weights = np.random.default_rng(seed).random(height)
    gram = np.zeros((columns, columns))
    overlaps(rows, weights, gram)
    np.testing.assert_allclose(gram, matrix.T * weights @ matrix, rtol=0, atol=1e-12)


@given(seed=seeds, size=st.integers(0, 30), penalty=st.floats(0, 3), warm=st.booleans())
def test_descend_ends_where_nothing_is_gained(
    seed: int, size: int, penalty: float, warm: bool
) -> None:
    """At the minimum the slope is 0 where x is positive, and not downhill where x is 0."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(size + 20, size))
    gram, linear = matrix.T @ matrix, matrix.T @ rng.normal(size=size + 20) * 3
    point = rng.random(size) if warm else np.zeros(size)
    sweeps = descend(gram, linear, penalty, 1e-24, point)
    slope = gram @ point - linear + penalty
    assert sweeps >= 1
    assert (point >= 0).all()
    np.testing.assert_allclose(slope[point > 0], 0, atol=1e-8)
    assert (slope >= -1e-8).all()


@given(seed=seeds, rows=st.integers(1, 40), columns=st.integers(1, 70), tilts=st.integers(0, 20))
def test_tilted_sums_are_those_of_exponentials(
    seed: int, rows: int, columns: int, tilts: int
) -> None:
    values = np.random.default_rng(seed).normal(size=(rows, columns))
    step = 0.125
    weights, sums = np.exp(values), np.empty((tilts, 3, columns))
    tilted_sums(values, np.exp(step * values), weights, sums)
    for i in range(tilts):
        weight = np.exp((1 + step * (i + 1)) * values)
        for power in range(3):
            expected = (weight * values**power).sum(axis=0)
            scale = (weight * np.abs(values) ** power).sum(axis=0)
            assert (np.abs(sums[i, power] - expected) <= 1e-12 * scale).all()


@pytest.mark.parametrize("ones", [1, 3, 4, 5, 128])
def test_gather_sums_of_the_last_position(ones: int) -> None:
    rows = np.full((2, ones), 2**16 - 1, np.uint16)
    values = np.zeros(2**16)
    values[-1] = 1
    sums = np.empty(2)
    gather_sums(rows, values, sums)
    assert sums.tolist() == [ones, ones]
