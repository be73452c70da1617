"""The law of a candidate that nobody holds: against all of its draws."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from sudare.estimation.hashnull import hash_null

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
    law = hash_null(values, 1)
    scores = np.sort([sum(draw) for draw in product(*values)]) / law.deviation
    assert scores.std() == pytest.approx(1)
    for error, chance in CLOSE:
        at = scores[-int(chance * scores.size)]
        exact = (scores >= at - 1e-12).mean()
        assert law.p_values(np.array([at]))[0] == pytest.approx(exact, rel=error)


def test_a_normal_law_would_be_wrong_by_far() -> None:
    values = residuals(6, 10, 1, skewed=True)
    law = hash_null(values, 1)
    scores = np.sort([sum(draw) for draw in product(*values)]) / law.deviation
    exact = (scores >= scores[-100]).mean()
    assert norm.sf(scores[-100]) < 0.7 * exact


def test_p_values_fall_with_the_score_and_end_at_nothing() -> None:
    law = hash_null(residuals(64, 128, 1, skewed=True), 2)
    p_values = law.p_values(np.linspace(-10, 60, 2000))
    assert (np.diff(p_values) <= 1e-3).all()
    assert p_values[0] == pytest.approx(1)
    assert p_values[-1] < 1e-60
