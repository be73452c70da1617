"""All that commands print: text of strangers is made visible here, and commands no terminal.

A sentence is one line, whatever is in it. A table's cells are made visible where the table is
made, since they have widths; what was forgotten there is made visible all the same.
"""

import logging
import re
from typing import IO, TYPE_CHECKING

import rich_click as click

from sudare.formats.strangers import visible, visible_json, visible_lines

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_WORD, _SENTENCE = 160, 800  # characters that are read
_LONG_WORD = re.compile(r"\S{401,}")  # longer than the path of a file


def say(sentence: str = "", *, err: bool = False, target: IO[str] | None = None) -> None:
    """Print a sentence on a line of its own, to stdout, stderr or a text file."""
    click.echo(visible(sentence), err=err, file=target)


def say_json(document: object, target: IO[str] | None = None) -> None:
    """Print a document as indented JSON, to a text file or to stdout."""
    import msgspec

    # Made visible while it is one line: there may be millions afterwards.
    shown = visible_json(msgspec.json.encode(document).decode())
    click.echo(msgspec.json.format(shown, indent=2), file=target)


def put_json(data: bytes, target: IO[str] | None = None) -> None:
    """Print the bytes of a JSON document as they are, but with escapes for what can't be seen."""
    click.echo(visible_json(data.decode()), nl=False, file=target)


def put_lines(text: str, target: IO[str] | None = None) -> None:
    """Print a text of whole lines, such as CSV, to a text file or to stdout."""
    click.echo(visible_lines(text), nl=False, file=target)


def put_table(table: "RenderableType", target: IO[str] | None = None) -> None:
    """Print a table, as wide as the terminal, to a text file or to stdout."""
    console(target).print(_Visible(table))


def console(target: IO[str] | None = None, *, err: bool = False) -> "Console":
    """Where tables and progress are drawn; nothing written there is taken for markup."""
    from rich.console import Console

    return Console(file=target, stderr=err, markup=False, emoji=False)


def show_mistake(error: click.ClickException) -> None:
    """Print that a command was called wrongly, and how it is called; the words may be anybody's."""
    sentence = error.format_message().replace("\n\t", " ")  # so click lists what may be chosen
    click.UsageError(visible(shortened(sentence)), getattr(error, "ctx", None)).show()


def shortened(sentence: str) -> str:
    """A sentence that somebody reads: what is long in it, such as a word typed, is cut inside."""
    sentence = _LONG_WORD.sub(lambda found: _cut(found[0], _WORD), sentence)
    return _cut(sentence, _SENTENCE) if len(sentence) > _SENTENCE else sentence


def _cut(text: str, size: int) -> str:
    return f"{text[: size // 2]}…{text[-size // 4 :]}"


def log_to_stderr(level: int) -> None:
    """Print records of this level and above to stderr, a line each."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter())
    logging.basicConfig(handlers=[handler], level=level)


class LogFormatter(logging.Formatter):
    """A line of a log for each record: no text in it begins another, but a traceback's lines."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The record's line."""
        return visible(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """The record's line, and the traceback below it if there is one."""
        return visible_lines(super().format(record))


class _Visible:
    """A table or text with every piece of it made visible, just before it is drawn."""

    def __init__(self, drawn: "RenderableType") -> None:
        self._drawn = drawn

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich.segment import Segment

        for piece in console.render(self._drawn, options):
            shown = piece.text if piece.control else visible_lines(piece.text)
            yield Segment(shown, piece.style, piece.control)
