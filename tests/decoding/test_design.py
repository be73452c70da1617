"""Positions instead of a matrix: the same products."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.decoding import design as design_module
from sudare.decoding.candidates import find
from sudare.decoding.design import Design, HashedRows
from sudare.decoding.simplex_fit import simplex_fit
from sudare.mechanisms.rappor import Rappor
from support.texts import bits_of, dense, design_of, hashed, zipf


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


@pytest.mark.parametrize("hashes", [1, 2, 3])
def test_positions_that_are_computed_anew_decode_the_same(
    hashes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, whether all are kept, none, or those of some candidates."""
    mechanism = Rappor(32, hashes, 16, 0.0, 0.5, 0.75)
    texts = hashed(hashes, 3000)
    bits = bits_of(mechanism, texts[:40], zipf(40, 200_000), hashes)
    kept = design_of(mechanism, texts)
    assert not isinstance(kept.rows, HashedRows)
    expected, complete = find(kept, bits), simplex_fit(kept, bits)
    assert expected.found.size > 5
    for most in (0, 400 * 16 * hashes):
        monkeypatch.setattr(design_module, "_KEPT", most)
        monkeypatch.setattr(design_module, "_AT_ONCE", 1000)
        anew = design_of(mechanism, texts)
        assert isinstance(anew.rows, HashedRows)
        assert isinstance(anew.part(np.arange(401)).rows, HashedRows)
        assert isinstance(anew.part(np.arange(400)).rows, HashedRows) == (most == 0)
        found = find(anew, bits)
        assert found.found.tolist() == expected.found.tolist()
        assert found.shares.tobytes() == expected.shares.tobytes()
        assert found.stderr.tobytes() == expected.stderr.tobytes()
        assert simplex_fit(anew, bits).shares.tobytes() == complete.shares.tobytes()


def test_the_positions_of_many_candidates_are_never_all_there() -> None:
    """They would take 512 MiB; a pass over all candidates takes a hundredth of it."""
    mechanism = Rappor(128, 1, 1024, 0.0, 0.25, 0.75)
    design = Design.of_texts(np.resize(hashed(1, 1000), 1 << 17), mechanism)
    values = np.random.default_rng(1).normal(size=design.height)
    every = np.arange(len(design))
    design.scores(values)  # so that nothing is loaded or compiled while memory is looked at
    design.fitted(every, np.ones(len(design)))
    tracemalloc.start()
    scores, fitted = design.scores(values), design.fitted(every, np.ones(len(design)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 << 20
    assert scores[:1000].tolist() == design.part(every[:1000]).scores(values).tolist()
    assert fitted.sum() == pytest.approx(0, abs=1e-3)
