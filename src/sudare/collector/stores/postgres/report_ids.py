"""The ids of reports in PostgreSQL: a table for each open window, dropped when it is closed.

A commit adds one row, with the ids of all its reports; an index of single ids would cost more
than all the rest. So each process has the ids of a window in memory, and reads before it counts
what others have added: the window is locked then, and rows are numbered in the order of commits.
"""

import secrets
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, TypeVar, cast

from sudare.collector.stores.counting import Bools, byte_order
from sudare.collector.stores.id_set import IdSet
from sudare.collector.stores.postgres.database import Cursor
from sudare.collector.stores.tables import Each, Run
from sudare.formats.report_ids import ID_BYTES, ReportIds, ids_of

Place = tuple[int, int]
"""A collection's number, and a window."""
Row = tuple[int, int]
"""A row's number in its table, and its stamp."""
Key = TypeVar("Key")

_BLOCK = 1 << 16  # ids

_TABLES = """SELECT relname FROM pg_class, string_to_array(relname, '_') part
    WHERE relnamespace = 'sudare'::regnamespace AND relkind = 'r' AND relname ~ '^seen_'
    AND {} EXISTS (SELECT 1 FROM collections c WHERE c.id = part[2]::bigint
        AND c.state <> 'closed' AND NOT EXISTS (SELECT 1 FROM windows w WHERE w.collection = c.id
            AND w.closed = 1 AND w.window_number >= part[3]::bigint))"""
_NEEDED = _TABLES.format("")
UNNEEDED = _TABLES.format("NOT")
"""The tables of ids that nothing can be compared with any more."""
_STILL_OPEN = """SELECT number, at FROM unnest(?::bigint[], ?::bigint[]) AS place (number, at)
    JOIN collections c ON c.id = number WHERE c.state <> 'closed'
    AND NOT EXISTS (SELECT 1 FROM windows w WHERE w.collection = c.id
        AND w.closed = 1 AND w.window_number >= at)"""


def table_of(place: Place) -> str:
    """The name of the table of a window's ids."""
    return "seen_{}_{}".format(*place)


def make_table(place: Place) -> str:
    """The statement that makes the table of a window's ids."""
    return (
        f"CREATE TABLE IF NOT EXISTS {table_of(place)} "
        "(id bigint PRIMARY KEY, stamp bigint NOT NULL, names bytea NOT NULL)"
    )


def put_ids(place: Place) -> str:
    """The statement that adds a row to a window's ids; its parameters are a stamp and the ids."""
    table = table_of(place)
    return f"INSERT INTO {table} SELECT coalesce(max(id), 0) + 1, ?, ? FROM {table}"  # noqa: S608


def new_stamp() -> int:
    """A random number that tells a row of ids from all others."""
    return secrets.randbits(63)


class WindowIds:
    """The ids of an open window in memory, up to some row of its table.

    The row's stamp says whether the table is still the one that was read: a database that was set
    back to an earlier moment has other rows under the same numbers. Rows are committed one after
    the other, so whoever finds the last one that it knows has all before it.
    """

    def __init__(self) -> None:
        self._ids = IdSet()
        self._last: Row = (0, 0)
        self._next: Row | None = None

    def __len__(self) -> int:
        return len(self._ids)

    def follow(self, cursor: Cursor, place: Place) -> None:
        """Read ids that others have added: all where the window is locked, else the first of them.

        Who adds a row has seen the one before it committed, so there are never gaps.
        """
        if not self._followed(cursor, place):
            self._ids, self._last = IdSet(), (0, 0)
            self._followed(cursor, place)

    def has(self, ids: ReportIds) -> Bools:
        """Which of some ids have counted in this window."""
        return self._ids.has(ids)

    def add(self, ids: ReportIds) -> Bools:
        """Add ids; whether each is new, where the first of equal ones is."""
        return self._ids.add(ids)

    def next_row(self) -> Row:
        """The row in which the ids that were added are to be written."""
        self._next = self._last[0] + 1, new_stamp()
        return self._next

    def keep(self) -> None:
        """Take the ids that were added, and their row if there is one, for durable."""
        self._ids.keep()
        self._last, self._next = self._next or self._last, None

    def undo(self) -> None:
        """Take back the ids that were added: if their row is durable after all, it is read."""
        self._ids.undo()
        self._next = None

    def _followed(self, cursor: Cursor, place: Place) -> bool:
        """Read the rows after the last one; False if that isn't there any more."""
        last, _ = self._last
        query = (
            "SELECT id, stamp, CASE WHEN id > %b THEN names ELSE '' END "  # noqa: S608
            f"FROM {table_of(place)} WHERE id >= %b ORDER BY id"
        )
        # Closed in any case: a stream that isn't at its end has the connection to itself for ever.
        streamed = cast(
            "Generator[tuple[Any, ...], None, None]", cursor.stream(query, (last, last))
        )
        with closing(streamed) as rows:
            if last and next(rows, (0, 0))[:2] != self._last:
                deque(rows, 0)  # to the end, after which the transaction can go on
                return False
            for row, ids in _blocks(((number, stamp), ids) for number, stamp, ids in rows):
                self._ids.add(ids_of(ids))
                self._ids.keep()
                self._last = row
        return True


def still_open(run: Run, places: Sequence[Place]) -> set[Place]:
    """Those of some windows that are still open, so that their ids are needed."""
    numbers, windows = [number for number, _ in places], [window for _, window in places]
    return {(number, window) for number, window in run(_STILL_OPEN, (numbers, windows))}


def all_ids(each: Each) -> Iterator[tuple[int, int, bytes]]:
    """The ids of every open window: a collection's number, a window, and some ids."""
    for (table,) in list(each(_NEEDED)):
        _, number, window = table.split("_")
        rows = each(f"SELECT id, names FROM {table} ORDER BY id")  # noqa: S608
        for _, some in _blocks(rows):
            ids = ids_of(some)
            # In an order of their own, which isn't that in which they came.
            yield int(number), int(window), ids[byte_order(ids)].astype("<u8").tobytes()


def _blocks(rows: Iterable[tuple[Key, bytes]]) -> Iterator[tuple[Key, bytes]]:
    """The ids of rows one after the other, many at a time, each time with the last row's key."""
    size, pieces = 0, []
    for key, ids in rows:
        pieces.append(ids)
        size += len(ids)
        if size >= _BLOCK * ID_BYTES:
            yield key, b"".join(pieces)
            size, pieces = 0, []
    if pieces:
        yield key, b"".join(pieces)
