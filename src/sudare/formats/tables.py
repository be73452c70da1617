"""Rows of results as files: CSV for people and spreadsheets, Parquet for programs."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from sudare.formats.strangers import visible

if TYPE_CHECKING:
    from sudare.formats.documents import Shape

_RUN = re.compile(r"""(^|;)(?=[\s"'`]*[=+\-@＝＋－＠])""")  # what a spreadsheet may run begins here
_SIGN = re.compile(r"[=+\-@＝＋－＠]")  # without one, nothing does


def arrow_types(row: "type[Shape]") -> dict[str, str]:
    """The fields that every row of this shape has, and the Arrow type of each."""
    from msgspec import inspect

    arrow: dict[type[inspect.Type], str] = {
        inspect.StrType: "string",
        inspect.IntType: "int64",
        inspect.FloatType: "float64",
        inspect.BoolType: "bool",
    }
    found = {}
    for field in cast("inspect.StructType", inspect.type_info(row)).fields:
        whole = field.type
        parts = whole.types if isinstance(whole, inspect.UnionType) else (whole,)
        if field.required:
            (found[field.name],) = (arrow[type(part)] for part in parts if type(part) in arrow)
    return found


def csv_text(rows: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> str:
    """Rows of results as CSV, with a header; texts are ``text_cell``s, numbers stay as they are."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(fields)
    writer.writerows([_cell(row.get(name)) for name in fields] for row in rows)
    return text.getvalue()


def text_cell(text: str) -> str:
    """A text as a CSV cell: made visible, with an apostrophe before what a spreadsheet may run.

    Spreadsheets take a cell that begins with one of ``= + - @`` for a formula, some also after
    spaces or quotes, or if the sign is a wide one; to some a semicolon begins another cell.
    """
    shown = visible(text)
    return _RUN.sub(r"\1'", shown) if _SIGN.search(shown) else shown


def _cell(value: object) -> object:
    return text_cell(value) if isinstance(value, str) else value


def parquet_bytes(rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> bytes:
    """Rows of results as a Parquet file.

    Args:
        rows: with the same fields each; None where there is nothing.
        kinds: the fields, and the Arrow type of each.
    """
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in kinds.items()])
    sink = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema), sink)
    return sink.getvalue()
