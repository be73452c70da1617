"""The raw reports of a store as a file of reports."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sudare.collection.document import Collection
from sudare.collector.stores.contract import Store
from sudare.errors import ParameterError
from sudare.formats.numbers import counted
from sudare.formats.report_files import report_file
from sudare.formats.report_sets import report_set
from sudare.mechanisms.interface import Records

_TOGETHER = 1 << 16  # groups may be of one report: a file of such would be slow to read


def find_collection(store: Store, beginning: str) -> Collection:
    """The one collection of a store whose key has this beginning."""
    found = [
        held.collection
        for held in store.held_collections()
        if held.collection.key.startswith(beginning)
    ]
    if len(found) != 1:
        shown = beginning[:12] if beginning.isalnum() else ""
        number = counted(len(found), "collection") if found else "no collection"
        raise ParameterError(f"the store has {number} whose key begins with {shown!r}")
    return found[0]


def count_kept(store: Store, collection: Collection, window: int | None) -> int:
    """How many reports are kept of a window, or in all; a collection that keeps none is refused."""
    if not collection.keeps_reports:
        raise ParameterError(f"“{collection.name}” keeps no reports, only their sum")
    if window is None:
        return store.windows(collection.key, last=0).reports
    return sum(one.n for one in store.windows(collection.key) if one.window == window)


def export_reports(
    store: Store,
    collection: Collection,
    window: int | None,
    output: Path,
    progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Write the reports kept of a window, or all, and tell how many.

    Into a file if its name has an ending, else into a new folder, where each window has its own.
    """
    written = 0
    chosen: list[int | None] = [window]
    if window is None and collection.windows and _is_folder(output):
        chosen = [one.window for one in store.windows(collection.key)]
    # Single reports: no release rule holds for them.
    with _target(output, collection) as write:
        for one in chosen:
            for some in _together(store.reports(collection.key, one)):
                write(some, one)
                written += len(some)
                progress(len(some))
    return written


def _is_folder(output: Path) -> bool:
    return not output.suffix and (output.is_dir() or not output.exists())


@contextmanager
def _target(
    output: Path, collection: Collection
) -> Iterator[Callable[[Records, int | None], None]]:
    dtype, key = collection.report_dtype, collection.key
    if _is_folder(output):
        with report_set(output, dtype, key, private=True) as folder:
            yield folder.write
    else:
        with report_file(output, dtype, key, private=True) as file:
            yield lambda reports, _: file.write(reports)


def _together(groups: Iterator[Records]) -> Iterator[Records]:
    waiting: list[Records] = []
    for group in groups:
        waiting.append(group)
        if sum(map(len, waiting)) >= _TOGETHER:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)
