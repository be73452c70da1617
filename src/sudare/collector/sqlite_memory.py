"""What a SQLite store has in memory of what is on disk."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sudare.collection import Collection
from sudare.collector.counting import Bools, Counted, counted, counts_of, digests_of
from sudare.collector.seen import Seen
from sudare.collector.store import Fate, Fates, Group, State


@dataclass
class Window:
    """An open window in memory, as last committed."""

    counts: NDArray[np.int64]
    n: int = 0
    closed_round: int = 0
    seen: Seen = field(default_factory=Seen)


@dataclass
class Held:
    """A collection in memory, as last committed."""

    number: int
    collection: Collection
    state: State
    closed: int = -1
    """The last window that takes no more."""
    windows: dict[int, Window] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Refused:
    """Reports of which none can count: their window or their collection is closed."""

    fates: Fates


@dataclass(frozen=True, eq=False)
class Judged:
    """Reports whose fates are known; the set of their window has the new names already."""

    group: Group
    fates: Fates
    held: Held
    window: Window

    @property
    def new(self) -> Bools:
        """Which of them count."""
        new: Bools = self.fates == Fate.NEW
        return new


@dataclass(frozen=True, eq=False)
class Change:
    """What new reports make of a window: written first, then followed in memory.

    Attributes:
        held: their collection.
        number: their window's.
        window: the same in memory, as it was before; only its set has their names.
        counted: what is to be written of them.
        used: the hashes of their invitations.
        n: how many have counted with them.
        counts: the sum with them.
    """

    held: Held
    number: int
    window: Window
    counted: Counted
    used: list[bytes]
    n: int
    counts: NDArray[np.int64]

    def follow(self) -> None:
        """Let memory follow what is durable: nothing here can fail."""
        self.window.n, self.window.counts = self.n, self.counts
        self.window.seen.keep()


def change_by(judged: Judged) -> Change:
    """What the new reports among some make of their window, which is in memory from now on."""
    group, held, window = judged.group, judged.held, judged.window
    new = counted(group, judged.new)
    used: list[bytes] = []
    if held.collection.invited:
        digests = digests_of(group)
        used = [digests[row] for row in np.flatnonzero(judged.new)]
    held.windows.setdefault(group.window, window)
    n, counts = window.n + new.n, window.counts + new.counts
    return Change(held, group.window, window, new, used, n, counts)


def new_window(collection: Collection) -> Window:
    """A window of nobody."""
    return Window(counts_of(collection, None))
