"""The LASSO on bit positions: judged by its certificate, not by digits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.decoding.lasso import nonnegative_lasso
from sudare.errors import ParameterError
from sudare.mechanisms.rappor import Rappor
from support.texts import bits_of, dense, design_of, hashed, zipf

SMALL = Rappor(32, 2, 4, 0.0, 0.25, 0.75)


@given(
    seed=st.integers(0, 2**32),
    candidates=st.integers(1, 120),
    people=st.integers(100, 10**6),
    penalty=st.floats(1e-3, 10),
)
def test_the_gap_is_small_and_no_candidate_wants_in(
    seed: int, candidates: int, people: int, penalty: float
) -> None:
    texts = hashed(seed, candidates)
    design = design_of(SMALL, texts)
    bits = bits_of(SMALL, texts[:1], np.array([people]), seed)
    response, _ = design.centred(bits.shares)
    solution = nonnegative_lasso(design, response, bits.weights, penalty, 1e-9)
    matrix, shares = dense(design), np.zeros(candidates)
    shares[solution.support] = solution.coefficients
    residual = response - matrix @ shares
    start = float(bits.weights @ response**2) / 2
    objective = bits.weights @ residual**2 / 2 + penalty * shares.sum()
    assert solution.objective == pytest.approx(objective, rel=1e-9, abs=1e-12 * start)
    assert -1e-12 * start <= solution.gap <= 1e-9 * start
    assert (solution.coefficients > 0).all()
    wanted = matrix.T @ (bits.weights * residual) - penalty
    slack = np.sqrt(2e-9 * start * (matrix**2 * bits.weights[:, np.newaxis]).sum(axis=0))
    assert (wanted <= slack + 1e-12).all()
    assert (np.abs(wanted[solution.support]) <= slack[solution.support] + 1e-12).all()


def test_the_certificate_can_fail() -> None:
    texts = hashed(1, 50)
    design = design_of(SMALL, texts)
    bits = bits_of(SMALL, texts, zipf(50, 10**6), 1)
    response, _ = design.centred(bits.shares)
    rough = nonnegative_lasso(design, response, bits.weights, 0.01, 0.5)
    fine = nonnegative_lasso(design, response, bits.weights, 0.01, 1e-12)
    assert rough.gap > 1e-3 * rough.objective
    assert rough.objective - rough.gap <= fine.objective < rough.objective
    assert fine.gap < 1e-9 * fine.objective


def test_a_high_penalty_lets_nobody_in() -> None:
    texts = hashed(2, 20)
    design = design_of(SMALL, texts)
    bits = bits_of(SMALL, texts, zipf(20, 10**5), 2)
    response, _ = design.centred(bits.shares)
    steepest = design.scores(bits.weights * response).max()
    assert nonnegative_lasso(design, response, bits.weights, steepest).support.size == 0
    nearly = nonnegative_lasso(design, response, bits.weights, 0.9 * steepest)
    assert nearly.support.size >= 1


def test_a_penalty_of_nothing_is_refused() -> None:
    design = design_of(SMALL, hashed(3, 5))
    with pytest.raises(ParameterError, match="a penalty must be above 0, got 0"):
        nonnegative_lasso(design, np.zeros(design.height), np.ones(design.height), 0)
