"""What every database of a collector has in common: the same tables, asked in the same words."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, ClassVar

import msgspec
import numpy as np

from sudare.aggregate import Aggregate
from sudare.collection import Collection
from sudare.collector.counting import Sum, closed_reports, due, shown
from sudare.collector.payloads import payloads
from sudare.collector.released_tables import SOME, moved_on, sums
from sudare.collector.store import Standing, State, WindowStanding, WindowStandings
from sudare.collector.token_tables import Rows, Run, TokenTables
from sudare.continual import ContinualMechanism
from sudare.errors import ParameterError
from sudare.mechanism import Records

__all__ = ["Each", "Rows", "Run", "TableStore"]

Each = Callable[[str], Iterator[tuple[Any, ...]]]

_INVITED = 1000  # invitations in a statement


class TableStore(TokenTables):
    """A store in tables: all that doesn't count reports or close windows."""

    _alone: ClassVar[str] = ""
    """What a query says, so that its rows stay as they are until the transaction ends."""
    _together: ClassVar[str] = ""
    """The same, where others may say so too."""

    def __init__(self) -> None:
        self._collections: dict[str, Collection] = {}

    @abstractmethod
    def _lock(self, run: Run, number: int, window: int | None = None) -> None:
        """Keep others from changing a collection, or one window, until the transaction ends."""

    # Copies: read in a snapshot, written in one transaction of ``writing``

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Each]:
        """All rows of queries, one after the other, as they were at one moment."""

    @abstractmethod
    def snapshot_names(self, each: Each) -> Iterator[tuple[int, int, bytes]]:
        """All names of a snapshot that may still be compared with, window by window.

        They are where each database likes them best, in no table that both have. Each row is a
        collection's number in its store, a window, and some of its names.
        """

    @abstractmethod
    def put_names(self, run: Run, number: int, window: int, names: bytes) -> None:
        """Put back names of ``snapshot_names``.

        Args:
            run: of the transaction that also writes the window's sum.
            number: of the collection in this store.
            window: theirs.
            names: some of them, of 16 bytes each.
        """

    # Reports

    def windows(self, key: str, *, last: int | None = None, after: int = -1) -> WindowStandings:
        """The windows that have reports or were closed by their number, in order."""
        number, collection = self._find(key)
        ((reports,),) = self._read(
            "SELECT coalesce(sum(n), 0) FROM windows WHERE collection = ?", (number,)
        )
        counts = "w.counts" if collection.over_time else "NULL"  # else they needn't be read
        rows = self._read(
            f"SELECT window_number, w.n, {counts}, closed, closed_round, coalesce(r.n, 0) "  # noqa: S608
            "FROM windows w LEFT JOIN released r USING (collection, window_number) "
            "WHERE w.collection = ? AND (w.n > 0 OR closed = 1 OR closed_round > 0) "
            "AND window_number > ? ORDER BY window_number DESC LIMIT ?",
            (number, after, 2**62 if last is None else last),
        )
        found = (
            WindowStanding(
                window,
                n,
                closed_reports(collection, n, to, sums) if collection.over_time else released,
                bool(closed),
                to,
            )
            for window, n, sums, closed, to, released in reversed(rows)
        )
        return WindowStandings.of(number, int(reports), found)

    def release(self, key: str, window: int) -> Aggregate | None:
        """The sum that may be shown, moved on if the rule allows it now; None if there is none."""
        return next(self.releases(key, [window]), None)

    def releases(self, key: str, windows: Sequence[int]) -> Iterator[Aggregate]:
        """The sums that may be shown of some windows, in their order."""
        number, collection = self._find(key)
        for start in range(0, len(windows), SOME):
            some = windows[start : start + SOME]
            held = sums(self._read, number, collection, some)
            if moving := [at for at in some if at in held and due(collection, held[at])]:
                work = partial(self._move_on, key, number, collection, moving)
                later = self._written(work)
                held = {at: one for at, one in held.items() if at not in moving} | later
            found = (shown(collection, held[at]) for at in some if at in held)
            yield from (one for one in found if one is not None)

    def _move_on(
        self, key: str, number: int, collection: Collection, windows: Sequence[int], run: Run
    ) -> dict[int, Sum]:
        """Release; nothing of a collection that was removed, and perhaps added again, meanwhile."""
        self._locked(run, key, self._together)
        for window in windows:
            self._lock(run, number, window)
        return moved_on(run, number, collection, windows)

    def reports(self, key: str, window: int | None = None) -> Iterator[Records]:
        """The raw reports of a window, or of all, group by group; kept only if it says so."""
        number, collection = self._find(key)
        for payload in payloads(self._read, number, window):
            yield np.frombuffer(payload, collection.report_dtype)

    # Collections

    def add(self, standing: Standing) -> bool:
        """Hold a collection; False if it is held already (and nothing changes)."""
        held = standing.collection
        with self.writing() as run:
            rows = run(
                "INSERT INTO collections (key, document, state, public, grace) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id",
                (
                    held.key,
                    held.to_json(),
                    standing.state.value,
                    int(standing.public),
                    standing.grace,
                ),
            )
        return bool(rows)

    def standings(self) -> list[Standing]:
        """Every collection, in the order in which they were added."""
        rows = self._read(
            "SELECT id, key, document, state, public, grace FROM collections ORDER BY id"
        )
        return [
            Standing(self._parsed(key, document), State(state), bool(public), grace, number)
            for number, key, document, state, public, grace in rows
        ]

    def change(self, key: str, *, state: State | None = None, public: bool | None = None) -> None:
        """Pause, open or close a collection, or show its results to everybody."""
        self._change(key, state, public)

    def _change(self, key: str, state: State | None, public: bool | None) -> State:
        """The same; what state it is in then."""
        number, _ = self._find(key)
        with self.writing() as run:
            self._lock(run, number)
            if state is not None:
                run(
                    "UPDATE collections SET state = ? WHERE id = ? AND state <> ?",
                    (state.value, number, State.CLOSED.value),
                )
                if state is State.CLOSED:
                    self._forget_names(run, number, None)
                    run("DELETE FROM used WHERE collection = ?", (number,))
            if public is not None:
                run("UPDATE collections SET public = ? WHERE id = ?", (int(public), number))
            rows = run("SELECT state FROM collections WHERE id = ?", (number,))
        if not rows:  # removed meanwhile
            raise self._unknown(key)
        return State(rows[0][0])

    def remove(self, key: str) -> None:
        """Forget a collection, its reports and its sums."""

        def work(run: Run) -> None:
            number, _ = self._locked(run, key, self._alone)
            self._forget_names(run, number, None)
            run("DELETE FROM collections WHERE id = ?", (number,))

        self._written(work)

    def keep_candidates(self, key: str, texts: Sequence[str]) -> None:
        """Keep the texts that free-text answers are decoded against, in place of earlier ones."""
        document = msgspec.json.encode(list(texts))

        def work(run: Run) -> None:
            number, _ = self._locked(run, key, self._together)
            run(
                "INSERT INTO candidates (collection, texts) VALUES (?, ?) "
                "ON CONFLICT (collection) DO UPDATE SET texts = excluded.texts",
                (number, document),
            )

        self._written(work)

    def candidates(self, key: str) -> list[str]:
        """The texts kept."""
        number, _ = self._find(key)
        rows = self._read("SELECT texts FROM candidates WHERE collection = ?", (number,))
        return msgspec.json.decode(rows[0][0], type=list[str]) if rows else []

    def invite(self, key: str, digests: Sequence[bytes]) -> None:
        """Add invitations, each the SHA-256 of one."""
        ordered = sorted(set(digests))  # two who add the same wait, but not for each other

        def work(run: Run) -> None:
            number, _ = self._locked(run, key, self._together)
            for start in range(0, len(ordered), _INVITED):
                some = ordered[start : start + _INVITED]
                rows = ", ".join(["(?, ?)"] * len(some))
                run(
                    f"INSERT INTO invitations (collection, digest) VALUES {rows} "  # noqa: S608
                    "ON CONFLICT DO NOTHING",
                    [value for digest in some for value in (number, digest)],
                )

        self._written(work)

    # How it is kept

    @abstractmethod
    def _forget_names(self, run: Run, number: int, window: int | None) -> None:
        """Drop the names of every window up to one, or of all."""

    def _close_window(self, run: Run, key: str, window: int, last: int | None) -> bool:
        """Close a window and those before it, or its rounds up to one; whether it was a window."""
        number, collection = self._locked(run, key, self._alone)
        mechanism = collection.mechanism
        rounds = mechanism.rounds if isinstance(mechanism, ContinualMechanism) else 0
        if last is not None and not rounds:
            raise ParameterError(f"“{collection.name}” has no rounds that could be closed")
        whole = last is None or last >= rounds
        run(
            "INSERT INTO windows (collection, window_number) VALUES (?, ?) "
            "ON CONFLICT (collection, window_number) DO NOTHING",
            (number, window),
        )
        if not whole:
            run(
                "UPDATE windows SET closed_round = ? "
                "WHERE collection = ? AND window_number = ? AND closed_round < ?",
                (last, number, window, last),
            )
            return False
        run(
            "UPDATE windows SET closed = 1, closed_round = ? "
            "WHERE collection = ? AND window_number <= ? AND closed = 0",
            (rounds, number, window),
        )
        self._forget_names(run, number, window)
        run("DELETE FROM used WHERE collection = ? AND window_number <= ?", (number, window))
        return True

    def _find(self, key: str) -> tuple[int, Collection]:
        """A collection's number in the tables, and itself."""
        return self._locked(self._read, key, "")

    def _locked(self, run: Run, key: str, how: str) -> tuple[int, Collection]:
        """The same, in a transaction that others may not take it from."""
        rows = run(f"SELECT id, document FROM collections WHERE key = ? {how}", (key,))  # noqa: S608
        if not rows:
            raise self._unknown(key)
        number, document = rows[0]
        return number, self._parsed(key, document)

    @staticmethod
    def _unknown(key: str) -> ParameterError:
        return ParameterError(f"no collection {key[:12]}… is held in this store")

    def _parsed(self, key: str, document: bytes) -> Collection:
        """A document never changes under its key: it is read once."""
        held = self._collections.get(key)
        if held is None:
            held = self._collections[key] = Collection.from_json(document)
        return held
