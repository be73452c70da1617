"""The sums that may be shown: of one window, of the latest, of all."""

import hashlib
import threading
from dataclasses import dataclass, field

from sudare.collection.document import Collection
from sudare.collector.stores.contract import HeldWindow, Released, Store
from sudare.errors import ParameterError
from sudare.formats.numbers import there_are
from sudare.mechanisms.aggregate import Aggregate

SERIES = 10  # windows of rounds that are shown in a row
_LOOKED_AT = 100  # windows, the newest first, in search of the latest that shows something


@dataclass(frozen=True, eq=False)
class Release:
    """A sum of reports that may be shown, of one window or of all.

    Attributes:
        window: its number; None for the sum of all.
        aggregate: the sum itself.
        withheld: over time, the closed rounds with reports, but fewer than may be shown.
        fingerprint: what two releases share only if they are the same. It is there from the start:
            a sum may be long, and a release is made where nobody waits.
    """

    window: int | None
    aggregate: Aggregate
    withheld: tuple[int, ...] = ()
    fingerprint: tuple[object, ...] = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256(self.aggregate.counts.tobytes()).digest()
        prints = (self.window, self.withheld, self.aggregate.n, digest)
        object.__setattr__(self, "fingerprint", prints)


@dataclass(frozen=True)
class _Closed:
    """The sum of closed windows: none comes before them any more, and none of them changes.

    Attributes:
        number: of the collection in its store; another one once it was removed and added again.
        last: the last of these windows; -1 before the first.
        total: their sum.
    """

    number: int
    last: int
    total: Aggregate


class Releases:
    """The sums that a store allows to be shown. Asks it: not to be used on the event loop."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._closed: dict[str, _Closed] = {}

    def of(self, collection: Collection, window: int | str) -> list[Release]:
        """The sums, one or more, that may be shown of a window, of the ``latest``, or of ``all``.

        Over time, ``all`` is the last ten windows one by one: their rounds follow each other.
        ``TooFewReports`` if nothing may be shown.
        """
        if window == "latest":
            found = self._latest(collection, 1)
        elif window == "all":
            found = (
                self._together(collection)
                if collection.kind.windows_add_up
                else self.history(collection, SERIES)
            )
        else:
            released = self._store.release(collection.key, int(window))
            found = [] if released is None else [_release(int(window), released)]
        if not found:
            self._refuse(collection, window)
        return found

    def history(self, collection: Collection, most: int) -> list[Release]:
        """The sums of the last windows that show anything, one by one, the earliest first.

        Each is what ``of`` gives of its window: nothing is released by asking for many.
        """
        return self._latest(collection, most)[::-1]

    def sum(self, collection: Collection, window: int | str) -> Release:
        """The one sum that may be shown of a window, of the ``latest``, or of ``all``."""
        if window == "all" and not collection.kind.windows_add_up:
            raise ParameterError("every window of rounds has a sum of its own; window says which")
        (only,) = self.of(collection, window)
        return only

    def _latest(self, collection: Collection, most: int) -> list[Release]:
        found: list[Release] = []
        for one in reversed(self._store.windows(collection.key, last=_LOOKED_AT)):
            if not collection.kind.are_enough(one.n):
                continue
            released = self._store.release(collection.key, one.window)
            if released is not None:
                found.append(_release(one.window, released))
            if len(found) == most:
                break
        return found

    def _together(self, collection: Collection) -> list[Release]:
        """Adds to the closed sum what came after; starts anew with another collection."""
        with self._lock:
            known = self._closed.get(collection.key)
        windows = self._store.windows(collection.key, after=-1 if known is None else known.last)
        if known is None or known.number != windows.number:
            windows = self._store.windows(collection.key)
            known = _Closed(windows.number, -1, collection.zero)
        closed = [one for one in windows if one.closed]
        if closed:
            total = self._added(collection, known.total, closed)
            known = _Closed(known.number, closed[-1].window, total)
            with self._lock:
                self._closed[collection.key] = known
        total = self._added(collection, known.total, windows[len(closed) :])
        return [Release(None, total)] if total.n else []

    def _added(
        self, collection: Collection, total: Aggregate, windows: list[HeldWindow]
    ) -> Aggregate:
        enough = [one.window for one in windows if collection.kind.are_enough(one.n)]
        found = self._store.releases(collection.key, enough)
        return sum((one.aggregate for one in found), start=total)

    def forget(self, key: str) -> None:
        """Forget the remembered sum of a collection's closed windows."""
        with self._lock:
            self._closed.pop(key, None)

    def _refuse(self, collection: Collection, window: int | str) -> None:
        if isinstance(window, int) and collection.windows is not None:
            raise collection.kind.too_few(f"there are too few reports in window {window}")
        found = self._store.windows(collection.key, last=_LOOKED_AT)
        where = "" if collection.windows is None else " in a window"
        most = max((one.n for one in found), default=0)
        raise collection.kind.too_few(f"{there_are(most, 'report')}{where}")


def _release(window: int, released: Released) -> Release:
    return Release(window, released.aggregate, released.withheld)
