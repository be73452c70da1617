"""What a client did wrong, or must wait for: one shape for every error of the service."""

import logging
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import msgspec
from starlette.responses import Response

from sudare.errors import (
    InvalidDocument,
    MixedCollections,
    ParameterError,
    StoreUnavailable,
    SudareError,
    TooFewReports,
)

_STATUSES: dict[type[SudareError], tuple[int, str]] = {
    ParameterError: (400, "invalid_parameter"),
    InvalidDocument: (400, "invalid_document"),
    MixedCollections: (409, "mixed_collections"),
    TooFewReports: (409, "too_few_reports"),
    StoreUnavailable: (503, "store_unavailable"),
}


class Problem(Exception):  # noqa: N818 - what the client is told, not what broke here
    """An error response: a status, a code for programs, a sentence for people.

    A sentence never contains a person's answer or what a report holds.
    """

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = dict(headers or {})

    @property
    def body(self) -> bytes:
        """As JSON."""
        return msgspec.json.encode({"error": {"code": self.code, "message": str(self)}})

    def response(self) -> Response:
        """As Starlette sends it."""
        return Response(self.body, self.status, self.headers, "application/json")


def unknown_collection(key: str) -> NoReturn:
    """Refuse the key of no collection."""
    known = key[:12] if key.isascii() and key.isalnum() else "that key"
    raise Problem(404, "unknown_collection", f"no collection {known} is held here")


def busy(seconds: int, message: str) -> Problem:
    """Ask to come again later."""
    return Problem(429, "busy", message, {"Retry-After": str(seconds)})


@contextmanager
def told() -> Iterator[None]:
    """Tell the client what Sudare found wrong, in the same sentence."""
    try:
        yield
    except SudareError as error:
        status, code = _STATUSES.get(type(error), (400, "refused"))
        headers = {"Retry-After": "5"} if status == 503 else {}
        raise Problem(status, code, str(error), headers) from error


def unforeseen(error: BaseException, log: logging.Logger) -> Problem:
    """A mistake of ours: its kind and place are logged, never what it says or what was sent."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
    log.error("unforeseen %s at %s", type(error).__name__, place)
    return Problem(500, "internal", "something went wrong here; it was noted")
