"""Counting over time: people's states in each of T rounds, under one ε for the whole stream.

Everything that is random about a person is drawn in advance and doesn't depend on their states:
in which rounds they report, and what is added there. What remains in each round is an exclusive
or, so that an answer is given in real time, and a device that starts again repeats itself.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.aggregate import Aggregate
from sudare.dealing import dealt
from sudare.domain import Groups, Streams
from sudare.errors import InvalidReport, ParameterError
from sudare.estimate import Floats
from sudare.estimation.rounds import StreamEstimate, round_estimates
from sudare.keystream import Keystream
from sudare.mechanism import Mechanism, Records
from sudare.populations import Counts, Truth, people_of
from sudare.randomness import Randomness

# Reports drawn together: enough to pay for a call, few enough for a cache. Part of the format.
_BLOCK = 1 << 18
_CELLS = 1 << 20  # counts drawn together in a simulation: a few tables of 8 MiB


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

    def __repr__(self) -> str:
        """No contents: whoever knows them reads the states in the reports."""
        return "Plans(of {} devices, {} reports each)".format(*self.rounds.shape)


@dataclass(frozen=True)
class ContinualMechanism(Mechanism):
    """The share of people in a state, in each of ``rounds`` rounds.

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

    def check_invited(self) -> None:
        """Refuse where an invitation, good for one report in each window, would be used up."""
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
        """The chance that somebody in state 0 does."""

    @classmethod
    @abstractmethod
    def calibrate(cls, rounds: int, epsilon: float) -> Self:
        """The most accurate one that spends at most ``epsilon`` on the whole stream."""

    @abstractmethod
    def draw(self, count: int, rng: Randomness) -> Plans:
        """What so many devices draw in advance."""

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
        for block, plans in self.draw_blocks(len(values), rng):
            reports[block] = self.reports_of(values[block], plans)
        return reports.ravel()

    def draw_blocks(self, count: int, rng: Randomness) -> Iterator[tuple[slice, Plans]]:
        """What so many devices draw in advance, block by block of people, as even as can be."""
        blocks = -(-count * self.reports_each // _BLOCK)
        for index in range(blocks):
            block = slice(count * index // blocks, count * (index + 1) // blocks)
            yield block, self.draw(block.stop - block.start, rng)

    def reports_of(self, values: NDArray[np.uint8], plans: Plans) -> Records:
        """What people with these streams report by these plans, a row per person."""
        reports = np.empty(plans.rounds.shape, self.report_dtype)
        states = np.take_along_axis(values, plans.rounds - 1, axis=1)
        reports["round"] = plans.rounds
        reports["bit"] = (states & plans.heard) ^ plans.noise
        return reports

    def draw_balanced(self, count: int, rng: Randomness) -> Plans:
        """What so many devices draw in advance, if every round has the same number of reporters.

        Rounds are ``dealt``: they depend on nobody's state, and the noise is each person's own,
        so nobody's privacy changes.
        """
        self._check_balanced(balanced=True)
        rounds = dealt(self.rounds, self.reports_each, count, rng)
        noise = self.lies(count, rng)
        return Plans(1 + rounds, np.ones_like(noise), noise)

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

    def own(self, aggregate: Aggregate) -> Aggregate:
        """The aggregate, if it is this mechanism's, of somebody, and adds up."""
        return super().own(aggregate).summed()

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
        """The counts of many such aggregates: a table of rounds and bits for each.

        Args:
            truth: as for ``simulate``.
            repetitions: how many.
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
        """The estimates of many such aggregates, a row each; NaN in a round without reports."""
        counts = self.simulate_many(truth, repetitions, rng, balanced=balanced)
        with np.errstate(invalid="ignore"):
            said = counts[..., 1] / (counts[..., 0] + counts[..., 1])
        shares: Floats = (said - self.others) / (self.holder - self.others)
        return shares

    def _check_balanced(self, *, balanced: bool) -> None:
        if balanced and not self.sampled:
            raise ParameterError(
                f"everybody reports in all {self.rounds} rounds of {self.name}: there are no "
                f"groups whose size could be fixed"
            )
