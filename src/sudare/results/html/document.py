"""The frame of every page: head, style, tables, notes."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from sudare.formats.strangers import ISOLATE, ISOLATE_END, visible_around_isolated

SCROLL_FROM = 50  # rows: a longer table gets its own scroll bar, so that what follows is found

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the browser itself refuses to load


@cache
def _style() -> str:
    return files("sudare.results.html").joinpath("style.css").read_text("utf-8").strip()


def shown(text: str) -> str:
    """A text as HTML: made visible, and what is ``isolated`` in it within ``<bdi>``."""
    return attribute(text).replace(ISOLATE, "<bdi>").replace(ISOLATE_END, "</bdi>")


def attribute(text: str) -> str:
    """A text as the value of an attribute, or as a title, where no tag can be."""
    return escape(visible_around_isolated(text))


def document(title: str, *parts: str) -> str:
    """A whole HTML page of finished parts; only the title is escaped here."""
    body = "\n".join(part for part in parts if part)
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{attribute(title)}</title>
<style>
{_style()}
</style>
</head>
<body>
<div class="blind"></div>
<main>
{body}
</main>
<footer>Made with Sudare <span lang="ja">簾</span>. This page runs no script and loads nothing.
</footer>
</body>
</html>
"""


def section(heading: str, *parts: str) -> str:
    """A section of a page, with a heading, of finished parts."""
    return f"<section>\n<h2>{shown(heading)}</h2>\n" + "\n".join(parts) + "\n</section>"


def remarks(texts: Sequence[str]) -> str:
    """A section of notes, a paragraph each; nothing if there are none."""
    return section("Notes", *(f"<p>{shown(text)}</p>" for text in texts)) if texts else ""


def table(caption: str, columns: Mapping[str, Iterable[str]]) -> str:
    """A table of named columns of text; the first column names the rows.

    The end tags of cells and rows are left out, as HTML allows: a third of a long table.
    """
    head = "".join(f'<th scope="col">{shown(name)}</th>' for name in columns)
    rows = [
        f'<tr><th scope="row">{shown(first)}' + "".join(f"<td>{shown(cell)}" for cell in rest)
        for first, *rest in zip(*columns.values(), strict=True)
    ]
    tall = " tall" if len(rows) > SCROLL_FROM else ""
    return (
        f'<div class="table{tall}" role="region" aria-label="{attribute(caption)}" tabindex="0">\n'
        f"<table>\n<caption>{shown(caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>\n"
        "</div>"
    )
