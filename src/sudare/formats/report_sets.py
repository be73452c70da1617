"""Data sets of reports: a folder of report files, with a folder for each window where there are.

``window=7/part-00000.parquet`` is how tables lie in data lakes: engines, DuckDB, Polars and Spark
read such a folder as one table with a column ``window``. Names that begin with a dot or a low line
are other programs' notes, and are passed over.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from sudare.errors import InvalidDocument
from sudare.formats.files import new_folder
from sudare.formats.report_files import SUFFIXES, Sink, report_file
from sudare.formats.wire import Records

_PART = 1 << 24  # the most reports of a file: as many as a machine reads in a moment
_WINDOW = re.compile(r"window=(0|[1-9][0-9]{0,14})")


def report_files(paths: Iterable[Path], window: int | None = None) -> list[Path]:
    """The files that paths mean: a file itself, and of a folder all files of reports below it.

    Args:
        paths: of files and folders.
        window: of folders, only what lies under the name of this window.
    """
    found = []
    for path in paths:
        inside = _inside(path, window) if path.is_dir() else [path]
        if not inside:
            of = "" if window is None else f" of window {window}"
            raise InvalidDocument(
                f"{path} holds no files of reports{of}: they end in {' or '.join(SUFFIXES)}"
            )
        found += inside
    return found


def _inside(folder: Path, window: int | None) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in SUFFIXES
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        and window in {None, window_of(path)}
        and path.is_file()
    ]


def window_of(path: Path) -> int | None:
    """The window under whose name a file of a data set lies; None where there is none."""
    for part in reversed(path.parts[:-1]):
        if matched := _WINDOW.fullmatch(part):
            return int(matched[1])
    return None


class SetSink:
    """A data set that is being written: a new file whenever one is full, or the window another."""

    def __init__(self, folder: Path, dtype: np.dtype[np.void], key: str, stack: ExitStack) -> None:
        self._folder, self._dtype, self._key = folder, dtype, key
        self._stack = stack
        self._sink: Sink | None = None
        self._window: int | None = None
        self._held = self._parts = 0

    def write(self, reports: Records, window: int | None = None) -> None:
        """Append reports; those of a window come together."""
        if self._sink is None or window != self._window or self._held >= _PART:
            self._next(window)
        assert self._sink is not None  # noqa: S101 - for the type checker
        self._sink.write(reports)
        self._held += len(reports)

    def _next(self, window: int | None) -> None:
        self._stack.close()  # seals the one before
        again = self._sink is not None and window == self._window
        self._parts = self._parts + 1 if again else 0
        folder = self._folder if window is None else self._folder / f"window={window}"
        folder.mkdir(exist_ok=True)
        path = folder / f"part-{self._parts:05}.parquet"
        self._sink = self._stack.enter_context(report_file(path, self._dtype, self._key))
        self._window, self._held = window, 0


@contextmanager
def report_set(
    folder: Path, dtype: np.dtype[np.void], key: str, *, private: bool = False
) -> Iterator[SetSink]:
    """A new folder of Parquet files of reports, there whole or not at all."""
    with new_folder(folder, private=private) as temporary, ExitStack() as stack:
        yield SetSink(temporary, dtype, key, stack)
