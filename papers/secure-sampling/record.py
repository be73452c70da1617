"""What the document says beside what we find, with a verdict that follows from the numbers."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
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


def number(
    identifier: str, what: str, printed: str, ours: Fraction | float, misprint: str = ""
) -> Row:
    """A printed number: equal if ours rounds to its digits, or cut off gives them."""
    exact = Fraction(ours)
    decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
    unit = Decimal(printed)
    rounded, cut = (decimal.quantize(unit, rounding=way) for way in (ROUND_HALF_EVEN, ROUND_FLOOR))
    if unit == rounded:
        verdict = "equal"
    elif unit == cut:
        verdict = "equal: cut off, not rounded"
    else:
        verdict = f"misprint: {rounded}; {misprint}" if misprint else f"differs: {rounded}"
    return Row(identifier, what, float(printed), float(exact), verdict)


def write(rows: Sequence[Row], path: Path) -> None:
    """The rows as a JSON list, one object each."""
    path.write_text(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=2) + "\n")


def show(rows: Sequence[Row]) -> None:
    """The rows as a table: document, ours, difference, verdict."""
    table = Table("what", "document", "ours", "difference", "verdict")
    for row in rows:
        cells = row.what, _shown(row.document), _shown(row.ours), _difference(row), row.verdict
        table.add_row(*map(escape, cells))
    Console().print(table)


def _shown(value: float | str | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value == round(value) and value >= 1000 else f"{value:.5g}"


def _difference(row: Row) -> str:
    if isinstance(row.document, str) or row.document is None or isinstance(row.ours, str):
        return ""
    return f"{row.ours - row.document:+.3g}" if row.ours != row.document else ""
