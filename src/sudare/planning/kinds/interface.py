"""What is asked, as a planner knows it: the designs to choose from, and what a guess is worth."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from sudare.chance.exact import float_up
from sudare.formats.numbers import as_given
from sudare.mechanisms.interface import Mechanism
from sudare.planning.kinds.trials import Told, Trial
from sudare.planning.measures import Measure
from sudare.planning.wish import Goal, Wish

WEEKS = 52  # of a year
_DIGITS = 6  # of a part of ε
QUESTION = '--question "QUESTION"'


@dataclass(frozen=True)
class Design:
    """One way to ask, at one budget.

    Attributes:
        measure: how good its results are.
        spends: what all of a person's reports cost, as the code that makes them states it.
        each: what one report may cost.
        report_bytes: how long a report is.
        forger_gain: of a share of the reports that somebody forges, how many times as far they
            raise a share that nobody has; of a mean, how far they move it in parts of the range.
        year_epsilon: the most that a person spends in a year who is asked every week; None where
            nobody knows.
        mechanism: what randomises a report; None where something else protects it.
        fits: the chances that a report fits the answer that its sender gives, and one that they
            don't, where there are such.
    """

    measure: Measure
    spends: float
    each: float
    report_bytes: int
    forger_gain: float | None = None
    year_epsilon: float | None = None
    mechanism: Mechanism | None = None
    fits: tuple[float, float] | None = None
    lifetime: float | None = None
    """What all reports of one answer may cost, where noise is kept."""


Make = Callable[[float], Design | None]
"""The design of some family that spends at most so much, if there is one."""


@dataclass(frozen=True, kw_only=True)
class Kind(ABC):
    """What is asked. Its fields are the wishes that only this kind has."""

    name: ClassVar[str]
    goals: ClassVar[tuple[Goal, ...]] = ("error", "smallest_share", "difference")
    judged: ClassVar[Goal] = "error"
    """What a guess is compared with, to tell whether a plan is white noise."""
    unit: ClassVar[Literal["share", "number", "people"]] = "share"
    curve: ClassVar[tuple[float, ...]] = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
    """Budgets at which a plan's curve is shown."""
    estimated: ClassVar[str] = "the share of an answer that hardly anybody gives"
    """What is estimated, and to what an error is given."""

    @abstractmethod
    def families(self, wish: Wish) -> Mapping[str, Make]:
        """All ways to ask, by name; of equals the one with the shorter report is taken."""

    @abstractmethod
    def guess(self, goal: Goal) -> float:
        """What somebody reaches who asks nobody: what is no better is white noise."""

    @property
    @abstractmethod
    def guessing(self) -> str:
        """What such a guess is, as a clause."""

    def steady(self, name: str) -> bool:
        """Whether a larger budget is never worse for some family: its least is found in leaps."""
        del name
        return True

    def finished(self, design: Design, reports: int) -> Design:
        """The design for so many reports, where it depends on their number."""
        del reports
        return design

    @property
    def mergeable(self) -> tuple[str, int, int] | None:
        """The wish that says how many answers there are, how many, and how few they may be."""
        return None

    @property
    def times(self) -> int:
        """In how many rounds a state is told; else none."""
        return 0

    @property
    def counts_changed(self) -> float | None:
        """By how much one person can change what is counted; None for no such plain count."""
        return None

    @property
    def scale(self) -> float:
        """How much of the result's unit one counted unit is, for each person."""
        return 1.0

    @property
    def average_share(self) -> float | None:
        """The share of an average answer."""
        return None

    def details(self, design: Design, reports: int) -> dict[str, Any]:
        """What else is known of a design, for its row."""
        del design, reports
        return {}

    @abstractmethod
    def command(self, name: str, design: Design) -> str:
        """The command that makes the collection."""

    @abstractmethod
    def told(self, design: Design, value: float, reports: int, trial: Trial) -> Told:
        """What results say of a value, in simulated collections with the noise that is foreseen.

        The value is the share of an answer; of a mean, how far it is above that of most noise.
        """

    def apart(self, design: Design, one: Told, other: Told, wish: Wish) -> Told:
        """What results of two groups say of their difference, by their standard errors."""
        del design
        values, truth = one.values - other.values, one.truth - other.truth
        stderr = np.hypot(one.stderr, other.stderr)
        reach, reports = wish.deviations * stderr, one.reports + other.reports
        return Told(reports, truth, values, stderr, values - reach, values + reach)

    def off(self, told: Told, wish: Wish) -> float:
        """The error of results as a plan means it: so many of their standard deviations."""
        return wish.deviations * float(np.sqrt(np.mean(told.errors**2)))

    @property
    def wishes(self) -> dict[str, Any]:
        """The kind's own wishes, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def with_wish(self, **changed: Any) -> "Kind":  # noqa: ANN401 - any field's value
        """The same with other wishes."""
        return replace(self, **changed)


def new_collection(asked: str, design: Design, options: str = "") -> str:
    """The command for a new collection: what is asked, at which ε, and by which mechanism."""
    epsilon = f"--epsilon {as_given(design.each)}"
    if design.lifetime is not None:
        epsilon += f" --lifetime {as_given(design.lifetime)}"
    parts = ("sudare collection new NAME", asked, options, epsilon, "-o NAME.json")
    return " ".join(part for part in parts if part)


def spent(mechanism: Mechanism, wish: Wish) -> float:
    """What all visits cost, however often the answer changes as was wished."""
    if wish.visits == 1 or not mechanism.bounded_for_life:
        return float_up(wish.visits * Fraction(mechanism.epsilon))
    noises = min(wish.kept, mechanism.most_kept or wish.kept)
    return float_up(noises * Fraction(mechanism.lifetime_epsilon))


def each_visit(epsilon: float, wish: Wish) -> float:
    """What one of a person's reports may cost, where nothing is kept from one to the next."""
    return part_of(epsilon, wish.visits)


def part_of(epsilon: float, parts: int) -> float:
    """So much of ε that all its parts together are no more, in a few digits."""
    if parts == 1:
        return epsilon
    part = Decimal(epsilon) / parts
    places = Decimal(1).scaleb(part.adjusted() - _DIGITS + 1)
    nearest = float(part.quantize(places, ROUND_HALF_EVEN))
    if Fraction(nearest) * parts <= Fraction(epsilon):
        return nearest
    return float(Decimal(repr(nearest)).quantize(places) - places)


def year_epsilon(mechanism: Mechanism) -> float:
    """The most that weekly answers cost in a year."""
    if not mechanism.bounded_for_life:
        return mechanism.epsilon_of(WEEKS)
    return mechanism.epsilon_of_kept(min(WEEKS, mechanism.most_kept or WEEKS))
