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
from sudare.estimation.distances import wasserstein
from sudare.simulation.alternatives import distribution_of

PEOPLE = 10_000
STEPS = 999  # of the range
EPSILONS = (0.5, 1.0, 2.0, 4.0)
HISTOGRAMS = ("subset", "oue")  # of the same bins, by mechanisms for one answer of a list

Floats = NDArray[np.float64]


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
            edges = wave.domain.edges
            for name in (wave.name, *HISTOGRAMS):
                estimated = distribution_of(name, wave, epsilon)
                found = [
                    wasserstein(estimated(people, rng), edges, people) for _ in range(repetitions)
                ]
                yield Distance(
                    mechanism=name,
                    shape=shape,
                    epsilon=epsilon,
                    distance=float(np.mean(found)),
                    stderr=float(np.std(found, ddof=1) / math.sqrt(repetitions)),
                    bins=wave.bins,
                )
                progress()
