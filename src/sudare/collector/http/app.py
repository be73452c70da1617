"""The service as one ASGI application: the hot route, and all others behind it."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Receive, Scope, Send

from sudare.collector.clock.closings import Closings, Ticker
from sudare.collector.http.health import Health
from sudare.collector.http.limits import Limits
from sudare.collector.http.origins import Origins, adding
from sudare.collector.http.problems import API, MARKS, Problem, problem_of
from sudare.collector.http.standing import json_response
from sudare.collector.service import Service
from sudare.collector.stores.contract import Role
from sudare.collector.uploads.receipts import AdmissionBody
from sudare.collector.uploads.upload import RoleOf, Uploads, check_version, send_problem

_log = logging.getLogger(__name__)


def nobody(scope: Scope) -> Role | None:
    """No role, whoever asks: for a collector that knows no tokens."""
    del scope
    return None


class App:
    """A collector as an ASGI application; ``running`` (or its lifespan) starts writer and clock."""

    def __init__(
        self,
        service: Service,
        routes: Sequence[BaseRoute],
        role_of: RoleOf,
        limits: Limits,
        origins: Origins,
    ) -> None:
        self._service = service
        self._origins = origins
        closings = Closings()
        self._uploads = Uploads(service, limits, role_of, closings)
        self.ticker = Ticker(service, closings, limits.window_reports)
        self._rest = Starlette(
            routes=[*_own_routes(service, self._uploads), *routes],
            exception_handlers=dict.fromkeys((Problem, HTTPException, Exception), self._refuse),
        )
        # Else an address with a stroke too many is answered by one made of the sender's Host.
        self._rest.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an HTTP request, or follow the server's life from its start to its end."""
        if scope["type"] != "http":
            await self._live(receive, send)
            return
        shared = self._origins.sharing(scope)
        if shared.headers:
            send = adding(send, shared.headers)
        if shared.preflight:
            await send({"type": "http.response.start", "status": 204, "headers": [*MARKS]})
            await send({"type": "http.response.body", "body": b""})
        elif scope["method"] == "POST" and (intake := self._uploads.intake(scope["path"])):
            try:
                await self._uploads.take(intake, scope, receive, send)
            except Exception as error:  # noqa: BLE001 - nothing of it may be logged as it is
                await send_problem(send, self._noted(error))
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *MARKS]
            await send(message)

        try:
            for name, value in scope["headers"]:
                if name == API[0]:
                    check_version(value)
        except Problem as problem:
            await send_problem(send, self._noted(problem))
            return
        # An error was noted and answered by the handler below before Starlette raises it again.
        with contextlib.suppress(Exception):
            await self._rest(scope, receive, marked)

    async def _refuse(self, request: Request, error: Exception) -> Response:
        del request
        return self._noted(error).response()

    def _noted(self, error: Exception) -> Problem:
        problem = problem_of(error, _log)
        self._service.metrics.refused(problem.code)
        return problem

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take reports until the end of the block; then commit and answer what waits."""
        self._uploads.writer.start()
        await self.ticker.tick()
        ticking = asyncio.create_task(self.ticker.run())
        try:
            yield
        finally:
            ticking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticking
            await self._uploads.writer.stop()

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self.running():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


def create_app(
    service: Service,
    routes: Sequence[BaseRoute] = (),
    *,
    role_of: RoleOf = nobody,
    limits: Limits | None = None,
    origins: Origins | None = None,
) -> App:
    """The collector's ASGI application: reports, its own state, and the routes given."""
    return App(service, routes, role_of, limits or Limits(), origins or Origins())


def _own_routes(service: Service, uploads: Uploads) -> list[Route]:
    asked = Health(service.store, waited=uploads.writer.oldest)

    async def health(request: Request) -> Response:
        del request
        await asked.check()
        return Response(b'{"status": "ok"}', media_type="application/json")

    async def strangers(request: Request) -> Response:
        service.not_held(request.path_params["key"])

    async def admission(request: Request) -> Response:
        key = request.path_params["key"]
        intake = uploads.intake(f"/collections/{key}/reports") or service.not_held(key)
        await uploads.admit(intake, request.scope)
        return json_response(AdmissionBody(True))

    return [
        Route("/healthz", health),
        Route("/collections/{key}/reports", strangers, methods=["POST"]),
        Route("/collections/{key}/admission", admission, methods=["GET"]),
    ]
