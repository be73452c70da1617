"""Whole populations instead of people: who reports in which round, and what their states are.

A population is known per round (so many people in state 1, whoever they are: placed anew in each
round) or as ``Groups`` of people with the same stream. All tables have a row per repetition of an
experiment; they are drawn from their exact laws to within floating point. For simulations only.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import Keystream
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.domain import Groups

Counts = NDArray[np.int64]
Truth = Counts | Groups

_FACTORIALS = 1 << 16  # whose logarithms are kept
_NUMPYS = 10**9  # from as many good or bad on NumPy's hypergeometric sampler refuses


class PopulationSampler:
    """A sampler of numbers of people, keyed from a keystream.

    Many at once take compiled samplers; few, NumPy's.
    """

    def __init__(self, rng: Keystream) -> None:
        self.generator = rng.generator()
        self.state = rng.words(4)

    def binomial(self, trials: Counts, chance: float) -> Counts:
        """Binomial numbers: how many of each number of trials succeed."""
        if trials.size < COMPILE_FROM:
            return np.asarray(self.generator.binomial(trials, chance))
        from sudare.kernels.streams import draw_binomials

        out = np.empty(trials.size, np.int64)
        draw_binomials(self.state, trials.ravel(), chance, _log_factorials(), out)
        return out.reshape(trials.shape)

    def heads(self, coins: Counts) -> Counts:
        """Binomial numbers of chance ½: how many of each number of fair coins show heads."""
        if coins.size < COMPILE_FROM:
            return np.asarray(self.generator.binomial(coins, 0.5))
        from sudare.kernels.streams import draw_heads

        out = np.empty(coins.size, np.int64)
        draw_heads(self.state, coins.ravel(), _log_factorials(), out)
        return out.reshape(coins.shape)

    def hypergeometric(self, good: Counts, bad: Counts, drawn: Counts) -> Counts:
        """Hypergeometric numbers: how many good are among those drawn without replacement."""
        few = drawn.size < COMPILE_FROM
        if few and max(good.max(initial=0), bad.max(initial=0)) < _NUMPYS:
            return np.asarray(self.generator.hypergeometric(good, bad, drawn))
        from sudare.kernels.streams import draw_hypergeometrics

        out = np.empty(drawn.size, np.int64)
        goods, bads = (np.broadcast_to(part, drawn.shape).ravel() for part in (good, bad))
        draw_hypergeometrics(self.state, goods, bads, drawn.ravel(), _log_factorials(), out)
        return out.reshape(drawn.shape)

    def spread(self, people: Counts, places: int) -> Counts:
        """Multinomial numbers, in a last axis: how many people fall into each place, any alike."""
        if people.size * places < COMPILE_FROM:
            return self.generator.multinomial(people, np.full(places, 1 / places))
        from sudare.kernels.streams import spread_evenly_at_random

        out = np.empty((people.size, places), np.int64)
        spread_evenly_at_random(self.state, people.ravel(), _log_factorials(), out)
        return out.reshape(*people.shape, places)


@cache
def _log_factorials() -> NDArray[np.float64]:
    from scipy.special import gammaln

    return np.asarray(gammaln(np.arange(1.0, _FACTORIALS + 1)))


def people_of(truth: Truth) -> Counts:
    """How many people each group has; a population known per round is one group."""
    return truth.people if isinstance(truth, Groups) else truth[0].sum(keepdims=True)


def one_round_each(
    truth: Truth, rounds: int, repetitions: int, sampler: PopulationSampler, *, balanced: bool
) -> Counts:
    """How many people of each group report in each round, if everybody reports once.

    In a round of their own, any alike; or, ``balanced``, as many in each round as can be.
    """
    people = people_of(truth)
    if not balanced:
        return sampler.spread(np.tile(people, (repetitions, 1)), rounds)
    some, over = divmod(int(people.sum()), rounds)
    order = sampler.generator.random((repetitions, rounds)).argsort(axis=1)
    room = some + (order < over)  # those of a last, short block: in any rounds
    fallen = np.empty((repetitions, people.size, rounds), np.int64)
    for group, many in enumerate(people):
        left = np.full(repetitions, many)
        later = room.sum(axis=1)
        for number in range(rounds):  # who comes when is as likely for all
            later -= room[:, number]
            fallen[:, group, number] = sampler.hypergeometric(room[:, number], later, left)
            left -= fallen[:, group, number]
        room -= fallen[:, group]
    return fallen


def by_state(truth: Truth, reporters: Counts, sampler: PopulationSampler) -> tuple[Counts, Counts]:
    """How many of the reporters of each round are in state 0 and in state 1."""
    everybody = reporters.sum(axis=1)
    if isinstance(truth, Groups):
        ones = (reporters * truth.streams).sum(axis=1)
    else:
        ones = sampler.hypergeometric(truth[:, 1], truth[:, 0], everybody)
    return everybody - ones, ones


def said_once(  # noqa: PLR0913 - each is a part of the experiment
    truth: Truth,
    rounds: int,
    repetitions: int,
    keep: float,
    sampler: PopulationSampler,
    *,
    balanced: bool,
) -> Counts:
    """How many say 0 and 1 in each round, if everybody reports once, truly with chance ``keep``."""
    reporters = one_round_each(truth, rounds, repetitions, sampler, balanced=balanced)
    # A lie half the time is a coin. So who lies with chance q tosses one with chance 2q, and
    # whoever doesn't tells the truth.
    tossing = sampler.binomial(reporters, 2 * (1 - keep))
    _, ones = by_state(truth, reporters - tossing, sampler)
    said = ones + sampler.heads(tossing.sum(axis=1))
    return np.stack([reporters.sum(axis=1) - said, said], axis=-1)


def said_with_flips(truth: Truth, counts: Counts, sampler: PopulationSampler) -> Counts:
    """How many say 0 and 1 in each round, if some reporters flip their state.

    Args:
        truth: the population.
        counts: by repetition, group, round: how many report their state, and how many a
            flipped one.
        sampler: where chance comes from.
    """
    if isinstance(truth, Groups):
        streams = truth.streams[:, :, np.newaxis].astype(bool)
        return np.asarray(np.where(streams, counts[..., ::-1], counts).sum(axis=1))
    kept, flipped = counts[:, 0, :, 0], counts[:, 0, :, 1]
    _, ones = by_state(truth, kept[:, np.newaxis] + flipped[:, np.newaxis], sampler)
    # The people in state 1 are anybody, so any of the reporters: also of those who flip.
    turned = sampler.hypergeometric(flipped, kept, ones)
    said = ones + flipped - 2 * turned
    return np.stack([kept + flipped - said, said], axis=-1)
