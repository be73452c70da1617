"""The document's experiment: T = 50 rounds, N = 10,000 people, and the exact laws of its errors."""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sudare import Borappor, Glance, Harmony
from sudare.planning.bounds.continual import Reading, Setting, printed_theta, solved_theta
from sudare.planning.bounds.maximal import (
    MaximalError,
    borappor_maximum,
    glance_maximum,
    harmony_maximum,
)
from sudare.simulation.scenarios import counted

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

ROUNDS, PEOPLE, BETA = 50, 10_000, 0.1
EPSILONS = tuple(range(1, 9))
FLOOR = 30  # an ε at which nobody lies any more
READINGS: Mapping[str, Reading] = MappingProxyType(
    {"printed": printed_theta, "solved": solved_theta}
)
DOCUMENTS: Mapping[str, type[Glance | Harmony | Borappor]] = MappingProxyType(
    {cls.name: cls for cls in (Glance, Harmony, Borappor)}
)
_LAWS: Mapping[str, Callable[[float, int, Counts], MaximalError]] = MappingProxyType(
    {"glance": glance_maximum, "harmony": harmony_maximum, "borappor": borappor_maximum}
)


def at(epsilon: float) -> Setting:
    """Section 6's setting for the bounds."""
    return Setting(ROUNDS, PEOPLE, epsilon, BETA)


def population(share: float, rounds: int = ROUNDS, people: int = PEOPLE) -> Counts:
    """The same share of people in state 1 in every round."""
    return counted(np.full(rounds, share), people)


def exact(
    method: str, share: float, epsilon: float, rounds: int = ROUNDS, people: int = PEOPLE
) -> MaximalError:
    """The law of the maximal error if the share is the same in every round."""
    ones = int(population(share, rounds, people)[0, 1])
    if method != "harmony":  # the others treat both states alike
        ones = max(ones, people - ones)
    return _law(method, ones, DOCUMENTS[method].calibrate(rounds, epsilon).keep, rounds, people)


@cache
def _law(method: str, ones: int, keep: float, rounds: int, people: int) -> MaximalError:
    return _LAWS[method](keep, people, np.full(rounds, ones))
