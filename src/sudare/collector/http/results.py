"""Results as anybody may read them once they are public, and analysts before that."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collection.document import Collection
from sudare.collector.http.auth import READERS, Bearers
from sudare.collector.http.problems import Problem, as_problem
from sudare.collector.http.queries import Query, window_of
from sudare.collector.http.releases import Release, Releases
from sudare.collector.http.standing import json_response
from sudare.collector.http.turns import Turns
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection
from sudare.errors import ParameterError
from sudare.questions.choice import CONSISTENT
from sudare.questions.interface import Result, ResultOptions
from sudare.results.file_names import attachment, file_stem

MEDIA = {
    "json": "application/json",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
}
HISTORY = 30
"""The most windows of which a history is had at once."""
Truths = Mapping[str, Callable[[], object]]
"""The true shares of a demonstration's collections, by key, as something that JSON can say."""

_AT_ONCE = 2  # computed at the same time; the rest wait
_WAITING = 64  # that are computed or wait
_EACH = 4  # of them for one who asks
_READERS = 8  # threads that ask the store for sums: others ask it for other things
_CACHED = 256  # results
_CACHED_BYTES = 64 << 20
_WEIGHED = 4  # decoded sums of free text take long and are large
_CANDIDATES_SECONDS = 60  # after which candidates that another process has kept are noticed


class Rendered(NamedTuple):
    """A result as it is sent, and a name that it shares only with the same bytes."""

    body: bytes
    name: str


class Asked(NamedTuple):
    """The result that somebody asks for: of what window, computed how, in what form."""

    window: int | str
    options: ResultOptions = ResultOptions()
    form: str = "json"


class Results:
    """Estimates of released sums, computed beside the event loop and remembered.

    Attributes:
        service: whose collections.
        releases: the sums that may be shown.
    """

    def __init__(self, service: Service, bearers: Bearers) -> None:
        self.service = service
        self.releases = Releases(service.store)
        self._bearers = bearers
        self._turns: Turns[Rendered] = Turns(_AT_ONCE, _WAITING, _EACH)
        self._limiter = CapacityLimiter(_AT_ONCE)
        self._readers = CapacityLimiter(_READERS)
        self._running: dict[object, asyncio.Task[Rendered]] = {}
        self._cached: OrderedDict[object, Rendered] = OrderedDict()
        self._cached_bytes = 0
        self._weighings: OrderedDict[object, object] = OrderedDict()
        self._versions: dict[str, int] = {}

    async def may_read(self, request: Request, held: HeldCollection) -> bool:
        """Whether whoever asks may see results; a wrong token is refused unless they are public."""
        return held.public or await to_thread.run_sync(self._bearers.may_read, request.scope, held)

    async def require(self, request: Request, held: HeldCollection) -> None:
        """Refuse a request that may not see a collection's results."""
        if not held.public:
            await to_thread.run_sync(self._bearers.require_reader, request.scope, held)

    async def share_of(self, request: Request) -> Hashable:
        """Whose share of the work a request is: its address's, and apart from it an analyst's."""
        return self.service.addresses.of(request.scope), await self.is_analyst(request)

    async def is_analyst(self, request: Request) -> bool:
        """Whether a request bears an analyst's token; a wrong one is none, where none is needed."""
        if "authorization" not in request.headers:
            return False
        try:
            return await to_thread.run_sync(self._bearers.role_of, request.scope) in READERS
        except Problem:
            return False

    async def released(self, held: HeldCollection, window: int | str) -> list[Release]:
        """The sums that may be shown now of a window, of the ``latest``, or of ``all``."""
        with as_problem():
            return await to_thread.run_sync(
                self.releases.of, held.collection, window, limiter=self._readers
            )

    async def sum(self, held: HeldCollection, window: int | str) -> Release:
        """The one sum that may be shown now of a window, of the ``latest``, or of ``all``."""
        with as_problem():
            return await to_thread.run_sync(
                self.releases.sum, held.collection, window, limiter=self._readers
            )

    async def estimate(
        self,
        held: HeldCollection,
        releases: list[Release],
        asked: Asked,
        share: Hashable,
    ) -> Rendered:
        """The estimate of some sums as it is sent; computed once for all who ask for the same.

        Args:
            held: the collection.
            releases: the sums.
            asked: what is asked for.
            share: whose share of the work it is.
        """
        collection = held.collection
        prints = tuple(one.fingerprint for one in releases)
        key = (collection.key, prints, asked, self._texts_version(collection))
        if key in self._cached:
            self._cached.move_to_end(key)
            return self._cached[key]
        task = self._running.get(key)
        if task is None:
            work = partial(self._rendered, collection, releases, asked)
            task = self._turns.task(share, partial(to_thread.run_sync, work, limiter=self._limiter))
            self._running[key] = task
            task.add_done_callback(partial(self._keep, key))
        with as_problem():
            return await asyncio.shield(task)  # others may wait for it when this client goes

    async def history(
        self, held: HeldCollection, most: int, options: ResultOptions, share: Hashable
    ) -> bytes:
        """The estimates of the last windows that show anything, as they are sent."""
        if held.collection.kind.takes_candidates:
            raise Problem(
                409,
                "no_history",
                f"“{held.collection.name}” is decoded window by window, which may take minutes "
                f"each: ask for the estimate of one",
            )
        with as_problem():
            found = await to_thread.run_sync(
                self.releases.history, held.collection, most, limiter=self._readers
            )
        # One after the other: together they would take all of somebody's turns.
        bodies = [
            (await self.estimate(held, [one], Asked(one.window or 0, options), share)).body
            for one in found
        ]
        return b'{"windows":[%b]}' % b",".join(bodies)

    def _keep(self, key: object, task: asyncio.Task[Rendered]) -> None:
        del self._running[key]
        if task.cancelled() or task.exception() is not None:
            return  # whoever waits is told
        self._cached[key] = task.result()
        self._cached_bytes += len(task.result().body)
        while len(self._cached) > _CACHED or self._cached_bytes > _CACHED_BYTES:
            self._cached_bytes -= len(self._cached.popitem(last=False)[1].body)

    def forget(self, key: str) -> None:
        """Forget a collection's results, as its candidates have changed or it is gone."""
        self._versions[key] = self._versions.get(key, 0) + 1
        self.releases.forget(key)

    def _texts_version(self, collection: Collection) -> tuple[int, int]:
        """A version that changes when the candidates may have."""
        ages = collection.kind.takes_candidates
        age = int(self.service.clock() // _CANDIDATES_SECONDS) if ages else 0
        return self._versions.get(collection.key, 0), age

    def _rendered(
        self,
        collection: Collection,
        releases: list[Release],
        asked: Asked,
    ) -> Rendered:
        window, options, form = asked
        result = self._result(collection, releases, window, options)
        if form == "csv":
            body = result.csv().encode()
        elif form == "parquet":
            body = result.parquet()
        else:
            number = releases[0].window if window != "all" else "all"
            body = msgspec.json.encode({"window": number, **result.document()})
        return Rendered(body, hashlib.sha256(body).hexdigest()[:16])

    def _result(
        self,
        collection: Collection,
        releases: list[Release],
        window: int | str,
        options: ResultOptions,
    ) -> Result:
        question = collection.kind
        question.check_options(options)  # before anything is decoded
        results = [
            question.result(self._weighed(collection, one), options).withholding(one.withheld)
            for one in releases
        ]
        if window != "all" or question.windows_add_up:
            return results[0]
        return question.series(tuple(one.window or 0 for one in releases), results)

    def _weighed(self, collection: Collection, release: Release) -> object:
        """The slow part of a result: the same serves every level and form."""
        key = (collection.key, release.fingerprint, self._texts_version(collection))
        if key in self._weighings:
            return self._weighings[key]
        texts: Sequence[str] = ()
        if collection.kind.takes_candidates:
            texts = self.service.store.candidates(collection.key)
            if not texts:
                raise Problem(
                    409,
                    "no_candidates",
                    f"“{collection.name}” is answered in free text and has no candidates to decode "
                    f"it against: an analyst can PUT them to "
                    f"/collections/{collection.key}/candidates",
                )
        try:
            weighed = collection.kind.weigh(release.aggregate, texts)
        except ParameterError as error:
            raise Problem(409, "undecodable", str(error)) from error
        if weighed is not release.aggregate:  # else there is nothing to save
            self._weighings[key] = weighed
        while len(self._weighings) > _WEIGHED:
            self._weighings.popitem(last=False)
        return weighed


def routes(results: Results, truths: Truths | None = None) -> list[BaseRoute]:
    """The routes of estimates and sums; of a demonstration the truth too."""
    service = results.service

    async def estimate(request: Request) -> Response:
        known = ("window", "level", "simultaneous", "population", "consistent", "format")
        query = Query(request, known)
        window = window_of(query)
        options = ResultOptions(
            query.share("level", 0.95),
            query.flag("simultaneous"),
            query.flag("population"),
            query.choice("consistent", CONSISTENT),
        )
        form = query.choice("format", MEDIA) or _accepted(request)
        held = service.held_collection(request.path_params["key"])
        await results.require(request, held)
        releases = await results.released(held, window)
        share = await results.share_of(request)
        body, _ = await results.estimate(held, releases, Asked(window, options, form), share)
        headers = {"Cache-Control": "no-store", "Vary": "Accept"}
        if form != "json":
            name = _stem(service, held, window, releases[0]) + f".{form}"
            headers["Content-Disposition"] = attachment(name)
        return Response(body, 200, headers, MEDIA[form])

    async def history(request: Request) -> Response:
        query = Query(request, ("last", "level"))
        last = query.whole("last", HISTORY, 1, HISTORY)
        options = ResultOptions(query.share("level", 0.95))
        held = service.held_collection(request.path_params["key"])
        await results.require(request, held)
        share = await results.share_of(request)
        body = await results.history(held, last, options, share)
        return Response(body, 200, {"Cache-Control": "no-store"}, MEDIA["json"])

    async def aggregate(request: Request) -> Response:
        window = window_of(Query(request, ("window",)))
        held = service.held_collection(request.path_params["key"])
        await results.require(request, held)
        release = await results.sum(held, window)
        name = _stem(service, held, window, release) + "-sum.json"
        headers = {"Cache-Control": "no-store", "Content-Disposition": attachment(name)}
        return Response(release.aggregate.to_json(), 200, headers, "application/json")

    async def truth(request: Request) -> Response:
        Query(request)
        held = service.held_collection(request.path_params["key"])
        await results.require(request, held)
        told_of = (truths or {}).get(held.collection.key)
        if told_of is None:
            raise Problem(404, "unknown_truth", "nobody knows the truth of this collection")
        return json_response({"truth": await to_thread.run_sync(told_of)})

    found: list[BaseRoute] = [
        Route("/collections/{key}/estimate", estimate, methods=["GET"]),
        Route("/collections/{key}/history", history, methods=["GET"]),
        Route("/collections/{key}/aggregate", aggregate, methods=["GET"]),
    ]
    if truths is not None:
        found.append(Route("/collections/{key}/truth", truth, methods=["GET"]))
    return found


def _stem(service: Service, held: HeldCollection, window: int | str, release: Release) -> str:
    """The name of a file of a release, without its ending."""
    of = "all" if window == "all" else release.window or 0
    return file_stem(held.collection, of, service.clock())


def _accepted(request: Request) -> str:
    """The first form that the client names and we have; JSON where it names none."""
    forms = {media: form for form, media in MEDIA.items()}
    said = [part.partition(";")[0].strip() for part in request.headers.get("accept", "").split(",")]
    return next((forms[media] for media in said if media in forms), "json")
