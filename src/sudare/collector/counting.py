"""What counting is, whatever database keeps it: groups joined, rounds that are late, releases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.aggregate import Aggregate
from sudare.collection import Collection
from sudare.collector.store import Fate, Fates, Group
from sudare.mechanism import Records
from sudare.named import Names, bytes_of

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
        """How many reports."""
        return len(self.group.names)


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
    parts = [(position, len(groups[position].names)) for position in positions]
    if len(some) == 1:
        return Joined(some[0], parts)
    whole = replace(
        some[0],
        names=np.concatenate([group.names for group in some]),
        reports=np.concatenate([group.reports for group in some]),
        invitations=np.concatenate([_invitations(group) for group in some])
        if some[0].collection.invited
        else None,
    )
    return Joined(whole, parts)


def _invitations(group: Group) -> NDArray[np.uint8]:
    """A row for each report: of zeros, the hash of nothing known, where there is none."""
    given = group.invitations
    return np.zeros((len(group.names), 32), np.uint8) if given is None else given


def part_fates(joined: Sequence[Joined], fates: Sequence[Fates]) -> list[Fates]:
    """The fates of joined groups, handed back group by group in the order of the commit."""
    parted: dict[int, Fates] = {}
    for one, all_fates in zip(joined, fates, strict=True):
        start = 0
        for position, size in one.parts:
            parted[position] = all_fates[start : start + size]
            start += size
    return [parted[position] for position in range(len(parted))]


def all_of(joined: Joined, fate: Fate) -> Fates:
    """One fate for every report."""
    return np.full(joined.size, fate, np.uint8)


def in_time(group: Group, closed_round: int) -> Bools:
    """Which reports are of a round that is still open; all of them where there are no rounds."""
    if not group.collection.over_time:
        return np.ones(len(group.names), np.bool_)
    late: Bools = group.reports["round"] <= closed_round
    return ~late


def some_of(group: Group, rows: NDArray[np.intp]) -> Group:
    """Some reports of a group."""
    given = group.invitations
    return replace(
        group,
        names=group.names[rows],
        reports=group.reports[rows],
        invitations=None if given is None else given[rows],
    )


@dataclass(frozen=True, eq=False)
class Counted:
    """What is to be written of the new reports of a window.

    Names are sorted, which are random; reports are shuffled apart from them. So what is stored of a
    group says neither the order of arrival nor which name is whose. Groups themselves are stored
    one after the other, and a group may be of one report.

    Attributes:
        n: how many.
        counts: their sum.
        names: as they are written.
        reports: their bytes, if they are kept.
    """

    n: int
    counts: NDArray[np.int64]
    names: Names
    reports: NDArray[np.uint8] | None


def counted(group: Group, new: Bools) -> Counted:
    """The new reports of a group, summed; the names sorted, the reports shuffled."""
    every = bool(new.all())
    names = group.names if every else group.names[new]
    reports = group.reports if every else group.reports[new]
    return Counted(
        len(names),
        group.collection.mechanism.tally(reports),
        names.take(_sorted(names), axis=0).astype("<u8", copy=False),
        _shuffled(reports) if group.collection.keeps_reports else None,
    )


def _shuffled(reports: Records) -> NDArray[np.uint8]:
    """The bytes of reports, in an order of their own that is kept nowhere."""
    return bytes_of(reports).take(np.random.default_rng().permutation(len(reports)), axis=0)


def _sorted(names: Names) -> NDArray[np.intp]:
    """The places of names by all but the last bits of their first word.

    Each place stands in those bits: numbers are sorted much faster than their places.
    """
    bits = np.uint64(len(names).bit_length())
    keys = names[:, 0] >> bits << bits | np.arange(len(names), dtype=np.uint64)
    keys.sort()
    return (keys & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.intp)


def byte_order(names: Names) -> NDArray[np.intp]:
    """The places of names by their first bytes."""
    return np.argsort(np.ascontiguousarray(names[:, 0]).astype("<u8", copy=False).view(">u8"))


@dataclass(frozen=True, eq=False)
class Sum:
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


def due(collection: Collection, held: Sum) -> bool:
    """Whether a new sum may be released now: never so that two differ by few reports."""
    return not collection.over_time and held.n - held.released_n >= collection.minimum_reports


def shown(collection: Collection, held: Sum) -> Aggregate | None:
    """What may be shown of a window; over time, its closed rounds that have enough reports."""
    if not collection.over_time:
        released = held.released
        return None if released is None else Aggregate(collection.key, held.released_n, released)
    counts = held.counts.copy()
    counts[held.closed_round :] = 0
    counts[counts.sum(axis=1) < collection.minimum_reports] = 0
    n = int(counts.sum())
    return Aggregate(collection.key, n, counts) if n else None


def closed_reports(collection: Collection, n: int, last: int, counts: bytes | None) -> int:
    """How many reports the released sum of a stream's window is of."""
    released = shown(collection, Sum(n, counts_of(collection, counts), last, 0, None))
    return 0 if released is None else released.n


def counts_of(collection: Collection, data: bytes | memoryview | None) -> NDArray[np.int64]:
    """Counts as they were written; those of nobody where none were."""
    shape = collection.zero.counts.shape
    if data is None:
        return np.zeros(shape, np.int64)
    return np.frombuffer(data, "<i8").astype(np.int64, copy=False).reshape(shape)


def sum_of(collection: Collection, row: tuple[Any, ...]) -> Sum:
    """A window's sum from a row of the tables."""
    n, counts, last, released_n, released = row
    earlier = None if released is None else counts_of(collection, released)
    return Sum(n, counts_of(collection, counts), last, released_n, earlier)


def invitation_fates(group: Group, known: Bools, good: dict[bytes, bool]) -> Iterator[Fate]:
    """The fate of each report that needs an invitation, one after the other.

    Args:
        group: reports that are in time.
        known: whether the name of each has counted before.
        good: every invitation that is named here, and whether it is known and unused; those that
            are used up by this group are marked so.
    """
    names: set[bytes] = set()
    digests = digests_of(group)
    for name, digest, repeated in zip(group.names, digests, known.tolist(), strict=True):
        own = name.tobytes()
        if repeated or own in names:
            yield Fate.REPEATED
        elif good.get(digest, False):
            good[digest] = False
            names.add(own)
            yield Fate.NEW
        else:
            yield Fate.UNINVITED


def digests_of(group: Group) -> list[bytes]:
    """The hash of each report's invitation."""
    return [row.tobytes() for row in _invitations(group)]
