"""A collector's store in one SQLite file, for one process: names in memory, groups on disk."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sudare.collector.counting import (
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
from sudare.collector.seen import Seen
from sudare.collector.sqlite_database import Database
from sudare.collector.sqlite_memory import Held, Judged, Window, new_window
from sudare.collector.store import Fate, Fates, Group, Standing, State
from sudare.collector.tables import Rows, Run, TableStore
from sudare.errors import InvalidDocument, ParameterError
from sudare.named import names_of


class SqliteStore(TableStore):
    """One file, in which one process counts.

    The names of open windows are in memory, so that a commit asks the disk nothing. Hence a lock on
    a file beside it (``.lock``): a second process that would count is refused.
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
                self._load()
            except BaseException:
                self.shut()
                raise

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        """Count reports, durably, in one transaction; the fate of each, group by group."""
        self._must_count()
        joined = join_groups(groups)
        judged: list[Judged] = []
        with self._database.lock:
            try:
                for group in joined:
                    judged.append(self._judge(group))  # noqa: PERF401 - if one fails, undo the rest
                new = [one for one in judged if one.new.any()]
                for one in new:
                    one.counted = counted(one.joined.group, one.new)
                if new:  # what is only repeated was durable before
                    with self._database.transaction() as connection:
                        for one in new:
                            _write(connection, one)
            except BaseException:
                for one in judged:
                    if one.window is not None:
                        one.window.seen.undo()
                raise
            for one in new:
                _apply(one)
        return part_fates(joined, [one.fates for one in judged])

    def close(self, key: str, window: int, closed_round: int | None = None) -> None:
        """Take nothing more in a window (and in any before it), or in its rounds up to one."""
        self._must_count()
        with self._database.lock:
            held = self._held.get(key)
            if held is None:
                raise self._unknown(key)
            if window <= held.closed:
                return
            with self._writing() as run:
                if self._close_window(run, key, window, closed_round):
                    closed_round = None
            if closed_round is None:
                held.closed = window
                held.windows = {at: kept for at, kept in held.windows.items() if at > window}
            else:
                kept = held.windows.setdefault(window, new_window(held.collection))
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
            super().change(key, state=state, public=public)
            ((now,),) = self._read("SELECT state FROM collections WHERE key = ?", (key,))
            self._held[key].state = State(now)
            if now == State.CLOSED:
                self._held[key].windows.clear()

    def remove(self, key: str) -> None:
        """Forget a collection, its reports and its sums."""
        self._must_count()
        with self._database.lock:
            super().remove(key)
            del self._held[key]

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
    def _writing(self) -> Iterator[Run]:
        with self._database.transaction() as connection:
            yield lambda query, parameters: connection.execute(query, parameters).fetchall()

    def _lock(self, run: Run, number: int, window: int | None = None) -> None:
        """Nothing to do: one process writes, and holds the lock."""

    def _forget_names(self, run: Run, number: int, window: int | None) -> None:
        last = np.iinfo(np.int64).max if window is None else window
        run("DELETE FROM seen WHERE collection = ? AND window_number <= ?", (number, int(last)))

    def _load(self) -> None:
        """Take into memory what isn't there yet."""
        rows = self._read("SELECT id, key, document, state FROM collections ORDER BY id")
        for number, key, document, state in rows:
            if key not in self._held:
                held = Held(number, self._parsed(key, document), State(state))
                self._load_windows(held)
                self._held[key] = held

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

    def _judge(self, joined: Joined) -> Judged:
        """The fates of reports; the names of those that are new are in the set afterwards."""
        group = joined.group
        held = self._held.get(group.collection.key)
        if held is None or held.state is not State.OPEN:
            return Judged(joined, all_of(joined, Fate.SHUT))
        if group.window <= held.closed:
            return Judged(joined, all_of(joined, Fate.LATE))
        window = held.windows.get(group.window) or new_window(held.collection)
        fates = all_of(joined, Fate.LATE)
        open_rows = np.flatnonzero(in_time(group, window.closed_round))
        some = group if len(open_rows) == joined.size else some_of(group, open_rows)
        if held.collection.invited:
            fates[open_rows] = self._invited(held.number, some, window.seen)
            window.seen.add(group.names[fates == Fate.NEW])
        else:
            fates[open_rows] = np.where(window.seen.add(some.names), Fate.NEW, Fate.REPEATED)
        return Judged(joined, fates, held, window)

    def _invited(self, number: int, group: Group, seen: Seen) -> Fates:
        query = (
            "SELECT 1 FROM invitations WHERE collection = ?1 AND digest = ?2 AND NOT EXISTS "
            "(SELECT 1 FROM used WHERE collection = ?1 AND window_number = ?3 AND digest = ?2)"
        )
        good = {
            digest: bool(self._read(query, (number, digest, group.window)))
            for digest in set(digests_of(group))
        }
        fates = invitation_fates(group, seen.has(group.names), good)
        return np.fromiter(fates, np.uint8, len(group.names))


def _write(connection: sqlite3.Connection, judged: Judged) -> None:
    """One row for the names of a group, one for its reports, and the sum."""
    group, held, window, new = judged.joined.group, judged.held, judged.window, judged.counted
    if held is None or window is None or new is None:
        return
    place = (held.number, group.window)
    connection.execute(
        "INSERT INTO seen (collection, window_number, names) VALUES (?, ?, ?)", (*place, new.names)
    )
    if new.reports is not None:
        connection.execute(
            "INSERT INTO reports (collection, window_number, payload) VALUES (?, ?, ?)",
            (*place, new.reports),
        )
    if held.collection.invited:
        digests = (digests_of(group)[row] for row in np.flatnonzero(judged.new))
        connection.executemany(
            "INSERT INTO used (collection, window_number, digest) VALUES (?, ?, ?)",
            [(*place, digest) for digest in digests],
        )
    connection.execute(
        "INSERT INTO windows (collection, window_number, n, counts) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (collection, window_number) "
        "DO UPDATE SET n = excluded.n, counts = excluded.counts",
        (*place, window.n + new.n, (window.counts + new.counts).astype("<i8", copy=False)),
    )


def _apply(judged: Judged) -> None:
    """Let memory follow what is durable."""
    held, window, new = judged.held, judged.window, judged.counted
    if held is not None and window is not None and new is not None:
        window.n += new.n
        window.counts = window.counts + new.counts
        held.windows[judged.joined.group.window] = window
