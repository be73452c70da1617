"""A store in tables: all that every database of a collector has in common."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, ClassVar, TypeVar

import msgspec
import numpy as np

from sudare.collection.document import Collection
from sudare.collector.stores.contract import (
    HeldCollection,
    HeldWindow,
    HeldWindows,
    Released,
    Role,
    State,
    Store,
    Token,
)
from sudare.collector.stores.counting import WindowSum, closed_reports, moved_on, released, sum_of
from sudare.collector.stores.kept_reports import kept_reports
from sudare.errors import MechanismUnavailable, ParameterError
from sudare.mechanisms.interface import Records

Rows = list[tuple[Any, ...]]
Run = Callable[[str, Sequence[object]], Rows]
"""Executes a statement, whose parameters are question marks, and fetches its rows."""
Each = Callable[[str], Iterator[tuple[Any, ...]]]
"""Executes a query, and fetches its rows one after the other."""
Result = TypeVar("Result")

_INVITED = 1000  # invitations in a statement
_RELEASED = 500  # windows in a transaction, as one for each would take long; others write between
_SUMS = """SELECT window_number, w.n, w.counts, w.closed_round, coalesce(r.n, 0), r.counts
    FROM windows w LEFT JOIN released r USING (collection, window_number)
    WHERE w.collection = ? AND window_number IN ({})"""
_TOKENS = "SELECT name, digest, role, expires, label FROM tokens ORDER BY name"
_RELEASE = """INSERT INTO released (collection, window_number, n, counts)
    VALUES (?, ?, ?, ?) ON CONFLICT (collection, window_number)
    DO UPDATE SET n = excluded.n, counts = excluded.counts"""


class TableStore(Store):
    """A store in tables: all that doesn't count reports or close windows."""

    _alone: ClassVar[str] = ""
    """The words of a query whose rows nobody else may lock until the transaction ends."""
    _together: ClassVar[str] = ""
    """The words of a query whose rows nobody may change until the transaction ends."""

    def __init__(self) -> None:
        self._collections: dict[str, Collection] = {}
        self._unavailable: dict[str, str] = {}

    @abstractmethod
    def _read(self, query: str, parameters: Sequence[object] = ()) -> Rows:
        """The rows of a query, as last committed."""

    @abstractmethod
    def writing(self, *, long: bool = False) -> AbstractContextManager[Run]:
        """A transaction: all of it is durable at the end, or nothing.

        Args:
            long: whether it may take much longer than a commit.
        """

    def _written(self, work: Callable[[Run], Result], *, long: bool = False) -> Result:
        """The result of work in a transaction; done again, if the database asks for it."""
        with self.writing(long=long) as run:
            return work(run)

    @abstractmethod
    def _lock(self, run: Run, number: int, window: int) -> None:
        """Keep others from changing a collection's window until the transaction ends."""

    # Copies: read in a snapshot, written in one transaction of ``writing``

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Each]:
        """All rows of queries, one after the other, as they were at one moment."""

    @abstractmethod
    def snapshot_ids(self, each: Each) -> Iterator[tuple[int, int, bytes]]:
        """All ids of a snapshot that may still be compared with, window by window.

        They are where each database likes them best, in no table that both have. Each row is a
        collection's number in its store, a window, and some of its ids.
        """

    @abstractmethod
    def put_ids(self, run: Run, number: int, window: int, ids: bytes) -> None:
        """Write ids of a window that ``snapshot_ids`` has read, of this store or another.

        Args:
            run: of the transaction that also writes the window's sum.
            number: of the collection in this store.
            window: theirs.
            ids: some of them, of 16 bytes each.
        """

    # Reports

    def windows(self, key: str, *, last: int | None = None, after: int = -1) -> HeldWindows:
        """The windows that have reports or were closed by their number, in order."""
        number, collection = self._find(key)
        ((reports,),) = self._read(
            "SELECT coalesce(sum(n), 0) FROM windows WHERE collection = ?", (number,)
        )
        counts = "w.counts" if collection.kind.rounds else "NULL"  # else they needn't be read
        limit, most = ("", ()) if last is None else ("LIMIT ?", (last,))
        rows = self._read(
            f"SELECT window_number, w.n, {counts}, closed, closed_round, coalesce(r.n, 0) "  # noqa: S608
            "FROM windows w LEFT JOIN released r USING (collection, window_number) "
            "WHERE w.collection = ? AND (w.n > 0 OR closed = 1 OR closed_round > 0) "
            f"AND window_number > ? ORDER BY window_number DESC {limit}",
            (number, after, *most),
        )
        found = (
            HeldWindow(
                window,
                n,
                closed_reports(collection, n, to, sums) if collection.kind.rounds else shown,
                bool(closed),
                to,
            )
            for window, n, sums, closed, to, shown in reversed(rows)
        )
        return HeldWindows.of(number, int(reports), found)

    def release(self, key: str, window: int) -> Released | None:
        """The sum that may be shown, moved on if the rule allows it now; None if there is none."""
        return next(self.releases(key, [window]), None)

    def releases(self, key: str, windows: Sequence[int]) -> Iterator[Released]:
        """The sums of some windows that may be shown, in their order."""
        number, collection = self._find(key)
        for start in range(0, len(windows), _RELEASED):
            some = windows[start : start + _RELEASED]
            held = self._sums(self._read, number, collection, some)
            if moving := [at for at in some if at in held and moved_on(collection, held[at])]:
                later = self._written(partial(self._move_on, key, number, collection, moving))
                held = {at: one for at, one in held.items() if at not in moving} | later
            found = (released(collection, held[at]) for at in some if at in held)
            yield from (one for one in found if one is not None)

    def _move_on(
        self, key: str, number: int, collection: Collection, windows: Sequence[int], run: Run
    ) -> dict[int, WindowSum]:
        """Release; nothing of a collection that was removed, and perhaps added again, meanwhile."""
        self._locked(run, key, self._together)
        for window in windows:
            self._lock(run, number, window)
        found = self._sums(run, number, collection, windows)
        for window, held in found.items():
            if (moved := moved_on(collection, held)) and moved.released is not None:
                counts = moved.released.astype("<i8", copy=False).tobytes()
                run(_RELEASE, (number, window, moved.released_n, counts))
                found[window] = moved
        return found

    @staticmethod
    def _sums(
        run: Run, number: int, collection: Collection, windows: Sequence[int]
    ) -> dict[int, WindowSum]:
        """The sums of those windows that there are, each with what of it was released."""
        places = ", ".join("?" * len(windows))
        rows = run(_SUMS.format(places), (number, *windows))
        return {window: sum_of(collection, row) for window, *row in rows}

    def reports(self, key: str, window: int | None = None) -> Iterator[Records]:
        """The raw reports of a window, or of all, group by group; kept only if it says so."""
        number, collection = self._find(key)
        for payload in kept_reports(self._read, number, window):
            yield np.frombuffer(payload, collection.report_dtype)

    # Collections

    def add(self, held: HeldCollection) -> bool:
        """Hold a collection; False if it is held already (and nothing changes)."""
        key, document = held.collection.key, held.collection.to_json()
        with self.writing() as run:
            rows = run(
                "INSERT INTO collections (key, document, state, public, grace) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id",
                (key, document, held.state.value, int(held.public), held.grace),
            )
        return bool(rows)

    def held_collections(self) -> list[HeldCollection]:
        """Every collection that can be served, in the order in which they were added."""
        rows = self._read(
            "SELECT id, key, document, state, public, grace FROM collections ORDER BY id"
        )
        held, unavailable = [], dict[str, str]()
        for number, key, document, state, public, grace in rows:
            try:
                collection = self._parsed(key, document)
            except MechanismUnavailable as error:
                unavailable[key] = str(error)
            else:
                held.append(HeldCollection(collection, State(state), bool(public), grace, number))
        self._unavailable = unavailable
        return held

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Why others can't be served, by key."""
        return self._unavailable

    def change(self, key: str, *, state: State | None = None, public: bool | None = None) -> None:
        """Pause, open or close a collection, or show its results to everybody."""
        self._change(key, state, public)

    def _change(self, key: str, state: State | None, public: bool | None) -> State:
        """Change a collection's state or who sees its results; the state that it is in then."""
        number, _ = self._find(key)
        with self.writing() as run:
            if state is not None:
                run(
                    "UPDATE collections SET state = ? WHERE id = ? AND state <> ?",
                    (state.value, number, State.CLOSED.value),
                )
                if state is State.CLOSED:
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
            run("DELETE FROM collections WHERE id = ?", (number,))

        self._written(work, long=True)

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
        """The texts that a collection's free-text answers are decoded against."""
        number, _ = self._find(key)
        rows = self._read("SELECT texts FROM candidates WHERE collection = ?", (number,))
        return msgspec.json.decode(rows[0][0], type=list[str]) if rows else []

    def invite(self, key: str, digests: Sequence[bytes]) -> None:
        """Add invitations to a collection, each known by its SHA-256."""
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

    def is_invited(self, key: str, window: int, digest: bytes) -> bool:
        """Whether an invitation to a collection is known, and unused in a window."""
        number, _ = self._find(key)
        rows = self._read(
            "SELECT digest FROM invitations WHERE collection = ? AND digest = ? EXCEPT "
            "SELECT digest FROM used WHERE collection = ? AND window_number = ? AND digest = ?",
            (number, digest, number, window, digest),
        )
        return bool(rows)

    # Tokens

    def add_token(self, token: Token) -> None:
        """Keep a new token; one of the same name is refused."""
        with self.writing() as run:
            rows = run(
                "INSERT INTO tokens (name, digest, role, expires, label) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (name) DO NOTHING RETURNING name",
                (token.name, token.digest, token.role.value, token.expires, token.label),
            )
        if not rows:
            raise ParameterError(f"there is a token {token.name} already")

    def tokens(self) -> list[Token]:
        """All tokens, also expired ones, by name."""
        return _tokens(self._read(_TOKENS))

    def revoke(self, name: str, check: Callable[[list[Token]], None] | None = None) -> bool:
        """Forget a token; False if there is none of that name, or what ``check`` raises."""

        def work(run: Run) -> bool:
            if check is not None:
                check(_tokens(run(f"{_TOKENS} {self._alone}", ())))
            return bool(run("DELETE FROM tokens WHERE name = ? RETURNING name", (name,)))

        return self._written(work)

    # The store itself

    def check(self) -> None:
        """Raise ``StoreUnavailable`` unless something could be committed now."""
        with self.writing() as run:
            run("UPDATE checks SET number = number + 1", ())

    # How it is kept

    def _close_window(self, run: Run, key: str, window: int, last: int | None) -> bool:
        """Close a window and those before it, or its rounds up to one; whether it was a window."""
        number, collection = self._locked(run, key, self._alone)
        rounds = collection.kind.rounds
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
        run("DELETE FROM used WHERE collection = ? AND window_number <= ?", (number, window))
        return True

    def _find(self, key: str) -> tuple[int, Collection]:
        """A collection's number in the tables, and itself."""
        return self._locked(self._read, key, "")

    def _locked(self, run: Run, key: str, how: str) -> tuple[int, Collection]:
        """A collection's number and itself, in a transaction that others may not take it from."""
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


def _tokens(rows: Rows) -> list[Token]:
    return [
        Token(name, digest, Role(role), expires, label)
        for name, digest, role, expires, label in rows
    ]
