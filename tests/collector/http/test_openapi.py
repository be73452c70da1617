"""The OpenAPI document says what there is: every route, every answer, and nothing else."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from schemathesis.core.failures import FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR
from starlette.routing import Route

from schema_fuzz import FOUND, Target, sentence, serving
from sudare.collector.http.app import create_app
from sudare.collector.http.openapi import (
    OPERATIONS,
    TRUTH,
    CollectionDocument,
    document,
)
from sudare.collector.http.problems import ProblemBody
from sudare.collector.http.routes import every_route
from sudare.collector.http.standing import StandingBody
from sudare.collector.uploads.receipts import ReceiptBody
from support.analysts import TEA, Collector, code, static

EXAMPLES = 12  # of each operation, right and wrong
LABELS = [f"{one.method.upper()} {one.path}" for one in (*OPERATIONS, TRUTH)]
DOCS = Path(__file__).parents[3] / "docs"
HTTP = DOCS / "reference" / "http.md"


def _served(*, truth: bool) -> set[tuple[str, str]]:
    with Collector() as collector:
        truths = {TEA.key: dict} if truth else None
        routes = every_route(collector.service, collector.bearers, truths=truths)
        app = create_app(collector.service, routes)
        found = set()
        for route in app._rest.routes:
            assert isinstance(route, Route)
            methods = (route.methods or set()) - {"HEAD"}
            found |= {(method.lower(), route.path) for method in methods}
        return found


@pytest.mark.parametrize("truth", [False, True])
def test_every_route_is_in_the_document_and_vice_versa(truth: bool) -> None:
    paths = document(truth=truth)["paths"]
    described = {(method, path) for path, methods in paths.items() for method in methods}
    assert described == _served(truth=truth)


def test_the_document_is_served_and_whole(tmp_path: Path) -> None:
    with Collector(folder=static(tmp_path)) as collector:
        served = collector.get("/openapi.json")
        assert code(collector.get("/openapi.json?more=1"), 400) == "invalid_parameter"
    assert served.json() == msgspec.json.decode(msgspec.json.encode(document()))
    text = served.text
    referred = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert referred <= served.json()["components"]["schemas"].keys()
    identities = re.findall(r'"operationId":"(\w+)"', text)
    assert len(identities) == len(set(identities)) == len(OPERATIONS)


def test_whoever_sends_a_body_may_be_told_that_it_took_too_long() -> None:
    operations = [one for one in OPERATIONS if one.body]
    assert len(operations) == 6
    for one in operations:
        assert {"408", "413"} <= one.document()["responses"].keys()


def test_the_document_is_openapi() -> None:
    said = msgspec.json.decode(msgspec.json.encode(document(truth=True)))
    assert OPENAPI_31_VALIDATOR.is_valid(said)
    said["paths"]["/"]["get"]["responses"] = []
    assert not OPENAPI_31_VALIDATOR.is_valid(said)


def test_every_shape_that_is_referred_to_is_there_and_no_other() -> None:
    made = document(truth=True)
    named = set(re.findall(r'"#/components/schemas/(\w+)"', msgspec.json.encode(made).decode()))
    assert named == made["components"]["schemas"].keys()


def test_every_operation_is_on_the_page_for_people() -> None:
    text = HTTP.read_text("utf-8")
    for operation in OPERATIONS:
        last = operation.path.rsplit("/", 1)[-1] or "/"
        assert last.replace("{file}", "…") in text, operation.path
    for name in ("too_few_reports", "no_candidates"):
        assert f"`{name}`" in text


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with serving(tmp_path_factory.mktemp("collector")) as made:
        yield made


@pytest.mark.parametrize("label", LABELS)
def test_every_answer_is_as_described(target: Target, label: str) -> None:
    for mode in GenerationMode:
        target.try_out(label, mode, EXAMPLES, seed=1)
    statuses = {status for name, status in target.seen if name == label}
    assert statuses & {200, 201, 202, 204}, "nothing was ever answered"
    assert 400 in statuses, "nothing wrong was ever sent"


def test_the_documentation_tells_of_a_run_that_found_nothing() -> None:
    run = msgspec.json.decode(FOUND.read_bytes())
    assert run["findings"] == 0
    assert run["requests"] >= 2 * run["examples"] * run["operations"]
    assert sentence(run) in (DOCS / "explanation" / "durability.md").read_text("utf-8")


def _without_a_status(said: dict[str, Any]) -> None:
    del said["paths"]["/collections/{key}/standing"]["get"]["responses"]["200"]


def _without_a_field(said: dict[str, Any]) -> None:
    said["components"]["schemas"]["StandingBody"]["properties"]["reports"]["type"] = "string"


def _of_another_kind(said: dict[str, Any]) -> None:
    good = said["paths"]["/collections/{key}/standing"]["get"]["responses"]["200"]
    good["content"] = {"text/csv": {}}


@pytest.mark.parametrize("lie", [_without_a_status, _without_a_field, _of_another_kind])
def test_a_document_that_lies_is_found_out(
    target: Target, lie: Callable[[dict[str, Any]], None]
) -> None:
    said = document(truth=True)
    lie(said)
    target.believe(said)
    try:
        with pytest.raises(FailureGroup):
            target.try_out(
                "GET /collections/{key}/standing", GenerationMode.POSITIVE, EXAMPLES, seed=1
            )
    finally:
        target.believe(document(truth=True))


def test_shapes_refuse_what_they_should() -> None:
    for shape, wrong in [
        (ProblemBody, b'{"error": {"code": "x"}}'),
        (ReceiptBody, b'{"new": -1, "repeated": 0, "refused": 0}'),
        (CollectionDocument, b"{}"),
        (StandingBody, b'{"key": 1}'),
    ]:
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(wrong, type=shape)
