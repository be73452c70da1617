"""Shares on the simplex: judged by their certificate and by a dense solve, not by digits."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.decoding import simplex_fit as module
from sudare.decoding.bit_sums import BitShares
from sudare.decoding.design import Design
from sudare.decoding.simplex_fit import SimplexFit, simplex_fit
from sudare.errors import ParameterError
from sudare.mechanisms.rappor import Rappor
from support.texts import bits_of, dense, design_of, hashed, zipf

SHAPES = [
    Rappor(bits, hashes, cohorts, 0.0, 0.25, 0.75)
    for bits, hashes, cohorts in ((16, 1, 4), (16, 2, 3), (16, 3, 4), (16, 4, 2), (32, 8, 4))
]
seeds = st.integers(0, 2**32 - 1)


def certified(design: Design, bits: BitShares, fit: SimplexFit) -> None:
    """Hold a fit to the dense matrix: its shares, value and gap are what they say they are."""
    matrix, (response, _) = dense(design), design.centred(bits.shares)
    residual = response - matrix @ fit.shares
    tiny = 1e-9 * max(float(bits.weights @ response**2), bits.noise**2)
    assert (fit.shares >= 0).all()
    assert fit.shares.sum() == pytest.approx(1, abs=1e-9)
    assert fit.objective == pytest.approx(float(bits.weights @ residual**2) / 2, abs=tiny)
    slopes = matrix.T @ (bits.weights * residual)
    assert fit.gap == pytest.approx(slopes.max() - slopes @ fit.shares, abs=tiny)
    assert fit.gap <= 0.005 * bits.noise**2


def least(design: Design, bits: BitShares) -> float:
    """The least value of all, by trying every set of candidates that may have a share."""
    root = np.sqrt(bits.weights)
    matrix, response = dense(design) * root[:, np.newaxis], design.centred(bits.shares)[0] * root
    values = []
    for size in range(1, len(design) + 1):
        for held in map(list, combinations(range(len(design)), size)):
            # Shares that sum to 1 are an even one and what moves between the last and the others.
            even = np.full(size, 1 / size)
            moves = np.vstack([np.eye(size - 1), -np.ones(size - 1)])
            rest = response - matrix[:, held] @ even
            shares = even + moves @ np.linalg.lstsq(matrix[:, held] @ moves, rest, rcond=None)[0]
            if (shares > -1e-12).all():
                values.append(float(((response - matrix[:, held] @ shares) ** 2).sum()) / 2)
    return min(values)


@pytest.mark.parametrize("mechanism", SHAPES, ids=lambda shape: f"{shape.hashes} hashes")
@settings(max_examples=25)
@given(seed=seeds, candidates=st.integers(1, 7), people=st.integers(100, 10**6))
def test_the_least_value_is_reached(
    mechanism: Rappor, seed: int, candidates: int, people: int
) -> None:
    texts = hashed(seed, candidates + 2)
    design = design_of(mechanism, texts[:candidates])
    bits = bits_of(mechanism, texts[::2], zipf(len(texts[::2]), people), seed)
    fit = simplex_fit(design, bits)
    certified(design, bits, fit)
    best, tiny = least(design, bits), 1e-9 * float(bits.weights @ bits.shares.ravel() ** 2)
    assert best - tiny <= fit.objective <= best + fit.gap + tiny


@pytest.mark.parametrize("mechanism", SHAPES, ids=lambda shape: f"{shape.hashes} hashes")
@pytest.mark.parametrize("people", [10**3, 10**7])
def test_more_candidates_than_rows(mechanism: Rappor, people: int, seed: int) -> None:
    """Whether few of them are held, or all."""
    texts = hashed(seed, 700)
    design = design_of(mechanism, texts)
    for held in (5, 700):
        bits = bits_of(mechanism, texts[:held], np.full(held, people // held), seed)
        certified(design, bits, simplex_fit(design, bits))


def test_nearly_dependent_columns_settle(seed: int) -> None:
    """2,000 texts that people hold alike, and 768 things that can be known of them."""
    mechanism = Rappor(8, 2, 128, 0.0, 0.25, 0.75)
    texts = hashed(seed, 2000)
    design = design_of(mechanism, texts)
    bits = bits_of(mechanism, texts, np.full(2000, 5000), seed)
    fit = simplex_fit(design, bits)
    certified(design, bits, fit)
    assert fit.shares.std() < 0.5 / 2000  # a solution at a corner has over 800 zeros: above 0.8


def test_a_single_candidate_has_all() -> None:
    mechanism = SHAPES[1]
    fit = simplex_fit(
        design_of(mechanism, hashed(1, 1)),
        bits_of(mechanism, hashed(2, 1), np.array([500]), 1),
    )
    assert (fit.shares.tolist(), fit.gap) == ([1.0], 0.0)


def test_candidates_with_the_same_bits_share_a_share(seed: int) -> None:
    """How they do can't be known; together they have what one of them would."""
    mechanism = Rappor(32, 2, 16, 0.0, 0.25, 0.75)
    texts = hashed(seed, 5)
    bits = bits_of(mechanism, texts, np.array([40, 30, 15, 10, 5]) * 1000, seed)
    alone, twice = design_of(mechanism, texts), design_of(mechanism, texts[[0, 1, 2, 3, 4, 0]])
    fit = simplex_fit(twice, bits)
    certified(twice, bits, fit)
    merged = fit.shares[:5] + fit.shares[5] * (np.arange(5) == 0)
    np.testing.assert_allclose(merged, simplex_fit(alone, bits).shares, atol=1e-3)


def test_bits_that_say_nothing_are_fitted_too() -> None:
    """Every bit of a cohort was told as often: the response is 0, and so is its square."""
    design = design_of(SHAPES[1], hashed(1, 20))
    bits = BitShares(np.full(3, 100), np.full((3, 16), 40), 0.75, 0.25)
    certified(design, bits, simplex_fit(design, bits))


def test_truth_is_near_and_what_is_missing_shows(seed: int) -> None:
    """The noise is that of randomising if nothing is missing, and above it if much is.

    It varies by 0.017 between surveys, and the largest error is 0.0016 ± 0.0003: each bound is
    missed once in 10⁹.
    """
    mechanism = Rappor(64, 2, 32, 0.0, 0.25, 0.75)
    texts, people = hashed(seed, 60), zipf(60, 10**6)
    bits = bits_of(mechanism, texts, people, seed)
    fit = simplex_fit(design_of(mechanism, texts), bits)
    assert np.abs(fit.shares - people / people.sum()).max() < 0.006
    assert 0.88 < fit.excess < 1.12
    assert simplex_fit(design_of(mechanism, texts[1:]), bits).excess > 1.25


def test_shares_that_do_not_settle_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = hashed(1, 700)
    design = design_of(SHAPES[2], texts)
    bits = bits_of(SHAPES[2], texts, zipf(700, 10**6), 1)
    monkeypatch.setattr(module, "_MOST_STEPS", 3)
    with pytest.raises(ParameterError, match="the shares of 700 candidates did not settle"):
        simplex_fit(design, bits)
