"""Five kinds of stream: what may happen to a share over time.

Nothing (``static``), a ``random-walk``, a ``seasonal`` wave, one ``step``, or a new value in every
round (``independent``).
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from sudare.chance.keystream import Keystream
from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from sudare.mechanisms.domain import Streams
from sudare.mechanisms.over_time.population_sampler import Counts

_SEASONS = 2  # waves in a stream


def _static(rounds: int, swing: float, rng: Keystream) -> Floats:
    del swing, rng  # nothing happens
    return np.zeros(rounds)


def _random_walk(rounds: int, swing: float, rng: Keystream) -> Floats:
    """Normal steps, so small that the whole way is about ``swing``."""
    steps = rng.generator().normal(0, swing / math.sqrt(rounds), rounds)
    return np.asarray(np.cumsum(steps))


def _seasonal(rounds: int, swing: float, rng: Keystream) -> Floats:
    del rng
    return np.asarray(swing * np.sin(2 * math.pi * _SEASONS * np.arange(rounds) / rounds))


def _step(rounds: int, swing: float, rng: Keystream) -> Floats:
    del rng
    return np.where(np.arange(rounds) < rounds / 2, -swing, swing)


def _independent(rounds: int, swing: float, rng: Keystream) -> Floats:
    return rng.generator().uniform(-swing, swing, rounds)


_WAYS: Mapping[str, Callable[[int, float, Keystream], Floats]] = MappingProxyType(
    {
        "static": _static,
        "random-walk": _random_walk,
        "seasonal": _seasonal,
        "step": _step,
        "independent": _independent,
    }
)
SCENARIOS = tuple(_WAYS)


def stream(  # noqa: PLR0913 - each is a part of what happens
    kind: str,
    rounds: int,
    people: int,
    rng: Keystream,
    *,
    share: float = 0.5,
    swing: float = 0.3,
) -> Counts:
    """A stream of one of five kinds: how many people are in state 0 and 1, a row per round.

    Args:
        kind: one of ``SCENARIOS``.
        rounds: how many there are.
        people: how many there are.
        rng: where a random walk and independent shares come from.
        share: the middle of what happens; where a random walk begins.
        swing: how far it goes to both sides; a random walk typically, thrown back at 0 and 1.
    """
    if kind not in _WAYS:
        raise ParameterError(f"a stream is one of {', '.join(SCENARIOS)}, got {kind!r}")
    if not 0 <= share <= 1 or not 0 <= swing < math.inf:
        raise ParameterError(
            f"a share lies in 0 to 1, a swing is finite and isn't negative: {share}, {swing}"
        )
    way = share + _WAYS[kind](Streams(rounds).rounds, swing, rng)
    if kind == "random-walk":
        way = np.abs((way + 1) % 2 - 1)  # thrown back: 1.1 is 0.9, -0.1 is 0.1
    if way.min() < 0 or way.max() > 1:
        raise ParameterError(
            f"a {kind} stream around {share} can't swing by {swing}: shares lie in 0 to 1"
        )
    return counted(way, people)


def counted(shares: ArrayLike, people: int) -> Counts:
    """People in state 0 and in state 1, a row per round, from shares in state 1."""
    if people < 1:
        raise ParameterError(f"a stream needs at least 1 person, got {people}")
    ones = np.rint(np.asarray(shares, np.float64) * people).astype(np.int64)
    return np.column_stack([people - ones, ones])


def true_shares(truth: Counts) -> Floats:
    """The share of people in state 1, in each round of a table of people."""
    if truth.ndim != 2 or not truth[0].sum():
        raise ParameterError("a stream of nobody has no shares")
    shares: Floats = truth[:, 1] / truth.sum(axis=1)
    return shares
