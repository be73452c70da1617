"""The kind of a question: what may be answered, and everything else that depends on it.

A collection has a question of one kind, and asks it whenever an answer is read, a sum released, a
result made or a rule checked. Nobody asks what kind it is. `docs/how-to/add-a-question.md` adds
one.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judged
from sudare.answers.table import Layout, columns_named
from sudare.chance.exact import text_up
from sudare.chance.randomness import Seeded
from sudare.errors import (
    InvalidAnswer,
    InvalidReport,
    MixedCollections,
    ParameterError,
    TooFewReports,
)
from sudare.estimation.estimate import Estimate
from sudare.formats.documents import Count, Key, Shape
from sudare.formats.numbers import there_are
from sudare.formats.tables import arrow_types, csv_text, parquet_bytes
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Mechanism, Records

if TYPE_CHECKING:
    import pyarrow as pa

    from sudare.mechanisms.strings import Digests

Population = Any
"""Who holds what, in each kind's own form."""
Weighed = Any
"""What each kind makes of an aggregate by ``Question.weigh``."""

DEVIATIONS = NormalDist().inv_cdf(0.975)
"""Half the width of a 95 % interval, in standard errors."""
COLUMN = "answer"  # of a table of answers, unless another is named


@dataclass(frozen=True)
class Part:
    """One of several questions that a collection asks at once.

    Attributes:
        name: a short name, of a column in tables.
        question: what people are asked.
        answers: the answers' labels, in the order of the mechanism's values.
    """

    name: str
    question: str
    answers: tuple[str, ...]


class Agreed(Protocol):
    """A collection, as far as its question knows it."""

    @property
    def name(self) -> str:
        """The collection's short name, for files and tables."""

    @property
    def question(self) -> str:
        """The words in which people are asked."""

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers' labels, in the order of the mechanism's values."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The questions, where several are asked at once; else none."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism by which an answer becomes a report."""

    @property
    def minimum_reports(self) -> int:
        """The fewest reports of which an estimate is given."""

    @property
    def key(self) -> str:
        """The collection's identity, SHA-256 of its document."""

    @property
    def kind(self) -> "Question":
        """The question that the collection asks, of whatever kind."""


@dataclass(frozen=True)
class ResultOptions:
    """The options of a result: the level, and what else is asked of it.

    Attributes:
        level: of the intervals.
        simultaneous: whether the intervals hold for all answers at once.
        population: whether they are for the population that these people were sampled from.
        consistent: the step that makes shares which could exist, beside the unbiased ones.
        above: of a distribution, the numbers that it is asked of how many people are above.
        quantiles: of a distribution, those that are asked for; none for the usual ones.
    """

    level: float = 0.95
    simultaneous: bool = False
    population: bool = False
    consistent: str | None = None
    above: tuple[str | float, ...] = ()
    quantiles: tuple[float, ...] = ()


class KindBody(msgspec.Struct):
    """How the collector's JSON tells kinds of questions apart before there is a result."""

    over_time: bool
    free_text: bool
    several: bool | msgspec.UnsetType = msgspec.UNSET  # only where people select several answers
    number: str | msgspec.UnsetType = msgspec.UNSET  # mean, say: what is found out of numbers
    questions: Count | msgspec.UnsetType = msgspec.UNSET  # only where several are asked at once


class ResultDocument(Shape):
    """A result for machines: whose it is, and then what its kind of question has to say."""

    collection: str
    key: Key
    mechanism: str
    epsilon: float


class Result(ABC):
    """A result: rows of numbers, and what is said beside them, for people, files and charts.

    Attributes:
        collection: whose result it is.
        row: the shape of a row, as JSON has it.
        truth: the true shares, by answer or round, where a simulation or a trial knows them.
    """

    collection: Agreed
    row: ClassVar[type[Shape]]
    truth: Mapping[str, float] | None = None

    @property
    def columns(self) -> dict[str, str]:
        """The fields of a row in a file, and the Arrow type of each."""
        return arrow_types(self.row)

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The numbers, a row for each thing that was estimated."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """The whole result for machines, in the shape that ``Question.result_document`` names."""

    def heading(self) -> dict[str, Any]:
        """The beginning of ``document``: whose result it is."""
        agreed = self.collection
        return {
            "collection": agreed.name,
            "key": agreed.key,
            "mechanism": agreed.mechanism.name,
            "epsilon": agreed.mechanism.epsilon,
        }

    def with_truth(self, truth: Mapping[str, float]) -> Self:
        """The result beside the true shares, by answer or round."""
        changed: Self = replace(cast("Any", self), truth=truth)
        return changed

    def truth_cells(self, name: object, low: float | None, high: float | None) -> dict[str, Any]:
        """The truth of one row and whether its interval holds it, where the truth is known."""
        if self.truth is None:
            return {}
        true = self.truth.get(str(name))
        if true is None or low is None or high is None:
            return {"truth": true, "holds_truth": None}
        return {"truth": true, "holds_truth": low <= true <= high}

    def truths_held(self) -> tuple[int, int]:
        """How many of the known truths lie inside their intervals, and of how many."""
        held = [row["holds_truth"] for row in self.rows() if row.get("holds_truth") is not None]
        return sum(held), len(held)

    @property
    def truth_columns(self) -> dict[str, str]:
        """The fields of ``truth_cells``, and the Arrow type of each."""
        return {} if self.truth is None else {"truth": "float64", "holds_truth": "bool"}

    def withholding(self, rounds: Sequence[int]) -> "Result":
        """The result, if of some rounds it is only known that they have too few reports."""
        if rounds:
            raise ParameterError(f"a result of “{self.collection.name}” has no rounds")
        return self

    def csv(self) -> str:
        """The result's rows as CSV, empty where there is nothing to say."""
        return csv_text(self.rows(), list(self.columns))

    def parquet(self) -> bytes:
        """The result's rows as a Parquet file."""
        return parquet_bytes(self.rows(), self.columns)


@dataclass(frozen=True)
class Question(ABC):
    """One kind of question, asked by one collection.

    Attributes:
        agreed: the collection that asks it.
    """

    agreed: Agreed

    result_document: ClassVar[type[ResultDocument]]
    """The shape of a result for machines."""
    given: ClassVar[str] = "answer"
    """The thing that ε protects: the privacy is that of changing it."""
    every_report: ClassVar[str] = "Any report is"
    """The reports whose odds ε bounds, as a sentence begins."""
    no_report: ClassVar[str] = "no report is"
    """The reports whose odds never exceed the bound of ε, within a sentence."""
    paid_for: ClassVar[str] = "a report"
    """The reports that ε is the cost of, within a sentence."""
    takes_places: ClassVar[bool] = False
    """Whether a result may be asked for quantiles, and for the share above a number."""
    takes_candidates: ClassVar[bool] = False
    """Whether a result needs texts that people may have answered."""
    not_taken: ClassVar[Mapping[str, str]] = {}
    """The options of a result that are for listed answers, each with the reason why not here."""
    rows_at_once: ClassVar[int] = 1 << 18
    """How many people of a table are read together."""

    # How it is answered.

    def check_rules(self, *, invited: bool) -> None:
        """Refuse labels and rules of a collection that don't go with such a question."""
        del invited  # any will do

    @abstractmethod
    def encode(self, answers: Sequence[Any] | NDArray[Any], first: int = 0) -> NDArray[Any]:
        """Answers as the mechanism's values; a wrong one is refused by its position alone."""

    def layout(self, column: str | None) -> Layout:
        """Which columns of a table of answers are read."""
        return columns_named(COLUMN if column is None else column)

    def separated(self, separator: str) -> "Question":
        """The same question, where texts have this sign between several answers."""
        raise ParameterError(
            f"--separator is for several answers; “{self.agreed.name}” ({self.described}) takes "
            f"one, got {separator!r}"
        )

    @abstractmethod
    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """Columns of a table as the mechanism's values, and which rows hold no answer."""

    @abstractmethod
    def refusal(self, columns: "list[pa.Array]") -> str:
        """What is wrong with a row that holds no answer, without a word of what it holds."""

    @property
    def rounds(self) -> int:
        """How many rounds a window has; 0 if it isn't divided."""
        return 0

    def blank_reports(self, count: int) -> Records:
        """Reports that devices might send, all alike and of nobody, to try things out.

        The mechanism's own, of the first value there is: what it refuses nobody else knows.
        """
        mechanism = self.agreed.mechanism
        first = mechanism.randomize([next(iter(mechanism.domain))], Seeded(0))
        return np.repeat(first[:1], count)

    def true_shares(self, values: Iterable[NDArray[Any]]) -> dict[str, float]:
        """The share behind each answer, or in each round, in chunks of the values themselves."""
        del values
        raise ParameterError(
            f"“{self.agreed.name}” ({self.described}) has no list of answers whose shares are true"
        )

    @abstractmethod
    def population(self, truth: Population) -> Population:
        """A population, who holds what, in the form that the mechanism simulates."""

    # What may be shown.

    def are_enough(self, reports: int) -> bool:
        """Whether so many reports are not too few to be shown."""
        return reports >= self.agreed.minimum_reports

    def require_own(self, aggregate: Aggregate) -> None:
        """Raise ``MixedCollections`` unless an aggregate is this collection's."""
        agreed = self.agreed
        if aggregate.key != agreed.key:
            raise MixedCollections(
                f"the aggregate belongs to the collection {aggregate.key[:12]}…, "
                f"not to “{agreed.name}” ({agreed.key[:12]}…)"
            )

    def released(self, aggregate: Aggregate) -> Aggregate:
        """The mechanism's own aggregate, if it is this collection's and large enough."""
        agreed = self.agreed
        self.require_own(aggregate)
        self._check_enough(aggregate.n)
        return replace(aggregate, key=agreed.mechanism.key)

    def _check_enough(self, reports: int) -> None:
        if not self.are_enough(reports):
            raise TooFewReports(f"{there_are(reports, 'report')}; {self._rule}")

    @property
    def _rule(self) -> str:
        return f"“{self.agreed.name}” releases nothing below {self.agreed.minimum_reports}"

    def too_few(self, found: str) -> TooFewReports:
        """The refusal of a collector that has nothing to show; ``found`` says how little it has."""
        return TooFewReports(f"{found}; {self._rule}")

    def cells(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports each part of a sum is of that can be read by itself: one, the whole.

        The minimum holds for every one of them. Where there are several, each is a row of the
        counts and has reports of its own.
        """
        return np.array([aggregate.n])

    def moved_on(self, held: Aggregate, released: Aggregate) -> Aggregate | None:
        """The sum to release next, after the one that was released last; None for no other.

        A cell is what it was, or rests on at least the minimum of new reports: so nobody can take
        one release from another and be left with the reports of a few.
        """
        moving = self.cells(held) - self.cells(released) >= self.agreed.minimum_reports
        if not moving.any():
            return None
        return self._with_cells(held, moving, released.counts)

    def shown(
        self, counts: NDArray[np.int64], closed: int, released: Aggregate | None
    ) -> Aggregate | None:
        """The sum that may be shown of a window that is still being counted; None for nothing.

        Args:
            counts: the sum of all its reports.
            closed: over time, the last round that takes no more.
            released: the sum that was released last.
        """
        del counts, closed
        return None if released is None else self._large_cells(released)

    def _large_cells(self, aggregate: Aggregate) -> Aggregate | None:
        """The cells of a sum that have enough reports, the others blank; None if none has."""
        enough = self.cells(aggregate) >= self.agreed.minimum_reports
        blank = np.zeros_like(aggregate.counts)
        return self._with_cells(aggregate, enough, blank) if enough.any() else None

    def _with_cells(
        self, aggregate: Aggregate, chosen: NDArray[np.bool_], others: NDArray[np.int64]
    ) -> Aggregate:
        """A sum with some of an aggregate's cells, and the rest from ``others``."""
        rows = (len(chosen), -1)
        counts = np.where(
            chosen[:, np.newaxis], aggregate.counts.reshape(rows), others.reshape(rows)
        )
        made = replace(aggregate, counts=counts.reshape(aggregate.counts.shape))
        return replace(made, n=int(self.cells(made).sum()))

    def withheld(self, counts: NDArray[np.int64], closed: int) -> tuple[int, ...]:
        """The closed rounds of a window that have reports, but too few to be shown."""
        del counts, closed
        return ()

    def late(self, reports: Records, closed: int) -> NDArray[np.bool_]:
        """Which reports of a window are of one of its closed rounds, up to ``closed``."""
        del closed
        return np.zeros(len(reports), np.bool_)

    windows_add_up: ClassVar[bool] = True
    """Whether all windows together have one result, of the sum of their reports."""

    # What is made of it.

    def labelled(self, estimate: Estimate) -> Estimate:
        """The mechanism's estimate, by the labels that people know."""
        return estimate.labelled(self.agreed.answers)

    def weigh(self, aggregate: Aggregate, candidates: Iterable[str] = ()) -> Weighed:
        """The part of an analysis that takes long, and that results of every level share."""
        del candidates
        return aggregate

    @property
    def weight_names(self) -> Sequence[str]:
        """The names of what a report has a weight for, in the order of ``Mechanism.weights``."""
        return self.agreed.answers

    def weights(self, reports: Records, number: int) -> NDArray[np.float64]:
        """What each checked report counts of the thing with this number in ``weight_names``."""
        return self.agreed.mechanism.weights(reports, number)

    def weights_described(self) -> str:
        """For what each report has a weight, as the refusal of anything else ends."""
        word, labels = self.listed()
        return f"each report of “{self.agreed.name}” has one for each of its {len(labels)} {word}"

    def check_options(self, options: ResultOptions) -> None:
        """Refuse options of a result that such a question doesn't take."""
        for name, reason in self.not_taken.items():
            if getattr(options, name):
                raise ParameterError(f"{name} is for listed answers; {reason}")
        if (options.above or options.quantiles) and not self.takes_places:
            asked = "a share above a number" if options.above else "a quantile"
            raise ParameterError(
                f"{asked} is one of a distribution of numbers; “{self.agreed.name}” has "
                f"{self.described}"
            )

    @abstractmethod
    def result(self, weighed: Weighed, options: ResultOptions) -> Result:
        """The result of an analysis that ``weigh`` has begun."""

    def series(self, windows: tuple[int, ...], results: Sequence[Any]) -> Result:
        """The results of several windows as one, one window after the other."""
        raise ParameterError(
            f"“{self.agreed.name}” has one result of {len(windows)} windows, not one of each: "
            f"their reports add up ({len(results)} given)"
        )

    def alternatives(
        self, candidates: Iterable[str] | None
    ) -> "tuple[tuple[str | None, ...], Digests | None]":
        """The answers that a single report is weighed for; None stands for any other.

        Beside them the digests of those that are candidates. A question whose reports say nothing
        of one answer is refused.
        """
        del candidates
        raise ParameterError(
            f"single reports of “{self.agreed.name}” ({self.described}) say nothing of one answer: "
            f"`sudare estimate` gives what all of them say together"
        )

    def gather(
        self, reports: Records | Iterable[Records], answers: int, pairs: int, of: str
    ) -> Records:
        """All reports in one array: checked, enough to be released, not too many to compute.

        Args:
            reports: an array, or several.
            answers: how many likelihoods each report will have.
            pairs: the most likelihoods in all.
            of: what these answers are called.
        """
        if isinstance(reports, Aggregate):
            raise ParameterError(
                "an aggregate holds no single reports: give the reports themselves"
            )
        mechanism, name = self.agreed.mechanism, self.agreed.name
        parts: list[Records] = []
        count = 0
        for part in [reports] if isinstance(reports, np.ndarray) else reports:
            if part.dtype != mechanism.report_dtype or part.ndim != 1:
                raise InvalidReport(
                    f"reports of “{name}” are records of {mechanism.report_dtype}, got {part.dtype}"
                )
            mechanism.check(part)
            count += len(part)
            if count * answers > pairs:
                raise ParameterError(
                    f"{count:,} reports times {answers:,} {of} is over the limit of {pairs:,}; "
                    f"name fewer candidates or raise the limit"
                )
            parts.append(part)
        self._check_enough(count)
        return np.concatenate(parts)

    # How it is described.

    @property
    @abstractmethod
    def described(self) -> str:
        """The answers in a few words: 3 answers, free text."""

    def facts(self) -> dict[str, str]:
        """Facts about what answering costs, term by term."""
        facts = {"ε per report": text_up(self.agreed.mechanism.epsilon)}
        return facts | self._for_life()

    def _for_life(self) -> dict[str, str]:
        mechanism = self.agreed.mechanism
        if not mechanism.memoised:
            return {}
        if not mechanism.bounded_for_life:
            return {"ε for life": "none: each report costs anew"}
        return {
            "ε for life": f"{text_up(mechanism.lifetime_epsilon)} for all reports of one answer"
        }

    def cost_fields(self) -> dict[str, Any]:
        """The facts beside ε that a machine is told of what answering costs."""
        return {}

    def cost_of_many(self) -> str:
        """The ε of many reports of a person, in half a sentence, where no noise is kept."""
        mechanism = self.agreed.mechanism
        return (
            f"{mechanism.name} has no permanent step: k reports cost k times {mechanism.epsilon!r}"
        )

    def remarks(self) -> list[str]:
        """Sentences that must be known beside what a person spends; mostly none."""
        return []

    def minimum(self) -> str:
        """The least number of reports that is released, and of what."""
        return f"{self.agreed.minimum_reports}"

    def clipped(self, answer: Any) -> str | None:  # noqa: ANN401 - any kind's
        """For a person whose answer is taken for another one: for which; mostly nothing."""
        del answer
        return None

    def clipped_rows(self, count: int) -> str:
        """That so many rows of a table are taken for other answers, in a sentence."""
        return f"{count:,} rows count as other answers than they hold"

    def randomised(self, people: int, reports: int) -> str:
        """That the answers of so many people were randomised, and at which ε, in a sentence."""
        del reports  # one each
        answers = "1 answer" if people == 1 else f"{people:,} answers"
        return f"{answers} randomised at ε = {text_up(self.agreed.mechanism.epsilon)} each"

    def foreseen_error(self, people: int) -> float | None:
        """How far a result of so many people's reports will be off; None where nobody can say.

        Half the width of a 95 % interval, unless a kind says otherwise.
        """
        del people
        return None

    def where(self, aggregate: Aggregate) -> str:
        """Where the reports of an aggregate lie, as a sentence ends; mostly nothing."""
        del aggregate
        return ""

    @property
    def body(self) -> KindBody:
        """The question's kind, as the collector's JSON has it."""
        return KindBody(over_time=False, free_text=False)

    @abstractmethod
    def listed(self) -> tuple[str, Sequence[str]]:
        """The word for the answers, and the label of each."""

    def spending(self) -> str:
        """The ε that a person spends, in half a sentence."""
        mechanism = self.agreed.mechanism
        spent = f"one report spends ε = {text_up(mechanism.epsilon)} and not more"
        if mechanism.bounded_for_life:
            spent += f", all reports of one answer {text_up(mechanism.lifetime_epsilon)}"
        return spent

    def cost(self) -> str:
        """The ε that a person spends, in a few words."""
        mechanism = self.agreed.mechanism
        each = f"ε = {text_up(mechanism.epsilon)}"
        if not mechanism.memoised:
            return each
        if not mechanism.bounded_for_life:
            return f"{each} for each report, without a bound for life"
        return f"{each} for a report, {text_up(mechanism.lifetime_epsilon)} for life"


def texts_of(answers: Sequence[Any] | NDArray[Any], first: int) -> Sequence[str]:
    """The answers, if each is a text; what is none is refused by its position."""
    odd = next((i for i, answer in enumerate(answers) if not isinstance(answer, str)), None)
    if odd is not None:
        raise InvalidAnswer(f"the answer at position {first + odd} is not a text")
    return list(answers)
