"""Collections as they stand: what is asked, what it costs, how many have answered.

Of a collection that isn't public, strangers see nothing. Whoever knows its key, as a device or a
survey's link does, sees what is asked and whether reports are taken, and no count of any kind.
"""

import math

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collector.http.auth import READERS, Bearers
from sudare.collector.http.problems import as_problem
from sudare.collector.http.queries import Query
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection
from sudare.questions.interface import KindBody
from sudare.results.html.heading import likelihood_sentence

SHOWN_WINDOWS = 100
_KEPT = "The collector keeps every report, as it was randomised on its device."
_SUMMED = "The collector keeps the sum of the reports, and no report."
_INVITED = (
    "People are invited one by one: whoever handed out an invitation and also runs the collector "
    "could link a person to a report, and would still see only the randomised answer."
)


class WindowBody(msgspec.Struct):
    """A window: how many reports have counted, and of how many results are shown."""

    window: int
    reports: int
    released: int
    closed: bool


class PrivacyBody(msgspec.Struct):
    """The meaning of answering for a person, in words."""

    promise: str
    odds: str
    kept: str
    invitations: str | None
    minimum_reports: int


class StandingBody(KindBody, kw_only=True):
    """A collection as it stands: what it asks and costs, its state, its reports.

    What counts reports is null for those who may not see it.
    """

    key: str
    name: str
    question: str
    mechanism: str
    epsilon: float
    lifetime_epsilon: float | None
    state: str
    public: bool
    grace: int
    window: int
    rounds: int | None
    round: int | None
    reports: int | None
    windows: list[WindowBody] | None
    per_minute: list[int] | None
    privacy: PrivacyBody


class StandingsBody(msgspec.Struct):
    """Every collection that one may see, in the order in which they were added."""

    collections: list[StandingBody]


class Standings:
    """The standing of a collector's collections.

    Attributes:
        service: whose collections.
    """

    def __init__(self, service: Service) -> None:
        self.service = service

    def of(self, held: HeldCollection) -> StandingBody:
        """A collection as it stands; asks the store, so not on the event loop."""
        key = held.collection.key
        body, windows = self.uncounted(held), self.service.store.windows(key, last=SHOWN_WINDOWS)
        body.reports = windows.reports
        body.windows = [WindowBody(one.window, one.n, one.released, one.closed) for one in windows]
        body.per_minute = self.service.per_minute(key)
        return body

    def uncounted(self, held: HeldCollection) -> StandingBody:
        """A collection as it stands for those who know its key: without any count."""
        collection, mechanism = held.collection, held.collection.mechanism
        lifetime = collection.lifetime_epsilon
        return StandingBody(
            **msgspec.structs.asdict(collection.kind.body),
            key=collection.key,
            name=collection.name,
            question=collection.question,
            mechanism=mechanism.name,
            epsilon=collection.epsilon,
            lifetime_epsilon=lifetime if math.isfinite(lifetime) else None,
            state=held.state.value,
            public=held.public,
            grace=held.grace,
            window=self.service.window(held),
            rounds=collection.kind.rounds or None,
            round=self.service.round(held),
            reports=None,
            windows=None,
            per_minute=None,
            privacy=PrivacyBody(
                promise=likelihood_sentence(collection.kind),
                odds=mechanism.odds,
                kept=_KEPT if collection.keeps_reports else _SUMMED,
                invitations=_INVITED if collection.invited else None,
                minimum_reports=collection.minimum_reports,
            ),
        )

    async def response(self, held: HeldCollection, status: int = 200) -> Response:
        """The response that tells how a collection stands, with its counts."""
        with as_problem():
            body = await to_thread.run_sync(self.of, held)
        return json_response(body, status)


def json_response(body: object, status: int = 200) -> Response:
    """A response in JSON that nobody may cache: it may be otherwise in a second."""
    headers = {"Cache-Control": "no-store"}
    return Response(msgspec.json.encode(body), status, headers, "application/json")


def routes(standings: Standings, bearers: Bearers) -> list[BaseRoute]:
    """The routes by which people see which collections there are, and how they stand."""
    service = standings.service

    async def every(request: Request) -> Response:
        Query(request)

        def those_seen() -> StandingsBody:
            all_of_them = bearers.role_of(request.scope) in READERS
            seen = [held for held in service.held_collections if all_of_them or held.public]
            return StandingsBody([standings.of(held) for held in seen])

        with as_problem():
            return json_response(await to_thread.run_sync(those_seen))

    async def document(request: Request) -> Response:
        Query(request)
        held = service.held_collection(request.path_params["key"])
        headers = {"Cache-Control": "no-cache", "ETag": f'"{held.collection.key}"'}
        return Response(held.collection.to_json(), 200, headers, "application/json")

    async def one(request: Request) -> Response:
        Query(request)
        held = service.held_collection(request.path_params["key"])
        if await to_thread.run_sync(bearers.may_read, request.scope, held):
            return await standings.response(held)
        return json_response(standings.uncounted(held))

    return [
        Route("/collections", every, methods=["GET"]),
        Route("/collections/{key}", document, methods=["GET"]),
        Route("/collections/{key}/standing", one, methods=["GET"]),
    ]
