"""The different answers of a column, and how many people give each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judge, Judged, is_empty

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_DIGITS = 15  # of a number of people: below 2^53


class Labels:
    """The different texts of a column, numbered in the order in which they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._people: list[int] = []

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """The number of each row's text."""
        column = columns[0].dictionary_encode()
        texts = column.dictionary.to_pylist()
        known = [self._numbers.setdefault(text, len(self._numbers)) for text in texts]
        which = column.indices.fill_null(len(texts)).to_numpy()
        return Judged(np.array([*known, 0], np.int64)[which], is_empty(columns[0]))

    def refusal(self, columns: "list[pa.Array]") -> str:
        """That the text is missing."""
        del columns  # nothing else is wrong with any
        return "the answer is missing"

    def count(self, rows: NDArray[np.int64], people: NDArray[np.int64] | None = None) -> None:
        """Count rows, as ``encode_columns`` gave them: of so many people, or of one each."""
        self._people += [0] * (len(self._numbers) - len(self._people))
        numbers, which = np.unique(rows, return_inverse=True)
        counted = np.zeros(len(numbers), object)  # Python's own numbers: no overflow
        if people is None:
            counted += np.bincount(which, minlength=len(numbers)).tolist()
        else:
            np.add.at(counted, which, people.tolist())
        for number, more in zip(numbers.tolist(), counted.tolist(), strict=True):
            self._people[number] += more

    def held(self) -> dict[str, int]:
        """The texts that rows were counted for, and how many people are behind each."""
        counts = self._people + [0] * (len(self._numbers) - len(self._people))
        return {text: n for text, n in zip(self._numbers, counts, strict=True) if n}

    def answers(self) -> dict[str, int]:
        """The answers in these texts, and how many people are behind each: a text is one."""
        return self.held()


@dataclass(frozen=True)
class OfSeveralPeople:
    """A judge of rows that are of several people each, as their last column says.

    Its values have that number behind them.

    Attributes:
        judge: of the other columns.
        counts: the name of the last one.
    """

    judge: Judge
    counts: str

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """The values of the rows, each with the number of its people."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values, wrong, clipped = self.judge.encode_columns(columns[:-1])
        digits = pc.match_substring_regex(columns[-1], f"^[0-9]{{1,{_MOST_DIGITS}}}$")
        digits = digits.fill_null(False)
        people: NDArray[Any] = pc.cast(pc.if_else(digits, columns[-1], "0"), pa.int64()).to_numpy()
        wrong = wrong | ~digits.to_numpy(zero_copy_only=False)
        return Judged(np.column_stack([values, people]), wrong, clipped)

    def refusal(self, columns: "list[pa.Array]") -> str:
        """The fault of the row's answer, or that the number of people is none."""
        if self.judge.encode_columns(columns[:-1]).wrong[0]:
            return self.judge.refusal(columns[:-1])
        return f"the column {self.counts!r} must hold a whole number of people, below 10^15"
