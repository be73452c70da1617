"""Files that are there whole or not at all."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its place if the block ends well.

    After an error, or a crash, whatever stood at ``path`` still stands there. A file that is
    replaced keeps its permissions, a link its target; a device or a pipe is written directly.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except OSError as error:
        error.filename = str(path)  # the name that the caller knows
        raise
    try:
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        yield temporary
        os.fsync(descriptor)
        temporary.replace(path)
    finally:
        os.close(descriptor)
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """A file of these bytes, there whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)
