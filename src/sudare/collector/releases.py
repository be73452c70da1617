"""The sums that may be shown: of one window, of the latest, of all."""

import hashlib
import threading
from dataclasses import dataclass

from sudare.aggregate import Aggregate
from sudare.collection import Collection
from sudare.collector.store import Store
from sudare.errors import ParameterError, TooFewReports

SERIES = 10  # windows of rounds that are shown in a row
_LOOKED_AT = 100  # windows, the newest first, in search of the latest that shows something


@dataclass(frozen=True, eq=False)
class Release:
    """A sum that may be shown.

    Attributes:
        window: its number; None for the sum of all.
        aggregate: the sum itself.
    """

    window: int | None
    aggregate: Aggregate

    @property
    def fingerprint(self) -> tuple[int | None, int, bytes]:
        """What two releases share only if they are the same."""
        digest = hashlib.sha256(self.aggregate.counts.tobytes()).digest()
        return self.window, self.aggregate.n, digest


@dataclass(frozen=True)
class _Closed:
    """The sum of all closed windows, which never changes, and what it is the sum of."""

    reports: tuple[int, ...]
    total: Aggregate


class Releases:
    """What a store allows to be shown. Asks the store: not to be used on the event loop."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._closed: dict[str, _Closed] = {}

    def of(self, collection: Collection, window: int | str) -> list[Release]:
        """Of a window by its number, of the ``latest``, or of ``all``; at least one.

        Over time, all are the last ten windows one by one: their rounds follow each other.
        ``TooFewReports`` if nothing may be shown.
        """
        if window == "latest":
            found = self._latest(collection, 1)
        elif window == "all":
            found = (
                self._latest(collection, SERIES)[::-1]
                if collection.over_time
                else self._together(collection)
            )
        else:
            released = self._store.release(collection.key, int(window))
            found = [] if released is None else [Release(int(window), released)]
        if not found:
            self._refuse(collection, window)
        return found

    def sum(self, collection: Collection, window: int | str) -> Release:
        """The same as one sum."""
        if window == "all" and collection.over_time:
            raise ParameterError("every window of rounds has a sum of its own; window says which")
        (only,) = self.of(collection, window)
        return only

    def _latest(self, collection: Collection, most: int) -> list[Release]:
        found: list[Release] = []
        windows = self._store.windows(collection.key)
        for one in reversed(windows[-_LOOKED_AT:]):
            if one.n < collection.minimum_reports:
                continue
            released = self._store.release(collection.key, one.window)
            if released is not None:
                found.append(Release(one.window, released))
            if len(found) == most:
                break
        return found

    def _together(self, collection: Collection) -> list[Release]:
        windows = self._store.windows(collection.key)
        closed = [(one.window, one.n) for one in windows if one.closed]
        total = self._closed_sum(collection, closed)
        for one in windows:
            if one.closed or one.n < collection.minimum_reports:
                continue
            released = self._store.release(collection.key, one.window)
            if released is not None:
                total += released
        return [Release(None, total)] if total.n else []

    def _closed_sum(self, collection: Collection, closed: list[tuple[int, int]]) -> Aggregate:
        """Adds what was closed since it was last asked; starts anew if anything else changed."""
        reports = tuple(n for _, n in closed)
        with self._lock:
            known = self._closed.get(collection.key)
        if known is None or known.reports != reports[: len(known.reports)]:
            known = _Closed((), collection.zero)
        total = known.total
        for window, _ in closed[len(known.reports) :]:
            released = self._store.release(collection.key, window)
            if released is not None:
                total += released
        with self._lock:
            self._closed[collection.key] = _Closed(reports, total)
        return total

    def forget(self, key: str) -> None:
        """Keep nothing of a collection."""
        with self._lock:
            self._closed.pop(key, None)

    def _refuse(self, collection: Collection, window: int | str) -> None:
        windows = self._store.windows(collection.key)
        reports = {one.window: one.n for one in windows}
        least = collection.minimum_reports
        if collection.over_time:
            raise TooFewReports(
                f"no closed round of “{collection.name}” has the {least} reports below which "
                f"nothing is released"
            )
        most = max(reports.values(), default=0)
        n = most if isinstance(window, str) else reports.get(window, 0)
        where = "" if collection.windows is None else " in a window"
        raise TooFewReports(
            f"there are {n} reports{where}; “{collection.name}” releases nothing below {least}"
        )
