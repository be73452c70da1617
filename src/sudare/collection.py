"""A collection: one question, its answers and the mechanism, as one public JSON document."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.aggregate import Aggregate
from sudare.continual import ContinualMechanism
from sudare.documents import canonical, decode
from sudare.domain import Groups, whole
from sudare.errors import (
    InvalidAnswer,
    InvalidDocument,
    MixedCollections,
    ParameterError,
    TooFewReports,
)
from sudare.estimate import Estimate
from sudare.keystream import Keystream
from sudare.mechanism import Mechanism, MemoisedMechanism, Records
from sudare.mechanisms import from_document
from sudare.randomness import Randomness
from sudare.states import StateReader, check_labels
from sudare.strings import Strings
from sudare.windows import Windows, WindowsBody


@dataclass(frozen=True)
class Collection:
    """What is asked, what may be answered, how an answer is randomised, when results are shown.

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
    """

    name: str
    question: str
    answers: tuple[str, ...]
    mechanism: Mechanism
    minimum_reports: int = 1
    windows: Windows | None = None
    keeps_reports: bool = False
    invited: bool = False

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
        if isinstance(self.mechanism, ContinualMechanism):
            check_labels(self.answers)
            if self.windows:
                self.windows.check_rounds(self.mechanism.rounds)
            if self.invited:
                self.mechanism.check_invited()

    @cached_property
    def key(self) -> str:
        """SHA-256 of the canonical document: the collection's identity."""
        return hashlib.sha256(canonical(self._body())).hexdigest()

    @property
    def epsilon(self) -> float:
        """What one report costs the person who sends it; over time, all of a person's reports."""
        return self.mechanism.epsilon

    @property
    def lifetime_epsilon(self) -> float:
        """What all reports of one answer cost together; infinite where nothing is memoised."""
        mechanism = self.mechanism
        return mechanism.lifetime_epsilon if isinstance(mechanism, MemoisedMechanism) else math.inf

    @property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record that leaves a device."""
        return self.mechanism.report_dtype

    @property
    def zero(self) -> Aggregate:
        """The aggregate of nobody."""
        return replace(self.mechanism.zero, key=self.key)

    @property
    def free_text(self) -> bool:
        """Whether people answer in their own words."""
        return isinstance(self.mechanism.domain, Strings)

    @property
    def over_time(self) -> bool:
        """Whether people are in one of two states in each of several rounds."""
        return isinstance(self.mechanism, ContinualMechanism)

    def encode(self, answers: Sequence[Any] | NDArray[Any], first: int = 0) -> NDArray[Any]:
        """Answers as the mechanism's values; an unknown label is refused by its position.

        Free text is hashed under this collection's own key. Over time, an answer is a person's
        row of states, each a label or 0 or 1. ``first`` is the position of the first answer,
        where these are a part of many.
        """
        if isinstance(answers, str):
            raise ParameterError("answers must be a list, got a single text")
        if self.over_time:
            return self.state_reader.read(answers, first)
        odd = next((i for i, answer in enumerate(answers) if not isinstance(answer, str)), None)
        if odd is not None:
            raise InvalidAnswer(f"the answer at position {first + odd} is not a text")
        if self.free_text:
            return Strings(self.key).check(list(answers), first)
        numbers = [self._numbers.get(answer, -1) for answer in answers]
        if -1 in numbers:
            raise self.unknown_answer(first + numbers.index(-1))
        return np.array(numbers, np.int64)

    def unknown_answer(self, position: int) -> InvalidAnswer:
        """The error for an answer that is not among the labels."""
        return InvalidAnswer(
            f"the answer at position {position} is not one of the {len(self.answers)} answers of "
            f"“{self.name}” (`sudare collection show` lists them)"
        )

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.answers)}

    @cached_property
    def state_reader(self) -> StateReader:
        """How people's states over time are written: by label, or as 0 and 1."""
        if not isinstance(self.mechanism, ContinualMechanism):
            raise ParameterError(f"“{self.name}” is asked once; there are no states over time")
        spellings = {**self._numbers, "0": 0, "1": 1}
        return StateReader(self.name, self.mechanism.rounds, spellings)

    def randomize(
        self, answers: Sequence[Any] | NDArray[Any], rng: Randomness | None = None
    ) -> Records:
        """The reports of labelled answers, or of rows of states."""
        return self.mechanism.randomize(self.encode(answers), rng)

    def aggregate(self, reports: Records) -> Aggregate:
        """Check and count reports, under this collection's key."""
        return replace(self.mechanism.aggregate(reports), key=self.key)

    def simulate(self, truth: Mapping[str, int] | ArrayLike | Groups, rng: Keystream) -> Aggregate:
        """The aggregate of people who answer so: drawn from its exact law, without them.

        Args:
            truth: how many people give each answer. Over time, how many are in state 0 and in
                state 1, a row per round, or ``Groups``.
            rng: a seed's, as a rule.
        """
        if isinstance(self.mechanism, ContinualMechanism):
            if isinstance(truth, Mapping):
                raise ParameterError("over time, a population is a row of 2 counts for each round")
            return replace(self.mechanism.simulate(truth, rng), key=self.key)
        if not isinstance(truth, Mapping):
            raise ParameterError("a population is a number of people for each answer's label")
        values = self.encode(list(truth))
        people = np.array([whole("a number of people", count) for count in truth.values()], int)
        held: Any = (values, people)
        if not self.free_text:
            held = np.zeros(len(self.answers), np.int64)
            held[values] = people
        return replace(self.mechanism.simulate(held, rng), key=self.key)

    def estimate(self, aggregate: Aggregate) -> Estimate:
        """The labelled, unbiased estimate, if there are enough reports to release one.

        Over time a ``StreamEstimate`` of the share of people in state 1, in each round that has
        enough reports.
        """
        estimate = self.mechanism.estimate(self.released(aggregate))
        return estimate if self.over_time else estimate.labelled(self.answers)

    def released(self, aggregate: Aggregate) -> Aggregate:
        """The mechanism's own aggregate, if it is this collection's and large enough.

        Over time every round must be large enough by itself, as its estimate rests on its own
        reports: the counts of one that isn't are left out. What was released of a round never
        changes with a later one, and when a device reports has nothing to do with its states.
        """
        if aggregate.key != self.key:
            raise MixedCollections(
                f"the aggregate belongs to the collection {aggregate.key[:12]}…, "
                f"not to “{self.name}” ({self.key[:12]}…)"
            )
        if aggregate.n < self.minimum_reports:
            raise TooFewReports(
                f"there are {aggregate.n} reports; “{self.name}” releases nothing below "
                f"{self.minimum_reports}"
            )
        own = replace(aggregate, key=self.mechanism.key)
        return self._released_rounds(self.mechanism.own(own)) if self.over_time else own

    def _released_rounds(self, aggregate: Aggregate) -> Aggregate:
        reports = aggregate.counts.sum(axis=1)
        enough = reports >= self.minimum_reports
        if not enough.any():
            raise TooFewReports(
                f"no round has more than {reports.max()} reports; “{self.name}” releases nothing "
                f"of a round below {self.minimum_reports}"
            )
        counts = np.where(enough[:, np.newaxis], aggregate.counts, 0)
        return replace(aggregate, n=int(counts.sum()), counts=counts)

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
            "windows": self.windows and asdict(self.windows),
            "keeps_reports": self.keeps_reports,
            "invited": self.invited,
        }
        return body | {name: rule for name, rule in rules.items() if rule}

    def to_json(self) -> bytes:
        """The document, indented for people, with ε stated."""
        document = {**self._body(), "epsilon": self.epsilon}
        if math.isfinite(self.lifetime_epsilon):
            document["lifetime_epsilon"] = self.lifetime_epsilon
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The collection of a document; one that states less ε than it spends is refused."""
        document = decode(data, _Document, "a collection")
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
        )
        stated = document.lifetime_epsilon
        if stated is not None and stated < made.lifetime_epsilon:
            raise InvalidDocument(
                f"the collection states a lifetime ε = {stated}, but its parameters give "
                f"{made.lifetime_epsilon}"
            )
        return made


class _Document(msgspec.Struct, forbid_unknown_fields=True):
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
