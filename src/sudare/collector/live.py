"""``GET …/live``: how a collection stands and what it shows, as it changes, once a second at most.

All who listen to the same share one ticker: however many there are, the work is done once. Where
nobody listens, nothing is done. A listener that reads slowly gets the newest and misses the rest.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from sudare.collector.problems import Problem, unforeseen
from sudare.collector.queries import Query, window_of
from sudare.collector.results import Results, Wish
from sudare.collector.service import Service
from sudare.collector.standing import Standings
from sudare.collector.store import Standing
from sudare.errors import SudareError

_log = logging.getLogger(__name__)
LISTENERS = 1000
SECOND = 1.0  # between two looks
HEARTBEAT = 15.0  # seconds of silence after which a comment shows that the line is there
LONGEST = 3600.0  # seconds of an answer; a client then comes again, with a token that is valid
_RETRY = b"retry: 2000\n\n"
_BEAT = b": still here\n\n"


class _Listener:
    """Somebody who listens: the newest event of each kind that they have not been sent yet."""

    def __init__(self, reads: bool, known: str | None) -> None:
        self.reads = reads  # estimates, even if they aren't public
        self.known = known  # the estimate that they have
        self.heard = b""  # the standing that they have
        self.waiting: dict[str, bytes] = {}
        self.awake = asyncio.Event()
        self.over = False

    def tell(self, kind: str, event: bytes) -> None:
        self.waiting[kind] = event
        self.awake.set()

    def end(self) -> None:
        self.over = True
        self.awake.set()


class _Ticker:
    """What all who listen to one window of one collection share."""

    def __init__(self, live: "Live", key: str, window: int | str) -> None:
        self.live = live
        self.key = key
        self.wish = Wish(window)
        self.listeners: set[_Listener] = set()
        self.standing = b""
        self.estimate = ("", b"")
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            while self.listeners and not self.live.service.ending:
                await self._look()
                await asyncio.sleep(self.live.second)
        except Problem:
            pass  # the collection is gone
        except Exception as error:  # noqa: BLE001 - nothing of it may reach the log as it is
            unforeseen(error, _log)
        finally:
            self.live.tickers.pop((self.key, self.wish.window), None)
            for listener in self.listeners:
                listener.end()

    async def _look(self) -> None:
        service = self.live.service
        held = service.standing(self.key)
        # A store that can't be asked now may be asked in a second; what was told stays true.
        with contextlib.suppress(SudareError):
            body = await to_thread.run_sync(self.live.standings.of, held)
            self.standing = _event("standing", msgspec.json.encode(body))
        await self._estimate(held)
        for listener in self.listeners:
            self.tell(listener, public=held.public)

    async def _estimate(self, held: Standing) -> None:
        """The newest that may be shown; none where there are too few reports, or no candidates."""
        if not held.public and not any(listener.reads for listener in self.listeners):
            return
        with contextlib.suppress(Problem):
            releases = await self.live.results.released(held, self.wish.window)
            body, name = await self.live.results.estimate(held, releases, self.wish)
            if name != self.estimate[0]:
                self.estimate = (name, _event("estimate", body, name))

    def tell(self, listener: _Listener, *, public: bool) -> None:
        """Tell somebody what they have not heard yet."""
        if self.standing != listener.heard:
            listener.heard = self.standing
            listener.tell("standing", self.standing)
        name, event = self.estimate
        if event and (public or listener.reads) and name != listener.known:
            listener.known = name
            listener.tell("estimate", event)


class Live:
    """Everybody who listens.

    Attributes:
        service: whose collections.
        tickers: one for each collection and window that somebody listens to.
        second: between two looks.
        heartbeat: seconds of silence before a comment.
        most: how many may listen.
        longest: seconds that one answer lasts.
    """

    def __init__(self, service: Service, standings: Standings, results: Results) -> None:
        self.service = service
        self.standings = standings
        self.results = results
        self.tickers: dict[tuple[str, int | str], _Ticker] = {}
        self.second = SECOND
        self.heartbeat = HEARTBEAT
        self.most = LISTENERS
        self.longest = LONGEST

    @property
    def listeners(self) -> int:
        """How many listen."""
        return sum(len(ticker.listeners) for ticker in self.tickers.values())

    def join(self, key: str, window: int | str, listener: _Listener) -> _Ticker:
        """The ticker that somebody listens to from now on, if there is room for one more."""
        if self.listeners >= self.most:
            sentence = f"{self.most} clients listen already"
            raise Problem(503, "too_many_listeners", sentence, {"Retry-After": "10"})
        ticker = self.tickers.get((key, window))
        if ticker is None:
            ticker = self.tickers[key, window] = _Ticker(self, key, window)
        ticker.listeners.add(listener)
        return ticker

    async def events(self, listener: _Listener) -> AsyncIterator[bytes]:
        """What one of them hears, until they go, an hour has passed, or the collector ends."""
        ends = asyncio.get_running_loop().time() + self.longest
        yield _RETRY
        while not listener.over and asyncio.get_running_loop().time() < ends:
            try:
                async with asyncio.timeout(self.heartbeat):
                    await listener.awake.wait()
            except TimeoutError:
                yield _BEAT
                continue
            listener.awake.clear()
            while listener.waiting:
                yield listener.waiting.pop(next(iter(listener.waiting)))


class _Stream(StreamingResponse):
    """Events to one listener, who has left when it ends, however it ends."""

    def __init__(self, live: Live, ticker: _Ticker, listener: _Listener) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(live.events(listener), headers=headers, media_type="text/event-stream")
        self._ticker, self._listener = ticker, listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ticker.listeners.discard(self._listener)


def _event(kind: str, data: bytes, name: str = "") -> bytes:
    """An event as it is sent: JSON has no line breaks, so one line of data is all of it."""
    identity = f"id: {name}\n".encode() if name else b""
    return identity + b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"


def routes(live: Live) -> list[BaseRoute]:
    """The one route."""

    async def listen(request: Request) -> Response:
        window = window_of(Query(request, ("window",)))
        held = live.service.standing(request.path_params["key"])
        reads = await live.results.may_read(request, held) and not held.public
        listener = _Listener(reads, request.headers.get("last-event-id"))
        return _Stream(live, live.join(held.collection.key, window, listener), listener)

    return [Route("/collections/{key}/live", listen, methods=["GET"])]
