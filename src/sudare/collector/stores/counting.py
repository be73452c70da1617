"""Counting, whatever database keeps it: groups joined, rounds that are late, the release rule."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.collection.document import Collection
from sudare.collector.stores.contract import Allowance, Fates, Group, Released, ReportFate
from sudare.formats.report_ids import ReportIds, bytes_of
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Joined:
    """All groups of one window of one collection in a commit, one after the other.

    Attributes:
        group: their reports as one group.
        parts: for each, its position in the commit and how many reports it has.
    """

    group: Group
    parts: list[tuple[int, int]]

    @property
    def size(self) -> int:
        """How many reports the joined groups have."""
        return len(self.group.ids)


def join_groups(groups: Sequence[Group]) -> list[Joined]:
    """The groups of a commit, those of one window together, by key and window.

    A commit may have several of one window, though the writer's has one, which isn't copied. The
    order is one for all: whoever locks windows by it never waits for one who waits for them.
    """
    places: dict[tuple[str, int], list[int]] = {}
    for position, group in enumerate(groups):
        places.setdefault((group.collection.key, group.window), []).append(position)
    return [_joined(groups, positions) for _, positions in sorted(places.items())]


def _joined(groups: Sequence[Group], positions: list[int]) -> Joined:
    some = [groups[position] for position in positions]
    parts = [(position, len(groups[position].ids)) for position in positions]
    if len(some) == 1:
        return Joined(some[0], parts)
    whole = replace(
        some[0],
        ids=np.concatenate([group.ids for group in some]),
        reports=np.concatenate([group.reports for group in some]),
        invitations=np.concatenate([_invitations(group) for group in some])
        if some[0].collection.invited
        else None,
        allowance=_allowances(some),
    )
    return Joined(whole, parts)


def _allowances(some: Sequence[Group]) -> Allowance | None:
    """The least that any of some groups is allowed; one that is allowed all is one body."""
    given = [each.allowance for each in some if each.allowance is not None]
    if not given:
        return None
    bodies = [size for each in some for size in _bodies(each)]
    windows = [each.window for each in given if each.window is not None]
    numbers = [each.now for each in given if each.now is not None]
    return Allowance(bodies, min(windows, default=None), min(numbers, default=None))


def _bodies(group: Group) -> Sequence[int]:
    return [len(group.ids)] if group.allowance is None else group.allowance.bodies


def _invitations(group: Group) -> NDArray[np.uint8]:
    """A row for each report: of zeros, the hash of nothing known, where there is none."""
    given = group.invitations
    return np.zeros((len(group.ids), 32), np.uint8) if given is None else given


def part_fates(joined: Sequence[Joined], fates: Sequence[Fates]) -> list[Fates]:
    """The fates of joined groups, handed back group by group in the order of the commit."""
    parted: dict[int, Fates] = {}
    for one, all_fates in zip(joined, fates, strict=True):
        start = 0
        for position, size in one.parts:
            parted[position] = all_fates[start : start + size]
            start += size
    return [parted[position] for position in range(len(parted))]


def all_of(joined: Joined, fate: ReportFate) -> Fates:
    """One fate for every report of joined groups."""
    return np.full(joined.size, fate, np.uint8)


def in_time(group: Group, closed_round: int) -> Bools:
    """Which reports are of a round that is still open; all of them where there are no rounds."""
    return ~group.collection.kind.late(group.reports, closed_round)


class KnownIds(Protocol):
    """The ids of a window in memory, which knows those that were added last."""

    def has(self, ids: ReportIds) -> Bools:
        """Whether each of some ids is known."""

    def undo(self) -> None:
        """Take back what was added last."""


def allowed_fates(group: Group, n: int, ids: KnownIds, judge: Callable[[Group], Fates]) -> Fates:
    """The fates of a group's reports, as far as its allowance goes.

    Args:
        group: the reports.
        n: how many the window has.
        ids: of the window.
        judge: tells the fates of a group's reports if all may count, and adds what is new to the
            ids.
    """
    fates = judge(group)
    beyond = _beyond(group, n, fates == ReportFate.NEW)
    if beyond is None:
        return fates
    first, fate = beyond
    ids.undo()
    taken = judge(some_of(group, np.arange(first))) if first else fates[:0]
    # What seemed to be repeated may repeat one that doesn't count now: then it isn't known.
    rest = np.where(ids.has(group.ids[first:]), ReportFate.REPEATED, fate)
    rest = np.where(fates[first:] == ReportFate.LATE, ReportFate.LATE, rest)
    return np.concatenate([taken, rest.astype(np.uint8)])


def _beyond(group: Group, n: int, new: Bools) -> tuple[int, ReportFate] | None:
    """The first report of the body from which on nothing new may count, and why; None for all."""
    allowance = group.allowance
    if allowance is None:
        return None
    window = np.inf if allowance.window is None else allowance.window - n
    now = np.inf if allowance.now is None else allowance.now
    if np.count_nonzero(new) <= min(window, now):
        return None
    starts = np.cumsum([0, *allowance.bodies[:-1]])
    each = np.add.reduceat(new, starts, dtype=np.int64)
    taken = np.cumsum(each)
    full, busy = taken > window, taken - each >= now
    over = np.flatnonzero((each > 0) & (full | busy))
    if not len(over):
        return None
    first = over[0]
    return int(starts[first]), ReportFate.FULL if full[first] else ReportFate.BUSY


def some_of(group: Group, rows: NDArray[np.intp]) -> Group:
    """The group of some of a group's reports, by their positions."""
    given = group.invitations
    return replace(
        group,
        ids=group.ids[rows],
        reports=group.reports[rows],
        invitations=None if given is None else given[rows],
    )


@dataclass(frozen=True, eq=False)
class Counted:
    """The new reports of a window as they are written: their sum, their ids, maybe their bytes.

    Ids are sorted, which are random; reports are shuffled apart from them. So what is stored of a
    group says neither the order of arrival nor which id is whose. Groups themselves are stored
    one after the other, and a group may be of one report.

    Attributes:
        n: how many.
        counts: their sum.
        ids: as they are written.
        reports: their bytes, if they are kept.
    """

    n: int
    counts: NDArray[np.int64]
    ids: ReportIds
    reports: NDArray[np.uint8] | None


def counted(group: Group, new: Bools) -> Counted:
    """The new reports of a group, summed; the ids sorted, the reports shuffled."""
    every = bool(new.all())
    ids = group.ids if every else group.ids[new]
    reports = group.reports if every else group.reports[new]
    return Counted(
        len(ids),
        group.collection.mechanism.tally(reports),
        ids.take(_sorted(ids), axis=0).astype("<u8", copy=False),
        _shuffled(reports) if group.collection.keeps_reports else None,
    )


def _shuffled(reports: Records) -> NDArray[np.uint8]:
    """The bytes of reports, in an order of their own that is kept nowhere."""
    return bytes_of(reports).take(np.random.default_rng().permutation(len(reports)), axis=0)


def _sorted(ids: ReportIds) -> NDArray[np.intp]:
    """The places of ids by all but the last bits of their first word.

    Each place stands in those bits: numbers are sorted much faster than their places.
    """
    bits = np.uint64(len(ids).bit_length())
    keys = ids[:, 0] >> bits << bits | np.arange(len(ids), dtype=np.uint64)
    keys.sort()
    return (keys & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.intp)


def byte_order(ids: ReportIds) -> NDArray[np.intp]:
    """The positions of ids in the order of their first bytes."""
    return np.argsort(np.ascontiguousarray(ids[:, 0]).astype("<u8", copy=False).view(">u8"))


@dataclass(frozen=True, eq=False)
class WindowSum:
    """A window's sum as it is stored, with what of it was released.

    Attributes:
        n: how many reports have counted.
        counts: their sum.
        closed_round: over time, the last round that takes no more.
        released_n: how many reports the released sum is of.
        released: the released sum; None if there is none.
    """

    n: int
    counts: NDArray[np.int64]
    closed_round: int
    released_n: int
    released: NDArray[np.int64] | None


def moved_on(collection: Collection, held: WindowSum) -> WindowSum | None:
    """A window's sum, released anew as far as the rule allows; None if nothing may move."""
    earlier = _earlier(collection, held) or collection.zero
    found = collection.kind.moved_on(Aggregate(collection.key, held.n, held.counts), earlier)
    if found is None:
        return None
    return replace(held, released_n=found.n, released=found.counts)


def _earlier(collection: Collection, held: WindowSum) -> Aggregate | None:
    """The sum of a window that was released last, if there is one."""
    if held.released is None:
        return None
    return Aggregate(collection.key, held.released_n, held.released)


def released(collection: Collection, held: WindowSum) -> Released | None:
    """The part of a window's sum that may be shown, by the collection's rule; None for nothing."""
    earlier = _earlier(collection, held)
    found = collection.kind.shown(held.counts, held.closed_round, earlier)
    if found is None:
        return None
    return Released(found, collection.kind.withheld(held.counts, held.closed_round))


def closed_reports(collection: Collection, n: int, last: int, counts: bytes | None) -> int:
    """How many reports the released sum of a stream's window is of."""
    found = released(collection, WindowSum(n, counts_of(collection, counts), last, 0, None))
    return 0 if found is None else found.aggregate.n


def counts_of(collection: Collection, data: bytes | memoryview | None) -> NDArray[np.int64]:
    """A collection's counts from their bytes; zeros where none were written."""
    shape = collection.zero.counts.shape
    if data is None:
        return np.zeros(shape, np.int64)
    return np.frombuffer(data, "<i8").astype(np.int64, copy=False).reshape(shape)


def sum_of(collection: Collection, row: Sequence[Any]) -> WindowSum:
    """A window's sum from a row of the tables."""
    n, counts, last, released_n, released = row
    earlier = None if released is None else counts_of(collection, released)
    return WindowSum(n, counts_of(collection, counts), last, released_n, earlier)


def invitation_fates(group: Group, known: Bools, good: dict[bytes, bool]) -> Iterator[ReportFate]:
    """The fate of each report that needs an invitation, one after the other.

    Args:
        group: reports that are in time.
        known: whether the id of each has counted before.
        good: every invitation that is named here, and whether it is known and unused; those that
            are used up by this group are marked so.
    """
    ids: set[bytes] = set()
    digests = digests_of(group)
    for row, digest, repeated in zip(group.ids, digests, known.tolist(), strict=True):
        own = row.tobytes()
        if repeated or own in ids:
            yield ReportFate.REPEATED
        elif good.get(digest, False):
            good[digest] = False
            ids.add(own)
            yield ReportFate.NEW
        else:
            yield ReportFate.UNINVITED


def digests_of(group: Group) -> list[bytes]:
    """The hash of each report's invitation; zeros where it has none."""
    return [row.tobytes() for row in _invitations(group)]
