"""Counting over time: people's states in each of T rounds, under one ε for the whole stream.

Everything that is random about a person is drawn in advance and doesn't depend on their states:
in which rounds they report, and what is added there. What remains in each round is an exclusive
or, so that an answer is given in real time, and a device that starts again repeats itself.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.aggregate import Aggregate
from sudare.domain import Groups, Streams
from sudare.errors import InvalidReport, ParameterError
from sudare.estimation.rounds import StreamEstimate, round_estimates
from sudare.exact import affordable, check_epsilon, is_dyadic, largest_dyadic, too_small
from sudare.keystream import Keystream
from sudare.mechanism import Mechanism, Records
from sudare.randomness import Randomness

# Reports drawn together: enough to pay for a call, few enough for a cache. Part of the format.
_BLOCK = 1 << 18


class Plans(NamedTuple):
    """What people's devices draw in advance: a row per person, a column per report.

    In each of its rounds a device reports ``(state & heard) ^ noise``.
    """

    rounds: NDArray[np.int64]
    """When the device reports, rising in each row."""
    heard: NDArray[np.uint8]
    """Whether the state there is looked at: 1 or 0."""
    noise: NDArray[np.uint8]
    """What is added to it: 1 or 0."""


@dataclass(frozen=True)
class ContinualMechanism(Mechanism):
    """The share of people in a state, in each of ``rounds`` rounds.

    A value is a person's whole stream; a report is one round's bit. ``worst_ratio`` is that of
    all reports of one person together, for any two streams.
    """

    rounds: int

    @property
    @abstractmethod
    def reports_each(self) -> int:
        """How many reports a person sends."""

    @property
    @abstractmethod
    def holder(self) -> float:
        """The chance that somebody in state 1, reporting in a round, says 1."""

    @property
    @abstractmethod
    def others(self) -> float:
        """The chance that somebody in state 0 does."""

    @property
    @abstractmethod
    def sampled(self) -> bool:
        """Whether the people who report in a round are a random part of all."""

    @classmethod
    @abstractmethod
    def calibrate(cls, rounds: int, epsilon: float) -> Self:
        """The most accurate one that spends at most ``epsilon`` on the whole stream."""

    @abstractmethod
    def draw(self, count: int, rng: Randomness) -> Plans:
        """What so many devices draw in advance."""

    @abstractmethod
    def drawn_counts(self, truth: NDArray[np.int64] | Groups, rng: Keystream) -> NDArray[np.int64]:
        """The counts of everybody's reports, drawn from their exact law."""

    @cached_property
    def domain(self) -> Streams:
        """A state in each round."""
        return Streams(self.rounds)

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """A round, numbered from 1, in the fewest bytes that hold it, and a bit."""
        number = np.min_scalar_type(self.rounds).newbyteorder("<")
        return np.dtype([("round", number), ("bit", np.uint8)])

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Everybody's reports: person after person, each by rising rounds."""
        reports = np.empty((len(values), self.reports_each), self.report_dtype)
        blocks = -(-len(values) * self.reports_each // _BLOCK)
        for index in range(blocks):  # as even as can be
            block = slice(len(values) * index // blocks, len(values) * (index + 1) // blocks)
            plans = self.draw(block.stop - block.start, rng)
            states = np.take_along_axis(values[block], plans.rounds - 1, axis=1)
            reports["round"][block] = plans.rounds
            reports["bit"][block] = (states & plans.heard) ^ plans.noise
        return reports.ravel()

    def check(self, reports: Records) -> None:
        """Every round is one of ``1 .. rounds``, every bit 0 or 1."""
        wrong = (reports["round"] < 1) | (reports["round"] > self.rounds)
        if wrong.any():
            where = int(np.argmax(wrong))
            raise InvalidReport(
                f"the report at position {where} names round {reports['round'][where]}; "
                f"rounds are numbered 1 to {self.rounds}"
            )
        if reports["bit"].max(initial=0) > 1:
            where = int(np.argmax(reports["bit"] > 1))
            raise InvalidReport(
                f"the report at position {where} says {reports['bit'][where]}; a bit is 0 or 1"
            )

    def tally(self, reports: Records) -> NDArray[np.int64]:
        """How many reports say 0 and how many say 1, a row per round."""
        cells = 2 * (reports["round"].astype(np.int64) - 1) + reports["bit"]
        counts: NDArray[np.int64] = np.bincount(cells, minlength=2 * self.rounds)
        return counts.reshape(self.rounds, 2)

    def estimate(self, aggregate: Aggregate) -> StreamEstimate:
        """The unbiased estimates of the rounds, with their standard errors."""
        return self.debiased(self.own(aggregate))

    def debiased(self, aggregate: Aggregate) -> StreamEstimate:
        """For each round in which somebody reported, from that round's reports only."""
        return round_estimates(aggregate.counts, self.holder, self.others, sampled=self.sampled)

    def simulate(self, truth: ArrayLike | Groups, rng: Keystream) -> Aggregate:
        """The aggregate of a whole population, drawn from its exact law.

        Args:
            truth: how many people are in state 0 and in state 1, a row per round; who they are
                is drawn anew in each round. Or ``Groups``: so many people with each stream.
            rng: a seed's, as a rule.
        """
        people = truth if isinstance(truth, Groups) else self.domain.population(truth)
        counts = self.drawn_counts(people, rng)
        return Aggregate(self.key, int(counts.sum()), counts)


@dataclass(frozen=True)
class RepeatedResponse(ContinualMechanism):
    """Randomised response, Warner's coin, in one round or in several, each by itself.

    The true state is told with probability ``keep``.
    """

    keep: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", Streams(self.rounds).rounds)
        if not is_dyadic(self.keep) or self.keep <= 0.5:
            raise ParameterError(
                f"keep must be a multiple of 2^-53 above 1/2 and below 1, got {self.keep!r}"
            )

    @staticmethod
    @abstractmethod
    def told(rounds: int) -> int:
        """In how many of the rounds a person's state is looked at."""

    @classmethod
    def calibrate(cls, rounds: int, epsilon: float) -> Self:
        """The most accurate one that spends at most ``epsilon`` on the whole stream."""
        rounds, epsilon = Streams(rounds).rounds, check_epsilon(epsilon)
        told = cls.told(rounds)
        guess = 1 / (1 + math.exp(-epsilon / told))
        keep = largest_dyadic(guess, lambda keep: affordable(_odds(keep) ** told, epsilon))
        if keep <= 0.5:
            raise too_small(epsilon)
        return cls(rounds, keep)

    @property
    def worst_ratio(self) -> Fraction:
        """The truth against a lie, keep / (1 - keep), in every round that is told."""
        return _odds(self.keep) ** self.told(self.rounds)


def _odds(keep: float) -> Fraction:
    return Fraction(keep) / (1 - Fraction(keep))


def drawn_once(
    truth: NDArray[np.int64] | Groups, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Everybody in one round drawn uniformly: how many in state 0 and in state 1 fall into each."""
    if isinstance(truth, Groups):
        rounds = truth.streams.shape[1]
        fallen = generator.multinomial(truth.people, np.full(rounds, 1 / rounds))
        ones = (fallen * truth.streams).sum(axis=0)
        return fallen.sum(axis=0) - ones, ones
    people = int(truth[0].sum())
    fallen = generator.multinomial(people, np.full(len(truth), 1 / len(truth)))
    ones = generator.hypergeometric(truth[:, 1], truth[:, 0], fallen)
    return fallen - ones, ones
