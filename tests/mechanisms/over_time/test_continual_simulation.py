"""Simulated populations follow the laws of real ones, and fixed groups change nobody's privacy."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from sudare import (
    Borappor,
    Glance,
    Harmony,
    KShot,
    Seeded,
    Streams,
    exact_law,
)
from sudare.chance.keystream import Keystream
from sudare.errors import ParameterError
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Groups
from sudare.mechanisms.over_time import continual
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.mechanisms.over_time.population_sampler import PopulationSampler
from sudare.simulation import experiments
from sudare.simulation.experiments import stream_errors
from support.chance import ALPHA, assert_follows, rejects, two_samples
from support.compiled import NEVER, compiled_from
from support.enumeration import CountLaw, aggregate_law, placed_law, population, values

PATHS = pytest.mark.parametrize("size", [0, NEVER], ids=["compiled", "plain"])
SEARCHED = pytest.mark.parametrize("searched", [True, False], ids=["table", "rejection"])
DRAWS = 8_000
SMALL: list[ContinualMechanism] = [
    Glance(3, 0.75),
    Harmony(3, 0.75),
    Borappor(2, 0.75),
    KShot(3, 2, 0, 0.75),
    KShot(3, 3, 1, 0.75),
]
WRONG: list[ContinualMechanism] = [
    Glance(3, 0.875),
    Harmony(3, 0.875),
    Borappor(2, 0.875),
    KShot(3, 2, 0, 0.875),
    KShot(3, 3, 1, 0.875),
]
each = pytest.mark.parametrize(
    ("mechanism", "wrong"), list(zip(SMALL, WRONG, strict=True)), ids=repr
)


def tallied(counts: np.ndarray) -> Counter[tuple[int, ...]]:
    return Counter(map(tuple, counts.reshape(len(counts), -1).tolist()))


def binomial_law(n: int, p: float) -> dict[int, float]:
    return dict(enumerate(binom.pmf(np.arange(n + 1), n, p).tolist()))


# The samplers


@pytest.mark.parametrize(
    ("n", "p"),
    [(1, 0.5), (15, 0.3), (200, 0.02), (200, 0.98), (70, 0.5), (1500, 0.02), (1500, 0.9)],
)
@SEARCHED
def test_compiled_binomials_follow_their_law(n: int, p: float, searched: bool, seed: int) -> None:
    # Many different numbers of trials have no table.
    trials = np.array([n] * 200_000 + [n] * searched + [10**6] * (not searched))
    with compiled_from(0):
        drawn = PopulationSampler(Seeded(seed)).binomial(trials, p)[:-1]
    law, off = (binomial_law(n, q) for q in (p, p * 0.97))
    assert_follows(Counter(drawn.tolist()), law, drawn.size)
    assert rejects(Counter(drawn.tolist()), off, drawn.size)


@pytest.mark.parametrize(
    ("good", "bad", "drawn"),
    [
        (1, 1, 1),
        (5, 9995, 200),
        (9995, 5, 200),
        (5000, 5000, 200),
        (30, 70, 90),
        (400, 600, 60),
        (7, 3, 5),
    ],
)
@SEARCHED
def test_compiled_hypergeometrics_follow_their_law(
    good: int, bad: int, drawn: int, searched: bool, seed: int
) -> None:
    many = np.full(200_001, drawn)
    goods = np.array([good] * 200_000 + [good + (not searched)])
    with compiled_from(0):
        found = PopulationSampler(Seeded(seed)).hypergeometric(goods, np.array(bad), many)[:-1]
    people = good + bad
    law = {k: float(hypergeom.pmf(k, people, good, drawn)) for k in range(drawn + 1)}
    assert_follows(Counter(found.tolist()), law, found.size)
    off = {k: float(hypergeom.pmf(k, people + 1, good + 1, drawn)) for k in range(drawn + 1)}
    if people <= 10 or good == 5:  # one person more is seen
        assert rejects(Counter(found.tolist()), off, found.size)


def test_large_factorials_continue_the_table(seed: int) -> None:
    """10⁸ people, of whom most logarithms are computed: the mean and spread of a sample."""
    many = np.full(100_001, 10_000)
    goods = np.array([30_000_000] * 100_000 + [30_000_001])  # too different for a table
    with compiled_from(0):
        sampler = PopulationSampler(Seeded(seed))
        found = sampler.hypergeometric(goods, np.array(70_000_000), many)[:-1]
    law = {True: binom.cdf(3000, 10_000, 0.3), False: binom.sf(3000, 10_000, 0.3)}
    # A sample of 10⁴ of 10⁸ is binomial up to a share of 10⁻⁴ of its law.
    assert_follows(Counter((found <= 3000).tolist()), law, found.size)
    assert abs(found.std() / np.sqrt(10_000 * 0.3 * 0.7) - 1) < 6 / np.sqrt(2 * found.size)


@pytest.mark.parametrize(
    ("people", "places"), [(300, 20), (60, 20), (3, 20), (100, 50), (9, 1), (4, 4)]
)
def test_a_spread_puts_everybody_somewhere(people: int, places: int, seed: int) -> None:
    """By Poisson numbers and a few people more, or one place after another."""
    with compiled_from(0):
        fallen = PopulationSampler(Seeded(seed)).spread(np.full((20_000, 2), people), places)
    assert fallen.shape == (20_000, 2, places)
    assert (fallen.sum(axis=-1) == people).all()
    law = binomial_law(people, 1 / places)
    for place in {0, places // 3, places - 1}:  # 40,000 independent rows each
        assert_follows(Counter(fallen[..., place].ravel().tolist()), law, 40_000)
    if places > 1:  # together with a neighbour
        both = (fallen[..., 0] + fallen[..., 1]).ravel().tolist()
        pair = binomial_law(people, 2 / places)
        assert_follows(Counter(both), pair, 40_000)
        assert rejects(Counter(both), law, 40_000)


@pytest.mark.parametrize("good", [10**9, 10**11])
def test_few_draws_from_very_many_people_follow_the_binomial_law(good: int, seed: int) -> None:
    """NumPy's sampler ends at 10⁹; so many people are the same as drawing with replacement."""
    drawn, sampler = np.full(500, 8), PopulationSampler(Seeded(seed))
    found = [sampler.hypergeometric(np.array(good), np.array(good), drawn) for _ in range(40)]
    counts = Counter(np.concatenate(found).tolist())
    assert_follows(counts, binomial_law(8, 0.5), 20_000)
    assert rejects(counts, binomial_law(8, 0.53), 20_000)


@PATHS
@pytest.mark.parametrize("cls", [Glance, Harmony, Borappor, KShot])
def test_nobody_says_nothing(cls: type[ContinualMechanism], size: int) -> None:
    nobody = np.zeros((5, 2), np.int64)
    with compiled_from(size):
        counts = cls.calibrate(5, 4.0).simulate_many(nobody, 200, Seeded(1))
    assert not counts.any()


@pytest.mark.parametrize("coins", [0, 1, 63, 64, 65, 200, 1500])
def test_heads_are_fair(coins: int, seed: int) -> None:
    with compiled_from(0):
        heads = PopulationSampler(Seeded(seed)).heads(np.full(100_000, coins))
    law, off = (binomial_law(coins, p) for p in (0.5, 0.52))
    assert_follows(Counter(heads.tolist()), law, heads.size)
    if coins:
        assert rejects(Counter(heads.tolist()), off, heads.size)


# Whole populations


@PATHS
@each
def test_many_repetitions_follow_the_law_of_groups(
    mechanism: ContinualMechanism, wrong: ContinualMechanism, size: int, seed: int
) -> None:
    truth = [1, 0, 2]
    groups = mechanism.domain.groups(values(mechanism)[:3], truth)
    with compiled_from(size):
        drawn = tallied(mechanism.simulate_many(groups, DRAWS, Seeded(seed)))
    people = population(mechanism, truth)
    assert_follows(drawn, aggregate_law(mechanism, people), DRAWS)
    assert rejects(drawn, aggregate_law(wrong, people), DRAWS)


@PATHS
@each
def test_many_repetitions_follow_the_law_of_people_placed_anew(
    mechanism: ContinualMechanism, wrong: ContinualMechanism, size: int, seed: int
) -> None:
    held = [[1, 2], *[[3, 0]] * (mechanism.rounds - 1)]
    with compiled_from(size):
        drawn = tallied(mechanism.simulate_many(held, DRAWS, Seeded(seed)))
    assert_follows(drawn, placed_law(mechanism, held), DRAWS)
    assert rejects(drawn, placed_law(wrong, held), DRAWS)


def test_one_repetition_is_simulate() -> None:
    mechanism, held = KShot.calibrate(5, 4.0), [[30, 70]] * 5
    one = mechanism.simulate(held, Seeded(1))
    assert np.array_equal(mechanism.simulate_many(held, 1, Seeded(1))[0], one.counts)
    assert one.n == 100 * mechanism.shots


def test_blocks_of_repetitions_fill_the_whole_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(continual, "_CELLS", 64)
    counts = Glance.calibrate(5, 4.0).simulate_many([[30, 70]] * 5, 1000, Seeded(1))
    assert (counts.sum(axis=(1, 2)) == 100).all()
    assert len(tallied(counts)) > 900  # no block repeats another


@pytest.mark.parametrize("cls", [Glance, Harmony, Borappor, KShot])
def test_shares_are_the_estimates(cls: type[ContinualMechanism]) -> None:
    mechanism, held = cls.calibrate(6, 3.0), [[3, 5]] * 6
    shares = mechanism.simulate_shares(held, 50, Seeded(2))
    for row, counts in zip(shares, mechanism.simulate_many(held, 50, Seeded(2)), strict=True):
        estimate = mechanism.estimate(Aggregate(mechanism.key, int(counts.sum()), counts))
        assert np.flatnonzero(~np.isnan(row)).tolist() == (estimate.rounds - 1).tolist()
        assert row[estimate.rounds - 1] == pytest.approx(estimate.values, abs=1e-12)
    if mechanism.sampled:
        assert np.isnan(shares).any()


# Real people


def slow_errors(
    mechanism: ContinualMechanism, groups: Groups, repetitions: int, rng: Keystream
) -> np.ndarray:
    """The maximal error of explicit people who each randomise their own stream."""
    people = np.repeat(groups.streams, groups.people, axis=0)
    reports = mechanism.randomize(np.tile(people, (repetitions, 1)), rng)
    shares = people.mean(axis=0)
    found = []
    for some in reports.reshape(repetitions, -1):
        estimate = mechanism.estimate(mechanism.aggregate(some))
        found.append(np.abs(estimate.values - shares[estimate.rounds - 1]).max())
    return np.array(found)


@pytest.mark.parametrize(
    ("mechanism", "wrong"),
    [
        (Glance.calibrate(8, 2.0), Glance.calibrate(8, 2.4)),
        (Harmony.calibrate(8, 2.0), Harmony.calibrate(8, 2.4)),
        (Borappor.calibrate(8, 4.0), Borappor.calibrate(8, 4.8)),
        (KShot.calibrate(8, 5.0, shots=4), KShot.calibrate(8, 6.0, shots=4)),
    ],
    ids=repr,
)
def test_people_one_by_one_have_the_same_errors(
    mechanism: ContinualMechanism, wrong: ContinualMechanism, seed: int
) -> None:
    streams = [[0] * 8, [0, 0, 0, 1, 1, 1, 1, 1], [1] * 8]
    groups = Streams(8).groups(streams, [40, 60, 100])
    slow = slow_errors(mechanism, groups, 3000, Seeded(seed))
    truth = groups.streams.T @ groups.people / 200

    def fast(made: ContinualMechanism) -> np.ndarray:
        with compiled_from(0):
            shares = made.simulate_shares(groups, 6000, Seeded(seed + 1))
        return np.asarray(np.nanmax(np.abs(shares - truth), axis=1))

    assert two_samples(slow, fast(mechanism)) > ALPHA
    assert two_samples(slow, fast(wrong)) <= ALPHA


# Groups of fixed size


def balanced_law(mechanism: ContinualMechanism, people: Any) -> CountLaw:
    """The exact law of the counts, people coming in any order."""
    orders = list(permutations(people.tolist()))
    law: CountLaw = {}
    for order in orders:
        streams = np.array(order, np.uint8)

        def counts(rng: Any, streams: Any = streams) -> tuple[int, ...]:
            plans = mechanism.draw_balanced(len(streams), rng)
            states = np.take_along_axis(streams, plans.rounds - 1, axis=1)
            reports = mechanism.report(plans.rounds, states, plans.heard, plans.noise).ravel()
            return tuple(mechanism.tally(reports).ravel().tolist())

        for outcome, chance in exact_law(counts).items():
            assert isinstance(outcome, tuple)
            law[outcome] = law.get(outcome, Fraction(0)) + chance / len(orders)
    return law


@PATHS
@pytest.mark.parametrize(
    ("mechanism", "wrong", "truth"),
    [
        (Glance(2, 0.75), Glance(2, 0.875), [1, 2]),
        (Glance(3, 0.75), Glance(3, 0.875), [1, 2]),
        (KShot(3, 2, 0, 0.75), KShot(3, 2, 0, 0.875), [0, 1, 1]),
    ],
    ids=repr,
)
def test_balanced_repetitions_follow_the_law_of_balanced_plans(
    mechanism: ContinualMechanism,
    wrong: ContinualMechanism,
    truth: list[int],
    size: int,
    seed: int,
) -> None:
    groups = mechanism.domain.groups(values(mechanism)[: len(truth)], truth)
    people = population(mechanism, truth)
    with compiled_from(size):
        drawn = tallied(mechanism.simulate_many(groups, DRAWS, Seeded(seed), balanced=True))
    assert_follows(drawn, balanced_law(mechanism, people), DRAWS)
    assert rejects(drawn, balanced_law(wrong, people), DRAWS)
    with compiled_from(size):
        free = tallied(mechanism.simulate_many(groups, DRAWS, Seeded(seed)))
    if mechanism.reports_each < mechanism.rounds:
        assert rejects(free, balanced_law(mechanism, people), DRAWS)


@pytest.mark.parametrize("mechanism", [Glance(3, 0.75), KShot(3, 2, 0, 0.75)], ids=repr)
def test_whoever_knows_all_rounds_learns_no_more(mechanism: ContinualMechanism) -> None:
    """Given the rounds of a whole block, each person's transcript has the same worst ratio."""
    rounds = mechanism.rounds

    def drawn(rng: Any) -> tuple[Any, Any]:
        plans = mechanism.draw_balanced(rounds, rng)
        return tuple(map(tuple, plans.rounds.tolist())), tuple(map(tuple, plans.noise.tolist()))

    noises: dict[Any, dict[Any, Fraction]] = {}  # by everybody's rounds
    for outcome, chance in exact_law(drawn).items():
        assert isinstance(outcome, tuple)
        noises.setdefault(outcome[0], {})[outcome[1]] = chance
    assert len(noises) > 1
    for known, noise in noises.items():
        for person, own in enumerate(known):
            patterns: dict[Any, Fraction] = {}
            for every, chance in noise.items():
                patterns[every[person]] = patterns.get(every[person], Fraction(0)) + chance
            told: dict[Any, list[Fraction]] = {}
            for stream in product((0, 1), repeat=rounds):
                for pattern, chance in patterns.items():
                    states = (stream[number - 1] for number in own)
                    said = tuple(a ^ b for a, b in zip(states, pattern, strict=True))
                    told.setdefault(said, []).append(chance)
            assert all(len(chances) == 2**rounds for chances in told.values())
            ratio = max(max(chances) / min(chances) for chances in told.values())
            assert ratio == mechanism.worst_ratio


@pytest.mark.parametrize("shots", [1, 3])
def test_every_round_is_used_equally_often(shots: int) -> None:
    mechanism = KShot.calibrate(10, 6.0, shots=shots)
    plans = mechanism.draw_balanced(70, Seeded(1))
    assert (np.bincount(plans.rounds.ravel(), minlength=11)[1:] == 7 * shots).all()
    assert (np.diff(plans.rounds, axis=1) > 0).all()
    short = mechanism.draw_balanced(64, Seeded(1))  # the last block lacks six people
    used = np.bincount(short.rounds.ravel(), minlength=11)[1:]
    assert used.sum() == 64 * shots
    assert used.min() >= 6 * shots
    for size in (0, NEVER):
        with compiled_from(size):
            counts = mechanism.simulate_many([[30, 40]] * 10, 20, Seeded(2), balanced=True)
        assert (counts.sum(axis=-1) == 7 * shots).all()


def test_people_come_in_random_rounds_of_a_balanced_draw() -> None:
    first = [int(Glance(4, 0.75).draw_balanced(1, Seeded(i)).rounds[0, 0]) for i in range(4000)]
    assert_follows(Counter(first), dict.fromkeys(range(1, 5), 0.25), 4000)


def test_fixed_groups_gain_most_where_groups_are_small(seed: int) -> None:
    """Ten people a round: the chance of a round with very few is gone."""
    mechanism, held = Glance.calibrate(50, 4.0), [[250, 250]] * 50
    free = mechanism.simulate_shares(held, 4000, Seeded(seed))
    fixed = mechanism.simulate_shares(held, 4000, Seeded(seed + 1), balanced=True)
    errors = [np.nanmax(np.abs(shares - 0.5), axis=1) for shares in (free, fixed)]
    gain = errors[0].mean() - errors[1].mean()
    assert gain > 8 * np.hypot(*(error.std() / 4000**0.5 for error in errors))


# What is refused


@pytest.mark.parametrize("cls", [Harmony, Borappor])
def test_who_hears_everybody_has_no_groups(cls: type[ContinualMechanism]) -> None:
    mechanism = cls.calibrate(3, 1.0)
    for refused in (
        lambda: mechanism.draw_balanced(3, Seeded(1)),
        lambda: mechanism.simulate_many([[1, 1]] * 3, 2, Seeded(1), balanced=True),
    ):
        with pytest.raises(ParameterError, match="everybody reports in all 3 rounds"):
            refused()


def test_nothing_is_not_repeated() -> None:
    with pytest.raises(ParameterError, match="repetitions must be at least 1, got 0"):
        Glance.calibrate(3, 1.0).simulate_many([[1, 1]] * 3, 0, Seeded(1))


# Errors of many


def test_rounds_without_reports_are_counted_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "_CELLS", 2000)
    mechanism, held = Glance.calibrate(40, 3.0), np.array([[10, 10]] * 40)
    heard: list[int] = []
    errors = stream_errors(mechanism, held, 300, Seeded(3), progress=heard.append)
    assert heard == [50] * 6
    assert (errors.missing >= 20).all()
    assert np.isfinite(errors.maximal).all()
    assert (errors.squared <= errors.maximal**2).all()
    again = stream_errors(mechanism, held, 300, Seeded(3)).maximal
    assert np.array_equal(again, errors.maximal)
    # Of rounds with a single reporter the error is known: half of 1/(2 keep - 1).
    assert errors.maximal.max() == pytest.approx(0.5 / (2 * mechanism.keep - 1))
