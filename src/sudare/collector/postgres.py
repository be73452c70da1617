"""A collector's store in PostgreSQL, for several processes at once.

A commit locks the rows of its windows, one after the other in one order, until it is durable: so
the names, the sums and what is closed can't change in between, and no two commits wait for each
other.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, TypeVar

from psycopg.errors import UndefinedTable

from sudare.collector.counting import all_of, join_groups, part_fates
from sudare.collector.postgres_counting import count, open_collections
from sudare.collector.postgres_database import Cursor, Database, run
from sudare.collector.postgres_names import (
    UNNEEDED,
    Known,
    Place,
    all_names,
    make_table,
    new_stamp,
    put_names,
    still_open,
)
from sudare.collector.store import Fate, Fates, Group, Standing, State
from sudare.collector.tables import Each, Rows, Run, TableStore
from sudare.errors import ParameterError

Result = TypeVar("Result")

_MANY = 1 << 14  # names that aren't read while others wait
_FETCHED = 16  # rows at a time of a snapshot: some are of megabytes


class _UnreadError(Exception):
    """Of a place, more names are to be read than should be while it is locked."""

    def __init__(self, place: Place) -> None:
        self.place = place


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
        self._known: dict[Place, Known] = {}
        self._counting = threading.Lock()  # held from before a commit until memory has followed it

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        """Count reports, durably, in one transaction; the fate of each, group by group."""
        joined = join_groups(groups)
        keys = sorted({one.group.collection.key for one in joined})
        touched: dict[Place, Known] = {}
        ahead: set[Place] = set()

        def known_at(place: Place, n: int) -> Known:
            touched[place] = self._known.setdefault(place, Known())
            if n - len(touched[place]) > _MANY and place not in ahead:
                ahead.add(place)  # once: then they are read, however many others add
                raise _UnreadError(place)
            return touched[place]

        def work(cursor: Cursor) -> list[Fates]:
            for known in touched.values():  # by a try before this one
                known.undo()
            held = open_collections(cursor, keys)
            return [
                count(cursor, one, (held[key], one.group.window), known_at)
                if (key := one.group.collection.key) in held
                else all_of(one, Fate.SHUT)
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
        self, work: Callable[[Cursor], list[Fates]], touched: dict[Place, Known]
    ) -> list[Fates]:
        """What a commit gives; names that take long to read are read before others must wait."""
        while True:
            try:
                return self._database.retried(work, committing=True)
            except _UnreadError as unread:
                place = unread.place
            with suppress(UndefinedTable), self._database.transaction(committing=True) as cursor:
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

    def standings(self) -> list[Standing]:
        """Every collection, in the order in which they were added."""
        self._tidy(changed=False)
        self._forget_closed()
        return super().standings()

    def shut(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _read(self, query: str, parameters: Sequence[object] = ()) -> Rows:
        with self._database.transaction() as cursor:
            return run(cursor, query, parameters)

    @contextmanager
    def writing(self) -> Iterator[Run]:
        """A transaction: all of it is durable at the end, or nothing."""
        with self._database.transaction() as cursor:
            yield lambda query, parameters: run(cursor, query, parameters)

    def _written(self, work: Callable[[Run], Result]) -> Result:
        return self._database.retried(
            lambda cursor: work(lambda query, parameters: run(cursor, query, parameters))
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
    def snapshot(self) -> Iterator[Each]:
        """All rows of queries, one after the other, as they were at one moment."""
        with self._database.snapshot() as connection:

            def each(query: str) -> Iterator[tuple[Any, ...]]:
                with connection.cursor("snapshot", binary=True) as cursor:
                    cursor.itersize = _FETCHED
                    yield from cursor.execute(query)

            yield each

    def snapshot_names(self, each: Each) -> Iterator[tuple[int, int, bytes]]:
        """All names of a snapshot that may still be compared with, window by window."""
        yield from all_names(each)

    def put_names(self, run: Run, number: int, window: int, names: bytes) -> None:
        """Put back names of ``snapshot_names``."""
        run(make_table((number, window)), ())
        run(put_names((number, window)), (new_stamp(), names))

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

    def _forget_closed(self) -> None:
        """Forget names in memory that nothing can be compared with: others close windows too."""
        places = list(self._known)
        needed = still_open(self._read, places) if places else set()
        for place in places:
            if place not in needed:
                self._known.pop(place, None)
