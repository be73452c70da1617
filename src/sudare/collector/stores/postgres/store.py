"""A collector's store in PostgreSQL, for several processes at once.

A commit locks the rows of its windows, one after the other in one order, until it is durable: so
the ids, the sums and what is closed can't change in between, and no two commits wait for each
other.

Nothing of a report is a parameter of a statement: a server that logs statements, or slow ones,
writes those down too. It comes by COPY, in binary, and no statement may fail over it.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from psycopg.errors import UndefinedTable

from sudare.collector.stores.contract import Fates, Group, HeldCollection, ReportFate, State
from sudare.collector.stores.counting import (
    Bools,
    Counted,
    Joined,
    all_of,
    allowed_fates,
    counted,
    counts_of,
    digests_of,
    in_time,
    invitation_fates,
    join_groups,
    part_fates,
    some_of,
)
from sudare.collector.stores.postgres.database import Cursor, Database, run
from sudare.collector.stores.postgres.patience import Patience
from sudare.collector.stores.postgres.report_ids import (
    UNNEEDED,
    Place,
    WindowIds,
    all_ids,
    make_table,
    new_stamp,
    put_ids,
    still_open,
    table_of,
)
from sudare.collector.stores.tables import Each, Rows, Run, TableStore
from sudare.errors import StoreUnavailable

Result = TypeVar("Result")

_MANY = 1 << 14  # ids that aren't read while others wait
_FETCHED = 16  # rows at a time of a snapshot: some are of megabytes
_LATER = "SELECT 1 FROM windows WHERE collection = ? AND window_number >= ? AND closed = 1"
_WINDOW = f"""SELECT n, counts, closed_round, EXISTS ({_LATER}) FROM windows
    WHERE collection = ? AND window_number = ? FOR UPDATE"""  # noqa: S608
_NEW_WINDOW = f"""INSERT INTO windows (collection, window_number)
    SELECT ?, ? WHERE NOT EXISTS ({_LATER}) ON CONFLICT DO NOTHING"""
_FULL = 1 << 17  # bytes


class _UnreadError(Exception):
    """Of a place, more ids are to be read than should be while it is locked."""

    def __init__(self, place: Place) -> None:
        self.place = place


class PostgresStore(TableStore):
    """A store in one PostgreSQL database, in which any number of processes count.

    The ids of a window are in a table of its own, dropped soon after the window closes. A backup
    reads those tables, and none is dropped under it: then they are dropped at a later look at what
    the store holds, which a collector takes each second.
    """

    _alone: ClassVar[str] = "FOR UPDATE"
    _together: ClassVar[str] = "FOR SHARE"

    def __init__(self, url: str, patience: Patience | None = None) -> None:
        """Open a store in a PostgreSQL database, or make it.

        Args:
            url: where the database is.
            patience: how long it may take to answer.
        """
        super().__init__()
        self._database = Database(url, patience)
        self._untidy = True  # what a process before us left, if it was killed
        self._known: dict[Place, WindowIds] = {}
        self._counting = threading.Lock()  # held from before a commit until memory has followed it

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        """Count reports, durably, in one transaction; the fate of each, group by group."""
        joined = join_groups(groups)
        keys = sorted({one.group.collection.key for one in joined})
        touched: dict[Place, WindowIds] = {}
        ahead: set[Place] = set()

        def known_at(place: Place, n: int) -> WindowIds:
            touched[place] = self._known.setdefault(place, WindowIds())
            if n - len(touched[place]) > _MANY and place not in ahead:
                ahead.add(place)  # once: then they are read, however many others add
                raise _UnreadError(place)
            return touched[place]

        def work(cursor: Cursor) -> list[Fates]:
            for known in touched.values():  # by a try before this one
                known.undo()
            held = _open_collections(cursor, keys)
            return [
                _count(cursor, one, (held[key], one.group.window), known_at)
                if (key := one.group.collection.key) in held
                else all_of(one, ReportFate.SHUT)
                for one in joined
            ]

        if not joined:
            return []
        with self._counting:
            try:
                fates = self._counted(work, touched)
            except BaseException:
                for known in touched.values():
                    known.undo()
                raise
            for known in touched.values():
                known.keep()
        return part_fates(joined, fates)

    def _counted(
        self, work: Callable[[Cursor], list[Fates]], touched: dict[Place, WindowIds]
    ) -> list[Fates]:
        """The fates of a commit; ids that take long to read are read before others must wait."""
        while True:
            try:
                return self._database.retried(work, committing=True)
            except _UnreadError as unread:
                place = unread.place
            with (
                suppress(UndefinedTable),
                self._database.transaction(committing=True, long=True) as cursor,
            ):
                touched[place].follow(cursor, place)

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

    def held_collections(self) -> list[HeldCollection]:
        """Every collection, in the order in which they were added."""
        self._tidy(changed=False)
        self._forget_closed()
        return super().held_collections()

    def shut(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _read(self, query: str, parameters: Sequence[object] = ()) -> Rows:
        with self._database.transaction() as cursor:
            return run(cursor, query, parameters)

    @contextmanager
    def writing(self, *, long: bool = False) -> Iterator[Run]:
        """A transaction: all of it is durable at the end, or nothing."""
        with self._database.transaction(long=long) as cursor:
            yield lambda query, parameters: run(cursor, query, parameters)

    def _written(self, work: Callable[[Run], Result], *, long: bool = False) -> Result:
        return self._database.retried(
            lambda cursor: work(lambda query, parameters: run(cursor, query, parameters)), long=long
        )

    def _lock(self, run: Run, number: int, window: int) -> None:
        run(
            "SELECT 1 FROM windows WHERE collection = ? AND window_number = ? FOR UPDATE",
            (number, window),
        )

    @contextmanager
    def snapshot(self) -> Iterator[Each]:
        """All rows of queries, one after the other, as they were at one moment."""
        with self._database.snapshot() as connection:

            def each(query: str) -> Iterator[tuple[Any, ...]]:
                with connection.cursor("snapshot", binary=True) as cursor:
                    cursor.itersize = _FETCHED
                    yield from cursor.execute(query)

            yield each

    def snapshot_ids(self, each: Each) -> Iterator[tuple[int, int, bytes]]:
        """All ids of a snapshot that may still be compared with, window by window."""
        yield from all_ids(each)

    def put_ids(self, run: Run, number: int, window: int, ids: bytes) -> None:
        """Write ids of a window that ``snapshot_ids`` has read, of this store or another."""
        run(make_table((number, window)), ())
        run(put_ids((number, window)), (new_stamp(), ids))

    def _tidy(self, *, changed: bool = True) -> None:
        """Drop the ids of what is closed or removed, unless somebody reads them now.

        After the change itself: to drop a table is to wait, and there the row is locked.
        """
        if not (changed or self._untidy):
            return
        self._untidy = False  # before looking, as another thread may find more meanwhile
        done = False
        try:
            done = all(self._database.dropped(table) for (table,) in self._read(UNNEEDED))
        finally:
            self._untidy |= not done

    def _forget_closed(self) -> None:
        """Forget ids in memory that nothing can be compared with: others close windows too."""
        places = list(self._known)
        needed = still_open(self._read, places) if places else set()
        for place in places:
            if place not in needed:
                self._known.pop(place, None)


def _open_collections(cursor: Cursor, keys: list[str]) -> dict[str, int]:
    """The numbers of those collections that take reports, locked; and room for what is sent."""
    rows = run(
        cursor,
        "SELECT key, id, state, pg_total_relation_size('incoming') + "
        "pg_total_relation_size('offered') FROM collections "
        "WHERE key = ANY(?) ORDER BY key FOR SHARE",
        (keys,),
    )
    if rows and rows[0][3] > _FULL:
        cursor.execute("TRUNCATE incoming, offered")
    return {key: number for key, number, state, _ in rows if state == State.OPEN.value}


def _count(
    cursor: Cursor, joined: Joined, place: Place, known_at: Callable[[Place, int], WindowIds]
) -> Fates:
    """The fates of reports, and what is new of them written; their collection's row is locked.

    Args:
        cursor: in the transaction of the commit.
        joined: the reports.
        place: where they count.
        known_at: the ids in memory of a place, which has so many.
    """
    group = joined.group
    window = run(cursor, _WINDOW, (*place, *place))
    if not window:
        run(cursor, _NEW_WINDOW, (*place, *place))
        window = run(cursor, _WINDOW, (*place, *place))
    if not window or window[0][3]:
        return all_of(joined, ReportFate.LATE)
    n, counts, closed_round, _ = window[0]
    known = known_at(place, n)
    if not n:
        cursor.execute(make_table(place))
    known.follow(cursor, place)
    if len(known) != n:
        raise StoreUnavailable(
            f"the store is damaged: window {group.window} of {group.collection.key[:12]}… has {n} "
            f"reports and {len(known)} ids"
        )
    fates = allowed_fates(
        group, n, known, lambda some: _judged(cursor, place, some, known, closed_round)
    )
    new: Bools = fates == ReportFate.NEW
    if new.any():
        if group.collection.invited:
            digests = digests_of(group)
            used = ((*place, digests[row]) for row in np.flatnonzero(new))
            _send(cursor, "used (collection, window_number, digest)", "int8 int8 bytea", used)
        fresh = counted(group, new)
        sums = counts_of(group.collection, counts) + fresh.counts
        _write(cursor, place, fresh, sums, known)
    return fates


def _judged(
    cursor: Cursor, place: Place, group: Group, known: WindowIds, closed_round: int
) -> Fates:
    """The fates of reports in an open window if all may count; the new ids are known then."""
    fates = np.full(len(group.ids), ReportFate.LATE, np.uint8)
    in_rounds = in_time(group, closed_round)
    some = group if in_rounds.all() else some_of(group, np.flatnonzero(in_rounds))
    if group.collection.invited:
        fates[in_rounds] = _invited(cursor, place, some, known.has(some.ids))
        known.add(group.ids[fates == ReportFate.NEW])
    else:
        fates[in_rounds] = np.where(known.add(some.ids), ReportFate.NEW, ReportFate.REPEATED)
    return fates


def _invited(cursor: Cursor, place: Place, group: Group, counted_before: Bools) -> Fates:
    """The fates of reports that need an invitation, known and unused in their window."""
    digests = digests_of(group)
    stamp = new_stamp()
    _send(cursor, "offered (stamp, digest)", "int8 bytea", ((stamp, one) for one in set(digests)))
    rows = run(
        cursor,
        "SELECT digest FROM offered JOIN invitations USING (digest) "
        "WHERE stamp = ? AND collection = ? EXCEPT "
        "SELECT digest FROM used WHERE collection = ? AND window_number = ?",
        (stamp, place[0], *place),
    )
    good = dict.fromkeys((digest for (digest,) in rows), True)
    return np.fromiter(invitation_fates(group, counted_before, good), np.uint8, len(digests))


def _write(
    cursor: Cursor, place: Place, fresh: Counted, counts: NDArray[np.int64], known: WindowIds
) -> None:
    """One row for the ids of a group, one for its reports if they are kept, and the sum."""
    number, stamp = known.next_row()
    sent = (
        stamp,
        fresh.ids.tobytes(),
        counts.astype("<i8", copy=False).tobytes(),
        None if fresh.reports is None else fresh.reports.tobytes(),
    )
    _send(cursor, "incoming (stamp, names, counts, payload)", "int8 bytea bytea bytea", [sent])
    run(
        cursor,
        "WITH sent AS (SELECT * FROM incoming WHERE stamp = ?), "  # noqa: S608
        f"named AS (INSERT INTO {table_of(place)} SELECT ?, stamp, names FROM sent), "
        "kept AS (INSERT INTO reports (collection, window_number, payload) "
        "SELECT ?, ?, payload FROM sent WHERE payload IS NOT NULL) "
        "UPDATE windows SET n = ?, counts = sent.counts FROM sent "
        "WHERE collection = ? AND window_number = ?",
        (stamp, number, *place, len(known), *place),
    )


def _send(cursor: Cursor, table: str, types: str, rows: Iterable[tuple[object, ...]]) -> None:
    """Rows for a table."""
    with cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(types.split())
        for row in rows:
            copy.write_row(row)
