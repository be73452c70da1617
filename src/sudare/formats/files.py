"""Files that are what they seem, that are there whole or not at all, or that have one holder."""

import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Protocol

from sudare.errors import ParameterError

try:
    import fcntl
except ImportError:  # not every system has it
    _LOCKS = False
else:
    _LOCKS = True

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_OWN = 0o600  # the permissions of a file that is its owner's alone


class Once(Protocol):
    """Something that may happen once, and is written down before it does."""

    def check(self) -> None:
        """Raise if the thing happened before, or could not be written down if it happened."""

    def make(self) -> None:
        """Write down that the thing happens, to outlast a crash; raise if it happened before."""


def binary_stdin() -> IO[bytes]:
    """Standard input, if it is there and no terminal, where it would be waited for unseen."""
    if sys.stdin is None:
        raise ParameterError("standard input is closed: name a file")
    if sys.stdin.isatty():
        raise ParameterError("standard input is a terminal: name a file, or pipe something in")
    return sys.stdin.buffer


def real(path: Path) -> Path:
    """Where a path leads through all its links; links in a circle are an error that names it."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:  # of which ``resolve`` says nothing, or no OSError
            raise
    return path.resolve()


def regular(path: Path) -> Path:
    """The path of a regular file: a pipe may be waited for without end, a device read so."""
    return _of_kind(path, stat.S_ISREG, "is not a regular file")


def finite(path: Path) -> Path:
    """The path of a regular file or of a pipe, whose writer ends it: a device may have no end."""
    return _of_kind(
        path,
        lambda mode: stat.S_ISREG(mode) or stat.S_ISFIFO(mode),
        "is neither a regular file nor a pipe",
    )


def _of_kind(path: Path, fits: Callable[[int], bool], otherwise: str) -> Path:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not fits(mode):
        raise ParameterError(f"{path} {otherwise}")
    return path


def require_writable(folder: Path) -> None:
    """Raise unless a file can be made in a folder, and its name be written to disk."""
    try:
        os.close(os.open(folder, os.O_RDONLY))
        TemporaryFile(dir=folder).close()
    except OSError as error:
        raise ParameterError(
            f"{folder} must be a folder that files can be made in: {error.strerror}"
        ) from None


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its place if the block ends well.

    After an error, or a crash, whatever stood at ``path`` still stands there. A file that is
    replaced keeps its permissions, a link its target; a device or a pipe is written directly.
    A private file is its owner's alone, whatever the one before it was.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        with _known_as(path, path):
            yield path
        return
    asked, path = path, real(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with _known_as(asked, temporary):
        descriptor = os.open(
            temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWN if private else 0o666
        )
        try:
            if path.exists() and not private:
                temporary.chmod(path.stat().st_mode & 0o777)
            yield temporary
            os.fsync(descriptor)
            temporary.replace(path)
        finally:
            os.close(descriptor)
            temporary.unlink(missing_ok=True)


@contextmanager
def _known_as(path: Path, written: Path) -> Iterator[None]:
    """Let errors about a file that is being written have the name that the caller knows.

    That a disk is full is said without a name by whoever writes.
    """
    try:
        yield
    except OSError as error:
        unnamed = error.filename is None and error.errno in _FULL
        if unnamed or error.filename in (str(written), written):
            error.filename = str(path)
        raise


def write_whole(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file of these bytes, there whole or not at all."""
    with replacing(path, private=private) as temporary:
        temporary.write_bytes(data)


def write_durably(path: Path, data: bytes) -> None:
    """Replace a private file such that it stays replaced when the power fails."""
    write_whole(path, data, private=True)
    keep_entries(real(path).parent)


@contextmanager
def new_folder(folder: Path, *, private: bool = False) -> Iterator[Path]:
    """A temporary folder beside ``folder`` that takes its name if the block ends well.

    One that is there already is an error, and stays as it is. Into a private one its owner alone
    can look.
    """
    if os.path.lexists(folder):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder))
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        with _known_as(folder, temporary):
            temporary.mkdir(0o700 if private else 0o777)
            yield temporary
            temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_folder(folder: Path, files: Mapping[str, bytes], *, private: bool = False) -> None:
    """Make a folder of these files, by their paths in it, there whole or not at all."""
    with new_folder(folder, private=private) as temporary:
        try:
            for name, data in files.items():
                (temporary / name).parent.mkdir(parents=True, exist_ok=True)
                (temporary / name).write_bytes(data)
        except OSError as error:
            error.filename = str(folder)  # the name that the caller knows
            raise


def create_whole(path: Path, data: bytes, mode: int = _OWN) -> None:
    """Make a file that stays made when the power fails; ``FileExistsError`` if one is there.

    Of several that try at once, one succeeds. What an error leaves unfinished is removed.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        keep_entries(path.parent)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def make_private(path: Path) -> None:
    """Leave a file, made if there is none, to its owner alone."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, _OWN))
    if path.stat().st_mode & 0o077:
        # It is somebody else's, or on a disk without permissions: there are none to take away.
        with suppress(PermissionError):
            path.chmod(_OWN)


def keep_entries(folder: Path) -> None:
    """Let the names of a folder's files outlast a power failure, where a folder can be opened."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def lock(path: Path, what: str) -> int:
    """The descriptor of a file beside ``path`` (``.lock``) that is locked as long as it is open.

    Whoever comes second is refused. Where Python has no ``fcntl``, as on Windows, nothing is
    locked.
    """
    beside = path.with_name(f"{path.name}.lock")
    try:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, _OWN)
    except OSError as error:
        error.filename = str(path)  # the name that the caller knows
        raise
    if not _LOCKS:
        return descriptor
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise ParameterError(f"{what} {path.name} is open already, and can be only once") from None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
