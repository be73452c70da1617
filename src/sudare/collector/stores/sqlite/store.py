"""A collector's store in one SQLite file, for one process: ids in memory, groups on disk."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sudare.collection.document import Collection
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
from sudare.collector.stores.id_set import IdSet
from sudare.collector.stores.kept_reports import some_within
from sudare.collector.stores.sqlite.database import Database
from sudare.collector.stores.tables import Each, Rows, Run, TableStore
from sudare.errors import InvalidDocument, MechanismUnavailable, ParameterError, StoreUnavailable
from sudare.formats.report_ids import ids_of

_ADD_IDS = "INSERT INTO seen (collection, window_number, names) VALUES (?, ?, ?)"
_USE = "INSERT INTO used (collection, window_number, digest) VALUES (?, ?, ?)"
_COUNTING = (
    """CREATE TEMP VIEW counted AS SELECT
        0 AS collection, 0 AS window_number, 0 AS n_before, 0 AS closed_round,
        0 AS n, x'' AS counts, x'' AS names, x'' AS reports""",
    f"""CREATE TEMP TRIGGER counting INSTEAD OF INSERT ON counted BEGIN
        INSERT INTO windows (collection, window_number) SELECT NEW.collection, NEW.window_number
            WHERE NEW.n_before = 0 AND NOT EXISTS (
                SELECT 1 FROM windows WHERE collection = NEW.collection
                AND window_number >= NEW.window_number AND closed = 1
            ) ON CONFLICT (collection, window_number) DO NOTHING;
        UPDATE windows SET n = NEW.n, counts = NEW.counts
            WHERE collection = NEW.collection AND window_number = NEW.window_number
            AND n = NEW.n_before AND closed_round = NEW.closed_round AND closed = 0
            AND (SELECT state FROM collections WHERE id = NEW.collection) = '{State.OPEN.value}';
        SELECT RAISE(ABORT, 'not as in memory') WHERE changes() <> 1;
        INSERT INTO seen (collection, window_number, names)
            VALUES (NEW.collection, NEW.window_number, NEW.names);
        INSERT INTO reports (collection, window_number, payload)
            SELECT NEW.collection, NEW.window_number, NEW.reports WHERE NEW.reports IS NOT NULL;
    END""",  # noqa: S608
)
"""What a connection needs to count a group by one statement, which is a transaction by itself.

Python's lock is let go and awaited around every statement: five of them took a single report longer
than the disk did, because meanwhile the event loop has it.
"""
_COUNT = "INSERT INTO counted VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

_ASKED = 10_000  # invitations in one question: SQLite takes 32,766 parameters
# What is deleted while others wait.
_FORGOTTEN_BYTES = 1 << 21
_FORGOTTEN_ROWS = 4096
_LAST = (1 << 63) - 1  # no window is later
_BREATH = 0.001  # seconds in which others get the lock, which isn't fair


@dataclass
class OpenWindow:
    """An open window in memory, as last committed."""

    counts: NDArray[np.int64]
    n: int = 0
    closed_round: int = 0
    ids: IdSet = field(default_factory=IdSet)


@dataclass
class OpenCollection:
    """A collection in memory, as last committed, with the windows that may take reports."""

    number: int
    collection: Collection
    state: State
    closed: int
    """The last window that takes no more."""
    windows: dict[int, OpenWindow] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Change:
    """The change of a window by new reports: written first, then followed in memory.

    Attributes:
        held: their collection.
        number: their window's.
        window: what was in memory before; only its set has their ids already.
        counted: what is to be written of them.
        used: the hashes of their invitations.
        n: how many have counted with them.
        counts: the sum with them.
    """

    held: OpenCollection
    number: int
    window: OpenWindow
    counted: Counted
    used: list[bytes]
    n: int
    counts: NDArray[np.int64]

    @classmethod
    def by(cls, group: Group, new: Bools, held: OpenCollection, window: OpenWindow) -> Self:
        """The change of a window by the new reports of a group."""
        fresh = counted(group, new)
        used: list[bytes] = []
        if held.collection.invited:
            digests = digests_of(group)
            used = [digests[row] for row in np.flatnonzero(new)]
        n, counts = window.n + fresh.n, window.counts + fresh.counts
        return cls(held, group.window, window, fresh, used, n, counts)

    def follow(self) -> None:
        """Let memory follow what is durable: nothing here can fail."""
        self.window.n, self.window.counts = self.n, self.counts
        self.window.ids.keep()


class SqliteStore(TableStore):
    """A store in one SQLite file, in which one process counts.

    The ids of open windows are in memory, so that a commit asks the disk nothing. Hence a lock on
    a file beside it (``.lock``): a second process that would count is refused. Where nothing can be
    locked, a commit still finds that the disk isn't what was in memory, and nothing is overwritten.
    """

    def __init__(self, path: Path, *, counting: bool = True, accept_loss: bool = False) -> None:
        """Open a store in a SQLite file, or make it.

        Args:
            path: where it is.
            counting: whether reports will be counted. Without, another process may count
                meanwhile, and here one can only read, make tokens, invite, and keep candidates.
            accept_loss: whether to go on without reports that were acknowledged and are missing.
        """
        super().__init__()
        self._counting = counting
        self._database = Database(path, alone=counting, accept_loss=accept_loss)
        self._held: dict[str, OpenCollection] = {}
        self._reports = 0  # in all windows
        if counting:
            try:
                for statement in _COUNTING:
                    self._database.write.execute(statement)
                self._load()
                self._count_anew()
            except BaseException:
                self.shut()
                raise

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        """Count reports, durably, in one transaction; the fate of each, group by group."""
        self._must_count()
        joined = join_groups(groups)
        touched: list[OpenWindow] = []
        with self._database.lock:
            try:
                judged = [self._judge(one, touched) for one in joined]
                changes = [change for _, change in judged if change is not None]
                parted = part_fates(joined, [fates for fates, _ in judged])
                if changes:  # what is only repeated was durable before
                    single = len(changes) == 1 and not changes[0].used
                    with self._database.transaction(single=single) as connection:
                        for change in changes:
                            self._write(connection, change)
                else:
                    self._database.check_files()  # a repeat is no less a promise
            except BaseException:
                for window in touched:
                    window.ids.undo()
                raise
            for change in changes:
                change.follow()
                self._reports += change.counted.n
            if changes:
                self._database.acknowledged.write(self._reports)
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

    def _close(self, held: OpenCollection, window: int, closed_round: int | None) -> None:
        later = {at: kept for at, kept in held.windows.items() if at > window}
        kept = held.windows.setdefault(window, self._new_window(held))
        with self.writing() as run:
            whole = self._close_window(run, held.collection.key, window, closed_round)
        if closed_round is None or whole:
            held.closed, held.windows = window, later
        else:
            kept.closed_round = max(kept.closed_round, closed_round)

    def add(self, held: HeldCollection) -> bool:
        """Hold a collection; False if it is held already (and nothing changes)."""
        self._must_count()
        with self._database.lock:
            added = super().add(held)
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
            own = super().windows(key, last=0).reports
            acknowledged = self._database.acknowledged
            acknowledged.write(self._reports - own, durably=True)
            try:
                super().remove(key)
            except BaseException:
                acknowledged.write(self._reports)
                raise
            self._reports -= own
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
    def writing(self, *, long: bool = False) -> Iterator[Run]:
        """A transaction: all of it is durable at the end, or nothing."""
        del long  # nobody else is waited for
        with self._database.transaction() as connection:
            yield lambda query, parameters: connection.execute(query, parameters).fetchall()

    def _lock(self, run: Run, number: int, window: int) -> None:
        """Nothing to do: one process writes, and holds the lock."""

    def _forget_closed(self, held: OpenCollection) -> None:
        """Delete the ids of what is durably closed, some at a time: others write in between."""
        last = _LAST if held.state is State.CLOSED else held.closed
        while rows := self._read(
            "SELECT id, length(names) FROM seen WHERE collection = ? AND window_number <= ? "  # noqa: S608
            f"LIMIT {_FORGOTTEN_ROWS}",
            (held.number, last),
        ):
            some = some_within([size for _, size in rows], _FORGOTTEN_BYTES)
            with self._database.transaction() as connection:
                connection.executemany(
                    "DELETE FROM seen WHERE id = ?", [(row,) for row, _ in rows[:some]]
                )
            time.sleep(_BREATH)

    @contextmanager
    def snapshot(self) -> Iterator[Each]:
        """All rows of queries, one after the other, as they were at one moment."""
        with self._database.snapshot() as connection:
            yield connection.execute

    def snapshot_ids(self, each: Each) -> Iterator[tuple[int, int, bytes]]:
        """All ids of a snapshot that may still be compared with, window by window."""
        yield from each(
            "SELECT s.collection, s.window_number, s.names FROM seen s "  # noqa: S608
            "JOIN windows w USING (collection, window_number) "
            "JOIN collections c ON c.id = s.collection "
            f"WHERE w.closed = 0 AND c.state <> '{State.CLOSED.value}' ORDER BY s.id"
        )

    def put_ids(self, run: Run, number: int, window: int, ids: bytes) -> None:
        """Write ids of a window that ``snapshot_ids`` has read, of this store or another."""
        run(_ADD_IDS, (number, window, ids))

    def _load(self) -> None:
        """Take into memory what isn't there yet."""
        for (key,) in self._read("SELECT key FROM collections ORDER BY id"):
            if key not in self._held:
                with suppress(MechanismUnavailable):  # it isn't served, and nothing of it counted
                    self._held[key] = self._loaded(key)
                    self._forget_closed(self._held[key])  # a crash may have left some

    def _count_anew(self) -> None:
        """Let the number of reports be that on disk."""
        ((self._reports,),) = self._read("SELECT coalesce(sum(n), 0) FROM windows")
        self._database.acknowledged.write(self._reports)

    def _loaded(self, key: str) -> OpenCollection:
        """A collection as it is on disk."""
        ((number, document, state),) = self._read(
            "SELECT id, document, state FROM collections WHERE key = ?", (key,)
        )
        ((closed,),) = self._read(
            "SELECT coalesce(max(window_number), -1) FROM windows "
            "WHERE collection = ? AND closed = 1",
            (number,),
        )
        held = OpenCollection(number, self._parsed(key, document), State(state), closed)
        if held.state is not State.CLOSED:
            self._load_windows(held)
        return held

    def _load_windows(self, held: OpenCollection) -> None:
        number, collection = held.number, held.collection
        rows = self._read(
            "SELECT window_number, n, counts, closed_round FROM windows "
            "WHERE collection = ? AND closed = 0",
            (number,),
        )
        for window, n, counts, closed_round in rows:
            kept = OpenWindow(counts_of(collection, counts), n, closed_round)
            held.windows[window] = kept
            rows_of_ids = self._database.each(
                "SELECT names FROM seen WHERE collection = ? AND window_number = ?",
                (number, window),
            )
            for (group,) in rows_of_ids:
                kept.ids.add(ids_of(group))
            if len(kept.ids) != n:
                raise InvalidDocument(
                    f"the store is damaged: window {window} of {collection.key[:12]}… has {n} "
                    f"reports and {len(kept.ids)} ids"
                )

    @staticmethod
    def _new_window(held: OpenCollection) -> OpenWindow:
        return OpenWindow(counts_of(held.collection, None))

    def _judge(self, joined: Joined, touched: list[OpenWindow]) -> tuple[Fates, Change | None]:
        """The fates of reports, and what the new ones change; their ids are in the set then."""
        group = joined.group
        held = self._held.get(group.collection.key)
        if held is None or held.state is not State.OPEN:
            return all_of(joined, ReportFate.SHUT), None
        if group.window <= held.closed:
            return all_of(joined, ReportFate.LATE), None
        window = held.windows.get(group.window) or self._new_window(held)
        touched.append(window)
        fates = allowed_fates(
            group, window.n, window.ids, lambda some: self._fates(held, window, some)
        )
        new: Bools = fates == ReportFate.NEW
        if not new.any():
            return fates, None
        held.windows.setdefault(group.window, window)
        return fates, Change.by(group, new, held, window)

    def _fates(self, held: OpenCollection, window: OpenWindow, group: Group) -> Fates:
        """The fates of reports in an open window if all may count; the new ids are in the set."""
        fates = np.full(len(group.ids), ReportFate.LATE, np.uint8)
        open_rows = np.flatnonzero(in_time(group, window.closed_round))
        some = group if len(open_rows) == len(fates) else some_of(group, open_rows)
        if held.collection.invited:
            fates[open_rows] = self._invited(held.number, some, window.ids)
            window.ids.add(group.ids[fates == ReportFate.NEW])
        else:
            new_rows = window.ids.add(some.ids)
            fates[open_rows] = np.where(new_rows, ReportFate.NEW, ReportFate.REPEATED)
        return fates

    def _invited(self, number: int, group: Group, ids: IdSet) -> Fates:
        """The fates of reports that need an invitation, known and unused in their window."""
        digests = list(set(digests_of(group)))
        good: dict[bytes, bool] = {}
        for start in range(0, len(digests), _ASKED):
            some = digests[start : start + _ASKED]
            these = f"digest IN ({', '.join('?' * len(some))})"
            rows = self._read(
                f"SELECT digest FROM invitations WHERE collection = ? AND {these} EXCEPT "  # noqa: S608
                f"SELECT digest FROM used WHERE collection = ? AND window_number = ? AND {these}",
                (number, *some, number, group.window, *some),
            )
            good.update((digest, True) for (digest,) in rows)
        fates = invitation_fates(group, ids.has(group.ids), good)
        return np.fromiter(fates, np.uint8, len(group.ids))

    def _write(self, connection: sqlite3.Connection, change: Change) -> None:
        """Write the ids of new reports, themselves if they are kept, and the sum.

        Raises ``StoreUnavailable`` if the window isn't on disk what it is in memory: then nothing
        of this is kept.
        """
        window, new = change.window, change.counted
        place = (change.held.number, change.number)
        counts = change.counts.astype("<i8", copy=False)
        values = (window.n, window.closed_round, change.n, counts, new.ids, new.reports)
        try:
            connection.execute(_COUNT, (*place, *values))
        except sqlite3.IntegrityError as error:
            if error.sqlite_errorname != "SQLITE_CONSTRAINT_TRIGGER":
                raise
            key = change.held.collection.key
            self._read_anew(key)
            raise StoreUnavailable(
                f"window {change.number} of {key[:12]}… was changed by another program: read anew"
            ) from None
        if change.used:
            connection.executemany(_USE, [(*place, digest) for digest in change.used])

    def _read_anew(self, key: str) -> None:
        if self._read("SELECT 1 FROM collections WHERE key = ?", (key,)):
            self._held[key] = self._loaded(key)
        else:
            del self._held[key]
        self._count_anew()
