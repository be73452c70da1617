"""Set response: several answers of a list, reported as a set that meets them or not."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, ClassVar, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, OUE, Mechanism, Seeded, Selections, SetResponse
from sudare.errors import InvalidAnswer, InvalidReport, ParameterError
from sudare.laws.draws import ALPHA, two_sided
from sudare.mechanisms import set_response
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import SelectionGroups
from support.chance import assert_follows, rejects
from support.enumeration import aggregate_law, channel, population, records, values
from support.laws import DRAWS, EXACT, MechanismLaws

UNIT = 2.0**-53


class TestSetResponse(MechanismLaws):
    instances: ClassVar = [
        SetResponse(2, 1, 1, 0.625),
        SetResponse(3, 2, 2, 0.8125),
        SetResponse.calibrate(3, 3, 1.0),
        SetResponse.calibrate(4, 2, 0.5),
    ]
    large: ClassVar = [
        SetResponse.calibrate(k, most, 1.0)
        for k, most in ((2, 2), (43, 3), (61, 3), (62, 3), (128, 5), (300, 1))
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, SetResponse)
        return replace(mechanism, keep=mechanism.keep + 3 / 32)


@pytest.mark.parametrize(("k", "most", "size"), [(4, 3, 3), (5, 2, 4), (3, 3, 3), (5, 3, 2)])
def test_the_law_of_a_report_is_that_of_a_uniform_set_that_meets_or_misses(
    k: int, most: int, size: int
) -> None:
    """But for what the coins' rounding to multiples of 2⁻⁵³ leaves, which ε counts."""
    mechanism = SetResponse(k, most, size, 1 - 2.0**-10)
    law = channel(mechanism)
    assert law.worst_ratio == mechanism.worst_ratio
    missing = comb(k, size)
    meeting = comb(k + most, size) - missing
    ideal = Fraction(mechanism.keep) / (1 - Fraction(mechanism.keep)) * Fraction(missing, meeting)
    assert mechanism.worst_ratio >= ideal
    assert mechanism.worst_ratio == pytest.approx(ideal, rel=1e-14)
    for value in values(mechanism):
        chances = law.laws[value]
        blanks = most - sum(value)
        own = {*np.flatnonzero(value).tolist(), *range(k, k + blanks)}
        for items in combinations(range(k + most), size):
            report = sum(1 << item for item in items).to_bytes(8, "little")
            each = Fraction(mechanism.keep) / meeting
            if not own.intersection(items):
                each = (1 - Fraction(mechanism.keep)) / missing
                assert chances[report] == each
            assert chances[report] == pytest.approx(each, rel=1e-14)


def test_what_is_asked_of_chance_is_the_same_for_every_selection() -> None:
    """Equal words in, equal words used, and equal sizes of what is drawn: only places differ."""
    mechanism = SetResponse.calibrate(20, 4, 1.0)
    for seed in range(50):
        left = set()
        for selected in (0, 1, 4):
            rng = Seeded(seed)
            mechanism.randomize([[1] * selected + [0] * (20 - selected)], rng)
            left.add(rng.words(1)[0])
        assert len(left) == 1


@given(k=st.integers(2, 300), share=st.floats(0, 1), epsilon=st.floats(0.01, 8))
def test_calibrate_spends_the_budget_and_no_more(k: int, share: float, epsilon: float) -> None:
    most = 1 + int(share * min(k - 1, 20))
    mechanism = SetResponse.calibrate(k, most, epsilon)
    assert mechanism.epsilon <= epsilon
    if mechanism.keep + UNIT < 1:
        assert replace(mechanism, keep=mechanism.keep + UNIT).epsilon > epsilon
    assert mechanism.holder > mechanism.others > 0


def total_variance(mechanism: SetResponse) -> Fraction:
    """Of one report, over all items, blanks included."""
    mean = sum((own * chance for own, chance in enumerate(mechanism.law)), Fraction(0))
    holder = mean / mechanism.most
    others = (mechanism.size - mean) / mechanism.k
    noise = mechanism.most * holder * (1 - holder) + mechanism.k * others * (1 - others)
    return noise / (holder - others) ** 2


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(("k", "most"), [(2, 2), (10, 3), (30, 2)])
def test_calibrate_takes_the_size_of_the_least_variance(k: int, most: int, epsilon: float) -> None:
    best = SetResponse.calibrate(k, most, epsilon)
    for size in range(1, k + 1):
        # The most of this size that is affordable, by halving.
        low, high = 0, 1 << 53
        while high - low > 1:
            middle = (low + high) // 2
            try:
                spent = SetResponse(k, most, size, middle * UNIT).epsilon
            except ParameterError:
                spent = 0.0
            low, high = (middle, high) if spent <= epsilon else (low, middle)
        try:
            other = SetResponse(k, most, size, low * UNIT)
        except ParameterError:  # this size says nothing at so little
            continue
        assert total_variance(best) <= total_variance(other) * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("k", [10, 20, 50])
def test_the_variance_is_far_below_that_of_padding_and_sampling(k: int) -> None:
    """Padding and sampling: one of the most items at random, by the better of GRR and OUE."""
    gains = []
    for most in (2, 3, 4, 5):
        mine = float(total_variance(SetResponse.calibrate(k, most, 1.0)))
        theirs = []
        for family in (GRR, OUE):
            one = family.calibrate(k + most, 1.0)
            holder = (one.holder + (most - 1) * one.others) / most
            noise = most * holder * (1 - holder) + k * one.others * (1 - one.others)
            theirs.append(noise / (holder - one.others) ** 2)
        gains.append(min(theirs) / mine)
    assert gains == sorted(gains)
    assert 2 < gains[0] < gains[-1] < 9


@pytest.mark.parametrize("mechanism", TestSetResponse.instances, ids=repr)
def test_the_mean_size_is_unbiased_and_so_is_its_variance(mechanism: SetResponse) -> None:
    every = values(mechanism)
    for truth in ([2, 1], [1, *[0] * (len(every) - 2), 1], [0, *[0] * (len(every) - 2), 2]):
        people = population(mechanism, truth)
        law = aggregate_law(mechanism, people)
        chances = np.array([float(chance) for chance in law.values()])
        found = np.array(
            [
                mechanism.mean_size(Aggregate(mechanism.key, len(people), np.array(counts))).mean
                for counts in law
            ]
        )
        mean = people.sum(axis=1).mean()
        assert chances @ found == pytest.approx(mean, abs=EXACT * np.abs(found).max())
        spread = mechanism._blank_variances[people.sum(axis=1)].sum() / len(people) ** 2
        spread /= (mechanism.holder - mechanism.others) ** 2
        assert chances @ (found - mean) ** 2 == pytest.approx(spread, rel=1e-9)


def test_the_stated_error_of_the_mean_size_is_the_one_it_has(seed: int) -> None:
    mechanism = SetResponse.calibrate(10, 4, 1.0)
    rows = [[1] * size + [0] * (10 - size) for size in range(5)]
    people = mechanism.domain.groups(rows, [4000, 3000, 2000, 500, 500])
    sizes = mechanism._blank_variances
    exact = math.sqrt(people.people @ sizes) / 10_000 / (mechanism.holder - mechanism.others)
    found = mechanism.mean_size(mechanism.simulate(people, Seeded(seed)))
    assert found.stderr == pytest.approx(exact, rel=0.05)
    assert abs(found.mean - 1.05) < 7 * exact


@pytest.mark.parametrize(("people", "covered"), [(100, 0.85), (10_000, 0.95)])
def test_where_intervals_of_the_mean_size_miss_their_level_they_are_called_rough(
    people: int, covered: float
) -> None:
    """At ε = 5 hardly any report of somebody who selects nothing has no blank."""
    mechanism, runs = SetResponse.calibrate(20, 3, 5.0), 1000
    groups = mechanism.domain.groups([[0] * 20], [people])
    rng = Seeded(1)
    found = [mechanism.mean_size(mechanism.simulate(groups, rng)) for _ in range(runs)]
    held = sum(low <= 0 <= high for low, high in (size.interval(0.95) for size in found))
    assert two_sided(held, runs, covered) > ALPHA
    assert two_sided(held, runs, covered - 0.1) < ALPHA
    assert {size.rough for size in found} == {people == 100}


def test_simulate_follows_the_law_of_several_sizes(seed: int) -> None:
    mechanism = SetResponse(4, 3, 3, 0.90625)
    rows, people = [[0, 1, 1, 0], [1, 1, 0, 1]], [1, 1]
    rng, wrong = Seeded(seed), replace(mechanism, keep=0.984375)
    groups = mechanism.domain.groups(rows, people)
    drawn = Counter(tuple(mechanism.simulate(groups, rng).counts.tolist()) for _ in range(DRAWS))
    assert_follows(drawn, aggregate_law(mechanism, np.array(rows)), DRAWS)
    assert rejects(drawn, aggregate_law(wrong, np.array(rows)), DRAWS)


def test_a_report_of_another_size_is_refused_by_position() -> None:
    mechanism = SetResponse(6, 2, 3, 0.96875)
    reports = records(mechanism, [bytes([7, *[0] * 7]), bytes([3, *[0] * 7])])
    with pytest.raises(InvalidReport, match="position 1 is not a set of 3 of the 8 items"):
        mechanism.aggregate(reports)
    beyond = records(mechanism, [bytes([3, 1, *[0] * 6])])
    with pytest.raises(InvalidReport, match="position 0 has a bit set beyond the 8 allowed"):
        mechanism.aggregate(beyond)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([[1, 1, 1, 0]], "the selection at position 0 has more than 2 answers"),
        ([[0, 0, 0, 0], [0, 2, 0, 0]], "the selection at position 1 is not of 0 and 1"),
        ([[0, 0, 0]], r"rows of 4 numbers, one per person, got the shape \(1, 3\)"),
        ([[0, 0, 0, 0], [1]], "selections are rows of 4 numbers, all alike"),
        ([["secretly"] * 4], "selections are of 0 and 1, got kind 'U'"),
        ([[0.0, 1.0, 0.0, 0.0]], "selections are of 0 and 1, got kind 'f'"),
        (3, "got the shape"),
    ],
)
def test_what_is_no_selection_is_refused_and_never_told(told: Any, said: str) -> None:
    with pytest.raises(InvalidAnswer, match=said) as found:
        SetResponse.calibrate(4, 2, 1.0).randomize(told)
    assert "secretly" not in str(found.value)


def test_the_selections_are_all_sets_of_at_most_so_many() -> None:
    every = list(Selections(4, 2))
    assert len(set(every)) == len(every) == 1 + 4 + 6
    assert max(map(sum, every)) == 2
    assert Selections(4, 2).check([]).shape == (0, 4)
    assert Selections(300, 300).check(np.ones((1, 300), int)).sum(dtype=int) == 300


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Selections(1, 1), "k must be between 2 and 65536, got 1"),
        (lambda: Selections(4, 5), "of 4 answers, a selection has at most 1 to 4, got 5"),
        (lambda: Selections(4, 0), "of 4 answers, a selection has at most 1 to 4, got 0"),
        (lambda: SetResponse(4, 2, 5, 0.5), "size must be between 1 and k = 4, got 5"),
        (lambda: SetResponse(4, 2, 0, 0.5), "size must be between 1 and k = 4, got 0"),
        (lambda: SetResponse(4, 2, 1, 0.25), r"2\^-53 above 0.333333 and below 1, got 0.25"),
        (lambda: SetResponse(4, 2, 1, 1.0), r"2\^-53 above 0.333333 and below 1, got 1.0"),
        (lambda: SetResponse(9000, 300, 9000, 0.5), r"no multiple of 2\^-53 is near enough"),
        (lambda: SetResponse.calibrate(4, 2, 0.0), "epsilon must be .* got 0.0"),
        (lambda: SetResponse.calibrate(4, 2, 1e-17), "epsilon.* is too small"),
        (lambda: Selections(3, 1).groups([[0, 0, 1]], [1, 2]), "1 selections and 2 groups"),
        (lambda: Selections(3, 1).groups([[0, 0, 1]], [-1]), "whole numbers, none negative"),
        (lambda: Selections(3, 1).population(cast("Any", [1, 2, 3])), "is groups of people"),
    ],
)
def test_wrong_parameters_are_refused_with_their_numbers(make: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        make()


def test_a_population_of_another_list_is_refused() -> None:
    mechanism = SetResponse.calibrate(4, 2, 1.0)
    others = SelectionGroups(np.array([[1, 0, 0]], np.uint8), np.array([5]))
    with pytest.raises(InvalidAnswer, match="rows of 4 numbers"):
        mechanism.simulate(others, Seeded(1))


def test_large_ones_are_not_enumerated() -> None:
    assert SetResponse.calibrate(5, 2, 1.0).not_enumerable is None
    said = SetResponse.calibrate(30, 5, 1.0).not_enumerable
    assert said == "not of at most 5 of 30 answers, by sets of 2"


def test_many_people_are_drawn_in_even_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of a block are drawn together; more people than that are divided evenly."""
    monkeypatch.setattr(set_response, "_BLOCK", 256)
    mechanism = SetResponse.calibrate(40, 2, 1.0)
    people = np.zeros((258, 40), np.uint8)
    rng = Seeded(1)
    parts = [mechanism.randomize(people[:129], rng), mechanism.randomize(people[129:], rng)]
    assert (mechanism.randomize(people, Seeded(1)) == np.concatenate(parts)).all()
