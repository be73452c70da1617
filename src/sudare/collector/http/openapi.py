"""``GET /openapi.json``: the whole interface as an OpenAPI 3.1 document, built from what it is.

Shapes of JSON come first, then everything that can be asked with every answer, then the document.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collection.defaults import GRACE, MOST_GRACE
from sudare.collection.document import CollectionBody
from sudare.collection.windows import WindowsBody
from sudare.collector.http.administration import (
    MOST_INVITATIONS,
    CandidatesBody,
    InvitationsBody,
)
from sudare.collector.http.preparation.drafts import DraftBody, DraftWishes
from sudare.collector.http.preparation.plans import WISHES, PlanBody, PlannedBody
from sudare.collector.http.problems import ProblemBody
from sudare.collector.http.queries import MOST_WHOLE, Query
from sudare.collector.http.results import HISTORY, MEDIA
from sudare.collector.http.standing import StandingBody, StandingsBody
from sudare.collector.http.tokens import NewTokenBody, TokenBody, TokenWish
from sudare.collector.uploads.receipts import AdmissionBody, ReceiptBody
from sudare.formats.collector_api import VERSION
from sudare.formats.documents import Count, Key, Shape
from sudare.questions import KINDS
from sudare.questions.choice import CONSISTENT
from sudare.questions.interface import ResultDocument


class HealthBody(Shape):
    """The answer of a collector that could take reports now."""

    status: Literal["ok"]


class ReportBody(Shape):
    """A single report and its id."""

    id: Annotated[str, msgspec.Meta(pattern="^[0-9a-fA-F]{32}$")]
    report: Annotated[str, msgspec.Meta(pattern="^([0-9a-fA-F]{2})+$")]


class WindowsShape(WindowsBody):
    """The windows of time of a collection."""

    start: Count
    seconds: Annotated[int, msgspec.Meta(ge=1)]


class CollectionDocument(CollectionBody, kw_only=True):
    """A collection's public document."""

    minimum_reports: Annotated[int, msgspec.Meta(ge=1)]
    windows: WindowsShape | None = None


class SumBody(Shape):
    """The counts of some reports, and the key of their collection."""

    key: Key
    n: Count
    shape: list[Count]
    counts: list[Count]


class AggregateDocument(Shape):
    """A sum of reports, as ``sudare estimate`` reads it."""

    sudare: Literal["aggregate"]
    aggregate: SumBody
    digest: str


class TruthBody(Shape):
    """The true shares of a demonstration."""

    truth: Any


JSON = "application/json"
SCHEMAS = "#/components/schemas/{name}"


def _of_a_window(result: type[ResultDocument]) -> type[msgspec.Struct]:
    """A result's document as the collector sends it, which says of what window it is."""
    return msgspec.defstruct(
        result.__name__,
        [("window", int | Literal["all"])],
        bases=(result,),
        namespace={"__doc__": result.__doc__},
        forbid_unknown_fields=True,
        kw_only=True,
    )


RESULTS = [_of_a_window(kind.result_document) for kind in KINDS.values()]
BODIES = (  # all that operations refer to
    *(
        AdmissionBody,
        AggregateDocument,
        CandidatesBody,
        CollectionDocument,
        DraftBody,
        DraftWishes,
        HealthBody,
    ),
    *(InvitationsBody, NewTokenBody, PlanBody, PlannedBody, ProblemBody, ReceiptBody, ReportBody),
    *(StandingBody, StandingsBody, TokenBody, TokenWish, TruthBody, *RESULTS),
)
_MEANINGS = {
    "200": "What was asked for.",
    "201": "It is new, and held from now on.",
    "202": "Every report is durable.",
    "204": "It is gone.",
    "400": "The request can't be read as one of these.",
    "401": "A valid token is needed.",
    "403": "The token has another role.",
    "404": "There is no such thing here.",
    "408": "The body took too long.",
    "409": "Not as things stand now.",
    "413": "The body is too long.",
    "415": "Another content type is needed.",
    "429": "Too much at once; Retry-After says when to come again.",
    "503": "Not now, or the store doesn't answer in time; Retry-After says when to come again.",
}
_BINARY: dict[str, Any] = {}  # any bytes: OpenAPI 3.1 has no schema for them
_TEXT = {"type": "string"}


def _ref(body: type) -> dict[str, Any]:
    return {"$ref": SCHEMAS.format(name=body.__name__)}


@dataclass(frozen=True)
class Operation:
    """One method of one path of the interface.

    Attributes:
        method: of HTTP.
        path: with its parameters in braces.
        summary: what it is.
        answers: the media types and schemas of each good status.
        refusals: the statuses of errors, beside 400.
        query: the parameters, each with its schema.
        body: the media types and schemas of what is sent.
        headers: the parameters that are headers.
        security: ``none``, ``maybe`` or ``always``: whether a token is needed.
    """

    method: str
    path: str
    summary: str
    answers: Mapping[str, Mapping[str, Any]]
    refusals: Sequence[str] = ()
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    security: str = "none"

    def document(self) -> dict[str, Any]:
        """The operation as an operation object of OpenAPI."""
        names = [part[1:-1] for part in self.path.split("/") if part.startswith("{")]
        parameters = [_parameter("path", name, _PATH[name]) for name in names]
        parameters += [_parameter("query", *item) for item in self.query.items()]
        parameters += [_parameter("header", *item) for item in self.headers.items()]
        parameters.append({"$ref": "#/components/parameters/Version"})
        made: dict[str, Any] = {
            "summary": self.summary,
            "operationId": _identity(self.method, self.path),
            "parameters": parameters,
            "responses": self._responses(),
            "security": {"none": [], "maybe": [{}, _BEARER], "always": [_BEARER]}[self.security],
        }
        if self.body:
            content = {kind: {"schema": schema} for kind, schema in self.body.items()}
            made["requestBody"] = {"required": True, "content": content}
        return made

    def _responses(self) -> dict[str, Any]:
        more = {"none": (), "maybe": ("401", "403"), "always": ("401", "403")}
        refusals = sorted({"400", "429", *self.refusals, *more[self.security]})
        answers = {
            status: {
                "description": _MEANINGS[status],
                **({"content": _content(media)} if media else {}),
            }
            for status, media in self.answers.items()
        }
        problems = {
            status: {
                "description": _MEANINGS[status],
                "content": _content({JSON: _ref(ProblemBody)}),
                **({"headers": _AGAIN} if status in {"429", "503"} else {}),
            }
            for status in refusals
        }
        return {**answers, **problems}


_BEARER: dict[str, list[str]] = {"bearer": []}
_AGAIN = {"Retry-After": {"description": "In so many seconds.", "schema": {"type": "string"}}}
_PATH = {
    "key": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    "name": {"type": "string", "pattern": "^[a-z0-9]{1,32}$"},
    "file": {"type": "string", "pattern": "^[A-Za-z0-9_.-]+$"},
}
_WINDOW = {
    "oneOf": [{"type": "integer", "minimum": 0, "maximum": MOST_WHOLE}, {"enum": ["latest", "all"]}]
}
_LIST = {"type": "string", "pattern": "^[0-9]+(,[0-9]+)*$"}
_LEVEL = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "default": 0.95}
_FLAG = {"type": "boolean", "default": False}
_NO_SURVEY = {"404": {"text/html": _TEXT, JSON: _ref(ProblemBody)}}
_STANDING = {JSON: _ref(StandingBody)}
_ONE = "/collections/{key}"
_ESTIMATE = {"anyOf": [_ref(result) for result in RESULTS]}
_HISTORY = {
    "type": "object",
    "required": ["windows"],
    "properties": {"windows": {"type": "array", "items": _ESTIMATE}},
}


def _wishes() -> dict[str, Any]:
    """The parameters of a plan: the kind, and the wishes of any."""
    found: dict[str, Any] = {"kind": {"enum": list(WISHES)}}
    for wishes in WISHES.values():
        _, schemas = msgspec.json.schema_components([wishes])
        own = schemas[wishes.__name__]["properties"]
        found |= {
            name: _LIST if name == "sizes" else one for name, one in own.items() if name != "kind"
        }
    return found


def _content(media: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: {"schema": schema} if schema else {} for kind, schema in media.items()}


def _parameter(place: str, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    required = {"required": True} if place == "path" else {}
    return {"name": name, "in": place, "schema": dict(schema), **required}


def _identity(method: str, path: str) -> str:
    words = [part.strip("{}.") for part in path.replace(".", "/").split("/") if part]
    return "_".join([method, *words]) if words else f"{method}_dashboard"


def _state(verb: str, summary: str) -> Operation:
    refusals = ("404", "503") if verb == "close" else ("404", "409", "503")
    path = f"{_ONE}/{verb}"
    return Operation("post", path, summary, {"200": _STANDING}, refusals, security="always")


OPERATIONS = (
    Operation("get", "/", "The dashboard.", {"200": {"text/html": _TEXT}}, ("404",)),
    Operation("get", "/plan", "The planner's page.", {"200": {"text/html": _TEXT}}, ("404",)),
    Operation(
        *("get", "/s/", "The survey page, which says that the key is missing."),
        {"200": {"text/html": _TEXT}},
        ("404",),
    ),
    Operation(
        *("get", "/s/{key}", "The survey page; with 404 it says that there is no such survey."),
        {"200": {"text/html": _TEXT}, **_NO_SURVEY},
    ),
    Operation(
        "get", "/static/assets/{file}", "What the pages need.", {"200": {"*/*": _BINARY}}, ("404",)
    ),
    Operation("get", "/openapi.json", "This document.", {"200": {JSON: {"type": "object"}}}),
    Operation(
        "get", "/healthz", "Whether reports are taken.", {"200": {JSON: _ref(HealthBody)}}, ("503",)
    ),
    Operation(
        *("get", "/metrics", "For Prometheus.", {"200": {"text/plain": _TEXT}}, ("503",)),
        security="always",
    ),
    Operation(
        *("get", "/session", "Whose token it is."),
        {"200": {JSON: _ref(TokenBody)}},
        ("503",),
        security="always",
    ),
    Operation(
        *("get", "/tokens", "Every token, without its secret."),
        {"200": {JSON: {"type": "array", "items": _ref(TokenBody)}}},
        ("503",),
        security="always",
    ),
    Operation(
        *("post", "/tokens", "Make a token, shown this once."),
        {"201": {JSON: _ref(NewTokenBody)}},
        ("408", "413", "503"),
        body={JSON: _ref(TokenWish)},
        security="always",
    ),
    Operation(
        *("delete", "/tokens/{name}", "Revoke a token."),
        {"204": {}},
        ("404", "409", "503"),
        security="always",
    ),
    Operation(
        *("get", "/collections", "Every collection that one may see, as it stands."),
        {"200": {JSON: _ref(StandingsBody)}},
        ("503",),
        security="maybe",
    ),
    Operation(
        *("post", "/collections", "Hold a collection."),
        {"200": _STANDING, "201": _STANDING},
        ("408", "413", "503"),
        {"grace": {"type": "integer", "minimum": 0, "maximum": MOST_GRACE, "default": GRACE}},
        {JSON: _ref(CollectionDocument)},
        security="always",
    ),
    Operation(
        *("post", "/drafts", "The document that a collection of these wishes would have."),
        {"200": {JSON: _ref(DraftBody)}},
        ("408", "413", "503"),
        body={JSON: _ref(DraftWishes)},
        security="always",
    ),
    Operation(
        *("get", "/plans", "What it takes to ask something, or how good it will be."),
        {"200": {JSON: _ref(PlanBody)}},
        ("503",),
        _wishes(),
    ),
    Operation(
        *("post", "/plans", "The document of the collection that a plan recommends."),
        {"200": {JSON: _ref(DraftBody)}},
        ("408", "413", "503"),
        body={JSON: _ref(PlannedBody)},
        security="always",
    ),
    Operation(
        *("get", _ONE, "The public document."), {"200": {JSON: _ref(CollectionDocument)}}, ("404",)
    ),
    Operation(
        *("delete", _ONE, "Forget a collection, its reports and its sums."),
        {"204": {}},
        ("404", "503"),
        security="always",
    ),
    Operation(
        *("get", f"{_ONE}/standing", "One collection, as it stands."),
        {"200": _STANDING},
        ("404", "503"),
        security="maybe",
    ),
    Operation(
        *("get", f"{_ONE}/admission", "Whether a report could be taken now."),
        {"200": {JSON: _ref(AdmissionBody)}},
        ("404", "409", "503"),
        {"window": {"type": "integer", "minimum": 0, "maximum": MOST_WHOLE}},
        {},
        {"Sudare-Invitation": _TEXT},
    ),
    Operation(
        *("post", f"{_ONE}/reports", "Send reports."),
        {"202": {JSON: _ref(ReceiptBody)}},
        ("404", "408", "409", "413", "415", "503"),
        {"window": {"type": "integer", "minimum": 0, "maximum": MOST_WHOLE}},
        {
            JSON: _ref(ReportBody),
            "application/octet-stream": _BINARY,
            "application/vnd.apache.arrow.stream": _BINARY,
        },
        {"Sudare-Invitation": _TEXT},
        "maybe",
    ),
    Operation(
        *("get", f"{_ONE}/estimate", "The estimate, with its intervals."),
        {
            "200": {
                MEDIA["json"]: _ESTIMATE,
                MEDIA["csv"]: _TEXT,
                MEDIA["parquet"]: _BINARY,
            }
        },
        ("404", "409", "503"),
        {
            "window": _WINDOW,
            "level": _LEVEL,
            "simultaneous": _FLAG,
            "population": _FLAG,
            "consistent": {"enum": list(CONSISTENT)},
            "format": {"enum": list(MEDIA)},
        },
        security="maybe",
    ),
    Operation(
        *("get", f"{_ONE}/history", "The estimates of the last windows, one by one."),
        {"200": {JSON: _HISTORY}},
        ("404", "409", "503"),
        {
            "last": {"type": "integer", "minimum": 1, "maximum": HISTORY, "default": HISTORY},
            "level": _LEVEL,
        },
        security="maybe",
    ),
    Operation(
        *("get", f"{_ONE}/aggregate", "The released sum."),
        {"200": {JSON: _ref(AggregateDocument)}},
        ("404", "409", "503"),
        {"window": _WINDOW},
        security="maybe",
    ),
    Operation(
        *("get", f"{_ONE}/live", "Server-sent events: standing, estimate, waiting."),
        {"200": {"text/event-stream": _TEXT}},
        ("404", "503"),
        {"window": _WINDOW},
        {},
        {"Last-Event-ID": _TEXT},
        "maybe",
    ),
    _state("pause", "Take no reports for now."),
    _state("open", "Take reports again."),
    _state("close", "Take no reports any more."),
    Operation(
        *("put", f"{_ONE}/release", "Let anybody read the results."),
        {"200": _STANDING},
        ("404", "503"),
        security="always",
    ),
    Operation(
        *("delete", f"{_ONE}/release", "Let analysts alone read the results."),
        {"200": _STANDING},
        ("404", "503"),
        security="always",
    ),
    Operation(
        *("put", f"{_ONE}/candidates", "The texts to decode free text against, one per line."),
        {"200": {JSON: _ref(CandidatesBody)}},
        ("404", "408", "409", "413", "503"),
        body={"text/plain": _TEXT},
        security="always",
    ),
    Operation(
        *("get", f"{_ONE}/candidates", "The texts kept to decode free text against."),
        {"200": {"text/plain": _TEXT}},
        ("404", "503"),
        security="always",
    ),
    Operation(
        *("post", f"{_ONE}/invitations", "New invitations."),
        {"201": {JSON: _ref(InvitationsBody)}},
        ("404", "409", "503"),
        {"count": {"type": "integer", "minimum": 1, "maximum": MOST_INVITATIONS, "default": 1}},
        security="always",
    ),
)
TRUTH = Operation(
    *("get", f"{_ONE}/truth", "Of a demonstration: the truth."),
    {"200": {JSON: _ref(TruthBody)}},
    ("404", "503"),
    security="maybe",
)


def document(*, truth: bool = False) -> dict[str, Any]:
    """The OpenAPI document of the interface; with the truth where a demonstration shows it."""
    _, schemas = msgspec.json.schema_components(BODIES, ref_template=SCHEMAS)
    paths: dict[str, dict[str, Any]] = {}
    for operation in (*OPERATIONS, *([TRUTH] if truth else [])):
        paths.setdefault(operation.path, {})[operation.method] = operation.document()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sudare collector",
            "version": VERSION,
            "description": "Randomised reports in, estimates out.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "parameters": {
                "Version": {"name": "Sudare-Api", "in": "header", "schema": {"const": VERSION}}
            },
        },
    }


def routes(*, truth: bool = False) -> list[BaseRoute]:
    """The route of the OpenAPI document, which is encoded once."""
    body = msgspec.json.encode(document(truth=truth))

    async def described(request: Request) -> Response:
        Query(request)
        return Response(body, 200, {"Cache-Control": "no-cache"}, JSON)

    return [Route("/openapi.json", described, methods=["GET"])]
