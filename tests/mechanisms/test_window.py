"""The window mechanism: its laws, that it is unbiased exactly, its variance and what it states."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtr, bdtrc, ndtr, ndtri

from sudare import Aggregate, Mechanism, Seeded, Window
from sudare.errors import InvalidAnswer, InvalidDocument, InvalidReport, ParameterError
from sudare.laws.enumeration import aggregate_law, channel, population
from support.laws import MechanismLaws
from support.scripts import paper_module

UNEVEN = Window(6, 2, 0.75, (-3, -2, 0, 2, 3))  # nodes at 0, 1.8, 4.2 and 6


class TestWindow(MechanismLaws):
    instances: ClassVar = [
        Window(1, 1, 0.75, (-1, 1)),
        Window(4, 2, 0.875, (-5, -3, -1, 1, 3, 5)),
        Window.calibrate(2, 3.0),
    ]
    large: ClassVar = [Window.calibrate(steps, 1.0) for steps in (1, 81, 4096)]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, Window)
        return replace(mechanism, keep=mechanism.keep - 3 / 32)


def _moments(mechanism: Window, power: int) -> dict[Any, Fraction]:
    """The exact moments of what a report counts, for each number, over the enumerated law."""
    counts = {bytes([output]): part**power for output, part in enumerate(mechanism.parts)}
    return {
        value: sum((chance * counts[bytes(report)] for report, chance in law.items()), Fraction(0))  # type: ignore[call-overload]
        for value, law in channel(mechanism).laws.items()
    }


@pytest.mark.parametrize("mechanism", [UNEVEN, Window(4, 2, 0.75, (-9, -2, 0, 2, 9))])
def test_numbers_between_nodes_are_unbiased_exactly(mechanism: Window) -> None:
    assert len(set(mechanism._gaps)) > 1
    assert _moments(mechanism, 1) == {v: Fraction(v) for v in range(mechanism.steps + 1)}
    assert channel(mechanism).worst_ratio == mechanism.worst_ratio


@pytest.mark.parametrize("mechanism", [UNEVEN, *TestWindow.instances])
def test_the_worst_variance_is_that_of_the_enumerated_law(mechanism: Window) -> None:
    variances = [moment - value**2 for value, moment in _moments(mechanism, 2).items()]
    assert max(variances) == mechanism.worst_variance


def test_the_stated_error_is_off_by_the_rounding_that_no_report_tells() -> None:
    """Noise of a node, exactly; rounding as if the numbers were spread evenly over the range."""
    law = aggregate_law(UNEVEN, population(UNEVEN, [0, 0, 0, 1]))  # 3 lies between two nodes
    noise, squares = 0.0, 0.0
    for counts, chance in law.items():
        found = UNEVEN.estimate(Aggregate(UNEVEN.key, 1, np.array(counts)))
        noise += float(chance) * float(found.stderr[0] ** 2)
        squares += float(chance) * float(found.values[0]) ** 2
    own = 1.2 * 1.2  # (3 - 1.8)(4.2 - 3)
    even = np.mean([(v - a) * (b - v) for v, a, b in _between(UNEVEN)])
    assert noise == pytest.approx(squares - 9 - own + even, rel=1e-12)


def _between(mechanism: Window) -> list[tuple[float, float, float]]:
    """Each number with the nodes below and above it."""
    places = [0, 1.8, 4.2, 6]
    lower = [max(i for i in range(3) if places[i] <= v) for v in range(mechanism.steps + 1)]
    return [(v, places[i], places[i + 1]) for v, i in enumerate(lower)]


@pytest.mark.parametrize(
    ("steps", "epsilon"),
    [(1, 0.001), (81, 0.001), (1, 1.0), (4, 5.0), (10, 3.0), (81, 0.5), (1 << 20, 1.0), (81, 7.0)],
)
def test_calibrate_spends_the_budget_and_no_more(steps: int, epsilon: float) -> None:
    mechanism = Window.calibrate(steps, epsilon)
    assert epsilon * (1 - 1e-9) < mechanism.epsilon <= epsilon
    assert mechanism == Window.calibrate(steps, epsilon)
    # Of each report, so that the stated variance is never taken from nothing.
    assert (mechanism._noise > 0).all()


def test_two_numbers_are_a_coin() -> None:
    assert Window.calibrate(1, 1.0).scores == (-1, 1)
    assert Window.calibrate(1, 2.0).worst_variance == _coin(Window.calibrate(1, 2.0).keep)


def _coin(keep: float) -> Fraction:
    exact = Fraction(keep)
    return exact * (1 - exact) / (2 * exact - 1) ** 2


def test_few_numbers_have_a_node_each_where_that_is_better() -> None:
    stars = Window.calibrate(4, 5.0)
    assert stars.nodes == 5
    assert stars._bound == 1


@given(
    st.integers(1, 40),
    st.integers(1, 4),
    st.lists(st.integers(1, 6), min_size=1, max_size=6),
    st.integers(0, 2**32),
)
def test_the_mean_of_any_scores_is_unbiased(
    steps: int, width: int, gaps: list[int], seed: int
) -> None:
    """By the laws of the nodes, of scores that are drawn: windows of them tell no more than ε."""
    scores = Seeded(seed).below(9, width).tolist()
    for gap in gaps:
        scores.append(scores[-width] + gap)
    keep = 1 - 2.0 ** -int(np.ceil(np.log2(len(scores))) + 1)
    mechanism = Window(steps, width, keep, tuple(scores))
    inside, outside = Fraction(keep) / width, (1 - Fraction(keep)) / len(gaps)
    parts = mechanism.parts
    for node, number in enumerate(mechanism.node_numbers):
        mean = sum(
            part * (inside if node <= output < node + width else outside)
            for output, part in enumerate(parts)
        )
        assert mean == number
    lower, rise = mechanism._rounding
    for value in range(steps + 1):
        low, high = (mechanism.node_numbers[lower[value] + up] for up in (0, 1))
        chance = Fraction(int(rise[value]), mechanism._bound)
        assert low + chance * (high - low) == value


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 3.0, 4.0, 5.0])
def test_the_worst_variance_is_below_that_of_published_mechanisms(epsilon: float) -> None:
    means = paper_module("leaderboard", "means")
    ours = means.window(epsilon)
    for other in (means.one_bit, means.piecewise, means.hybrid):
        assert ours < other(epsilon)
    assert ours < 0.97 * means.hybrid(epsilon)


@pytest.mark.parametrize(
    ("epsilon", "most"), [(1.0, 1.04), (2.75, 1.03), (3.5, 1.03), (4.5, 1.04), (5.0, 1.05)]
)
def test_the_worst_variance_is_near_the_least(
    epsilon: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A smaller linear program: of fewer outputs, so that it is 0.1 % too large at most."""
    means = paper_module("leaderboard", "means")
    monkeypatch.setattr(means, "NUMBERS", 17)
    monkeypatch.setattr(means, "OUTPUTS", 81)
    least = means.optimum(epsilon)
    assert least * 0.999 < means.window(epsilon) < most * least


def test_the_counted_intervals_hold_the_truth_as_often_as_is_said() -> None:
    text = Path(__file__).parents[2].joinpath("papers/number-mean/result.json").read_text("utf-8")
    rows = msgspec.json.decode(text)
    assert len(rows) == 80
    assert all(row["collections"] == 20_000 for row in rows)
    assert all(0.94 <= row["held"] <= 0.96 for row in rows)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 2.75, 3.5, 5.0, 6.0, 8.0, 9.0])
@pytest.mark.parametrize("steps", [2, 9, 81, 1000])
def test_intervals_keep_their_level_wherever_people_are(steps: int, epsilon: float) -> None:
    """By exact variances: everybody's number is the same, so that rounding is what is stated least.

    Beside it the stated one, in the mean, which takes the rounding of numbers spread evenly.
    """
    mechanism = Window.calibrate(steps, epsilon)
    lower, rise = mechanism._rounding
    up = rise / mechanism._bound
    noise = np.array([float(variance) for variance in mechanism.node_variances])
    numbers = np.array([float(number) for number in mechanism.node_numbers])
    noise = noise[lower] + up * (noise[lower + 1] - noise[lower])
    true = noise + up * (1 - up) * np.diff(numbers)[lower] ** 2
    level = 2 * ndtr(ndtri(0.975) * np.sqrt((noise + mechanism._mean_rounding) / true)) - 1
    assert 0.94 <= level.min() <= level.max() <= 0.96


@pytest.mark.parametrize("shape", ["a bell", "all at one end", "all between two nodes"])
def test_intervals_hold_the_truth(shape: str, seed: int) -> None:
    """Of 2,000 collections; fails by chance at most once in 1e9. A level of 85 % is rejected."""
    run = paper_module("number-mean", "mean_intervals")
    mechanism = Window.calibrate(81, 4.0)
    truth = run.people(run.shapes(mechanism)[shape], 1000)
    held = run.held(mechanism, truth, 2000, Seeded(seed))
    assert bdtr(held, 2000, 0.94) > 1e-9
    assert bdtrc(held - 1, 2000, 0.96) > 1e-9
    assert bdtrc(held - 1, 2000, 0.85) < 1e-9


def test_the_population_has_the_reports_own_variance() -> None:
    mechanism = Window.calibrate(10, 2.0)
    reports = mechanism.randomize(np.arange(1000) % 11, Seeded(1))
    found = mechanism.estimate(mechanism.aggregate(reports))
    parts = mechanism.weights(reports, 0)
    wider = found.of_population()
    assert wider.stderr[0] == pytest.approx(parts.std(ddof=1) / 1000**0.5)
    assert wider.stderr[0] > found.stderr[0]
    assert found.values[0] == pytest.approx(parts.mean())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((0, 1, 0.75, (-1, 1)), "a range has between 1 and 1,048,576 steps, got 0"),
        ((1 << 21, 1, 0.75, (-1, 1)), "a range has between 1 and 1,048,576 steps, got 2,097,152"),
        ((3, 2, 0.75, (-1, 1)), "width must be between 1 and 1, below the number of scores, got 2"),
        ((3, 1, 0.75, (1,)), "there are between 2 and 256 scores, got 1"),
        ((3, 1, 0.75, (1, 1)), "each score must be above the one 1 places before it"),
        ((3, 1, 0.5, (-1, 1)), "keep must be a multiple of 2^-53 above 0.5 and below 1, got 0.5"),
        ((1 << 20, 1, 0.75, (0, 97, 198, 301)), "the most is 2^32"),
        ((3, 1, 0.75, (0, 2**32)), "a score must be between -2^31 and 2^31"),
    ],
)
def test_parameters_are_refused(
    parameters: tuple[int, int, float, tuple[int, ...]], message: str
) -> None:
    with pytest.raises(ParameterError, match=message.replace("^", r"\^")):
        Window(*parameters)


def test_what_is_no_report_or_no_number_is_refused() -> None:
    mechanism = Window.calibrate(10, 1.0)
    with pytest.raises(InvalidAnswer, match="the answer at position 1 is not one of 0 to 10"):
        mechanism.randomize([3, 11])
    with pytest.raises(InvalidReport, match="the report at position 0 says 16"):
        mechanism.aggregate(np.array([(16,)], mechanism.report_dtype))
    with pytest.raises(InvalidDocument, match="scores must be a list of whole numbers"):
        Window.from_document(mechanism.document() | {"scores": [1, 2.5]})
    with pytest.raises(ParameterError, match="epsilon = 1e-17 is too small"):
        Window.calibrate(10, 1e-17)
    assert mechanism.not_enumerable is not None
    assert Window.calibrate(1, 1.0).not_enumerable is None
