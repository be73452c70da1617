"""What every route shares: the store, the clock, and the collections as they stand."""

import threading
from collections.abc import Callable, Mapping

from sudare.collector.metrics import Metrics
from sudare.collector.problems import unknown_collection
from sudare.collector.steady import SteadyClock
from sudare.collector.store import Standing, Store
from sudare.continual import ContinualMechanism


class Service:
    """A collector without its network.

    Attributes:
        store: where everything is kept.
        clock: seconds since 1970, by which windows open and close; a test may turn it.
        metrics: what the service counts about itself.
        ending: whether the collector is about to stop: long answers should come to an end.
    """

    def __init__(self, store: Store, clock: Callable[[], float] | None = None) -> None:
        self.store = store
        self.clock = clock or SteadyClock()
        self.metrics = Metrics(self.clock)
        self.ending = False
        self._looking = threading.Lock()
        self._standings: dict[str, Standing] = {}
        self.refresh()

    def refresh(self) -> None:
        """Look again at what the store holds: another process may have changed it."""
        with self._looking:  # an earlier look must not replace what a later one saw
            self._standings = {held.collection.key: held for held in self.store.standings()}

    @property
    def held(self) -> Mapping[str, Standing]:
        """Every collection by its key; another object after each ``refresh``."""
        return self._standings

    @property
    def standings(self) -> list[Standing]:
        """Every collection, in the order in which they were added."""
        return list(self._standings.values())

    def standing(self, key: str) -> Standing:
        """A collection as it stands; a ``Problem`` (404) if there is none."""
        held = self._standings.get(key)
        return held if held is not None else unknown_collection(key)

    def per_minute(self, key: str) -> list[int]:
        """How many reports this process accepted in each of the last 60 minutes."""
        return self.metrics.per_minute(key)

    def window(self, standing: Standing) -> int:
        """The window of this moment; 0 before the first, and where there is only one."""
        windows = standing.collection.windows
        return 0 if windows is None else max(0, windows.at(self.clock()))

    def round(self, standing: Standing) -> int | None:
        """The round of this moment within its window, from 1; None where there are none."""
        windows, mechanism = standing.collection.windows, standing.collection.mechanism
        if windows is None or not isinstance(mechanism, ContinualMechanism):
            return None
        return (max(1, windows.round_at(self.clock(), mechanism.rounds)) - 1) % mechanism.rounds + 1
