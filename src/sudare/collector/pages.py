"""The dashboard and the survey page: built files, sent as they are, under strict rules."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collector.problems import Problem
from sudare.collector.queries import Query
from sudare.collector.service import Service

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_DAY = 86_400
_TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}


def routes(service: Service, folder: Path = STATIC) -> list[BaseRoute]:
    """The pages of a folder that Vite has built; they are read once, and served from memory."""
    pages = {name: _read(folder / name) for name in ("index.html", "survey.html")}
    assets = _assets(folder / "assets")

    async def dashboard(request: Request) -> Response:
        Query(request)
        return _page(pages["index.html"])

    async def survey(request: Request) -> Response:
        service.standing(request.path_params["key"])
        return _page(pages["survey.html"])

    async def asset(request: Request) -> Response:
        found = assets.get(request.path_params["file"])
        if found is None:
            raise Problem(404, "not_found", "there is nothing at this address")
        # A new build has new names: what a name stands for never changes.
        headers = {**HEADERS, "Cache-Control": f"public, max-age={365 * _DAY}, immutable"}
        return Response(found, 200, headers, _media_type(request.path_params["file"]))

    return [
        Route("/", dashboard, methods=["GET"]),
        Route("/s/{key}", survey, methods=["GET"]),
        Route("/static/assets/{file}", asset, methods=["GET"]),
    ]


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _assets(folder: Path) -> Mapping[str, bytes]:
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return {path.name: path.read_bytes() for path in files if path.is_file()}


def _page(page: bytes | None) -> Response:
    if page is None:
        raise Problem(404, "no_pages", "this installation was built without its web pages")
    return Response(page, 200, {**HEADERS, "Cache-Control": "no-cache"}, "text/html")


def _media_type(name: str) -> str:
    known = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0]
    return known or "application/octet-stream"
