"""A collector without its network: the store, the clock, and the collections held."""

import threading
from collections.abc import Callable, Mapping
from typing import NoReturn

from sudare.collector.clock.steady import SteadyClock
from sudare.collector.http.addresses import Addresses
from sudare.collector.http.problems import Problem, unknown_collection
from sudare.collector.metrics import Metrics
from sudare.collector.stores.contract import HeldCollection, Store


class Service:
    """A collector without its network: its store, its clock, the collections it holds.

    Attributes:
        store: where everything is kept.
        clock: seconds since 1970, by which windows open and close; a test may turn it.
        metrics: what the service counts about itself.
        addresses: where requests come from.
        ending: whether the collector is about to stop: long answers should come to an end.
    """

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float] | None = None,
        addresses: Addresses | None = None,
    ) -> None:
        self.store = store
        self.addresses = addresses or Addresses()
        self.clock = clock or SteadyClock()
        self.metrics = Metrics(self.clock)
        self.ending = False
        self._looking = threading.Lock()
        self._held: dict[str, HeldCollection] = {}
        self.refresh()

    def end(self) -> None:
        """Let long answers come to an end: the collector is about to stop."""
        self.ending = True

    def refresh(self) -> None:
        """Look again at what the store holds: another process may have changed it."""
        with self._looking:  # an earlier look must not replace what a later one saw
            self._held = {held.collection.key: held for held in self.store.held_collections()}

    @property
    def held(self) -> Mapping[str, HeldCollection]:
        """Every collection by its key; another object after each ``refresh``."""
        return self._held

    @property
    def held_collections(self) -> list[HeldCollection]:
        """Every collection, in the order in which they were added."""
        return list(self._held.values())

    def held_collection(self, key: str) -> HeldCollection:
        """A collection as it stands; a ``Problem`` (404) if there is none."""
        held = self._held.get(key)
        return held if held is not None else self.not_held(key)

    def not_held(self, key: str) -> NoReturn:
        """Refuse a key that nothing is served for: 404, or 501 where its mechanism is missing.

        After the latter a device keeps its report, and comes again.
        """
        if key in self.store.unavailable:
            raise Problem(501, "mechanism_unavailable", self.store.unavailable[key])
        unknown_collection(key)

    def per_minute(self, key: str) -> list[int]:
        """How many reports of a collection this process accepted in each of the last 60 minutes."""
        return self.metrics.per_minute(key)

    def window(self, held: HeldCollection) -> int:
        """A collection's window of this moment; 0 before the first, and where there is only one."""
        windows = held.collection.windows
        return 0 if windows is None else max(0, windows.at(self.clock()))

    def round(self, held: HeldCollection) -> int | None:
        """A collection's round of this moment in its window, from 1; None where there are none."""
        windows, rounds = held.collection.windows, held.collection.kind.rounds
        if windows is None or not rounds:
            return None
        return (max(1, windows.round_at(self.clock(), rounds)) - 1) % rounds + 1
