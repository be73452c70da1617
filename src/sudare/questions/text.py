"""An answer in people's own words: which candidates people give, and how many do."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judged, is_empty
from sudare.decoding.from_reports import weigh_reports
from sudare.decoding.from_sums import (
    MEMORY,
    Decoded,
    bytes_of_bits,
    check_levels,
    decode_sums,
    hash_candidates,
)
from sudare.decoding.likelihoods import PAIRS
from sudare.errors import ParameterError, TooFewReports
from sudare.estimation.detection import smallest_detectable
from sudare.estimation.significance import Correction
from sudare.formats.documents import Count, Shape
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.strings import LONGEST, Digests, Strings, is_hashable
from sudare.questions.choice import people_by_text
from sudare.questions.interface import (
    Agreed,
    KindBody,
    Population,
    Question,
    Result,
    ResultDocument,
    ResultOptions,
    Weighed,
    texts_of,
)

if TYPE_CHECKING:
    import pyarrow as pa


_FORESEEN_CANDIDATES = 1000  # of the error that a new collection will have


class TextRow(Shape):
    """A text that was found, with its share."""

    candidate: str
    share: float
    stderr: float
    low: float
    high: float
    p_value_alone: float
    p_value: float


class UnexplainedBody(Shape):
    """The share of people who answered none of the texts found."""

    share: float
    stderr: float


class TextsDocument(ResultDocument):
    """The texts found in free text, as ``sudare decode --json`` says them."""

    n: Count
    candidates: Count
    false_discoveries: float
    correction: str
    level: float
    smallest_detectable: float
    excess_noise: float | None
    discoveries: Count
    found: list[TextRow]
    unexplained: UnexplainedBody


@dataclass(frozen=True)
class FreeText(Question):
    """A question that is answered in people's own words."""

    result_document: ClassVar[type[ResultDocument]] = TextsDocument
    takes_candidates: ClassVar[bool] = True
    not_taken: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("simultaneous", "population", "consistent"), "these are people's own words"
    )

    @cached_property
    def mechanism(self) -> Rappor:
        """The RAPPOR that the collection uses, the one mechanism for texts."""
        return cast("Rappor", self.agreed.mechanism)

    def encode(self, answers: Sequence[Any] | NDArray[Any], first: int = 0) -> Digests:
        """The digests of people's texts, under the collection's own hash family."""
        return Strings(self.agreed.key).check(texts_of(answers, first), first)

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """The digests of the texts in a table's one column; each different one is hashed once."""
        (column,) = columns
        texts = column.dictionary_encode()
        different = texts.dictionary.to_pylist()
        wrong = np.array([not is_hashable(text) for text in different] + [True])
        # Where there is no text, any stands in its place: nobody reads what is wrong.
        filled = ["?" if bad else text for text, bad in zip([*different, "?"], wrong, strict=True)]
        which: NDArray[np.int64] = texts.indices.fill_null(len(different)).to_numpy()
        return Judged(self.encode(filled)[which], wrong[which])

    def refusal(self, columns: "list[pa.Array]") -> str:
        """That an answer is missing or can't be hashed; its length is part of what it says."""
        if is_empty(columns[0])[0]:
            return "the answer is missing"
        return f"the answer is not a text of 1 to {LONGEST} bytes"

    def blank_reports(self, count: int) -> Records:
        """Reports that devices might send, all alike and of nobody: no place is on in them."""
        return np.zeros(count, self.mechanism.report_dtype)

    def population(self, truth: Population) -> tuple[Digests, NDArray[np.int64]]:
        """A population: the digests of texts, and how many people answer each."""
        return people_by_text(self, truth)

    def cells(self, aggregate: Aggregate) -> NDArray[np.int64]:
        """How many reports each cohort has, whose sum is a row by itself."""
        reports: NDArray[np.int64] = aggregate.counts[:, 0]
        return reports

    def too_few(self, found: str) -> TooFewReports:
        """The refusal to show anything, as no cohort has enough reports."""
        cohorts = self.mechanism.cohorts
        return TooFewReports(
            f"{found} for {cohorts:,} cohorts; “{self.agreed.name}” releases nothing of a cohort "
            f"below {self.agreed.minimum_reports}"
        )

    def foreseen_error(self, people: int) -> float:
        """The share that a text needs to be found half the time, among a thousand candidates."""
        return smallest_detectable(self.mechanism, people, _FORESEEN_CANDIDATES)

    def minimum(self) -> str:
        """The least number of reports of a cohort that a collector releases."""
        return f"{super().minimum()} (with a collector, in a cohort)"

    def weigh(self, aggregate: Aggregate, candidates: Iterable[str] = ()) -> Decoded:
        """The sums of reports, decoded against candidates."""
        return decode(self.agreed, aggregate, candidates)

    def result(self, weighed: Weighed, options: ResultOptions) -> "Discoveries":
        """The candidates that were found, as a result."""
        if not isinstance(weighed, Decoded):
            raise ParameterError(
                f"“{self.agreed.name}” is answered in free text, which has no list of answers: "
                f"use `sudare decode` with candidates"
            )
        self.check_options(options)
        found = replace(weighed, level=options.level)
        return Discoveries(self.agreed, found, everyone=False, top=None)

    def alternatives(
        self, candidates: Iterable[str] | None
    ) -> tuple[tuple[str | None, ...], Digests]:
        """The answers that a single report is weighed for: candidates, or any other text."""
        if candidates is None:
            raise ParameterError(f"“{self.agreed.name}” asks for free text: name its candidates")
        texts, hashed = hash_candidates(
            self.agreed.key, candidates, each=bytes_of_bits(self.mechanism)
        )
        return (*texts, None), hashed

    @property
    def weight_names(self) -> Sequence[str]:
        """The bits of a report, which texts share; a bit means something else in every cohort."""
        return [f"bit_{number}" for number in range(self.mechanism.bits)]

    def weights_described(self) -> str:
        """That texts share bits, and bits have weights."""
        return (
            f"texts share bits, so that no plain sum counts one; each report of "
            f"“{self.agreed.name}” has weights for bit_0 to bit_{self.mechanism.bits - 1}, to be "
            f"summed in each cohort, and `sudare decode` finds texts"
        )

    @property
    def described(self) -> str:
        """The answers in a few words: free text."""
        return "free text"

    @property
    def body(self) -> KindBody:
        """Free text, as the collector's JSON has it."""
        return KindBody(over_time=False, free_text=True)

    def listed(self) -> tuple[str, Sequence[str]]:
        """The word for the answers, none of which has a label of its own."""
        return "answers", ["free text"]

    def spending(self) -> str:
        """The ε that a person spends, and that they answer in their own words."""
        return f"{super().spending()}; answered in free text"


@dataclass(frozen=True)
class Discoveries(Result):
    """The texts found in free text, and how many of them are shown.

    Attributes:
        collection: whose reports these are.
        decoded: all that is known.
        everyone: whether candidates that were not found are shown too.
        top: how many are shown at most.
    """

    row: ClassVar[type[Shape]] = TextRow

    collection: Agreed
    decoded: Decoded
    everyone: bool
    top: int | None
    truth: Mapping[str, float] | None = None

    @property
    def columns(self) -> dict[str, str]:
        """The fields of a row and their Arrow types; ``found`` where all candidates are shown."""
        found = {"found": "bool"} if self.everyone else {}
        return super().columns | found | self.truth_columns

    @cached_property
    def found(self) -> list[dict[str, Any]]:
        """The rows of texts found, or of all if there are no others, the largest share first."""
        return self.decoded.rows()[: self.top]

    @cached_property
    def shown(self) -> list[dict[str, Any]]:
        """The rows of the texts to be listed, found or not, the largest share first."""
        return self.decoded.rows(everyone=True)[: self.top] if self.everyone else self.found

    def rows(self) -> list[dict[str, Any]]:
        """The numbers, a row per text to be listed."""
        return [
            row | self.truth_cells(row["candidate"], row["low"], row["high"]) for row in self.shown
        ]

    @property
    def count(self) -> int:
        """How many candidates were found."""
        return len(self.decoded.findings.found)

    def document(self) -> dict[str, Any]:
        """The whole result as JSON values; what is unexplained may lie below 0 or above 1."""
        decoded = self.decoded
        document = {
            **self.heading(),
            "n": decoded.n,
            "candidates": len(decoded.candidates),
            "false_discoveries": decoded.false_discoveries,
            "correction": decoded.correction,
            "level": decoded.level,
            "smallest_detectable": decoded.smallest,
            "excess_noise": decoded.excess,
            "discoveries": self.count,
            "found": self.found,
            "unexplained": {
                "share": decoded.unexplained,
                "stderr": decoded.unexplained_stderr,
            },
        }
        if decoded.complete is not None:
            document["complete"] = True
        return {**document, "all": self.shown} if self.everyone else document


def text_question(collection: Agreed) -> FreeText:
    """The question of a collection, if it is answered in free text; any other is refused."""
    question = collection.kind
    if not isinstance(question, FreeText):
        raise ParameterError(
            f"“{collection.name}” has no texts to find ({question.described}): `sudare estimate` "
            f"gives its result"
        )
    return question


def decode(  # noqa: PLR0913 - what an analyst may choose
    collection: Agreed,
    aggregate: Aggregate,
    candidates: Iterable[str],
    *,
    false_discoveries: float = 0.05,
    correction: Correction = "benjamini-hochberg",
    level: float = 0.95,
    complete: bool = False,
    memory: int = MEMORY,
    progress: Callable[[int], object] | None = None,
) -> Decoded:
    """Decode sums of free text: which candidates people hold, and how many do.

    Args:
        collection: a collection of free text.
        aggregate: its reports, counted.
        candidates: texts that people may have answered, in any order, as a list or a stream.
        false_discoveries: their expected share among those found; by Bonferroni, the chance of any.
        correction: ``benjamini-hochberg``, ``bonferroni``, or ``none`` for a single candidate.
        level: the confidence of the intervals, such as 0.95.
        complete: whether nobody answered anything but these candidates. Then every candidate has
            a share, none is negative, and they sum to 1.
        memory: the bytes that the candidates may take.
        progress: hears how many candidates have been hashed.
    """
    question = text_question(collection)
    if not isinstance(aggregate, Aggregate):
        raise ParameterError(
            f"decode takes an Aggregate, got {type(aggregate).__name__}: count the reports first "
            f"(collection.aggregate), or weigh them one by one (decode_reports)"
        )
    check_levels(false_discoveries, correction, level)
    released = question.released(aggregate)
    hashed = hash_candidates(collection.key, candidates, memory, progress)
    return decode_sums(
        question.mechanism,
        released,
        *hashed,
        false_discoveries,
        correction,
        level,
        complete=complete,
    )


def decode_reports(  # noqa: PLR0913 - likewise
    collection: Agreed,
    reports: Records | Iterable[Records],
    candidates: Iterable[str],
    *,
    false_discoveries: float = 0.05,
    correction: Correction = "benjamini-hochberg",
    level: float = 0.95,
    pairs: int = PAIRS,
    memory: int = MEMORY,
    progress: Callable[[float], object] | None = None,
) -> Decoded:
    """Decode single reports of free text: which candidates people hold, and how many do.

    ``findings.mixture`` holds the most likely shares of all candidates and, last, of "other"
    texts, with their certificate. The findings' own shares are not bound to be positive, so that
    their intervals keep their level.

    Args:
        collection: a collection of free text.
        reports: its reports, as an array or as several.
        candidates: texts that people may have answered, in any order, as a list or a stream.
        false_discoveries: their expected share among those found; by Bonferroni, the chance of any.
        correction: ``benjamini-hochberg``, ``bonferroni``, or ``none`` for a single candidate.
        level: the confidence of the intervals, such as 0.95.
        pairs: the most reports times candidates to compute.
        memory: the bytes that the candidates' bits may take.
        progress: hears after each pass how much log-likelihood may be left to gain.
    """
    question = text_question(collection)
    check_levels(false_discoveries, correction, level)
    each = bytes_of_bits(question.mechanism)
    texts, hashed = hash_candidates(collection.key, candidates, memory, each=each)
    told = question.gather(reports, len(texts), pairs, "candidates")
    return weigh_reports(
        question.mechanism, told, texts, hashed, false_discoveries, correction, level, progress
    )
