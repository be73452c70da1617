"""What somebody wishes of a plan: two of people, ε and a goal, of whom, and how sure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from statistics import NormalDist
from typing import Any, Literal, get_args

from sudare.chance.exact import check_epsilon
from sudare.errors import ParameterError
from sudare.estimation.estimate import check_level
from sudare.formats.numbers import as_given, counted, real, whole, yes_or_no
from sudare.mechanisms.domain import MOST_PEOPLE

Goal = Literal["error", "smallest_share", "difference"]
"""What a plan can aim at: half the width of an interval, or the smallest share, or difference of
two groups, that will be seen."""
GOALS: tuple[Goal, ...] = get_args(Goal)
Found = Literal["people", "epsilon", "error"]

MOST_EPSILON = 20.0  # e^20: there is hardly any noise left to take away
MOST_VISITS = 10_000
_LEAST_LEVEL = 0.5  # below that an interval leaves out the truth more often than not
USUAL_BYTES = 128
_ROUNDING = 1e-9  # of a number of people: as near to a whole one as floats may be


@dataclass(frozen=True, kw_only=True)
class Wish:
    """Exactly two of people, ε and a goal; the third is to be found.

    Attributes:
        people: how many are asked.
        epsilon: the most that all of a person's reports may cost together.
        error: half the width of the interval that is wished for.
        smallest_share: a share that is to be seen: its interval doesn't reach down to 0.
        difference: a difference between two groups that is to be seen.
        level: the confidence of the intervals.
        power: the chance with which a share or difference is to be seen.
        response_rate: the share of those asked who answer.
        share: of the answer whose error is meant: 0 is one that hardly anybody gives.
        compare: the share of people in one of two groups that are compared; None for no groups.
        visits: how often each person is asked.
        changes: how often a person's answer changes at most between visits; None for each time.
        population: whether the shares of the people are meant that those asked were drawn from.
        most_bytes: of a report.
    """

    people: int | None = None
    epsilon: float | None = None
    error: float | None = None
    smallest_share: float | None = None
    difference: float | None = None
    level: float = 0.95
    power: float = 0.8
    response_rate: float = 1.0
    share: float = 0.0
    compare: float | None = None
    visits: int = 1
    changes: int | None = None
    population: bool = False
    most_bytes: int = USUAL_BYTES

    def __post_init__(self) -> None:
        self._read()
        self._check_given()
        self._check_people()
        self._check_sure()
        self._check_groups()
        self._check_visits()

    def _read(self) -> None:
        """Take numbers as Python's own, and refuse what is none."""
        for names, read in ((_WHOLE, whole), (_REAL, real), (("population",), yes_or_no)):
            for name in names:
                value: Any = getattr(self, name)
                if value is not None:
                    object.__setattr__(self, name, read(_word(name), value))

    def _check_given(self) -> None:
        given = [goal for goal in GOALS if getattr(self, goal) is not None]
        if len(given) > 1:
            raise ParameterError(
                f"a plan aims at one of {_listed(GOALS)}, got {_listed(given, 'and')}"
            )
        known = [name for name in ("people", "epsilon", *given) if getattr(self, name) is not None]
        if len(known) != 2:
            got = _listed(known, "and") if known else "none of them"
            raise ParameterError(
                f"a plan takes two of people, epsilon and an error (or {_listed(GOALS[1:])}), and "
                f"finds the third, got {got}"
            )
        if self.epsilon is not None and check_epsilon(self.epsilon) > MOST_EPSILON:
            raise ParameterError(
                f"epsilon must be at most {MOST_EPSILON:g} in a plan, got {self.epsilon}"
            )
        for goal in given:
            if not 0 < getattr(self, goal) < math.inf:
                raise ParameterError(
                    f"{_word(goal)} must be above 0 and finite, got {getattr(self, goal)}"
                )

    def _check_sure(self) -> None:
        check_level(self.level)
        if self.level < _LEAST_LEVEL:
            raise ParameterError(
                f"a level must be at least {_LEAST_LEVEL} in a plan, got {self.level}"
            )
        if not 0.5 <= self.power < 1:
            raise ParameterError(
                f"power must be at least 0.5 and below 1: the chance to see what is to be seen, "
                f"got {self.power}"
            )
        if not 0 <= self.share < 1:
            raise ParameterError(f"share must be at least 0 and below 1, got {self.share}")

    def _check_people(self) -> None:
        if not 0 < self.response_rate <= 1:
            raise ParameterError(
                f"the response rate must be above 0 and at most 1, got {self.response_rate}"
            )
        if self.people is None:
            return
        if not 1 <= self.people <= MOST_PEOPLE:
            raise ParameterError(f"a plan needs 1 to {MOST_PEOPLE:,} people, got {self.people}")
        if not self.reports(self.people):
            raise ParameterError(
                f"of {counted(self.people, 'person', 'people')} at a response rate of "
                f"{as_given(self.response_rate)} nobody answers"
            )

    def _check_groups(self) -> None:
        if self.compare is not None and not 0 < self.compare < 1:
            raise ParameterError(
                f"compare, the share of people in one of two groups, must be above 0 and below 1, "
                f"got {self.compare}"
            )
        smaller = min(self.part, 1 - self.part)
        if self.grouped and self.people and self.reports(self.people) * smaller < 1:
            raise ParameterError(
                f"two groups to compare need somebody in each, and {as_given(smaller)} of "
                f"{counted(self.reports(self.people), 'report')} is nobody"
            )
        if self.difference is not None and self.share and self.share + self.difference > 1:
            raise ParameterError(
                f"difference must be at most {1 - self.share:.6g} beside a share of "
                f"{as_given(self.share)}: no share is above 1, got {self.difference}"
            )

    def _check_visits(self) -> None:
        if not 1 <= self.visits <= MOST_VISITS:
            raise ParameterError(f"visits must be 1 to {MOST_VISITS:,}, got {self.visits}")
        if self.changes is not None and not 0 <= self.changes < self.visits:
            raise ParameterError(
                f"changes must be 0 to {self.visits - 1}, below the number of visits, got "
                f"{self.changes}"
            )
        if self.most_bytes < 1:
            raise ParameterError(f"a report has at least 1 byte, got {self.most_bytes}")

    @property
    def goal(self) -> Goal:
        """What is aimed at; an error, where it is to be found."""
        return next((goal for goal in GOALS if getattr(self, goal) is not None), "error")

    @property
    def value(self) -> float | None:
        """What the goal is to be, unless that is to be found."""
        value: float | None = getattr(self, self.goal)
        return value

    @property
    def found(self) -> Found:
        """Which of the three is to be found."""
        if self.people is None:
            return "people"
        return "epsilon" if self.epsilon is None else "error"

    @property
    def kept(self) -> int:
        """For how many answers in a row a device may come to keep noise, in all visits."""
        changes = self.visits - 1 if self.changes is None else self.changes
        return 1 + changes

    @property
    def grouped(self) -> bool:
        """Whether two groups are compared."""
        return self.compare is not None or self.difference is not None

    @property
    def part(self) -> float:
        """The share of people in one of two groups; half of them, unless it is said."""
        return 0.5 if self.compare is None else self.compare

    @cached_property
    def deviations(self) -> float:
        """How many standard errors half an interval is wide."""
        return -NormalDist().inv_cdf((1 - self.level) / 2)  # exact as well where it is near 1

    @cached_property
    def more(self) -> float:
        """How many standard errors more a share is to have, to be seen with the chance wished."""
        return NormalDist().inv_cdf(self.power)

    def reports(self, people: int) -> int:
        """How many answer, of so many people who are asked."""
        return math.floor(people * self.response_rate * (1 + _ROUNDING))

    def asked(self, reports: int) -> int:
        """How many people must be asked, for so many to answer."""
        people = math.ceil(reports / self.response_rate * (1 - _ROUNDING))
        while self.reports(people) < reports:
            people += 1
        return people


COMMON = tuple(field.name for field in fields(Wish))
"""The names of the wishes that every kind of question has."""
_WHOLE = ("people", "visits", "changes", "most_bytes")
_REAL = ("epsilon", *GOALS, "level", "power", "response_rate", "share", "compare")


def _word(name: str) -> str:
    return name.replace("_", " ")


def _listed(names: Sequence[str], last: str = "or") -> str:
    words = [_word(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
