"""People's answers, read from CSV, Parquet, Arrow or lines of text, a chunk at a time.

Nothing that is read here may reach an error message: a header can be somebody's answer too,
when a file has none.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidDocument, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

    from sudare.collection import Collection

_BLOCK = 1 << 22  # bytes of text parsed at a time
_ROWS = 1 << 18


def read_column(
    path: Path, column: str, form: str, progress: Callable[[int, int], object]
) -> Iterator["pa.Array"]:
    """The named column as text, in chunks; ``progress`` hears bytes (or rows) done and in all."""
    import pyarrow as pa

    with ExitStack() as stack:
        handle, size = _handle(path, stack)
        form = _format(path, handle) if form == "auto" else form
        try:
            if form == "parquet":
                yield from _parquet(path, column, progress)
                return
            for batch in _batches(handle, column, form):
                yield _column(batch, column)
                progress(handle.tell() if size else 0, size)
        except pa.ArrowKeyError:
            raise _no_column(column) from None
        except pa.ArrowException:
            # Arrow's own message quotes the line it could not read.
            raise InvalidDocument(
                f"the input can't be read as {form}; see --format for what is understood"
            ) from None


def encode(collection: "Collection", column: "pa.Array", offset: int) -> NDArray[np.int64]:
    """A chunk of labels as values; ``offset`` is the number of answers before it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.index_in(column, value_set=pa.array(collection.answers))
    if numbers.null_count:
        where = int(np.argmax(numbers.is_null().to_numpy(zero_copy_only=False)))
        raise collection.unknown_answer(offset + where)
    return np.asarray(numbers.to_numpy(), np.int64)


def _handle(path: Path, stack: ExitStack) -> tuple[IO[bytes], int]:
    if str(path) == "-":
        return sys.stdin.buffer, 0
    return stack.enter_context(path.open("rb")), path.stat().st_size


def _format(path: Path, handle: IO[bytes]) -> str:
    start = cast("Any", handle).peek(8)[:8]
    if not start:
        raise InvalidDocument("the input is empty; there is nothing to randomise")
    if start.startswith(b"PAR1"):
        if str(path) == "-":
            raise ParameterError("Parquet can't be read from a pipe: name the file")
        return "parquet"
    return "arrow" if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")) else "csv"


def _batches(handle: IO[bytes], column: str, form: str) -> Iterator["pa.RecordBatch"]:
    import pyarrow as pa
    from pyarrow import csv

    if form == "arrow":
        is_file = cast("Any", handle).peek(6)[:6] == b"ARROW1"
        if is_file:
            file = pa.ipc.open_file(handle)
            return (file.get_batch(index) for index in range(file.num_record_batches))
        return iter(pa.ipc.open_stream(handle))
    lines = form == "lines"
    return iter(
        csv.open_csv(
            handle,
            read_options=csv.ReadOptions(
                block_size=_BLOCK, use_threads=False, column_names=[column] if lines else None
            ),
            # A line is one answer whatever it contains: no delimiter, no quotes.
            parse_options=csv.ParseOptions(
                delimiter="\x1f" if lines else ",",
                quote_char=False if lines else '"',
                ignore_empty_lines=not lines,
            ),
            convert_options=csv.ConvertOptions(
                include_columns=[column],
                column_types={column: pa.string()},
                strings_can_be_null=False,
            ),
        )
    )


def _parquet(
    path: Path, column: str, progress: Callable[[int, int], object]
) -> Iterator["pa.Array"]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    if column not in file.schema_arrow.names:
        raise _no_column(column)
    done, rows = 0, file.metadata.num_rows
    for batch in file.iter_batches(_ROWS, columns=[column]):
        yield _column(batch, column)
        done += batch.num_rows
        progress(done, rows)


def _column(batch: "pa.RecordBatch", column: str) -> "pa.Array":
    import pyarrow as pa
    import pyarrow.compute as pc

    if column not in batch.schema.names:
        raise _no_column(column)
    values = batch.column(column)
    if values.null_count:
        raise InvalidDocument(f"the column {column!r} has {values.null_count} missing values")
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return values if pa.types.is_string(values.type) else pc.cast(values, pa.string())


def _no_column(column: str) -> InvalidDocument:
    return InvalidDocument(
        f"the input has no column {column!r}; name the column of answers with --column, "
        f"or use --format lines for a file without a header"
    )
