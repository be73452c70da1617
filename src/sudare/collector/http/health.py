"""The service itself: whether the store would commit, and what the service counts."""

import asyncio
import time
from collections.abc import Callable

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collector.http.auth import Bearers
from sudare.collector.http.problems import unavailable
from sudare.collector.service import Service
from sudare.collector.stores.contract import Role, Store
from sudare.errors import StoreUnavailable

FRESH = 1.0  # seconds
OLDEST = 5.0
"""Seconds that an upload may wait for the store, and the store for a check, and all be well."""


class Health:
    """Whether the store takes reports, asked once a second at most: asking it is a write."""

    def __init__(
        self,
        store: Store,
        passed: Callable[[], float] = time.monotonic,
        waited: Callable[[], float] = lambda: 0.0,
        oldest: float = OLDEST,
    ) -> None:
        """The health of a store that wasn't asked yet.

        Args:
            store: which.
            passed: the seconds that have passed.
            waited: for how many seconds the oldest upload has waited for the store.
            oldest: how many may be well.
        """
        self._store = store
        self._passed = passed
        self._waited = waited
        self._oldest = oldest
        self._asked: tuple[asyncio.Task[bool], float] | None = None

    async def check(self) -> None:
        """Raise a ``Problem`` (503) unless the store takes reports now, or did within a second.

        It never waits longer for the store than all could be well.
        """
        if self._waited() > self._oldest:
            raise unavailable()
        asking, since = self._latest()
        left = max(0.0, since + self._oldest - self._passed())
        done, _ = await asyncio.wait([asking], timeout=left)  # all who come share one answer
        if not done or not asking.result():
            raise unavailable()

    def _latest(self) -> tuple["asyncio.Task[bool]", float]:
        """The question to the store that is fresh, or not answered yet, and since when it is."""
        now = self._passed()
        if self._asked is None or (self._asked[0].done() and now - self._asked[1] >= FRESH):
            self._asked = asyncio.create_task(self._ask()), now
        return self._asked

    async def _ask(self) -> bool:
        try:
            await asyncio.to_thread(self._store.check)
        except StoreUnavailable:
            return False
        return True


def routes(service: Service, bearers: Bearers) -> list[BaseRoute]:
    """The route of metrics, for analysts: they count reports of what isn't public, too."""

    async def metrics(request: Request) -> Response:
        await to_thread.run_sync(bearers.require, request.scope, Role.ANALYST)
        return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")

    return [Route("/metrics", metrics)]
