"""The planner's page by itself: no collector and no store, for whoever sits at this machine."""

import logging
from collections.abc import Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sudare.collector.http.limits import Limits
from sudare.collector.http.pages import NO_PAGES, STATIC, plan_routes
from sudare.collector.http.preparation.plans import planning_route
from sudare.collector.http.problems import Problem, problem_of
from sudare.collector.serving.server import Listening, Server
from sudare.errors import ParameterError

_log = logging.getLogger(__name__)


def planner_app(folder: Path = STATIC) -> Starlette:
    """The planner's page, and the plans that it asks for; nobody's share of them is less."""

    async def refused(request: Request, error: Exception) -> Response:
        del request
        return problem_of(error, _log).response()

    app = Starlette(
        routes=[planning_route(lambda _: None), *plan_routes(folder)],
        exception_handlers=dict.fromkeys((Problem, HTTPException, Exception), refused),
    )
    app.router.redirect_slashes = False
    return app


def serve_planner(listening: Listening, ready: Callable[[str], None]) -> None:
    """Serve the planner's page until a signal asks to stop; ``ready`` hears its address."""
    if not (STATIC / "plan.html").is_file():
        raise ParameterError(f"there is no planner to show: {NO_PAGES}")
    address = f"{listening.url}/plan"
    Server(planner_app(), listening, Limits(), lambda: ready(address), lambda: None).run()
