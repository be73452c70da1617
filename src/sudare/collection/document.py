"""A collection: one question, its answers and the mechanism, as one public JSON document."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Randomness
from sudare.collection.windows import Windows, WindowsBody
from sudare.errors import InvalidDocument, ParameterError
from sudare.estimation.estimate import Estimate
from sudare.formats.documents import canonical, decode
from sudare.formats.wire import Columns, Records
from sudare.mechanisms import from_document
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import AnswerGroups, Groups, SelectionGroups
from sudare.mechanisms.interface import Mechanism
from sudare.questions import question_of
from sudare.questions.interface import Part, Question, Result, ResultOptions


@dataclass(frozen=True)
class Collection:
    """A question, its answers, how an answer is randomised, and when results are shown.

    Device and collector hold the same document. Its ``key`` names it on every batch of reports
    and every aggregate, so that nothing can be mixed and a device answers exactly the question
    it agreed to.

    Attributes:
        name: a short name, for files and tables.
        question: what people are asked.
        answers: the answers' labels, in the order of the mechanism's values; none for free text;
            over time, the names of state 0 and of state 1.
        mechanism: how an answer becomes a report.
        minimum_reports: no estimate is given of fewer reports than this; over time, none of a
            round that has fewer.
        windows: of time, if it is asked again and again; over time, each holds all rounds.
        keeps_reports: whether a collector keeps every report, or only their sum.
        invited: whether a report needs an invitation, good for one in each window.
        parts: the questions, where several are asked at once, each with answers of its own.
    """

    name: str
    question: str
    answers: tuple[str, ...]
    mechanism: Mechanism
    minimum_reports: int = 1
    windows: Windows | None = None
    keeps_reports: bool = False
    invited: bool = False
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        wanted = self.mechanism.domain.size
        if len(self.answers) != wanted:
            raise ParameterError(
                f"the mechanism randomises {wanted} answers, the collection lists "
                f"{len(self.answers)}"
            )
        if len(set(self.answers)) != len(self.answers):
            raise ParameterError("two answers have the same label; each must be different")
        if not all((self.name, *self.answers)):
            raise ParameterError("the name and every answer's label need at least one character")
        if self.minimum_reports < 1:
            raise ParameterError(f"minimum_reports must be at least 1, got {self.minimum_reports}")
        if self.parts and not self.kind.body.questions:
            raise ParameterError(
                f"the mechanism randomises the answers to one question, the collection has "
                f"{len(self.parts)} parts"
            )
        self.kind.check_rules(invited=self.invited)
        if self.windows and self.kind.rounds:
            self.windows.check_rounds(self.kind.rounds)

    @cached_property
    def key(self) -> str:
        """SHA-256 of the canonical document: the collection's identity."""
        return hashlib.sha256(canonical(self._body())).hexdigest()

    @property
    def epsilon(self) -> float:
        """The ε that one report costs its sender; over time, that of a person's whole stream."""
        return self.mechanism.epsilon

    @property
    def lifetime_epsilon(self) -> float:
        """The ε of all reports of one answer together; infinite where nothing is memoised."""
        return self.mechanism.lifetime_epsilon

    @property
    def report_dtype(self) -> np.dtype[np.void]:
        """The fixed-width record of one report, which leaves a device."""
        return self.mechanism.report_dtype

    @property
    def zero(self) -> Aggregate:
        """The aggregate of no reports: neutral under ``+``."""
        return replace(self.mechanism.zero, key=self.key)

    @cached_property
    def kind(self) -> Question:
        """The question, which knows how it is answered, released, analysed and described."""
        return question_of(self)

    @property
    def free_text(self) -> bool:
        """Whether people answer in their own words."""
        return self.kind.body.free_text

    @property
    def over_time(self) -> bool:
        """Whether people are in one of two states in each of several rounds."""
        return self.kind.body.over_time

    def encode(self, answers: Sequence[Any] | NDArray[Any], first: int = 0) -> NDArray[Any]:
        """Answers as the mechanism's values; a wrong one is refused by its position.

        Free text is hashed under this collection's own key. Over time, an answer is a person's
        row of states, each a label or 0 or 1. ``first`` is the position of the first answer,
        where these are a part of many.
        """
        if isinstance(answers, str):
            raise ParameterError("answers must be a list, got a single text")
        return self.kind.encode(answers, first)

    def randomize(
        self, answers: Sequence[Any] | NDArray[Any], rng: Randomness | None = None
    ) -> Records:
        """The reports of labelled answers, or of rows of states."""
        return self.mechanism.randomize(self.encode(answers), rng)

    def aggregate(self, reports: Records | Columns) -> Aggregate:
        """Check and count reports, under this collection's key."""
        return replace(self.mechanism.aggregate(reports), key=self.key)

    def simulate(
        self,
        truth: Mapping[Any, int] | ArrayLike | Groups | SelectionGroups | AnswerGroups,
        rng: Keystream,
    ) -> Aggregate:
        """The aggregate of people who answer so: drawn from its exact law, without them.

        Args:
            truth: how many people give each answer; where several may be selected, how many give
                each selection, a tuple of labels, or ``SelectionGroups``; of several questions
                at once, how many give each row of answers, a tuple of labels, or ``AnswerGroups``.
                Over time, how many are in state 0 and in state 1, a row per round, or ``Groups``.
            rng: a seed's, as a rule.
        """
        return replace(self.mechanism.simulate(self.kind.population(truth), rng), key=self.key)

    def estimate(self, aggregate: Aggregate) -> Estimate:
        """The labelled, unbiased estimate, if there are enough reports to release one.

        Over time a ``StreamEstimate`` of the share of people in state 1, in each round that has
        enough reports.
        """
        return self.kind.labelled(self.mechanism.estimate(self.released(aggregate)))

    def released(self, aggregate: Aggregate) -> Aggregate:
        """The mechanism's own aggregate, if it is this collection's and large enough.

        Over time every round must be large enough by itself: the counts of one that isn't are
        left out.
        """
        return self.kind.released(aggregate)

    def analyse(self, aggregate: Aggregate, options: ResultOptions | None = None) -> Result:
        """The estimate with everything that is shown beside it: rows, as JSON, CSV and Parquet.

        Free text needs candidates: ``sudare.decode``.
        """
        chosen = options or ResultOptions()
        self.kind.check_options(chosen)
        return self.kind.result(aggregate, chosen)

    def _body(self) -> dict[str, Any]:
        body = {
            "sudare": "collection",
            "format": 1,
            "name": self.name,
            "question": self.question,
            "answers": list(self.answers),
            "mechanism": self.mechanism.document(),
            "minimum_reports": self.minimum_reports,
        }
        # What isn't said has no place in the key: documents of before these rules keep theirs.
        rules = {
            "parts": [asdict(part) | {"answers": list(part.answers)} for part in self.parts],
            "windows": self.windows and asdict(self.windows),
            "keeps_reports": self.keeps_reports,
            "invited": self.invited,
        }
        return body | {name: rule for name, rule in rules.items() if rule}

    def to_json(self) -> bytes:
        """The collection's document, indented for people, with ε stated."""
        document = {**self._body(), "epsilon": self.epsilon}
        if self.mechanism.bounded_for_life:
            document["lifetime_epsilon"] = self.lifetime_epsilon
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The collection of a document; one that states less ε than it spends is refused."""
        document = decode(data, CollectionBody, "a collection")
        mechanism = from_document(document.mechanism)
        if document.epsilon < mechanism.epsilon:
            raise InvalidDocument(
                f"the collection states ε = {document.epsilon}, but its parameters give "
                f"ε = {mechanism.epsilon}"
            )
        made = cls(
            document.name,
            document.question,
            tuple(document.answers),
            mechanism,
            document.minimum_reports,
            None if document.windows is None else document.windows.value(),
            document.keeps_reports,
            document.invited,
            tuple(part.value() for part in document.parts or ()),
        )
        stated = document.lifetime_epsilon
        if stated is not None and stated < made.lifetime_epsilon:
            raise InvalidDocument(
                f"the collection states a lifetime ε = {stated}, but its parameters give "
                f"{made.lifetime_epsilon}"
            )
        return made


class PartBody(msgspec.Struct, forbid_unknown_fields=True):
    """One of several questions as a collection's document states it."""

    name: str
    question: str
    answers: list[str]

    def value(self) -> Part:
        """The question that the document states."""
        return Part(self.name, self.question, tuple(self.answers))


class CollectionBody(msgspec.Struct, forbid_unknown_fields=True):
    """A collection as its document says it, before anything of it is checked."""

    sudare: Literal["collection"]
    format: Literal[1]
    name: str
    question: str
    answers: list[str]
    mechanism: dict[str, Any]
    minimum_reports: int
    epsilon: float
    lifetime_epsilon: float | None = None
    windows: WindowsBody | None = None
    keeps_reports: bool = False
    invited: bool = False
    parts: list[PartBody] | None = None
