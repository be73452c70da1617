"""Ways of asking side by side on one population: squared error against ε."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from sudare.chance.keystream import Keystream
from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from sudare.estimation.frequency_error import mean_squared_error
from sudare.mechanisms.interface import CategoricalMechanism
from sudare.mechanisms.rappor import Rappor

MOST_REPETITIONS = 10**6  # of which each takes time and memory


class Curve(Protocol):
    """A labelled line of points that plots and pages can draw."""

    @property
    def label(self) -> str:
        """The curve's name in the legend."""

    @property
    def x(self) -> Floats:
        """Where each point of the curve stands on the horizontal axis."""

    @property
    def y(self) -> Floats:
        """How high each point of the curve is."""

    @property
    def stderr(self) -> Floats | None:
        """The standard error of each point's height, where it is known."""

    @property
    def theory(self) -> Floats | None:
        """The height that theory predicts for each point, where it does."""


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """The mean squared error of one mechanism at each ε.

    Attributes:
        label: the mechanism's name.
        x: the ε.
        y: the mean squared error over repetitions, and answers where there are several.
        stderr: its standard error over the repetitions.
        theory: what the closed form predicts; NaN where there is none.
        samples: the error of each repetition, one row per ε.
    """

    label: str
    x: Floats
    y: Floats
    stderr: Floats
    theory: Floats
    samples: Floats


@dataclass(frozen=True)
class Way:
    """A way of asking at one ε, of people whose answers are known.

    Attributes:
        squared_error: the squared error of one simulated collection.
        theory: its exact mean, where that is known.
    """

    squared_error: Callable[[Keystream], float]
    theory: float = math.nan


def check_repetitions(repetitions: int) -> None:
    """Refuse a number of repetitions that has no standard error, or no end."""
    if repetitions < 2:
        raise ParameterError(f"a standard error needs at least 2 repetitions, got {repetitions}")
    if repetitions > MOST_REPETITIONS:
        raise ParameterError(f"there may be {MOST_REPETITIONS:,} repetitions, got {repetitions}")


def error_curves(  # noqa: PLR0913 - each is a part of the experiment
    mechanisms: Iterable[type[CategoricalMechanism]],
    truth: ArrayLike,
    epsilons: Sequence[float],
    repetitions: int,
    rng: Keystream,
    *,
    progress: Callable[[], object] = lambda: None,
) -> list[ErrorCurve]:
    """Collect from the same people ``repetitions`` times at each ε and measure the error.

    Args:
        mechanisms: what to compare.
        truth: how many people hold each answer.
        epsilons: the budgets.
        repetitions: how often the whole survey is repeated.
        rng: a ``Seeded`` makes the experiment repeatable.
        progress: called after each ε of each mechanism.
    """
    counts = np.asarray(truth)
    ways = {
        cls.name: [listed_way(cls.calibrate(counts.size, epsilon), counts) for epsilon in epsilons]
        for cls in mechanisms
    }
    return curves_of(ways, epsilons, repetitions, rng, progress=progress)


def curves_of(
    ways: Mapping[str, Sequence[Way]],
    epsilons: Sequence[float],
    repetitions: int,
    rng: Keystream,
    *,
    progress: Callable[[], object] = lambda: None,
) -> list[ErrorCurve]:
    """Collect ``repetitions`` times by each way, of which each name has one for each ε."""
    check_repetitions(repetitions)
    curves = []
    for name, at_each in ways.items():
        samples = []
        for way in at_each:
            samples.append([way.squared_error(rng) for _ in range(repetitions)])
            progress()
        table = np.array(samples)
        curves.append(
            ErrorCurve(
                label=name.upper(),
                x=np.array(epsilons, np.float64),
                y=table.mean(axis=1),
                stderr=table.std(axis=1, ddof=1) / np.sqrt(repetitions),
                theory=np.array([way.theory for way in at_each]),
                samples=table,
            )
        )
    return curves


def listed_way(mechanism: CategoricalMechanism | Rappor, truth: ArrayLike) -> Way:
    """A mechanism for one answer of a list, by the error of the shares.

    Args:
        mechanism: that is used.
        truth: how many people hold each answer.
    """
    counts = np.asarray(truth)
    n = int(counts.sum())

    def squared_error(rng: Keystream) -> float:
        found = mechanism.estimate(mechanism.simulate(counts, rng)).values
        return float(np.square(found - counts / n).mean())

    theory = mean_squared_error(mechanism.holder, mechanism.others, n, counts.size)
    return Way(squared_error, theory)
