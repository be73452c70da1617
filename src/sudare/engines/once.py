"""Reports that carry ids, each counted once across all files, in bounded memory.

Ids are dealt into partitions on disk by a hash, so that all reports of one id meet in one of them;
then each partition fits into memory. Of several reports with one id the first counts, in the order
of the files, as it does at a collector.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from secrets import randbits
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from sudare.engines.pieces import Aggregator
from sudare.errors import BadFile, InvalidDocument
from sudare.formats.report_files import ReportFile, read_columns
from sudare.formats.report_ids import ReportIds, identified_dtype, part
from sudare.formats.wire import Records
from sudare.mechanisms.aggregate import Aggregate

_PARTITION = 1 << 21  # reports, as a rule: some tens of megabytes
_MOST_PARTITIONS = 512  # files open at once


def aggregate_once(
    source: Aggregator,
    files: Sequence[ReportFile],
    progress: Callable[[int, int], object] = lambda _done, _all: None,
) -> tuple[Aggregate, int]:
    """The aggregate of files that were found whole, and how many reports were there before.

    Raises:
        BadFile: names a file whose reports have no ids.
    """
    for file in files:
        if not file.identified:
            raise BadFile(file.path, InvalidDocument("its reports have no ids to count them by"))
    everybody, done = sum(file.reports for file in files), 0
    partitions = min(_MOST_PARTITIONS, -(-everybody // _PARTITION)) or 1
    dtype = identified_dtype(source.report_dtype)
    deal = _dealer(partitions)
    with TemporaryDirectory(prefix="sudare-once-") as name:
        paths = [Path(name, f"{number}") for number in range(partitions)]
        with ExitStack() as stack:
            spills = [stack.enter_context(path.open("wb")) for path in paths]
            for file in files:
                for columns in read_columns(file.path, source.report_dtype, source.key):
                    records = columns.records()
                    which = deal(part(source.report_dtype, records).ids)
                    order = np.argsort(which, kind="stable")
                    ends = np.cumsum(np.bincount(which, minlength=partitions))
                    for spill, some in zip(spills, np.split(records[order], ends), strict=False):
                        spill.write(some.tobytes())
                    done += len(records)
                    progress(done, everybody)
        total, repeated = source.zero, 0
        for path in paths:
            first, again = _first_of_each(np.fromfile(path, dtype), source.report_dtype)
            total += source.aggregate(first)
            repeated += again
    return total, repeated


def _dealer(partitions: int) -> Callable[[ReportIds], NDArray[np.int64]]:
    """Which partition each id belongs to; nobody who makes up ids can fill one of them."""
    one, two = (np.uint64(randbits(63) * 2 + 1) for _ in range(2))
    shift = np.uint64(32)
    return lambda ids: (
        ((ids[:, 0] * one ^ ids[:, 1] * two) * one >> shift) % np.uint64(partitions)
    ).astype(np.int64)


def _first_of_each(records: Records, dtype: np.dtype[np.void]) -> tuple[Records, int]:
    """The first report of each id, and how many others there are."""
    ids, reports = part(dtype, records)
    order = np.lexsort((ids[:, 1], ids[:, 0]))  # stable: equal ids stay in their order
    ordered = ids[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return reports[np.sort(order[new])], int(len(order) - new.sum())
