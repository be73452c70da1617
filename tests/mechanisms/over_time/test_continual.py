"""Continual mechanisms: the laws, of whole transcripts, and what a stream may be."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import Borappor, Glance, Harmony, KShot, Mechanism, Seeded, Streams
from sudare.errors import InvalidAnswer, InvalidReport, ParameterError
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.over_time.continual import ContinualMechanism, RepeatedResponse
from sudare.mechanisms.over_time.kshot import MOST_SHOTS, best_shots, flip_chance, patterns
from support.chance import assert_follows, rejects
from support.enumeration import (
    aggregate_law,
    channel,
    placed_law,
    population,
    random_values,
    records,
    support,
    values,
)
from support.laws import DRAWS, EXACT, MechanismLaws, sums_to

MECHANISMS: list[type[ContinualMechanism]] = [Glance, Harmony, Borappor, KShot]


class StreamLaws(MechanismLaws):
    """The laws, where a person sends several reports and a round may have none."""

    def test_the_estimate_is_unbiased_and_so_is_its_variance(self, mechanism: Mechanism) -> None:
        assert isinstance(mechanism, ContinualMechanism)
        rest = [0] * (len(values(mechanism)) - 2)
        for truth in ([1, 1, *rest], [2, 0, *rest], [0, *rest, 3], [1, *rest, 2]):
            estimate_is_unbiased(mechanism, truth)

    def test_weights_add_up_to_the_estimate(self, mechanism: Mechanism, seed: int) -> None:
        rounds_add_up(mechanism, seed)

    def test_weights_of_many_answers_add_up(self, large: Mechanism, seed: int) -> None:
        rounds_add_up(large, seed)

    def test_only_possible_reports_are_accepted(self, mechanism: Mechanism) -> None:
        every = records(mechanism, sorted(support(mechanism)))
        mechanism.aggregate(every)
        width = mechanism.report_dtype.itemsize
        possible = {report.tobytes() for report in every}
        for report in possible:
            for bit in range(8 * width):
                turned = (int.from_bytes(report) ^ 1 << bit).to_bytes(width)
                if turned not in possible:
                    with pytest.raises(InvalidReport):
                        mechanism.aggregate(records(mechanism, [report, turned]))

    def test_simulate_follows_the_law_when_people_change_places(
        self, mechanism: Mechanism, seed: int
    ) -> None:
        """Given per round, the people in state 1 are anybody: the mean over all their places."""
        rng = Seeded(seed)
        assert isinstance(mechanism, ContinualMechanism)
        held = [[1, 1], *[[0, 2]] * (mechanism.rounds - 1)]
        drawn = Counter(
            tuple(mechanism.simulate(held, rng).counts.ravel().tolist()) for _ in range(DRAWS)
        )
        assert_follows(drawn, placed_law(mechanism, held), DRAWS)
        wrong = self.wrong(mechanism)
        assert isinstance(wrong, ContinualMechanism)
        assert rejects(drawn, placed_law(wrong, held), DRAWS)


def rounds_add_up(mechanism: Mechanism, seed: int) -> None:
    """In each round the mean weight is the share, and gives its error as ``sampled`` says."""
    assert isinstance(mechanism, ContinualMechanism)
    reports = mechanism.randomize(random_values(mechanism, 500, Seeded(seed)), Seeded(seed + 1))
    estimate = mechanism.estimate(mechanism.aggregate(reports))
    zeros, ones = (mechanism.weights(reports, state) for state in (0, 1))
    np.testing.assert_allclose(zeros, 1 - ones, rtol=1e-12)
    for number, share, stderr in zip(
        estimate.rounds, estimate.values, estimate.stderr, strict=True
    ):
        weights = ones[reports["round"] == number]
        sums_to(weights, len(weights) * share)
        if not mechanism.sampled:
            sums_to(weights * (weights - 1), (len(weights) * stderr) ** 2)
        elif len(weights) > 1:
            variance = weights.var(ddof=1) / len(weights)
            assert variance == pytest.approx(stderr**2, rel=1e-9, abs=1e-15)


def estimate_is_unbiased(mechanism: ContinualMechanism, truth: list[int]) -> None:
    """Law 3, for each round and each number of its reporters.

    Reporters are drawn without replacement, which gains (m - 1)/m · s(1 - s)/(n - 1) for m of n
    people. That is not claimed, so the stated variance is above the true one by s(1 - s)/(n - 1).
    """
    people = population(mechanism, truth)
    law = aggregate_law(mechanism, people)
    for number in range(mechanism.rounds):
        share = people[:, number].mean()
        cells: dict[int, list[tuple[float, float, float]]] = {}
        for flat, chance in law.items():
            counts = np.array(flat).reshape(-1, 2)
            estimate = mechanism.estimate(Aggregate(mechanism.key, int(counts.sum()), counts))
            at = np.flatnonzero(estimate.rounds == number + 1)
            assert at.size == (counts[number].sum() > 0)
            if at.size:
                told = (float(chance), float(estimate.values[at[0]]), float(estimate.stderr[at[0]]))
                cells.setdefault(int(counts[number].sum()), []).append(told)
        for reporters, every in cells.items():
            chances, shares, stderr = np.array(every).T
            chances /= chances.sum()
            mean = chances @ shares
            assert mean == pytest.approx(share, abs=EXACT * np.abs(shares).max())
            variance = chances @ (shares - share) ** 2
            if mechanism.sampled and reporters == 1:
                assert np.isinf(stderr).all()
                continue
            reserve = share * (1 - share) / (len(people) - 1) if mechanism.sampled else 0.0
            assert chances @ stderr**2 == pytest.approx(variance + reserve, rel=1e-9)


def more(mechanism: Mechanism) -> Mechanism:
    assert isinstance(mechanism, RepeatedResponse)
    return replace(mechanism, keep=mechanism.keep + 1 / 16)


class TestGlance(StreamLaws):
    instances: ClassVar = [Glance(2, 0.75), Glance.calibrate(2, 1.0), Glance.calibrate(3, 2.0)]
    large: ClassVar = [Glance.calibrate(rounds, 1.0) for rounds in (1, 50, 300)]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        return more(mechanism)


class TestHarmony(StreamLaws):
    instances: ClassVar = [Harmony(2, 0.75), Harmony.calibrate(3, 2.0)]
    large: ClassVar = [Harmony.calibrate(rounds, 1.0) for rounds in (1, 50)]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        return more(mechanism)


class TestBorappor(StreamLaws):
    instances: ClassVar = [Borappor(2, 0.75), Borappor.calibrate(2, 1.0), Borappor(3, 0.625)]
    large: ClassVar = [Borappor.calibrate(rounds, 1.0) for rounds in (1, 50)]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        return more(mechanism)


class TestKShot(StreamLaws):
    instances: ClassVar = [
        KShot(2, 1, 0, 0.75),
        KShot(2, 2, 0, 0.5),
        KShot.calibrate(2, 2.0, shots=2, flips=0),
        KShot(3, 2, 0, 0.75),
    ]
    large: ClassVar = [
        KShot.calibrate(50, 4.0),
        KShot.calibrate(50, 8.0, low=0.5, high=0.5),
        KShot.calibrate(16, 8.0, shots=16, flips=3),
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, KShot)
        return replace(mechanism, few=mechanism.few + 1 / 8)


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
@pytest.mark.parametrize("cls", MECHANISMS)
def test_whole_transcripts_are_as_private_as_stated(
    cls: type[ContinualMechanism], rounds: int
) -> None:
    """Every pair of streams, every transcript, as fractions: T up to 4."""
    mechanism = cls.calibrate(rounds, 2.0)
    law = channel(mechanism)
    assert len(law.laws) == 2**rounds
    assert law.worst_ratio == mechanism.worst_ratio
    assert mechanism.epsilon <= 2.0


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
@pytest.mark.parametrize(("shots", "flips"), [(1, 0), (2, 0), (3, 0), (3, 1)])
def test_shots_and_flips_share_one_budget(rounds: int, shots: int, flips: int) -> None:
    """k up to 3, r up to 1, at T up to 4."""
    if shots > rounds:
        with pytest.raises(ParameterError, match="shots must be between 1 and"):
            KShot.calibrate(rounds, 3.0, shots=shots, flips=flips)
        return
    mechanism = KShot.calibrate(rounds, 3.0, shots=shots, flips=flips)
    law = channel(mechanism)
    assert law.worst_ratio == mechanism.worst_ratio
    # A round's bit is flipped as often as stated: over the law of the all-zero stream.
    first, chance = Fraction(0), Fraction(0)
    for report, p in law.laws[(0,) * rounds].items():
        assert isinstance(report, bytes)
        told = records(mechanism, [report])
        here = told[told["round"] == 1]
        chance += p * len(here)
        first += p * int(here["bit"].sum())
    assert chance == Fraction(shots, rounds)
    assert first / chance == mechanism.flip


def test_one_shot_without_flips_is_glance() -> None:
    glance, shot = Glance.calibrate(3, 1.5), KShot.calibrate(3, 1.5, shots=1)
    assert channel(glance).laws == channel(shot).laws
    assert KShot.calibrate(3, 1.5) == shot


@given(
    rounds=st.integers(1, 2000), epsilon=st.floats(0.01, 12), cls=st.sampled_from(MECHANISMS[:3])
)
def test_calibrate_spends_the_budget_and_no_more(
    rounds: int, epsilon: float, cls: type[ContinualMechanism]
) -> None:
    mechanism = cls.calibrate(rounds, epsilon)
    assert isinstance(mechanism, RepeatedResponse)
    assert mechanism.epsilon <= epsilon
    assert replace(mechanism, keep=mechanism.keep + 2.0**-53).epsilon > epsilon


@given(shots=st.integers(1, MOST_SHOTS), data=st.data(), epsilon=st.floats(0.1, 12))
def test_kshot_spends_the_budget_and_no_more(shots: int, data: Any, epsilon: float) -> None:
    flips = data.draw(st.integers(0, (shots - 1) // 2))
    mechanism = KShot.calibrate(100, epsilon, shots=shots, flips=flips)
    assert mechanism.epsilon <= epsilon
    assert replace(mechanism, few=mechanism.few + 2.0**-53).epsilon > epsilon
    near, far = patterns(shots, flips)
    assert near + far == 2**shots
    assert mechanism.flip == flip_chance(shots, flips, Fraction(mechanism.few))


def test_what_the_planner_is_told_decides_how_many_rounds() -> None:
    assert best_shots(50, 1.0) == (1, 0)
    assert best_shots(50, 3.1) == (1, 0)
    assert best_shots(50, 3.3) == (2, 0)
    assert best_shots(50, 8.0) == (2, 0)
    assert best_shots(50, 4.0, 0.4, 0.6) == (4, 0)
    assert best_shots(50, 8.0, 0.5, 0.5)[0] == 15
    assert best_shots(50, 8.0, 0.99, 1.0)[0] <= 3
    assert best_shots(3, 8.0, 0.5, 0.5)[0] <= 3


def test_rounds_are_rising_and_different() -> None:
    plans = KShot.calibrate(20, 6.0, shots=8).draw(5000, Seeded(3))
    assert (np.diff(plans.rounds, axis=1) > 0).all()
    assert plans.rounds.min() == 1
    assert plans.rounds.max() == 20


def test_a_round_without_reports_has_no_estimate() -> None:
    mechanism = Glance.calibrate(4, 1.0)
    aggregate = mechanism.aggregate(records(mechanism, [b"\x02\x01", b"\x02\x00", b"\x04\x01"]))
    estimate = mechanism.estimate(aggregate)
    rows = estimate.rows()
    assert [row["round"] for row in rows] == [1, 2, 3, 4]
    assert [row["reports"] for row in rows] == [0, 2, 0, 1]
    assert rows[0]["share"] is rows[0]["stderr"] is rows[2]["low"] is None
    assert rows[1]["share"] == pytest.approx(0.5)
    assert estimate.labels == ("2", "4")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[0, 2, 0]], "the state at position 0 and round 2 is neither 0 nor 1"),
        ([[0, 1, 1], [0, 1, -1]], "the state at position 1 and round 3 is neither 0 nor 1"),
        ([[0, 1]], r"streams are rows of 3 states, one per person, got the shape \(1, 2\)"),
        ([0, 1, 1], "streams are rows of 3 states"),
        ([["0", "1", "1"]], "states are 0 or 1, got kind 'U'"),
        ([[0.0, 1.0, 0.5]], "states are 0 or 1, got kind 'f'"),
    ],
)
def test_a_stream_is_zeros_and_ones(wrong: Any, message: str) -> None:
    with pytest.raises(InvalidAnswer, match=message):
        Glance.calibrate(3, 1.0).randomize(wrong)


@pytest.mark.parametrize("rounds", [0, -1, 2**20 + 1])
@pytest.mark.parametrize("cls", MECHANISMS)
def test_rounds_are_counted_from_one(cls: type[ContinualMechanism], rounds: int) -> None:
    with pytest.raises(ParameterError, match=f"rounds must be between 1 and 1048576, got {rounds}"):
        cls.calibrate(rounds, 1.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Glance(2**20, 0.75),
        lambda: Harmony(2**20, 0.75),
        lambda: Borappor(10_000, 0.75),
        lambda: KShot(2**20, 16, 7, 0.75),
        lambda: KShot(16, 16, 0, 0.75),
        lambda: KShot.calibrate(1, 1.0, low=0.5, high=0.5),
        lambda: KShot.calibrate(2, 1.0, low=0.0, high=1.0),
        lambda: KShot.calibrate(2, 1.0, low=1.0, high=1.0),
    ],
)
def test_parameters_may_be_as_large_as_said(make: Any) -> None:
    mechanism = make()
    assert mechanism.rounds >= mechanism.reports_each >= 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Glance(3, 0.5), "keep must be a multiple of 2\\^-53 above 1/2"),
        (lambda: Glance(3, 1.0), "keep must be a multiple of 2\\^-53 above 1/2"),
        (lambda: KShot(5, 6, 0, 0.5), "shots must be between 1 and 5, got 6"),
        (lambda: KShot(50, 17, 0, 0.5), "shots must be between 1 and 16, got 17"),
        (lambda: KShot(5, 3, 3, 0.5), "flips must be between 0 and 2, got 3"),
        (lambda: KShot(5, 3, 0, 0.125), "few must be a multiple of 2\\^-53 above 0.125"),
        (lambda: KShot.calibrate(5, 1.0, shots=-1), "shots must be between 1 and 5, got -1"),
        (lambda: KShot.calibrate(5, 1.0, shots=2, flips=-1), "flips must be between 0 and 1, got"),
        (lambda: KShot.calibrate(5, 1.0, shots=2, flips=2), "flips must be between 0 and 1, got 2"),
        (lambda: KShot.calibrate(5, 1.0, low=0.6, high=0.4), "a range of shares lies in 0 to 1"),
        (
            lambda: Borappor.calibrate(10_001, 1.0),
            "borappor takes at most 10,000 rounds, got 10001",
        ),
        (lambda: Borappor(10_001, 0.75), "borappor takes at most 10,000 rounds, got 10001"),
        (lambda: Glance.calibrate(5, -1.0), "epsilon"),
        (lambda: Streams(5).check_round(6), "rounds are numbered 1 to 5, got 6"),
        (lambda: Streams(2).population([[1, 2], [1, 1]]), "the same number of people in every"),
        (lambda: Streams(2).population([[1, 2]]), "a population of 2 rounds is 2 rows of 2"),
        (lambda: Streams(2).groups([[0, 1]], [1, 2]), "there are 1 streams and 2 groups"),
        (lambda: Streams(2).groups([[0, 1]], [-1]), "whole numbers, none negative"),
    ],
)
def test_parameters_out_of_range_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("report", "message"),
    [
        (b"\x00\x00", "names round 0; rounds are numbered 1 to 3"),
        (b"\x04\x01", "names round 4; rounds are numbered 1 to 3"),
        (b"\x01\x02", "says 2; a bit is 0 or 1"),
    ],
)
def test_a_report_names_a_round_and_a_bit(report: bytes, message: str) -> None:
    mechanism = Glance.calibrate(3, 1.0)
    with pytest.raises(InvalidReport, match=message):
        mechanism.aggregate(records(mechanism, [b"\x01\x01", report]))
