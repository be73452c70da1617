"""Which names and contents of files a piece of code lets outlast a power failure."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock


@contextmanager
def synced_entries() -> Iterator[set[Path]]:
    """Every path whose folder is synced within the block while it is there; truly synced, too."""
    synced = set[Path]()
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        fsync(descriptor)
        path = Path(f"/proc/self/fd/{descriptor}").resolve()
        if path.is_dir():
            synced.update(path.iterdir())

    with mock.patch("os.fsync", noted):
        yield synced


@contextmanager
def synced_contents() -> Iterator[list[tuple[Path, bytes]]]:
    """Every file that is synced within the block, with all it held then; truly synced, too."""
    synced = list[tuple[Path, bytes]]()
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        fsync(descriptor)
        path = Path(f"/proc/self/fd/{descriptor}").resolve()
        if path.is_file():
            synced.append((path, path.read_bytes()))

    with mock.patch("os.fsync", noted):
        yield synced
