"""Texts as commands print them in tables."""

from typing import TYPE_CHECKING

from sudare.formats.strangers import visible

if TYPE_CHECKING:
    from rich.text import Text

MOST_ROWS = 1000  # of a table: more take minutes to set, and nobody reads them
_WIDEST = 32  # letters of a text in a table


def cut_note(rows: int, what: str) -> str | None:
    """A note that a table has the largest of so many rows only, if it has."""
    if rows <= MOST_ROWS:
        return None
    return (
        f"The {MOST_ROWS:,} largest of {rows:,} {what}, largest first; --json and --csv have all."
    )


def whole_text(text: str) -> "Text":
    """Somebody's text in a table or above it, whole: neither markup nor more than one line."""
    from rich.text import Text

    return Text(visible(text))


def text_cell(text: str) -> "Text":
    """Somebody's text in a table: shortened in the middle, as its ends tell more."""
    from rich.text import Text

    shown = visible(text)
    if len(shown) > _WIDEST:
        shown = shown[: _WIDEST // 2] + "…" + shown[1 - _WIDEST // 2 :]
    return Text(shown, no_wrap=True, overflow="ellipsis")
