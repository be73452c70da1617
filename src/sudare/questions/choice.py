"""One answer of a list: its share, an interval around it, and whether anybody gives it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judged, is_empty
from sudare.errors import InvalidAnswer, ParameterError
from sudare.estimation import likelihood, simplex
from sudare.estimation.estimate import Estimate, Interval
from sudare.estimation.frequency_error import (
    RELIABLE_SPREAD,
    count_spread,
    mean_squared_error,
)
from sudare.estimation.likelihood import Evidence
from sudare.estimation.significance import holm, presence
from sudare.formats.documents import Count, Shape
from sudare.formats.numbers import counted, whole
from sudare.mechanisms.aggregate import Aggregate
from sudare.questions.interface import (
    DEVIATIONS,
    Agreed,
    Population,
    Question,
    Result,
    ResultDocument,
    ResultOptions,
    texts_of,
)

if TYPE_CHECKING:
    import pyarrow as pa

_STEPS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "clip": simplex.clip,
    "normalise": simplex.normalise,
    "norm-sub": simplex.norm_sub,
}
CONSISTENT = (*_STEPS, "project", "likelihood")
"""The steps that make shares which could exist."""


class AnswerRow(Shape):
    """The estimated share of one listed answer."""

    answer: str
    share: float
    stderr: float
    low: float
    high: float
    people: float
    p_value: float
    rough: bool
    consistent: float | msgspec.UnsetType = msgspec.UNSET


class AnswersDocument(ResultDocument):
    """The shares of listed answers, as ``sudare estimate --json`` says them."""

    n: Count
    level: float
    simultaneous: bool
    population: bool
    answers: list[AnswerRow]


class Listed(Protocol):
    """A mechanism whose counts are of named answers, one by one."""

    @property
    def holder(self) -> float:
        """The chance that a report supports the answer that its person holds."""

    @property
    def others(self) -> float:
        """The chance that a report supports any one answer that its person doesn't hold."""

    def supported(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports support each answer."""

    def evidence(self, aggregate: Aggregate) -> Evidence:
        """The evidence of an aggregate about the shares, for the likelihood."""


@dataclass(frozen=True)
class AnswerList(Question):
    """A question with a list of answers, each with a share of the people."""

    result_document: ClassVar[type[ResultDocument]] = AnswersDocument

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.agreed.answers)}

    @property
    def _none_of_them(self) -> str:
        return (
            f"is not one of the {len(self.agreed.answers)} answers of “{self.agreed.name}” "
            f"(`sudare collection show` lists them)"
        )

    def result(self, weighed: Aggregate, options: ResultOptions) -> "Shares":
        """The share of each answer, estimated, bounded and tested."""
        mechanism = cast("Listed", self.agreed.mechanism)
        released = self.released(weighed)
        estimate = self.labelled(self.agreed.mechanism.estimate(released))
        if options.population:
            estimate = estimate.of_population()
        bounds = estimate.simultaneous if options.simultaneous else estimate.interval
        return Shares(
            collection=self.agreed,
            estimate=estimate,
            interval=bounds(options.level),
            level=options.level,
            simultaneous=options.simultaneous,
            population=options.population,
            p_values=holm(presence(mechanism.supported(released), released.n, mechanism.others)),
            consistent=consistent_shares(
                options.consistent,
                estimate,
                lambda: likelihood.most_likely(mechanism.evidence(released)).shares,
            ),
            rough=_rough(mechanism, estimate),
        )

    def listed(self) -> tuple[str, Sequence[str]]:
        """The word for the answers, and the label of each."""
        return "answers", self.agreed.answers


@dataclass(frozen=True)
class Choice(AnswerList):
    """A question with a list of answers, of which a person gives one."""

    def encode(self, answers: Sequence[Any] | NDArray[Any], first: int = 0) -> NDArray[np.int64]:
        """The number of each answer's label; an unknown one is refused by its position."""
        numbers = [self._numbers.get(answer, -1) for answer in texts_of(answers, first)]
        if -1 in numbers:
            raise self._unknown(first + numbers.index(-1))
        return np.array(numbers, np.int64)

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """The number of each answer's label, in the one column of a table."""
        import pyarrow as pa
        import pyarrow.compute as pc

        (labels,) = columns
        numbers = pc.index_in(labels, value_set=pa.array(self.agreed.answers))
        wrong = numbers.is_null().to_numpy(zero_copy_only=False)
        return Judged(np.asarray(numbers.fill_null(0).to_numpy(), np.int64), wrong)

    def refusal(self, columns: "list[pa.Array]") -> str:
        """That an answer is missing, or none of the list."""
        missing = is_empty(columns[0])[0]
        return "the answer is missing" if missing else f"the answer {self._none_of_them}"

    def _unknown(self, position: int) -> InvalidAnswer:
        return InvalidAnswer(f"the answer at position {position} {self._none_of_them}")

    def true_shares(self, values: Iterable[NDArray[np.int64]]) -> dict[str, float]:
        """The share of people behind each answer."""
        people = np.zeros(len(self.agreed.answers), np.int64)
        for chunk in values:
            people += np.bincount(chunk, minlength=len(people))
        shares = people / max(1, people.sum())
        return dict(zip(self.agreed.answers, shares.tolist(), strict=True))

    def population(self, truth: Population) -> NDArray[np.int64]:
        """How many people give each answer, from numbers of people by label."""
        values, people = people_by_text(self, truth)
        held = np.zeros(len(self.agreed.answers), np.int64)
        held[values] = people
        return held

    def alternatives(self, candidates: Iterable[str] | None) -> tuple[tuple[str, ...], None]:
        """The answers that a single report is weighed for: those of the list."""
        if candidates is not None:
            raise ParameterError(
                f"“{self.agreed.name}” has a list of "
                f"{counted(len(self.agreed.answers), 'answer')}; "
                f"it takes no candidates"
            )
        return self.agreed.answers, None

    @property
    def described(self) -> str:
        """The answers in a few words: how many there are."""
        return counted(len(self.agreed.answers), "answer")

    def foreseen_error(self, people: int) -> float:
        """Half the width of a 95 % interval of a share: the root of its mean square."""
        mechanism = cast("Listed", self.agreed.mechanism)
        answers = len(self.agreed.answers)
        squared = mean_squared_error(mechanism.holder, mechanism.others, people, answers)
        return DEVIATIONS * math.sqrt(squared)


def people_by_text(question: Question, truth: object) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Values, and how many people hold each, from numbers of people by label or text."""
    if not isinstance(truth, Mapping):
        raise ParameterError("a population is a number of people for each answer's label")
    people = np.array([whole("a number of people", count) for count in truth.values()], int)
    return question.encode(list(truth)), people


@dataclass(frozen=True, eq=False)
class Shares(Result):
    """The share of each answer, with everything that is shown beside it.

    Attributes:
        collection: whose answers.
        estimate: the unbiased shares.
        interval: around each, at ``level``; for all at once if ``simultaneous``.
        p_values: of "nobody holds this answer", Holm-adjusted.
        consistent: shares that could exist, where they are asked for.
        rough: whose counts are too coarse for intervals to keep their level.
    """

    row: ClassVar[type[Shape]] = AnswerRow

    collection: Agreed
    estimate: Estimate
    interval: Interval
    level: float
    simultaneous: bool
    population: bool
    p_values: NDArray[np.float64]
    consistent: NDArray[np.float64] | None
    rough: NDArray[np.bool_]
    truth: Mapping[str, float] | None = None

    @property
    def columns(self) -> dict[str, str]:
        """The fields of a row and their Arrow types; ``consistent`` where it was asked for."""
        more = {} if self.consistent is None else {"consistent": "float64"}
        return super().columns | more | self.truth_columns

    def document(self) -> dict[str, Any]:
        """The whole result as JSON values."""
        return {
            **self.heading(),
            "n": self.estimate.n,
            "level": self.level,
            "simultaneous": self.simultaneous,
            "population": self.population,
            "answers": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """The numbers, a row per answer."""
        return self._rows(slice(None))

    def largest(self, most: int) -> list[dict[str, Any]]:
        """The rows of so many answers, the largest shares first."""
        return self._rows(np.argsort(-self.estimate.values, kind="stable")[:most])

    def _rows(self, which: slice | NDArray[np.intp]) -> list[dict[str, Any]]:
        """The rows of some answers."""
        estimate, (low, high) = self.estimate, self.interval
        numbers = np.arange(len(estimate.labels))[which].tolist()
        columns = {
            "share": estimate.values,
            "stderr": estimate.stderr,
            "low": low,
            "high": high,
            "people": estimate.values * estimate.n,
            "p_value": self.p_values,
            "rough": self.rough,
        }
        if self.consistent is not None:
            columns["consistent"] = self.consistent
        names = ("answer", *columns)
        cells = zip(
            (estimate.labels[number] for number in numbers),
            *(column[which].tolist() for column in columns.values()),
            strict=True,
        )
        rows: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in cells]
        if self.truth is not None:
            for row in rows:
                row.update(self.truth_cells(row["answer"], row["low"], row["high"]))
        return rows


def _rough(mechanism: Listed, estimate: Estimate) -> NDArray[np.bool_]:
    shares = np.clip(estimate.values, 0, 1)
    spread = count_spread(mechanism.holder, mechanism.others, estimate.n, shares)
    return spread < RELIABLE_SPREAD


def consistent_shares(
    step: str | None, estimate: Estimate, likeliest: Callable[[], NDArray[np.float64]]
) -> NDArray[np.float64] | None:
    """The shares that a step makes of unbiased ones; the most likely are asked for if wanted."""
    if step is None:
        return None
    if step not in CONSISTENT:
        raise ParameterError(f"consistent is one of {', '.join(CONSISTENT)}, got {step!r}")
    if step == "likelihood":
        return likeliest()
    if step == "project":
        return simplex.project(estimate.values, estimate.stderr)
    return _STEPS[step](estimate.values)
