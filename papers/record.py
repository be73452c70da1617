"""What the document says beside what we find, with a verdict that follows from the numbers."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One claim of the document; ``document`` is None where it gives no number."""

    id: str
    what: str
    document: float | str | None
    ours: float | str
    verdict: str


def digits(printed: str) -> int:
    """How many decimals were printed."""
    return -int(Decimal(printed).as_tuple().exponent)


def agrees(printed: str, ours: float) -> bool:
    """Whether the printed digits are those of ``ours``, rounded or cut off."""
    return abs(float(printed) - ours) < 10.0 ** -digits(printed)


def number(identifier: str, what: str, printed: str, ours: float, misprint: str = "") -> Row:
    """A printed number: equal, a misprint (for the reason given, if any), or different."""
    right = f"{ours:.{digits(printed)}f}"
    if agrees(printed, ours):
        verdict = "equal"
    else:
        verdict = f"misprint: {right}; {misprint}" if misprint else f"differs: {right}"
    return Row(identifier, what, float(printed), ours, verdict)


def write(rows: Sequence[Row], path: Path) -> None:
    """The rows as a JSON list, one object each."""
    path.write_text(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=2) + "\n")


def show(rows: Sequence[Row]) -> None:
    """The rows as a table: document, ours, difference, verdict."""
    table = Table("what", "document", "ours", "difference", "verdict", show_lines=True)
    for row in rows:
        cells = row.what, _shown(row.document), _shown(row.ours), _difference(row), row.verdict
        table.add_row(*map(escape, cells))  # L[f] is no markup
    Console().print(table)


def _shown(value: float | str | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 1000 and value == round(value) else f"{value:.5g}"


def _difference(row: Row) -> str:
    if isinstance(row.document, str) or row.document is None or isinstance(row.ours, str):
        return ""
    return f"{row.ours - row.document:+.3g}"
