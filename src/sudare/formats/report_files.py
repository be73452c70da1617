"""Files of reports: Arrow streams and Parquet, which name their collection and end with a seal.

A reader that meets no seal, or another, knows that reports were lost or changed, and says so. In
format 2, which is written, the seal is made of a digest for each column of each batch (of Parquet,
each row group), so that parts of a file can be read side by side, and checked at the speed of
memory. Format 1 has the CRC-32 of all records one after the other, and is still read.
"""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_digest, xxh3_64_hexdigest

from sudare.errors import InvalidDocument, MixedCollections, ParameterError
from sudare.formats.file_kinds import OLD_REPORTS_MARK, REPORTS_MARK
from sudare.formats.files import regular, replacing
from sudare.formats.numbers import counted
from sudare.formats.report_ids import identified_dtype
from sudare.formats.wire import (
    Columns,
    Records,
    columns_of,
    columns_of_records,
    describe,
    schema_of,
    to_batch,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

RECORDS = np.dtype[np.void]
SUFFIXES = (".arrow", ".parquet")
_SEAL = "sudare.seal"
_GROUP_ROWS = 1 << 16  # the most of a batch: enough to pay for a call, few enough for a cache
_GROUP_BYTES = 1 << 21
_OLD_ROWS = 1 << 16  # read together from Parquet of format 1


class Seal(Protocol):
    """The end of a file of reports: how many there are, and a digest of them."""

    @property
    def text(self) -> str:
        """The seal as it stands in the file's metadata."""

    count: int

    def add(self, columns: Columns) -> None:
        """Take in the reports of the next batch."""


class ColumnSeal:
    """The seal of format 2: XXH3-64 of the digests of all columns of all batches, in their order.

    The digests of a file's parts, one behind the other, are those of the file.
    """

    def __init__(self, count: int = 0, digests: bytes = b"") -> None:
        self.count = count
        self.digests = bytearray(digests)

    @property
    def text(self) -> str:
        """The number of reports, and the digest."""
        return f"{self.count} {xxh3_64_hexdigest(self.digests)}"

    def add(self, columns: Columns) -> None:
        """Take in the reports of the next batch."""
        self.count += len(columns)
        for array in columns.arrays.values():
            self.digests += xxh3_64_digest(_bytes(array))


class RecordSeal:
    """The seal of format 1: the CRC-32 of the records, each field behind the other."""

    def __init__(self) -> None:
        self.count = 0
        self._crc = 0

    @property
    def text(self) -> str:
        """The number of reports, and the checksum."""
        return f"{self.count} {self._crc}"

    def add(self, columns: Columns) -> None:
        """Take in the reports of the next batch."""
        self.count += len(columns)
        self._crc = zlib.crc32(_bytes(columns.records()), self._crc)


def _bytes(array: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


_SEALS: dict[bytes, type[ColumnSeal | RecordSeal]] = {
    REPORTS_MARK: ColumnSeal,
    OLD_REPORTS_MARK: RecordSeal,
}


class Sink(Protocol):
    """A file or stream of reports that is being written."""

    def write(self, reports: Records) -> None:
        """Append reports to the file or stream."""


class _ArrowSink:
    """An Arrow stream, for pipes and files."""

    def __init__(self, target: Any, dtype: RECORDS, key: str) -> None:  # noqa: ANN401 - path or binary file
        import pyarrow as pa

        self._seal = ColumnSeal()
        self._rows = _group_rows(dtype)
        self._empty = np.empty(0, dtype)
        self._writer = pa.ipc.new_stream(target, schema_of(dtype).with_metadata(_marks(key)))

    def write(self, reports: Records) -> None:
        for start in range(0, len(reports), self._rows):
            columns = columns_of_records(reports[start : start + self._rows])
            self._seal.add(columns)
            self._writer.write_batch(to_batch(columns))

    def finish(self) -> None:
        end = to_batch(columns_of_records(self._empty))
        self._writer.write_batch(end, custom_metadata={_SEAL: self._seal.text})
        self._writer.close()


class _ParquetSink:
    """A Parquet file, for tables and clusters, in row groups of one size but for the last."""

    def __init__(self, target: Any, dtype: RECORDS, key: str) -> None:  # noqa: ANN401 - path or binary file
        import pyarrow.parquet as pq

        self._seal = ColumnSeal()
        self._rows = _group_rows(dtype)
        self._waiting = [np.empty(0, dtype)]
        # Noise doesn't compress; small numbers, of which Parquet makes 32 bits, have a dictionary.
        small = [name for name in dtype.names or () if dtype[name].itemsize <= 2]
        self._writer = pq.ParquetWriter(
            target,
            schema_of(dtype).with_metadata(_marks(key)),
            compression="none",
            use_dictionary=small,
            write_page_checksum=True,  # for other readers: the seal is ours
        )

    def write(self, reports: Records) -> None:
        self._waiting.append(reports)
        if sum(map(len, self._waiting)) >= self._rows:
            everything = np.concatenate(self._waiting)
            whole = len(everything) - len(everything) % self._rows
            self._write(everything[:whole])
            self._waiting = [everything[whole:]]

    def _write(self, reports: Records) -> None:
        for start in range(0, len(reports), self._rows):
            group = columns_of_records(reports[start : start + self._rows])
            self._seal.add(group)
            self._writer.write_batch(to_batch(group), row_group_size=self._rows)

    def finish(self) -> None:
        self._write(np.concatenate(self._waiting))
        self._writer.add_key_value_metadata({_SEAL: self._seal.text})
        self._writer.close()


def _group_rows(dtype: RECORDS) -> int:
    rows = _GROUP_ROWS
    while rows > 1 and rows * dtype.itemsize > _GROUP_BYTES:
        rows //= 2
    return rows


def _marks(key: str) -> dict[str, str]:
    return {"sudare": REPORTS_MARK.decode(), "sudare.key": key}


@contextmanager
def report_file(path: Path, dtype: RECORDS, key: str, *, private: bool = False) -> Iterator[Sink]:
    """A new file of reports, Parquet or Arrow by its suffix; there is none if the block fails.

    One that is private can be read by its owner alone.
    """
    kinds: dict[str, type[_ArrowSink | _ParquetSink]] = {
        ".arrow": _ArrowSink,
        ".parquet": _ParquetSink,
    }
    special = path.exists() and not path.is_file()  # a device or a pipe has no suffix
    kind = _ArrowSink if special else kinds.get(path.suffix.lower())
    if kind is None:
        raise ParameterError(f"reports are written as .arrow or .parquet, got {path.name!r}")
    with replacing(path, private=private) as temporary:
        sink = kind(str(temporary), dtype, key)
        yield sink
        sink.finish()


@contextmanager
def report_stream(target: IO[bytes], dtype: RECORDS, key: str) -> Iterator[Sink]:
    """Reports down a pipe as an Arrow stream; without its seal the reader refuses it."""
    sink = _ArrowSink(target, dtype, key)
    yield sink
    sink.finish()


@dataclass(frozen=True)
class ReportFile:
    """A file of reports, known by its head (of Parquet, its foot) to be of one's collection.

    Attributes:
        path: of the file.
        dtype: the record of its reports, with their ids if the file has them.
        reports: how many there are; of an Arrow stream, how many at most.
        groups: the number of reports in each row group, if parts of it may be read by themselves.
        seal: what its seal says, if that is known before the end.
    """

    path: Path
    dtype: RECORDS
    reports: int
    groups: tuple[int, ...] | None = None
    seal: str | None = None

    @property
    def identified(self) -> bool:
        """Whether its reports have ids."""
        return "id" in (self.dtype.names or ())


def examine(path: Path, dtype: RECORDS, key: str) -> ReportFile:
    """What the head of a file of reports says; one of another collection or format is refused."""
    with _naming_damage(lambda: 0):
        if not _is_parquet(path):
            with _stream(path) as reader:
                _, found = _check_schema(reader.schema, dtype, key)
            return ReportFile(path, found, path.stat().st_size // max(1, found.itemsize))
        with _parquet(path) as file:
            seal, found = _check_schema(file.schema_arrow, dtype, key)
            about = file.metadata
            if seal is RecordSeal:
                return ReportFile(path, found, about.num_rows)
            groups = tuple(about.row_group(i).num_rows for i in range(about.num_row_groups))
            return ReportFile(path, found, about.num_rows, groups, _sealed(about.metadata))


def check_seal(file: ReportFile, seal: Seal) -> None:
    """Raise unless what was read of a file, all its parts together, is what its seal says."""
    _compare(file.seal, seal)


class GroupReader:
    """A Parquet file of format 2 that is open, to read some of its row groups."""

    def __init__(self, file: ReportFile) -> None:
        self._file = file
        with _naming_damage(lambda: 0):
            self._parquet = _opened(file.path)

    def read(self, groups: Sequence[int], seal: ColumnSeal) -> Columns:
        """The reports of some row groups behind each other, taken into the seal."""
        with _naming_damage(lambda: seal.count):
            columns = _groups(self._parquet, groups, self._file.dtype)
        sizes = self._file.groups or ()
        start = 0
        for group in groups:
            seal.add(columns.rows(slice(start, start + sizes[group])))
            start += sizes[group]
        return columns

    def close(self) -> None:
        """Let the file go."""
        self._parquet.close(force=True)


def read_columns(source: Path | IO[bytes], dtype: RECORDS, key: str) -> Iterator[Columns]:
    """The reports of a file or pipe, batch by batch, in bounded memory, with ids if it has them.

    Trust what was read only after the last batch: that is where the seal is checked.
    """
    seal: Seal = ColumnSeal()
    with _naming_damage(lambda: seal.count):
        if isinstance(source, Path) and _is_parquet(source):
            with _parquet(source) as file:
                kind, found = _check_schema(file.schema_arrow, dtype, key)
                seal, expected = kind(), _sealed(file.metadata.metadata)
                for columns in _parquet_batches(file, found, kind):
                    seal.add(columns)
                    yield columns
        else:
            with _stream(source) as reader:
                kind, found = _check_schema(reader.schema, dtype, key)
                seal, expected = kind(), None

                def taken(read: tuple["pa.RecordBatch", Any]) -> Columns:
                    nonlocal expected
                    expected = _sealed(read[1]) or expected
                    columns = columns_of(found, read[0])
                    if len(columns):
                        seal.add(columns)
                    return columns

                # Neither ``map`` nor ``filter`` holds a batch on: the next takes its memory.
                batches = iter(reader.read_next_batch_with_custom_metadata, None)
                yield from filter(len, map(taken, batches))
    _compare(expected, seal)


def read_reports(source: Path | IO[bytes], dtype: RECORDS, key: str) -> Iterator[Records]:
    """As ``read_columns``, but as records, without ids."""
    for columns in read_columns(source, dtype, key):
        yield columns.of(dtype).records()


@contextmanager
def _naming_damage(done: Any) -> Iterator[None]:  # noqa: ANN401 - tells how many were read
    """Make one sentence of whatever is wrong with a file's bytes, never of what they say."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        raise InvalidDocument(
            f"the file of reports is damaged after {counted(done(), 'report')}"
            if done()
            else "this is not a file of reports, or its beginning is damaged"
        ) from None


def _compare(expected: str | None, seal: Seal) -> None:
    if expected != seal.text:
        raise InvalidDocument(
            f"the file of reports is cut or changed: it holds {counted(seal.count, 'report')}, "
            f"and its seal is {'missing' if expected is None else 'another'}"
        )


def _sealed(metadata: Any) -> str | None:  # noqa: ANN401 - pyarrow is untyped
    found = dict(metadata or {}).get(_SEAL.encode())
    return None if found is None else found.decode(errors="replace")


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


@contextmanager
def _parquet(path: Path) -> Iterator["pq.ParquetFile"]:
    file = _opened(path)
    try:
        yield file
    finally:
        file.close(force=True)


def _opened(path: Path) -> "pq.ParquetFile":
    import pyarrow.parquet as pq

    # By its name, so that it is read without the interpreter. What would be read ahead stays in
    # memory until the end of the file.
    return pq.ParquetFile(str(regular(path)), pre_buffer=False)


def _parquet_batches(file: Any, dtype: RECORDS, kind: type[Seal]) -> Iterator[Columns]:  # noqa: ANN401 - pyarrow is untyped
    if kind is RecordSeal:
        for batch in file.iter_batches(_OLD_ROWS, use_threads=False):
            yield columns_of(dtype, batch)
        return
    for group in range(file.num_row_groups):
        yield _groups(file, [group], dtype)


def _groups(file: Any, groups: Sequence[int], dtype: RECORDS) -> Columns:  # noqa: ANN401 - pyarrow is untyped
    import pyarrow as pa

    table = file.read_row_groups(list(groups), use_threads=False)
    arrays = [
        column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        for column in table.columns
    ]
    return columns_of(dtype, pa.RecordBatch.from_arrays(arrays, schema=table.schema))


@contextmanager
def _stream(source: Path | IO[bytes]) -> Iterator["pa.RecordBatchStreamReader"]:
    import pyarrow as pa

    if isinstance(source, Path) and not source.is_file():
        with source.open("rb") as pipe, _stream(pipe) as opened:  # Arrow would measure it
            yield opened
        return
    with pa.OSFile(str(source)) if isinstance(source, Path) else pa.PythonFile(source, "r") as file:
        yield pa.ipc.open_stream(file)


def _check_schema(
    schema: "pa.Schema", dtype: RECORDS, key: str
) -> tuple[type[ColumnSeal | RecordSeal], RECORDS]:
    """How a file is sealed, and the record of its reports, with or without ids."""
    metadata = schema.metadata or {}
    seal = _SEALS.get(metadata.get(b"sudare", b""))
    if seal is None:
        raise InvalidDocument("this is not a file of reports (or of a format this version reads)")
    found = metadata.get(b"sudare.key", b"").decode(errors="replace")
    if found != key:
        raise MixedCollections(
            f"the reports belong to the collection {found[:12]}…, not to {key[:12]}…"
        )
    for record in (dtype, identified_dtype(dtype)):
        if schema.equals(schema_of(record)):
            return seal, record
    raise InvalidDocument(f"reports of this collection have {describe(schema_of(dtype))}")
