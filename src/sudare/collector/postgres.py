"""A collector's store in PostgreSQL, for several processes at once.

A commit locks the rows of its windows, one after the other in one order, until it is durable: so
the names, the sums and what is closed can't change in between, and no two commits wait for each
other.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

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
from sudare.collector.postgres_names import (
    UNNEEDED,
    Place,
    add_names,
    add_new_names,
    all_names,
    known,
    make_table,
    table_of,
)
from sudare.collector.store import Fate, Fates, Group, Standing, State
from sudare.collector.tables import Each, Rows, Run, TableStore
from sudare.errors import ParameterError

Result = TypeVar("Result")

_FETCHED = 16  # rows at a time of a snapshot: some are of megabytes


class PostgresStore(TableStore):
    """One database, in which any number of processes count.

    The names of a window are in a table of its own, dropped soon after the window closes. A backup
    reads those tables, and none is dropped under it: then they are dropped at a later look at what
    the store holds, which a collector takes each second.
    """

    _alone: ClassVar[str] = "FOR UPDATE"
    _together: ClassVar[str] = "FOR SHARE"

    def __init__(self, url: str) -> None:
        super().__init__()
        self._database = Database(url)
        self._untidy = True  # what a process before us left, if it was killed

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

        return part_fates(joined, self._database.retried(work, committing=True)) if joined else []

    def close(self, key: str, window: int, closed_round: int | None = None) -> None:
        """Take nothing more in a window (and in any before it), or in its rounds up to one."""
        self._written(lambda run: self._close_window(run, key, window, closed_round))
        self._tidy()

    def change(self, key: str, *, state: State | None = None, public: bool | None = None) -> None:
        """Pause, open or close a collection, or show its results to everybody."""
        super().change(key, state=state, public=public)
        self._tidy()

    def remove(self, key: str) -> None:
        """Forget a collection, its reports and its sums."""
        super().remove(key)
        self._tidy()

    def standings(self) -> list[Standing]:
        """Every collection, in the order in which they were added."""
        self._tidy(changed=False)
        return super().standings()

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

    def _written(self, work: Callable[[Run], Result]) -> Result:
        return self._database.retried(
            lambda cursor: work(lambda query, parameters: _run(cursor, query, parameters))
        )

    def _lock(self, run: Run, number: int, window: int | None = None) -> None:
        if window is not None:
            run(
                "SELECT 1 FROM windows WHERE collection = ? AND window_number = ? FOR UPDATE",
                (number, window),
            )
        elif not run("SELECT 1 FROM collections WHERE id = ? FOR UPDATE", (number,)):
            raise ParameterError("that collection has just been removed from this store")

    @contextmanager
    def _snapshot(self) -> Iterator[Each]:
        with self._database.snapshot() as connection:

            def each(query: str) -> Iterator[tuple[Any, ...]]:
                with connection.cursor("snapshot", binary=True) as cursor:
                    cursor.itersize = _FETCHED
                    yield from cursor.execute(query)

            yield each

    def _names(self, each: Each) -> Iterator[tuple[int, int, bytes]]:
        yield from all_names(each)

    def _put_names(self, run: Run, number: int, window: int, names: bytes) -> None:
        run(make_table((number, window)), ())
        run(
            f"INSERT INTO {table_of((number, window))} "  # noqa: S608
            "SELECT encode(substring(b FROM i FOR 16), 'hex')::uuid "
            "FROM (SELECT ?::bytea AS b) s, generate_series(1, length(b), 16) i "
            "ON CONFLICT DO NOTHING",
            (names,),
        )

    def _forget_names(self, run: Run, number: int, window: int | None) -> None:
        """Later: to drop a table is to wait for whoever reads it, and here the row is locked."""

    def _tidy(self, *, changed: bool = True) -> None:
        """Drop the names of what is closed or removed, unless somebody reads them now."""
        if not (changed or self._untidy):
            return
        self._untidy = False  # before looking, as another thread may find more meanwhile
        done = False
        try:
            done = all(self._database.dropped(table) for (table,) in self._read(UNNEEDED))
        finally:
            self._untidy |= not done


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
    if not n:
        cursor.execute(make_table(place))
    if group.collection.invited:
        fates[open_rows] = _invited(cursor, place, some)
    else:
        fates[open_rows] = np.where(add_names(cursor, place, some.names), Fate.NEW, Fate.REPEATED)
    new: Bools = fates == Fate.NEW
    if new.any():
        fresh = counted(group, new)
        _write(cursor, place, fresh, n + fresh.n, counts_of(group.collection, counts))
    return fates


def _write(cursor: Cursor, place: Place, fresh: Counted, n: int, counts: NDArray[np.int64]) -> None:
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


def _invited(cursor: Cursor, place: Place, group: Group) -> Fates:
    """The fates of reports that need an invitation; what is new is written."""
    number, window = place
    digests = digests_of(group)
    rows = _run(
        cursor,
        "SELECT digest FROM invitations WHERE collection = ? AND digest = ANY(?) EXCEPT "
        "SELECT digest FROM used WHERE collection = ? AND window_number = ?",
        (number, digests, number, window),
    )
    good = dict.fromkeys((digest for (digest,) in rows), True)
    counted_before = known(cursor, place, group.names)
    fates = np.fromiter(invitation_fates(group, counted_before, good), np.uint8, len(digests))
    new = np.flatnonzero(fates == Fate.NEW)
    add_new_names(cursor, place, group.names[new])
    used = [(*place, digests[row]) for row in new]
    cursor.executemany("INSERT INTO used VALUES (%b, %b, %b)", used)
    return fates
