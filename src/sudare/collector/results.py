"""Results as anybody may read them once they are public, and analysts before that."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol

import msgspec
from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.analysis import analyse
from sudare.collection import Collection
from sudare.collector.auth import Bearers
from sudare.collector.problems import Problem, told
from sudare.collector.queries import Query, window_of
from sudare.collector.releases import Release, Releases
from sudare.collector.service import Service
from sudare.collector.standing import json_response
from sudare.collector.store import Role, Standing
from sudare.decoding import Decoded, decode
from sudare.errors import ParameterError
from sudare.stream_analysis import Series, analyse_rounds
from sudare.text_analysis import Discoveries

CONSISTENT = ("clip", "normalise", "norm-sub", "project", "likelihood")
MEDIA = {
    "json": "application/json",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
}
Truths = Mapping[str, Callable[[], object]]
"""Of a demonstration only: the true shares of a collection, as something that JSON can say."""

_ANALYSTS = (Role.ANALYST, Role.ADMIN)
_AT_ONCE = 2  # computed at the same time; the rest wait
_WAITING = 32  # that are computed or wait, before more are sent away
_CACHED = 256  # results
_CACHED_BYTES = 64 << 20
_DECODED = 4  # decoded sums of free text: these take long and are large
_CANDIDATES_SECONDS = 60  # after which candidates that another process has kept are noticed


@dataclass(frozen=True)
class Wish:
    """How a result is wanted; as the options of ``sudare estimate``."""

    window: int | str = "latest"
    level: float = 0.95
    simultaneous: bool = False
    population: bool = False
    consistent: str | None = None

    def refuse_answers_only(self, where: str) -> None:
        """Refuse what has a meaning for listed answers alone."""
        for name in ("simultaneous", "population", "consistent"):
            if getattr(self, name):
                raise ParameterError(f"{name} is for listed answers, not {where}")


class _Result(Protocol):
    def document(self) -> dict[str, object]: ...
    def csv(self) -> str: ...
    def parquet(self) -> bytes: ...


class Rendered(NamedTuple):
    """A result as it is sent, and a name that it shares only with the same bytes."""

    body: bytes
    name: str


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
        self._limiter = CapacityLimiter(_AT_ONCE)
        self._running: dict[object, asyncio.Task[Rendered]] = {}
        self._cached: OrderedDict[object, Rendered] = OrderedDict()
        self._cached_bytes = 0
        self._decoded: OrderedDict[object, Decoded] = OrderedDict()
        self._versions: dict[str, int] = {}

    async def may_read(self, request: Request, held: Standing) -> bool:
        """Whether whoever asks may see results; a wrong token is refused unless they are public."""
        if held.public:
            return True
        return await to_thread.run_sync(self._bearers.role_of, request.scope) in _ANALYSTS

    async def require(self, request: Request, held: Standing) -> None:
        """Refuse whoever may not see results."""
        if not held.public:
            await to_thread.run_sync(self._bearers.require, request.scope, Role.ANALYST)

    async def released(self, held: Standing, window: int | str) -> list[Release]:
        """The sums that may be shown now."""
        with told():
            return await to_thread.run_sync(self.releases.of, held.collection, window)

    async def estimate(
        self, held: Standing, releases: list[Release], wish: Wish, form: str = "json"
    ) -> Rendered:
        """The estimate as it is sent; computed once for all who ask for the same."""
        collection = held.collection
        prints = tuple(one.fingerprint for one in releases)
        key = (collection.key, prints, wish, form, self._texts_version(collection))
        if key in self._cached:
            self._cached.move_to_end(key)
            return self._cached[key]
        task = self._running.get(key)
        if task is None:
            if len(self._running) >= _WAITING:
                sentence = f"{_WAITING} results are being computed already"
                raise Problem(503, "busy", sentence, {"Retry-After": "2"})
            work = partial(self._rendered, collection, releases, wish, form)
            task = asyncio.create_task(to_thread.run_sync(work, limiter=self._limiter))
            self._running[key] = task
            task.add_done_callback(partial(self._keep, key))
        with told():
            return await asyncio.shield(task)  # others may wait for it when this client goes

    def _keep(self, key: object, task: asyncio.Task[Rendered]) -> None:
        del self._running[key]
        if task.cancelled() or task.exception() is not None:
            return  # whoever waits is told
        self._cached[key] = task.result()
        self._cached_bytes += len(task.result().body)
        while len(self._cached) > _CACHED or self._cached_bytes > _CACHED_BYTES:
            self._cached_bytes -= len(self._cached.popitem(last=False)[1].body)

    def forget(self, key: str) -> None:
        """Keep nothing that rests on earlier candidates, or on a collection that is gone."""
        self._versions[key] = self._versions.get(key, 0) + 1
        self.releases.forget(key)

    def _texts_version(self, collection: Collection) -> tuple[int, int]:
        """What changes when the candidates may have."""
        age = int(self.service.clock() // _CANDIDATES_SECONDS) if collection.free_text else 0
        return self._versions.get(collection.key, 0), age

    def _rendered(
        self, collection: Collection, releases: list[Release], wish: Wish, form: str
    ) -> Rendered:
        body = self._written(collection, releases, wish, form)
        return Rendered(body, hashlib.sha256(body).hexdigest()[:16])

    def _written(
        self, collection: Collection, releases: list[Release], wish: Wish, form: str
    ) -> bytes:
        result = self._result(collection, releases, wish)
        if form == "csv":
            return result.csv().encode()
        if form == "parquet":
            return result.parquet()
        window = releases[0].window if wish.window != "all" else "all"
        return msgspec.json.encode({"window": window, **result.document()})

    def _result(self, collection: Collection, releases: list[Release], wish: Wish) -> _Result:
        if collection.over_time:
            wish.refuse_answers_only("rounds, whose band is always shown")
            rounds = [analyse_rounds(collection, one.aggregate, wish.level) for one in releases]
            if wish.window == "all":
                return Series(tuple(one.window or 0 for one in releases), tuple(rounds))
            return rounds[0]
        (only,) = releases
        if collection.free_text:
            wish.refuse_answers_only("free text")
            found = replace(self._found(collection, only), confidence=wish.level)
            return Discoveries(collection, found, everyone=False, top=None)
        return analyse(
            collection,
            only.aggregate,
            level=wish.level,
            simultaneous=wish.simultaneous,
            population=wish.population,
            consistent=wish.consistent,
        )

    def _found(self, collection: Collection, release: Release) -> Decoded:
        """Free text decoded: it takes long, and the same serves every level and form."""
        key = (collection.key, release.fingerprint, self._texts_version(collection))
        known = self._decoded.get(key)
        if known is not None:
            return known
        texts = self.service.store.candidates(collection.key)
        if not texts:
            raise Problem(
                409,
                "no_candidates",
                f"“{collection.name}” is answered in free text and has no candidates to decode it "
                f"against: an analyst can PUT them to /collections/{collection.key}/candidates",
            )
        try:
            found = decode(collection, release.aggregate, texts)
        except ParameterError as error:
            raise Problem(409, "undecodable", str(error)) from error
        self._decoded[key] = found
        while len(self._decoded) > _DECODED:
            self._decoded.popitem(last=False)
        return found


def routes(results: Results, truths: Truths | None = None) -> list[BaseRoute]:
    """Estimates and sums; of a demonstration the truth too."""
    service = results.service

    async def estimate(request: Request) -> Response:
        known = ("window", "level", "simultaneous", "population", "consistent", "format")
        query = Query(request, known)
        wish = Wish(
            window_of(query),
            query.share("level", 0.95),
            query.flag("simultaneous"),
            query.flag("population"),
            query.choice("consistent", CONSISTENT),
        )
        form = query.choice("format", MEDIA) or _accepted(request)
        held = service.standing(request.path_params["key"])
        await results.require(request, held)
        releases = await results.released(held, wish.window)
        body, _ = await results.estimate(held, releases, wish, form)
        headers = {"Cache-Control": "no-store", "Vary": "Accept"}
        if form != "json":
            name = f"{held.collection.key[:12]}.{form}"
            headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return Response(body, 200, headers, MEDIA[form])

    async def aggregate(request: Request) -> Response:
        window = window_of(Query(request, ("window",)))
        held = service.standing(request.path_params["key"])
        await results.require(request, held)
        with told():
            release = await to_thread.run_sync(results.releases.sum, held.collection, window)
        headers = {"Cache-Control": "no-store"}
        return Response(release.aggregate.to_json(), 200, headers, "application/json")

    async def truth(request: Request) -> Response:
        Query(request)
        held = service.standing(request.path_params["key"])
        told_of = (truths or {}).get(held.collection.key)
        if told_of is None:
            raise Problem(404, "unknown_truth", "nobody knows the truth of this collection")
        return json_response({"truth": await to_thread.run_sync(told_of)})

    found: list[BaseRoute] = [
        Route("/collections/{key}/estimate", estimate, methods=["GET"]),
        Route("/collections/{key}/aggregate", aggregate, methods=["GET"]),
    ]
    if truths is not None:
        found.append(Route("/collections/{key}/truth", truth, methods=["GET"]))
    return found


def _accepted(request: Request) -> str:
    """The first form that the client names and we have; JSON where it names none."""
    forms = {media: form for form, media in MEDIA.items()}
    said = [part.partition(";")[0].strip() for part in request.headers.get("accept", "").split(",")]
    return next((forms[media] for media in said if media in forms), "json")
