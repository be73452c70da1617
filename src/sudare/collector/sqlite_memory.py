"""What a SQLite store has in memory of what is on disk."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sudare.collection import Collection
from sudare.collector.counting import Bools, Counted, Joined, counts_of
from sudare.collector.seen import Seen
from sudare.collector.store import Fate, Fates, State


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


@dataclass
class Judged:
    """Reports whose fates are known; the set of their window has the new names already."""

    joined: Joined
    fates: Fates
    held: Held | None = None
    window: Window | None = None
    counted: Counted | None = None

    @property
    def new(self) -> Bools:
        """Which of them count."""
        new: Bools = self.fates == Fate.NEW
        return new


def new_window(collection: Collection) -> Window:
    """A window of nobody."""
    return Window(counts_of(collection, None))
