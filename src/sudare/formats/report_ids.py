"""Ids of reports: 128 random bits each, made on the device, by which a report counts once.

An id says nothing about its device or its answer. Sent again, a report has the same id, so that a
collector can tell a retry from another person.
"""

import secrets
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidReport
from sudare.formats.wire import Records

ID_BYTES = 16
ReportIds = NDArray[np.uint64]
"""Ids of reports: a row of two words, little-endian, for each."""


class IdentifiedReports(NamedTuple):
    """Reports, and the id of each."""

    ids: ReportIds
    reports: Records


def identified_dtype(dtype: np.dtype[np.void]) -> np.dtype[np.void]:
    """The record of a report with its id before it: what is sent, packed or as Arrow."""
    return np.dtype(
        [("id", "u1", (ID_BYTES,)), *((name, dtype[name]) for name in dtype.names or ())]
    )


def join(identified: IdentifiedReports) -> Records:
    """Records as they are sent: each report after its id."""
    ids, reports = identified
    joined = np.empty(len(reports), identified_dtype(reports.dtype))
    bytes_of(joined)[:, :ID_BYTES] = ids.astype("<u8", copy=False).view(np.uint8)
    bytes_of(joined)[:, ID_BYTES:] = bytes_of(reports)
    return joined


def part(dtype: np.dtype[np.void], joined: Records) -> IdentifiedReports:
    """The ids and the reports of records as they were sent, each in an array of its own."""
    flat = bytes_of(joined)
    ids = np.ascontiguousarray(flat[:, :ID_BYTES]).view("<u8").astype(np.uint64, copy=False)
    return IdentifiedReports(ids, np.ascontiguousarray(flat[:, ID_BYTES:]).view(dtype).reshape(-1))


def with_new_ids(reports: Records) -> Records:
    """Records as they are sent, each with an id that nobody has drawn before."""
    ids = np.frombuffer(secrets.token_bytes(ID_BYTES * len(reports)), "<u8").reshape(-1, 2)
    return join(IdentifiedReports(ids, reports))


def ids_of(data: bytes) -> ReportIds:
    """The ids of reports from their bytes, one after the other."""
    if len(data) % ID_BYTES:
        raise InvalidReport(f"ids are {ID_BYTES} bytes each, got {len(data)} bytes")
    return np.frombuffer(data, "<u8").astype(np.uint64, copy=False).reshape(-1, 2)


def bytes_of(records: Records) -> NDArray[np.uint8]:
    """Each record as a row of bytes."""
    whole = np.ascontiguousarray(records)
    return whole.view(np.uint8).reshape(len(whole), whole.dtype.itemsize)
