"""The bytes of a file as plain text: unpacked (gzip, zstd) and as UTF-8, whatever it is written in.

What a file is follows from how it begins, never from its name.
"""

import codecs
import gzip
import io
import zlib
from typing import IO, TYPE_CHECKING

from sudare.errors import InvalidDocument, ParameterError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_HEAD = 1 << 16  # bytes looked at to know what a file is
_PIECE = 1 << 20  # bytes decoded at a time
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PACKED = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7-Zip"}
_MARKS = (  # UTF-32's little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


UNDECODED = "\ufdd0"
"""Stands for each byte that isn't UTF-8: a code point that Unicode keeps out of all texts."""


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - nothing is encoded with it
    return UNDECODED, error.start + 1


codecs.register_error("sudare-undecoded", _mark)


def check_encoding(name: str) -> str:
    """The name of an encoding of texts; any other is refused."""
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise ParameterError(
            f"--encoding is the name of an encoding such as latin-1, cp1252 or utf-16, got {name!r}"
        ) from None
    return name


class Peeked(io.BufferedIOBase):
    """A stream of bytes whose beginning has been looked at, before it is read from there."""

    def __init__(self, source: IO[bytes] | io.BufferedIOBase) -> None:
        self._source = source
        self.head = self._unread = source.read(_HEAD)
        self.ended = False

    def readable(self) -> bool:
        """That it can be read."""
        return True

    def see_more(self) -> bool:
        """Look twice as far; False where the file has ended, and all of it is in sight."""
        more = self._source.read(max(_HEAD, len(self.head)))
        self.head += more
        self._unread += more
        self.ended = not more
        return bool(more)

    def drop(self, count: int) -> None:
        """Leave out so many bytes of the beginning, before anything is read."""
        self.head = self._unread = self.head[count:]

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes."""
        piece, self._unread = self._unread[:size], self._unread[len(self._unread[:size]) :]
        if size is None or size < 0:
            piece += self._unread + self._source.read()
            self._unread = b""
        elif len(piece) < size:
            piece += self._source.read(size - len(piece))
        return piece


def unpacked(source: IO[bytes], name: str) -> Peeked:
    """The bytes of a file, unpacked if they are packed; ``name`` is the file's, for errors."""
    found = Peeked(source)
    for start, packing in _PACKED.items():
        if found.head.startswith(start):
            raise InvalidDocument(f"{name} is packed with {packing}: unpack it first")
    if found.head.startswith(_GZIP):
        return Peeked(_Unpacking(gzip.GzipFile(fileobj=found), name, "gzip"))
    if found.head.startswith(_ZSTD):
        import pyarrow as pa

        packed = pa.CompressedInputStream(pa.PythonFile(found, mode="r"), "zstd")
        return Peeked(_Unpacking(packed, name, "zstd"))
    return found


class _Unpacking(io.BufferedIOBase):
    """Bytes out of a packed file; one that is cut or damaged is an error that names it."""

    def __init__(self, source: IO[bytes] | gzip.GzipFile, name: str, packing: str) -> None:
        self._source, self._name, self._packing = source, name, packing

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        try:
            return self._source.read(-1 if size is None else size)
        except (EOFError, OSError, ValueError, zlib.error):
            raise InvalidDocument(
                f"{self._name} can't be unpacked: its {self._packing} is cut short or damaged"
            ) from None


def as_utf8(source: Peeked, encoding: str | None, name: str) -> Peeked:
    """A text as UTF-8, without its byte order mark, from the encoding that is named or marked.

    What a text in UTF-8 has that isn't is ``UNDECODED``, so that only its rows are in doubt.
    """
    mark, marked = next(
        ((mark, of) for mark, of in _MARKS if source.head.startswith(mark)), (b"", None)
    )
    known = encoding or marked or "utf-8"
    if codecs.lookup(known).name == "utf-8":
        if mark == codecs.BOM_UTF8:
            source.drop(len(mark))
        # A single one may be part of a text; letters of UTF-16 have one each.
        if encoding is None and 4 * source.head.count(0) > len(source.head):
            raise InvalidDocument(
                f"{name} has zero bytes: it is no text, or UTF-16 without a mark, whose encoding "
                f"must be named, such as --encoding utf-16-le"
            )
        return Peeked(_Decoding(source, known, name, errors="sudare-undecoded"))
    return Peeked(_Decoding(source, known, name))


class _Decoding(io.BufferedIOBase):
    """UTF-8 made of a text in another encoding; what is not in it is named by its line."""

    def __init__(self, source: Peeked, encoding: str, name: str, *, errors: str = "strict") -> None:
        self._source, self._encoding, self._name = source, encoding, name
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._ready = b""
        self._lines = 0
        self._ended = False
        self._first = True

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        everything = size is None or size < 0
        parts, held = [self._ready], len(self._ready)
        while not self._ended and (everything or held < (size or 0)):
            parts.append(self._next())
            held += len(parts[-1])
        text = b"".join(parts)
        cut = len(text) if everything else size
        self._ready = text[cut:]
        return text[:cut]

    def _next(self) -> bytes:
        piece: ReadableBuffer = self._source.read(_PIECE)
        self._ended = not piece
        try:
            text = self._decoder.decode(piece, final=self._ended)
        except UnicodeDecodeError as error:
            # Only the line: the bytes are somebody's answer.
            before = error.object[: error.start].decode(self._encoding, "replace").count("\n")
            raise InvalidDocument(
                f"line {1 + self._lines + before} of {self._name} isn't {self._encoding} text: "
                f"name the file's encoding with --encoding"
            ) from None
        if self._first and text:
            text, self._first = text.removeprefix("\ufeff"), False
        self._lines += text.count("\n")
        return text.encode("utf-8", "surrogatepass")
