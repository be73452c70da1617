"""The different answers of a column, and how many people give each."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sudare.answers.reading import Judged, is_empty

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_DIGITS = 15  # of a number of people: below 2^53


class Labels:
    """The different texts of a column, numbered in the order in which they come.

    Args:
        counts: the name of a second column, which says how many people a row is of; without it a
            row is one person.
    """

    def __init__(self, counts: str | None = None) -> None:
        self._counts = counts
        self._numbers: dict[str, int] = {}
        self._people: list[int] = []

    def encode_columns(self, columns: "list[pa.Array]") -> Judged:
        """The number of each row's text, and of how many people it is."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = columns[0].dictionary_encode()
        texts = column.dictionary.to_pylist()
        known = [self._numbers.setdefault(text, len(self._numbers)) for text in texts]
        which = column.indices.fill_null(len(texts)).to_numpy()
        wrong = is_empty(columns[0])
        people = np.ones(len(which), np.int64)
        if self._counts is not None:
            digits = pc.match_substring_regex(columns[1], f"^[0-9]{{1,{_MOST_DIGITS}}}$")
            digits = digits.fill_null(False)
            people = pc.cast(pc.if_else(digits, columns[1], "0"), pa.int64()).to_numpy()
            wrong = wrong | ~digits.to_numpy(zero_copy_only=False)
        return Judged(np.column_stack([np.array([*known, 0], np.int64)[which], people]), wrong)

    def refusal(self, columns: "list[pa.Array]") -> str:
        """That the text is missing, or that the number of people is none."""
        if is_empty(columns[0])[0]:
            return "the answer is missing"
        return f"the column {self._counts!r} must hold a whole number of people, below 10^15"

    def count(self, rows: NDArray[np.int64]) -> None:
        """Count rows, as ``encode_columns`` gave them."""
        self._people += [0] * (len(self._numbers) - len(self._people))
        numbers, which = np.unique(rows[:, 0], return_inverse=True)
        people = np.zeros(len(numbers), object)  # Python's own numbers: no overflow
        if self._counts is None:
            people += np.bincount(which, minlength=len(numbers)).tolist()
        else:
            np.add.at(people, which, rows[:, 1].tolist())
        for number, more in zip(numbers.tolist(), people.tolist(), strict=True):
            self._people[number] += more

    def held(self) -> dict[str, int]:
        """The texts that rows were counted for, and how many people are behind each."""
        counts = self._people + [0] * (len(self._numbers) - len(self._people))
        return {text: n for text, n in zip(self._numbers, counts, strict=True) if n}
