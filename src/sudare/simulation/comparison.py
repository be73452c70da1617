"""Mechanisms side by side on one population: squared error against ε."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.keystream import Keystream
from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from sudare.estimation.frequency_error import mean_squared_error
from sudare.mechanisms.interface import CategoricalMechanism

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
    """The mean squared error of one mechanism's shares at each ε.

    Attributes:
        label: the mechanism's name.
        x: the ε.
        y: the mean squared error over answers and repetitions.
        stderr: its standard error over the repetitions.
        theory: what the closed form predicts.
        samples: the error of each repetition, one row per ε.
    """

    label: str
    x: Floats
    y: Floats
    stderr: Floats
    theory: Floats
    samples: Floats


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
    check_repetitions(repetitions)
    counts = np.asarray(truth)
    curves = []
    for cls in mechanisms:
        samples, theory = [], []
        for epsilon in epsilons:
            mechanism = cls.calibrate(counts.size, epsilon)
            samples.append(_squared_errors(mechanism, counts, repetitions, rng))
            theory.append(
                mean_squared_error(
                    mechanism.holder, mechanism.others, int(counts.sum()), mechanism.k
                )
            )
            progress()
        table = np.array(samples)
        curves.append(
            ErrorCurve(
                label=cls.name.upper(),
                x=np.array(epsilons, np.float64),
                y=table.mean(axis=1),
                stderr=table.std(axis=1, ddof=1) / np.sqrt(repetitions),
                theory=np.array(theory),
                samples=table,
            )
        )
    return curves


def _squared_errors(
    mechanism: CategoricalMechanism, counts: NDArray[np.int64], repetitions: int, rng: Keystream
) -> Floats:
    shares = counts / counts.sum()
    estimates = [
        mechanism.estimate(mechanism.simulate(counts, rng)).values for _ in range(repetitions)
    ]
    return np.asarray(np.square(np.array(estimates) - shares).mean(axis=1))
