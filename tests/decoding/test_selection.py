"""What is said of those found, given that they were found: against its own law."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from sudare.decoding.leave_one_out import DecoyLaw
from sudare.decoding.selection import explained, interval_given_found, luck_at

Floats = NDArray[np.float64]
NORMAL = DecoyLaw(0.0)


def tail(estimate: Floats, truth: Floats, least: float, stderr: float) -> Floats:
    """The chance of at least this estimate about a truth, given that it is at least ``least``."""
    above = ndtr((truth - estimate) / stderr) / ndtr((truth - least) / stderr)
    return np.asarray(above, np.float64)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_the_ends_are_the_shares_at_which_the_estimate_is_rare(confidence: float) -> None:
    stderr, least = 0.01, 0.04
    shares = np.array([0.045, 0.05, 0.06, 0.2])
    low, high = interval_given_found(shares, np.full(4, stderr), np.full(4, least), confidence)
    inside = low > 0
    assert inside.any()
    assert tail(shares, low, least, stderr)[inside] == pytest.approx((1 - confidence) / 2)
    assert tail(shares, high, least, stderr) == pytest.approx((1 + confidence) / 2)
    at_zero = tail(shares, np.zeros(4), least, stderr)
    assert (at_zero[~inside] >= (1 - confidence) / 2).all()


def test_far_from_the_cut_it_is_the_usual_interval() -> None:
    low, high = interval_given_found(np.array([0.5]), np.array([0.01]), np.array([0.04]), 0.95)
    reach = float(ndtri(0.975)) * 0.01
    assert (low[0], high[0]) == pytest.approx((0.5 - reach, 0.5 + reach))


def test_at_the_cut_it_reaches_down_to_nothing_and_holds_its_estimate() -> None:
    shares = np.array([0.04, 0.0400001, 0.041])
    low, high = interval_given_found(shares, np.full(3, 0.01), np.full(3, 0.04), 0.95)
    assert (low == 0).all()
    assert (high >= shares).all()


@pytest.mark.parametrize("truth", [0.0, 2.0, 4.0, 6.0])
def test_among_those_found_it_covers_with_its_confidence(truth: float) -> None:
    """Half a million estimates that passed: 10⁻⁹ is 6.1 deviations of a binomial, .0019.

    As an interval holds its estimate, a truth up to the cut can't lie above it: .975.
    """
    least, rng = 4.0, np.random.default_rng(1)
    uniform = rng.random(500_000) * norm.sf(least - truth)
    found = truth + norm.isf(uniform)
    low, high = interval_given_found(found, np.ones(found.size), np.full(found.size, least), 0.95)
    covered = float(((low <= truth) & (truth <= high)).mean())
    plain = float((np.abs(found - truth) <= norm.isf(0.025)).mean())
    assert covered == pytest.approx(0.975 if truth <= least else 0.95, abs=0.002)
    if truth < least:
        assert plain < 0.9  # what the usual interval would do


def test_luck_is_what_those_found_have_too_much() -> None:
    """Over 4,000 surveys of 2,000 texts, most of them nobody's; the rest lies about the cut."""
    rng, cut = np.random.default_rng(2), 3.0
    truth = np.concatenate([np.zeros(1900), np.linspace(0, 12, 100)])
    excess, amounts, errors = [], [], []
    for _ in range(4000):
        z = truth + rng.normal(size=truth.size)
        found = z >= cut
        luck = luck_at(cut, z, np.ones(z.size), NORMAL, 1900, 1.0)
        whole, stderr = explained(z[found], np.eye(int(found.sum())), luck)
        excess.append(float((z - truth)[found].sum()))
        amounts.append(luck.amount)
        errors.append((whole - truth[found].sum()) / stderr)
    spread = float(np.std(np.array(excess) - np.array(amounts)) / np.sqrt(4000))
    assert np.mean(excess) == pytest.approx(np.mean(amounts), abs=0.15 + 6.1 * spread)
    # A window without the null's own density would count some 40 % more.
    window = float(norm.sf(2.5) - norm.sf(3.5))
    seen = np.mean(amounts) + 1900 * (window - float(norm.pdf(3.0)))
    assert seen > np.mean(excess) + 6.1 * spread
    covered = float((np.abs(errors) <= 1.96).mean())
    assert 0.94 <= covered <= 0.97


def test_at_a_score_that_nobody_reaches_there_is_no_luck() -> None:
    assert luck_at(float("inf"), np.zeros(5), np.ones(5), NORMAL, 5, 1.0) == (0, 0)


def test_nothing_found_explains_nothing() -> None:
    luck = luck_at(3.0, np.zeros(5), np.ones(5), NORMAL, 5, 1.0)
    assert explained(np.empty(0), np.empty((0, 0)), luck) == (0.0, 0.0)


@pytest.mark.parametrize("skewness", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("chance", [0.2, 1e-3, 1e-9])
def test_the_threshold_of_decoys_is_where_their_tail_is_the_chance(
    skewness: float, chance: float
) -> None:
    law = DecoyLaw(skewness)
    assert law.p_values(np.array([law.threshold(chance)]))[0] == pytest.approx(chance, rel=1e-6)
