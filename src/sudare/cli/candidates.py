"""Candidates for ``sudare decode``: a line each, read as they come."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import rich_click as click

from sudare.cli.options import PATH, Command, binary_stdin, is_pipe
from sudare.errors import InvalidDocument, ParameterError

_BOM = b"\xef\xbb\xbf"
_CHANGE = 3  # times as many bytes, or a third, is the most that composing (NFC) makes of a text
_UNITS = {"": 1 << 20, "mib": 1 << 20, "gib": 1 << 30}


def candidates_option(command: Command) -> Command:
    """Where candidates come from."""
    return click.option(
        "--candidates",
        type=PATH,
        required=True,
        help="What people may have answered, one per line; - for stdin.",
    )(command)


def memory_option(command: Command) -> Command:
    """How much memory they may take, as bytes."""
    return click.option(
        "--memory",
        default="4GiB",
        show_default=True,
        callback=_bytes,
        help="The most that the candidates' bits may take: 4GiB, 512MiB, or a number of MiB.",
    )(command)


def _bytes(context: click.Context, option: click.Parameter, text: str) -> int:
    del context, option  # click hands them to every callback
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?([mg]ib)?", text.strip().lower())
    size = int(float(found[1]) * _UNITS[found[2] or ""]) if found else 0
    if size < 1:
        raise ParameterError(f"memory is written as 4GiB, 512MiB or a number of MiB, got {text!r}")
    return size


class Lines:
    """The candidates of a stream, each checked as it is read; only one line is held at a time.

    Attributes:
        read: how many bytes have been read.
    """

    def __init__(self, source: IO[bytes], size: int | None) -> None:
        self._source = source
        self.size = size
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        from sudare.strings import LONGEST, hashable_text

        most = _CHANGE * LONGEST
        number = 0
        while line := self._source.readline(most + len(_BOM + b"\r\n")):
            number += 1
            self.read += len(line)
            if number == 1:
                line = line.removeprefix(_BOM)
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            if len(line) > most:
                raise _refusal(number, f"has over {most} bytes; 1 to {LONGEST} are allowed")
            if not line:
                raise _refusal(number, "is empty")
            if b"\0" in line:  # as in UTF-16
                raise _refusal(number, "is not UTF-8 text")
            try:
                text = line.decode()
                if len(line) > LONGEST // _CHANGE:
                    hashable_text(text)
            except UnicodeDecodeError:
                raise _refusal(number, "is not UTF-8 text") from None
            except ValueError as error:
                raise _refusal(number, str(error)) from None
            yield text


def _refusal(number: int, reason: str) -> InvalidDocument:
    return InvalidDocument(f"line {number} of the candidates {reason}")


@contextmanager
def candidate_lines(path: Path) -> Iterator[Lines]:
    """The lines of a file or of stdin; a missing file is noticed at once."""
    if is_pipe(path):
        yield Lines(binary_stdin(), None)
        return
    with path.open("rb") as handle:
        size = path.stat().st_size if path.is_file() else None
        yield Lines(handle, size)
