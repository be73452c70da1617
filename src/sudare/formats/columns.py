"""Columns of text, read from CSV, Parquet, Arrow or lines, a chunk at a time: people's answers.

Nothing that is read here may reach an error message: a header can be somebody's answer too,
when a file has none.
"""

import csv
import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from sudare.errors import InvalidDocument, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 22  # bytes of text parsed at a time
_HEAD = 1 << 16  # bytes looked at to know what a file is
_ROWS = 1 << 18
_LINE_END = re.compile(rb"[\r\n]")


class Layout(NamedTuple):
    """Which columns of a table are wanted, and how a file without a header is laid out."""

    wanted: Callable[[list[str]], list[str]]
    """The wanted columns among a header's names; raises if they aren't there."""
    text: Callable[[int, "pa.Array"], "pa.Array"]
    """Each wanted column, with its number, as text."""
    names: list[str]
    """The names of the columns of ``lines``, which have no header."""
    delimiter: str
    """The sign between the columns of ``lines``."""
    quoted: bool
    """Whether quotes mean anything in ``lines``."""
    hint: str
    """The part of an error that says what a file must be."""


def one_column(column: str) -> Layout:
    """The layout of a table of which a single column is wanted."""

    def wanted(names: list[str]) -> list[str]:
        _check_names(names, column)
        return [column]

    def text(_: int, values: "pa.Array") -> "pa.Array":
        return as_text(values, f"the column {column!r}")

    hint = "see --format for what is understood"
    # A line is one answer whatever it contains: no delimiter, no quotes.
    return Layout(wanted, text, [column], "\x1f", quoted=False, hint=hint)


def read_column(
    path: Path, column: str, form: str, progress: Callable[[int, int], object]
) -> Iterator["pa.Array"]:
    """A table's column as text, in chunks; ``progress`` hears bytes (or rows) done and in all."""
    for (values,) in read_columns(path, one_column(column), form, progress):
        yield values


def binary_stdin() -> IO[bytes]:
    """Standard input, if it is there and no terminal, where it would be waited for unseen."""
    if sys.stdin is None:
        raise ParameterError("standard input is closed: name a file")
    if sys.stdin.isatty():
        raise ParameterError("standard input is a terminal: name a file, or pipe something in")
    return sys.stdin.buffer


def read_columns(
    path: Path, layout: Layout, form: str, progress: Callable[[int, int], object], rows: int = _ROWS
) -> Iterator[list["pa.Array"]]:
    """The wanted columns of a table as text, in chunks; of Parquet so many rows at a time."""
    import pyarrow as pa

    with ExitStack() as stack:
        piped = not path.is_file() and not path.is_dir() and (str(path) == "-" or path.exists())
        handle = binary_stdin() if str(path) == "-" else stack.enter_context(path.open("rb"))
        source = _Source(handle)
        if not source.head:
            raise InvalidDocument("the input is empty; it holds no answers")
        if source.head.startswith(b"\x1f\x8b"):
            raise InvalidDocument("the input is compressed with gzip: unpack it first")
        form = source.form() if form == "auto" else form
        if piped and (form == "parquet" or source.head.startswith(b"ARROW1")):
            kind = "Parquet" if form == "parquet" else "an Arrow file (unlike a stream)"
            raise ParameterError(f"{kind} can't be read from a pipe: name the file")
        try:
            if form == "parquet":
                yield from _parquet(path, layout, rows, progress)
                return
            for batch in _batches(path, source, layout, form):
                yield _texts(batch, layout)
                progress(source.served, 0 if piped else path.stat().st_size)
            if (form == "csv" or (form == "lines" and layout.quoted)) and source.quotes % 2:
                raise InvalidDocument("a quote in the csv is never closed: answers would be lost")
        except pa.ArrowException:
            # Arrow's own message quotes the line it could not read.
            raise InvalidDocument(f"the input can't be read as {form}; {layout.hint}") from None


class _Source(io.BufferedIOBase):
    """A stream of bytes whose beginning has been looked at, and that counts what it hands out."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self.head = self._unread = source.read(_HEAD)
        self.served = self.quotes = 0

    def form(self) -> str:
        """The form of the file by how it begins: parquet, arrow, or else csv."""
        if self.head.startswith(b"PAR1"):
            return "parquet"
        return "arrow" if self.head.startswith((b"ARROW1", b"\xff\xff\xff\xff")) else "csv"

    def see_line(self) -> int:
        """How many bytes are looked at, once the end of the first line is in sight."""
        while not _LINE_END.search(self.head) and (more := self._source.read(len(self.head))):
            self.head += more
            self._unread += more
        return len(self.head)

    def first_row(self) -> list[str]:
        """The cells of the first row."""
        self.see_line()
        text = self.head.decode("utf-8-sig", errors="replace")
        try:
            return next(csv.reader(io.StringIO(text, newline="")), [])
        except csv.Error:
            raise InvalidDocument("the header can't be read as csv; see --format") from None

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        piece, self._unread = self._unread[:size], self._unread[len(self._unread[:size]) :]
        if size is None or size < 0:
            piece += self._unread + self._source.read()
            self._unread = b""
        elif len(piece) < size:
            piece += self._source.read(size - len(piece))
        self.served += len(piece)
        self.quotes += piece.count(b'"')
        return piece


def _batches(path: Path, source: _Source, layout: Layout, form: str) -> Iterator["pa.RecordBatch"]:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    if form == "arrow":
        if source.head.startswith(b"ARROW1"):
            file = pa.ipc.open_file(path)
            batches = (file.get_batch(index) for index in range(file.num_record_batches))
        else:
            batches = iter(pa.ipc.open_stream(source))
        return (batch.select(layout.wanted(batch.schema.names)) for batch in batches)
    lines = form == "lines"
    columns = layout.names if lines else layout.wanted(source.first_row())
    return iter(
        arrow_csv.open_csv(
            source,
            read_options=arrow_csv.ReadOptions(
                block_size=max(_BLOCK, 4 * source.see_line()),  # a row must fit in
                use_threads=False,
                column_names=columns if lines else None,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=layout.delimiter if lines else ",",
                quote_char=False if lines and not layout.quoted else '"',
                ignore_empty_lines=False,  # an empty line may be somebody's answer
                newlines_in_values=not lines,
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=columns,
                column_types=dict.fromkeys(columns, pa.string()),
                strings_can_be_null=False,
            ),
        )
    )


def _texts(batch: "pa.RecordBatch", layout: Layout) -> list["pa.Array"]:
    return [layout.text(number, values) for number, values in enumerate(batch.columns)]


def _parquet(
    path: Path, layout: Layout, rows: int, progress: Callable[[int, int], object]
) -> Iterator[list["pa.Array"]]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    columns = layout.wanted(file.schema_arrow.names)
    done, everybody = 0, file.metadata.num_rows
    for batch in file.iter_batches(rows, columns=columns):
        yield _texts(batch.select(columns), layout)
        done += batch.num_rows
        progress(done, everybody)


def as_text(values: "pa.Array", name: str) -> "pa.Array":
    """A column as text; one with missing values is refused by its name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.null_count:
        raise InvalidDocument(f"{name} has {values.null_count} missing values")
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return values if pa.types.is_string(values.type) else pc.cast(values, pa.string())


def _check_names(names: list[str], column: str) -> None:
    if column not in names:
        raise InvalidDocument(
            f"the input has no column {column!r}; name the column of answers with --column, "
            f"or use --format lines for a file without a header"
        )
    if names.count(column) > 1:
        raise InvalidDocument(f"the input has more than one column {column!r}; rename the others")
