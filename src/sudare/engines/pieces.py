"""What every engine does with files of reports: cut them into pieces, count each, add up.

A piece is counted by itself, on any core of any machine, into integers. Whoever has the parts of
all pieces knows whether each file is whole, by its seal, and only then adds it to the total.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.errors import BadFile, InvalidDocument, InvalidReport, MixedCollections
from sudare.formats.report_files import (
    ColumnSeal,
    GroupReader,
    ReportFile,
    check_seal,
    examine,
    read_columns,
)
from sudare.formats.wire import Columns, Records, joined
from sudare.mechanisms.aggregate import Aggregate

_PIECE = 1 << 22  # reports: many enough to pay for a hand-over, few enough to share evenly
_TOGETHER = 1 << 18  # the most reports counted by one call, unless the counts are more
_TOGETHER_BYTES = 1 << 22  # the most that such reports take
_MOST_BYTES = 1 << 26  # where the counts are more


class Aggregator(Protocol):
    """A mechanism or a collection: whatever knows how to count its reports."""

    @property
    def key(self) -> str:
        """What its reports and aggregates are named by."""

    @property
    def report_dtype(self) -> np.dtype[np.void]:
        """The record of a report."""

    @property
    def zero(self) -> Aggregate:
        """The aggregate of no reports: neutral under ``+``."""

    def aggregate(self, reports: Records | Columns) -> Aggregate:
        """Check and count reports."""


class Piece(NamedTuple):
    """A part of a file that is counted by itself: row groups of Parquet, or all of another file."""

    file: ReportFile
    groups: range | None

    @property
    def reports(self) -> int:
        """How many reports there are in it; of an Arrow stream, how many at most."""
        if self.groups is None or self.file.groups is None:
            return self.file.reports
        return sum(self.file.groups[group] for group in self.groups)


class Part(NamedTuple):
    """What a piece came to: its number of reports, their counts, and the digests of its groups."""

    n: int
    counts: NDArray[np.int64]
    digests: bytes


class Skipped(NamedTuple):
    """A file that was left out, and why."""

    path: Path
    reason: str


@dataclass
class Counted:
    """What the reports of some files come to.

    Attributes:
        total: their aggregate.
        files: those that were counted.
        skipped: those that were left out, and why.
        repeated: the reports that weren't counted as their id was there before.
    """

    total: Aggregate
    files: list[ReportFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    repeated: int = 0


FAULTS = (InvalidDocument, InvalidReport, MixedCollections)
"""What may be wrong with a file."""


def examined(
    source: Aggregator, paths: Iterable[Path], *, skip_bad: bool
) -> tuple[list[ReportFile], list[Skipped]]:
    """The files by what their heads say, before anything is counted; bad ones raise, or are listed.

    Raises:
        BadFile: names the first that is of another collection, cut, or no file of reports.
    """
    files, skipped = [], []
    for path in paths:
        try:
            files.append(examine(path, source.report_dtype, source.key))
        except FAULTS as error:
            if not skip_bad:
                raise BadFile(path, error) from error
            skipped.append(Skipped(path, str(error)))
    return files, skipped


def pieces_of(file: ReportFile) -> list[Piece]:
    """The pieces of a file, in its order: few row groups each, or one for all of it."""
    if file.groups is None:
        return [Piece(file, None)]
    pieces, first, held = [], 0, 0
    for group, reports in enumerate(file.groups):
        held += reports
        if held >= _PIECE:
            pieces.append(Piece(file, range(first, group + 1)))
            first, held = group + 1, 0
    if first < len(file.groups) or not pieces:
        pieces.append(Piece(file, range(first, len(file.groups))))
    return pieces


def count(source: Aggregator, piece: Piece) -> Part:
    """Check and count the reports of a piece; the seal of a piece that is a file is checked too."""
    if piece.groups is None:
        file = piece.file
        chunks = read_columns(file.path, source.report_dtype, source.key)
        total = sum_of(source, gathered(source, chunks))
        return Part(total.n, total.counts, b"")
    seal = ColumnSeal()
    total = sum_of(source, _columns(source, piece, piece.groups, seal))
    return Part(total.n, total.counts, bytes(seal.digests))


def sum_of(source: Aggregator, chunks: Iterable[Columns | Records]) -> Aggregate:
    """The aggregate of all reports, chunk by chunk, in the memory of one; ids are left alone."""
    n, counts = 0, source.zero.counts
    for chunk in chunks:
        part = source.aggregate(own(source, chunk))
        n += part.n
        counts += part.counts
        del chunk  # its memory, still in a cache, is where the next is read to
    return Aggregate(source.key, n, counts)


def own(source: Aggregator, chunk: Columns | Records) -> Columns | Records:
    """Reports without their ids, which no mechanism knows."""
    return chunk.of(source.report_dtype) if isinstance(chunk, Columns) else chunk


def gathered(source: Aggregator, chunks: Iterable[Columns]) -> Iterator[Columns]:
    """Chunks put together where one call for each would cost more than its reports do."""
    at_once = together(source)
    waiting: list[Columns] = []

    def taken() -> Columns:
        whole = joined(waiting)
        waiting.clear()
        return whole

    for chunk in chunks:
        waiting.append(chunk)
        del chunk  # nothing is held but what waits: its memory is needed for the next
        if sum(map(len, waiting)) >= at_once:
            yield taken()
    if waiting:
        yield taken()


def _columns(
    source: Aggregator, piece: Piece, groups: Sequence[int], seal: ColumnSeal
) -> Iterator[Columns]:
    sizes = piece.file.groups or ()
    at_once = together(source)
    reader = GroupReader(piece.file)
    try:
        first, held = 0, 0
        for place, group in enumerate(groups):
            held += sizes[group]
            if held >= at_once or place + 1 == len(groups):
                yield reader.read(groups[first : place + 1], seal)
                first, held = place + 1, 0
    finally:
        reader.close()


def together(source: Aggregator) -> int:
    """How many reports are counted by one call: where there are many counts, as many as those."""
    width = max(1, source.report_dtype.itemsize)
    usual = min(_TOGETHER, _TOGETHER_BYTES // width)
    return max(1, usual, min(2 * source.zero.counts.size, _MOST_BYTES // width))


def added(source: Aggregator, file: ReportFile, parts: Sequence[Part]) -> Aggregate:
    """The aggregate of a file from the parts of all its pieces, if its seal says the same."""
    total = source.zero
    for part in parts:
        total += Aggregate(source.key, part.n, part.counts)
    if file.groups is not None:
        check_seal(file, ColumnSeal(total.n, b"".join(part.digests for part in parts)))
    return total
