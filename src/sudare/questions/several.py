"""Several questions at once: the shares of each question's answers, from one report per person."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judged, is_empty
from sudare.answers.table import Layout, NoColumn, check_name
from sudare.errors import InvalidAnswer, ParameterError, TooFewReports
from sudare.estimation.estimate import Estimate, Interval
from sudare.estimation.frequency_error import RELIABLE_SPREAD
from sudare.estimation.significance import holm
from sudare.formats.documents import Count, Shape
from sudare.formats.numbers import counted, whole
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import AnswerGroups
from sudare.mechanisms.interface import Mechanism
from sudare.mechanisms.several import Margin, SeveralQuestions
from sudare.questions.choice import AnswerRow, Choice, Shares, consistent_shares
from sudare.questions.interface import (
    DEVIATIONS,
    Agreed,
    KindBody,
    Part,
    Population,
    Question,
    Result,
    ResultDocument,
    ResultOptions,
)

if TYPE_CHECKING:
    import pyarrow as pa

Rows = NDArray[np.int64]

SEPARATOR = ";"
"""The sign between the answers of a person that are one text."""
_ANSWERS = 1 << 21  # read at a time


class PartRow(AnswerRow, kw_only=True):
    """The estimated share of one answer to one of the questions."""

    question: str


class PartDocument(Shape):
    """The shares of one question's answers; none where it has too few reports."""

    name: str
    question: str
    n: Count
    withheld: bool
    answers: list[AnswerRow]


class SeveralDocument(ResultDocument):
    """The shares of the answers to each question, as ``sudare estimate --json`` says them."""

    n: Count
    level: float
    simultaneous: bool
    population: bool
    questions: list[PartDocument]


@dataclass(frozen=True)
class Asked:
    """One of several questions, in the place of a collection that asks it alone.

    Attributes:
        part: its name, its words and its answers.
        mechanism: by which it is answered.
        minimum_reports: the fewest reports of which an estimate is given.
        key: the identity of the collection that asks it.
    """

    part: Part
    mechanism: Mechanism
    minimum_reports: int
    key: str

    @property
    def name(self) -> str:
        """The question's short name."""
        return self.part.name

    @property
    def question(self) -> str:
        """The words in which people are asked."""
        return self.part.question

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers' labels."""
        return self.part.answers

    @property
    def parts(self) -> tuple[Part, ...]:
        """None: it is one question."""
        return ()

    @cached_property
    def kind(self) -> Choice:
        """The choice among its answers."""
        return Choice(self)


@dataclass(frozen=True)
class Several(Question):
    """Several questions, each with a list of answers of which a person gives one.

    An answer is a label for each question: in the order of the questions, or by their names; as one
    text, in their order with semicolons between. In a table each question has a column that is
    named as it is. Its errors say where an answer stands, by the person's position and the
    question, never what it is.
    """

    result_document: ClassVar[type[ResultDocument]] = SeveralDocument
    given: ClassVar[str] = "row of answers"

    @property
    def questions(self) -> SeveralQuestions:
        """The mechanism that the collection uses."""
        return cast("SeveralQuestions", self.agreed.mechanism)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The questions."""
        return self.agreed.parts

    def check_rules(self, *, invited: bool) -> None:
        """Refuse questions that are others than the mechanism's, or can't be told apart."""
        del invited  # any will do
        sizes, parts = self.questions.sizes, self.parts
        if len(parts) != len(sizes):
            raise ParameterError(
                f"the mechanism randomises the answers to {counted(len(sizes), 'question')}, the "
                f"collection asks {len(parts)}"
            )
        for number, (part, size) in enumerate(zip(parts, sizes, strict=True), 1):
            if len(part.answers) != size:
                raise ParameterError(
                    f"the mechanism randomises {size} answers to question {number}, the "
                    f"collection lists {len(part.answers)}"
                )
            if not all((part.name, part.question, *part.answers)):
                raise ParameterError(
                    f"the name, the words and every answer of question {number} need at least one "
                    f"character"
                )
            if len(set(part.answers)) != len(part.answers):
                raise ParameterError(
                    f"two answers to question {number} have the same label; each must be different"
                )
        if len({part.name for part in parts}) != len(parts):
            raise ParameterError("two questions have the same name; each must be different")
        if len(set(self.weight_names)) != len(self.weight_names):
            raise ParameterError(
                "two questions can't be told apart by their names and answers with a colon between"
            )

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """Each question in the place of a collection that asks it alone."""
        agreed = self.agreed
        return tuple(
            Asked(part, agreed.mechanism, agreed.minimum_reports, agreed.key) for part in self.parts
        )

    @cached_property
    def _numbers(self) -> tuple[dict[str, int], ...]:
        return tuple({label: at for at, label in enumerate(part.answers)} for part in self.parts)

    def encode(self, answers: Sequence[Any] | NDArray[Any], first: int = 0) -> Rows:
        """Rows of labels, or mappings from questions' names to labels, as rows of numbers."""
        values = np.empty((len(answers), len(self.parts)), np.int64)
        for position, answer in enumerate(answers):
            labels = self._labels(answer, first + position)
            for at, (label, numbers) in enumerate(zip(labels, self._numbers, strict=True)):
                number = numbers.get(label) if isinstance(label, str) else None
                if number is None:
                    raise InvalidAnswer(
                        f"the answer at position {first + position} to “{self.parts[at].name}” "
                        f"{self._none_of_them(at)}"
                    )
                values[position, at] = number
        return values

    def _labels(self, answer: object, position: int) -> Sequence[object]:
        """What a person answers to each question, in their order."""
        names = [part.name for part in self.parts]
        if isinstance(answer, Mapping) and answer.keys() == set(names):
            return [answer[name] for name in names]
        if isinstance(answer, str):  # of somebody who has no list to give, such as a command line
            answer = [part.strip() for part in answer.split(SEPARATOR)]
        listed = isinstance(answer, Sequence | np.ndarray)
        if listed and len(cast("Sequence[object]", answer)) == len(names):
            return cast("Sequence[object]", answer)
        raise InvalidAnswer(
            f"the answer at position {position} is not one label for each of the {len(names)} "
            f"questions of “{self.agreed.name}” (in one text, with {SEPARATOR!r} between them)"
        )

    def _none_of_them(self, at: int) -> str:
        return (
            f"is not one of its {len(self.parts[at].answers)} answers "
            f"(`sudare collection show` lists them)"
        )

    def layout(self, column: str | None) -> Layout:
        """A column for each question, named as it is."""
        if column is not None:
            raise ParameterError(
                f"--column is for one question; each of “{self.agreed.name}” has the column of its "
                f"name"
            )
        names = [part.name for part in self.parts]
        hint = f"every row is a person's {counted(len(names), 'answer')}"

        def wanted(header: list[str]) -> list[str]:
            for name in names:
                try:
                    check_name(header, name)
                except NoColumn:
                    raise NoColumn(
                        f"there is no column {name!r}; each question has one, by its name"
                    ) from None
            return names

        return Layout(wanted, names, ",", quoted=True, hint=hint)

    def separated(self, separator: str) -> Self:
        """Refused: in a table each answer has a column."""
        raise ParameterError(
            f"--separator is for several answers in one cell; each question of "
            f"“{self.agreed.name}” has a column, got {separator!r}"
        )

    @property
    def rows_at_once(self) -> int:  # type: ignore[override]
        """How many people of a table are read together: their answers fit in memory."""
        return max(1, _ANSWERS // len(self.parts))

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """A column of labels for each question, as a row of numbers per person."""
        numbers = self._read(columns)
        return Judged(np.maximum(numbers, 0), np.any(numbers < 0, axis=1))

    def _read(self, columns: "list[pa.Array]") -> Rows:
        """The number of each answer, -1 for what is none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = [
            pc.index_in(column, value_set=pa.array(part.answers)).fill_null(-1).to_numpy()
            for column, part in zip(columns, self.parts, strict=True)
        ]
        return np.column_stack(found).astype(np.int64)

    def refusal(self, columns: "list[pa.Array]") -> str:
        """To which question an answer is missing, or none of the list."""
        missing = [bool(is_empty(column)[0]) for column in columns]
        at = int(np.argmax(missing if any(missing) else self._read(columns)[0] < 0))
        fault = "is missing" if any(missing) else self._none_of_them(at)
        return f"the answer in the column “{self.parts[at].name}” {fault}"

    def true_shares(self, values: Iterable[Rows]) -> dict[str, float]:
        """The share of people behind each answer to each question."""
        people, held = 0, [np.zeros(len(part.answers), np.int64) for part in self.parts]
        for chunk in values:
            people += len(chunk)
            for at, column in enumerate(chunk.T):
                held[at] += np.bincount(column, minlength=len(held[at]))
        shares = (np.concatenate(held) / max(1, people)).tolist()
        return dict(zip(self.weight_names, shares, strict=True))

    def population(self, truth: Population) -> AnswerGroups:
        """Groups of people, from numbers of people by their row of labels, a tuple."""
        if isinstance(truth, AnswerGroups):
            return truth
        if not isinstance(truth, Mapping):
            raise ParameterError(
                "a population is a number of people for each row of answers, a tuple of labels"
            )
        people = [whole("a number of people", count) for count in truth.values()]
        return self.questions.domain.groups(self.encode(list(truth)), np.array(people, int))

    # What may be shown.

    def cells(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports each question has, if each report is of one; else one cell, of all."""
        return self.questions.cells(aggregate.counts, aggregate.n)

    def numbers_of(self, names: Sequence[str]) -> list[int]:
        """The places of two different questions, by their names."""
        known = [part.name for part in self.parts]
        for name in names:
            if name not in known:
                raise ParameterError(
                    f"“{self.agreed.name}” has no question {name!r}; it has {', '.join(known)}"
                )
        if len(set(names)) < len(names):
            raise ParameterError(f"two different questions are related, got {names[0]!r} twice")
        return [known.index(name) for name in names]

    def released(self, aggregate: Aggregate) -> Aggregate:
        """The mechanism's own aggregate, of the questions that have enough reports."""
        own = self.questions.own(super().released(aggregate))
        found = self._large_cells(own)
        if found is None:
            raise TooFewReports(
                f"no question has more than {counted(self.cells(own).max(), 'report')}; "
                f"“{self.agreed.name}” releases nothing of a question below "
                f"{self.agreed.minimum_reports}"
            )
        return found

    @property
    def _each_alone(self) -> bool:
        """Whether every report is of one question, and of no other."""
        return not self.questions.tells_pairs

    def too_few(self, found: str) -> TooFewReports:
        """The refusal to show anything, where no question has enough reports."""
        if not self._each_alone:
            return super().too_few(found)
        return TooFewReports(
            f"{found} for {len(self.parts)} questions; “{self.agreed.name}” releases nothing of a "
            f"question below {self.agreed.minimum_reports}"
        )

    def minimum(self) -> str:
        """The least number of reports that is released, of a question where it has its own."""
        return super().minimum() + " (of a question)" * self._each_alone

    # What is made of it.

    @cached_property
    def weight_names(self) -> Sequence[str]:
        """Each question's name with each of its answers, a colon between."""
        return [f"{part.name}: {label}" for part in self.parts for label in part.answers]

    def labelled(self, estimate: Estimate) -> Estimate:
        """The mechanism's estimate, by the names of questions with their answers."""
        return estimate.labelled(self.weight_names)

    def result(self, weighed: Aggregate, options: ResultOptions) -> "SeveralShares":
        """The share of each answer to each question, estimated, bounded and tested.

        Intervals at once, and p-values, are adjusted for the answers of all questions together.
        """
        released = self.released(weighed)
        reports = self.questions.reports_of(released.counts, released.n)
        shown = np.flatnonzero(reports >= max(1, self.agreed.minimum_reports)).tolist()
        margins = {at: self.questions.margin(released, at) for at in shown}
        adjusted = holm(np.concatenate([margin.present for margin in margins.values()]))
        p_values = np.split(adjusted, np.cumsum([len(m.present) for m in margins.values()])[:-1])
        found: list[Shares | None] = [None] * len(self.parts)
        for at, ours in zip(margins, p_values, strict=True):

            def likeliest(at: int = at) -> NDArray[np.float64]:
                return self.questions.likeliest(released, at)

            found[at] = self._shares(at, margins[at], ours, likeliest, options)
        return SeveralShares(
            collection=self.agreed,
            shares=tuple(found),
            n=released.n,
            level=options.level,
            simultaneous=options.simultaneous,
            population=options.population,
        )

    def _shares(
        self,
        at: int,
        margin: Margin,
        p_values: NDArray[np.float64],
        likeliest: Callable[[], NDArray[np.float64]],
        options: ResultOptions,
    ) -> Shares:
        """The result of one question."""
        told = margin.estimate.labelled(self.parts[at].answers)
        estimate = told.of_population() if options.population else told.of_all(margin.people)
        outside = 1 - options.level
        if options.simultaneous:
            outside /= sum(self.questions.sizes)
        return Shares(
            collection=self.asked[at],
            estimate=estimate,
            interval=Interval(*estimate.interval(1 - outside)),
            level=options.level,
            simultaneous=options.simultaneous,
            population=options.population,
            p_values=p_values,
            consistent=consistent_shares(options.consistent, estimate, likeliest),
            rough=margin.spread < RELIABLE_SPREAD,
        )

    @property
    def described(self) -> str:
        """The questions in a few words: how many there are, and of how many answers."""
        *first, last = (str(len(part.answers)) for part in self.parts)
        answers = last if set(first) == {last} else f"{', '.join(first)} and {last}"
        return f"{len(self.parts)} questions of {answers} answers"

    def listed(self) -> tuple[str, Sequence[str]]:
        """The word for the questions, and each with its answers."""
        return "questions", [
            f"{part.name}: {part.question} ({', '.join(part.answers)})" for part in self.parts
        ]

    def foreseen_error(self, people: int) -> float:
        """Half the width of a 95 % interval of a share: the root of its mean square over all."""
        return DEVIATIONS * float(np.sqrt(self.questions.error / people))

    def randomised(self, people: int, reports: int) -> str:
        """That the answers of so many people were randomised, and at which ε, in a sentence."""
        sentence = super().randomised(people, reports)
        whose = "1 person's answers" if people == 1 else f"{people:,} people's answers"
        return f"{whose} to {len(self.parts)} questions{sentence[sentence.index(' randomised') :]}"

    def remarks(self) -> list[str]:
        """How a device treats the answers."""
        return [self.questions.odds]

    @property
    def body(self) -> KindBody:
        """The question's kind, as the collector's JSON has it."""
        return KindBody(over_time=False, free_text=False, questions=len(self.parts))


@dataclass(frozen=True, eq=False, kw_only=True)
class SeveralShares(Result):
    """The shares of the answers to each question.

    Attributes:
        collection: whose.
        shares: those of each question; None for one with too few reports.
        n: of how many reports, in all.
        level: of the intervals.
        simultaneous: whether they hold for all answers of all questions at once.
        population: whether they are for the population that these people were sampled from.
    """

    row: ClassVar[type[Shape]] = PartRow

    collection: Agreed
    shares: tuple[Shares | None, ...]
    n: int
    level: float
    simultaneous: bool
    population: bool
    truth: Mapping[str, float] | None = None

    @property
    def shown(self) -> tuple[Shares, ...]:
        """The questions that have enough reports."""
        return tuple(shares for shares in self.shares if shares is not None)

    @property
    def withheld(self) -> tuple[Part, ...]:
        """The questions that haven't."""
        pairs = zip(self.collection.parts, self.shares, strict=True)
        return tuple(part for part, shares in pairs if shares is None)

    @property
    def columns(self) -> dict[str, str]:
        """The fields of a row and their Arrow types: the question's name, then an answer's."""
        return {"question": "string"} | self.shown[0].columns

    def rows(self) -> list[dict[str, Any]]:
        """The numbers, a row per answer to each question."""
        return [
            {"question": shares.collection.name, **row}
            for shares in self.shown
            for row in shares.rows()
        ]

    def with_truth(self, truth: Mapping[str, float]) -> Self:
        """The result beside the true shares, by a question's name with an answer."""
        shares = tuple(
            None
            if one is None
            else one.with_truth(
                {label: truth[f"{part.name}: {label}"] for label in part.answers},
            )
            for part, one in zip(self.collection.parts, self.shares, strict=True)
        )
        return replace(self, shares=shares, truth=truth)

    def document(self) -> dict[str, Any]:
        """The whole result as JSON values."""
        return {
            **self.heading(),
            "n": self.n,
            "level": self.level,
            "simultaneous": self.simultaneous,
            "population": self.population,
            "questions": [
                {
                    "name": part.name,
                    "question": part.question,
                    "n": 0 if shares is None else shares.estimate.n,
                    "withheld": shares is None,
                    "answers": [] if shares is None else shares.rows(),
                }
                for part, shares in zip(self.collection.parts, self.shares, strict=True)
            ],
        }
