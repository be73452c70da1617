"""Errors as clients see them: one shape for all that is wrong, or that must be waited for."""

import logging
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

from sudare.errors import (
    InvalidDocument,
    MechanismUnavailable,
    MixedCollections,
    ParameterError,
    StoreUnavailable,
    SudareError,
    TooFewReports,
)
from sudare.formats.collector_api import VERSION, Failure, FailureBody

API = (b"sudare-api", VERSION.encode())
MARKS = (API, (b"x-content-type-options", b"nosniff"))
"""The headers that every answer has."""
JSON = (b"content-type", b"application/json")
_STATUSES: dict[type[SudareError], tuple[int, str]] = {
    ParameterError: (400, "invalid_parameter"),
    InvalidDocument: (400, "invalid_document"),
    MechanismUnavailable: (400, "invalid_document"),
    MixedCollections: (409, "mixed_collections"),
    TooFewReports: (409, "too_few_reports"),
    StoreUnavailable: (503, "store_unavailable"),
}


class ErrorBody(Failure, forbid_unknown_fields=True):
    """An error: a code for programs, a sentence for people.

    Attributes:
        ways_out: of a plan that can't be had, wishes by name, each of which instead of what was
            wished makes one that can.
    """

    ways_out: list[dict[str, float]] | msgspec.UnsetType = msgspec.UNSET


class ProblemBody(FailureBody, forbid_unknown_fields=True):
    """The body of every error response."""

    error: ErrorBody


class Problem(Exception):  # noqa: N818 - what the client is told, not what broke here
    """An error response: a status, a code for programs, a sentence for people.

    A sentence never contains a person's answer or what a report holds.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        headers: Mapping[str, str] | None = None,
        ways_out: Sequence[Mapping[str, float]] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.ways_out = ways_out
        self.headers = dict(headers or {})

    @property
    def body(self) -> bytes:
        """The body of the error response, as JSON."""
        error = ErrorBody(self.code, str(self))
        if self.ways_out is not None:
            error.ways_out = [dict(way) for way in self.ways_out]
        return msgspec.json.encode(ProblemBody(error))

    def head(self, *, close: bool = False) -> list[tuple[bytes, bytes]]:
        """The headers of the error response; ``close`` if nothing follows on the connection."""
        own = [(name.lower().encode(), text.encode()) for name, text in self.headers.items()]
        length = (b"content-length", str(len(self.body)).encode())
        return [JSON, length, *MARKS, *own, *([(b"connection", b"close")] if close else [])]

    def response(self) -> Response:
        """The error response, as Starlette sends it."""
        return Response(self.body, self.status, self.headers, "application/json")


def unknown_collection(key: str) -> NoReturn:
    """Refuse (404) a key that no collection here has."""
    known = key[:12] if key.isascii() and key.isalnum() else "that key"
    raise Problem(404, "unknown_collection", f"no collection {known} is held here")


def busy(seconds: int, message: str) -> Problem:
    """The problem (429) that asks a client to come again in so many seconds."""
    return Problem(429, "busy", message, {"Retry-After": str(seconds)})


def unavailable() -> Problem:
    """The problem (503) of a store that takes nothing now, or doesn't answer."""
    return Problem(503, "store_unavailable", "the store takes nothing now", {"Retry-After": "5"})


@contextmanager
def as_problem() -> Iterator[None]:
    """Turn an error of Sudare's in the block into a ``Problem`` of the same sentence."""
    try:
        yield
    except SudareError as error:
        status, code = _STATUSES.get(type(error), (400, "refused"))
        headers = {"Retry-After": "5"} if status == 503 else {}
        raise Problem(status, code, str(error), headers) from error


def problem_of(error: Exception, log: logging.Logger) -> Problem:
    """What a client is told of an error of ours or Starlette's, or of a mistake, which is noted."""
    if isinstance(error, HTTPException):
        return _plain(error)
    return error if isinstance(error, Problem) else unforeseen(error, log)


def _plain(error: HTTPException) -> Problem:
    """A refusal of Starlette's in our shape."""
    status, headers = error.status_code, error.headers or {}
    if status == 404:
        return Problem(404, "not_found", "there is nothing at this address")
    if status == 405:
        allowed = headers.get("Allow", "none")
        return Problem(405, "method_not_allowed", f"this address takes {allowed}", headers)
    return Problem(status, "refused", "the request can't be answered", headers)


def unforeseen(error: BaseException, log: logging.Logger) -> Problem:
    """The problem (500) of a mistake of ours: its kind and place are logged, never what it says."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
    log.error("unforeseen %s at %s", type(error).__name__, place)
    return Problem(500, "internal", "something went wrong here; it was noted")
