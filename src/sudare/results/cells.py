"""Texts as commands print them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

_WIDEST = 32  # letters of a text in a table


def printable(text: str) -> str:
    """A text with a sign for every letter that would command the terminal."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def text_cell(text: str) -> "Text":
    """Somebody's text in a table: shortened in the middle, as its ends tell more."""
    from rich.text import Text

    if len(text) > _WIDEST:
        text = text[: _WIDEST // 2] + "…" + text[1 - _WIDEST // 2 :]
    return Text(printable(text), no_wrap=True, overflow="ellipsis")
