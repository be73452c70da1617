"""Rows of results as files: CSV for people and spreadsheets, Parquet for programs."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def csv_text(rows: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> str:
    """The rows as CSV, with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def parquet_bytes(rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> bytes:
    """The rows as a Parquet file.

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
