"""Text of strangers, made fit to be shown: nothing in it commands a terminal or turns its reader.

Names, questions, labels, candidates, file names and a peer's words are whatever somebody wrote.
The browser's pages follow the same rule (web/src/page/strangers.tsx), and
tests/golden/visible.json holds both to it.
"""

import re

from sudare.errors import ParameterError

ISOLATE, ISOLATE_END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f"  # controls; among them what begins a command, and ends of lines
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # which way letters run
    r"\u2028\u2029"  # ends of lines and paragraphs
    r"\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # without a sign or a width
    r"\ud800-\udfff]"  # halves of letters, which no encoding has
)
_UNSEEN_OR_ISOLATED = re.compile(
    f"{ISOLATE}([^{ISOLATE}{ISOLATE_END}]*){ISOLATE_END}|{_UNSEEN.pattern}"
)


def visible(text: str) -> str:
    """A text on one line, with ``<U+001B>`` for each character that commands or can't be seen."""
    # Nothing unseen is printable, and that is asked much sooner.
    return text if text.isprintable() else _UNSEEN.sub(_named, text)


def visible_lines(text: str) -> str:
    """A text of several lines, each of which is made visible."""
    return "\n".join(map(visible, text.split("\n")))


def visible_json(text: str) -> str:
    """A JSON text of the same meaning, with an escape for each such character in its strings."""
    return "\n".join(
        line if line.isprintable() else _UNSEEN.sub(_escaped, line) for line in text.split("\n")
    )


def isolated(text: str) -> str:
    """A text made visible between the signs that keep its letters from turning its neighbours'.

    For pages and their attributes, not for terminals.
    """
    return ISOLATE + visible(text) + ISOLATE_END


def visible_around_isolated(text: str) -> str:
    """A text made visible, but for the signs around its ``isolated`` parts: always in pairs."""
    return _UNSEEN_OR_ISOLATED.sub(
        lambda found: _named(found) if found[1] is None else isolated(found[1]), text
    )


def refuse_unseen(what: str, text: str) -> None:
    """Refuse a new text of a person's own that has a character which can't be seen."""
    found = _UNSEEN.search(text)
    if found:
        raise ParameterError(
            f"{what} is one line of characters that can be seen, got {_named(found)[1:-1]} at "
            f"position {found.start()}"
        )


def _named(found: re.Match[str]) -> str:
    return f"<U+{ord(found[0]):04X}>"


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
