"""Administration over HTTP: collections come, pause, close and go; candidates and invitations."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest

from sudare import Seeded
from sudare.collection.defaults import GRACE
from sudare.collector.http import administration
from sudare.collector.http.pages import HEADERS
from sudare.collector.stores.contract import Group, ReportFate, Role
from sudare.collector.stores.open import open_store
from sudare.mechanisms.aggregate import Aggregate
from support.analysts import DAYS, NOON, ONLINE, TEA, WORDS, Collector, code, static


@pytest.fixture(params=["memory", "sqlite"])
def collector(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Collector]:
    sqlite = request.param == "sqlite"
    with Collector(open_store(str(tmp_path / "store.db")) if sqlite else None) as made:
        yield made


def _add(collector: Collector, content: bytes, query: str = "") -> httpx.Response:
    return collector.ask("POST", f"/collections{query}", Role.ADMIN, content=content)


def _post(collector: Collector, verb: str) -> httpx.Response:
    return collector.ask("POST", f"/collections/{TEA.key}/{verb}", Role.ADMIN)


def test_a_collection_is_held_once(collector: Collector) -> None:
    new = _add(collector, TEA.to_json(), "?grace=30")
    assert new.status_code == 201
    assert new.headers["location"] == f"/collections/{TEA.key}"
    assert (new.json()["key"], new.json()["grace"]) == (TEA.key, 30)
    again = _add(collector, TEA.to_json())
    assert (again.status_code, again.json()["grace"]) == (200, 30)
    assert _add(collector, DAYS.to_json()).json()["grace"] == GRACE
    assert [held.collection for held in collector.store.held_collections()] == [TEA, DAYS]


def test_what_is_no_collection_is_refused_and_nothing_is_held(collector: Collector) -> None:
    cheaper = TEA.to_json().replace(b'"epsilon": 0.9', b'"epsilon": 0.1')
    assert cheaper != TEA.to_json()
    for content in (b"", b"{}", b"[1]", b"\xff", TEA.to_json()[:-5], cheaper, b"[" * 10**5):
        assert code(_add(collector, content), 400) == "invalid_document"
    for query in ("?grace=-1", "?grace=86401", "?grace=x", "?grace=1&grace=2", "?more=1"):
        assert code(_add(collector, TEA.to_json(), query), 400) == "invalid_parameter"
    assert code(_add(collector, b" " * ((4 << 20) + 1)), 413) == "body_too_long"
    assert collector.store.held_collections() == []


def test_a_closed_collection_stays_closed(collector: Collector) -> None:
    collector.hold(TEA)
    for verb, state in [
        ("pause", "paused"),
        ("pause", "paused"),
        ("open", "open"),
        ("close", "closed"),
        ("close", "closed"),
    ]:
        assert _post(collector, verb).json()["state"] == state
    for verb in ("pause", "open"):
        assert code(_post(collector, verb), 409) == "closed"
    assert collector.get(f"/collections/{TEA.key}/standing").json()["state"] == "closed"


def test_rounds_are_shown_when_their_collection_is_closed_before_them(
    collector: Collector,
) -> None:
    collector.hold(ONLINE, public=True)
    reports = np.zeros(60, ONLINE.report_dtype)
    reports["round"] = np.repeat([1, 2], 30)
    collector.count(ONLINE, reports)
    path = f"/collections/{ONLINE.key}"
    assert code(collector.get(f"{path}/estimate"), 409) == "too_few_reports"
    closed = collector.ask("POST", f"{path}/close", Role.ADMIN).json()
    assert [(one["window"], one["closed"]) for one in closed["windows"]] == [(0, True)]
    shown = Aggregate.from_json(collector.get(f"{path}/aggregate").content)
    assert shown.n == 60


def test_rounds_that_nobody_would_ever_close_are_not_held(collector: Collector) -> None:
    refused = _add(collector, replace(ONLINE, windows=None).to_json())
    assert code(refused, 400) == "invalid_parameter"
    assert "has no windows" in refused.json()["error"]["message"]
    assert collector.store.held_collections() == []


def test_a_collection_that_is_removed_is_gone(collector: Collector) -> None:
    collector.hold(TEA, public=True)
    collector.answer(TEA, {"green": 150})
    path = f"/collections/{TEA.key}"
    assert collector.get(f"{path}/estimate").json()["n"] == 150
    gone = collector.ask("DELETE", path, Role.ADMIN)
    assert (gone.status_code, gone.content) == (204, b"")
    for method, rest in [("DELETE", ""), ("GET", "/estimate"), ("GET", ""), ("POST", "/close")]:
        assert code(collector.ask(method, path + rest, Role.ADMIN), 404) == "unknown_collection"


def _keep(collector: Collector, content: bytes) -> httpx.Response:
    path = f"/collections/{WORDS.key}/candidates"
    return collector.ask("PUT", path, Role.ANALYST, content=content)


def test_candidates_are_lines_each_another(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector.hold(WORDS)
    assert _keep(collector, "\ufeff緑茶\r\nchai".encode()).json() == {"candidates": 2}
    assert collector.store.candidates(WORDS.key) == ["緑茶", "chai"]
    kept = collector.get(f"/collections/{WORDS.key}/candidates", Role.ANALYST)
    assert kept.content == "緑茶\nchai\n".encode()
    assert kept.headers["content-type"] == "text/plain; charset=utf-8"
    monkeypatch.setattr(administration, "MOST_TEXTS", 3)
    for content, sentence in [
        (b"", "there are 0 candidates"),
        (b"a\n\nb", "line 2 of the candidates is empty"),
        (b"a\n\xff", "line 2 of the candidates is not UTF-8 text"),
        (b"a\nb\na\n", "candidates number 1 and 3 are the same text"),
        ("é\ne\u0301".encode(), "candidates number 1 and 2 are the same text"),
        (b"a\nb\nc\nd", "there are more than 3 candidates"),
    ]:
        refused = _keep(collector, content)
        assert code(refused, 400) == "invalid_document"
        assert sentence in refused.json()["error"]["message"]
    monkeypatch.setattr(administration, "_TEXTS_BYTES", 10)
    assert code(_keep(collector, b"a" * 11), 413) == "body_too_long"
    assert collector.store.candidates(WORDS.key) == ["緑茶", "chai"]
    collector.hold(TEA)
    listed = collector.ask("PUT", f"/collections/{TEA.key}/candidates", Role.ANALYST, content=b"a")
    assert code(listed, 409) == "listed_answers"


def test_an_invitation_is_good_for_one_report_in_each_window(collector: Collector) -> None:
    collector.hold(DAYS)
    path = f"/collections/{DAYS.key}/invitations"
    made = collector.ask("POST", f"{path}?count=3", Role.ADMIN)
    assert made.status_code == 201
    invitations = made.json()["invitations"]
    assert len(set(invitations)) == 3
    assert all(len(bytes.fromhex(one)) == 16 for one in invitations)
    report = DAYS.randomize(["yes"], Seeded(1))
    row = np.frombuffer(hashlib.sha256(invitations[0].encode()).digest(), np.uint8).reshape(1, 32)
    fates = [
        int(
            collector.store.commit(
                [Group(DAYS, window, np.array([[name, 0]], np.uint64), report, row)]
            )[0][0]
        )
        for window, name in [(0, 1), (0, 2), (1, 3)]
    ]
    assert fates == [ReportFate.NEW, ReportFate.UNINVITED, ReportFate.NEW]
    for count in ("0", "100001", "-1", "1.0", "many"):
        assert code(collector.ask("POST", f"{path}?count={count}", Role.ADMIN), 400)
    collector.hold(TEA)
    everybody = collector.ask("POST", f"/collections/{TEA.key}/invitations", Role.ADMIN)
    assert code(everybody, 409) == "open_to_all"


def test_an_invitation_is_what_a_sender_shows(collector: Collector) -> None:
    collector.hold(DAYS)
    made = collector.ask("POST", f"/collections/{DAYS.key}/invitations", Role.ADMIN)
    body = {"id": "0" * 32, "report": DAYS.randomize(["no"], Seeded(1)).tobytes().hex()}
    path = f"/collections/{DAYS.key}/reports?window=0"
    collector.clock.now = NOON + 1

    async def sent(*invitations: str) -> list[int]:
        transport = httpx.ASGITransport(collector.app)
        async with (
            collector.app.running(),
            httpx.AsyncClient(transport=transport, base_url="http://collector") as sender,
        ):
            headers = [{"Sudare-Invitation": invitation} for invitation in invitations]
            return [
                (await sender.post(path, json=body, headers=each)).status_code for each in headers
            ]

    assert collector.runner.run(sent("0" * 32, made.json()["invitations"][0])) == [409, 202]


def test_an_unknown_way_of_asking_is_refused_in_the_one_shape(collector: Collector) -> None:
    collector.hold(TEA)
    assert code(collector.ask("PATCH", f"/collections/{TEA.key}"), 405) == "method_not_allowed"
    for path in ("/nothing", "/collections/", f"/collections/{TEA.key}/standing/"):
        assert code(collector.get(path), 404) == "not_found"
    other = collector.get("/collections", headers={"Sudare-Api": "2"})
    assert code(other, 400) == "unknown_version"


def test_a_store_that_is_away_is_said_to_be(collector: Collector) -> None:
    from sudare.errors import StoreUnavailable

    collector.hold(TEA, public=True)

    def away(*_: object, **__: object) -> None:
        raise StoreUnavailable("the database is locked")

    for name in ("add", "windows", "release", "change"):
        setattr(collector.store, name, away)
    asked = [
        _add(collector, replace(TEA, name="other").to_json()),
        _post(collector, "pause"),
        collector.get("/collections"),
        collector.get(f"/collections/{TEA.key}/estimate"),
    ]
    for response in asked:
        assert code(response, 503) == "store_unavailable"
        assert int(response.headers["retry-after"]) > 0


def test_pages_are_sent_under_strict_rules(tmp_path: Path) -> None:
    with Collector(folder=static(tmp_path)) as collector:
        collector.hold(TEA)
        for path, words in [("/", "Dashboard"), (f"/s/{TEA.key}", "Survey")]:
            page = collector.get(path)
            assert words in page.text
            assert page.headers["content-type"].startswith("text/html")
            assert page.headers["cache-control"] == "no-cache"
            assert {name: page.headers[name] for name in HEADERS} == HEADERS
        policy = page.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        script = collector.get("/static/assets/index-1a2b.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert "immutable" in script.headers["cache-control"]
        for answer in (script, page, collector.get("/collections"), collector.get("/nothing")):
            assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
        assert script.headers["content-encoding"] == "gzip"  # and httpx has unpacked it
        plain = collector.get("/static/assets/index-1a2b.js", headers={"Accept-Encoding": ""})
        assert "content-encoding" not in plain.headers
        assert plain.text == script.text == "export {};"
        for path in ("/static/assets/../index.html", "/static/assets/none.js", "/s/unknown"):
            assert collector.get(path).status_code == 404


def test_an_installation_without_pages_says_so(tmp_path: Path) -> None:
    with Collector(folder=tmp_path) as collector:
        assert code(collector.get("/"), 404) == "no_pages"
