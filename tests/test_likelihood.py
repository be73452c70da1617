"""The most likely shares: tested by their certificate, by rivals, and by a closed form."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sudare.errors import ParameterError
from sudare.estimation.likelihood import Evidence, most_likely
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.grr import GRR
from sudare.randomness import Seeded

Floats = NDArray[np.float64]
GAP = 1e-9
ROUNDING = 1e-12  # of a log-likelihood per observation in floats

STEPS = 2000  # a search that needs more will not end

names = pytest.mark.parametrize("name", CATEGORICAL)
cases = pytest.mark.parametrize("case", range(20))


def drawn(name: str, case: int, seed: int) -> tuple[Evidence, Floats]:
    """Evidence from a random population at a random ε, and the true shares."""
    generator = Seeded(seed + case).generator()
    truth = generator.negative_binomial(0.5, 0.01, generator.integers(2, 13))
    truth[0] += 1
    epsilon = float(generator.uniform(0.2, 6))
    return collected(name, epsilon, truth.tolist(), case), truth / truth.sum()


def collected(name: str, epsilon: float, truth: list[int], seed: int) -> Evidence:
    mechanism = CATEGORICAL[name].calibrate(len(truth), epsilon)
    return mechanism.evidence(mechanism.simulate(truth, Seeded(seed)))


def water_filling(counts: Floats, p: float, q: float) -> Floats:
    """The maximum for GRR: f = max(0, c/μ - q/(p - q)), with μ such that the sum is 1."""
    floor = q / (p - q)
    falling = np.sort(counts)[::-1]
    kept = np.arange(1, counts.size + 1)
    levels = np.cumsum(falling) / (1 + kept * floor)
    last = np.flatnonzero(falling > floor * levels)[-1]
    return np.asarray(np.maximum(counts / levels[last] - floor, 0))


@names
@cases
def test_the_certificate_holds_against_any_rival(name: str, case: int, seed: int) -> None:
    evidence, truth = drawn(name, case, seed)
    found = most_likely(evidence, max_steps=STEPS)
    assert found.shares.min() >= 0
    assert abs(found.shares.sum() - 1) < 1e-12
    assert found.gap <= GAP
    best = evidence.log_likelihood(found.shares)
    generator = Seeded(seed).generator()
    rivals = [
        *generator.dirichlet(np.ones(truth.size), 100),
        *generator.dirichlet(np.full(truth.size, 0.1), 100),
        *(0.999 * found.shares + 0.001 * np.eye(truth.size)),  # a step towards each corner
        truth,
    ]
    likeliest = max(evidence.log_likelihood(rival) for rival in rivals)
    assert likeliest <= best + found.gap + ROUNDING


@cases
def test_for_grr_it_is_water_filling(case: int, seed: int) -> None:
    evidence, _ = drawn("grr", case, seed)
    closed = water_filling(evidence.counts[0], evidence.holder[0], evidence.others[0])
    assert evidence.gain(closed).max() - 1 < ROUNDING  # the closed form has a certificate too
    found = most_likely(evidence, max_steps=STEPS)
    left = evidence.log_likelihood(closed) - evidence.log_likelihood(found.shares)
    assert -ROUNDING <= left <= found.gap + ROUNDING


@names
@pytest.mark.parametrize("gap", [1e-2, 1e-4])
def test_a_coarse_certificate_is_honest_too(name: str, gap: float) -> None:
    """Stopped early, it says how much is left; the fine solution shows that it is no more."""
    evidence = collected(name, 1.0, [700, 200, 60, 30, 10, 0, 0, 0], 1)
    coarse, fine = (most_likely(evidence, gap=g, max_steps=STEPS) for g in (gap, GAP))
    left = evidence.log_likelihood(fine.shares) - evidence.log_likelihood(coarse.shares)
    assert left <= coarse.gap <= gap


@names
def test_the_gain_is_the_slope_of_the_likelihood(name: str) -> None:
    """Towards corner v the log-likelihood rises by gain - 1, as a difference quotient shows."""
    evidence = collected(name, 2.0, [50, 30, 20], 1)
    shares, step = np.array([0.5, 0.3, 0.2]), 1e-6
    for corner, gain in zip(np.eye(3), evidence.gain(shares), strict=True):
        ahead = evidence.log_likelihood(shares + step * (corner - shares))
        behind = evidence.log_likelihood(shares - step * (corner - shares))
        assert (ahead - behind) / (2 * step) == pytest.approx(gain - 1, abs=1e-7)


@names
@cases
def test_a_plain_step_stays_on_the_simplex_and_never_loses(name: str, case: int, seed: int) -> None:
    evidence, truth = drawn(name, case, seed)
    shares = Seeded(seed).generator().dirichlet(np.ones(truth.size))
    after = shares * evidence.gain(shares)
    assert after.sum() == pytest.approx(1, abs=1e-12)
    assert evidence.log_likelihood(after) >= evidence.log_likelihood(shares) - ROUNDING


@pytest.mark.parametrize(
    "truth",
    [[1, 0], [0, 0, 1], [10**6, 0, 0, 0, 0], [10**6] * 5, [1] * 50, [10**5, *[0] * 199]],
    ids=["one person of two", "one person", "one answer", "uniform", "thin", "long"],
)
@names
def test_corners_and_crowds_converge(name: str, truth: list[int]) -> None:
    for epsilon in (0.1, 1.0, 8.0):
        assert most_likely(collected(name, epsilon, truth, 1), max_steps=STEPS).gap <= GAP


def test_without_negatives_it_is_the_unbiased_estimate() -> None:
    """Inside the simplex the likelihood of GRR peaks where the estimate explains the counts."""
    mechanism = GRR(3, 0.75)
    total = mechanism.simulate([5000, 3000, 2000], Seeded(1))
    unbiased = mechanism.estimate(total).values
    assert unbiased.min() > 0
    found = most_likely(mechanism.evidence(total), gap=1e-13)
    np.testing.assert_allclose(found.shares, unbiased, atol=1e-6)


def test_running_out_of_steps_is_said() -> None:
    evidence = collected("grr", 1.0, [700, 200, 100], 1)
    with pytest.raises(ParameterError, match="after 1 steps; allow a larger gap than 1e-09"):
        most_likely(evidence, max_steps=1)
