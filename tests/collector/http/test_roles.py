"""Every route, and who may ask it: a table of who gets what, of what is public and what is not."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import httpx
import msgspec
import pytest

from sudare.collector.http.auth import FAILURES
from sudare.collector.http.openapi import OPERATIONS, TRUTH
from sudare.collector.stores.contract import Role
from support.analysts import NOON, TEA, WORDS, Collector, code, static

Who = Literal["nobody", "relay", "analyst", "admin", "wrong", "expired"]
WHO: tuple[Who, ...] = ("nobody", "relay", "analyst", "admin", "wrong", "expired")
ONE = "/collections/{key}"
FREE = dict.fromkeys(WHO, "")
"""Whatever token is sent: nobody looks at it."""


def needs(*roles: Who) -> dict[Who, str]:
    """The codes of refusal of those who may not."""
    refusals = {"nobody": "no_token", "wrong": "wrong_token", "expired": "expired_token"}
    return {who: "" if who in roles else refusals.get(who, "wrong_role") for who in WHO}


ADMIN, ANALYST = needs("admin"), needs("analyst", "admin")
KNOWN = {**FREE, "wrong": "wrong_token", "expired": "expired_token"}
"""Nobody is turned away but those whose token is wrong."""
PRIVATE: Mapping[tuple[str, str], Mapping[Who, str]] = {
    ("GET", "/"): FREE,
    ("GET", "/plan"): FREE,
    ("GET", "/s/"): FREE,
    ("GET", "/s/{key}"): FREE,
    ("GET", "/static/assets/{file}"): FREE,
    ("GET", "/openapi.json"): FREE,
    ("GET", "/healthz"): FREE,
    ("GET", "/metrics"): ANALYST,
    ("GET", "/session"): needs("relay", "analyst", "admin"),
    ("GET", "/tokens"): ADMIN,
    ("POST", "/tokens"): ADMIN,
    ("DELETE", "/tokens/{name}"): ADMIN,
    ("GET", "/collections"): KNOWN,
    ("POST", "/collections"): ADMIN,
    ("GET", ONE): FREE,
    ("DELETE", ONE): ADMIN,
    ("POST", "/drafts"): ADMIN,
    ("GET", "/plans"): FREE,
    ("POST", "/plans"): ADMIN,
    ("GET", f"{ONE}/standing"): KNOWN,
    ("GET", f"{ONE}/admission"): FREE,
    ("GET", f"{ONE}/history"): ANALYST,
    ("POST", f"{ONE}/reports"): KNOWN,
    ("GET", f"{ONE}/estimate"): ANALYST,
    ("GET", f"{ONE}/aggregate"): ANALYST,
    ("GET", f"{ONE}/live"): ANALYST,
    ("POST", f"{ONE}/pause"): ADMIN,
    ("POST", f"{ONE}/open"): ADMIN,
    ("POST", f"{ONE}/close"): ADMIN,
    ("PUT", f"{ONE}/release"): ANALYST,
    ("DELETE", f"{ONE}/release"): ANALYST,
    ("GET", f"{ONE}/candidates"): ANALYST,
    ("PUT", f"{ONE}/candidates"): ANALYST,
    ("POST", f"{ONE}/invitations"): ADMIN,
    ("GET", f"{ONE}/truth"): ANALYST,
}
PUBLIC = {
    **PRIVATE,
    **{("GET", f"{ONE}/{what}"): FREE for what in ("standing", "estimate", "aggregate", "history")},
    **{("GET", f"{ONE}/{what}"): FREE for what in ("live", "truth")},
}
"""The same of a collection that is public."""


@pytest.fixture
def collector(tmp_path: Any) -> Iterator[Collector]:
    options: dict[str, Any] = {"truths": {TEA.key: dict}, "folder": static(tmp_path)}
    with Collector(longest=0.0, **options) as made:
        yield made


def headers(collector: Collector, who: Who) -> dict[str, str]:
    if who == "nobody":
        return {}
    if who == "wrong":
        return {"Authorization": "Bearer sdr_guess_0000000000000000"}
    token = collector.token(Role.ADMIN, int(NOON) - 1) if who == "expired" else None
    return {"Authorization": f"Bearer {token or collector.tokens[Role(who)]}"}


def body(method: str, path: str) -> dict[str, Any]:
    """What a request must say to be about something."""
    if path == "/tokens" and method == "POST":
        return {"json": {"role": "relay"}}
    words = {"name": "tea", "question": "Which tea?", "answers": ["a", "b"]}
    if path == "/drafts":
        return {"json": {**words, "epsilon": 1.0}}
    plan = {"kind": "choice", "answers": 2, "epsilon": 1, "people": 1000}
    if path == "/plans":
        return {"json": {**words, "plan": plan}} if method == "POST" else {"params": plan}
    if path == "/collections" and method == "POST":
        return {"content": WORDS.to_json()}
    if path.endswith("/reports"):
        record = TEA.randomize(["green"]).tobytes().hex()
        return {"json": {"id": "00" * 16, "report": record}}
    return {}


def asked(collector: Collector, method: str, path: str, who: Who, number: int = 1) -> Any:
    name = collector.token(Role.RELAY).split("_")[1]
    at = path.format(key=TEA.key, file="index-1a2b.js", name=name)
    more = body(method, path)
    send = {**headers(collector, who), **more.pop("headers", {})}
    return collector.ask(method, at, headers=send, address=f"192.0.2.{number}", **more)


def test_every_route_is_in_the_table() -> None:
    described = {(one.method.upper(), one.path) for one in (*OPERATIONS, TRUTH)}
    assert described == PRIVATE.keys() == PUBLIC.keys()


@pytest.mark.parametrize("public", [False, True], ids=["private", "public"])
@pytest.mark.parametrize("who", WHO)
def test_a_route_is_answered_to_those_who_may_ask_it(
    collector: Collector, who: Who, public: bool
) -> None:
    for number, ((method, path), refusals) in enumerate((PUBLIC if public else PRIVATE).items()):
        collector.store.remove(TEA.key)
        collector.hold(TEA, public=public)
        collector.answer(TEA, {"green": 150})
        if path.endswith("/reports"):
            # A token is looked at where a body has more than anybody may send.
            continue
        response = asked(collector, method, path, who, number)
        if refusals[who]:
            assert response.status_code in {401, 403}, (method, path)
            assert code(response, response.status_code) == refusals[who], (method, path)
            held = collector.store.held_collections()
            assert [(one.collection, one.state, one.public) for one in held] == [
                (TEA, "open", public)
            ]
        else:
            assert response.status_code not in {401, 403}, (method, path)
            assert response.status_code < 500


@pytest.mark.parametrize("who", WHO)
def test_many_reports_are_for_relays_and_few_for_everybody(collector: Collector, who: Who) -> None:
    collector.hold(TEA)
    reports = [
        number.to_bytes(16, "big") + TEA.randomize(["green"]).tobytes() for number in range(101)
    ]
    bodies = [b"".join(reports[:100]), b"".join(reports)]
    kind = {"Content-Type": "application/octet-stream"}
    path = f"/collections/{TEA.key}/reports"

    async def sent() -> list[int]:
        transport = httpx.ASGITransport(collector.app)
        async with (
            collector.app.running(),
            httpx.AsyncClient(transport=transport, base_url="http://collector") as sender,
        ):
            told = {**kind, **headers(collector, who)}
            answers = [await sender.post(path, content=one, headers=told) for one in bodies]
            return [one.status_code for one in answers]

    many = {"relay": 202, "admin": 202, "analyst": 403}.get(who, 401)
    few = 401 if who in {"wrong", "expired"} else 202
    assert collector.runner.run(sent()) == [few, many]


# What is not public is not there for strangers.


def test_a_list_has_what_one_may_see(collector: Collector) -> None:
    collector.hold(TEA)
    collector.hold(WORDS, public=True)
    for who in ("nobody", "relay", "analyst", "admin"):
        listed = collector.get("/collections", headers=headers(collector, who))
        names = [one["name"] for one in listed.json()["collections"]]
        assert names == (["tea", "words"] if who in {"analyst", "admin"} else ["words"])
    collector.ask("PUT", f"/collections/{TEA.key}/release", Role.ANALYST)
    assert len(collector.get("/collections").json()["collections"]) == 2
    collector.ask("DELETE", f"/collections/{TEA.key}/release", Role.ANALYST)
    assert len(collector.get("/collections").json()["collections"]) == 1


COUNTS = ("reports", "windows", "per_minute")


@pytest.mark.parametrize("who", ["nobody", "relay"])
def test_who_knows_the_key_sees_whether_reports_are_taken_and_no_count(
    collector: Collector, who: Who
) -> None:
    collector.hold(TEA)
    collector.answer(TEA, {"green": 150})
    path = f"/collections/{TEA.key}/standing"
    whole = collector.get(path, Role.ANALYST).json()
    assert (whole["reports"], len(whole["windows"]), len(whole["per_minute"])) == (150, 1, 60)
    for state, verb in (("open", "open"), ("paused", "pause"), ("closed", "close")):
        collector.ask("POST", f"/collections/{TEA.key}/{verb}", Role.ADMIN)
        seen = collector.get(path, headers=headers(collector, who)).json()
        assert seen == {**whole, "state": state, **dict.fromkeys(COUNTS)}
    assert collector.get(f"/collections/{TEA.key}").content == TEA.to_json()


def test_no_answer_to_a_stranger_says_how_many_there_are(collector: Collector) -> None:
    """A number that is nowhere else, looked for in everything that anybody may read."""
    collector.hold(TEA)
    collector.answer(TEA, {"green": 90_909})
    seen = collector.get(f"/collections/{TEA.key}/standing", Role.ANALYST).text
    assert "90909" in seen
    for (method, path), refusals in PRIVATE.items():
        if method == "GET":
            response = asked(collector, method, path, "nobody")
            assert bool(refusals["nobody"]) == (response.status_code == 401)
            assert "90909" not in response.text, path
            assert "90,909" not in response.text, path


# Tokens over HTTP.


def test_a_session_says_whose_token_it_is(collector: Collector) -> None:
    end = int(NOON) + 60
    text = collector.token(Role.ANALYST, end)
    told = collector.get("/session", headers={"Authorization": f"Bearer {text}"})
    name = text.split("_")[1]
    assert told.json() == {"name": name, "role": "analyst", "label": "a test's", "expires": end}
    assert told.headers["cache-control"] == "no-store"
    assert collector.get("/session", Role.RELAY).json()["expires"] is None


def test_a_token_is_made_shown_once_used_listed_and_revoked(collector: Collector) -> None:
    wish = {"role": "relay", "label": "the gateway in Ōsaka", "expires": int(NOON) + 3600}
    made = collector.ask("POST", "/tokens", Role.ADMIN, json=wish)
    assert made.status_code == 201
    text = made.json()["token"]
    listed = collector.get("/tokens", Role.ADMIN)
    assert text.split("_", 2)[2] not in listed.text
    kept = {name: value for name, value in made.json().items() if name != "token"}
    assert kept == {"name": text.split("_")[1], **wish}
    assert kept in listed.json()
    bears = {"Authorization": f"Bearer {text}"}
    assert collector.get("/session", headers=bears).json() == kept
    gone = collector.ask("DELETE", f"/tokens/{kept['name']}", Role.ADMIN)
    assert (gone.status_code, gone.content) == (204, b"")
    assert code(collector.get("/session", headers=bears), 401) == "wrong_token"
    again = collector.ask("DELETE", f"/tokens/{kept['name']}", Role.ADMIN)
    assert code(again, 404) == "unknown_token"


def test_unless_it_is_said_a_token_ends_in_thirty_days(collector: Collector) -> None:
    made = collector.ask("POST", "/tokens", Role.ADMIN, json={"role": "analyst"}).json()
    assert (made["label"], made["expires"]) == ("", int(NOON) + 30 * 86_400)


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({}, "missing required field `role`"),
        ({"role": "owner"}, "role: admin, analyst or relay"),
        ({"role": "relay", "expires": None}, "something else is expected at $.expires"),
        ({"role": "relay", "expires": "soon"}, "something else is expected at $.expires"),
        ({"role": "relay", "expires": int(NOON)}, "a token ends between now and 3,660 days"),
        ({"role": "relay", "expires": int(NOON) + 3661 * 86_400}, "a token ends between now"),
        ({"role": "relay", "label": "a\nb"}, "one line of characters that can be seen"),
        ({"role": "relay", "label": "x" * 201}, "something else is expected at $.label"),
        ({"role": "relay", "token": "mine"}, "a request for a token"),
        ([], "a request for a token"),
    ],
)
def test_a_wish_for_a_token_is_read_strictly(
    collector: Collector, wish: object, sentence: str
) -> None:
    before = len(collector.store.tokens())
    content = msgspec.json.encode(wish)
    refused = collector.ask("POST", "/tokens", Role.ADMIN, content=content)
    assert code(refused, 400) in {"invalid_document", "invalid_parameter"}
    assert sentence in refused.json()["error"]["message"]
    assert len(collector.store.tokens()) == before


def test_the_last_administrator_cannot_be_revoked(collector: Collector) -> None:
    name = collector.tokens[Role.ADMIN].split("_")[1]
    collector.token(Role.ADMIN, int(NOON) - 1)  # one that has expired is none
    assert code(collector.ask("DELETE", f"/tokens/{name}", Role.ADMIN), 409) == "last_admin"
    second = collector.token(Role.ADMIN, int(NOON) + 60)
    own = collector.ask("DELETE", f"/tokens/{name}", Role.ADMIN)
    assert own.status_code == 204  # one's own, as there is another
    bears = {"Authorization": f"Bearer {second}"}
    last = collector.ask("DELETE", f"/tokens/{second.split('_')[1]}", headers=bears)
    assert code(last, 409) == "last_admin"


def test_guessing_at_a_session_is_slowed_down(collector: Collector) -> None:
    wrong = headers(collector, "wrong")
    for _ in range(FAILURES):
        assert code(collector.get("/session", headers=wrong), 401) == "wrong_token"
    assert code(collector.get("/session", headers=wrong), 429) == "too_many_wrong_tokens"


def test_no_answer_sets_a_cookie(collector: Collector) -> None:
    collector.hold(TEA, public=True)
    for method, path in PUBLIC:
        if not path.endswith("/reports"):
            assert "set-cookie" not in asked(collector, method, path, "admin").headers
            collector.hold(TEA, public=True)
