"""``GET /openapi.json``: the whole interface as an OpenAPI 3.1 document, built from what it is."""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collector.operations import BODIES, JSON, OPERATIONS, SCHEMAS, TRUTH
from sudare.collector.queries import Query


def document(*, truth: bool = False) -> dict[str, Any]:
    """The interface; with the truth where a demonstration shows it."""
    _, schemas = msgspec.json.schema_components(BODIES, ref_template=SCHEMAS)
    paths: dict[str, dict[str, Any]] = {}
    for operation in (*OPERATIONS, *([TRUTH] if truth else [])):
        paths.setdefault(operation.path, {})[operation.method] = operation.document()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sudare collector",
            "version": "1",
            "description": "Randomised reports in, estimates out.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "parameters": {
                "Version": {"name": "Sudare-Api", "in": "header", "schema": {"const": "1"}}
            },
        },
    }


def routes(*, truth: bool = False) -> list[BaseRoute]:
    """The document, encoded once."""
    body = msgspec.json.encode(document(truth=truth))

    async def described(request: Request) -> Response:
        Query(request)
        return Response(body, 200, {"Cache-Control": "no-cache"}, JSON)

    return [Route("/openapi.json", described, methods=["GET"])]
