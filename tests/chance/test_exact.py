"""Dyadic probabilities, numbers rounded against the claim, and the exact laws of code."""

import ast
import decimal
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sudare
from sudare import Randomness, exact_law
from sudare.chance.exact import (
    affordable,
    chance_text,
    dyadic,
    exp_down,
    is_dyadic,
    largest_dyadic,
    log_up,
    scientific_down,
    scientific_up,
    smallest_dyadic,
    text_down,
    text_up,
)
from sudare.errors import ParameterError

UNIT = 2.0**-53
PRECISE = decimal.Context(prec=100)


def logarithm(ratio: Fraction) -> Fraction:
    """ln to about 98 digits."""
    top, bottom = (PRECISE.ln(decimal.Decimal(part)) for part in ratio.as_integer_ratio())
    return Fraction(PRECISE.subtract(top, bottom))


def exponential(number: float) -> Fraction:
    return Fraction(PRECISE.exp(decimal.Decimal(number)))


RATIOS = st.one_of(
    st.fractions(1, 1000).filter(lambda ratio: ratio > 1),
    st.integers(0, 2**20).map(lambda units: 1 + Fraction(units + 1, 2**53)),  # near 1
    st.integers(1, 60).map(lambda digits: Fraction(10**digits * 10**digits + 1)),  # huge
    st.integers(1, 300).map(lambda power: Fraction(2**53 - 1, 2**52 + 1) ** power),  # long
    st.tuples(st.integers(2**52, 2**53 - 1), st.integers(2, 10**5)).map(
        lambda pair: Fraction(pair[0], 2**53 - pair[0]) * pair[1]
    ),
)


@given(RATIOS)
def test_log_up_is_the_smallest_float_not_below(ratio: Fraction) -> None:
    found, exact = log_up(ratio), logarithm(ratio)
    assert Fraction(found) >= exact
    assert Fraction(math.nextafter(found, 0)) < exact


def test_log_up_of_known_ratios() -> None:
    assert log_up(Fraction(1)) == 0
    assert abs(log_up(Fraction(3)) - math.log(3)) <= math.ulp(1.0)
    assert log_up(Fraction(2**1100)) == pytest.approx(1100 * math.log(2), rel=1e-15)
    with pytest.raises(ParameterError, match="at least 1, got 1/2"):
        log_up(Fraction(1, 2))


@given(st.floats(0, 50))
def test_exp_down_is_just_below(number: float) -> None:
    found, exact = exp_down(number), exponential(number)
    assert exact * (1 - Fraction(1, 10**48)) < found < exact


AMOUNTS = st.one_of(
    st.floats(0, 1e6).map(Fraction),
    st.fractions(0, 1),
    st.integers(0, 400).map(lambda digits: Fraction(1, 3 * 10**digits)),  # also below all floats
    st.integers(1, 9).map(lambda number: Fraction(number, 10**323)),  # where these are few
)


@given(AMOUNTS, st.integers(1, 12))
def test_what_is_spent_is_told_upwards_and_what_is_left_downwards(
    amount: Fraction, digits: int
) -> None:
    near = 1 + Fraction(11, 10**digits)
    assert amount <= Fraction(text_up(amount, digits)) <= near * amount
    assert amount / near <= Fraction(text_down(amount, digits)) <= amount
    assert Fraction(scientific_down(amount, digits)) <= amount
    assert amount <= Fraction(scientific_up(amount, digits))
    if amount > Fraction(1, 10**300):
        assert Fraction(scientific_up(amount, digits)) <= near * amount
        assert Fraction(scientific_down(amount, digits)) >= amount / near


def test_amounts_as_people_read_them() -> None:
    third = Fraction(1, 3)
    assert [text_up(third), text_down(third), text_up(third, 2)] == ["0.333334", "0.333333", "0.34"]
    assert [scientific_up(third / 10**6), scientific_down(third / 10**6)] == [
        "3.34e-07",
        "3.33e-07",
    ]
    assert [text_down(Fraction(0)), scientific_down(Fraction(0)), text_up(4.0)] == ["0", "0", "4"]
    plain = Fraction(10) ** 20
    assert [text_up(plain), text_up(10 * plain)] == ["1" + 20 * "0", "1e+21"]
    assert [text_up(1 / plain), text_up(1 / plain / 10)] == ["0." + 19 * "0" + "1", "1e-21"]


def test_a_chance_is_told_to_two_digits_of_what_is_rarer() -> None:
    told = [chance_text(chance) for chance in (0.4046, 0.9999, 0.00271, 1.0)]
    assert told == [f"{text}\N{NO-BREAK SPACE}%" for text in ("40", "99.99", "0.27", "100")]


def rounded_by_a_format(source: str) -> list[str]:
    """Every ε or δ that a format such as ``:g`` would round to the nearest, maybe down."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FormattedValue)
        and node.format_spec is not None
        and ast.unparse(node.format_spec).rstrip("'\"")[-1] in "efgEFG%"
        and any(name in ast.unparse(node.value) for name in ("epsilon", "delta", "spent"))
    ]


def test_no_format_rounds_what_is_stated_of_privacy() -> None:
    sources = Path(sudare.__file__).parent.rglob("*.py")
    assert [found for path in sources for found in rounded_by_a_format(path.read_text())] == []
    assert len(rounded_by_a_format('f"{plan.epsilon:g} {delta:.3e} {text_up(epsilon):>9}"')) == 2


@given(st.floats(1e-6, 40), st.integers(-3, 3))
def test_affordable_is_the_stated_comparison(epsilon: float, ulps: int) -> None:
    ratio = exponential(epsilon)
    stated = log_up(ratio)
    budget = stated + ulps * math.ulp(stated)
    assert affordable(ratio, budget) == (ulps >= 0)


@given(st.floats(0, 1))
def test_dyadic_is_the_nearest_multiple(p: float) -> None:
    near = dyadic(p)
    assert (Fraction(near) * 2**53).denominator == 1
    assert abs(Fraction(near) - Fraction(p)) <= Fraction(1, 2**54)


def test_only_tossable_coins_are_dyadic() -> None:
    assert all(is_dyadic(p) for p in (0.5, 0.75, UNIT, 1 - UNIT, np.float64(0.25)))
    others = (0.0, 1.0, -0.5, 2.0**-54, 0.25 + 2.0**-54, 0.1, math.nan, math.inf, 1)
    assert not any(is_dyadic(p) for p in others)


GUESSES = st.floats(0, 1)


@given(edge=st.integers(1, 2**53 - 1), guess=GUESSES)
def test_the_edge_is_found_from_any_guess(edge: int, guess: float) -> None:
    limit = edge * UNIT
    assert largest_dyadic(guess, lambda p: p <= limit) == limit
    assert smallest_dyadic(guess, lambda p: p >= limit) == limit


@given(edge=st.integers(1, 2**53 - 1), offset=st.integers(-1000, 1000))
def test_a_good_guess_takes_few_questions(edge: int, offset: int) -> None:
    limit, asked = edge * UNIT, list[float]()

    def allowed(p: float) -> bool:
        asked.append(p)
        return p <= limit

    guess = min(max(edge + offset, 0), 2**53) * UNIT
    assert largest_dyadic(guess, allowed) == limit
    assert len(asked) <= 40
    assert all(0 < p < 1 for p in asked)


@given(GUESSES)
def test_where_all_or_nothing_is_allowed_the_range_is_the_edge(guess: float) -> None:
    assert largest_dyadic(guess, lambda _: True) == 1 - UNIT
    assert smallest_dyadic(guess, lambda _: True) == UNIT
    for search in (largest_dyadic, smallest_dyadic):
        with pytest.raises(ParameterError, match="private enough"):
            search(guess, lambda _: False)


def test_two_dice() -> None:
    law = exact_law(lambda rng: int(rng.below(6, 2).sum()) + 2)
    assert law == {total: Fraction(6 - abs(7 - total), 36) for total in range(2, 13)}


def test_a_second_question_may_depend_on_the_first() -> None:
    def experiment(rng: Randomness) -> int:
        if rng.bernoulli(0.75, 1)[0]:
            return int(rng.below(3, 1)[0])
        return 2 if rng.bernoulli(0.5, ())[()] else -1

    third = Fraction(1, 4)
    assert exact_law(experiment) == {
        0: third,
        1: third,
        2: third + Fraction(1, 8),
        -1: Fraction(1, 8),
    }


def test_packed_coins_have_the_law_of_single_ones() -> None:
    def packed(rng: Randomness) -> tuple[int, ...]:
        return tuple(rng.packed(0.25, 2, 2)[:, 0].tolist())

    def single(rng: Randomness) -> tuple[int, ...]:
        coins = rng.bernoulli(0.25, (2, 2))
        return tuple(int(row[0]) + 2 * int(row[1]) for row in coins)

    assert exact_law(packed) == exact_law(single)
    assert len(exact_law(packed)) == 16


def test_wide_packed_coins_stand_in_their_places() -> None:
    def experiment(rng: Randomness) -> tuple[int, ...]:
        return tuple(rng.packed(1.0, 1, 66)[0].tolist())

    assert exact_law(experiment) == {(2**64 - 1, 3): 1}


def test_what_takes_no_chance_is_certain() -> None:
    assert exact_law(lambda _: "always") == {"always": 1}
    assert exact_law(lambda rng: bool(rng.bernoulli(1.0, 1)[0])) == {True: 1}
    assert exact_law(lambda rng: int(rng.below(1, 1)[0])) == {0: 1}


@given(
    tree=st.recursive(
        st.integers(0, 3), lambda node: st.lists(node, min_size=1, max_size=3), max_leaves=12
    )
)
def test_the_law_of_a_random_tree_of_choices(tree: object) -> None:
    def expected(node: object) -> dict[int, Fraction]:
        if isinstance(node, int):
            return {node: Fraction(1)}
        assert isinstance(node, list)
        total: dict[int, Fraction] = {}
        for child in node:
            for leaf, chance in expected(child).items():
                total[leaf] = total.get(leaf, Fraction(0)) + chance / len(node)
        return total

    def walk(rng: Randomness) -> int:
        node = tree
        while isinstance(node, list):
            node = node[int(rng.below(len(node), 1)[0])]
        assert isinstance(node, int)
        return node

    law = exact_law(walk)
    assert law == expected(tree)
    assert sum(law.values()) == 1
