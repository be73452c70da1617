"""How a CSV is delimited, found out from its first lines."""

import csv
import io

from sudare.errors import ParameterError

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
_LINES = 200  # looked at


def check_delimiter(text: str) -> str:
    """The delimiter that was named, as a word or as itself; anything else is refused."""
    found = DELIMITERS.get(text, "\t" if text == "\\t" else text)
    if len(found) != 1 or not found.isascii() or found in '"\r\n\0':
        raise ParameterError(
            f"--delimiter is one character, or one of {', '.join(DELIMITERS)}; got {text!r}"
        )
    return found


def cells(head: str, delimiter: str, most: int = _LINES) -> list[list[str]]:
    """The cells of the first lines that aren't blank, if they can be read at all."""
    found: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter):
            if row:
                found.append(row)
            if len(found) == most:
                break
    except csv.Error:  # a cell beyond the limit, or a NUL
        pass
    return found


def find_delimiter(head: str) -> str:
    """The delimiter under which the first lines have as many cells as the header.

    Of several the one with the most cells; where a line is a single cell by all of them, the one
    that divides the fewest lines. Of equal ones the first: the comma.
    """

    def fit(delimiter: str) -> tuple[bool, float, int]:
        header, *rows = cells(head, delimiter) or [[]]
        alike = sum(len(row) == len(header) for row in rows) / len(rows) if rows else 1.0
        return len(header) > 1 and alike >= 0.5, alike, len(header)

    return max(DELIMITERS.values(), key=fit)
