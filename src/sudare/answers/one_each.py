"""One row of each person, where rows are not people.

People are known by a hash of 128 bits under a secret of this process: in a table between 32 and 64
bytes each (half as much again while it grows), and 16 more where not the first row is kept.
"""

import secrets
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import Keystream
from sudare.kernels.people import hash_names, keep_any, move_people, number_people

if TYPE_CHECKING:
    import pyarrow as pa

Keep = Literal["first", "last", "random"]
KEEPS: tuple[Keep, ...] = ("first", "last", "random")
_PLACES = 1 << 10
_FULL = 3 / 4  # where the table doubles


class People:
    """People by their names, numbered in the order in which they come."""

    def __init__(self) -> None:
        self._key = np.frombuffer(secrets.token_bytes(16), np.uint64)
        self._table = np.zeros((_PLACES, 3), np.uint64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """The bytes of memory that the table takes."""
        return self._table.nbytes

    def numbers(self, names: "pa.Array") -> NDArray[np.int64]:
        """The number of each row's person, from the names of a column of text."""
        hashes = self._hashes(names)
        places = len(self._table)
        while self._count + len(hashes) > _FULL * places:
            places *= 2
        if places > len(self._table):
            table = np.zeros((places, 3), np.uint64)
            move_people(self._table, table)
            self._table = table
        numbers = np.empty(len(hashes), np.int64)
        self._count = number_people(hashes, self._table, self._count, numbers)
        return numbers

    def _hashes(self, names: "pa.Array") -> NDArray[np.uint64]:
        hashes = np.empty((len(names), 2), np.uint64)
        _, offsets, letters = names.buffers()
        ends = np.frombuffer(offsets, np.int32)[names.offset : names.offset + len(names) + 1]
        data = np.frombuffer(letters or b"", np.uint8)
        hash_names(ends.astype(np.int64), data, self._key, hashes)
        return hashes

    def first_rows(self, names: "pa.Array") -> NDArray[np.bool_]:
        """Which rows are the first of their person."""
        before = self._count
        numbers = self.numbers(names)
        # Who is new gets the next number: a row is a first one where the largest so far rises.
        largest = np.maximum.accumulate(np.concatenate([[before - 1], numbers]))
        first: NDArray[np.bool_] = largest[1:] > largest[:-1]
        return first


class KeptRows:
    """The one row of each person that is kept, chosen while a table is read for the first time.

    Args:
        keep: the last of a person's rows, or any of them, each with the same chance.
        rng: the chance.
    """

    def __init__(self, keep: Keep, rng: Keystream) -> None:
        self.people = People()
        self._keep = keep
        self._rng = rng
        self._seen = np.zeros(0, np.int64)
        self._kept = np.zeros(0, np.int64)

    def see(self, names: "pa.Array", rows: NDArray[np.int64]) -> None:
        """Take the next rows, by their persons' names and their own numbers."""
        numbers = self.people.numbers(names)
        if len(self._kept) < len(self.people):
            room = max(1024, 2 * len(self.people))
            self._seen = np.concatenate([self._seen, np.zeros(room - len(self._seen), np.int64)])
            self._kept = np.concatenate([self._kept, np.zeros(room - len(self._kept), np.int64)])
        if self._keep == "last":
            self._kept[numbers] = rows  # of equal places the last is left
            return
        done = 0
        while done < len(rows):
            words = self._rng.words(len(rows) - done)
            done += keep_any(numbers[done:], rows[done:], words, self._seen, self._kept)

    def sorted(self) -> NDArray[np.int64]:
        """The numbers of the rows that are kept, rising."""
        return np.sort(self._kept[: len(self.people)])
