"""``GET /healthz``: whether the store would commit, asked at most once a second."""

import asyncio
import time
from collections.abc import Callable

from sudare.collector.http.problems import Problem
from sudare.collector.stores.contract import Store
from sudare.errors import StoreUnavailable

FRESH = 1.0  # seconds


class Health:
    """Whether the store takes reports, asked once a second at most: asking it is a write."""

    def __init__(self, store: Store, passed: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._passed = passed
        self._asking = asyncio.Lock()
        self._asked: float | None = None
        self._well = False

    async def check(self) -> None:
        """Raise a ``Problem`` (503) unless the store takes reports now, or did within a second."""
        async with self._asking:  # all who come meanwhile share one answer
            if self._asked is None or self._passed() - self._asked >= FRESH:
                try:
                    await asyncio.to_thread(self._store.check)
                except StoreUnavailable:
                    self._well = False
                else:
                    self._well = True
                self._asked = self._passed()
        if not self._well:
            raise Problem(
                503, "store_unavailable", "the store takes nothing now", {"Retry-After": "5"}
            )
