"""Counting on one machine: pieces of files side by side on its cores, in bounded memory."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from sudare.engines.pieces import (
    FAULTS,
    Aggregator,
    Counted,
    Part,
    Piece,
    Skipped,
    added,
    count,
    examined,
    own,
    pieces_of,
)
from sudare.errors import BadFile
from sudare.formats.report_files import ReportFile
from sudare.formats.wire import Columns, Records
from sudare.mechanisms.aggregate import Aggregate

Progress = Callable[[int, int], object]
"""Hears how many reports are counted, and how many there are in all as far as is known."""

Task = TypeVar("Task")
Done = TypeVar("Done")
_AHEAD = 3  # tasks for each core that wait: nobody is idle, and memory stays bounded


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def aggregate(
    source: Aggregator, chunks: Iterable[Columns | Records], workers: int | None = None
) -> Aggregate:
    """The aggregate of all reports, chunk by chunk, several at a time if there are cores."""
    n, counts = 0, source.zero.counts
    for _, part in in_order(
        lambda chunk: source.aggregate(own(source, chunk)), chunks, workers or cores()
    ):
        n += part.n
        counts += part.counts
    return Aggregate(source.key, n, counts)


def aggregate_files(
    source: Aggregator,
    paths: Sequence[Path],
    *,
    workers: int | None = None,
    skip_bad: bool = False,
    progress: Progress = lambda _done, _all: None,
) -> Counted:
    """The aggregate of files of reports: each checked against its seal before it counts.

    Args:
        source: a collection or a mechanism, which knows how to count its reports.
        paths: of the files.
        workers: how many pieces are counted side by side; the number of cores if it isn't said.
        skip_bad: whether to leave out and list what can't be counted, instead of refusing all.
        progress: hears how far it is.

    Raises:
        BadFile: names a file that is of another collection, cut or changed, or holds a report out
            of range.
    """
    files, skipped = examined(source, paths, skip_bad=skip_bad)
    counted = Counted(source.zero, [], skipped)
    everybody, done = sum(file.reports for file in files), 0

    def tried(piece: Piece) -> Part | Exception:
        try:
            return count(source, piece)
        except FAULTS as error:
            return error

    pieces = chain.from_iterable(map(pieces_of, files))
    found = in_order(tried, pieces, workers or cores())
    for file in files:
        parts = []
        for piece, part in islice(found, len(pieces_of(file))):
            parts.append(part)
            done += piece.reports
            progress(done, everybody)
        _add(source, file, parts, counted, skip_bad=skip_bad)
    return counted


def _add(
    source: Aggregator,
    file: ReportFile,
    parts: Sequence[Part | Exception],
    counted: Counted,
    *,
    skip_bad: bool,
) -> None:
    try:
        for part in parts:
            if isinstance(part, Exception):
                raise part
        counted.total += added(source, file, [part for part in parts if isinstance(part, Part)])
        counted.files.append(file)
    except FAULTS as error:
        if not skip_bad:
            raise BadFile(file.path, error) from error
        counted.skipped.append(Skipped(file.path, str(error)))


def in_order(
    work: Callable[[Task], Done], tasks: Iterable[Task], workers: int
) -> Iterator[tuple[Task, Done]]:
    """What becomes of each task, in their order, while the next ones are worked on.

    At most a few tasks for each worker are taken from ``tasks`` ahead. Whatever ends it early, an
    error or Ctrl-C, ends those that have not begun.
    """
    if workers == 1:
        yield from ((task, work(task)) for task in tasks)
        return
    with ExitStack() as stack:
        pool = ThreadPoolExecutor(workers)
        stack.callback(pool.shutdown, cancel_futures=True)
        waiting = deque[tuple[Task, Future[Done]]]()
        for task in tasks:
            waiting.append((task, pool.submit(work, task)))
            if len(waiting) >= _AHEAD * workers:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
