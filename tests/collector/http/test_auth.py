"""Tokens: who may do what, and what becomes of those who guess."""

from collections.abc import Iterator
from typing import Any

import pytest

from sudare.collector.http.auth import FAILURES, PATIENCE, new_token
from sudare.collector.stores.contract import Role, Token
from sudare.errors import ParameterError, StoreUnavailable
from support.analysts import NOON, TEA, Collector, code

CHANGES = [
    ("POST", "/collections", "admin"),
    ("DELETE", "/collections/{key}", "admin"),
    ("POST", "/collections/{key}/pause", "admin"),
    ("POST", "/collections/{key}/open", "admin"),
    ("POST", "/collections/{key}/close", "admin"),
    ("POST", "/collections/{key}/invitations", "admin"),
    ("PUT", "/collections/{key}/release", "analyst"),
    ("DELETE", "/collections/{key}/release", "analyst"),
    ("PUT", "/collections/{key}/candidates", "analyst"),
    ("GET", "/collections/{key}/estimate", "analyst"),
    ("GET", "/collections/{key}/aggregate", "analyst"),
]


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as made:
        made.hold(TEA)
        yield made


every_change = pytest.mark.parametrize(("method", "path", "role"), CHANGES)


@every_change
def test_without_a_token_nothing_is_changed(
    collector: Collector, method: str, path: str, role: str
) -> None:
    response = collector.ask(method, path.format(key=TEA.key))
    assert code(response, 401) == "no_token"
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert role in response.json()["error"]["message"]
    assert [held.collection for held in collector.store.held_collections()] == [TEA]


@every_change
def test_a_role_does_what_is_its_own(
    collector: Collector, method: str, path: str, role: str
) -> None:
    allowed = {Role.ADMIN, Role(role)}
    for bearer in Role:
        response = collector.ask(method, path.format(key=TEA.key), bearer)
        if bearer in allowed:
            assert response.status_code not in {401, 403}
            collector.hold(TEA)  # it may have been removed
        else:
            assert code(response, 403) == "wrong_role"


def test_a_token_ends_when_it_expires_or_is_revoked(collector: Collector) -> None:
    text = collector.token(Role.ADMIN, int(NOON) + 60)
    headers = {"Authorization": f"bearer {text}"}
    pause = f"/collections/{TEA.key}/pause"
    assert collector.ask("POST", pause, headers=headers).status_code == 200
    collector.clock.now += 59
    assert collector.ask("POST", pause, headers=headers).status_code == 200
    collector.clock.now += 1
    assert code(collector.ask("POST", pause, headers=headers), 401) == "expired_token"

    assert collector.ask("POST", pause, Role.ADMIN).status_code == 200
    assert collector.store.revoke(collector.tokens[Role.ADMIN].split("_")[1])
    assert code(collector.ask("POST", pause, Role.ADMIN), 401) == "wrong_token"


def _wrong(collector: Collector, text: str, address: str = "192.0.2.1") -> str:
    headers = {"Authorization": text.encode()}
    response = collector.ask("DELETE", f"/collections/{TEA.key}", address=address, headers=headers)
    return code(response, response.status_code)


def test_a_wrong_token_is_refused_whatever_is_wrong_about_it(collector: Collector) -> None:
    right = collector.tokens[Role.ADMIN]
    _, name, secret = right.split("_", 2)
    another = collector.tokens[Role.RELAY].split("_", 2)[2]
    wrong = [
        f"Bearer {right}x",
        f"Bearer {right[:-1]}",
        f"Bearer sdr_{name}_{another}",
        f"Bearer sdr_unknown_{secret}",
        f"Bearer sdr_{name}_",
        f"Bearer sdr__{secret}",
        f"Basic {right}",
        "Bearer",
        "Bearer é",
        "",
    ]
    for number, text in enumerate(wrong):
        assert _wrong(collector, text, f"192.0.2.{number}") == "wrong_token"


def test_guessing_is_slowed_down_where_it_comes_from(collector: Collector) -> None:
    guess = "Bearer sdr_guess_0000000000000000"
    for _ in range(FAILURES):
        assert _wrong(collector, guess) == "wrong_token"
        collector.clock.now += 1
    headers = {"Authorization": guess}
    slowed = collector.ask("DELETE", f"/collections/{TEA.key}", headers=headers)
    assert code(slowed, 429) == "too_many_wrong_tokens"
    wait = int(slowed.headers["retry-after"])
    assert PATIENCE - FAILURES <= wait <= PATIENCE
    # Nobody else is kept out: no right token, no other address, no request without a token.
    pause = f"/collections/{TEA.key}/pause"
    assert collector.ask("POST", pause, Role.ADMIN).status_code == 200
    assert _wrong(collector, guess, "192.0.2.2") == "wrong_token"
    assert collector.get("/collections").status_code == 200
    assert code(collector.ask("POST", pause), 401) == "no_token"
    collector.clock.now += wait - 1
    assert _wrong(collector, guess) == "too_many_wrong_tokens"
    collector.clock.now += 1
    assert _wrong(collector, guess) == "wrong_token"
    assert _wrong(collector, guess) == "too_many_wrong_tokens"


def test_one_customer_of_ipv6_is_one_address(collector: Collector) -> None:
    guess = "Bearer sdr_guess_0000000000000000"
    for number in range(FAILURES):
        assert _wrong(collector, guess, f"2001:db8::{number:x}") == "wrong_token"
    assert _wrong(collector, guess, "2001:db8::ffff:1") == "too_many_wrong_tokens"
    assert _wrong(collector, guess, "2001:db8:0:1::1") == "wrong_token"
    for number in range(2 * FAILURES):  # IPv4, as a socket for both writes it: many customers
        assert _wrong(collector, guess, f"::ffff:192.0.2.{number}") == "wrong_token"


def test_addresses_are_forgotten_before_they_fill_the_memory(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sudare.collector.http.auth._ADDRESSES", 3)
    for number in range(9):
        _wrong(collector, "Bearer nothing", f"192.0.2.{number}")
    assert list(collector.bearers._failures) == [f"192.0.2.{number}" for number in (6, 7, 8)]


def test_a_token_is_new_and_stored_without_its_secret() -> None:
    text, token = new_token(Role.ANALYST, "Ada's")
    another, _ = new_token(Role.ANALYST)
    assert text != another
    start, name, secret = text.split("_", 2)
    assert (start, name) == ("sdr", token.name)
    assert secret not in repr(token)
    assert len(token.digest) == 32
    with pytest.raises(ParameterError, match="at most 200 characters, got 201"):
        new_token(Role.RELAY, "x" * 201)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "estimate"),
        ("GET", "aggregate"),
        ("GET", "live"),
        ("POST", "pause"),
        ("PUT", "release"),
        ("POST", "reports"),
    ],
)
def test_a_token_that_cannot_be_looked_up_is_asked_for_again_later(
    collector: Collector, method: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> list[Token]:
        raise StoreUnavailable("the database is locked")

    monkeypatch.setattr(collector.store, "tokens", away)
    content: dict[str, Any] = {
        "headers": {"Content-Type": "application/octet-stream"},
        "content": bytes(17),
    }
    response = collector.ask(
        method, f"/collections/{TEA.key}/{path}", Role.ADMIN, **content if path == "reports" else {}
    )
    assert code(response, 503) == "store_unavailable"
    assert int(response.headers["retry-after"]) > 0


def test_a_label_is_one_line_that_can_be_seen() -> None:
    for label in ("a\nb", "\x1b[2J", "a\u202eb"):
        with pytest.raises(ParameterError, match="one line of characters that can be seen"):
            new_token(Role.RELAY, label)
    assert new_token(Role.RELAY, "the gateway in Ōsaka")[1].label == "the gateway in Ōsaka"


@pytest.mark.parametrize("says", [True, False])
def test_a_comparison_in_constant_time_alone_decides(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, says: bool
) -> None:
    """Any other, as ``==``, would tell by its time how much of a guess is right."""
    compared = list[tuple[int, int]]()

    def instead(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return says

    right = collector.tokens[Role.ADMIN]
    wrong = right[:-8] + ("0" * 8 if right[-8:] != "0" * 8 else "1" * 8)
    monkeypatch.setattr("sudare.collector.http.auth.hmac.compare_digest", instead)
    for token in (right, wrong):
        headers = {"Authorization": f"Bearer {token}"}
        response = collector.ask("DELETE", f"/collections/{TEA.key}", headers=headers)
        assert response.status_code == (401 if not says else 404 if token == wrong else 204)
    assert compared == [(32, 32)] * 2
