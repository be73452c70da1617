"""Several answers of a list: the share of people who select each, and how many they select."""

import math
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from sudare.answers.labels import Labels
from sudare.answers.reading import Judged, is_empty
from sudare.answers.table import Layout, NoColumn, columns_named
from sudare.errors import InvalidAnswer, ParameterError
from sudare.estimation.frequency_error import share_variance
from sudare.formats.documents import Shape
from sudare.formats.numbers import counted
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import SelectionGroups
from sudare.mechanisms.set_response import MeanSize, SetResponse
from sudare.questions.choice import AnswerList, AnswersDocument, Shares, people_by_text
from sudare.questions.interface import (
    COLUMN,
    DEVIATIONS,
    KindBody,
    Population,
    ResultDocument,
    ResultOptions,
)

if TYPE_CHECKING:
    import pyarrow as pa

Selected = NDArray[np.uint8]

SEPARATOR = ";"
"""The sign between the answers of a selection that is one text, unless another is named."""
_FLAGS = {"0": 0, "1": 1, "false": 0, "true": 1}
_CELLS = 1 << 22  # of tables that are read at a time

# What may be wrong with a selection, the first that applies; 0 is none of them.
_BLANK, _UNKNOWN, _REPEATED, _TOO_MANY, _NO_FLAG = range(1, 6)


class MeanSizeRow(Shape):
    """How many answers people select in the mean."""

    mean: float
    stderr: float
    low: float
    high: float
    rough: bool


class SelectionsDocument(AnswersDocument):
    """The shares of people who select each answer, and how many answers they select."""

    most: int
    selected: MeanSizeRow


@dataclass(frozen=True)
class Selection(AnswerList):
    """A question with a list of answers, of which a person selects some, or none.

    An answer is a list of labels. In a table, and wherever it is one text, the labels stand in a
    row with a separator between them. To have selected nothing is an answer; it is written as a
    separator alone, since an empty cell is an answer that is missing.

    Attributes:
        separator: the sign between labels.
    """

    result_document: ClassVar[type[ResultDocument]] = SelectionsDocument

    separator: str = SEPARATOR

    @property
    def sets(self) -> SetResponse:
        """The mechanism that the collection uses."""
        return cast("SetResponse", self.agreed.mechanism)

    def separated(self, separator: str) -> Self:
        """The same question, where texts have another sign between labels."""
        return replace(self, separator=check_separator(separator))

    def encode(self, answers: Sequence[Any] | NDArray[Any], first: int = 0) -> Selected:
        """Selections, each a list of labels or one text, as a row of 0 and 1 per person."""
        k = len(self.agreed.answers)
        values = np.zeros((len(answers), k), np.uint8)
        for position, answer in enumerate(answers):
            labels = self._labels(answer, first + position)
            numbers = [self._numbers.get(label, -1) for label in labels]
            fault = self._fault(numbers)
            if fault:
                raise InvalidAnswer(
                    f"the answer at position {first + position} {self._says(fault)}"
                )
            values[position, numbers] = 1
        return values

    def _labels(self, answer: object, position: int) -> list[str]:
        """The labels of one selection, which is a list of them or one text."""
        if isinstance(answer, str):
            labels = labels_of(answer, self.separator)
            if labels is None:
                raise InvalidAnswer(f"the answer at position {position} {self._says(_BLANK)}")
            if self._is_unclear(labels):
                raise InvalidAnswer(
                    f"the answer at position {position} may be read in two ways: give a list of "
                    f"labels"
                )
            return [self._by_text.get(label, label) for label in labels]
        if isinstance(answer, Sequence | AbstractSet | np.ndarray):
            labels = list(answer)
            if all(isinstance(label, str) for label in labels):
                return labels
        raise InvalidAnswer(f"the answer at position {position} is not a list of answers")

    @cached_property
    def _unclear(self) -> dict[str, str]:
        """The answers that a text can't name, each with the reason: they pass for others."""
        found: dict[str, str] = {}
        known: dict[str, str] = {}
        for label in self.agreed.answers:
            text = label.strip()
            if labels_of(self.separator.join((label, label)), self.separator) != [text, text]:
                found[label] = (
                    f"the answer {label!r} can't be told from several with {self.separator!r} "
                    f"between them: take another --separator, or a column for each answer"
                )
            elif known.setdefault(text, label) != label:
                found[label] = (
                    f"the answers {known[text]!r} and {label!r} are alike but for spaces, which "
                    f"don't matter in a text: a column for each answer tells them apart"
                )
        return found

    @cached_property
    def _by_text(self) -> dict[str, str]:
        """The other answers by how they stand in a text: without the spaces around them."""
        return {label.strip(): label for label in self.agreed.answers if label not in self._unclear}

    def _is_unclear(self, labels: Sequence[str]) -> bool:
        """Whether these parts of a text, or some in a row, may be one of the unclear answers."""
        for label in self._unclear:
            parts = labels_of(label, self.separator) or [label]
            starts = range(len(labels) - len(parts) + 1)
            if any(labels[start : start + len(parts)] == parts for start in starts):
                return True
        return False

    def _fault(self, numbers: Sequence[int]) -> int:
        if -1 in numbers:
            return _UNKNOWN
        if len(set(numbers)) < len(numbers):
            return _REPEATED
        return _TOO_MANY if len(numbers) > self.sets.most else 0

    def _says(self, fault: int) -> str:
        """What is wrong with a selection, without a word of what it holds."""
        return _fault_text(fault, self.sets.most, self.separator, self._none_of_them)

    def layout(self, column: str | None) -> Layout:
        """The one column of selections, or else a column for each answer, named by its label."""
        if column is not None:
            return columns_named(column)
        usual = columns_named(COLUMN)

        def wanted(names: list[str]) -> list[str]:
            labels = self.agreed.answers
            if COLUMN in names or not any(label in names for label in labels):
                return usual.wanted(names)
            if any(names.count(label) != 1 for label in labels):
                # Which ones there are isn't told: the first line may be a person's answers.
                raise NoColumn(
                    f"there are columns for some of the {len(labels)} answers, but not one for "
                    f"each, and no column {COLUMN!r}; name one with --column"
                )
            return list(labels)

        hint = f"several answers of a person are one text, such as a{self.separator}b"
        return usual._replace(wanted=wanted, hint=hint)

    @property
    def rows_at_once(self) -> int:  # type: ignore[override]
        """How many people of a table are read together: their selections fit in memory."""
        return max(1, _CELLS // len(self.agreed.answers))

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """One column of texts, or one of 0 and 1 for each answer, as a row of 0 and 1 each."""
        values, faults = self._read(columns)
        return Judged(values, faults > 0)

    def refusal(self, columns: "list[pa.Array]") -> str:
        """What is wrong with a selection: missing, unknown, repeated, too many."""
        if any(is_empty(column)[0] for column in columns):
            return "the answer is missing"
        _, faults = self._read(columns)
        return f"the answer {self._says(int(faults[0]))}"

    def _read(self, columns: "list[pa.Array]") -> tuple[Selected, NDArray[np.int8]]:
        """Selections in columns of a table, and what is wrong with each, 0 for nothing."""
        values, faults = self._flags(columns) if len(columns) > 1 else self._texts(columns[0])
        too_many = values.sum(axis=1, dtype=np.int64) > self.sets.most
        faults[too_many & (faults == 0)] = _TOO_MANY
        return values, faults

    def _flags(self, columns: "list[pa.Array]") -> tuple[Selected, NDArray[np.int8]]:
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = pc.utf8_lower(pa.concat_arrays(columns))
        which = pc.index_in(cells, value_set=pa.array(_FLAGS)).fill_null(len(_FLAGS)).to_numpy()
        flags = np.array([*_FLAGS.values(), 2], np.uint8)[which].reshape(len(columns), -1).T
        faults = np.where((flags == 2).any(axis=1), _NO_FLAG, 0).astype(np.int8)
        return np.ascontiguousarray(flags & 1), faults

    def _texts(self, column: "pa.Array") -> tuple[Selected, NDArray[np.int8]]:
        import pyarrow as pa
        import pyarrow.compute as pc

        for why in self._unclear.values():
            raise ParameterError(why)
        split = pc.split_pattern(column.fill_null(""), pattern=self.separator)
        rows = pc.list_parent_indices(split).to_numpy()
        labels = pc.utf8_trim_whitespace(split.flatten())
        said = pc.not_equal(labels, "").to_numpy(zero_copy_only=False)
        numbers = pc.index_in(labels, value_set=pa.array(list(self._by_text))).fill_null(-1)
        rows, numbers = rows[said], numbers.to_numpy()[said]
        known = numbers >= 0
        times = np.zeros((len(column), len(self.agreed.answers)), np.int32)
        np.add.at(times, (rows[known], numbers[known]), 1)
        faults = np.zeros(len(column), np.int8)
        faults[(times > 1).any(axis=1)] = _REPEATED
        faults[rows[~known]] = _UNKNOWN
        alone = pc.list_value_length(split).to_numpy() == 1
        faults[alone & (np.bincount(rows, minlength=len(column)) == 0)] = _BLANK
        return np.minimum(times, 1).astype(np.uint8), faults

    def true_shares(self, values: Iterable[Selected]) -> dict[str, float]:
        """The share of people who select each answer."""
        people, held = 0, np.zeros(len(self.agreed.answers), np.int64)
        for chunk in values:
            people += len(chunk)
            held += chunk.sum(axis=0, dtype=np.int64)
        shares = held / max(1, people)
        return dict(zip(self.agreed.answers, shares.tolist(), strict=True))

    def population(self, truth: Population) -> SelectionGroups:
        """Groups of people, from numbers of people by selection: a text, or a tuple of labels."""
        if isinstance(truth, SelectionGroups):
            return truth
        return self.sets.domain.groups(*people_by_text(self, truth))

    def result(self, weighed: Aggregate, options: ResultOptions) -> "SelectedShares":
        """The share of people who select each answer, and how many they select in the mean."""
        if options.consistent not in {None, "clip"}:
            raise ParameterError(
                f"consistent is clip where several answers are selected, whose shares have no "
                f"sum; got {options.consistent!r}"
            )
        shares = super().result(weighed, options)
        size = self.sets.mean_size(self.released(weighed))
        return SelectedShares(
            **{field.name: getattr(shares, field.name) for field in fields(shares)},
            size=size.of_population(weighed.n) if options.population else size,
        )

    @property
    def described(self) -> str:
        """The answers in a few words: how many there are, and may be selected."""
        return f"at most {self.sets.most} of {counted(len(self.agreed.answers), 'answer')}"

    def foreseen_error(self, people: int) -> float:
        """Half the width of a 95 % interval of a share: the root of its mean square.

        The mean over all items, blanks included, is the same whatever people select.
        """
        sets = self.sets
        squared = share_variance(sets.holder, sets.others, people, sets.most / sets.items)
        return DEVIATIONS * math.sqrt(float(squared))

    @property
    def body(self) -> KindBody:
        """The question's kind, as the collector's JSON has it."""
        return KindBody(over_time=False, free_text=False, several=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class SelectedShares(Shares):
    """The share of people who select each answer, and how many answers they select.

    Attributes:
        size: of a selection, in the mean.
    """

    size: MeanSize

    def mean_row(self) -> dict[str, Any]:
        """The mean size of a selection with its interval."""
        mean, stderr, _, rough = self.size
        low, high = self.size.interval(self.level)
        return {"mean": mean, "stderr": stderr, "low": low, "high": high, "rough": rough}

    def document(self) -> dict[str, Any]:
        """The whole result as JSON values."""
        most = cast("SetResponse", self.collection.mechanism).most
        return super().document() | {"most": most, "selected": self.mean_row()}


def check_separator(separator: str) -> str:
    """The sign between labels, if it can be told from the spaces around them."""
    if not separator.strip():
        raise ParameterError("--separator needs a sign that isn't a space")
    return separator


def labels_of(text: str, separator: str) -> list[str] | None:
    """The labels of a selection that is one text; None for a blank, which is no selection."""
    labels = [part.strip() for part in text.split(separator)]
    if len(labels) == 1 and not labels[0]:
        return None
    return [label for label in labels if label]


def _fault_text(fault: int, most: int, separator: str, unknown: str = "") -> str:
    """What is wrong with a selection; ``unknown`` is what one of its parts isn't."""
    return {
        _BLANK: f"is blank (a selection of nothing is written as {separator!r})",
        _UNKNOWN: f"has a part that {unknown}",
        _REPEATED: "has the same answer twice",
        _TOO_MANY: f"has more than {counted(most, 'answer')}",
        _NO_FLAG: "is not of 0 and 1, one for each answer",
    }[fault]


class FoundSelections(Labels):
    """Selections in a column whose answers are no list yet, but what people select.

    Args:
        most: how many answers a person may select.
        separator: the sign between labels.
    """

    def __init__(self, most: int, separator: str = SEPARATOR) -> None:
        super().__init__()
        if most < 1:
            raise ParameterError(f"--most must be at least 1, got {most}")
        self._most, self._separator = most, check_separator(separator)

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """The number of each row's text; wrong is what is no selection of so many answers."""
        values, empty, _ = super().encode_columns(columns)
        column = columns[0].dictionary_encode()
        faults = [self._fault_of(text) > 0 for text in column.dictionary.to_pylist()]
        which = column.indices.fill_null(len(faults)).to_numpy()
        return Judged(values, np.array([*faults, True])[which] | empty)

    def refusal(self, columns: "list[pa.Array]") -> str:
        """That the answer is missing, or what is wrong with it."""
        if is_empty(columns[0])[0]:
            return "the answer is missing"
        fault = self._fault_of(columns[0][0].as_py())
        return f"the answer {_fault_text(fault, self._most, self._separator)}"

    def _fault_of(self, text: str) -> int:
        labels = labels_of(text, self._separator)
        if labels is None:
            return _BLANK
        if len(set(labels)) < len(labels):
            return _REPEATED
        return _TOO_MANY if len(labels) > self._most else 0

    def answers(self) -> dict[str, int]:
        """The answers in these selections, and how many people are behind each."""
        people: dict[str, int] = {}
        for text, count in self.held().items():
            for label in labels_of(text, self._separator) or []:
                people[label] = people.get(label, 0) + count
        return people

    def groups(self) -> SelectionGroups:
        """The people of all rows that were counted, by what they select."""
        held = self.held()
        selected = [labels_of(text, self._separator) or [] for text in held]
        numbers: dict[str, int] = {}
        for label in (label for labels in selected for label in labels):
            numbers.setdefault(label, len(numbers))
        selections = np.zeros((len(held), len(numbers)), np.uint8)
        for row, labels in zip(selections, selected, strict=True):
            row[[numbers[label] for label in labels]] = 1
        return SelectionGroups(selections, np.array(list(held.values()), np.int64))
