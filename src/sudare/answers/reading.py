"""Rows of a table as answers: each is one, or is left out and counted, or is named by its line."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.answers.ids import repeated_ids
from sudare.answers.one_each import Keep, KeptRows, People
from sudare.answers.table import Rows, Table
from sudare.chance.keystream import Keystream
from sudare.errors import InvalidAnswer, InvalidDocument, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

_WITHOUT = "without an answer"
_NOBODY = "without a person"
_UNREADABLE = "not in the file's encoding"
_RAGGED = "with more or fewer cells than the header"
_WRONG = "with none of the answers that are allowed"
_FAULTS = {
    _NOBODY: "the person is missing",
    _UNREADABLE: "this isn't UTF-8 text (--encoding names another)",
    _RAGGED: "there are more or fewer cells than in the header",
}
_OPTIONS = dict.fromkeys((_WITHOUT, _NOBODY), "--skip-missing") | dict.fromkeys(
    (_UNREADABLE, _RAGGED, _WRONG), "--skip-bad"
)


class Judged(NamedTuple):
    """What rows hold."""

    values: NDArray[Any]
    """One for each row; of a wrong row, anything."""
    wrong: NDArray[np.bool_]
    """Which rows hold no answer that is allowed."""
    clipped: NDArray[np.bool_] | None = None
    """Which rows hold a number outside the range, taken as the end of it."""


class Judge(Protocol):
    """Somebody who knows which texts are answers, such as a question."""

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """Columns of text as values; null is where there is nothing."""

    def refusal(self, columns: "list[pa.Array]") -> str:
        """The fault of a single wrong row, that has nothing or something else in it.

        Without a word of what it holds.
        """


@dataclass(frozen=True)
class OthersAs:
    """A judge to whom whatever is no answer of the list, and is not missing, is one of them.

    Attributes:
        judge: who knows the list.
        value: of the answer that stands for all others.
    """

    judge: Judge
    value: int

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """Columns of text as values."""
        values, wrong, _ = self.judge.encode_columns(columns)
        empty = _any_empty(columns)
        return Judged(np.where(wrong & ~empty, self.value, values), wrong & empty)

    def refusal(self, columns: "list[pa.Array]") -> str:
        """The fault of a row that is missing something."""
        return self.judge.refusal(columns)


@dataclass(frozen=True)
class RowRules:
    """What is done with rows that are not answers, or not the only ones of a person.

    Attributes:
        keep: which of a person's rows is kept, where the table has a column of people.
        skip_missing: whether rows without an answer are left out.
        skip_bad: whether those that hold something else are.
    """

    keep: Keep = "first"
    skip_missing: bool = False
    skip_bad: bool = False

    @property
    def skipped(self) -> frozenset[str]:
        """The reasons for which rows are left out."""
        options = {"--skip-missing": self.skip_missing, "--skip-bad": self.skip_bad}
        return frozenset(why for why, option in _OPTIONS.items() if options[option])


@dataclass
class Reading:
    """The answers of a table, in chunks; what was left out is known when they have been read.

    Attributes:
        table: that is read.
        judge: of its rows.
        rules: for rows that aren't answers.
        rng: the chance by which one row of a person is kept.
        rows: that were read, as far as they are answers.
        people: whose answers were kept; rows, where a row is a person.
        left_out: how many rows were, by the reason.
        clipped: how many rows of those read hold a number outside its range.
    """

    table: Table
    judge: Judge
    rules: RowRules
    rng: Keystream
    rows: int = 0
    people: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    clipped: int = 0

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """The values of the answers that are kept."""
        named = self.table.options.person is not None
        if not named or self.rules.keep == "first":
            seen = People() if named else None
            for rows, values in self._answers():
                fresh = values if seen is None else values[seen.first_rows(rows.columns[-1])]
                self.people += len(fresh)
                yield fresh
            return
        if self.table.piped:
            raise ParameterError(
                f"--keep {self.rules.keep} reads the answers twice, which a pipe doesn't allow: "
                f"name a file"
            )
        kept = KeptRows(self.rules.keep, self.rng)
        for rows, _ in self._answers():
            kept.see(rows.columns[-1], rows.numbers)
        chosen, once = kept.sorted(), self.rows
        self.rows, self.left_out, self.clipped = 0, Counter(), 0
        for rows, values in self._answers():
            mine = values[np.isin(rows.numbers, _between(chosen, rows.numbers))]
            self.people += len(mine)
            yield mine
        if (self.rows, self.people) != (once, len(chosen)):
            raise InvalidDocument(f"{self.table.name} changed while it was read")

    def _answers(self) -> Iterator[tuple[Rows, NDArray[Any]]]:
        """The rows that are answers, each with its value."""
        for rows in self.table:
            self._leave_ragged()
            found, values = self._right(rows)
            self.rows += len(values)
            yield found, values
        self._leave_ragged()

    def _leave_ragged(self) -> None:
        for number in self.table.take_ragged():
            if _RAGGED not in self.rules.skipped:
                raise InvalidAnswer(
                    f"{self.table.place(number)}: {_FAULTS[_RAGGED]}; {_OPTIONS[_RAGGED]} leaves "
                    f"such rows out"
                )
            self.left_out[_RAGGED] += 1

    def _right(self, rows: Rows) -> tuple[Rows, NDArray[Any]]:
        """The rows that are answers, with their values; raises at one that isn't to be skipped."""
        named = self.table.options.person is not None
        cells = rows.columns[:-1] if named else rows.columns
        values, wrong, clipped = self.judge.encode_columns(cells)
        nobody = is_empty(rows.columns[-1]) if named else np.zeros_like(wrong)
        out = wrong | nobody | rows.undecoded
        if clipped is not None:
            self.clipped += int((clipped & ~out).sum())
        if not out.any():
            return rows, values
        faults = {
            _UNREADABLE: rows.undecoded,
            _NOBODY: nobody & ~rows.undecoded,
            _WITHOUT: wrong & _any_empty(cells) & ~nobody & ~rows.undecoded,
        }
        faults[_WRONG] = out & ~np.any(list(faults.values()), axis=0)
        skipped = self.rules.skipped
        refused = np.any([which for why, which in faults.items() if why not in skipped], axis=0)
        if np.any(refused):
            row = int(np.argmax(refused))
            why = next(why for why, which in faults.items() if which[row])
            raise self._refusal(rows, cells, row, why)
        self.left_out.update({why: int(which.sum()) for why, which in faults.items()})
        import pyarrow as pa

        mask = pa.array(~out)
        columns = [column.filter(mask) for column in rows.columns]
        return Rows(columns, rows.numbers[~out], rows.undecoded[~out]), values[~out]

    def _refusal(
        self, rows: Rows, cells: "Sequence[pa.Array]", row: int, why: str
    ) -> InvalidAnswer:
        """The sentence about one row: where it stands and what is wrong, not what it holds."""
        if why in _FAULTS:
            fault = _FAULTS[why]
        else:
            fault = self.judge.refusal([column.slice(row, 1) for column in cells])
        where = self.table.place(int(rows.numbers[row]))
        return InvalidAnswer(f"{where}: {fault}; {_OPTIONS[why]} leaves such rows out")

    @property
    def ids(self) -> str | None:
        """A column that looks as if it named people, and repeats, where none was named."""
        if self.table.options.person is not None:
            return None
        return repeated_ids(self.table.sample, self.table.wanted)


def _between(numbers: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The part of some rising numbers that lies from the first to the last of others."""
    if not len(ends):
        return numbers[:0]
    first, last = np.searchsorted(numbers, [ends[0], ends[-1] + 1])
    return numbers[first:last]


def is_empty(column: "pa.Array") -> NDArray[np.bool_]:
    """Which cells of a column have nothing in them."""
    import pyarrow.compute as pc

    empty: NDArray[np.bool_] = pc.equal(column, "").fill_null(True).to_numpy(zero_copy_only=False)
    return empty


def _any_empty(columns: "Sequence[pa.Array]") -> NDArray[np.bool_]:
    """Which rows have a cell with nothing in it."""
    found: NDArray[np.bool_] = np.any([is_empty(column) for column in columns], axis=0)
    return found
