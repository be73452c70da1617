"""Candidates for ``sudare decode``: a line each, read as they come."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rich_click as click

from sudare.cli.shared.files import refuse_ours
from sudare.cli.shared.options import PATH, Command, is_pipe
from sudare.decoding.candidate_file import Lines
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.files import binary_stdin

_UNITS = {"": 1 << 20, "mib": 1 << 20, "gib": 1 << 30}


def candidates_option(command: Command) -> Command:
    """Add ``--candidates``, the file of candidates, to a command."""
    return click.option(
        "--candidates",
        type=PATH,
        required=True,
        help="What people may have answered, one per line; - for stdin.",
    )(command)


def memory_option(command: Command) -> Command:
    """Add ``--memory``, the bytes that candidates may take, to a command."""
    return click.option(
        "--memory",
        default="4GiB",
        show_default=True,
        callback=_bytes,
        help="The most that the candidates may take: 4GiB, 512MiB, or a number of MiB.",
    )(command)


def _bytes(context: click.Context, option: click.Parameter, text: str) -> int:
    del context, option  # click hands them to every callback
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?([mg]ib)?", text.strip().lower())
    size = int(float(found[1]) * _UNITS[found[2] or ""]) if found else 0
    if size < 1:
        raise ParameterError(f"memory is written as 4GiB, 512MiB or a number of MiB, got {text!r}")
    return size


@contextmanager
def candidate_lines(path: Path) -> Iterator[Lines]:
    """The candidates of a file or of stdin; a missing file is noticed at once."""
    if is_pipe(path):
        yield Lines(binary_stdin(), None, "stdin")
        return
    refuse_ours(path, FileKind.TEXT)
    with path.open("rb") as handle:
        size = path.stat().st_size if path.is_file() else None
        yield Lines(handle, size, str(path))
