"""The names of reports in PostgreSQL: a table for each open window, dropped when it is closed.

No statement here is one that may fail over a name: the server writes what failed into its log.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sudare.collector.counting import Bools, byte_order
from sudare.collector.postgres_database import Cursor
from sudare.collector.seen import Seen
from sudare.collector.tables import Each
from sudare.named import Names

Place = tuple[int, int]
"""A collection's number, and a window."""

# COPY's binary form: each row says how many columns follow, and each column how many bytes.
_HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TAIL = b"\xff\xff"
_PLACED = np.dtype(
    [
        ("columns", ">i2"),
        ("place_size", ">i4"),
        ("place", ">i4"),
        ("name_size", ">i4"),
        ("name", "u1", (16,)),
    ]
)
_BLOCK = 1 << 16  # names

_TABLES = """SELECT relname FROM pg_class, string_to_array(relname, '_') part
    WHERE relnamespace = 'sudare'::regnamespace AND relkind = 'r' AND relname ~ '^seen_'
    AND {} EXISTS (SELECT 1 FROM collections c WHERE c.id = part[2]::bigint
        AND c.state <> 'closed' AND NOT EXISTS (SELECT 1 FROM windows w WHERE w.collection = c.id
            AND w.closed = 1 AND w.window_number >= part[3]::bigint))"""
_NEEDED = _TABLES.format("")
UNNEEDED = _TABLES.format("NOT")
"""The tables of names that nothing can be compared with any more."""


def table_of(place: Place) -> str:
    """The table of a window's names."""
    return "seen_{}_{}".format(*place)


def make_table(place: Place) -> str:
    """The statement that makes it."""
    return f"CREATE TABLE IF NOT EXISTS {table_of(place)} (name uuid PRIMARY KEY)"


def add_names(cursor: Cursor, place: Place, names: Names) -> Bools:
    """Add names to a window's table; whether each is new, where the first of equal ones is.

    Once in a transaction that has locked the window.
    """
    new = Seen().add(names)
    rows = np.flatnonzero(new)
    added = _add(cursor, place, names, rows)
    if added < len(rows):
        # Nearly always all are new. Else those are known that another transaction has added.
        new &= ~_found(cursor, place, len(names), "AND s.xmin <> pg_current_xact_id()::xid")
    return new


def add_new_names(cursor: Cursor, place: Place, names: Names) -> None:
    """Add names of which ``known`` has found none, and no two are equal."""
    _add(cursor, place, names, np.arange(len(names)))


def known(cursor: Cursor, place: Place, names: Names) -> Bools:
    """Which names have counted in a window."""
    _receive(cursor, names, np.arange(len(names)))
    return _found(cursor, place, len(names))


def all_names(each: Each) -> Iterator[tuple[int, int, bytes]]:
    """The names of every open window: a collection's number, a window, and some names."""
    for (table,) in list(each(_NEEDED)):
        _, number, window = table.split("_")
        after = ""
        while names := _names_after(each, table, after):
            yield int(number), int(window), names
            after = f"WHERE name > '{names[-16:].hex()}'"


def _names_after(each: Each, table: str, after: str) -> bytes | None:
    """The next names of a table, in their order."""
    some = f"SELECT name FROM {table} {after} ORDER BY name LIMIT {_BLOCK}"  # noqa: S608
    query = f"SELECT string_agg(uuid_send(name), ''::bytea ORDER BY name) FROM ({some}) s"  # noqa: S608
    ((names,),) = each(query)
    return bytes(names) if names else None


def _add(cursor: Cursor, place: Place, names: Names, rows: NDArray[np.intp]) -> int:
    """Add some names to a table; how many weren't there."""
    _receive(cursor, names, rows)
    cursor.execute(
        f"INSERT INTO {table_of(place)} SELECT name FROM incoming ON CONFLICT DO NOTHING"  # noqa: S608
    )
    return cursor.rowcount


def _found(cursor: Cursor, place: Place, size: int, condition: str = "") -> Bools:
    """Which of the names that have just come in are in a table."""
    # OFFSET 0 keeps it a search for each: the planner knows nothing of what has just come in.
    search = f"SELECT 1 FROM {table_of(place)} s WHERE s.name = i.name {condition} OFFSET 0"  # noqa: S608
    cursor.execute(f"SELECT place FROM incoming i WHERE EXISTS ({search})")  # noqa: S608
    found = np.zeros(size, np.bool_)
    found[[where for (where,) in cursor]] = True
    return found


def _receive(cursor: Cursor, names: Names, rows: NDArray[np.intp]) -> None:
    """Send some names, each with its place, in the order of the index.

    By COPY, not as parameters of a statement: those are written into the log of a server that logs
    statements, or slow ones.
    """
    some = names[rows]
    order = byte_order(some)
    placed = np.empty(len(rows), _PLACED)
    placed["columns"], placed["place_size"], placed["name_size"] = 2, 4, 16
    placed["place"] = rows[order]
    placed["name"] = np.ascontiguousarray(some[order], "<u8").view(np.uint8).reshape(-1, 16)
    cursor.execute("DELETE FROM incoming")
    with cursor.copy("COPY incoming (place, name) FROM STDIN (FORMAT binary)") as copy:
        copy.write(_HEAD + placed.tobytes() + _TAIL)
