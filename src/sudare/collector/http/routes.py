"""Every route but the hot one, put together."""

from pathlib import Path

from starlette.routing import BaseRoute

from sudare.collector.http import (
    administration,
    health,
    live,
    openapi,
    pages,
    results,
    standing,
    tokens,
)
from sudare.collector.http.auth import Bearers
from sudare.collector.http.preparation import drafts, plans
from sudare.collector.service import Service


def every_route(
    service: Service,
    bearers: Bearers,
    *,
    truths: results.Truths | None = None,
    folder: Path = pages.STATIC,
    longest: float = live.LONGEST,
) -> list[BaseRoute]:
    """Every route of a collector but that of reports, for ``create_app``.

    Args:
        service: whose collections.
        bearers: who may do what.
        truths: of a demonstration, the true shares; else there is no such route.
        folder: of the built pages.
        longest: how many seconds one answer of ``live`` may last.
    """
    standings = standing.Standings(service)
    shown = results.Results(service, bearers)
    listened = live.Live(service, standings, shown)
    listened.longest = longest
    changes = administration.Administration(standings, shown, bearers)
    return [
        *standing.routes(standings, bearers),
        *results.routes(shown, truths),
        *live.routes(listened),
        *administration.routes(changes),
        *drafts.routes(service, bearers),
        *plans.routes(service, bearers),
        *tokens.routes(tokens.Tokens(service, bearers)),
        *health.routes(service, bearers),
        *openapi.routes(truth=truths is not None),
        *pages.routes(service, folder),
    ]
