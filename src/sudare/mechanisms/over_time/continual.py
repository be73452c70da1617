"""Counting over time: people's states in each of T rounds, under one ε for the whole stream.

Everything that is random about a person is drawn in advance and doesn't depend on their states:
in which rounds they report, and what is added there. What remains in each round is an exclusive
or, so that an answer is given in real time, and a device that starts again repeats itself.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.exact import affordable, check_epsilon, is_dyadic, largest_dyadic, too_small
from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Randomness
from sudare.errors import InvalidReport, ParameterError
from sudare.estimation.debias import report_weights
from sudare.estimation.estimate import Floats
from sudare.estimation.rounds import StreamEstimate, round_estimates
from sudare.formats.numbers import counted
from sudare.formats.wire import Fields
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import MOST_ROUNDS, Groups, Streams
from sudare.mechanisms.interface import Mechanism, Records
from sudare.mechanisms.over_time.population_sampler import Counts, Truth, people_of

# Reports drawn together: enough to pay for a call, few enough for a cache. Part of the format.
_BLOCK = 1 << 18
_ENUMERABLE = 4  # rounds: 16 streams, and all that may be drawn for each
_CELLS = 1 << 20  # counts drawn together in a simulation: a few tables of 8 MiB


class Plans(NamedTuple):
    """Plans that devices draw in advance: a row per person, a column per report."""

    rounds: NDArray[np.int64]
    """The rounds in which the device reports, rising in each row."""
    heard: NDArray[np.uint8]
    """Whether the state in that round is looked at: 1 or 0."""
    noise: NDArray[np.uint8]
    """The noise that is added to the state: 1 or 0."""

    def __repr__(self) -> str:
        """The plans' number, not their contents: whoever knows them reads the states in reports."""
        return "Plans(of {} devices, {} reports each)".format(*self.rounds.shape)


@dataclass(frozen=True)
class ContinualMechanism(Mechanism):
    """A mechanism that counts the people in a state, in each of ``rounds`` rounds.

    A value is a person's whole stream; a report is one round's bit. ``worst_ratio`` is that of
    all reports of one person together, for any two streams.
    """

    sampled: ClassVar[bool]
    """Whether the people who report in a round are a random part of all."""
    rounds: int

    @property
    @abstractmethod
    def reports_each(self) -> int:
        """How many reports a person sends."""

    @property
    def not_enumerable(self) -> str | None:
        """Why this code can't be walked down every path: too many rounds."""
        if self.rounds > _ENUMERABLE:
            return f"not at {counted(self.rounds, 'round')} (up to {_ENUMERABLE})"
        return None

    def check_invited(self) -> None:
        """Refuse invitations, good for one report in each window, where a person sends several."""
        if self.reports_each > 1:
            raise ParameterError(
                f"an invitation is good for one report in each window, and here a person sends "
                f"{self.reports_each}: invite nobody, or use a mechanism of one report per person"
            )

    @property
    @abstractmethod
    def holder(self) -> float:
        """The chance that somebody in state 1, reporting in a round, says 1."""

    @property
    @abstractmethod
    def others(self) -> float:
        """The chance that somebody in state 0, reporting in a round, says 1."""

    @classmethod
    @abstractmethod
    def calibrate(cls, rounds: int, epsilon: float) -> Self:
        """The most accurate mechanism that spends at most ``epsilon`` on the whole stream."""

    @abstractmethod
    def draw(self, count: int, rng: Randomness) -> Plans:
        """The plans of so many devices, drawn in advance."""

    @abstractmethod
    def lies(self, count: int, rng: Randomness) -> NDArray[np.uint8]:
        """Where so many people lie: a row per person, a column per state that is looked at."""

    @abstractmethod
    def drawn_counts(
        self, truth: Truth, repetitions: int, rng: Keystream, *, balanced: bool
    ) -> Counts:
        """The counts of everybody's reports, drawn from their exact law: a table each time."""

    @cached_property
    def domain(self) -> Streams:
        """The values that a person may have: streams of a state, 0 or 1, in each round."""
        return Streams(self.rounds)

    @cached_property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report: a round, from 1 on, in as few bytes as hold it, and a bit."""
        number = np.min_scalar_type(self.rounds).newbyteorder("<")
        return np.dtype([("round", number), ("bit", np.uint8)])

    def perturb(self, values: NDArray[Any], rng: Randomness) -> Records:
        """Everybody's reports: person after person, each by rising rounds."""
        reports = np.empty((len(values), self.reports_each), self.report_dtype)
        for block, plans in self.draw_blocks(len(values), rng):
            states = np.take_along_axis(values[block], plans.rounds - 1, axis=1)
            reports[block] = self.report(plans.rounds, states, plans.heard, plans.noise)
        return reports.ravel()

    def draw_blocks(self, count: int, rng: Randomness) -> Iterator[tuple[slice, Plans]]:
        """The plans of so many devices, block by block of people, as even as can be."""
        blocks = -(-count * self.reports_each // _BLOCK)
        for index in range(blocks):
            block = slice(count * index // blocks, count * (index + 1) // blocks)
            yield block, self.draw(block.stop - block.start, rng)

    def report(
        self,
        rounds: NDArray[np.int64] | int,
        states: NDArray[np.uint8] | int,
        heard: NDArray[np.uint8],
        noise: NDArray[np.uint8],
    ) -> Records:
        """The reports of states in these rounds, by what was drawn for them in advance."""
        reports = np.empty(heard.shape, self.report_dtype)
        reports["round"] = rounds
        reports["bit"] = (states & heard) ^ noise
        return reports

    def draw_balanced(self, count: int, rng: Randomness) -> Plans:
        """The plans of so many devices, if every round has the same number of reporters.

        The rounds (``balanced_rounds``) depend on nobody's state, and the noise is each person's
        own, so nobody's privacy changes.
        """
        self._check_balanced(balanced=True)
        rounds = balanced_rounds(self.rounds, self.reports_each, count, rng)
        noise = self.lies(count, rng)
        return Plans(1 + rounds, np.ones_like(noise), noise)

    def check(self, reports: Fields) -> None:
        """Raise ``InvalidReport`` unless rounds are among ``1 .. rounds`` and bits 0 or 1."""
        rounds = reports["round"]
        if rounds.min(initial=1) < 1 or rounds.max(initial=1) > self.rounds:
            where = int(np.argmax((rounds < 1) | (rounds > self.rounds)))
            raise InvalidReport(
                f"the report at position {where} names round {reports['round'][where]}; "
                f"rounds are numbered 1 to {self.rounds}"
            )
        if reports["bit"].max(initial=0) > 1:
            where = int(np.argmax(reports["bit"] > 1))
            raise InvalidReport(
                f"the report at position {where} says {reports['bit'][where]}; a bit is 0 or 1"
            )

    def tally(self, reports: Fields) -> NDArray[np.int64]:
        """How many reports say 0 and how many say 1, a row per round."""
        if len(reports) >= COMPILE_FROM:
            from sudare.kernels.choices import count_rounds

            return count_rounds(reports["round"], reports["bit"], self.rounds).reshape(-1, 2)
        cells = 2 * (reports["round"].astype(np.int64) - 1) + reports["bit"]
        counts: NDArray[np.int64] = np.bincount(cells, minlength=2 * self.rounds)
        return counts.reshape(self.rounds, 2)

    def own(self, aggregate: Aggregate) -> Aggregate:
        """The aggregate, if it is this mechanism's, of somebody, and adds up."""
        return super().own(aggregate).summed()

    def estimate(self, aggregate: Aggregate) -> StreamEstimate:
        """The unbiased estimates of the rounds, with their standard errors."""
        return self.debiased(self.own(aggregate))

    def debiased(self, aggregate: Aggregate) -> StreamEstimate:
        """The unbiased share in each round that has reports, from its own reports only."""
        return round_estimates(aggregate.counts, self.holder, self.others, sampled=self.sampled)

    def supports(self, reports: Records, state: int) -> NDArray[np.bool_]:
        """Which reports say this state, 0 or 1."""
        said: NDArray[np.bool_] = reports["bit"] == state
        return said

    def weights(self, reports: Records, answer: int) -> Floats:
        """The part of each report in the number of its round's reporters who are in a state.

        The sum over the reports of one round, divided by their number, is the round's share.
        """
        chances = (self.holder, self.others) if answer else (1 - self.others, 1 - self.holder)
        return report_weights(self.supports(reports, answer), *chances)

    def simulate(self, truth: ArrayLike | Groups, rng: Keystream) -> Aggregate:
        """The aggregate of a whole population, drawn from its exact law.

        Args:
            truth: how many people are in state 0 and in state 1, a row per round; who they are
                is drawn anew in each round. Or ``Groups``: so many people with each stream.
            rng: a seed's, as a rule.
        """
        counts = self.simulate_many(truth, 1, rng)[0]
        return Aggregate(self.key, int(counts.sum()), counts)

    def simulate_many(
        self,
        truth: ArrayLike | Groups,
        repetitions: int,
        rng: Keystream,
        *,
        balanced: bool = False,
    ) -> Counts:
        """The counts of many simulated aggregates: a table of rounds and bits for each.

        Args:
            truth: the population, as ``simulate`` takes it.
            repetitions: how many aggregates.
            rng: a seed's, as a rule.
            balanced: whether people draw as ``draw_balanced`` does, and come in any order.
        """
        self._check_balanced(balanced=balanced)
        if repetitions < 1:
            raise ParameterError(f"repetitions must be at least 1, got {repetitions}")
        people = self.domain.people(truth)
        counts = np.empty((repetitions, self.rounds, 2), np.int64)
        step = max(1, _CELLS // max(1, self.rounds * people_of(people).size))
        for start in range(0, repetitions, step):
            some = counts[start : start + step]
            some[:] = self.drawn_counts(people, len(some), rng, balanced=balanced)
        return counts

    def simulate_shares(
        self,
        truth: ArrayLike | Groups,
        repetitions: int,
        rng: Keystream,
        *,
        balanced: bool = False,
    ) -> Floats:
        """The shares that many simulations find, a row each; NaN in a round without reports."""
        counts = self.simulate_many(truth, repetitions, rng, balanced=balanced)
        with np.errstate(invalid="ignore"):
            said = counts[..., 1] / (counts[..., 0] + counts[..., 1])
        shares: Floats = (said - self.others) / (self.holder - self.others)
        return shares

    def _check_balanced(self, *, balanced: bool) -> None:
        if balanced and not self.sampled:
            raise ParameterError(
                f"everybody reports in all {counted(self.rounds, 'round')} of {self.name}: there "
                f"are no "
                f"groups whose size could be fixed"
            )


@dataclass(frozen=True)
class RepeatedResponse(ContinualMechanism):
    """Randomised response, Warner's coin, in one round or in several, each by itself.

    The true state is told with probability ``keep``.
    """

    most_rounds: ClassVar[int] = MOST_ROUNDS
    keep: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", self._check_rounds(self.rounds))
        if not is_dyadic(self.keep) or self.keep <= 0.5:
            raise ParameterError(
                f"keep must be a multiple of 2^-53 above 1/2 and below 1, got {self.keep!r}"
            )

    @staticmethod
    def rounds_told(rounds: int) -> int:
        """In how many of the rounds a person's state is looked at: one that is drawn, or more."""
        del rounds  # the same for any number
        return 1

    @classmethod
    def calibrate(cls, rounds: int, epsilon: float) -> Self:
        """The most accurate mechanism that spends at most ``epsilon`` on the whole stream."""
        rounds, epsilon = cls._check_rounds(rounds), check_epsilon(epsilon)
        told = cls.rounds_told(rounds)
        guess = 1 / (1 + math.exp(-epsilon / told))
        keep = largest_dyadic(guess, lambda keep: affordable(_odds(keep) ** told, epsilon))
        if keep <= 0.5:
            raise too_small(epsilon)
        return cls(rounds, keep)

    @property
    def holder(self) -> float:
        """The chance that somebody in state 1 says 1: ``keep``."""
        return self.keep

    @property
    def others(self) -> float:
        """The chance that somebody in state 0 says 1: that of a lie, 1 - ``keep``."""
        return 1 - self.keep

    def lies(self, count: int, rng: Randomness) -> NDArray[np.uint8]:
        """Where so many people lie, each state by a coin of its own."""
        return rng.bernoulli(1 - self.keep, (count, self.rounds_told(self.rounds))).astype(np.uint8)

    @classmethod
    def _check_rounds(cls, rounds: int) -> int:
        rounds = Streams(rounds).rounds
        if rounds > cls.most_rounds:
            raise ParameterError(
                f"{cls.name} takes at most {counted(cls.most_rounds, 'round')}, got {rounds}"
            )
        return rounds

    @property
    def worst_ratio(self) -> Fraction:
        """The truth against a lie, keep / (1 - keep), in every round that is told."""
        return _odds(self.keep) ** self.rounds_told(self.rounds)


def _odds(keep: float) -> Fraction:
    return Fraction(keep) / (1 - Fraction(keep))


def balanced_rounds(rounds: int, shots: int, count: int, rng: Randomness) -> NDArray[np.int64]:
    """Rounds of so many people, used evenly: a row of rising rounds, from 0, for each person.

    People in blocks of T, by the order in which they come, share one random order of the rounds:
    the first has the first k of them (``shots``), the next begins one further on, and so around.
    Each round is used k times by a block.
    """
    blocks = -(-count // rounds)
    order = np.tile(np.arange(rounds), (blocks, 1))
    every = np.arange(blocks)
    for place in range(rounds):  # Fisher and Yates
        other = place + rng.below(rounds - place, blocks)
        order[every, place], order[every, other] = order[every, other], order[every, place]
    turns = (np.arange(rounds)[:, np.newaxis] + np.arange(shots)) % rounds
    return np.sort(order[:, turns].reshape(-1, shots)[:count], axis=1)
