"""ε in words: true at every ε, whatever is rounded."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.chance.exact import exp_enclosed
from sudare.planning.plans import plan
from sudare.results.planning import bet, meaning, truth


def numbers(text: str) -> list[int]:
    """The whole numbers in a text."""
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)]


@given(st.floats(0.001, 20))
def test_a_bet_is_right_at_most_as_often_as_is_said(epsilon: float) -> None:
    """In exact numbers: e^ε of 1 + e^ε times; and never overstated by more than one of so many."""
    right, base = numbers(bet(epsilon))
    few, many = (number / (1 + number) for number in exp_enclosed(Fraction(epsilon)))
    assert Fraction(right, base) >= few
    assert Fraction(right - 1, base) <= many
    assert right < base or epsilon > 13


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (0.1, "53 times in 100 (hardly more than a coin's toss"),
        (1.0, "74 times in 100 (better than a coin's toss"),
        (2.0, "89 times in 100 (mostly the truth"),
        (4.0, "99 times in 100 (nearly always the truth"),
        (8.0, "9,997 times in 10,000 (nearly always the truth"),
        (20.0, "1,000,000 times in 1,000,000 (the truth, as good as"),
    ],
)
def test_an_epsilon_has_the_words_of_its_bet(epsilon: float, said: str) -> None:
    assert said in meaning(epsilon)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0, 4.0, 10.0, 20.0])
@pytest.mark.parametrize("answers", [2, 9])
def test_a_report_fits_as_often_as_is_said(answers: int, epsilon: float) -> None:
    """Of so many people, to the nearest one of them; but neither nobody nor all."""
    wishes = {"answers": answers, "epsilon": epsilon, "people": 10**12, "most_bytes": 10**6}
    for row in plan("choice", **wishes).rows:
        said = truth(row)
        assert said is not None
        base, own, again, other = numbers(said)
        assert base == again
        assert 0 < other <= own < base
        for count, chance in zip((own, other), row.design.fits or (), strict=True):
            assert abs(count - chance * base) <= (0.5 if 1 < count < base - 1 else 1) + 1e-9


def test_the_two_chances_differ_in_what_is_said_where_they_can() -> None:
    row = plan("choice", answers=2, epsilon=1.0, people=1000).recommended
    p = math.e / (1 + math.e)
    assert row.design.fits == pytest.approx((p, 1 - p))
    assert np.array_equal(numbers(truth(row) or ""), [100, 73, 100, 27])
