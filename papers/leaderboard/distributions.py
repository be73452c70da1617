"""A number's distribution: how far each mechanism's estimate is from the true one.

The distance is Wasserstein's, in parts of the range: how far numbers must be moved, in the mean, to
make the one distribution of the other.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare import Seeded, SquareWave
from sudare.estimation.simplex import norm_sub
from sudare.estimation.smoothed import smoothed
from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.interface import CategoricalMechanism

PEOPLE = 10_000
STEPS = 999  # of the range
EPSILONS = (0.5, 1.0, 2.0, 4.0)
HISTOGRAMS = ("subset", "oue")  # of the same bins, by mechanisms for one answer of a list

Floats = NDArray[np.float64]
Estimated = Callable[[NDArray[np.int64], Seeded], Floats]
"""Shares of bins, from how many people hold each number."""


@dataclass(frozen=True)
class Distance:
    """How far estimated distributions are from the true one.

    Attributes:
        mechanism: its document's name.
        shape: of the true distribution.
        epsilon: that was asked for; what is spent is never more.
        distance: in the mean over simulated collections of ``PEOPLE`` people.
        stderr: of ``distance``.
        bins: how many the range has.
    """

    mechanism: str
    shape: str
    epsilon: float
    distance: float
    stderr: float
    bins: int

    def document(self) -> dict[str, Any]:
        """The row as JSON values; its kind tells it from rows of other questions."""
        return {"kind": "distribution", **asdict(self)}


def shapes() -> dict[str, NDArray[np.int64]]:
    """How many people hold each number, in three distributions."""
    place = (np.arange(STEPS + 1) + 0.5) / (STEPS + 1)
    weights = {
        "bell": _bell(place, 0.5, 0.15),
        "skewed": place**0.5 * (1 - place) ** 5,
        "two humps": 0.6 * _bell(place, 0.3, 0.08) + 0.4 * _bell(place, 0.75, 0.06),
    }
    return {name: _people(weight) for name, weight in weights.items()}


def _bell(place: Floats, middle: float, width: float) -> Floats:
    weight: Floats = np.exp(-(((place - middle) / width) ** 2) / 2) / width
    return weight


def _people(weight: Floats) -> NDArray[np.int64]:
    """So many people, as near to these weights as whole numbers can be."""
    before = np.round(PEOPLE * np.cumsum(weight) / weight.sum()).astype(np.int64)
    people: NDArray[np.int64] = np.diff(before, prepend=0)
    return people


def rows(repetitions: int, seed: int, progress: Callable[[], object]) -> Iterator[Distance]:
    """Every mechanism for every shape and ε; ``progress`` is told of each."""
    rng = Seeded(seed)
    for shape, people in shapes().items():
        for epsilon in EPSILONS:
            wave = SquareWave.calibrate(STEPS, epsilon)
            estimates: dict[str, Estimated] = {wave.name: _smooth(wave)}
            for name in HISTOGRAMS:
                if name in CATEGORICAL:
                    histogram = CATEGORICAL[name].calibrate(wave.bins, epsilon)
                    estimates[name] = _plain(histogram, wave)
            for name, estimated in estimates.items():
                found = [distance(estimated(people, rng), people) for _ in range(repetitions)]
                yield Distance(
                    mechanism=name,
                    shape=shape,
                    epsilon=epsilon,
                    distance=float(np.mean(found)),
                    stderr=float(np.std(found, ddof=1) / math.sqrt(repetitions)),
                    bins=wave.bins,
                )
                progress()


def _smooth(wave: SquareWave) -> Estimated:
    """What is shown of a distribution: smooth shares from a square wave."""

    def estimated(people: NDArray[np.int64], rng: Seeded) -> Floats:
        counts = wave.simulate(people, rng).counts
        return smoothed(counts, wave.window_shares, np.diff(wave.domain.edges)).shares

    return estimated


def _plain(histogram: CategoricalMechanism, wave: SquareWave) -> Estimated:
    """The bins as a list of answers; the unbiased shares made such as could exist."""

    def estimated(people: NDArray[np.int64], rng: Seeded) -> Floats:
        total = histogram.simulate(wave.domain.held(people), rng)
        return norm_sub(histogram.estimate(total).values)

    return estimated


def distance(shares: Floats, people: NDArray[np.int64]) -> float:
    """Between shares of bins, each spread evenly, and people, in parts of the range."""
    edges = np.arange(len(shares) + 1) / len(shares)
    places = np.arange(1, len(people) + 1) / len(people)
    before = np.interp(places, edges, np.concatenate([[0.0], np.cumsum(shares)]))
    return float(np.abs(before - np.cumsum(people) / people.sum()).mean())
