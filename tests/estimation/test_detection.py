"""How rare a text can be and still be found: beside the exact law of a count."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from sudare.estimation.detection import Detection, said_by_chance
from sudare.planning.texts import best_filter

CANDIDATES, LEVEL = 1000, 0.05


@pytest.mark.parametrize("people", [350, 2000, 20_000])
def test_what_is_needed_is_the_end_of_the_binomial_law(people: int) -> None:
    """To one report; by the normal law it would be off by two and more."""
    made = best_filter(4.0)
    assert made.ones == 1
    said = said_by_chance(made)
    gain = (made.holder - made.others) * (1 - made.ones / made.bits)
    exact = binom.isf(LEVEL / CANDIDATES, people, said) + 1 / 2 - people * said
    found = Detection.of(made, CANDIDATES, LEVEL)
    assert found.share(people) * people * gain == pytest.approx(exact, abs=1)
    normal = found.reach * math.sqrt(found.noise.outside / people)
    assert exact - normal * people * gain > 2


@given(
    epsilon=st.floats(0.5, 6),
    people=st.integers(1000, 10**9),
    more=st.floats(0, 4, allow_nan=False),
)
def test_as_many_reports_as_a_share_takes_find_that_share(
    epsilon: float, people: int, more: float
) -> None:
    found = Detection.of(best_filter(epsilon), CANDIDATES)
    share = found.share(people, more)
    if share <= 1:
        assert found.reports(share, more) == pytest.approx(people, rel=1e-6)
    assert found.share(2 * people, more) < share or math.isinf(share)
    assert math.isinf(found.reports(1.001, more))
