"""The databases in which a measured collector may count: each time a new store, on a disk."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

NewStore = Callable[[], AbstractContextManager[str]]
"""The address of a store that isn't there yet, and is gone afterwards."""

# Not below this folder, which PostgreSQL's own user may have no way into; and /tmp may be memory.
_DISK = "/var/tmp"  # noqa: S108 - a folder of its own inside


@dataclass(frozen=True)
class Database:
    """A database as it is called, and all that is needed to make stores in it."""

    name: str
    stores: Callable[[], AbstractContextManager[NewStore]]


@contextmanager
def new_sqlite() -> Iterator[str]:
    """A file in a folder of its own, below this one."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        yield str(Path(folder) / "load.db")


@contextmanager
def _sqlite() -> Iterator[NewStore]:
    yield new_sqlite


@contextmanager
def _postgres() -> Iterator[NewStore]:
    """A private server, the same that the tests start, for as long as it is needed."""
    sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
    from support.postgres import server

    with server(_DISK) as running:

        @contextmanager
        def new_store() -> Iterator[str]:
            yield running.new_database()
            running.give_back()

        yield new_store


DATABASES = {"sqlite": Database("SQLite", _sqlite), "postgres": Database("PostgreSQL", _postgres)}
