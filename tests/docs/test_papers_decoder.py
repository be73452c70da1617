"""The printed decoder: its LASSO by its certificate, its least squares by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from support.scripts import paper_module

DECODER = paper_module("rappor-decoding", "paper_decoder")

HEIGHT, WIDTH, HELD = 256, 40, 10


def problem(seed: int, hashes: int = 2, noise: float = 5.0) -> tuple[Floats, Floats, Floats]:
    """A design, the response, and the counts behind it: the first ten columns are there."""
    generator = np.random.default_rng(seed)
    design = (generator.random((HEIGHT, WIDTH)) < hashes / 32).astype(np.float64)
    truth = np.zeros(WIDTH)
    truth[:HELD] = 100 / np.arange(1, HELD + 1)
    return design, design @ truth + generator.normal(0, noise, HEIGHT), truth


def objective(design: Floats, response: Floats, penalty: float, point: Floats) -> float:
    residual = response - design @ point
    return float(residual @ residual / (2 * len(response)) + penalty * point.sum())


def spread(design: Floats, response: Floats, penalty: float) -> Floats:
    """The LASSO's coefficients, zeros included."""
    solution = DECODER.dense_lasso(design, response, penalty)
    point = np.zeros(design.shape[1])
    point[solution.support] = solution.coefficients
    return point


@pytest.mark.parametrize("penalty", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("hashes", [1, 4, 16])
def test_the_lasso_is_certified_by_its_gap(hashes: int, penalty: float) -> None:
    design, response, _ = problem(3, hashes)
    solution = DECODER.dense_lasso(design, response, penalty)
    assert solution.gap <= 1e-8 * response @ response / (2 * HEIGHT)
    point = spread(design, response, penalty)
    assert solution.objective == pytest.approx(objective(design, response, penalty, point))


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), penalty=st.floats(0.01, 10))
def test_no_point_is_lower_than_the_certificate_allows(seed: int, penalty: float) -> None:
    design, response, truth = problem(seed)
    solution = DECODER.dense_lasso(design, response, penalty)
    floor = solution.objective - solution.gap
    others = np.random.default_rng(seed).uniform(0, 2, (20, WIDTH)) * np.maximum(truth, 1)
    for other in (truth, np.zeros(WIDTH), *others):
        assert objective(design, response, penalty, other) >= floor - 1e-9


@pytest.mark.parametrize("penalty", [0.01, 0.1, 1.0])
def test_the_optimality_conditions_hold(penalty: float) -> None:
    design, response, _ = problem(5)
    point = spread(design, response, penalty)
    pull = design.T @ (response - design @ point) / HEIGHT
    assert (point >= 0).all()
    assert pull[point > 0] == pytest.approx(penalty, rel=1e-3)
    assert (pull[point == 0] <= penalty * (1 + 1e-3)).all()


def test_one_column_is_shrunk_by_the_penalty() -> None:
    # ‖y - xb‖²/8 + αb is least at b = (x'y - 4α) / x'x.
    response = np.array([3.0, 5.0, 1.0, 0.0])
    design = np.array([[1.0], [1.0], [0.0], [0.0]])
    assert spread(design, response, 0.1).tolist() == pytest.approx([(8 - 0.4) / 2])
    assert spread(design, response, 2.0).tolist() == [0]
    assert spread(design, -response, 0.1).tolist() == [0]


def test_an_empty_column_is_left_at_0() -> None:
    design, response, _ = problem(1)
    design[:, 3] = 0
    assert spread(design, response, 0.1)[3] == 0


def test_a_penalty_must_be_positive() -> None:
    with pytest.raises(ParameterError, match="above 0, got 0"):
        DECODER.printed_decoder(*problem(1)[:2], penalty=0)


def test_least_squares_are_those_of_numpy() -> None:
    design, response, _ = problem(2)
    fit = DECODER.least_squares(design, response)
    coefficients, residues, rank, _ = np.linalg.lstsq(design, response)
    assert rank == WIDTH
    assert fit.coefficients == pytest.approx(coefficients, rel=1e-9)
    variance = residues[0] / (HEIGHT - WIDTH) * np.linalg.inv(design.T @ design)
    assert fit.stderr == pytest.approx(np.sqrt(np.diag(variance)), rel=1e-9)


def test_least_squares_by_hand() -> None:
    # The mean 2 of 1, 2, 3: residuals -1, 0, 1, variance 1, standard error 1/√3, t = √12 on 2
    # degrees of freedom, whose upper tail is ½ - t / (2 √(2 + t²)).
    fit = DECODER.least_squares(np.ones((3, 1)), np.array([1.0, 2.0, 3.0]))
    assert fit.coefficients == pytest.approx([2])
    assert fit.stderr == pytest.approx([1 / math.sqrt(3)])
    assert fit.p_values == pytest.approx([0.5 - math.sqrt(12 / 14) / 2])


def test_what_is_not_above_0_has_no_evidence() -> None:
    assert DECODER.least_squares(
        np.ones((3, 1)), np.array([-1.0, -2.0, -3.0])
    ).p_values.tolist() == [1]
    assert DECODER.least_squares(np.ones((3, 1)), np.zeros(3)).p_values.tolist() == [1]


def test_two_candidates_that_can_not_be_told_apart_share_what_is_there() -> None:
    column = np.array([1.0, 1.0, 1.0, 0.0])
    response = np.array([3.0, 5.0, 4.0, 1.0])
    alone = DECODER.least_squares(column[:, np.newaxis], response)
    twins = DECODER.least_squares(np.column_stack([column, column]), response)
    assert twins.coefficients == pytest.approx(np.repeat(alone.coefficients / 2, 2))
    assert twins.stderr == pytest.approx(np.repeat(alone.stderr / 2, 2))  # 3 degrees, as alone


def test_least_squares_need_a_residual() -> None:
    with pytest.raises(ParameterError, match="more rows than columns, got 2 and 2"):
        DECODER.least_squares(np.eye(2), np.ones(2))


def test_the_pipeline_proposes_refits_and_tests() -> None:
    design, response, truth = problem(4)
    result = DECODER.printed_decoder(design, response)
    found = result.found()
    assert set(range(HELD)) <= set(found.tolist())
    assert result.fit.coefficients[:HELD] == pytest.approx(truth[:HELD], abs=10)
    outside = np.setdiff1d(np.arange(WIDTH), result.proposed)
    assert (result.p_values[outside] == 1).all()
    assert set(found.tolist()) <= set(result.proposed.tolist())
    assert result.found(1e-300).size < found.size


def test_a_penalty_on_counts_finds_nothing_in_shares() -> None:
    design, response, _ = problem(4)
    assert DECODER.printed_decoder(design, response / 1e5).found().size == 0
    assert (
        DECODER.printed_decoder(design, response / 1e5, penalty=1e-6, least=1e-8).found().size
        >= HELD
    )
