"""Ways of asking: the error that theory says is that of the exact law, and of simulations."""

from collections.abc import Callable
from fractions import Fraction
from math import comb, log
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

from sudare import GRR, OUE, SUE, Seeded, SquareWave, SubsetSelection, Window
from sudare.cli.compare import LIST_WAYS, OTHER_WAYS, SELECTION_WAYS
from sudare.errors import ParameterError
from sudare.estimation.distances import wasserstein
from sudare.mechanisms.domain import AnswerGroups, SelectionGroups
from sudare.mechanisms.interface import CategoricalMechanism, Mechanism
from sudare.simulation.alternatives import (
    Alternatives,
    AtOnce,
    Distribution,
    Mean,
    OneOfList,
    SeveralOfList,
    _mean_inverse,
)
from support.chance import ALPHA

REPETITIONS = 1200
LISTED = OneOfList(np.array([9000, 5000, 3000, 2000, 1000]))
SELECTED = SeveralOfList(
    SelectionGroups(
        np.array([[1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 1], [0] * 5], np.uint8),
        np.array([8000, 7000, 3000, 2000]),
    ),
    2,
)
NUMBERS = Mean(np.array([500, 4000, 7000, 5000, 2500, 1000]), 0.5)
STUDY = AtOnce(
    AnswerGroups(np.array([[0, 0], [1, 1], [0, 2], [1, 0]]), np.array([9000, 5000, 1000, 5000])),
    (2, 3),
)
CASES = [
    (asked, name)
    for asked in (LISTED, SELECTED, NUMBERS, STUDY)
    for name in asked.names
    if not (asked is LISTED and name not in {"loloha", "rappor"})  # test_comparison has the others
]


def reach() -> tuple[float, float]:
    """What a mean of squared errors stays between, in parts of its expectation.

    An estimate is normal, as a sum over 20,000 people, and a squared error a sum of its squares
    with some weights. Chernoff's bound of the mean of n such sums is at most that of n squares with
    all the weight, for either tail: exp(-n (x - 1 - log x) / 2). Chance of failing: 1e-9.
    """
    limit = 2 * log(2 / ALPHA) / REPETITIONS

    def beyond(x: float) -> float:
        return x - 1 - log(x) - limit

    return float(brentq(beyond, 1e-3, 1)), float(brentq(beyond, 1, 10))


@pytest.mark.parametrize(("asked", "name"), CASES)
def test_a_simulation_lies_on_the_theory(asked: Alternatives, name: str, seed: int) -> None:
    """Power: the theory of the same way at 0.6 and at 1.5 times the ε is rejected."""
    way, rng = asked.way(name, 1.0), Seeded(seed)
    found = float(np.mean([way.squared_error(rng) for _ in range(REPETITIONS)]))
    low, high = reach()
    assert low < found / way.theory < high
    assert found / asked.way(name, 0.6).theory < low
    assert found / asked.way(name, 1.5).theory > high


def exact_variances(
    mechanism: Mechanism, mean: Callable[[NDArray[np.float64]], float]
) -> list[float]:
    """The variance of what one report counts in a mean, by value, over the enumerated law."""
    variances = []
    for law in mechanism.channel().laws.values():
        first = second = Fraction(0)
        for report, chance in law.items():
            one = mechanism.aggregate(np.frombuffer(cast("bytes", report), mechanism.report_dtype))
            counts = Fraction(mean(mechanism.estimate(one).values))
            first, second = first + chance * counts, second + chance * counts**2
        variances.append(float(second - first**2))
    return variances


@pytest.mark.parametrize(
    "mechanism",
    [GRR(4, 0.5), OUE.calibrate(4, 1.0), SUE.calibrate(3, 2.0), SubsetSelection.calibrate(5, 1.0)],
)
def test_the_mean_by_a_list_has_the_variance_of_the_enumerated_law(
    mechanism: CategoricalMechanism,
) -> None:
    centred = np.arange(mechanism.k) - (mechanism.k - 1) / 2
    asked = Mean(np.ones(mechanism.k, np.int64), 1.0)
    exact = exact_variances(mechanism, lambda shares: float(shares @ centred))
    assert asked._listed_variances(mechanism) == pytest.approx(exact, rel=1e-9)


def test_the_mean_by_a_window_has_the_variance_of_the_enumerated_law() -> None:
    window = Window(4, 2, 0.75, (-3, -1, 1, 3))
    exact = exact_variances(window, lambda mean: float(mean[0]))
    asked = Mean(np.ones(5, np.int64), 1.0)
    assert asked._window_variances(window) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("n", "asked"), [(150, 3), (100, 2), (400, 8)])
def test_the_mean_of_an_inverse_is_that_of_the_exact_law(n: int, asked: int) -> None:
    weights = [comb(n, m) * (asked - 1) ** (n - m) for m in range(1, n + 1)]
    exact = sum(Fraction(w, m) for m, w in enumerate(weights, 1)) / sum(weights)
    assert _mean_inverse(n, 1 / asked) == pytest.approx(float(exact), rel=1e-9)


def test_a_distance_is_how_far_numbers_are_moved() -> None:
    held = np.array([0, 0, 10, 0])
    edges = np.arange(5)
    assert wasserstein(held / 10, edges, held) == 0
    assert wasserstein(np.array([1.0, 0, 0, 0]), edges, held) == 0.5  # two of four places
    assert wasserstein(np.array([0, 0, 0.5, 0.5]), edges, held) == 0.125
    spread = np.array([3, 3, 2, 2])  # even in bins of two numbers each
    assert wasserstein(np.array([0.6, 0.4]), np.array([0, 2, 4]), spread) == 0
    uneven = np.array([1, 1, 1])  # bins of two numbers and of one
    assert wasserstein(np.array([2, 1]) / 3, np.array([0, 2, 3]), uneven) == pytest.approx(0)


def test_a_square_wave_is_nearer_than_a_histogram(seed: int) -> None:
    """Of a bell; its distance is a third of the others', and thirty times are enough to see it."""
    bell = np.exp(-((np.arange(100) - 50.0) ** 2) / 450)
    asked = Distribution(np.round(10_000 * bell / bell.sum()).astype(np.int64), 16)
    found = {}
    for name in asked.usual:
        way, rng = asked.way(name, 1.0), Seeded(seed)
        assert np.isnan(way.theory)
        found[name] = np.mean([way.squared_error(rng) for _ in range(30)])
    assert found["wave"] < 0.7 * min(found["subset"], found["oue"])
    fine = Distribution(asked.held, 50).way("oue", 1.0)
    assert fine.squared_error(Seeded(seed)) != asked.way("oue", 1.0).squared_error(Seeded(seed))


def test_names_are_those_of_the_command_line() -> None:
    assert OneOfList.names == LIST_WAYS
    assert SeveralOfList.names == SELECTION_WAYS
    names = {*Mean.names, *Distribution.names, *AtOnce.names}
    assert names - {*LIST_WAYS} == {*OTHER_WAYS}


@pytest.mark.parametrize(
    ("asked", "name", "said"),
    [
        (LISTED, "set", "of one answer of a list, the mechanism is one of grr, .*, not set"),
        (SELECTED, "grr", "of several answers of a list, .* set, yes-no, .*, not grr"),
        (NUMBERS, "olh", "of the mean of numbers, .* window, grr, oue, sue, subset, not olh"),
        (Distribution(NUMBERS.held), "window", "of the distribution of numbers, .*, not window"),
        (STUDY, "grr", "of several questions at once, .* sample, split, joint, not grr"),
        (Mean(np.ones(1025, np.int64), 1.0), "grr", "at most 1,024, got 1,025"),
        (AtOnce(STUDY.groups, (2, 600)), "joint", "2 times 600 answers have 1,200 combinations"),
    ],
)
def test_what_does_not_go_together_is_refused(asked: Alternatives, name: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        asked.ways([name], [1.0])


def test_what_can_not_be_is_not_usual() -> None:
    assert Mean(np.ones(1025, np.int64), 1.0).usual == ("window",)
    assert AtOnce(STUDY.groups, (2, 600)).usual == ("sample", "split")
    few = AtOnce(AnswerGroups(np.array([[0, 0]]), np.array([99])), (2, 3))
    with pytest.raises(ParameterError, match="at least 100 people, got 99"):
        few.way("split", 1.0)


def test_bins_are_those_of_the_square_wave() -> None:
    assert Distribution(NUMBERS.held, 3).way("grr", 1.0)
    with pytest.raises(ParameterError, match="between 2 and 6 bins, got 7"):
        Distribution(NUMBERS.held, 7).way("grr", 1.0)
    assert SquareWave.calibrate(5, 1.0).bins == 6
