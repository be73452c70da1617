"""Positions instead of a matrix: the same products."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.mechanisms.rappor import Rappor
from support.texts import dense, design_of, hashed


@given(
    seed=st.integers(0, 2**32),
    candidates=st.integers(1, 60),
    hashes=st.integers(1, 5),
    cohorts=st.integers(1, 7),
)
def test_products_are_those_of_the_centred_matrix(
    seed: int, candidates: int, hashes: int, cohorts: int
) -> None:
    design = design_of(Rappor(16, hashes, cohorts, 0.0, 0.25, 0.75), hashed(seed, candidates))
    matrix, generator = dense(design), np.random.default_rng(seed)
    values = generator.normal(size=(cohorts, 16))
    values = (values - values.mean(axis=1, keepdims=True)).ravel()
    support = generator.permutation(candidates)[: candidates // 2 + 1]
    coefficients, weights = generator.normal(size=support.size), generator.random(design.height)
    assert design.hashes == hashes
    assert design.scores(values) == pytest.approx(matrix.T @ values, abs=1e-9)
    part = design.part(support).scores(values)
    assert part == pytest.approx(matrix.T[support] @ values, abs=1e-9)
    fitted = matrix[:, support] @ coefficients
    assert design.fitted(support, coefficients) == pytest.approx(fitted, abs=1e-9)
    chosen = matrix[:, support]
    gram = chosen.T @ (weights[:, np.newaxis] * chosen)
    assert design.gram(support, weights) == pytest.approx(gram, abs=1e-9)


@pytest.mark.parametrize("bits", [4, 8, 16])
def test_coincidence_is_the_chance_of_the_same_bits(bits: int) -> None:
    for hashes in range(1, bits):
        filters = Counter(
            frozenset((start + place * stride) % bits for place in range(hashes))
            for start in range(bits)
            for stride in range(1, bits, 2)
        )
        chances = [count / filters.total() for count in filters.values()]
        design = design_of(Rappor(bits, hashes, 3, 0.0, 0.25, 0.75), hashed(1, 2))
        assert design.coincidence(3) == pytest.approx(sum(chance**2 for chance in chances) ** 3)
