"""A collection's answers out of a column of data, and whom that list would give away."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import rich_click as click

from sudare.cli.shared.answers import AnswerOptions, reading_bar, say_reading
from sudare.cli.shared.files import refuse_ours
from sudare.cli.shared.options import PATH, Command, refuse_idle
from sudare.cli.shared.terminal import say
from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.results.wording import counted


def answer_list_options(command: Command) -> Command:
    """Add the options by which a new collection's answers come from a file's column."""
    for option in (  # the last is applied first, and so stands first
        click.option(
            "--separator",
            help="With --answers-from and --most: between several answers in one cell.  "
            "[default: ;]",
        ),
        click.option(
            "--other",
            metavar="LABEL",
            help="With --at-least: one answer for all the rest; `randomize` takes it too.",
        ),
        click.option(
            "--at-least",
            type=click.IntRange(min=1),
            help="With --answers-from: only answers that so many rows have, or so many people.",
        ),
        click.option(
            "--answers-from",
            type=PATH,
            help="Possible answers from a file's --column: every different one, sorted.",
        ),
    ):
        command = option(command)
    return command


def answers_from(
    path: Path,
    source: AnswerOptions,
    at_least: int | None,
    other: str | None,
    separator: str | None,
    most: int | None,
    minimum: int,
) -> list[str]:
    """The different answers of a file's column; says on stderr what the list would give away.

    Args:
        path: of the file.
        source: how it is read.
        at_least: how many must give an answer for it to be listed.
        other: the label for all the rest.
        separator: the sign between several answers in one cell.
        most: how many a cell may have, where people select several.
        minimum: the number of reports below which a collection releases nothing.
    """
    from sudare.answers.labels import Labels
    from sudare.answers.table import columns_named
    from sudare.chance.randomness import System
    from sudare.questions.selection import SEPARATOR, FoundSelections

    if at_least is None:
        refuse_idle("without --at-least", "other")
    if most is None:
        refuse_idle("without --most", "separator")
        labels: Labels = Labels()
    else:
        refuse_idle("beside --most: a selection has no answer for all the rest", "other")
        labels = FoundSelections(most, SEPARATOR if separator is None else separator)
    with reading_bar("reading answers") as advance:
        reading = source.reading(path, columns_named(source.name), labels, System(), advance)
        for chunk in reading:
            labels.count(chunk)
    held = labels.answers()
    who = "row" if source.person is None else "person"
    listed = sorted_labels(text for text, n in held.items() if n >= (at_least or 1))
    if other is not None and other in held:
        raise ParameterError("--other is an answer of the file already: choose another label")
    say_reading(reading)
    left = len(held) - len(listed)
    if left:
        merged = "left out" if other is None else f"are “{other}”"
        fewer = counted(at_least or 1, who, _several(who))
        say(
            f"{counted(len(listed), 'answer')} of {len(held):,} listed; "
            f"those of fewer than {fewer} {merged}",
            err=True,
        )
    _warn(held, listed, who, minimum)
    return [*listed, *([other] if other is not None and left else [])]


def lines_of(path: Path) -> list[str]:
    """The lines of a text file, each an answer's label."""
    from sudare.formats.files import finite

    refuse_ours(path, FileKind.TEXT)
    try:
        text = finite(path).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidDocument(
            f"{path} is not UTF-8 text, as byte {error.start + 1} of it shows"
        ) from None
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def sorted_labels(labels: Iterable[str]) -> list[str]:
    """Labels in order: by their value if all are whole numbers, else by their letters."""
    told = sorted(labels)
    if all(label.isascii() and label.isdigit() for label in told):
        told.sort(key=int)
    return told


def _warn(held: Mapping[str, int], listed: list[str], who: str, minimum: int) -> None:
    """Say how many answers are given by few only: a document that is public names them."""
    rare = [held[label] for label in listed if held[label] < minimum]
    if not rare:
        return
    alone = sum(n == 1 for n in rare)
    single = f", {alone:,} of them by a single one" if alone else ""
    say(
        f"Warning: {counted(len(rare), 'answer')} of the list {'is' if len(rare) == 1 else 'are'} "
        f"given by fewer than {counted(minimum, who, _several(who))}{single}: a collection is "
        f"public, and says that somebody gave each of its answers; --at-least {minimum} leaves "
        f"them out, and with --other LABEL they are one answer",
        err=True,
    )


def _several(who: str) -> str:
    return "people" if who == "person" else "rows"
