"""A collector's store in PostgreSQL, for several processes at once.

A commit locks the rows of its windows, one after the other in one order, until it is durable: so
the names, the sums and what is closed can't change in between, and no two commits wait for each
other.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from sudare.collector.counting import (
    Bools,
    Counted,
    Joined,
    all_of,
    counted,
    counts_of,
    digests_of,
    in_time,
    invitation_fates,
    join_groups,
    part_fates,
    some_of,
)
from sudare.collector.postgres_database import Cursor, Database
from sudare.collector.seen import Seen
from sudare.collector.store import Fate, Fates, Group, State
from sudare.collector.tables import Rows, Run, TableStore
from sudare.named import Names

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
_NAMED = np.dtype([("columns", ">i2"), ("name_size", ">i4"), ("name", "u1", (16,))])


class PostgresStore(TableStore):
    """One database, in which any number of processes count.

    The names of a window are in a table of its own, dropped when the window closes.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._database = Database(url)

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        """Count reports, durably, in one transaction; the fate of each, group by group."""
        joined = join_groups(groups)
        keys = sorted({one.group.collection.key for one in joined})

        def work(cursor: Cursor) -> list[Fates]:
            cursor.execute(
                "SELECT key, id, state FROM collections WHERE key = ANY(%b) ORDER BY key FOR SHARE",
                (keys,),
            )
            held = {key: number for key, number, state in cursor if state == State.OPEN.value}
            return [_count(cursor, one, held.get(one.group.collection.key)) for one in joined]

        return part_fates(joined, self._database.retried(work)) if joined else []

    def close(self, key: str, window: int, closed_round: int | None = None) -> None:
        """Take nothing more in a window (and in any before it), or in its rounds up to one."""
        with self._writing() as run:
            self._close_window(run, key, window, closed_round)

    def shut(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _read(self, query: str, parameters: Sequence[object] = ()) -> Rows:
        with self._database.transaction() as cursor:
            return _run(cursor, query, parameters)

    @contextmanager
    def _writing(self) -> Iterator[Run]:
        with self._database.transaction() as cursor:
            yield lambda query, parameters: _run(cursor, query, parameters)

    def _lock(self, run: Run, number: int, window: int | None = None) -> None:
        if window is None:
            run("SELECT 1 FROM collections WHERE id = ? FOR UPDATE", (number,))
        else:
            run(
                "SELECT 1 FROM windows WHERE collection = ? AND window_number = ? FOR UPDATE",
                (number, window),
            )

    def _forget_names(self, run: Run, number: int, window: int | None) -> None:
        beginning = f"seen_{number}_"
        rows = run(
            "SELECT relname FROM pg_class "
            "WHERE relnamespace = 'sudare'::regnamespace AND relkind = 'r' "
            "AND starts_with(relname, ?)",
            (beginning,),
        )
        for (table,) in rows:
            if window is None or int(table.removeprefix(beginning)) <= window:
                run(f"DROP TABLE {table}", ())


def _run(cursor: Cursor, query: str, parameters: Sequence[object]) -> Rows:
    cursor.execute(query.replace("?", "%b"), parameters)
    return cursor.fetchall() if cursor.description else []


def _count(cursor: Cursor, joined: Joined, number: int | None) -> Fates:
    """The fates of reports, and what is new of them written; their collection's row is locked."""
    group = joined.group
    if number is None:
        return all_of(joined, Fate.SHUT)
    place = (number, group.window)
    late = _run(
        cursor,
        "SELECT 1 FROM windows WHERE collection = ? AND window_number >= ? AND closed = 1 LIMIT 1",
        place,
    )
    if late:
        return all_of(joined, Fate.LATE)
    _run(
        cursor,
        "INSERT INTO windows (collection, window_number) VALUES (?, ?) ON CONFLICT DO NOTHING",
        place,
    )
    ((n, counts, closed_round),) = _run(
        cursor,
        "SELECT n, counts, closed_round FROM windows "
        "WHERE collection = ? AND window_number = ? FOR UPDATE",
        place,
    )
    fates = all_of(joined, Fate.LATE)
    open_rows = np.flatnonzero(in_time(group, closed_round))
    some = some_of(group, open_rows)
    known = _known(cursor, place, some.names) if n else np.zeros(len(open_rows), np.bool_)
    if group.collection.invited:
        fates[open_rows] = _invited(cursor, place, some, known)
    else:
        fates[open_rows] = np.where(Seen().add(some.names) & ~known, Fate.NEW, Fate.REPEATED)
    if (fates == Fate.NEW).any():
        new: Bools = fates == Fate.NEW
        fresh = counted(group, new)
        if not n:
            cursor.execute(f"CREATE TABLE IF NOT EXISTS {_table(place)} (name uuid PRIMARY KEY)")
        _copy(cursor, f"{_table(place)} (name)", _name_rows(fresh.names))
        if group.collection.invited:
            used = [(*place, digest) for digest in digests_of(some_of(group, np.flatnonzero(new)))]
            cursor.executemany("INSERT INTO used VALUES (%b, %b, %b)", used)
        _write(cursor, place, fresh, n + fresh.n, counts_of(group.collection, counts))
    return fates


def _write(
    cursor: Cursor, place: tuple[int, int], fresh: Counted, n: int, counts: NDArray[np.int64]
) -> None:
    """One row for the reports of a group, if they are kept, and the sum."""
    if fresh.reports is not None:
        _run(
            cursor,
            "INSERT INTO reports (collection, window_number, payload) VALUES (?, ?, ?)",
            (*place, fresh.reports.tobytes()),
        )
    _run(
        cursor,
        "UPDATE windows SET n = ?, counts = ? WHERE collection = ? AND window_number = ?",
        (n, (counts + fresh.counts).astype("<i8", copy=False).tobytes(), *place),
    )


def _table(place: tuple[int, int]) -> str:
    """The table of a window's names."""
    return "seen_{}_{}".format(*place)


def _known(cursor: Cursor, place: tuple[int, int], names: Names) -> Bools:
    """Which names have counted in a window."""
    rows = np.empty(len(names), _PLACED)
    rows["columns"], rows["place_size"], rows["name_size"] = 2, 4, 16
    rows["place"] = np.arange(len(names))
    rows["name"] = _bytes(names)
    cursor.execute("DELETE FROM incoming")
    _copy(cursor, "incoming (place, name)", rows)
    # OFFSET 0 keeps it a search for each: the planner knows nothing of what has just come in.
    found = f"SELECT 1 FROM {_table(place)} s WHERE s.name = i.name OFFSET 0"  # noqa: S608
    cursor.execute(f"SELECT place FROM incoming i WHERE EXISTS ({found})")  # noqa: S608
    known = np.zeros(len(names), np.bool_)
    known[[where for (where,) in cursor]] = True
    return known


def _invited(cursor: Cursor, place: tuple[int, int], group: Group, known: Bools) -> Fates:
    number, window = place
    digests = digests_of(group)
    rows = _run(
        cursor,
        "SELECT digest FROM invitations WHERE collection = ? AND digest = ANY(?) EXCEPT "
        "SELECT digest FROM used WHERE collection = ? AND window_number = ?",
        (number, digests, number, window),
    )
    good = dict.fromkeys((digest for (digest,) in rows), True)
    return np.fromiter(invitation_fates(group, known, good), np.uint8, len(group.names))


def _name_rows(names: Names) -> NDArray[np.void]:
    rows = np.empty(len(names), _NAMED)
    rows["columns"], rows["name_size"] = 1, 16
    rows["name"] = _bytes(names)
    return rows


def _bytes(names: Names) -> NDArray[np.uint8]:
    return np.ascontiguousarray(names, "<u8").view(np.uint8).reshape(-1, 16)


def _copy(cursor: Cursor, table: str, rows: NDArray[np.void]) -> None:
    """Send rows as PostgreSQL's COPY has them."""
    with cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copy:
        copy.write(_HEAD + rows.tobytes() + _TAIL)
