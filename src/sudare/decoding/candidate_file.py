"""Texts, a line each: candidates for free text, read as they come."""

from collections.abc import Iterator
from typing import IO

from sudare.errors import InvalidDocument

_BOM = b"\xef\xbb\xbf"
_CHANGE = 3  # times as many bytes, or a third, is the most that composing (NFC) makes of a text


class Lines:
    """The candidates of a stream, a line each, checked as they are read, one at a time.

    Attributes:
        read: how many bytes have been read.
    """

    def __init__(self, source: IO[bytes], size: int | None, name: str = "the candidates") -> None:
        """The candidates of a stream that is at its beginning.

        Args:
            source: the stream.
            size: how many bytes it has, if that is known.
            name: of the file, for errors.
        """
        self._source = source
        self._name = name
        self.size = size
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        from sudare.mechanisms.strings import LONGEST, hashable_text

        most = _CHANGE * LONGEST
        number = 0
        while line := self._source.readline(most + len(_BOM + b"\r\n")):
            number += 1
            self.read += len(line)
            if number == 1:
                line = line.removeprefix(_BOM)
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            if len(line) > most:
                raise self._refusal(number, f"has over {most} bytes; 1 to {LONGEST} are allowed")
            if not line:
                raise self._refusal(number, "is empty")
            if b"\0" in line:  # as in UTF-16
                raise self._refusal(number, "is not UTF-8 text")
            try:
                text = line.decode()
                if len(line) > LONGEST // _CHANGE:
                    hashable_text(text)
            except UnicodeDecodeError:
                raise self._refusal(number, "is not UTF-8 text") from None
            except ValueError as error:
                raise self._refusal(number, str(error)) from None
            yield text

    def _refusal(self, number: int, reason: str) -> InvalidDocument:
        return InvalidDocument(f"line {number} of {self._name} {reason}")
