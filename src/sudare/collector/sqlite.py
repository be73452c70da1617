"""A collector's store in one SQLite file, for one process: names in memory, groups on disk."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sudare.collector.counting import (
    Joined,
    all_of,
    counts_of,
    digests_of,
    in_time,
    invitation_fates,
    join_groups,
    part_fates,
    some_of,
)
from sudare.collector.seen import Seen
from sudare.collector.sqlite_database import Database
from sudare.collector.sqlite_memory import (
    Change,
    Held,
    Judged,
    Refused,
    Window,
    change_by,
    new_window,
)
from sudare.collector.sqlite_rows import (
    ADD_NAMES,
    COUNTING,
    good_invitations,
    some_to_forget,
    write,
)
from sudare.collector.store import Fate, Fates, Group, Standing, State
from sudare.collector.tables import Each, Rows, Run, TableStore
from sudare.errors import InvalidDocument, ParameterError, StoreUnavailable
from sudare.named import names_of

_LAST = (1 << 63) - 1  # no window is later
_BREATH = 0.001  # seconds in which others get the lock, which isn't fair


class SqliteStore(TableStore):
    """One file, in which one process counts.

    The names of open windows are in memory, so that a commit asks the disk nothing. Hence a lock on
    a file beside it (``.lock``): a second process that would count is refused. Where nothing can be
    locked, a commit still finds that the disk isn't what was in memory, and nothing is overwritten.
    """

    def __init__(self, path: Path, *, counting: bool = True) -> None:
        """Open a store, or make it.

        Args:
            path: where it is.
            counting: whether reports will be counted. Without, another process may count
                meanwhile, and here one can only read, make tokens, invite, and keep candidates.
        """
        super().__init__()
        self._counting = counting
        self._database = Database(path, alone=counting)
        self._held: dict[str, Held] = {}
        if counting:
            try:
                for statement in COUNTING:
                    self._database.write.execute(statement)
                self._load()
            except BaseException:
                self.shut()
                raise

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        """Count reports, durably, in one transaction; the fate of each, group by group."""
        self._must_count()
        joined = join_groups(groups)
        touched: list[Window] = []
        with self._database.lock:
            try:
                judged = [self._judge(one, touched) for one in joined]
                changes = [
                    change_by(one) for one in judged if isinstance(one, Judged) and one.new.any()
                ]
                parted = part_fates(joined, [one.fates for one in judged])
                if changes:  # what is only repeated was durable before
                    single = len(changes) == 1 and not changes[0].used
                    with self._database.transaction(single=single) as connection:
                        for change in changes:
                            self._write(connection, change)
            except BaseException:
                for window in touched:
                    window.seen.undo()
                raise
            for change in changes:
                change.follow()
        return parted

    def close(self, key: str, window: int, closed_round: int | None = None) -> None:
        """Take nothing more in a window (and in any before it), or in its rounds up to one."""
        self._must_count()
        with self._database.lock:
            held = self._held.get(key)
            if held is None:
                raise self._unknown(key)
            if window > held.closed:
                self._close(held, window, closed_round)
        self._forget_closed(held)

    def _close(self, held: Held, window: int, closed_round: int | None) -> None:
        later = {at: kept for at, kept in held.windows.items() if at > window}
        kept = held.windows.setdefault(window, new_window(held.collection))
        with self.writing() as run:
            whole = self._close_window(run, held.collection.key, window, closed_round)
        if closed_round is None or whole:
            held.closed, held.windows = window, later
        else:
            kept.closed_round = max(kept.closed_round, closed_round)

    def add(self, standing: Standing) -> bool:
        """Hold a collection; False if it is held already (and nothing changes)."""
        self._must_count()
        with self._database.lock:
            added = super().add(standing)
            self._load()
        return added

    def change(self, key: str, *, state: State | None = None, public: bool | None = None) -> None:
        """Pause, open or close a collection, or show its results to everybody."""
        self._must_count()
        with self._database.lock:
            now = self._change(key, state, public)
            held = self._held[key]
            held.state = now
            if now is State.CLOSED:
                held.windows = {}
        self._forget_closed(held)

    def remove(self, key: str) -> None:
        """Forget a collection, its reports and its sums."""
        self._must_count()
        with self._database.lock:
            super().remove(key)
            del self._held[key]

    def empty_log(self) -> None:
        """Copy all that is durable into the file itself, or raise ``StoreUnavailable``."""
        self._database.empty_log()

    def shut(self) -> None:
        """Let go of the database."""
        self._database.close()

    # How it is kept

    def _must_count(self) -> None:
        if not self._counting:
            raise ParameterError(
                "this store was opened beside a collector: only that can count or change it"
            )

    def _read(self, query: str, parameters: Sequence[object] = ()) -> Rows:
        return self._database.read(query, parameters)

    @contextmanager
    def writing(self) -> Iterator[Run]:
        """A transaction: all of it is durable at the end, or nothing."""
        with self._database.transaction() as connection:
            yield lambda query, parameters: connection.execute(query, parameters).fetchall()

    def _lock(self, run: Run, number: int, window: int | None = None) -> None:
        """Nothing to do: one process writes, and holds the lock."""

    def _forget_names(self, run: Run, number: int, window: int | None) -> None:
        """Nothing yet: ``_forget_closed`` follows, when it is durable that they are needless."""

    def _forget_closed(self, held: Held) -> None:
        """Delete the names of what is closed, some at a time: others write in between."""
        last = _LAST if held.state is State.CLOSED else held.closed
        while rows := some_to_forget(self._read, held.number, last):
            with self._database.transaction() as connection:
                connection.executemany("DELETE FROM seen WHERE id = ?", rows)
            time.sleep(_BREATH)

    @contextmanager
    def snapshot(self) -> Iterator[Each]:
        """All rows of queries, one after the other, as they were at one moment."""
        with self._database.snapshot() as connection:
            yield connection.execute

    def snapshot_names(self, each: Each) -> Iterator[tuple[int, int, bytes]]:
        """All names of a snapshot that may still be compared with, window by window."""
        yield from each(
            "SELECT s.collection, s.window_number, s.names FROM seen s "  # noqa: S608
            "JOIN windows w USING (collection, window_number) "
            "JOIN collections c ON c.id = s.collection "
            f"WHERE w.closed = 0 AND c.state <> '{State.CLOSED.value}' ORDER BY s.id"
        )

    def put_names(self, run: Run, number: int, window: int, names: bytes) -> None:
        """Put back names of ``snapshot_names``."""
        run(ADD_NAMES, (number, window, names))

    def _load(self) -> None:
        """Take into memory what isn't there yet."""
        for (key,) in self._read("SELECT key FROM collections ORDER BY id"):
            if key not in self._held:
                self._held[key] = self._loaded(key)
                self._forget_closed(self._held[key])  # a crash may have left some

    def _loaded(self, key: str) -> Held:
        """A collection as it is on disk."""
        ((number, document, state),) = self._read(
            "SELECT id, document, state FROM collections WHERE key = ?", (key,)
        )
        held = Held(number, self._parsed(key, document), State(state))
        self._load_windows(held)
        return held

    def _load_windows(self, held: Held) -> None:
        number, collection = held.number, held.collection
        ((held.closed,),) = self._read(
            "SELECT coalesce(max(window_number), -1) FROM windows "
            "WHERE collection = ? AND closed = 1",
            (number,),
        )
        if held.state is State.CLOSED:
            return
        rows = self._read(
            "SELECT window_number, n, counts, closed_round FROM windows "
            "WHERE collection = ? AND closed = 0",
            (number,),
        )
        for window, n, counts, closed_round in rows:
            kept = Window(counts_of(collection, counts), n, closed_round)
            held.windows[window] = kept
            names = self._database.each(
                "SELECT names FROM seen WHERE collection = ? AND window_number = ?",
                (number, window),
            )
            for (group,) in names:
                kept.seen.add(names_of(group))
            if len(kept.seen) != n:
                raise InvalidDocument(
                    f"the store is damaged: window {window} of {collection.key[:12]}… has {n} "
                    f"reports and {len(kept.seen)} names"
                )

    def _judge(self, joined: Joined, touched: list[Window]) -> Judged | Refused:
        """The fates of reports; the names of those that are new are in the set afterwards."""
        group = joined.group
        held = self._held.get(group.collection.key)
        if held is None or held.state is not State.OPEN:
            return Refused(all_of(joined, Fate.SHUT))
        if group.window <= held.closed:
            return Refused(all_of(joined, Fate.LATE))
        window = held.windows.get(group.window) or new_window(held.collection)
        touched.append(window)
        fates = all_of(joined, Fate.LATE)
        open_rows = np.flatnonzero(in_time(group, window.closed_round))
        some = group if len(open_rows) == joined.size else some_of(group, open_rows)
        if held.collection.invited:
            fates[open_rows] = self._invited(held.number, some, window.seen)
            window.seen.add(group.names[fates == Fate.NEW])
        else:
            fates[open_rows] = np.where(window.seen.add(some.names), Fate.NEW, Fate.REPEATED)
        return Judged(group, fates, held, window)

    def _invited(self, number: int, group: Group, seen: Seen) -> Fates:
        digests = list(set(digests_of(group)))
        good = good_invitations(self._read, (number, group.window), digests)
        fates = invitation_fates(group, seen.has(group.names), good)
        return np.fromiter(fates, np.uint8, len(group.names))

    def _write(self, connection: sqlite3.Connection, change: Change) -> None:
        if not write(connection, change):
            key = change.held.collection.key
            if self._read("SELECT 1 FROM collections WHERE key = ?", (key,)):
                self._held[key] = self._loaded(key)
            else:
                del self._held[key]
            raise StoreUnavailable(
                f"window {change.number} of {key[:12]}… was changed by another program: read anew"
            )
