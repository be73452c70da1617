"""The most likely shares: tested by their certificate, by rivals, and by a closed form."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sudare.chance.randomness import Seeded
from sudare.estimation.likelihood import Evidence, most_likely
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.grr import GRR

Floats = NDArray[np.float64]
GAP = 1e-9
ROUNDING = 1e-12  # of a log-likelihood per observation in floats


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


def log_likelihood(evidence: Evidence, shares: Floats) -> float:
    """Per observation, written out."""
    lift = (evidence.holder - evidence.others)[:, None]
    chances = evidence.others[:, None] + lift * shares
    return float((evidence.counts * np.log(chances)).sum() / evidence.counts.sum())


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
    found = most_likely(evidence)
    assert found.shares.min() >= 0
    assert abs(found.shares.sum() - 1) < 1e-12
    assert found.gap <= GAP
    best = log_likelihood(evidence, found.shares)
    generator = Seeded(seed).generator()
    rivals = [
        *generator.dirichlet(np.ones(truth.size), 100),
        *generator.dirichlet(np.full(truth.size, 0.1), 100),
        *(0.999 * found.shares + 0.001 * np.eye(truth.size)),  # a step towards each corner
        truth,
    ]
    likeliest = max(log_likelihood(evidence, rival) for rival in rivals)
    assert likeliest <= best + found.gap + ROUNDING


@cases
def test_for_grr_it_is_water_filling(case: int, seed: int) -> None:
    evidence, _ = drawn("grr", case, seed)
    closed = water_filling(evidence.counts[0], evidence.holder[0], evidence.others[0])
    assert evidence.gain(closed).max() - 1 < ROUNDING  # the closed form has a certificate too
    found = most_likely(evidence)
    left = log_likelihood(evidence, closed) - log_likelihood(evidence, found.shares)
    assert -ROUNDING <= left <= found.gap + ROUNDING


@names
def test_the_gain_is_the_slope_of_the_likelihood(name: str) -> None:
    """Towards corner v the log-likelihood rises by gain - 1, as a difference quotient shows."""
    evidence = collected(name, 2.0, [50, 30, 20], 1)
    shares, step = np.array([0.5, 0.3, 0.2]), 1e-6
    for corner, gain in zip(np.eye(3), evidence.gain(shares), strict=True):
        ahead = log_likelihood(evidence, shares + step * (corner - shares))
        behind = log_likelihood(evidence, shares - step * (corner - shares))
        assert (ahead - behind) / (2 * step) == pytest.approx(gain - 1, abs=1e-7)


@names
@cases
def test_a_plain_step_stays_on_the_simplex_and_never_loses(name: str, case: int, seed: int) -> None:
    evidence, truth = drawn(name, case, seed)
    shares = Seeded(seed).generator().dirichlet(np.ones(truth.size))
    after = shares * evidence.gain(shares)
    assert after.sum() == pytest.approx(1, abs=1e-12)
    assert log_likelihood(evidence, after) >= log_likelihood(evidence, shares) - ROUNDING


@pytest.mark.parametrize(
    "truth",
    [[1, 0], [0, 0, 1], [10**6, 0, 0, 0, 0], [10**6] * 5, [1] * 50, [10**5, *[0] * 199]],
    ids=["one person of two", "one person", "one answer", "uniform", "thin", "long"],
)
@names
def test_corners_and_crowds_converge(name: str, truth: list[int]) -> None:
    for epsilon in (0.1, 1.0, 8.0):
        assert most_likely(collected(name, epsilon, truth, 1)).gap <= GAP


def test_without_negatives_it_is_the_unbiased_estimate() -> None:
    """Inside the simplex the likelihood of GRR peaks where the estimate explains the counts."""
    mechanism = GRR(3, 0.75)
    total = mechanism.simulate([5000, 3000, 2000], Seeded(1))
    unbiased = mechanism.estimate(total).values
    assert unbiased.min() > 0
    found = most_likely(mechanism.evidence(total))
    np.testing.assert_allclose(found.shares, unbiased, atol=1e-6)
