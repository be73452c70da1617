"""What tests of stores in SQLite share: one that is let go of, and that agrees with itself."""

from pathlib import Path

from stores import Rules
from sudare.collection import Collection
from sudare.collector.sqlite import SqliteStore

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
    with closing_store(path) as store:  # which compares names and sums
        for standing in store.windows(tea.key):
            kept = sum(len(some) for some in store.reports(tea.key, standing.window))
            assert kept == standing.n
