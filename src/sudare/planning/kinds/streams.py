"""A state in each of several rounds: plans for the worst of all rounds."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from sudare.errors import ParameterError
from sudare.estimation.rounds import round_estimates
from sudare.formats.numbers import as_given, real
from sudare.mechanisms import CONTINUAL
from sudare.mechanisms.domain import MOST_PEOPLE, Streams
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.mechanisms.over_time.glance import Glance
from sudare.mechanisms.over_time.kshot import KShot, check_range, nearest_share
from sudare.planning.kinds.interface import QUESTION, Design, Kind, Make, new_collection
from sudare.planning.kinds.trials import Told, Trial
from sudare.planning.measures import Measure
from sudare.planning.search import first, first_below
from sudare.planning.streams import (
    GUESS,
    chance_of_silence,
    is_better,
    round_variance,
    worst_error,
)
from sudare.planning.wish import Goal, Wish

_HISTORIES = 400  # of states, that people are tried with
_SILENT = 0.05  # a chance of rounds without reports that a plan may come with


@dataclass(frozen=True)
class StreamMeasure(Measure):
    """The expected error of the worst of all rounds.

    Attributes:
        mechanism: which tells of the rounds.
        low: what the share in state 1 is expected to be at least.
        high: what it is expected to be at most.
        glance: where the mechanism has to be better than that.
    """

    mechanism: ContinualMechanism
    low: float
    high: float
    glance: Glance | None = None
    goals: tuple[Goal, ...] = ("error",)

    def foreseen(self, goal: Goal, reports: int) -> float:
        """The expected error of the worst round of so many people's streams."""
        del goal
        made = self.mechanism
        if reports * made.reports_each < made.rounds:
            return math.inf
        if isinstance(made, KShot) and not self._is_better(made, reports):
            return math.inf
        return worst_error(made, reports, nearest_share(self.low, self.high))[0]

    def _is_better(self, shot: KShot, reports: int) -> bool:
        """Whether several rounds of a person are better than one, of so many people."""
        if self.glance is None:
            return True
        return is_better(shot, self.glance, reports, self.low, self.high)

    def reports(self, goal: Goal, value: float) -> float:
        """The fewest people whose streams do, and seldom leave a round silent."""

        def seldom_silent(people: int) -> bool:
            return chance_of_silence(self.mechanism, people) <= _SILENT

        heard = first(seldom_silent, MOST_PEOPLE) or MOST_PEOPLE
        found = first_below(partial(self.foreseen, goal), value, heard, MOST_PEOPLE)
        return math.inf if found is None else max(heard, found)


@dataclass(frozen=True, kw_only=True)
class Stream(Kind):
    """A state in each of several rounds, of which the share of people is counted.

    Attributes:
        rounds: how many there are.
        low: what the share in state 1 is expected to be at least.
        high: what it is expected to be at most. A plan for a narrower range is better there, and
            unbiased anywhere.
    """

    name: ClassVar[str] = "stream"
    goals: ClassVar[tuple[Goal, ...]] = ("error",)
    rounds: int
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", Streams(self.rounds).rounds)
        check_range(real("low", self.low), real("high", self.high))

    def families(self, wish: Wish) -> Mapping[str, Make]:
        """Each mechanism over time; KShot only where it is better than Glance."""
        if wish.population or wish.compare is not None or wish.share or wish.visits > 1:
            raise ParameterError(
                "a stream is planned for its worst round, and of the people who take part once: "
                "leave out share, compare, visits and population"
            )
        families: dict[str, Make] = {}
        for name, family in CONTINUAL.items():
            if self.rounds <= getattr(family, "most_rounds", self.rounds):
                families[name] = partial(self._design, family)
        return families

    def _design(self, family: type[ContinualMechanism], epsilon: float) -> Design:
        glance = None
        if issubclass(family, KShot):
            glance = Glance.calibrate(self.rounds, epsilon)
            made: ContinualMechanism = KShot.calibrate(
                self.rounds, epsilon, low=self.low, high=self.high
            )
        else:
            made = family.calibrate(self.rounds, epsilon)
        return Design(
            StreamMeasure(made, self.low, self.high, glance),
            spends=made.epsilon,
            each=epsilon,
            report_bytes=made.report_dtype.itemsize,
            forger_gain=(1 - made.others) / (made.holder - made.others),
            mechanism=made,
            fits=(made.holder, made.others),
        )

    def steady(self, name: str) -> bool:
        """Where lies get rare, people had better report only once: there is no KShot any more."""
        return name != KShot.name

    def details(self, design: Design, reports: int) -> dict[str, Any]:
        """What else is foreseen of the rounds of such a stream."""
        made: Any = design.mechanism
        share = nearest_share(self.low, self.high)
        error, likely = worst_error(made, reports, share)
        each = reports * made.reports_each / made.rounds

        return {
            "expected_share": share,
            "likely_error": likely,
            "error_anywhere": error if share == GUESS else worst_error(made, reports, GUESS)[0],
            "round_stderr": float(round_variance(made, reports, share, np.array([each]))[0] ** 0.5),
            "reports_per_round": each,
            "silent_round": chance_of_silence(made, reports),
        }

    def guess(self, goal: Goal) -> float:
        """A half."""
        del goal
        return GUESS

    @property
    def times(self) -> int:
        """In how many rounds a state is told."""
        return self.rounds

    @property
    def guessing(self) -> str:
        """What such a guess is."""
        return "who asks nobody and says ½ in every round is off by no more"

    def told(self, design: Design, value: float, reports: int, trial: Trial) -> Told:
        """The rounds of streams, a row each, of people whose states in any two have no relation.

        Were people to stay in their states, the worst of few rounds would be better than foreseen:
        what those who tell of one have more, those who tell of another have less.
        """
        del value
        made: Any = design.mechanism
        few = min(_HISTORIES, reports)
        held = np.arange(few) < round(nearest_share(self.low, self.high) * few)
        states = np.repeat(held[:, np.newaxis], self.rounds, axis=1).astype(np.uint8)
        states = trial.rng.generator().permuted(states, axis=0)
        each = reports // few + (np.arange(few) < reports % few)
        people = made.domain.groups(states, each)
        counts = made.simulate_many(people, trial.collections, trial.rng).reshape(-1, 2)
        trial.progress(trial.collections)
        every = round_estimates(counts, made.holder, made.others, sampled=made.sampled)
        parts = np.full((4, len(counts)), math.nan)
        parts[:, every.rounds - 1] = every.values, every.stderr, *every.interval(trial.wish.level)
        rows = parts.reshape(4, trial.collections, self.rounds)
        return Told(reports, each @ states / reports, *rows)

    def off(self, told: Told, wish: Wish) -> float:
        """The error of the worst round, in the mean over streams."""
        del wish
        return float(np.fmax.reduce(np.abs(told.errors), axis=1).mean())

    def command(self, name: str, design: Design) -> str:
        """The command that makes the collection."""
        options = f"--mechanism {name} --rounds {self.rounds}"
        if name == KShot.name and (self.low, self.high) != (0, 1):
            options += f" --low {as_given(self.low)} --high {as_given(self.high)}"
        return new_collection(QUESTION, design, options)
