"""A number in a stated range: its mean.

The range's ends are the labels of the collection; its mechanism says in how many steps it is
divided. A number is taken as the nearest step, and one outside the range as the end of it.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judged, is_empty
from sudare.errors import InvalidAnswer
from sudare.estimation.estimate import Estimate
from sudare.estimation.means import MeanEstimate
from sudare.formats.documents import Count, Shape
from sudare.formats.numbers import as_given
from sudare.formats.ranges import NUMBER, Range, exact
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records
from sudare.questions.choice import people_by_text
from sudare.questions.interface import (
    DEVIATIONS,
    Agreed,
    KindBody,
    Population,
    Question,
    Result,
    ResultDocument,
    ResultOptions,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from sudare.mechanisms.domain import Numbers
    from sudare.mechanisms.window import Window

MEAN = "mean"
"""The name of the one thing that is found out of numbers, in tables."""
_HUGE = 10**400  # beyond any range, and any float
_CLOSE = 1e-9  # to the middle between two steps: there, floats don't say which is nearer


class Placed(NamedTuple):
    """Numbers as steps above the least of a range."""

    steps: NDArray[np.int64]
    wrong: NDArray[np.bool_]
    """Which are no numbers."""
    outside: NDArray[np.bool_]
    """Which are numbers outside the range, and have the step of its end."""


class Written(NamedTuple):
    """Numbers as they were written, each text once."""

    texts: list[str]
    places: NDArray[np.integer]
    """Of each number, which of the texts it is."""


class RangeRow(Shape):
    """The numbers that may be answered."""

    least: float
    most: float
    step: float


class MeanRow(Shape):
    """The mean of people's numbers."""

    mean: float
    stderr: float
    low: float
    high: float


class MeanDocument(ResultDocument):
    """The mean of people's numbers, as ``sudare estimate --json`` says it."""

    n: Count
    level: float
    population: bool
    range: RangeRow
    estimates: list[MeanRow]


@dataclass(frozen=True)
class NumberQuestion(Question):
    """A question that is answered by a number, whatever is found out of the numbers."""

    not_taken: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("simultaneous", "consistent"), "a number has none"
    )

    @cached_property
    def numbers(self) -> Range:
        """The numbers that may be answered."""
        domain = cast("Numbers", self.agreed.mechanism.domain)
        return Range.between(self.agreed.answers, domain.steps)

    def check_rules(self, *, invited: bool) -> None:
        """Refuse ends that are no decimals, or that no such steps lie between."""
        del invited  # any will do
        _ = self.numbers

    # How it is answered.

    def encode(self, answers: Sequence[Any] | NDArray[Any], first: int = 0) -> NDArray[np.int64]:
        """Numbers, or decimals in text, as steps above the least; outside it, as its ends."""
        steps, wrong, _ = self._placed(answers)
        if wrong.any():
            raise InvalidAnswer(
                f"the answer at position {first + int(np.argmax(wrong))} {self._no_number}"
            )
        return steps

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """The one column of a table, of decimals in text, as steps above the least."""
        return Judged(*self._read(columns[0]))

    def refusal(self, columns: "list[pa.Array]") -> str:
        """That an answer is missing, or no number."""
        missing = is_empty(columns[0])[0]
        return "the answer is missing" if missing else f"the answer {self._no_number}"

    @property
    def _no_number(self) -> str:
        return f"is no number; “{self.agreed.name}” asks for {self.described}"

    def clipped(self, answer: float | str) -> str | None:
        """For the person whose answer lies outside the range: what it is taken for."""
        steps, wrong, outside = self._placed([answer])
        if wrong[0] or not outside[0]:
            return None
        end = self.agreed.answers[int(steps[0] > 0)]
        return f"the answer lies outside {self.numbers}, and counts as {end}"

    def clipped_rows(self, count: int) -> str:
        """That so many rows of a table lie outside the range, and what they are taken for."""
        hold = "row holds a number" if count == 1 else "rows hold numbers"
        counts = "it counts" if count == 1 else "they count"
        return f"{count:,} {hold} outside {self.numbers}: {counts} as the nearer end"

    def _placed(self, answers: Sequence[Any] | NDArray[Any]) -> Placed:
        """Steps of numbers and texts; which are none, and which lie outside the range."""
        import pyarrow as pa

        if isinstance(answers, np.ndarray) and _is_wide(answers.dtype) and answers.ndim == 1:
            infinite = np.isinf(answers)

            def written(rows: NDArray[np.intp]) -> Written:
                different, places = np.unique(answers[rows], return_inverse=True)
                return Written([str(number) for number in different], places)

            steps, none, outside = self._nearest(answers.astype(np.float64), written)
            return Placed(steps, none | infinite, outside & ~infinite)
        return self._read(pa.array([_as_text(answer) for answer in answers], pa.string()))

    def _read(self, column: "pa.Array") -> Placed:
        """Steps of decimals in text; which are none, and which lie outside the range."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = pc.utf8_trim_whitespace(column)
        found = pc.match_substring_regex(texts, f"^{NUMBER}$").fill_null(fill_value=False)
        # A number of too many digits for a cast is one of NumPy's all the same.
        plain = pc.utf8_ltrim(pc.if_else(found, texts, "0"), "+")
        try:
            numbers = pc.cast(plain, pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            numbers = np.array([float(text) for text in plain.to_pylist()])

        def written(rows: NDArray[np.intp]) -> Written:
            found = plain.take(pa.array(rows)).dictionary_encode()
            return Written(found.dictionary.to_pylist(), found.indices.to_numpy())

        steps, none, outside = self._nearest(numbers, written)
        wrong = none | ~found.to_numpy(zero_copy_only=False)
        return Placed(steps, wrong, outside & ~wrong)

    def _nearest(
        self, numbers: NDArray[np.float64], written: "Callable[[NDArray[np.intp]], Written]"
    ) -> Placed:
        """The nearest step of each number, the upper of two; which are none, and which outside.

        Args:
            numbers: to be placed.
            written: some of them as they were written: 0.15 is a little less than that as a float.
        """
        span, low, step = self.numbers, self.numbers.low, self.numbers.step
        none = np.isnan(numbers)
        clear = np.clip(np.where(none, 0.0, numbers), float(low - step), float(span.high + step))
        place = (clear - float(low)) / float(step)
        doubt = _CLOSE + 4 * np.finfo(np.float64).eps * np.abs(clear) / float(step)
        steps = np.floor(place + 0.5)
        outside = (place < 0) | (place > span.steps)
        halves = np.abs(place - np.floor(place) - 0.5) <= doubt
        ends = (np.abs(place) <= doubt) | (np.abs(place - span.steps) <= doubt)
        rows = np.flatnonzero((halves | ends) & ~none)
        if rows.size:  # many rows, as at an end of the range, are few different texts
            texts, places = written(rows)
            above = [((exact(text) or Fraction(0)) - low) / step for text in texts]
            nearest = np.array([float(math.floor(each + Fraction(1, 2))) for each in above])
            steps[rows] = nearest[places]
            outside[rows] = np.array([not 0 <= each <= span.steps for each in above])[places]
        return Placed(np.clip(steps, 0, span.steps).astype(np.int64), none, outside & ~none)

    def population(self, truth: Population) -> NDArray[np.int64]:
        """How many people give each number: counts by number, or one for each step."""
        steps = self.numbers.steps
        if not isinstance(truth, Mapping):
            return cast("Numbers", self.agreed.mechanism.domain).population(truth)
        values, people = people_by_text(self, truth)
        held = np.zeros(steps + 1, np.int64)
        np.add.at(held, values, people)
        return held

    # How it is described.

    @property
    def described(self) -> str:
        """The range and its step in a few words."""
        return f"a number from {self.numbers} in steps of {self._step}"

    @property
    def _step(self) -> str:
        return as_given(float(self.numbers.step))

    def listed(self) -> tuple[str, Sequence[str]]:
        """The word for the answers, and the ends of their range."""
        return "range", self.agreed.answers

    def facts(self) -> dict[str, str]:
        """What answering costs, and the numbers that may be answered."""
        return super().facts() | {"numbers": f"{self.numbers} in steps of {self._step}"}

    def range_row(self) -> dict[str, float]:
        """The range for machines."""
        span = self.numbers
        return {"least": float(span.low), "most": float(span.high), "step": float(span.step)}

    @property
    @abstractmethod
    def estimated(self) -> str:
        """What is found out of the numbers: mean, distribution."""

    @property
    def body(self) -> KindBody:
        """The question's kind, as the collector's JSON has it."""
        return KindBody(over_time=False, free_text=False, number=self.estimated)


@dataclass(frozen=True)
class Mean(NumberQuestion):
    """A question that is answered by a number, of which the mean is found out."""

    result_document: ClassVar[type[ResultDocument]] = MeanDocument

    @property
    def estimated(self) -> str:
        """What is found out of the numbers: their mean."""
        return "mean"

    @property
    def window(self) -> "Window":
        """The mechanism that the collection uses."""
        return cast("Window", self.agreed.mechanism)

    def labelled(self, estimate: Estimate) -> MeanEstimate:
        """The mechanism's estimate, which is in steps, as a number of the range."""
        span = self.numbers
        scaled = cast("MeanEstimate", estimate).scaled(float(span.low), float(span.step))
        return scaled.labelled([MEAN])

    @property
    def weight_names(self) -> Sequence[str]:
        """The name of what a report has a weight for: its part in the mean."""
        return (MEAN,)

    def weights_described(self) -> str:
        """For what each report has a weight, as the refusal of anything else ends."""
        return f"each report of “{self.agreed.name}” has one, its part in the {MEAN}"

    def weights(self, reports: Records, number: int) -> NDArray[np.float64]:
        """The part of each checked report in the mean, as a number of the range."""
        part = self.agreed.mechanism.weights(reports, number)
        return float(self.numbers.low) + float(self.numbers.step) * part

    def true_shares(self, values: Iterable[NDArray[Any]]) -> dict[str, float]:
        """The mean of the numbers themselves."""
        people, total = 0, 0
        for chunk in values:
            people += len(chunk)
            total += int(chunk.sum(dtype=np.int64))
        span = self.numbers
        return {MEAN: float(span.low + span.step * Fraction(total, max(1, people)))}

    def result(self, weighed: Aggregate, options: ResultOptions) -> "MeanResult":
        """The mean of the numbers, with its interval."""
        self.check_options(options)
        released = self.released(weighed)
        estimate = self.labelled(self.agreed.mechanism.estimate(released))
        if options.population:
            estimate = estimate.of_population()
        return MeanResult(self.agreed, estimate, options.level, options.population)

    def foreseen_error(self, people: int) -> float:
        """Half the width of a 95 % interval of the mean, at worst, in shares of the range."""
        worst = float(self.window.worst_variance) / self.numbers.steps**2
        return DEVIATIONS * math.sqrt(worst / people)


@dataclass(frozen=True, eq=False)
class MeanResult(Result):
    """The mean of people's numbers, with its interval.

    Attributes:
        collection: whose numbers.
        estimate: the unbiased mean.
        level: of the interval.
        population: whether it is for the population that these people were sampled from.
    """

    row: ClassVar[type[Shape]] = MeanRow

    collection: Agreed
    estimate: MeanEstimate
    level: float
    population: bool
    truth: Mapping[str, float] | None = None

    @property
    def columns(self) -> dict[str, str]:
        """The fields of the row and their Arrow types."""
        return super().columns | self.truth_columns

    def rows(self) -> list[dict[str, Any]]:
        """The mean, the only row."""
        estimate = self.estimate
        low, high = (float(end[0]) for end in estimate.interval(self.level))
        row = {
            "mean": float(estimate.values[0]),
            "stderr": float(estimate.stderr[0]),
            "low": low,
            "high": high,
        }
        return [row | self.truth_cells(MEAN, low, high)]

    @property
    def numbers(self) -> Range:
        """The numbers that people may have answered."""
        return cast("Mean", self.collection.kind).numbers

    def document(self) -> dict[str, Any]:
        """The whole result as JSON values."""
        return {
            **self.heading(),
            "n": self.estimate.n,
            "level": self.level,
            "population": self.population,
            "range": cast("Mean", self.collection.kind).range_row(),
            "estimates": self.rows(),
        }


def _is_wide(kind: np.dtype[Any]) -> bool:
    """Whether floats of 64 bits are as near to these numbers as what was written."""
    return kind.kind in "iu" or kind == np.float64


def _as_text(answer: object) -> str | None:
    """A number or a text as text; None for anything else."""
    if isinstance(answer, np.floating):  # with as many digits as its own width has
        return str(answer)
    if isinstance(answer, np.generic):
        answer = answer.item()
    if isinstance(answer, bool):
        return None
    if isinstance(answer, str):
        return answer
    if isinstance(answer, int):  # of one with thousands of digits Python makes no text
        answer = max(-_HUGE, min(answer, _HUGE))
    return str(answer) if isinstance(answer, int | float | Decimal) else None
