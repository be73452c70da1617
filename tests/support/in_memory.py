"""A folder in memory, where nobody has to wait for a disk."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - folders of our own inside
_ROOM = 1 << 30  # bytes; in a container there may be next to nothing


def memory() -> str:
    """Where to make one; on a disk, if there is no such place or too little room."""
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM
    return str(_MEMORY) if roomy else tempfile.gettempdir()


@contextmanager
def memory_folder() -> Iterator[Path]:
    """One that is gone afterwards: a crash in one process needs no disk."""
    with tempfile.TemporaryDirectory(dir=memory()) as name:
        yield Path(name)
