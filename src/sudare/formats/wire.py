"""Reports as bytes, as Arrow, and as files, driven by nothing but the report's record type.

A file of reports (an Arrow stream or Parquet) names its collection and ends with a seal: how
many reports there are and the CRC-32 of their records. A reader that meets no seal, or another,
knows that reports were lost or changed, and says so.
"""

import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidDocument, MixedCollections, ParameterError
from sudare.formats.file_kinds import REPORTS_MARK
from sudare.formats.files import regular, replacing
from sudare.formats.numbers import counted

if TYPE_CHECKING:
    import pyarrow as pa

Records = NDArray[np.void]


def to_bytes(reports: Records) -> bytes:
    """Reports as bytes: their records one after the other, little-endian, without padding."""
    return reports.tobytes()


def from_bytes(dtype: np.dtype[np.void], data: bytes) -> Records:
    """The reports that ``to_bytes`` made these bytes of."""
    if len(data) % dtype.itemsize:
        raise InvalidDocument(
            f"reports of {counted(dtype.itemsize, 'byte')} each can't have "
            f"{counted(len(data), 'byte')} in all"
        )
    return np.frombuffer(data, dtype)


def to_batch(reports: Records) -> "pa.RecordBatch":
    """Reports as Arrow columns: whole numbers as such, packed bits as fixed-size binary."""
    import pyarrow as pa

    columns = []
    for name, (base, shape) in _fields(reports.dtype).items():
        column = np.ascontiguousarray(reports[name])
        if shape:
            kind = pa.binary(base.itemsize * int(np.prod(shape)))
            buffers = [None, pa.py_buffer(column)]
            columns.append(pa.Array.from_buffers(kind, len(reports), buffers))
        else:
            columns.append(pa.array(column))
    return pa.RecordBatch.from_arrays(columns, schema=_schema(reports.dtype))


def from_batch(dtype: np.dtype[np.void], batch: "pa.RecordBatch") -> Records:
    """The reports that ``to_batch`` made these Arrow columns of."""
    if not batch.schema.equals(_schema(dtype)):
        raise InvalidDocument(
            f"reports of this collection have the columns {_describe(_schema(dtype))}; "
            f"and the file has {counted(len(batch.schema), 'other column')}"
        )
    reports = np.empty(batch.num_rows, dtype)
    for column, (name, (base, shape)) in zip(batch.columns, _fields(dtype).items(), strict=True):
        if column.null_count:
            raise InvalidDocument(
                f"the column {name} has {counted(column.null_count, 'missing value')}"
            )
        if not len(column):
            continue
        width = base.itemsize * int(np.prod(shape))
        flat = np.frombuffer(column.buffers()[1], np.uint8)[column.offset * width :]
        needed = len(column) * width
        if len(flat) < needed:
            raise InvalidDocument(
                f"the column {name} holds {counted(len(flat), 'byte')} of {needed}"
            )
        reports[name] = flat[:needed].view(base).reshape(len(column), *shape)
    return reports


@dataclass(frozen=True)
class Seal:
    """The end of a file of reports: how many there are, and the CRC-32 of their records."""

    count: int = 0
    crc: int = 0

    def after(self, reports: Records) -> "Seal":
        """The seal once these records have followed."""
        data = np.ascontiguousarray(reports).view(np.uint8).data
        return Seal(self.count + len(reports), zlib.crc32(data, self.crc))

    def metadata(self) -> dict[str, str]:
        """The seal as key and value of a file's metadata."""
        return {"sudare.seal": f"{self.count} {self.crc}"}


class Sink(Protocol):
    """A file or stream of reports that is being written."""

    def write(self, reports: Records) -> None:
        """Append reports to the file or stream."""


class _ArrowSink:
    """An Arrow stream, for pipes and files."""

    def __init__(self, target: Any, dtype: np.dtype[np.void], key: str) -> None:  # noqa: ANN401 - path or binary file
        import pyarrow as pa

        self._seal = Seal()
        self._empty = np.empty(0, dtype)
        self._writer = pa.ipc.new_stream(target, _schema(dtype, key))

    def write(self, reports: Records) -> None:
        self._seal = self._seal.after(reports)
        self._writer.write_batch(to_batch(reports))

    def finish(self) -> None:
        self._writer.write_batch(to_batch(self._empty), custom_metadata=self._seal.metadata())
        self._writer.close()


class _ParquetSink:
    """A Parquet file, for tables and clusters."""

    def __init__(self, target: Any, dtype: np.dtype[np.void], key: str) -> None:  # noqa: ANN401 - path or binary file
        import pyarrow.parquet as pq

        self._seal = Seal()
        # Noise neither compresses nor repeats: plain pages, each with its checksum.
        self._writer = pq.ParquetWriter(
            target,
            _schema(dtype, key),
            compression="none",
            use_dictionary=False,
            write_page_checksum=True,
        )

    def write(self, reports: Records) -> None:
        self._seal = self._seal.after(reports)
        self._writer.write_batch(to_batch(reports))

    def finish(self) -> None:
        self._writer.add_key_value_metadata(self._seal.metadata())
        self._writer.close()


@contextmanager
def report_file(
    path: Path, dtype: np.dtype[np.void], key: str, *, private: bool = False
) -> Iterator[Sink]:
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
def report_stream(target: IO[bytes], dtype: np.dtype[np.void], key: str) -> Iterator[Sink]:
    """Reports down a pipe as an Arrow stream; without its seal the reader refuses it."""
    sink = _ArrowSink(target, dtype, key)
    yield sink
    sink.finish()


def read_reports(source: Path | IO[bytes], dtype: np.dtype[np.void], key: str) -> Iterator[Records]:
    """The reports of a file or pipe, batch by batch, in bounded memory.

    Trust what was read only after the last batch: that is where the seal is checked.
    """
    import pyarrow as pa

    seal, expected = Seal(), None
    try:
        with _open(source) as (schema, batches):
            _check_schema(schema, dtype, key)
            for batch, metadata in batches:
                expected = metadata.get(b"sudare.seal", expected)
                reports = from_batch(dtype, batch)
                seal = seal.after(reports)
                yield reports
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        raise InvalidDocument(
            f"the file of reports is damaged after {counted(seal.count, 'report')}"
            if seal.count
            else "this is not a file of reports, or its beginning is damaged"
        ) from None
    if expected != seal.metadata()["sudare.seal"].encode():
        raise InvalidDocument(
            f"the file of reports is cut or changed: it holds {counted(seal.count, 'report')}, "
            f"and its seal "
            f"is {'missing' if expected is None else 'another'}"
        )


_Batches = Iterator[tuple["pa.RecordBatch", dict[bytes, bytes]]]


def _open(source: Path | IO[bytes]) -> AbstractContextManager[tuple["pa.Schema", _Batches]]:
    if isinstance(source, Path) and source.suffix.lower() == ".parquet":
        return _open_parquet(source)
    return _open_stream(source)


@contextmanager
def _open_parquet(path: Path) -> Iterator[tuple["pa.Schema", _Batches]]:
    import pyarrow.parquet as pq

    with regular(path).open("rb") as handle:  # it is read from its end
        file = pq.ParquetFile(handle, page_checksum_verification=True)
        yield file.schema_arrow, _parquet_batches(file)


def _parquet_batches(file: Any) -> _Batches:  # noqa: ANN401 - pyarrow is untyped
    import pyarrow as pa

    for batch in file.iter_batches(1 << 20):
        yield batch, {}
    # An empty batch at the end brings the seal, as in a stream: it is there without reports too.
    nothing = [pa.array([], field.type) for field in file.schema_arrow]
    yield pa.RecordBatch.from_arrays(nothing, schema=file.schema_arrow), file.metadata.metadata


@contextmanager
def _open_stream(source: Path | IO[bytes]) -> Iterator[tuple["pa.Schema", _Batches]]:
    import pyarrow as pa

    if isinstance(source, Path) and not source.is_file():
        with source.open("rb") as pipe, _open_stream(pipe) as opened:  # Arrow would measure it
            yield opened
        return
    with pa.OSFile(str(source)) if isinstance(source, Path) else pa.PythonFile(source, "r") as file:
        reader = pa.ipc.open_stream(file)
        yield reader.schema, _stream_batches(reader)


def _stream_batches(reader: Any) -> _Batches:  # noqa: ANN401 - pyarrow is untyped
    while True:
        try:
            batch, metadata = reader.read_next_batch_with_custom_metadata()
        except StopIteration:
            return
        yield batch, dict(metadata or {})


def _check_schema(schema: "pa.Schema", dtype: np.dtype[np.void], key: str) -> None:
    metadata = schema.metadata or {}
    if metadata.get(b"sudare") != REPORTS_MARK:
        raise InvalidDocument("this is not a file of reports (or of a format this version reads)")
    found = metadata.get(b"sudare.key", b"").decode(errors="replace")
    if found != key:
        raise MixedCollections(
            f"the reports belong to the collection {found[:12]}…, not to {key[:12]}…"
        )
    if not schema.equals(_schema(dtype)):
        raise InvalidDocument(f"reports of this collection have {_describe(_schema(dtype))}")


def _fields(dtype: np.dtype[np.void]) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
    """Each field's name, element type and shape."""
    return {name: (dtype[name].base, dtype[name].shape) for name in dtype.names or ()}


def _schema(dtype: np.dtype[np.void], key: str | None = None) -> "pa.Schema":
    import pyarrow as pa

    columns = [
        pa.field(
            name,
            pa.binary(base.itemsize * int(np.prod(shape))) if shape else pa.from_numpy_dtype(base),
            nullable=False,
        )
        for name, (base, shape) in _fields(dtype).items()
    ]
    metadata = None if key is None else {"sudare": REPORTS_MARK.decode(), "sudare.key": key}
    return pa.schema(columns, metadata)


def _describe(schema: "pa.Schema") -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in schema)
