"""The dashboard, the survey page and the planner: built files, sent as they are, under strict rules."""

import base64
import gzip
import hashlib
import mimetypes
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collector.http.problems import Problem
from sudare.collector.http.queries import Query
from sudare.collector.service import Service

STATIC = Path(__file__).parent.parent / "static"
POLICY = (
    "default-src 'self'; script-src 'self' {import_map}; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
NO_PAGES = "this installation was built without its web pages"
_DAY = 86_400
_TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}


class _File(NamedTuple):
    """A built file, the same compressed, and its policy: once, not for each who asks."""

    plain: bytes
    packed: bytes
    policy: str

    @classmethod
    def read(cls, path: Path) -> "_File":
        plain = path.read_bytes()
        policy = POLICY.format(import_map=import_map_source(plain))
        return cls(plain, gzip.compress(plain, mtime=0), policy)

    def response(
        self, request: Request, media_type: str, caching: str, status: int = 200
    ) -> Response:
        headers = {
            **HEADERS,
            "Content-Security-Policy": self.policy,
            "Cache-Control": caching,
            "Vary": "Accept-Encoding",
        }
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self.plain, status, headers, media_type)
        return Response(self.packed, status, {**headers, "Content-Encoding": "gzip"}, media_type)


def routes(service: Service, folder: Path = STATIC) -> list[BaseRoute]:
    """The pages of a folder that Vite has built; they are read once, and served from memory."""
    pages = {name: _read(folder / name) for name in ("index.html", "survey.html")}

    async def dashboard(request: Request) -> Response:
        Query(request)
        return _page(request, pages["index.html"])

    async def survey(request: Request) -> Response:
        # Whom a link leads astray is told so by the page, in words for people.
        key = request.path_params.get("key")
        known = key is None or key in service.held
        return _page(request, pages["survey.html"], 200 if known else 404)

    return [
        Route("/", dashboard, methods=["GET"]),
        Route("/s/", survey, methods=["GET"]),
        Route("/s/{key}", survey, methods=["GET"]),
        *plan_routes(folder),
    ]


def plan_routes(folder: Path = STATIC) -> list[BaseRoute]:
    """The planner's page and what pages load, which need no collector: only ``GET /plans``."""
    page, assets = _read(folder / "plan.html"), _assets(folder / "assets")

    async def plan(request: Request) -> Response:
        return _page(request, page)  # whose query is a plan, which the page reads by itself

    async def asset(request: Request) -> Response:
        found = assets.get(request.path_params["file"])
        if found is None:
            raise Problem(404, "not_found", "there is nothing at this address")
        # A new build has new names: what a name stands for never changes.
        media_type = _media_type(request.path_params["file"])
        return found.response(request, media_type, f"public, max-age={365 * _DAY}, immutable")

    return [
        Route("/plan", plan, methods=["GET"]),
        Route("/static/assets/{file}", asset, methods=["GET"]),
    ]


def import_map_source(html: bytes) -> str:
    """A policy's word for the one script that stands in a page: the digests of what comes later."""
    found = re.search(rb'<script type="importmap">(.*?)</script>', html, re.DOTALL)
    if found is None:
        return ""
    return f"'sha256-{base64.b64encode(hashlib.sha256(found[1]).digest()).decode()}'"


def _read(path: Path) -> _File | None:
    return _File.read(path) if path.is_file() else None


def _assets(folder: Path) -> Mapping[str, _File]:
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return {path.name: _File.read(path) for path in files if path.is_file()}


def _page(request: Request, page: _File | None, status: int = 200) -> Response:
    if page is None:
        raise Problem(404, "no_pages", NO_PAGES)
    return page.response(request, "text/html", "no-cache", status)


def _media_type(name: str) -> str:
    known = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0]
    return known or "application/octet-stream"
