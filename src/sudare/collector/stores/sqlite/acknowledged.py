"""The number of reports that have counted, kept apart from SQLite's log.

SQLite ends its log where a checksum is wrong. So one bit that changed, or a log that was deleted,
takes back every commit from there on, without a word: what was acknowledged is gone, and the store
looks sound. This number says so.

It is written after each commit and isn't synced, which costs a microsecond. After a power cut it
may be behind what is durable, and is never ahead of it.
"""

import os
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

_FORM = b"%020d %08x\n"


class Acknowledged:
    """A file beside a store that says how many reports have counted in it.

    A file that can't be written doesn't stop anybody: its number is then one from before.
    """

    def __init__(self, store: Path) -> None:
        """The file beside a store, which is made when it is first written."""
        self.path = store.with_name(f"{store.name}.counted")
        self._descriptor: int | None = None

    def read(self) -> int | None:
        """The number; None if there is none, or one that was cut or changed."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        digits = data[:20]
        number = int(digits) if digits.isdigit() else 0
        return number if data == _line(number) else None

    @property
    def moment(self) -> str:
        """When the number was last written, in UTC."""
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC).isoformat(" ", "seconds")

    def write(self, number: int, *, durably: bool = False) -> None:
        """Let the number be this; ``durably`` before it becomes smaller, as a loss looks so too."""
        with suppress(OSError):
            if self._descriptor is None:
                self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            os.pwrite(self._descriptor, _line(number), 0)
            if durably:
                os.fsync(self._descriptor)

    def forget(self) -> None:
        """Remove a number that was another store's, of the same name."""
        self.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _line(number: int) -> bytes:
    """A number as it is written, with a checksum: always as long, so that it is never cut."""
    return _FORM % (number, zlib.crc32(b"%020d" % number))
