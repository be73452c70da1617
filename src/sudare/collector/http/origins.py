"""Pages of other hosts: which of them may ask what a device asks, and read the answer (CORS).

A browser lets a page read another host's answer only if that host says so. Four routes do, to the
origins that the collector was started with: a collection's document, its standing, whether it takes
a report, and reports. No other route ever does, and none takes credentials of a browser's.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from starlette.types import Message, Scope, Send

from sudare.device.collector_client import checked_address
from sudare.errors import ParameterError

Headers = list[tuple[bytes, bytes]]

_DEVICES = re.compile(r"/collections/[^/]+(/standing|/admission|/reports)?")
_VARY = (b"vary", b"Origin")
_EXPOSED = (b"access-control-expose-headers", b"Retry-After, Sudare-Api")
_PREFLIGHT = [
    (b"access-control-allow-headers", b"Content-Type, Sudare-Invitation"),
    (b"access-control-max-age", b"7200"),  # seconds: Chromium keeps it no longer
]


def check_origin(origin: str) -> str:
    """An origin as it is, if browsers send it so; plain HTTP is this machine's only."""
    try:
        url = checked_address(origin, insecure=False)
        sent = f"{url.scheme}://{url.netloc.decode('ascii')}"
    except ParameterError:
        sent = None
    if origin != sent:
        raise ParameterError(
            f"an origin is https:// and a host in small letters, with its port unless that is 443, "
            f"and nothing after it (http:// on this machine only), got {origin}"
        )
    return origin


class Sharing(NamedTuple):
    """Who may read the answer to a request, as its headers say it.

    Attributes:
        headers: added to the answer, whatever it is; empty if there is nothing to say.
        preflight: whether a browser asks first, for an allowed page: then these are all the answer.
    """

    headers: Headers
    preflight: bool = False


class Origins:
    """The origins whose pages may ask what a device asks; none, unless some are named."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._allowed = frozenset(check_origin(origin).encode("ascii") for origin in allowed)

    def sharing(self, scope: Scope) -> Sharing:
        """Who may read the answer to an HTTP request."""
        method = _devices_method(scope["path"]) if self._allowed else None
        if method is None:
            return _NOBODY
        asked = dict(scope["headers"])
        origin = asked.get(b"origin", b"")
        first = scope["method"] == "OPTIONS"
        wanted = asked.get(b"access-control-request-method") if first else scope["method"].encode()
        if origin not in self._allowed or wanted != method:
            return Sharing([_VARY])  # to another origin it may be said
        shared = [_VARY, (b"access-control-allow-origin", origin)]
        if not first:
            return Sharing([*shared, _EXPOSED])
        return Sharing([*shared, (b"access-control-allow-methods", method), *_PREFLIGHT], True)


_NOBODY = Sharing([])


def _devices_method(path: str) -> bytes | None:
    """The one method by which devices ask at a path; None if they don't."""
    found = _DEVICES.fullmatch(path)
    if found is None:
        return None
    return b"POST" if found[1] == "/reports" else b"GET"


def adding(send: Send, headers: Headers) -> Send:
    """A ``send`` whose answer has these headers, too."""

    async def added(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *headers]}
        await send(message)

    return added
