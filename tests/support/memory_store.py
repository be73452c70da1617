"""A collector's store in memory: the interface, whole and plain, with nothing durable about it.

What it answers is what every backend must answer. It is also the store of a collector that loses
everything in a crash: a fault simulation must find that.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sudare.collection.document import Collection
from sudare.collector.stores.contract import (
    Allowance,
    Fates,
    Group,
    HeldCollection,
    HeldWindow,
    HeldWindows,
    Released,
    ReportFate,
    State,
    Store,
    Token,
)
from sudare.errors import ParameterError, StoreUnavailable
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records
from sudare.mechanisms.over_time.continual import ContinualMechanism


@dataclass
class _Window:
    total: Aggregate
    released: Released | None = None
    closed: bool = False
    closed_round: int = 0
    ids: set[bytes] = field(default_factory=set)
    used: set[bytes] = field(default_factory=set)
    kept: list[Records] = field(default_factory=list)


@dataclass
class _Held:
    known: HeldCollection
    windows: dict[int, _Window] = field(default_factory=dict)
    closed_to: int = -1
    candidates: list[str] = field(default_factory=list)
    invited: set[bytes] = field(default_factory=set)

    @property
    def collection(self) -> Collection:
        return self.known.collection

    def window(self, number: int) -> _Window:
        if number not in self.windows:
            self.windows[number] = _Window(self.collection.zero)
        return self.windows[number]


def _moved_on(before: Aggregate, total: Aggregate, least: int, by_cohort: bool) -> Aggregate:
    """The released sum, moved on; of free text, every cohort by itself."""
    if not by_cohort:
        return total if total.n - before.n >= least else before
    counts = before.counts.copy()
    for cohort, row in enumerate(total.counts.tolist()):
        if row[0] - int(before.counts[cohort, 0]) >= least:
            counts[cohort] = row
    return replace(before, n=int(counts[:, 0].sum()), counts=counts)


class MemoryStore(Store):
    """Everything in dictionaries.

    Attributes:
        broken: whether nothing can be committed now.
        commits: the number of reports of each commit.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held: dict[str, _Held] = {}
        self._tokens: dict[str, Token] = {}
        self._added = 0
        self.broken = False
        self.commits: list[int] = []

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        with self._lock:
            self.check()
            self.commits.append(sum(len(group.ids) for group in groups))
            return [self._count(group) for group in groups]

    def _count(self, group: Group) -> Fates:
        held = self._held.get(group.collection.key)
        fates = np.full(len(group.ids), ReportFate.SHUT, np.uint8)
        if held is None or held.known.state is not State.OPEN:
            return fates
        if group.window <= held.closed_to:
            fates[:] = ReportFate.LATE
            return fates
        window = held.window(group.window)
        allowance = group.allowance or Allowance([len(group.ids)])
        most = np.inf if allowance.window is None else allowance.window
        now = np.inf if allowance.now is None else allowance.now
        start, taken, over = 0, 0, None
        for size in allowance.bodies:
            places = range(start, start + size)
            new = [place for place in places if self._judge(held, window, group, place, fates)]
            if new and over is None and window.total.n + taken + len(new) > most:
                over = ReportFate.FULL
            if new and over is None and taken >= now:
                over = ReportFate.BUSY
            if over is None:
                taken += len(new)
            else:
                self._take_back(window, group, new)
                for place in places:
                    if fates[place] != ReportFate.LATE:
                        known = group.ids[place].tobytes() in window.ids
                        fates[place] = ReportFate.REPEATED if known else over
            start += size
        counted = group.reports[fates == ReportFate.NEW]
        window.total += held.collection.aggregate(counted)
        if held.collection.keeps_reports:
            window.kept.append(counted)
        return fates

    def _judge(self, held: _Held, window: _Window, group: Group, place: int, fates: Fates) -> bool:
        """Note the fate of one report as if it may count; whether it is new."""
        rounds = group.reports["round"] if held.collection.over_time else None
        invitation = None if group.invitations is None else group.invitations[place].tobytes()
        late = rounds is not None and int(rounds[place]) <= window.closed_round
        own = group.ids[place].tobytes()
        fates[place] = self._fate(held, window, own, invitation, late=late)
        return bool(fates[place] == ReportFate.NEW)

    @staticmethod
    def _take_back(window: _Window, group: Group, places: list[int]) -> None:
        for place in places:
            window.ids.discard(group.ids[place].tobytes())
            if group.invitations is not None:
                window.used.discard(group.invitations[place].tobytes())

    @staticmethod
    def _fate(
        held: _Held, window: _Window, own: bytes, invitation: bytes | None, *, late: bool
    ) -> ReportFate:
        if own in window.ids:
            return ReportFate.REPEATED
        if late:
            return ReportFate.LATE
        if held.collection.invited:
            if invitation is None or invitation not in held.invited - window.used:
                return ReportFate.UNINVITED
            window.used.add(invitation)
        window.ids.add(own)
        return ReportFate.NEW

    def close(self, key: str, window: int, closed_round: int | None = None) -> None:
        with self._lock:
            held = self._known(key)
            if closed_round is not None:
                one = held.window(window)
                one.closed_round = max(one.closed_round, closed_round)
                return
            held.closed_to = max(held.closed_to, window)
            held.window(window)
            for number, one in held.windows.items():
                if number <= held.closed_to:
                    one.closed = True
                    if isinstance(held.collection.mechanism, ContinualMechanism):
                        one.closed_round = held.collection.mechanism.rounds
                    one.ids, one.used = set(), set()

    def windows(self, key: str, *, last: int | None = None, after: int = -1) -> HeldWindows:
        with self._lock:
            held = self._known(key)
            found = [
                HeldWindow(
                    number,
                    one.total.n,
                    0 if one.released is None else one.released.aggregate.n,
                    one.closed,
                    one.closed_round,
                )
                for number, one in sorted(held.windows.items())
                if number > after
            ]
            shown = found if last is None else found[max(0, len(found) - last) :]
            reports = sum(one.total.n for one in held.windows.values())
            return HeldWindows.of(held.known.number, reports, shown)

    def releases(self, key: str, windows: Sequence[int]) -> Iterator[Released]:
        found = (self.release(key, window) for window in windows)
        return (one for one in found if one is not None)

    def release(self, key: str, window: int) -> Released | None:
        with self._lock:
            held = self._known(key)
            one = held.windows.get(window)
            if one is None:
                return None
            least = held.collection.minimum_reports
            if held.collection.over_time:
                counts = one.total.counts.copy()
                last = len(counts) if one.closed else one.closed_round
                counts[last:] = 0
                few = [0 < sum(row) < least for row in counts.tolist()]
                counts[few] = 0
                total = replace(one.total, n=int(counts.sum()), counts=counts)
                withheld = tuple(number for number, is_few in enumerate(few, 1) if is_few)
                one.released = Released(total, withheld) if total.n else None
            else:
                before = one.released.aggregate if one.released else held.collection.zero
                after = _moved_on(before, one.total, least, held.collection.free_text)
                one.released = Released(after) if after.n else None
            return one.released

    def reports(self, key: str, window: int | None = None) -> Iterator[Records]:
        with self._lock:
            windows = self._known(key).windows
            chosen = windows.values() if window is None else [windows[window]]
            kept = [records for one in chosen for records in one.kept]
        yield from kept

    def add(self, held: HeldCollection) -> bool:
        with self._lock:
            if held.collection.key in self._held:
                return False
            self._added += 1
            self._held[held.collection.key] = _Held(replace(held, number=self._added))
            return True

    def held_collections(self) -> list[HeldCollection]:
        with self._lock:
            return [held.known for held in self._held.values()]

    def change(self, key: str, *, state: State | None = None, public: bool | None = None) -> None:
        with self._lock:
            held = self._known(key)
            if state is not None and held.known.state is not State.CLOSED:
                held.known = replace(held.known, state=state)
            if public is not None:
                held.known = replace(held.known, public=public)

    def remove(self, key: str) -> None:
        with self._lock:
            self._held.pop(key, None)

    def keep_candidates(self, key: str, texts: Sequence[str]) -> None:
        with self._lock:
            self._known(key).candidates = list(texts)

    def candidates(self, key: str) -> list[str]:
        with self._lock:
            return list(self._known(key).candidates)

    def invite(self, key: str, digests: Sequence[bytes]) -> None:
        with self._lock:
            self._known(key).invited.update(digests)

    def is_invited(self, key: str, window: int, digest: bytes) -> bool:
        with self._lock:
            held = self._known(key)
            used = held.windows[window].used if window in held.windows else set()
            return digest in held.invited - used

    def add_token(self, token: Token) -> None:
        with self._lock:
            self._tokens[token.name] = token

    def tokens(self) -> list[Token]:
        with self._lock:
            return list(self._tokens.values())

    def revoke(self, name: str, check: Callable[[list[Token]], None] | None = None) -> bool:
        with self._lock:
            if check is not None:
                check(list(self._tokens.values()))
            return self._tokens.pop(name, None) is not None

    def check(self) -> None:
        if self.broken:
            raise StoreUnavailable("the disk is full")

    def shut(self) -> None:
        """Nothing is held beyond this process."""

    def _known(self, key: str) -> _Held:
        if key not in self._held:
            raise ParameterError(f"no collection {key[:12]} is held")
        return self._held[key]


class Gate(MemoryStore):
    """A store that commits when it is let to."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.open = threading.Event(), threading.Event()

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        self.entered.set()
        assert self.open.wait(10)
        return super().commit(groups)
