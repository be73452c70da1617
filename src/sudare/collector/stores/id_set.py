"""The ids that have counted in an open window, in memory."""

import secrets

import numpy as np
from numpy.typing import NDArray

from sudare.formats.report_ids import ID_BYTES, ReportIds
from sudare.kernels.id_table import clear, find, insert, move

_PLACES = 1 << 10
_FULL = 3 / 4
"""Where the table doubles: between 21 and 43 bytes an id, and more while it moves."""
MOST_MEMORY = round((1 + 2) * ID_BYTES / _FULL)
"""Bytes that an id takes at most: in a table that is full, while it moves to one twice as large."""
_NOTHING = np.empty(0, np.int64)


class IdSet:
    """A set of report ids that knows how to take back what was added last.

    Its order in memory follows from a secret of its own: ids can't be chosen so that it is slow.
    """

    def __init__(self, places: int = _PLACES) -> None:
        self._key = np.frombuffer(secrets.token_bytes(32), np.uint64)
        self._table = np.zeros((places, 2), np.uint64)
        self._last = _NOTHING
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"IdSet({self._size} ids)"

    def add(self, ids: ReportIds) -> NDArray[np.bool_]:
        """Add ids; whether each is new, where the first of equal ones is.

        Where memory ends, none of them is added.
        """
        self.keep()
        self._make_room(len(ids))
        places = np.empty(len(ids), np.int64)
        new = np.empty(len(ids), np.bool_)
        self._size += insert(ids, self._table, self._key, places)
        self._last = places
        return np.greater_equal(places, 0, out=new)

    def keep(self) -> None:
        """Let the ids that were added last stay: there is nothing to take back."""
        self._last = _NOTHING

    def undo(self) -> None:
        """Take back what the last ``add`` added, unless it was kept."""
        # The table had its size before the first of them: freeing their places is what it was.
        clear(self._last, self._table)
        self._size -= int(np.count_nonzero(self._last >= 0))
        self.keep()

    def has(self, ids: ReportIds) -> NDArray[np.bool_]:
        """Whether each of some ids is in the set."""
        found = np.empty(len(ids), np.bool_)
        find(ids, self._table, self._key, found)
        return found

    @property
    def nbytes(self) -> int:
        """The bytes of memory that the set takes."""
        return self._table.nbytes

    def _make_room(self, more: int) -> None:
        places = len(self._table)
        while self._size + more > _FULL * places:
            places *= 2
        if places > len(self._table):
            table = np.zeros((places, 2), np.uint64)
            move(self._table, table, self._key)
            self._table = table  # at last: memory may end before
