"""Columns of a table as text, a chunk at a time: CSV, lines, JSON lines, Parquet, Arrow, Excel.

Memory stays bounded whatever the length, but for a spreadsheet, which has an end.
"""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.answers.dialect import cells, find_delimiter
from sudare.answers.ids import names_people
from sudare.answers.line_numbers import LineNumbers
from sudare.answers.plain_text import UNDECODED, Peeked, as_utf8, unpacked
from sudare.errors import InvalidDocument, ParameterError, SudareError
from sudare.formats.files import binary_stdin

if TYPE_CHECKING:
    import pyarrow as pa

FORMS = ("auto", "csv", "lines", "jsonl", "parquet", "arrow", "excel")
_TEXTS = ("csv", "lines", "jsonl")
_HEADERS = {
    "csv": ", or use --format lines for a file without a header",
    "excel": "; the names stand in the first row of the first sheet: remove what is above them",
}
_NAMES = {"csv": "CSV", "jsonl": "JSON lines", "parquet": "Parquet", "arrow": "Arrow"}
_BLOCK = 1 << 22  # bytes of text parsed at a time
_ROWS = 1 << 18
_SAMPLE = 2000  # rows looked at before the table is read
_SHORT = 1 << 16  # bytes of a text that is looked at as a whole
_LINE_END = re.compile(rb"[\r\n]")
_WHOLE = 2.0**53  # below which a float that is whole is that number


class Layout(NamedTuple):
    """Which columns of a table are wanted, and how a file without a header is laid out."""

    wanted: Callable[[list[str]], list[str]]
    """The wanted columns among a header's names; raises if they aren't there."""
    names: list[str]
    """The names of the columns of ``lines``, which have no header."""
    delimiter: str
    """The sign between the columns of ``lines``."""
    quoted: bool
    """Whether quotes mean anything in ``lines``."""
    hint: str
    """The part of an error that says what a file must be."""
    truths: tuple[str, str] = ("false", "true")
    """The texts that stand for false and true in a column of them."""

    def found_in(self, names: Sequence[str]) -> list[str]:
        """The wanted columns of a table with these; those it should have, if they aren't there."""
        try:
            return self.wanted(list(names))
        except InvalidDocument:
            return self.names


def columns_named(*columns: str) -> Layout:
    """The layout of a table of which these columns are wanted."""

    def wanted(names: list[str]) -> list[str]:
        for column in columns:
            check_name(names, column, "--column")
        return list(columns)

    hint = "see --format for what is understood"
    # A line is one answer whatever it contains: no delimiter, no quotes.
    return Layout(wanted, list(columns), "\x1f", quoted=False, hint=hint)


class NoColumn(InvalidDocument):
    """A table without a column of a name; how such a file names its columns is still to be said."""


def check_name(names: list[str], column: str, option: str | None = None) -> None:
    """Refuse a column that isn't there, or is there twice.

    Another name is shown only if it is the same but for case and spaces: the first line of a file
    without a header is a person's. ``option`` names the column, where one does.
    """
    if column not in names:
        plain = column.strip().casefold()
        alike = next((name for name in names if name.strip().casefold() == plain), None)
        if alike is not None:
            named = "rename it" if option is None else f"name it with {option}, as it is written"
            raise InvalidDocument(f"there is no column {column!r}, but there is {alike!r}: {named}")
        how = "" if option is None else f"; name the column with {option}"
        raise NoColumn(f"there is no column {column!r}{how}")
    if names.count(column) > 1:
        raise InvalidDocument(f"there is more than one column {column!r}; rename the others")


@dataclass(frozen=True)
class FileOptions:
    """How a file is to be read, where that isn't left to be found out.

    Attributes:
        form: one of ``FORMS``.
        delimiter: between the cells of a CSV.
        encoding: of a text.
        person: the column that says whose a row is; it is read behind the others.
    """

    form: str = "auto"
    delimiter: str | None = None
    encoding: str | None = None
    person: str | None = None


class Rows(NamedTuple):
    """Some rows of a table."""

    columns: list["pa.Array"]
    """The wanted columns as text, null where there is nothing."""
    numbers: NDArray[np.int64]
    """Of each row, for ``Table.place``."""
    undecoded: NDArray[np.bool_]
    """Which rows have a cell that isn't text in the file's encoding."""

    def parts(self, most: int) -> Iterator["Rows"]:
        """The same rows, at most so many at a time."""
        for start in range(0, max(1, len(self.numbers)), most):
            part = slice(start, start + most)
            columns = [column.slice(start, most) for column in self.columns]
            yield Rows(columns, self.numbers[part], self.undecoded[part])


@dataclass(repr=False)  # it holds answers
class Table:
    """A table of answers in a file, or on standard input.

    Attributes:
        path: of the file; ``-`` is standard input.
        layout: which of its columns are wanted.
        options: how it is read.
        progress: hears bytes (of Parquet, rows) done, and in all where that is known.
        rows_at_once: the most of a chunk.
        sample: the first cells of columns, once it is being read.
        wanted: the names of the columns that are read, likewise.
    """

    path: Path
    layout: Layout
    options: FileOptions = FileOptions()
    progress: Callable[[int, int], object] = lambda _done, _all: None
    rows_at_once: int = _ROWS
    sample: dict[str, list[Any]] = field(default_factory=dict)
    wanted: list[str] = field(default_factory=list)
    _lines: LineNumbers | None = None
    _first_row: int = 1
    _ragged: list[int] = field(default_factory=list)
    _untold: list[int] = field(default_factory=list)

    @property
    def piped(self) -> bool:
        """Whether the table comes once only, and can't be read again."""
        path = self.path
        return not path.is_file() and not path.is_dir() and (str(path) == "-" or path.exists())

    @property
    def name(self) -> str:
        """The file's name, for sentences."""
        return "standard input" if str(self.path) == "-" else str(self.path)

    def place(self, number: int) -> str:
        """Where a row stands, for people: of a text by its line, of other tables by its row."""
        if self._lines is not None:
            return f"line {self._lines.of(number)} of {self.name}"
        return f"row {self._first_row + number} of {self.name}"

    def __iter__(self) -> Iterator[Rows]:
        """The table's rows, in chunks; those of the wrong shape are left to ``take_ragged``."""
        import pyarrow as pa

        with ExitStack() as stack:
            stdin = str(self.path) == "-"
            handle = binary_stdin() if stdin else stack.enter_context(self.path.open("rb"))
            source = unpacked(handle, self.name)
            if not source.head:
                raise InvalidDocument(f"{self.name} is empty; it holds no answers")
            form = self._form(source)
            self._check_options(form)
            try:
                for rows in self._read(source, handle, form):
                    yield from rows.parts(self.rows_at_once)
                    if self._lines is not None and len(rows.numbers):
                        self._lines.forget(int(rows.numbers[-1]))
            except NoColumn as error:
                raise InvalidDocument(f"{self.name}: {error}{_HEADERS.get(form, '')}") from None
            except pa.ArrowException:
                # Arrow's own message quotes the line that it could not read.
                raise InvalidDocument(
                    f"{self.name} can't be read as {_NAMES.get(form, form)}; {self.layout.hint}"
                ) from None

    def take_ragged(self) -> list[int]:
        """The rows so far that have more or fewer cells than the header, each told once."""
        found, self._untold = self._untold, []
        return found

    def _form(self, source: Peeked) -> str:
        """What the file is, by how it begins unless it was said."""
        head = source.head
        if self.options.form != "auto":
            return self.options.form
        if head.startswith(b"PAR1"):
            return "parquet"
        if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
            return "arrow"
        if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
            return "excel"
        text = as_utf8(Peeked(io.BytesIO(head)), self.options.encoding, self.name).head
        if re.match(rb"\s*\[\s*\{", text):
            raise InvalidDocument(
                f"{self.name} is one JSON array: write each of its objects on a line of its own, "
                f"as `jq -c '.[]'` does"
            )
        return "jsonl" if text.lstrip().startswith(b"{") else "csv"

    def _check_options(self, form: str) -> None:
        given = {"--delimiter": self.options.delimiter, "--encoding": self.options.encoding}
        for option, value in given.items():
            if value is not None and (
                form not in _TEXTS or (option == "--delimiter" and form == "jsonl")
            ):
                raise ParameterError(
                    f"{option} has no effect on {self.name}, which is {_NAMES.get(form, form)}"
                )
        if form == "lines" and (self.options.person or self.options.delimiter):
            raise ParameterError("--format lines is without columns: one line is one answer")

    def _read(self, source: Peeked, handle: IO[bytes], form: str) -> Iterator[Rows]:
        if form in {"parquet", "arrow"}:
            yield from self._binary(source, form)
            return
        if form == "excel":
            from sudare.answers.sheet import read_sheet

            self._first_row, header, batches = read_sheet(source, self.name, self.rows_at_once)
            yield from self._chosen(header, batches)
            return
        text = _Watched(as_utf8(source, self.options.encoding, self.name))
        size = 0 if self.piped else self.path.stat().st_size
        parsed = self._json(text) if form == "jsonl" else self._csv(text, lines=form == "lines")
        for rows in parsed:
            yield rows
            self.progress(handle.tell() if size else text.served, size)
        line = None if self._lines is None else self._lines.open_quote
        if line is not None:
            raise InvalidDocument(
                f"line {line} of {self.name}: a quote is opened and never closed, answers would be "
                f"lost"
            )

    def _wanted(self, names: list[str], sample: dict[str, list[Any]]) -> list[str]:
        """The wanted columns, and that of people behind them."""
        self.sample = sample
        try:
            self.wanted = self.layout.wanted(names)
            if self.options.person is not None:
                check_name(names, self.options.person, "--person")
        except NoColumn:
            raise
        except SudareError as error:
            raise type(error)(f"{self.name}: {error}") from None
        return [*self.wanted, *([self.options.person] if self.options.person is not None else [])]

    def _csv(self, text: "_Watched", *, lines: bool) -> Iterator[Rows]:
        """The rows of a CSV, or of lines without a header, each cell the bytes that stand there."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        layout, longest = self.layout, text.see_line()
        head = text.lines_in_sight()
        delimiter = layout.delimiter
        names, chosen, blank = layout.names, list(range(len(layout.names))), 0
        if not lines:
            blank = text.drop_blank_lines()
            delimiter = self.options.delimiter or find_delimiter(head)
            found = cells(head, delimiter, _SAMPLE)
            names = found[0] if found else []
            sample = {name: [*column] for name, *column in zip(*found, strict=False)}
            chosen = [names.index(name) for name in self._wanted(names, sample)]
        elif self.options.person is not None:
            raise ParameterError("--person is a column, which --format lines doesn't have")
        quoted, skips = layout.quoted or not lines, len(names) > 1
        first = 1 + blank
        self._lines = text.lines = LineNumbers(
            delimiter, quoted=quoted, skips_blank=skips, first_line=first
        )
        columns = [str(number) for number in range(len(names))]
        batches = arrow_csv.open_csv(
            text,
            read_options=arrow_csv.ReadOptions(
                block_size=max(_BLOCK, 4 * longest),  # a row must fit in
                use_threads=False,
                column_names=columns,
                skip_rows_after_names=0 if lines else 1,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quoted else False,
                ignore_empty_lines=skips,  # of a single cell, it may be somebody's answer
                newlines_in_values=quoted,
                invalid_row_handler=self._note_ragged,
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=[columns[place] for place in dict.fromkeys(chosen)],
                column_types=dict.fromkeys(columns, pa.binary()),
                strings_can_be_null=False,
            ),
        )
        wanted = [columns[place] for place in chosen]
        yield from self._numbered(batches, wanted, first=0 if lines else 1)

    def _note_ragged(self, row: Any) -> str:  # noqa: ANN401 - Arrow's, which has no types
        self._ragged.append(row.number - 1)
        self._untold.append(row.number - 1)
        return "skip"

    def _json(self, text: "_Watched") -> Iterator[Rows]:
        """The rows of JSON lines: an object on each, of which other fields are left alone."""
        from pyarrow import json as arrow_json

        longest = text.see_line()
        names, sample = _objects(text.lines_in_sight(), self.name)
        wanted = self._wanted(names, sample)
        if any(isinstance(cell, list | dict) for name in wanted for cell in sample[name]):
            raise self._no_text()
        self._lines = text.lines = LineNumbers("\0", quoted=False, skips_blank=True, first_line=1)
        batches = arrow_json.open_json(
            text,
            read_options=arrow_json.ReadOptions(
                use_threads=False, block_size=max(_BLOCK, 4 * longest)
            ),
            parse_options=arrow_json.ParseOptions(
                explicit_schema=_schema({name: sample[name] for name in wanted}),
                unexpected_field_behavior="ignore",
            ),
        )
        yield from self._numbered(batches, wanted, first=0)

    def _numbered(
        self, batches: "Iterable[pa.RecordBatch]", wanted: list[str], first: int
    ) -> Iterator[Rows]:
        """Batches with the number of each row among all records of the text."""
        for batch in batches:
            count, ragged = batch.num_rows, np.array(self._ragged, np.int64)
            numbers = np.arange(first, first + count + len(ragged))
            numbers = numbers[~np.isin(numbers, ragged)][:count]
            yield self._texts([batch.column(name) for name in wanted], numbers)
            if count:
                first = int(numbers[-1]) + 1
            self._ragged = [number for number in self._ragged if number >= first]

    def _binary(self, source: Peeked, form: str) -> Iterator[Rows]:
        """The rows of Parquet or Arrow."""
        import pyarrow as pa
        from pyarrow import parquet

        stream = form == "arrow" and not source.head.startswith(b"ARROW1")
        if not stream:
            kind = "Parquet" if form == "parquet" else "an Arrow file (unlike a stream)"
            if self.piped:
                raise ParameterError(f"{kind} can't be read from a pipe: name the file")
            if not _begins_with(self.path, source.head[:4]):
                raise ParameterError(f"{self.name} is {kind} that is packed: unpack it first")
        if form == "parquet":
            file = parquet.ParquetFile(self.path)
            everybody = file.metadata.num_rows
            names = file.schema_arrow.names
            ids = [name for name in dict.fromkeys(names) if names_people(name)]
            first = next(file.iter_batches(_SAMPLE, columns=ids), None) if ids else None
            sample = {} if first is None else _sample(first)
            wanted = self._wanted(names, sample)
            batches = file.iter_batches(self.rows_at_once, columns=list(dict.fromkeys(wanted)))
            for done, batch in _counted(batches):
                yield self._texts([batch.column(name) for name in wanted], done)
                self.progress(int(done[-1]) + 1 if len(done) else 0, everybody)
            return
        if stream:
            opened: Iterable[pa.RecordBatch] = pa.ipc.open_stream(source)
        else:
            held = pa.ipc.open_file(self.path)
            opened = (held.get_batch(index) for index in range(held.num_record_batches))
        for done, batch in _counted(opened):
            wanted = self._wanted(batch.schema.names, self.sample or _sample(batch))
            yield self._texts([batch.column(name) for name in wanted], done)

    def _chosen(self, header: list[str], batches: Iterable[list["pa.Array"]]) -> Iterator[Rows]:
        """The wanted columns of a sheet."""
        done, wanted = 0, None
        for columns in batches:
            if wanted is None:
                sample = {
                    name: column.slice(0, _SAMPLE).to_pylist()
                    for name, column in zip(header, columns, strict=True)
                }
                wanted = [header.index(name) for name in self._wanted(header, sample)]
            count = len(columns[0]) if columns else 0
            yield self._texts([columns[place] for place in wanted], np.arange(done, done + count))
            done += count
        if wanted is None:
            self._wanted(header, {})

    def _no_text(self) -> InvalidDocument:
        return InvalidDocument(
            f"{self.name} has lists or records in its cells, where each is one text or number; "
            f"{self.layout.hint}"
        )

    def _texts(self, columns: Sequence["pa.Array"], numbers: NDArray[np.int64]) -> Rows:
        import pyarrow as pa

        if any(pa.types.is_nested(values.type) for values in columns):
            raise self._no_text()
        undecoded = np.zeros(len(numbers), np.bool_)
        texts = [as_text(values, self.layout.truths, undecoded) for values in columns]
        return Rows(texts, numbers, undecoded)


class _Watched(Peeked):
    """A text that is read by Arrow, while its lines are counted."""

    def __init__(self, source: Peeked) -> None:
        super().__init__(source)
        self.served = 0
        self.lines: LineNumbers | None = None

    def see_line(self) -> int:
        """How many bytes are looked at, once the end of the first line is in sight."""
        while not _LINE_END.search(self.head[:-1]) and self.see_more():
            pass
        if len(self.head) < _SHORT:
            self.see_more()  # a small file is in sight as a whole
        return len(self.head)

    def lines_in_sight(self) -> str:
        """The beginning of the text, up to the end of a line unless it is all there is."""
        cut = max(self.head.rfind(b"\n"), self.head.rfind(b"\r"))
        seen = self.head if self.ended or cut < 0 else self.head[: cut + 1]
        return seen.decode("utf-8", errors="replace")

    def drop_blank_lines(self) -> int:
        """Leave out the blank lines before a header; how many they are."""
        start = self.head[: len(self.head) - len(self.head.lstrip(b"\r\n"))]
        self.drop(len(start))
        return len(start.splitlines())

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes."""
        piece = super().read(size)
        self.served += len(piece)
        if self.lines is not None:
            self.lines.feed(piece)
        return piece


def _begins_with(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start


def _sample(batch: "pa.RecordBatch") -> dict[str, list[Any]]:
    """The first cells of each column; of several with one name, those of the last."""
    return {
        name: column.slice(0, _SAMPLE).to_pylist()
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    }


def _counted(
    batches: "Iterable[pa.RecordBatch]",
) -> "Iterator[tuple[NDArray[np.int64], pa.RecordBatch]]":
    """Batches with the number of each row, from 0."""
    done = 0
    for batch in batches:
        yield np.arange(done, done + batch.num_rows), batch
        done += batch.num_rows


def _objects(text: str, name: str) -> tuple[list[str], dict[str, list[Any]]]:
    """The fields of the first JSON objects, and the values of each."""
    import msgspec

    sample: dict[str, list[Any]] = {}
    rows = 0
    for line in text.splitlines()[:_SAMPLE]:
        if line.strip():
            try:
                row = msgspec.json.decode(line, type=dict[str, Any])
            except msgspec.MsgspecError:
                raise InvalidDocument(
                    f"{name} can't be read as JSON lines: each line must be one object"
                ) from None
            for key in row:
                sample.setdefault(key, [None] * rows)
            rows += 1
            for key, values in sample.items():
                values.append(row.get(key))
    return list(sample), sample


def _schema(sample: dict[str, list[Any]]) -> "pa.Schema":
    """What the values of JSON are: one type for each field, as its first values have it."""
    import pyarrow as pa

    kinds = [(bool, pa.bool_()), (int, pa.int64()), (float, pa.float64())]

    def kind(values: list[Any]) -> "pa.DataType":
        found = {type(value) for value in values if value is not None}
        if found == {int, float}:
            return pa.float64()
        return next((of for python, of in kinds if found == {python}), pa.string())

    return pa.schema([(name, kind(values)) for name, values in sample.items()])


def as_text(
    values: "pa.Array", truths: tuple[str, str], undecoded: NDArray[np.bool_]
) -> "pa.Array":
    """A column as text, null where there is nothing; notes the rows that can't be decoded."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_boolean(values.type):
        return pc.if_else(values, truths[1], truths[0])
    if pa.types.is_floating(values.type):
        values = values.cast(pa.float64())
        whole = pc.and_(pc.equal(pc.floor(values), values), pc.less(pc.abs(values), _WHOLE))
        digits = pc.cast(pc.if_else(whole, values, 0.0), pa.int64()).cast(pa.string())
        return pc.if_else(whole, digits, pc.cast(values, pa.string()))
    if pa.types.is_string(values.type):
        values = values.cast(pa.binary())  # of a program that did not look whether it is UTF-8
    try:
        found = pc.cast(values, pa.string())
    except pa.ArrowInvalid:
        if not (pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type)):
            raise
    else:
        marked = pc.fill_null(pc.match_substring(found, UNDECODED), fill_value=False)
        undecoded |= marked.to_numpy(zero_copy_only=False)
        return found
    texts: list[str | None] = []
    for row, cell in enumerate(values.to_pylist()):  # of a chunk that has one, to find which
        try:
            texts.append(None if cell is None else cell.decode())
        except UnicodeDecodeError:
            texts.append(None)
            undecoded[row] = True
    return pa.array(texts, pa.string())
