"""Texts and rows as commands print them."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

_WIDEST = 32  # letters of a text in a table


def printable(text: str) -> str:
    """The text with a sign for every letter that would command the terminal."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def text_cell(text: str) -> "Text":
    """Somebody's text in a table: shortened in the middle, as its ends tell more."""
    from rich.text import Text

    if len(text) > _WIDEST:
        text = text[: _WIDEST // 2] + "…" + text[1 - _WIDEST // 2 :]
    return Text(printable(text), no_wrap=True, overflow="ellipsis")


def amount(number: int, one: str, many: str) -> str:
    """So many of something: 1 person, 2,000 people."""
    return f"{number:,} {one if number == 1 else many}"


def csv_text(rows: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> str:
    """The rows as CSV, with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
