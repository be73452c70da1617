"""The names that have counted in an open window, in memory."""

import secrets

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.nameset import clear, find, insert, move
from sudare.named import Names

_PLACES = 1 << 10
_FULL = 3 / 4
"""Where the table doubles: between 21 and 43 bytes a name, and 64 while it moves."""
_NOTHING = np.empty(0, np.int64)


class Seen:
    """A set of names that knows how to take back what was added last.

    Its order in memory follows from a secret of its own: names can't be chosen so that it is slow.
    """

    def __init__(self, places: int = _PLACES) -> None:
        self._key = np.frombuffer(secrets.token_bytes(32), np.uint64)
        self._table = np.zeros((places, 2), np.uint64)
        self._last = _NOTHING
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"Seen({self._size} names)"

    def add(self, names: Names) -> NDArray[np.bool_]:
        """Add names; whether each is new, where the first of equal ones is.

        Where memory ends, none of them is added.
        """
        self.keep()
        self._make_room(len(names))
        places = np.empty(len(names), np.int64)
        new = np.empty(len(names), np.bool_)
        self._size += insert(names, self._table, self._key, places)
        self._last = places
        return np.greater_equal(places, 0, out=new)

    def keep(self) -> None:
        """What was added stays: there is nothing to take back."""
        self._last = _NOTHING

    def undo(self) -> None:
        """Take back what the last ``add`` added, unless it was kept."""
        # The table had its size before the first of them: freeing their places is what it was.
        clear(self._last, self._table)
        self._size -= int(np.count_nonzero(self._last >= 0))
        self.keep()

    def has(self, names: Names) -> NDArray[np.bool_]:
        """Whether each name is there."""
        found = np.empty(len(names), np.bool_)
        find(names, self._table, self._key, found)
        return found

    @property
    def nbytes(self) -> int:
        """The memory of the table."""
        return self._table.nbytes

    def _make_room(self, more: int) -> None:
        places = len(self._table)
        while self._size + more > _FULL * places:
            places *= 2
        if places > len(self._table):
            table = np.zeros((places, 2), np.uint64)
            move(self._table, table, self._key)
            self._table = table  # at last: memory may end before
