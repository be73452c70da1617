"""Stores that break on purpose: where a crash leaves them, and two that must be caught.

A crash is what ``kill -9`` leaves: every byte that was written so far, and nothing that was only in
memory. In one process that is a copy of the files, made at any statement of a commit.
"""

import os
import shutil
import signal
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np

from sudare.collector.stores.contract import Fates, Group, ReportFate, Store
from sudare.collector.stores.open import open_store
from sudare.errors import StoreUnavailable


@dataclass(frozen=True)
class Trap:
    """Something that happens once, in the next transaction.

    Attributes:
        kind: ``crash``, or ``fail``: the database reports an error; or ``stop``: the process does.
        statement: at which statement after the first, from 0; the last is the commit itself.
        after: after it instead of before.
    """

    kind: str
    statement: int
    after: bool


class Place(ABC):
    """Somewhere that a store outlives its process.

    Attributes:
        statements: about how many a commit has.
        crashed: whether a trap has made a crash of what happens from now on.
        survived: whether the transaction in which a trap sprang was whole before; None if none did.
    """

    statements = 5
    crashed = False
    survived: bool | None = None

    @abstractmethod
    def open(self) -> Store:
        """What is there now, opened by a new process."""

    @abstractmethod
    def crash(self, store: Store) -> None:
        """Lose what wasn't written; the store that was open is of no use any more."""

    def arm(self, trap: Trap) -> None:
        """Set a trap."""
        self._trap, self._at, self.survived = trap, -1, None

    def disarm(self) -> None:
        """Take away a trap that didn't spring, and forget one that did."""
        self._trap = self.survived = None

    _trap: Trap | None = None
    _at = -1
    """How many statements of a transaction there were while a trap was set; -1 for none."""

    @contextmanager
    def _watched(self, *, last: bool) -> Iterator[None]:
        """One statement of a transaction; the last one is its commit."""
        trap, self._at = self._trap, self._at + 1
        if trap is None or not (last or self._at == trap.statement):
            yield
            return
        if not trap.after:
            self._spring(trap, whole=False)
        yield
        if trap.after:
            self._spring(trap, whole=last)

    def _spring(self, trap: Trap, *, whole: bool) -> None:
        if self._trap is not trap:  # another thread's statement met it first
            return
        self._trap, self.survived = None, whole
        # Before anything breaks: what was answered until now must be there afterwards.
        self.crashed = trap.kind == "crash"
        if trap.kind == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)  # until somebody says SIGCONT
        else:
            self._break(trap, whole=whole)

    def shut(self, store: Store) -> None:
        """Let go of a store in good order."""
        store.shut()

    @abstractmethod
    def _break(self, trap: Trap, *, whole: bool) -> None:
        """Let a statement fail, or the process crash."""


class SqlitePlace(Place):
    """A file; after a crash, its copy."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._life = 0
        (folder / "0").mkdir(exist_ok=True)

    @property
    def path(self) -> Path:
        return self._folder / str(self._life) / "store.db"

    def open(self) -> Store:
        place = self

        class Trapped(sqlite3.Connection):
            """A connection whose statements are watched."""

            def execute(self, query: str, parameters: Any = (), /) -> sqlite3.Cursor:
                alone = not self.in_transaction
                if query.startswith("BEGIN") or alone:
                    place._at = -1
                # Outside of a transaction, what inserts is one by itself.
                if query.startswith("INSERT") if alone else not query.startswith("ROLLBACK"):
                    with place._watched(last=alone or query == "COMMIT"):
                        return super().execute(query, parameters)
                return super().execute(query, parameters)

        def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
            return real(*arguments, **options, factory=Trapped)

        real = sqlite3.connect
        with patch("sudare.collector.stores.sqlite.database.sqlite3.connect", connect):
            return open_store(str(self.path))

    def crash(self, store: Store) -> None:
        if not self.crashed:
            self._copy()
        self.crashed = False
        before = self.path.parent
        self._life += 1
        store.shut()
        shutil.rmtree(before)

    def _copy(self) -> None:
        """The files as they are now; shared memory and locks die with a process."""
        following = self._folder / str(self._life + 1)
        following.mkdir()
        for suffix in ("", "-wal", ".counted"):
            file = self.path.with_name(f"store.db{suffix}")
            if file.exists():
                shutil.copyfile(file, following / file.name)

    def _break(self, trap: Trap, *, whole: bool) -> None:
        if trap.kind == "crash":
            self._copy()  # what goes on in the old files is nobody's any more
        elif not whole:  # SQLite reports no error of a commit that was made
            raise sqlite3.OperationalError("disk I/O error")


class Wrapped:
    """A store that is another in all but its commits."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        return self.store.commit(groups)


class Flaky(Wrapped):
    """Fails at a commit when it is told to: before it, or after it was made."""

    fault: str | None = None

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        fault, self.fault = self.fault, None
        if fault == "before":
            raise StoreUnavailable("the database can't be reached")
        fates = super().commit(groups)
        if fault == "after":
            raise StoreUnavailable("the connection broke at the commit")
        return fates


class Hasty(Wrapped):
    """Wrong: acknowledges a commit before it is made, with the one that follows."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._late: list[Group] = []

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        late, self._late = self._late, list(groups)
        self.store.commit(late)
        return [np.full(len(group.ids), ReportFate.NEW, np.uint8) for group in groups]


class Forgetful(Wrapped):
    """Wrong: takes a report that comes again for another one."""

    _rng = np.random.default_rng()  # another in each process, as ids are

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        return self.store.commit(
            [
                replace(group, ids=self._rng.integers(0, 2**63, group.ids.shape, np.uint64))
                for group in groups
            ]
        )


VARIANTS: dict[str, type[Wrapped]] = {"sound": Wrapped, "hasty": Hasty, "forgetful": Forgetful}


def wrapped(store: Store, variant: str) -> Store:
    """A store, or one that is wrong in a way that must be found."""
    return cast("Store", VARIANTS[variant](store))
