"""Subset selection."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, Aggregate, Mechanism, Scripted, Seeded, SetResponse, SubsetSelection
from sudare.errors import InvalidAnswer, InvalidDocument, InvalidReport, ParameterError
from sudare.estimation.frequency_error import mean_squared_error
from sudare.mechanisms import CATEGORICAL, subset
from support.chance import assert_follows, rejects
from support.enumeration import aggregate_law, channel, random_values, records
from support.laws import DRAWS, MechanismLaws, simulate_follows_the_law

UNIT = 2.0**-53
ASKED = [(k, epsilon) for k in (5, 43, 1024) for epsilon in (0.5, 1.0, 2.0, 3.0, 4.0)]


class TestSubsetSelection(MechanismLaws):
    instances: ClassVar = [
        SubsetSelection(2, 1, 0.75),
        SubsetSelection(3, 2, 0.75),
        SubsetSelection(4, 2, 0.625),
        SubsetSelection.calibrate(5, 0.5),
    ]
    large: ClassVar = [
        *(SubsetSelection.calibrate(k, 1.0) for k in (2, 43, 64, 65, 256, 1025)),
        SubsetSelection.calibrate(129, 0.1),
        SubsetSelection.calibrate(300, 8.0),  # one answer
        SubsetSelection(3, 2, 0.75),  # all of the others, or one
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, SubsetSelection)
        return replace(mechanism, keep=mechanism.keep + 3 / 16)


@pytest.mark.parametrize(("k", "size"), [(5, 2), (5, 4), (6, 3), (4, 1)])
def test_all_sets_with_the_answer_are_alike_and_so_are_those_without(k: int, size: int) -> None:
    mechanism = SubsetSelection(k, size, 0.875)
    law = channel(mechanism).laws
    for value in range(k):
        expected = {}
        for items in combinations(range(k), size):
            report = sum(1 << item for item in items).to_bytes(8, "little")
            chance, sets = Fraction(7, 8), comb(k - 1, size - 1)
            if value not in items:
                chance, sets = 1 - chance, comb(k - 1, size)
            expected[report] = chance / sets
        assert law[value] == expected


def least_error(k: int, epsilon: float) -> float:
    """The least mean squared error of one person's shares (Pan, arXiv 2603.11523).

    With E = e^ε and D = wE + k - w it is (k-1)² D² / (k² w (k-w) (E-1)²) - (k-1)/k² at the best w.
    """
    e = math.exp(epsilon)
    return min(
        ((k - 1) * (w * e + k - w) / (e - 1)) ** 2 / (w * (k - w) * k**2) - (k - 1) / k**2
        for w in range(1, k)
    )


@pytest.mark.parametrize(("k", "epsilon"), ASKED)
def test_the_error_is_the_least_that_there_can_be(k: int, epsilon: float) -> None:
    errors = {
        name: mean_squared_error(made.holder, made.others, 1, k)
        for name, family in CATEGORICAL.items()
        if (made := family.calibrate(k, epsilon))
    }
    least = least_error(k, epsilon)
    assert errors["subset"] == pytest.approx(least, rel=1e-9)
    assert min(errors.values()) >= least * (1 - 1e-9)


@given(k=st.integers(2, 400), epsilon=st.floats(0.01, 10))
def test_it_is_at_the_bound_wherever_it_is_asked(k: int, epsilon: float) -> None:
    made = SubsetSelection.calibrate(k, epsilon)
    found = mean_squared_error(made.holder, made.others, 1, k)
    assert found == pytest.approx(least_error(k, epsilon), rel=1e-9)


@given(k=st.integers(2, 10**6), epsilon=st.floats(0.001, 12))
def test_calibrate_spends_the_budget_and_no_more(k: int, epsilon: float) -> None:
    mechanism = SubsetSelection.calibrate(k, epsilon)
    assert mechanism.epsilon <= epsilon
    assert replace(mechanism, keep=mechanism.keep + UNIT).epsilon > epsilon
    assert mechanism.holder > mechanism.others > 0


def test_rounding_the_size_would_cost_and_is_not_done() -> None:
    """Near a half, the better neighbour isn't always the nearer one."""
    unlike = 0
    for k in range(3, 200):
        mechanism = SubsetSelection.calibrate(k, 1.0)
        unlike += mechanism.size != max(1, round(k / (math.e + 1)))
    assert unlike > 0


@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.5), (5, 2.0), (43, 4.0), (1000, 8.0)])
def test_one_answer_in_a_set_is_grr(k: int, epsilon: float) -> None:
    mine, theirs = SubsetSelection.calibrate(k, epsilon), GRR.calibrate(k, epsilon)
    assert mine.size == 1
    assert (mine.keep, mine.worst_ratio) == (theirs.keep, theirs.worst_ratio)
    assert mine.others == pytest.approx(theirs.others, rel=1e-15)


def test_what_is_asked_of_chance_is_the_same_for_every_answer() -> None:
    mechanism = SubsetSelection.calibrate(100, 1.0)
    for seed in range(20):
        left = set()
        for answer in (0, 63, 64, 99):
            rng = Seeded(seed)
            mechanism.randomize([answer], rng)
            left.add(int(rng.words(1)[0]))
        assert len(left) == 1


def test_simulate_follows_the_law_of_unlike_answers(seed: int) -> None:
    truth = [2, 0, 1, 1]
    mechanism = SubsetSelection(4, 2, 0.625)
    rng, wrong = Seeded(seed), replace(mechanism, keep=0.9375)
    drawn = Counter(tuple(mechanism.simulate(truth, rng).counts.tolist()) for _ in range(DRAWS))
    people = np.repeat(np.arange(4), truth)
    assert_follows(drawn, aggregate_law(mechanism, people), DRAWS)
    assert rejects(drawn, aggregate_law(wrong, people), DRAWS)


def test_simulations_of_few_people_draw_their_reports(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same law; and what takes minutes by answers is there at once."""
    many = SubsetSelection.calibrate(100_000, 0.5)
    people = np.zeros(many.k, np.int64)
    people[[3, 99_999]] = 600, 400
    estimate = many.estimate(many.simulate(people, Seeded(seed)))
    assert estimate.n == 1000
    assert abs(estimate.values[3] - 0.6) < 7 * estimate.stderr[3]
    monkeypatch.setattr(subset, "_LONG", 0)
    mechanism = SubsetSelection(4, 2, 0.75)
    simulate_follows_the_law(mechanism, replace(mechanism, keep=0.875), seed)


def test_simulations_of_billions_are_drawn_in_parts() -> None:
    mechanism = SubsetSelection.calibrate(5, 0.5)
    people = np.array([10**9, 5 * 10**8, 1, 0, 7])
    total = mechanism.simulate(people, Seeded(1))
    assert total.n == people.sum()
    assert total.counts.sum() == mechanism.size * total.n
    estimate = mechanism.estimate(total)
    assert np.abs((estimate.values - people / people.sum()) / estimate.stderr).max() < 7


@pytest.mark.parametrize("together", [10**8, 100_000])
def test_a_simulation_of_many_has_the_shares(
    together: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seven standard errors for each of 43 answers: by chance, once in 10^10."""
    monkeypatch.setattr(subset, "_TOGETHER", together)
    mechanism = SubsetSelection.calibrate(43, 2.0)
    truth = np.array([500_000, 333_333, 166_667, *[0] * 40])
    estimate = mechanism.estimate(mechanism.simulate(truth, Seeded(seed)))
    off = np.abs(estimate.values - truth / truth.sum()) / estimate.stderr
    assert off.max() < 7
    wrong = replace(mechanism, keep=mechanism.keep + 1 / 32)
    biased = wrong.debiased(mechanism.simulate(truth, Seeded(seed)))
    assert (np.abs(biased.values - truth / truth.sum()) / biased.stderr).max() > 7


def test_a_report_of_another_size_is_refused_by_position() -> None:
    mechanism = SubsetSelection(6, 2, 0.75)
    reports = records(mechanism, [bytes([3, *[0] * 7]), bytes([7, *[0] * 7])])
    with pytest.raises(InvalidReport, match="position 1 is not a set of 2 of the 6 answers"):
        mechanism.aggregate(reports)
    beyond = records(mechanism, [bytes([1 << 6 | 1, *[0] * 7])])
    with pytest.raises(InvalidReport, match="position 0 has a bit set beyond the 6 allowed"):
        mechanism.aggregate(beyond)


def test_nobody_is_randomised_when_one_answer_is_wrong() -> None:
    rng = Scripted([])
    with pytest.raises(InvalidAnswer):
        SubsetSelection(5, 2, 0.75).randomize([0, 1, 5], rng)
    assert rng.used == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SubsetSelection(1, 1, 0.5), "k must be between 2 and 2"),
        (lambda: SubsetSelection(5, 0, 0.5), "size must be at least 1 and below k = 5, got 0"),
        (lambda: SubsetSelection(5, 5, 0.5), "size must be at least 1 and below k = 5, got 5"),
        (lambda: SubsetSelection(5, 2, 0.25), r"2\^-53 above 2/5 = 0.4 and below 1, got 0.25"),
        (lambda: SubsetSelection(4, 2, 0.5), r"2\^-53 above 1/2 = 0.5 and below 1, got 0.5"),
        (lambda: SubsetSelection(4, 2, 1.0), "below 1, got 1.0"),
        (lambda: SubsetSelection(4, 1, 0.3125 + 2.0**-54), "got 0.3125"),
        (lambda: SubsetSelection.calibrate(4, 0.0), "epsilon must be .* got 0.0"),
        (lambda: SubsetSelection.calibrate(4, math.nan), "epsilon must be .* got nan"),
        (lambda: SubsetSelection.calibrate(4, 1e-17), "epsilon.* is too small"),
        (lambda: SubsetSelection.calibrate(4, 1e-300), "epsilon.* is too small"),
    ],
)
def test_wrong_parameters_are_refused_with_their_numbers(make: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        make()


def test_absurd_budgets_have_their_ends() -> None:
    assert SubsetSelection.calibrate(5, 1e6).keep == 1 - UNIT
    wide = SubsetSelection.calibrate(2**32, 1.0)
    assert wide.epsilon <= 1
    family: Any = SubsetSelection
    assert family.calibrate(np.uint8(200), np.float32(1.0)) == family.calibrate(200, 1.0)


def test_large_ones_are_not_enumerated() -> None:
    assert SubsetSelection.calibrate(8, 1.0).not_enumerable is None
    assert str(SubsetSelection.calibrate(9, 1.0).not_enumerable).startswith("not at 9 answers")


def test_many_people_are_drawn_in_even_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of a block are drawn together; more people than that are divided evenly."""
    mechanism = SubsetSelection.calibrate(70, 1.0)
    people = random_values(mechanism, 300, Seeded(1))
    together, apart = Seeded(2), Seeded(2)
    parts = [mechanism.randomize(part, apart) for part in np.split(people, [100, 200])]
    monkeypatch.setattr(subset, "_BLOCK", 256)
    assert mechanism.randomize(people, together).tobytes() == np.concatenate(parts).tobytes()


@pytest.mark.parametrize("mechanism", [SubsetSelection(5, 2, 0.75), SetResponse(5, 2, 3, 0.9375)])
def test_a_sum_that_sets_cannot_have_is_refused(mechanism: SubsetSelection | SetResponse) -> None:
    for counts in (0 * mechanism.zero.counts, mechanism.zero.counts + 1):
        with pytest.raises(InvalidDocument, match="aren't those of 100 reports"):
            mechanism.estimate(Aggregate(mechanism.key, 100, counts))
