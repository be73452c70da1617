"""The rows of a spreadsheet: .xlsx, .xlsb, .xls and .ods, by python-calamine (an extra)."""

import io
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from sudare.answers.plain_text import Peeked
from sudare.errors import InvalidDocument, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa


def read_sheet(
    source: Peeked, name: str, rows: int
) -> tuple[int, list[str], Iterator[list["pa.Array"]]]:
    """The first sheet of a workbook: the row after its header, the header, the columns in chunks.

    A sheet has at most 1,048,576 rows, and is in memory as a whole.
    """
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise ParameterError(
            f"{name} is a spreadsheet or another zip archive: save it as CSV, or "
            f"`pip install 'sudare[excel]'` to read spreadsheets as they are"
        ) from None
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(source.read()))
        sheet = workbook.get_sheet_by_index(0)
        lines = iter(sheet.iter_rows())
        header = [_text(cell) or "" for cell in next(lines, [])]
    except CalamineError:
        raise InvalidDocument(
            f"{name} can't be read as a spreadsheet: save it as CSV, or unpack it first"
        ) from None
    if not header:
        raise InvalidDocument(f"{name} is empty; its first sheet holds no answers")
    above = sheet.start[0] if sheet.start is not None else 0
    return above + 2, header, _columns(lines, len(header), rows)


def _columns(lines: Iterator[list[Any]], width: int, rows: int) -> Iterator[list["pa.Array"]]:
    import pyarrow as pa

    while chunk := list(islice(lines, rows)):
        yield [
            pa.array([_text(line[place]) for line in chunk], pa.string()) for place in range(width)
        ]


def _text(cell: object) -> str | None:
    """A cell as it is shown: whole numbers without a point, nothing where it is empty."""
    if cell is None or cell == "":
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
