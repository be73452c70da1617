"""Changes that administrators and analysts may make, by their tokens."""

import hashlib
import io
import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collection.defaults import GRACE, MOST_GRACE
from sudare.collection.document import Collection
from sudare.collector.clock.closings import check_rounds_end
from sudare.collector.http.auth import Bearers
from sudare.collector.http.problems import Problem, as_problem
from sudare.collector.http.queries import Query, body_of
from sudare.collector.http.results import Results
from sudare.collector.http.standing import Standings, json_response
from sudare.collector.stores.contract import HeldCollection, Role, State
from sudare.collector.uploads.warming import warm
from sudare.decoding.candidate_file import Lines
from sudare.errors import InvalidDocument
from sudare.mechanisms.strings import hashable_text

MOST_INVITATIONS = 100_000
MOST_TEXTS = 1_000_000
_DOCUMENT_BYTES = 4 << 20
_TEXTS_BYTES = 64 << 20
_INVITATION_BYTES = 16

Handler = Callable[[Request], Awaitable[Response]]


class CandidatesBody(msgspec.Struct):
    """How many candidates a collection's free text is decoded against."""

    candidates: int


class InvitationsBody(msgspec.Struct):
    """New invitations to a collection, shown this once."""

    invitations: list[Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]]


class Administration:
    """Changes to what a collector holds. Every one asks for its role first."""

    def __init__(self, standings: Standings, results: Results, bearers: Bearers) -> None:
        self._standings = standings
        self._service = standings.service
        self._results = results
        self._bearers = bearers

    async def _allow(self, request: Request, role: Role) -> None:
        await to_thread.run_sync(self._bearers.require, request.scope, role)

    def _held(self, request: Request) -> HeldCollection:
        return self._service.held_collection(request.path_params["key"])

    async def _change(self, work: Callable[[], object]) -> object:
        """Do something to the store, and look at it again."""

        def and_look() -> object:
            done = work()
            self._service.refresh()
            return done

        with as_problem():
            return await to_thread.run_sync(and_look)

    async def add(self, request: Request) -> Response:
        """``POST /collections``: hold a collection from now on."""
        await self._allow(request, Role.ADMIN)
        grace = Query(request, ("grace",)).whole("grace", GRACE, 0, MOST_GRACE)
        data = await body_of(request, _DOCUMENT_BYTES)
        with as_problem():
            collection = await to_thread.run_sync(Collection.from_json, data)
            check_rounds_end(collection)
            await to_thread.run_sync(warm, [collection])
        new = await self._change(
            partial(self._service.store.add, HeldCollection(collection, grace=grace))
        )
        response = await self._standings.response(
            self._service.held_collection(collection.key), 201 if new else 200
        )
        response.headers["Location"] = f"/collections/{collection.key}"
        return response

    def turn(self, state: State) -> Handler:
        """The handler of ``POST …/pause``, ``/open`` or ``/close``: whether reports are taken."""

        async def handler(request: Request) -> Response:
            await self._allow(request, Role.ADMIN)
            Query(request)
            held = self._held(request)
            if held.state is State.CLOSED and state is not State.CLOSED:
                raise Problem(409, "closed", f"“{held.collection.name}” is closed, for good")
            key = held.collection.key
            await self._change(partial(self._turn, key, state))
            return await self._standings.response(self._held(request))

        return handler

    def _turn(self, key: str, state: State) -> None:
        store = self._service.store
        store.change(key, state=state)
        # Nothing comes any more, so what has come is whole: rounds are shown once they are closed.
        if state is State.CLOSED and (windows := store.windows(key)):
            store.close(key, windows[-1].window)

    async def remove(self, request: Request) -> Response:
        """``DELETE /collections/{key}``: forget a collection and all its reports."""
        await self._allow(request, Role.ADMIN)
        Query(request)
        key = self._held(request).collection.key
        await self._change(partial(self._service.store.remove, key))
        self._results.forget(key)
        return Response(status_code=204)

    def show(self, *, public: bool) -> Handler:
        """The handler of ``PUT`` or ``DELETE …/release``: whether everybody may read results."""

        async def handler(request: Request) -> Response:
            await self._allow(request, Role.ANALYST)
            Query(request)
            key = self._held(request).collection.key
            await self._change(partial(self._service.store.change, key, public=public))
            return await self._standings.response(self._held(request))

        return handler

    async def candidates(self, request: Request) -> Response:
        """``PUT …/candidates``: the texts that free text is decoded against."""
        await self._allow(request, Role.ANALYST)
        Query(request)
        collection = self._held(request).collection
        if not collection.kind.takes_candidates:
            raise Problem(
                409,
                "listed_answers",
                f"“{collection.name}” takes no candidates ({collection.kind.described})",
            )
        data = await body_of(request, _TEXTS_BYTES)
        with as_problem():
            texts = await to_thread.run_sync(_texts, data)
        await self._change(partial(self._service.store.keep_candidates, collection.key, texts))
        self._results.forget(collection.key)
        return json_response(CandidatesBody(len(texts)))

    async def kept_candidates(self, request: Request) -> Response:
        """``GET …/candidates``: the texts that free text is decoded against, one per line."""
        await self._allow(request, Role.ANALYST)
        Query(request)
        key = self._held(request).collection.key
        with as_problem():
            texts = await to_thread.run_sync(self._service.store.candidates, key)
        lines = "".join(f"{text}\n" for text in texts)
        return Response(lines.encode(), 200, {"Cache-Control": "no-store"}, "text/plain")

    async def invite(self, request: Request) -> Response:
        """``POST …/invitations``: make new invitations to a collection."""
        await self._allow(request, Role.ADMIN)
        count = Query(request, ("count",)).whole("count", 1, 1, MOST_INVITATIONS)
        collection = self._held(request).collection
        if not collection.invited:
            raise Problem(409, "open_to_all", f"“{collection.name}” needs no invitations")
        new = [secrets.token_hex(_INVITATION_BYTES) for _ in range(count)]
        digests = [hashlib.sha256(one.encode()).digest() for one in new]
        await self._change(partial(self._service.store.invite, collection.key, digests))
        return json_response(InvitationsBody(new), 201)


def _texts(data: bytes) -> list[str]:
    """The candidates of a body: a line each, at least one, none twice."""
    texts: list[str] = []
    numbers: dict[bytes, int] = {}
    for text in Lines(io.BytesIO(data), len(data)):
        texts.append(text)
        if len(texts) > MOST_TEXTS:
            raise InvalidDocument(f"there are more than {MOST_TEXTS:,} candidates")
        first = numbers.setdefault(hashable_text(text), len(texts))
        if first != len(texts):
            raise InvalidDocument(f"candidates number {first} and {len(texts)} are the same text")
    if not texts:
        raise InvalidDocument("there are 0 candidates; at least 1 is needed, one per line")
    return texts


def routes(administration: Administration) -> list[BaseRoute]:
    """The routes by which administrators and analysts change what a collector holds."""
    one = "/collections/{key}"
    return [
        Route("/collections", administration.add, methods=["POST"]),
        Route(one, administration.remove, methods=["DELETE"]),
        Route(f"{one}/pause", administration.turn(State.PAUSED), methods=["POST"]),
        Route(f"{one}/open", administration.turn(State.OPEN), methods=["POST"]),
        Route(f"{one}/close", administration.turn(State.CLOSED), methods=["POST"]),
        Route(f"{one}/release", administration.show(public=True), methods=["PUT"]),
        Route(f"{one}/release", administration.show(public=False), methods=["DELETE"]),
        Route(f"{one}/candidates", administration.candidates, methods=["PUT"]),
        Route(f"{one}/candidates", administration.kept_candidates, methods=["GET"]),
        Route(f"{one}/invitations", administration.invite, methods=["POST"]),
    ]
