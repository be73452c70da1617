"""Reports with names of their own: 128 random bits, made on the device, by which each counts once.

A name says nothing about its device or its answer. Sent again, a report has the same name, so that
a collector can tell a retry from another person.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidReport
from sudare.wire import Records

NAME_BYTES = 16
Names = NDArray[np.uint64]
"""One row of two words, little-endian, for each report."""


class Named(NamedTuple):
    """Reports, and the name of each."""

    names: Names
    reports: Records


def named_dtype(dtype: np.dtype[np.void]) -> np.dtype[np.void]:
    """The record of a report with its name before it: what is sent, packed or as Arrow."""
    return np.dtype(
        [("id", "u1", (NAME_BYTES,)), *((name, dtype[name]) for name in dtype.names or ())]
    )


def join(named: Named) -> Records:
    """The records to be sent."""
    joined = np.empty(len(named.reports), named_dtype(named.reports.dtype))
    bytes_of(joined)[:, :NAME_BYTES] = named.names.astype("<u8", copy=False).view(np.uint8)
    bytes_of(joined)[:, NAME_BYTES:] = bytes_of(named.reports)
    return joined


def part(dtype: np.dtype[np.void], joined: Records) -> Named:
    """The names and the reports of what was sent, each in an array of its own."""
    flat = bytes_of(joined)
    names = np.ascontiguousarray(flat[:, :NAME_BYTES]).view("<u8").astype(np.uint64, copy=False)
    return Named(names, np.ascontiguousarray(flat[:, NAME_BYTES:]).view(dtype).reshape(-1))


def names_of(data: bytes) -> Names:
    """Names that were written one after the other."""
    if len(data) % NAME_BYTES:
        raise InvalidReport(f"names are {NAME_BYTES} bytes each, got {len(data)} bytes")
    return np.frombuffer(data, "<u8").astype(np.uint64, copy=False).reshape(-1, 2)


def bytes_of(records: Records) -> NDArray[np.uint8]:
    """Each record as a row of bytes."""
    whole = np.ascontiguousarray(records)
    return whole.view(np.uint8).reshape(len(whole), whole.dtype.itemsize)
