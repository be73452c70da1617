"""Pages of other hosts: four routes may be read by those that were allowed, and no other ever."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sudare.collector.http.app import create_app
from sudare.collector.http.limits import Limits
from sudare.collector.http.openapi import OPERATIONS, TRUTH
from sudare.collector.http.origins import Origins, check_origin
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection, Role
from sudare.errors import ParameterError
from support.analysts import TEA, Collector, static
from support.commands import refused
from support.memory_store import MemoryStore
from support.served import served

PAGE, LOCAL = "https://survey.example.org", "http://127.0.0.1:8001"
ONE = f"/collections/{TEA.key}"
SHARED = {
    *(("GET", f"{ONE}{route}") for route in ("", "/standing", "/admission")),
    ("POST", f"{ONE}/reports"),
}
ROUTES = sorted(
    (one.method.upper(), one.path.format(key=TEA.key, file="index-1a2b.js", name="nobody"))
    for one in (*OPERATIONS, TRUTH)
)
PATHS = sorted({path for _, path in ROUTES})
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
ORIGINS = {
    "allowed": PAGE,
    "allowed, too": LOCAL,
    "another": "https://other.example.org",
    "one with more behind it": f"{PAGE}.other.example.org",
    "one with another port": f"{PAGE}:8443",
    "the same by plain HTTP": "http://survey.example.org",
    "null": "null",
    "several": f"{PAGE} {LOCAL}",
    "empty": "",
    "absent": None,
}
SAID = "access-control-"


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collector]:
    folder = static(tmp_path_factory.mktemp("static"))
    with Collector(origins=[PAGE, LOCAL], folder=folder, truths={TEA.key: dict}) as made:
        made.hold(TEA, public=True)
        made.answer(TEA, {"green": 150})
        yield made


def asked(
    collector: Collector,
    method: str,
    path: str,
    origin: str | None,
    *,
    role: Role | None = None,
    wanted: str | None = None,
) -> httpx.Headers:
    """The headers of an answer. Nothing is changed by it: the requests have no right body."""
    said = {"Origin": origin, "Access-Control-Request-Method": wanted}
    headers = {name: value for name, value in said.items() if value is not None}
    return collector.ask(method, path, role, headers=headers).headers


def said(headers: httpx.Headers) -> set[str]:
    return {name for name in headers if name.startswith(SAID)}


def test_the_routes_that_are_tried_are_all_there_are() -> None:
    assert set(ROUTES) > SHARED
    assert len(ROUTES) > 20
    assert {("GET", "/session"), ("POST", "/tokens"), ("DELETE", "/tokens/nobody")} < set(ROUTES)


# Those that would change what the others are tried on come as somebody who may not.
@pytest.mark.parametrize("role", [None, Role.ANALYST], ids=["nobody", "analyst"])
@pytest.mark.parametrize("name", ORIGINS)
def test_an_answer_is_shared_on_a_devices_routes_with_allowed_origins_alone(
    collector: Collector, name: str, role: Role | None
) -> None:
    origin = ORIGINS[name]
    for method, path in ROUTES:
        if role is not None and method != "GET":
            continue
        if path.endswith("/live"):
            path = f"{path}?window=no"  # noqa: PLW2901 - the answer would not end
        headers = asked(collector, method, path, origin, role=role)
        if (method, path) in SHARED and name.startswith("allowed"):
            assert headers["access-control-allow-origin"] == origin
            assert headers["access-control-expose-headers"] == "Retry-After, Sudare-Api"
            assert len(said(headers)) == 2
        else:
            assert said(headers) == set(), (method, path)
        shares = any(path == shared for _, shared in SHARED)
        assert ("Origin" in headers.get("vary", "")) == shares, (method, path)


@pytest.mark.parametrize("name", ORIGINS)
def test_a_browser_that_asks_first_is_told_of_a_devices_routes_alone(
    collector: Collector, name: str
) -> None:
    origin = ORIGINS[name]
    for path in PATHS:
        for wanted in METHODS:
            headers = asked(collector, "OPTIONS", path, origin, wanted=wanted)
            if (wanted, path) in SHARED and name.startswith("allowed"):
                assert headers["access-control-allow-origin"] == origin
                assert headers["access-control-allow-methods"] == wanted
                assert headers["access-control-allow-headers"] == "Content-Type, Sudare-Invitation"
                assert int(headers["access-control-max-age"]) > 0
                assert len(said(headers)) == 4  # no credentials, no private network
            else:
                assert said(headers) == set(), (wanted, path)
        assert said(asked(collector, "OPTIONS", path, origin)) == set()


def test_every_other_method_of_a_devices_route_stays_unread(collector: Collector) -> None:
    for path in sorted({path for _, path in SHARED}):
        for method in METHODS:
            if (method, path) not in SHARED:
                assert said(asked(collector, method, path, PAGE)) == set(), (method, path)


def test_refusals_are_shared_as_well_so_that_a_page_can_say_why(collector: Collector) -> None:
    unknown = collector.get("/collections/unknown", headers={"Origin": PAGE})
    version = collector.get(ONE, headers={"Origin": PAGE, "Sudare-Api": "2"})
    body = collector.ask("POST", f"{ONE}/reports", headers={"Origin": PAGE}, content=b"no report")
    assert [each.status_code for each in (unknown, version, body)] == [404, 400, 415]
    for refusal in (unknown, version, body):
        assert refusal.headers["access-control-allow-origin"] == PAGE


def test_nothing_is_shared_unless_an_origin_was_allowed(tmp_path: Path) -> None:
    with Collector(folder=static(tmp_path)) as closed:
        closed.hold(TEA)
        for method, path in SHARED:
            for origin in ORIGINS.values():
                headers = asked(closed, method, path, origin)
                first = asked(closed, "OPTIONS", path, origin, wanted=method)
                for each in (headers, first):
                    assert said(each) == set()
                    assert "vary" not in each


def test_a_report_of_an_allowed_page_counts_once_over_the_network() -> None:
    """By the real server: its connection takes what a browser asks first, too."""

    async def run() -> None:
        store = MemoryStore()
        store.add(HeldCollection(TEA))
        app = create_app(Service(store), origins=Origins([PAGE]))
        async with (
            served(Limits(), store=store, app=app) as listening,
            httpx.AsyncClient(base_url=listening.url, headers={"Origin": PAGE}) as browser,
        ):
            first = await browser.options(
                f"{ONE}/reports", headers={"Access-Control-Request-Method": "POST"}
            )
            assert (first.status_code, first.content) == (204, b"")
            assert first.headers["sudare-api"] == "1"
            record = TEA.randomize(["green"]).tobytes().hex()
            body = {"id": "00" * 16, "report": record}
            receipts = [await browser.post(f"{ONE}/reports", json=body) for _ in range(2)]
            assert [receipt.json()["new"] for receipt in receipts] == [1, 0]
            for answer in (first, *receipts):
                assert answer.headers["access-control-allow-origin"] == PAGE
        assert sum(window.n for window in store.windows(TEA.key)) == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    "origin",
    [PAGE, LOCAL, f"{PAGE}:8443", "http://localhost", "http://[::1]", "https://[2001:db8::1]"],
)
def test_an_origin_is_taken_as_browsers_send_it(origin: str) -> None:
    assert check_origin(origin) == origin


@pytest.mark.parametrize(
    "origin",
    [
        *("*", "null", "", "https://", "survey.example.org", "//survey.example.org", "ftp://a.b"),
        *(
            f"{PAGE}/",
            f"{PAGE}/page",
            f"{PAGE}?a",
            f"{PAGE}#a",
            f"{PAGE}:443",
            f"{PAGE}:",
            f"{PAGE} ",
        ),
        *("https://Survey.example.org", "HTTPS://survey.example.org", "https://ü.example"),
        *("https://me@survey.example.org", "https://*.example.org", f"{PAGE}:99999"),
        *("http://survey.example.org", "http://127.0.0.1.example.org", "https://a b"),
    ],
)
def test_any_other_origin_is_refused_with_a_sentence(origin: str) -> None:
    with pytest.raises(ParameterError, match=r"^an origin is https:// and a host"):
        Origins([PAGE, origin])


def test_a_collector_is_not_started_with_an_origin_that_is_none(tmp_path: Path) -> None:
    sentence = refused(tmp_path, "serve", "--allow-origin", PAGE, "--allow-origin", "*")
    assert "an origin is https:// and a host" in sentence
    assert "got *" in sentence
    assert list(tmp_path.iterdir()) == []  # no store was made
