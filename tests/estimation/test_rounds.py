"""The intervals of a round and the band over all of them cover what they promise."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from scipy.special import bdtr
from scipy.stats import binom

from sudare import Borappor, Glance, Harmony, KShot, Seeded
from sudare.errors import ParameterError
from sudare.estimation.estimate import Interval
from sudare.estimation.rounds import round_estimates
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.over_time.continual import ContinualMechanism
from support.chance import ALPHA
from support.enumeration import aggregate_law

Floats = NDArray[np.float64]

LEVELS = [0.55, 0.8, 0.9, 0.95, 0.99, 1 - 0.05 / 50]
FLIPS = [2.0**-12, 0.01, 0.05, 0.125, 0.27, 0.45]
ROUNDING = 1e-12  # of sums of chances in floating point


@cache
def coins(count: int, chance: float) -> Floats:
    """The binomial law."""
    return np.array(
        [
            math.comb(count, heads) * chance**heads * (1 - chance) ** (count - heads)
            for heads in range(count + 1)
        ]
    )


def round_law(people: int, reporters: int, held: int, flip: float) -> Floats:
    """How many reports of a round say 1: drawn without replacement, then each flipped or not."""
    law = np.zeros(reporters + 1)
    for ones in range(max(0, reporters - people + held), min(held, reporters) + 1):
        ways = math.comb(held, ones) * math.comb(people - held, reporters - ones)
        chance = ways / math.comb(people, reporters)
        law += chance * np.convolve(coins(ones, 1 - flip), coins(reporters - ones, flip))
    return law


def every_interval(
    reports: int, holder: float, others: float, *, sampled: bool, level: float
) -> Interval:
    """The interval for every number of ones among so many reports."""
    ones = np.arange(reports + 1)
    counts = np.column_stack([reports - ones, ones])
    return round_estimates(counts, holder, others, sampled=sampled).interval(level)


def covered(law: Floats, interval: Interval, share: float) -> float:
    return float(law[(interval.low <= share) & (share <= interval.high)].sum())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("flip", FLIPS)
def test_a_sampled_rounds_coverage_exactly(level: float, flip: float) -> None:
    """Glance and KShot: every number of people up to 9, of reporters, and in state 1."""
    for people in range(1, 10):
        for reporters in range(1, people + 1):
            interval = every_interval(reporters, 1 - flip, flip, sampled=True, level=level)
            for held in range(people + 1):
                law = round_law(people, reporters, held, flip)
                coverage = covered(law, interval, held / people)
                assert coverage >= level - ROUNDING, (people, reporters, held)


@pytest.mark.parametrize(("people", "reporters"), [(10_000, 150), (200, 150), (150, 150)])
@pytest.mark.parametrize("flip", [2.0**-12, 0.05, 0.27])
def test_a_sampled_rounds_coverage_among_many(people: int, reporters: int, flip: float) -> None:
    intervals = {
        level: every_interval(reporters, 1 - flip, flip, sampled=True, level=level)
        for level in LEVELS
    }
    for share in (0.0, 0.01, 0.2, 0.5, 0.9, 1.0):
        held = round(people * share)
        law = round_law(people, reporters, held, flip)
        for level, interval in intervals.items():
            assert covered(law, interval, held / people) >= level - ROUNDING, (share, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cls", [Harmony, Borappor])
def test_the_coverage_where_everybody_reports_exactly(
    level: float, cls: type[ContinualMechanism]
) -> None:
    """The sum of two binomials, for every number of people up to 12 in state 1, and for many."""
    for rounds, epsilon in product((1, 2, 7, 50), (0.5, 2.0, 8.0)):
        mechanism = cls.calibrate(rounds, epsilon)
        holder, others = mechanism.holder, mechanism.others
        for people in (1, 2, 3, 5, 8, 12, 2000):
            interval = every_interval(people, holder, others, sampled=False, level=level)
            for held in range(people + 1) if people <= 12 else (0, 1, 13, 300, 1000, 1999):
                honest = binom.pmf(np.arange(held + 1), held, holder)
                lies = binom.pmf(np.arange(people - held + 1), people - held, others)
                coverage = covered(fftconvolve(honest, lies), interval, held / people)
                assert coverage >= level - ROUNDING, (rounds, epsilon, people, held)


@pytest.mark.parametrize("flip", FLIPS)
def test_shorter_intervals_would_not_cover(flip: float) -> None:
    """The enumeration can fail: plain value ± 1.96 standard errors misses near 0 and 1."""
    worst = 1.0
    for people, reporters in product(range(2, 10), range(2, 6)):
        if reporters > people:
            continue
        ones = np.arange(reporters + 1)
        counts = np.column_stack([reporters - ones, ones])
        estimate = round_estimates(counts, 1 - flip, flip, sampled=True)
        reach = 1.96 * estimate.stderr
        plain = Interval(estimate.values - reach, estimate.values + reach)
        for held in range(people + 1):
            law = round_law(people, reporters, held, flip)
            worst = min(worst, covered(law, plain, held / people))
    assert worst < 0.9


def test_one_tail_may_exceed_its_half_but_never_the_whole() -> None:
    """Two of 1,000 people, all but one in state 1: less than a report from the mean.

    Not both reporting 1 is likelier without replacement (1/500) than with (1 - .999²).
    """
    people, held, flip = 1000, 999, 2.0**-40
    outside = 2 * (2 / people - 5e-7)
    law = round_law(people, 2, held, flip)
    assert 1 - law[2] > outside / 2
    interval = every_interval(2, 1 - flip, flip, sampled=True, level=1 - outside)
    assert interval.high[1] < held / people
    assert covered(law, interval, held / people) >= 1 - outside


@pytest.mark.parametrize(
    ("mechanism", "streams"),
    [
        (Glance(2, 0.75), [[0, 1], [1, 1], [0, 0], [1, 0]]),
        (Glance(3, 0.875), [[0, 1, 1], [1, 1, 1], [1, 0, 1]]),
        (Harmony(2, 0.875), [[0, 1], [1, 1], [0, 0], [1, 1]]),
        (Borappor(2, 0.75), [[0, 1], [1, 1], [1, 0], [1, 1]]),
        (KShot(2, 2, 0, 0.5), [[0, 1], [1, 1], [1, 0], [1, 1]]),
        (KShot(3, 2, 0, 0.75), [[0, 1, 1], [1, 1, 1], [1, 0, 1]]),
    ],
    ids=repr,
)
def test_the_band_covers_all_rounds_under_the_codes_own_law(
    mechanism: ContinualMechanism, streams: list[list[int]]
) -> None:
    """Everything the code can do with a few people, as fractions: rounds hang together."""
    states = np.array(streams, np.uint8)
    truth = states.mean(axis=0)
    for level in (0.6, 0.9):
        coverage = Fraction(0)
        for flat, chance in aggregate_law(mechanism, states).items():
            counts = np.array(flat).reshape(-1, 2)
            estimate = mechanism.estimate(Aggregate(mechanism.key, int(counts.sum()), counts))
            low, high = estimate.simultaneous(level)
            known = truth[estimate.rounds - 1]
            coverage += chance * bool(((low <= known) & (known <= high)).all())
        assert coverage >= level


@pytest.mark.parametrize(
    "mechanism",
    [
        Glance.calibrate(50, 1.0),
        Glance.calibrate(50, 4.0),
        KShot.calibrate(50, 4.0),
        Harmony.calibrate(50, 4.0),
        Borappor.calibrate(50, 4.0),
    ],
    ids=repr,
)
def test_the_band_covers_fifty_rounds_of_ten_thousand_people(
    mechanism: ContinualMechanism, seed: int
) -> None:
    """Fails by chance with probability at most 1e-9; a band of 7/10 its width must fail."""
    people, runs, level = 10_000, 300, 0.95
    ones = np.linspace(0, people, 50).astype(np.int64)
    truth = np.column_stack([people - ones, ones])
    rng, hits, narrow = Seeded(seed), 0, 0
    for _ in range(runs):
        estimate = mechanism.estimate(mechanism.simulate(truth, rng))
        share = ones[estimate.rounds - 1] / people
        low, high = estimate.simultaneous(level)
        hits += bool(((low <= share) & (share <= high)).all())
        middle, reach = (low + high) / 2, 0.7 * (high - low) / 2
        narrow += bool((abs(share - middle) <= reach).all())
    assert bdtr(hits, runs, level) > ALPHA
    assert bdtr(narrow, runs, level) < ALPHA


def test_a_band_is_wider_than_an_interval_and_says_so_in_rows() -> None:
    estimate = round_estimates(np.array([[9, 1], [0, 0], [0, 10]]), 0.9, 0.1, sampled=True)
    rows = estimate.rows(0.9)
    assert [row["round"] for row in rows] == [1, 2, 3]
    assert rows[1]["band_low"] is rows[1]["high"] is None
    for row in (rows[0], rows[2]):
        assert row["band_low"] < row["low"] < row["share"] < row["high"] + 1e-12
        assert row["high"] <= row["band_high"]
    np.testing.assert_allclose(estimate.simultaneous(0.9), estimate.interval(1 - 0.1 / 3))


def test_a_consistent_band_lies_in_the_range_and_covers_no_less() -> None:
    estimate = round_estimates(np.array([[10, 0], [5, 5], [0, 10]]), 0.9, 0.1, sampled=True)
    free, cut = estimate.rows(0.9), estimate.rows(0.9, consistent=True)
    assert free[0]["band_low"] < 0
    assert free[2]["band_high"] > 1
    for row, kept in zip(free, cut, strict=True):
        for name in ("low", "high", "band_low", "band_high"):
            assert kept[name] == min(max(row[name], 0), 1)
        assert kept["share"] == row["share"]
    assert cut[2]["share"] > 1


def test_tiny_errors_are_divided_too() -> None:
    """The upper end is computed from its own tail: nothing is lost below 1e-16."""
    estimate = round_estimates(np.array([[50, 50]]), 0.75, 0.25, sampled=True)
    low, high = estimate._interval(1e-30)
    assert low[0] + high[0] == pytest.approx(1)
    assert high[0] > estimate.interval(1 - 1e-12).high[0]


@pytest.mark.parametrize("level", [0, 1, -0.5, 1.5, math.nan])
def test_a_level_is_a_chance(level: float) -> None:
    estimate = round_estimates(np.array([[5, 5]]), 0.75, 0.25, sampled=True)
    for ask in (estimate.interval, estimate.simultaneous, estimate.rows):
        with pytest.raises(ParameterError, match="a level must be between 0 and 1"):
            ask(level)


@pytest.mark.parametrize(("people", "share"), [(6, 0), (6, 0.5), (6, 1), (400, 0.5), (400, 0.4)])
def test_the_error_for_a_population_is_unbiased_where_everybody_reports(
    people: int, share: float
) -> None:
    """Of people drawn at random: in the mean, the variance of noise and sampling together.

    Summed over every outcome. The noise's alone is less. Of few people a sampling variance below
    0 is often taken for 0, and the error is overstated; of many it is not.
    """
    holder, others = 0.75, 0.25
    chance = others + (holder - others) * share
    ones = np.arange(people + 1)
    law = binom.pmf(ones, people, chance)
    counts = np.column_stack([people - ones, ones])
    plain = round_estimates(counts, holder, others, sampled=False)
    widened = plain.of_population()
    variance = float(law @ (plain.values - share) ** 2)
    sampling = share * (1 - share) / people
    assert float(law @ plain.stderr**2) == pytest.approx(variance - sampling, rel=1e-12)
    said = float(law @ widened.stderr**2)
    assert said == pytest.approx(variance, rel=1e-9) if people > 6 else said > variance
    assert widened.of_population() is widened
    assert (widened.interval().low == plain.interval().low).all()


def test_a_population_where_people_are_sampled_already() -> None:
    counts = np.array([[3, 4], [1, 0]])
    sampled = round_estimates(counts, 0.75, 0.25, sampled=True)
    assert sampled.of_population() is sampled
    everybody = round_estimates(counts, 0.75, 0.25, sampled=False).of_population()
    assert everybody.stderr[1] == np.inf
    assert everybody.stderr[0] == pytest.approx(sampled.stderr[0], rel=1e-12)
