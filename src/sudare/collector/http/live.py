"""``GET …/live``: how a collection stands and what it shows, as it changes, once a second at most.

All who listen to the same share one ticker: however many there are, the work is done once. Where
nobody listens, nothing is done. A listener that reads slowly gets the newest and misses the rest.
"""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from sudare.collector.http.problems import ErrorBody, Problem, as_problem, unforeseen
from sudare.collector.http.queries import Query, window_of
from sudare.collector.http.results import Asked, Results
from sudare.collector.http.standing import Standings
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection
from sudare.errors import SudareError

_log = logging.getLogger(__name__)
LISTENERS = 1000  # and as many analysts
FROM_ONE = 100  # of one address, behind which a whole office may sit
SECOND = 1.0  # between two looks
_CHECK = 5  # looks after which a token is asked for again
_SELDOM = 10  # looks after which an earlier window is looked at again
HEARTBEAT = 15.0  # seconds of silence after which a comment shows that the line is there
LONGEST = 3600.0  # seconds of an answer; a client then comes again, with a token that is valid
_EVENTS = "text/event-stream"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_COMPUTING = Problem(503, "computing", "the estimate is being computed")
_RETRY = b"retry: 2000\n\n"
_BEAT = b": still here\n\n"


class _Listener:
    """Somebody who listens: the newest event of each kind that they have not been sent yet."""

    def __init__(
        self, request: Request, window: int | str, address: str, *, reads: bool, analyst: bool
    ) -> None:
        self.request = request
        self.window = window
        self.address = address
        self.analyst = analyst  # by a token, whether it is needed or not
        self.reads = reads  # what isn't public, by a token
        self.known = request.headers.get("last-event-id")  # the estimate that they have
        self.heard = b""  # the standing that they have
        self.told_why = ""  # the code of why they have no estimate
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
    """The look at one collection that all who listen to it share."""

    def __init__(self, live: "Live", key: str) -> None:
        self.live = live
        self.key = key
        self.listeners: set[_Listener] = set()
        self.standing = b""
        self.estimates: dict[int | str, tuple[str, bytes]] = {}
        self.reasons: dict[int | str, tuple[str, bytes]] = {}  # why there is none
        self.looks = 0
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
            self.live.tickers.pop(self.key, None)
            for listener in self.listeners:
                listener.end()

    async def _look(self) -> None:
        service = self.live.service
        held = service.held_collection(self.key)
        # A store that can't be asked now may be asked in a second; what was told stays true.
        with contextlib.suppress(SudareError):
            body = await to_thread.run_sync(self.live.standings.of, held)
            self.standing = _event("standing", msgspec.json.encode(body))
        for listener in [one for one in self.listeners if not (held.public or one.reads)]:
            self.listeners.discard(listener)  # it was public when they came
            listener.end()
        self.looks += 1
        if self.looks % _CHECK == 0:
            for listener in [one for one in self.listeners if one.reads]:
                await self._check(listener, held)
        windows = {one.window for one in self.listeners}
        self.estimates = {at: one for at, one in self.estimates.items() if at in windows}
        self.reasons = {at: one for at, one in self.reasons.items() if at in windows}
        for window in windows:
            await self._estimate(held, window)
        for listener in self.listeners:
            self.tell(listener)

    async def _check(self, listener: _Listener, held: HeldCollection) -> None:
        """Whoever bears a token that has expired or was revoked hears no more."""
        try:
            listener.reads = await self.live.results.may_read(listener.request, held)
        except Problem as problem:
            if problem.status != 503:  # a store that can't be asked now tells nothing new
                listener.reads = False
        if not listener.reads:
            listener.end()

    async def _estimate(self, held: HeldCollection, window: int | str) -> None:
        """The newest that may be shown; else why there is none."""
        earlier = isinstance(window, int) and window < self.live.service.window(held)
        if earlier and window in self.estimates and self.looks % _SELDOM:
            return
        try:
            releases = await self.live.results.released(held, window)
            # Decoding may take minutes, in which people shouldn't look for what is missing.
            late = partial(self._explain, window, _COMPUTING)
            slow = asyncio.get_running_loop().call_later(self.live.second, late)
            try:
                body, name = await self.live.results.estimate(
                    held, releases, Asked(window), ("live", self.key)
                )
            finally:
                slow.cancel()
        except Problem as problem:
            self._explain(window, problem)
            return
        self.reasons.pop(window, None)
        if name != self.estimates.get(window, ("", b""))[0]:
            self.estimates[window] = (name, _event("estimate", body, name))

    def _explain(self, window: int | str, problem: Problem) -> None:
        """Say why there is no estimate, at once; where there is one, it stays."""
        if window in self.estimates:
            return
        said = msgspec.json.encode(ErrorBody(problem.code, str(problem)))
        self.reasons[window] = (problem.code, _event("waiting", said))
        for listener in self.listeners:
            self.tell(listener)

    def tell(self, listener: _Listener) -> None:
        """Tell somebody what they have not heard yet."""
        if self.standing != listener.heard:
            listener.heard = self.standing
            listener.tell("standing", self.standing)
        name, event = self.estimates.get(listener.window, ("", b""))
        if event and name != listener.known:
            listener.known = name
            listener.tell("estimate", event)
        code, event = self.reasons.get(listener.window, ("", b""))
        if event and code != listener.told_why:
            listener.tell("waiting", event)
        listener.told_why = code


class Live:
    """All clients that listen to a collector's live results.

    Attributes:
        service: whose collections.
        tickers: one for each collection that somebody listens to.
        second: between two looks.
        heartbeat: seconds of silence before a comment.
        most: how many may listen, and as many analysts.
        from_one: how many of them at one address.
        longest: seconds that one answer lasts.
    """

    def __init__(self, service: Service, standings: Standings, results: Results) -> None:
        self.service = service
        self.standings = standings
        self.results = results
        self.tickers: dict[str, _Ticker] = {}
        self.second = SECOND
        self.heartbeat = HEARTBEAT
        self.most = LISTENERS
        self.from_one = FROM_ONE
        self.longest = LONGEST

    @property
    def listeners(self) -> int:
        """How many clients listen, to any collection."""
        return sum(len(ticker.listeners) for ticker in self.tickers.values())

    async def check_window(self, held: HeldCollection, window: int | str) -> None:
        """Refuse (404) a window in which there is nothing to hear."""
        if isinstance(window, str) or window == self.service.window(held):
            return
        with as_problem():
            windows = await to_thread.run_sync(self.service.store.windows, held.collection.key)
        if window not in {one.window for one in windows}:
            raise Problem(404, "unknown_window", f"window {window} has no reports")

    def join(self, key: str, listener: _Listener) -> _Ticker:
        """The ticker that somebody listens to from now on, if there is room for one more."""
        self._make_room(listener)
        ticker = self.tickers.get(key)
        if ticker is None:
            ticker = self.tickers[key] = _Ticker(self, key)
        ticker.listeners.add(listener)
        return ticker

    def _make_room(self, listener: _Listener) -> None:
        """Make room for one more; a ``Problem`` (503) if they have their share already.

        Analysts have room of their own. Where it is full, whoever has the most of it loses one.
        """
        alike = [
            (ticker, one)
            for ticker in self.tickers.values()
            for one in ticker.listeners
            if one.analyst == listener.analyst
        ]
        shares = Counter(one.address for _, one in alike)
        own = shares[listener.address]
        if own >= self.from_one:
            raise _full(f"{self.from_one} clients of this address listen already")
        if len(alike) < self.most:
            return
        greediest, most = shares.most_common(1)[0]
        if own + 1 >= most:
            raise _full(f"{self.most} clients listen already")
        ticker, last = next(pair for pair in alike if pair[1].address == greediest)
        ticker.listeners.discard(last)
        last.end()

    async def events(self, listener: _Listener) -> AsyncIterator[bytes]:
        """One listener's events, until they go, ``longest`` has passed, or the collector ends."""
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


def _full(sentence: str) -> Problem:
    return Problem(503, "too_many_listeners", sentence, {"Retry-After": "10"})


class _Stream(StreamingResponse):
    """Events to one listener, who has left when it ends, however it ends."""

    def __init__(self, live: Live, ticker: _Ticker, listener: _Listener) -> None:
        super().__init__(live.events(listener), headers=_HEADERS, media_type=_EVENTS)
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
    """The route by which clients follow a collection live, by server-sent events."""

    async def listen(request: Request) -> Response:
        window = window_of(Query(request, ("window",)))
        held = live.service.held_collection(request.path_params["key"])
        await live.results.require(request, held)
        reads = not held.public
        await live.check_window(held, window)
        if request.method == "HEAD":  # whose answer has no events, and would never end
            return Response(None, 200, _HEADERS, _EVENTS)
        address = live.service.addresses.of(request.scope)
        analyst = reads or await live.results.is_analyst(request)
        listener = _Listener(request, window, address, reads=reads, analyst=analyst)
        return _Stream(live, live.join(held.collection.key, listener), listener)

    return [Route("/collections/{key}/live", listen, methods=["GET"])]
