"""What tests of stores in SQLite share: one that is let go of, and that agrees with itself."""

from pathlib import Path

from sudare.collection.document import Collection
from sudare.collector.stores.sqlite.store import SqliteStore
from support.stores import Rules

KEPT = Rules(keeps_reports=True)


class closing_store:  # noqa: N801 - used as contextlib's are
    """A store that is let go of at the end."""

    def __init__(self, path: Path) -> None:
        self.store = SqliteStore(path)

    def __enter__(self) -> SqliteStore:
        return self.store

    def __exit__(self, *_: object) -> None:
        self.store.shut()


def assert_consistent(path: Path, tea: Collection) -> None:
    with closing_store(path) as store:  # which compares ids and sums
        for held in store.windows(tea.key):
            kept = sum(len(some) for some in store.reports(tea.key, held.window))
            assert kept == held.n
