"""Files of people's answers as arguments: how they are read, and what is said of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.options import Command, progress_bar, refuse_idle
from sudare.cli.shared.terminal import say
from sudare.errors import ParameterError
from sudare.results.wording import counted

if TYPE_CHECKING:
    from sudare.answers.reading import Judge, Reading
    from sudare.answers.table import Layout
    from sudare.chance.keystream import Keystream
    from sudare.collection.document import Collection

FORMATS = ("auto", "csv", "lines", "jsonl", "parquet", "arrow", "excel")  # answers.table.FORMS
KEEPS = ("first", "last", "random")  # answers.one_each.KEEPS, without importing it
_KEPT = {
    "first": "the first answer",
    "last": "the last answer",
    "random": "one answer, drawn at random,",
}
_CHUNK = 1 << 18


def _delimiter(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    from sudare.answers.dialect import check_delimiter

    del context, option  # click hands them to every callback
    return None if text is None else check_delimiter(text)


def _encoding(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    from sudare.answers.plain_text import check_encoding

    del context, option  # click hands them to every callback
    return None if name is None else check_encoding(name)


_OPTIONS = (
    click.option("--column", help="The column of answers.  [default: answer]"),
    click.option(
        "--format",
        "file_format",
        type=click.Choice(FORMATS),
        default="auto",
        show_default=True,
        help="What the file is; `lines` is one answer per line, without a header.",
    ),
    click.option(
        "--delimiter",
        callback=_delimiter,
        help="Of a CSV: comma, semicolon, tab, pipe or any character.  [default: found out]",
    ),
    click.option(
        "--encoding",
        callback=_encoding,
        help="Of a text that is neither UTF-8 nor says so itself, such as latin-1 or utf-16-le.",
    ),
    click.option(
        "--person", help="The column that says whose a row is; one answer of each is taken."
    ),
    click.option(
        "--keep",
        type=click.Choice(KEEPS),
        default="first",
        show_default=True,
        help="Which answer of a --person.",
    ),
    click.option("--skip-missing", is_flag=True, help="Leave out rows without an answer."),
    click.option(
        "--skip-bad",
        is_flag=True,
        help="Leave out rows that can't be read, or hold no answer that is allowed.",
    ),
)


@dataclass(frozen=True)
class AnswerOptions:
    """The options by which a command reads a file of answers; None is what nobody asked for."""

    column: str | None
    file_format: str
    delimiter: str | None
    encoding: str | None
    person: str | None
    keep: str
    skip_missing: bool
    skip_bad: bool

    @property
    def name(self) -> str:
        """The name of the column of answers."""
        return "answer" if self.column is None else self.column

    def refuse_idle(self, why: str, *others: str) -> None:
        """Refuse any of the options that was given and has no effect, as ``why`` says."""
        refuse_idle(why, *(field.name for field in fields(self)), *others)

    def reading(
        self,
        path: Path,
        layout: "Layout",
        judge: "Judge",
        rng: "Keystream",
        progress: Callable[[int, int], object] = lambda _done, _all: None,
        rows_at_once: int = _CHUNK,
    ) -> "Reading":
        """The answers of a file, by these options."""
        from sudare.answers.reading import Reading, RowRules
        from sudare.answers.table import FileOptions, Table

        if self.person is None:
            refuse_idle("without --person", "keep")
        if self.file_format == "lines":
            refuse_idle("beside --format lines, which has no header", "column", "person")
        options = FileOptions(self.file_format, self.delimiter, self.encoding, self.person)
        table = Table(path, layout, options, progress, rows_at_once)
        rules = RowRules(self.keep, self.skip_missing, self.skip_bad)  # type: ignore[arg-type]  # one of KEEPS
        return Reading(table, judge, rules, rng)


def answer_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options by which answers are read, which reach the command as ``source``."""

    @wraps(command)
    def gathered(**given: Any) -> None:  # noqa: ANN401 - whatever the command's options are
        own = {field.name: given.pop(field.name) for field in fields(AnswerOptions)}
        command(source=AnswerOptions(**own), **given)

    for option in reversed(_OPTIONS):  # the last is applied first, and so stands first
        gathered = option(gathered)
    return gathered


def other_option(command: Command) -> Command:
    """Add ``--other``, the answer that stands for those that aren't listed, to a command."""
    return click.option(
        "--other",
        metavar="LABEL",
        help="Rows with none of the collection's answers count as this one of them.",
    )(command)


def separator_option(command: Command) -> Command:
    """Add ``--separator``, the sign between several answers in one cell, to a command."""
    return click.option(
        "--separator", help="Between several answers of a person in one cell.  [default: ;]"
    )(command)


def judge_of(agreed: "Collection", other: str | None, separator: str | None) -> "Judge":
    """Who judges the rows of a collection's answers: its question, with ``--other`` or without."""
    from sudare.answers.reading import OthersAs

    kind = agreed.kind if separator is None else agreed.kind.separated(separator)
    if other is None:
        return kind
    if kind.rounds or kind.body.several or kind.body.number or other not in agreed.answers:
        raise ParameterError(
            f"--other is one of a list of answers; “{agreed.name}” ({agreed.kind.described}) has "
            f"no answer {other!r}"
        )
    return OthersAs(kind, agreed.answers.index(other))


def seed_option(command: Command) -> Command:
    """Add ``--insecure-seed``, for noise that repeats, to a command."""
    return click.option(
        "--insecure-seed",
        type=int,
        help="Repeatable noise, for experiments only: who knows the seed sees the answers.",
    )(command)


@contextmanager
def reading_bar(what: str) -> Iterator[Callable[[int, int], object]]:
    """A progress bar of bytes, as a function that hears how many were read, and of how many."""
    with progress_bar(bytes_total=True) as progress:
        task = progress.add_task(what, total=None)

        def advance(read: int, size: int) -> None:
            progress.update(task, completed=read, total=size or None)

        yield advance


def say_reading(reading: "Reading", agreed: "Collection | None" = None) -> None:
    """Say which rows were left out, clipped or not kept, and where rows may not be people.

    On stderr; ``agreed`` is the collection whose answers they are.
    """
    if reading.table.options.person is not None:
        rows, people = counted(reading.rows, "row"), counted(reading.people, "person", "people")
        say(f"{rows} of {people}; {_KEPT[reading.rules.keep]} of each was kept", err=True)
    left = [f"{counted(n, 'row')} {why}" for why, n in reading.left_out.items() if n]
    if left:
        say(f"left out: {', '.join(left)}", err=True)
    if reading.clipped and agreed is not None:
        say(agreed.kind.clipped_rows(reading.clipped), err=True)
    if reading.ids is not None:
        say(
            f"Warning: {reading.ids!r} in {reading.table.name} looks like an id, and repeats: rows "
            f"may not be people, and whoever has several spends ε in each of them; "
            f'--person "{reading.ids}" takes one answer of each',
            err=True,
        )
