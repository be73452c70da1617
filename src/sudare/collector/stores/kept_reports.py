"""Kept reports as they are stored, read some at a time, in any database."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

_ROWS = 4096
_BYTES = 1 << 22
"""How much is read at once: many groups of one report, or one of many."""
_SOME = "FROM reports WHERE collection = ? AND window_number = ? AND id > ? AND id <= ?"

Read = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]


def kept_reports(read: Read, number: int, window: int | None) -> Iterator[bytes]:
    """The kept reports of a window, or of all, group by group; none that comes meanwhile.

    Args:
        read: asks the database.
        number: the collection's.
        window: the window's.
    """
    which = "" if window is None else " AND window_number = ?"
    lasts = read(
        f"SELECT window_number, max(id) FROM reports WHERE collection = ?{which} "  # noqa: S608
        "GROUP BY window_number ORDER BY window_number",
        (number,) if window is None else (number, window),
    )
    for at, last in lasts:
        start = 0
        while sizes := read(
            f"SELECT id, length(payload) {_SOME} ORDER BY id LIMIT {_ROWS}",
            (number, at, start, last),
        ):
            stop = sizes[some_within([size for _, size in sizes], _BYTES) - 1][0]
            rows = read(f"SELECT payload {_SOME} ORDER BY id", (number, at, start, stop))
            yield from (payload for (payload,) in rows)
            start = stop


def some_within(sizes: Sequence[int], most: int) -> int:
    """How many of the first sizes sum to at most ``most``; one at least."""
    return max(1, int(np.searchsorted(np.cumsum(sizes), most, side="right")))
