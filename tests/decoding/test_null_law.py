"""The law of a candidate that nobody holds: its tail against a convolution and a finer one."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import log_ndtr

from sudare.decoding.null_law import hash_law

Floats = NDArray[np.float64]


def residuals(seed: int, spike: float, shape: tuple[int, int] = (64, 128)) -> Floats:
    """Noise, and in every cohort one bit of a text that is missing from the model."""
    rng = np.random.default_rng(seed)
    found = rng.normal(size=shape)
    found[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] += spike
    return np.asarray(found - found.mean(axis=1, keepdims=True), np.float64)


def sums(values: Floats, hashes: int) -> Floats:
    """Of each cohort, what every start and every odd stride add up to."""
    bits = values.shape[1]
    ones = [
        [(start + place * stride) % bits for place in range(hashes)]
        for start in range(bits)
        for stride in range(1, bits, 2)
    ]
    return np.asarray(values[:, ones].sum(axis=2), np.float64)


def saddlepoint(values: Floats, tilt: float) -> tuple[float, float]:
    """The score at a tilt and the logarithm of its tail, without steps or interpolation."""
    weight = np.exp(tilt * values)
    total = weight.sum(axis=1)
    first = (weight * values).sum(axis=1) / total
    second = (weight * values**2).sum(axis=1) / total
    score, curvature = first.sum(), (second - first**2).sum()
    root = np.sqrt(2 * (tilt * score - np.log(total / values.shape[1]).sum()))
    return score, log_ndtr(-(root + np.log(tilt * np.sqrt(curvature) / root) / root))


@pytest.mark.parametrize("hashes", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("spike", [0.0, 4.0])
def test_logarithms_of_p_values_are_right_to_a_thousandth(
    seed: int, hashes: int, spike: float
) -> None:
    noise = residuals(seed, spike, (16, 32))
    law, every = hash_law(noise, hashes), sums(noise, hashes)
    assert law.deviation == pytest.approx(np.sqrt(every.var(axis=1).sum()))
    for tilt in np.geomspace(0.6, 20, 40):
        score, log_tail = saddlepoint(every / law.deviation, float(tilt))
        p = float(law.p_values(np.array([score]))[0])
        assert np.log(p) == pytest.approx(log_tail, rel=1e-3)


def test_the_tail_is_that_of_the_convolution(seed: int) -> None:
    """Whole numbers have a law that can be convolved: within a few per cent far out."""
    rng = np.random.default_rng(seed)
    steps = np.stack([rng.permutation(np.repeat(np.arange(-4, 5), 14)) for _ in range(64)])
    law = hash_law(steps.astype(np.float64), 1)
    exact = np.ones(1)
    for _ in range(64):
        exact = np.convolve(exact, np.full(9, 1 / 9))
    for score in (60, 80, 100, 120):
        tail = float(exact[score + 256 :].sum())
        # A lattice is compared halfway between its points.
        p = float(law.p_values(np.array([(score - 0.5) / law.deviation]))[0])
        assert p == pytest.approx(tail, rel=0.02)


@pytest.mark.parametrize("chance", [0.2, 1e-3, 5e-7, 1e-40])
def test_the_threshold_is_where_the_p_value_is_the_chance(seed: int, chance: float) -> None:
    law = hash_law(residuals(seed, 3.0), 2)
    cut = law.threshold(chance)
    below, above = law.p_values(np.array([cut * (1 - 1e-6), cut * (1 + 1e-6)]))
    assert above <= chance <= below


def test_nothing_passes_a_chance_beyond_the_law(seed: int) -> None:
    small = hash_law(residuals(seed, 0.0, (2, 8)), 1)
    assert small.threshold(1e-100) == float("inf")
    assert (np.diff(small.scores) > 0).all()
    assert (np.diff(small.roots) >= 0).all()


def test_where_progressions_are_too_many_some_of_them_say_nearly_the_same(seed: int) -> None:
    noise = residuals(seed, 3.0, (64, 256))
    law, every = hash_law(noise, 4), sums(noise, 4)
    assert law.deviation == pytest.approx(np.sqrt(every.var(axis=1).sum()), rel=0.02)
    for tilt in (2.0, 4.0, 6.0):
        score, log_tail = saddlepoint(every / law.deviation, tilt)
        p = float(law.p_values(np.array([score]))[0])
        assert np.log(p) == pytest.approx(log_tail, rel=0.05)
