"""Reports as bytes and as Arrow columns, driven by nothing but the report's record type."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidDocument
from sudare.formats.numbers import counted

if TYPE_CHECKING:
    import pyarrow as pa

Records = NDArray[np.void]


class Fields(Protocol):
    """Reports, be they records or columns: how many there are, and an array for each field."""

    def __len__(self) -> int: ...

    def __getitem__(self, name: str, /) -> NDArray[Any]: ...


@dataclass(frozen=True, eq=False)
class Columns:
    """Reports as an array for each field of their record, as Arrow and Parquet hold them.

    They are read by a field's name, as records are, and made without a copy.
    """

    ndim: ClassVar[int] = 1
    dtype: np.dtype[np.void]
    arrays: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.arrays.values())))

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def of(self, dtype: np.dtype[np.void]) -> "Columns":
        """The same reports with the fields of another record alone."""
        return Columns(dtype, {name: self.arrays[name] for name in dtype.names or ()})

    def rows(self, which: slice | NDArray[np.bool_]) -> "Columns":
        """Some of the reports; a slice costs no copy."""
        return Columns(self.dtype, {name: array[which] for name, array in self.arrays.items()})

    def records(self) -> Records:
        """The same reports as records, one after the other."""
        records = np.empty(len(self), self.dtype)
        for name, array in self.arrays.items():
            records[name] = array
        return records


def joined(parts: Sequence[Columns]) -> Columns:
    """The reports of several parts behind each other; one alone is itself."""
    first = parts[0]
    if len(parts) == 1:
        return first
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in first.arrays}
    return Columns(first.dtype, {name: _still(array) for name, array in arrays.items()})


def _still(array: NDArray[Any]) -> NDArray[Any]:
    """An array that can't be written: else it would be of another type for kernels than others."""
    array.flags.writeable = False
    return array


def columns_of_records(records: Records) -> Columns:
    """Records as columns, each contiguous."""
    names = records.dtype.names or ()
    return Columns(records.dtype, {name: np.ascontiguousarray(records[name]) for name in names})


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


def to_batch(reports: Records | Columns) -> "pa.RecordBatch":
    """Reports as Arrow columns: whole numbers as such, packed bits as fixed-size binary."""
    import pyarrow as pa

    columns = []
    for name, (base, shape) in fields_of(reports.dtype).items():
        column = np.ascontiguousarray(reports[name])
        if shape:
            kind = pa.binary(base.itemsize * math.prod(shape))
            buffers = [None, pa.py_buffer(column)]
            columns.append(pa.Array.from_buffers(kind, len(reports), buffers))
        else:
            columns.append(pa.array(column))
    return pa.RecordBatch.from_arrays(columns, schema=schema_of(reports.dtype))


def from_batch(dtype: np.dtype[np.void], batch: "pa.RecordBatch") -> Records:
    """The reports that ``to_batch`` made these Arrow columns of."""
    return columns_of(dtype, batch).records()


def columns_of(dtype: np.dtype[np.void], batch: "pa.RecordBatch") -> Columns:
    """The reports that ``to_batch`` made these Arrow columns of, in the memory where they are."""
    if not batch.schema.equals(schema_of(dtype)):
        raise InvalidDocument(
            f"reports of this collection have the columns {describe(schema_of(dtype))}; "
            f"and the file has {counted(len(batch.schema), 'other column')}"
        )
    arrays = {}
    for column, (name, (base, shape)) in zip(batch.columns, fields_of(dtype).items(), strict=True):
        if column.null_count:
            raise InvalidDocument(
                f"the column {name} has {counted(column.null_count, 'missing value')}"
            )
        width = base.itemsize * math.prod(shape)
        needed = len(column) * width
        held = column.buffers()[1] if needed else b""
        flat = np.frombuffer(held, np.uint8)[column.offset * width :]
        if len(flat) < needed:
            raise InvalidDocument(
                f"the column {name} holds {counted(len(flat), 'byte')} of {needed}"
            )
        arrays[name] = _still(flat[:needed].view(base).reshape(len(column), *shape))
    return Columns(dtype, arrays)


def fields_of(dtype: np.dtype[np.void]) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
    """Each field's name, element type and shape."""
    return {name: (dtype[name].base, dtype[name].shape) for name in dtype.names or ()}


@lru_cache(64)  # it is asked for with every batch
def schema_of(dtype: np.dtype[np.void]) -> "pa.Schema":
    """The Arrow columns of a record: whole numbers as such, packed bits as fixed-size binary."""
    import pyarrow as pa

    columns = [
        pa.field(
            name,
            pa.binary(base.itemsize * math.prod(shape)) if shape else pa.from_numpy_dtype(base),
            nullable=False,
        )
        for name, (base, shape) in fields_of(dtype).items()
    ]
    return pa.schema(columns)


def describe(schema: "pa.Schema") -> str:
    """Columns and their types, for a sentence."""
    return ", ".join(f"{field.name} ({field.type})" for field in schema)
