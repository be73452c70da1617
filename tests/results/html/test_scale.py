"""Axes: few ticks, and all of them on the axis."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sudare.results.html.scale import Scale


@given(
    low=st.floats(-1e6, 1e6),
    length=st.floats(1e-3, 1e6),
    most=st.integers(6, 9),
)
def test_linear_ticks_are_few_and_on_the_axis(low: float, length: float, most: int) -> None:
    scale = Scale.over(np.array([low, low + length]))
    ticks = scale.ticks(most)
    assert 2 <= ticks.size <= most
    places = scale.place(ticks)
    assert np.all((places >= 0) & (places <= 100))
    assert np.all(np.diff(places) > 0)


@given(low=st.floats(-12, 6), length=st.floats(0.01, 20), most=st.integers(6, 9))
def test_log_ticks_are_few_and_on_the_axis(low: float, length: float, most: int) -> None:
    scale = Scale.over(10 ** np.array([low, low + length]), log=True)
    ticks = scale.ticks(most)
    assert 2 <= ticks.size <= most
    assert np.all((scale.low <= ticks) & (ticks <= scale.high))


@given(value=st.floats(-5, 5))
def test_a_single_value_still_has_an_axis(value: float) -> None:
    scale = Scale.over(np.array([value]))
    assert scale.low < value < scale.high
