"""Algorithm 2: every size that the document prints, both stop rules; schemes that are refused."""

import math
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.chance.exact import exp_enclosed
from sudare.chance.randomness import Seeded
from sudare.errors import ParameterError
from sudare.twoparty.noise.algorithm2 import (
    Stop,
    _floor_of_exp,
    algorithm2,
    distinct_table,
    mirrored,
    smallest_initial,
)
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import prove
from sudare.twoparty.noise.scheme import Scheme

# Table 1, ε = 1, with the swapped digits of its first cell mended, and table 2, δ = 1e-6.
TABLE_1 = {
    1e-4: (30461, 149, 146, 42),
    1e-6: (1662884, 2454, 357, 97),
    1e-8: (246792753, 16505, 2256, 583),
    1e-10: (36627290627, 295384, 14731, 1466),
}
TABLE_2 = {
    1.0: (1662884, 2454, 357, 97),
    0.5: (3278624, 6218, 963, 365),
    0.25: (8224233, 15452, 1983, 891),
    0.1: (20537623, 39740, 5483, 2391),
}


def entries(guarantee: Guarantee, stop: Stop = Stop.TABLES) -> tuple[int, ...]:
    return tuple(algorithm2(guarantee, draws, stop).entries for draws in range(1, 5))


@pytest.mark.parametrize("delta", TABLE_1)
def test_the_sizes_of_table_1(delta: float) -> None:
    assert entries(Guarantee(1.0, delta)) == TABLE_1[delta]


@pytest.mark.parametrize("epsilon", TABLE_2)
def test_the_sizes_of_table_2(epsilon: float) -> None:
    assert entries(Guarantee(epsilon, 1e-6)) == TABLE_2[epsilon]


def test_the_printed_rule_stops_sooner() -> None:
    printed = [entries(Guarantee(1.0, delta), Stop.PRINTED) for delta in TABLE_1]
    assert printed != list(TABLE_1.values())
    for sizes, tabulated in zip(printed, TABLE_1.values(), strict=True):
        assert all(a <= b for a, b in zip(sizes, tabulated, strict=True))


@given(
    epsilon=st.floats(0.1, 4),
    draws=st.integers(1, 4),
    sensitivity=st.integers(1, 4),
    stop=st.sampled_from(Stop),
)
def test_each_count_is_the_largest_that_rises_by_no_more_than_allowed(
    epsilon: float, draws: int, sensitivity: int, stop: Stop
) -> None:
    guarantee = Guarantee(epsilon, 1e-3, sensitivity)
    (table,) = algorithm2(guarantee, draws, stop).tables
    side = [table[value] for value in range(min(table), 1)]
    low, high = exp_enclosed(guarantee.rate)

    def ways(counts: list[int]) -> list[int]:
        """D's n-fold convolution by the definition."""
        power = [1]
        for _ in range(draws):
            power = [
                sum(power[j] * counts[i - j] for j in range(i + 1) if j < len(power))
                for i in range(len(counts))
            ]
        return power

    for at in range(1, min(len(side), 8)):
        kept, more = ways(side[: at + 1]), ways([*side[:at], side[at] + 1])
        assert kept[at] <= high * kept[at - 1]
        assert more[at] > low * more[at - 1]


@given(epsilon=st.floats(0.05, 3), draws=st.integers(1, 8))
def test_the_initial_count_is_the_smallest_from_which_4_holds(epsilon: float, draws: int) -> None:
    def rises(initial: int) -> bool:
        return math.floor(math.exp(epsilon) * initial / draws) > initial / draws

    initial = smallest_initial(Fraction(epsilon), draws)
    assert all(rises(at) for at in range(initial, initial + 200))
    assert initial == 1 or not rises(initial - 1)


def test_a_floor_that_50_digits_leave_open_is_decided_by_more() -> None:
    rate = Fraction(1, 3)
    low, high = exp_enclosed(rate, 80)
    assert _floor_of_exp(rate, 7 / low) == 7
    assert _floor_of_exp(rate, 7 / high) == 6


def test_a_table_is_as_wide_as_its_sensitivity_asks() -> None:
    for sensitivity in (2, 3, 10):
        guarantee = Guarantee(1.0, 1e-6, sensitivity)
        proof = prove(algorithm2(guarantee, 2), guarantee)
        assert proof.holds
        assert all(proof.conditions.values())


@settings(max_examples=10)
@given(epsilon=st.floats(0.3, 2), draws=st.integers(2, 4))
def test_distinct_draws_keep_the_guarantee_against_p2_too(epsilon: float, draws: int) -> None:
    proof = distinct_table(Guarantee(epsilon, 1e-5), draws)
    assert proof.scheme.distinct
    assert proof.holds
    assert proof.holds_for_p2


def test_a_mirrored_table_has_its_centre_once() -> None:
    assert mirrored([1, 2, 5]) == {-2: 1, -1: 2, 0: 5, 1: 2, 2: 1}


def test_an_initial_count_too_small_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"initial count of 1 is too small: .* steps inwards"):
        algorithm2(Guarantee(0.1, 1e-6), 4, initial=1)
    with pytest.raises(ParameterError, match="at least 1, got 0"):
        algorithm2(Guarantee(0.1, 1e-6), 4, initial=0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "sensitivity", "sentence"),
    [
        (0.0, 1e-6, 1, "epsilon must be above 0"),
        (math.nan, 1e-6, 1, "epsilon must be above 0"),
        (21.0, 1e-6, 1, "at most 20, got 21"),
        (1.0, 0.0, 1, "delta must lie between 0 and 0.5, got 0.0"),
        (1.0, 0.5, 1, "delta must lie between 0 and 0.5, got 0.5"),
        (1.0, 1e-6, 0, "sensitivity must be at least 1, got 0"),
        (0.001, 1e-6, 1, "up to ±4000"),
    ],
)
def test_a_guarantee_that_cannot_be_kept_is_refused(
    epsilon: float, delta: float, sensitivity: int, sentence: str
) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Guarantee(epsilon, delta, sensitivity)


@pytest.mark.parametrize(
    ("tables", "signs", "distinct", "sentence"),
    [
        ((), (1,), False, "from 1 to 64 tables, got 0"),
        (({0: 1},), (), False, "from 1 to 8 times, got 0"),
        (({0: 1},), (1,) * 9, False, "from 1 to 8 times, got 9"),
        (({0: 1},), (2,), False, r"1 or -1, got \[2\]"),
        (({},), (1,), False, "needs entries"),
        (({0: 0},), (1,), False, "at least 1, got 0"),
        (({0: 1},), (1, -1), True, "2 distinct entries can't be drawn from a table of 1"),
        (({0: 1, 1 << 17: 1},), (1,), False, "at most 65536 values, got 131072"),
        (({0: 2}, {0: 2}), (1, 1), False, "1 table only, got 2 tables"),
        (({0: 1 << 62, 9999: 1},), (1,) * 6, True, "most 4194304 bits can be proved, .* 22677732"),
    ],
)
def test_a_scheme_that_cannot_be_drawn_from_is_refused(
    tables: tuple[dict[int, int], ...], signs: tuple[int, ...], distinct: bool, sentence: str
) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Scheme(tables, signs, distinct)


def test_too_many_draws_and_too_large_tables_are_refused() -> None:
    with pytest.raises(ParameterError, match="from 1 to 8 times, got 9"):
        algorithm2(Guarantee(1.0, 1e-6), 9)
    large = algorithm2(Guarantee(1.0, 1e-10), 1)
    with pytest.raises(ParameterError, match="table of 36627290627 entries is not written out"):
        large.shuffled(Seeded(1))


def test_all_tables_and_their_proofs_take_less_than_ten_seconds() -> None:
    started = time.process_time()
    asked = [Guarantee(1.0, delta) for delta in TABLE_1]
    asked += [Guarantee(epsilon, 1e-6) for epsilon in TABLE_2]
    for guarantee in asked:
        for draws in range(1, 5):
            assert prove(algorithm2(guarantee, draws), guarantee).holds
    assert time.process_time() - started < 10


def test_what_was_proved_cannot_be_changed() -> None:
    given_table = {0: 2, 1: 1}
    scheme = Scheme((given_table,), (1,), distinct=False)
    given_table[0] = 7
    assert scheme.entries == 3
    with pytest.raises(TypeError):
        scheme.tables[0][0] = 7  # type: ignore[index]  # that is the point


def test_a_table_is_drawn_from_at_least_once_and_at_most_eight_times() -> None:
    guarantee = Guarantee(1.0, 1e-3)
    assert [len(algorithm2(guarantee, draws).signs) for draws in (1, 8)] == [1, 8]
    for draws in (0, 9):
        with pytest.raises(ParameterError, match=f"from 1 to 8 times, got {draws}"):
            algorithm2(guarantee, draws)
