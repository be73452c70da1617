"""The law of a candidate that nobody holds: against all of its draws."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from sudare.decoding.null_law import hash_law

# (relative error of a tail, down to which probability)
CLOSE = [(0.05, 1e-3), (0.15, 1e-4)]


def residuals(cohorts: int, bits: int, seed: int, *, skewed: bool) -> NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(cohorts, bits))
    if skewed:
        values += 3 * (generator.random((cohorts, bits)) < 0.15)  # strangers' bits
    centred: NDArray[np.float64] = values - values.mean(axis=1, keepdims=True)
    return centred


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_tails_are_those_of_every_draw(seed: int, skewed: bool) -> None:
    values = residuals(6, 10, seed, skewed=skewed)
    law = hash_law(values, 1)
    scores = np.sort([sum(draw) for draw in product(*values)]) / law.deviation
    assert scores.std() == pytest.approx(1)
    for error, chance in CLOSE:
        at = scores[-int(chance * scores.size)]
        exact = (scores >= at - 1e-12).mean()
        assert law.p_values(np.array([at]))[0] == pytest.approx(exact, rel=error)


def test_a_normal_law_would_be_wrong_by_far() -> None:
    values = residuals(6, 10, 1, skewed=True)
    law = hash_law(values, 1)
    scores = np.sort([sum(draw) for draw in product(*values)]) / law.deviation
    exact = (scores >= scores[-100]).mean()
    assert norm.sf(scores[-100]) < 0.7 * exact


@pytest.mark.parametrize("hashes", [2, 3, 4, 6])
def test_tails_are_those_of_every_progression(hashes: int) -> None:
    """Three cohorts of 16 bits: 128³ draws of a start and an odd stride in each."""
    values = residuals(3, 16, 2, skewed=True)
    law = hash_law(values, hashes)
    each = [
        [
            sum(cohort[(start + place * stride) % 16] for place in range(hashes))
            for start in range(16)
            for stride in range(1, 16, 2)
        ]
        for cohort in values
    ]
    first, second, third = (np.array(part) for part in each)
    scores = np.sort((first[:, None, None] + second[:, None] + third).ravel()) / law.deviation
    assert scores.std() == pytest.approx(1)
    for error, chance in ((0.15, 1e-2), (0.3, 1e-3)):  # three cohorts are few for a saddlepoint
        at = scores[-int(chance * scores.size)]
        exact = (scores >= at - 1e-12).mean()
        assert law.p_values(np.array([at]))[0] == pytest.approx(exact, rel=error)


def test_independent_draws_would_be_too_wide() -> None:
    """Of eight bits a score takes one in each class: what the classes share drops out."""
    values = residuals(8, 16, 3, skewed=False)
    shared = np.tile(np.random.default_rng(4).normal(size=(8, 8)), 2)
    law = hash_law(values + shared - shared.mean(axis=1, keepdims=True), 8)
    draws = 8 * ((values + shared) ** 2).mean(axis=1).sum()
    assert law.deviation < 0.8 * np.sqrt(draws)


def test_p_values_fall_with_the_score_and_end_at_nothing() -> None:
    law = hash_law(residuals(64, 128, 1, skewed=True), 2)
    p_values = law.p_values(np.linspace(-10, 60, 2000))
    assert (np.diff(p_values) <= 1e-3).all()
    assert p_values[0] == pytest.approx(1)
    assert p_values[-1] < 1e-60
