"""``POST /drafts``: what a collection would be, told to administrators, and nothing is held."""

from collections.abc import Iterator
from typing import Any

import pytest

from sudare import Collection
from sudare.collector.stores.contract import Role
from support.analysts import NOON, Collector, code

WISHES: dict[str, Any] = {
    "name": "fair",
    "question": "Is it fair?",
    "answers": ["yes", "no"],
    "epsilon": 1.0,
}


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as made:
        yield made


def asked(collector: Collector, role: Role | None = Role.ADMIN, **changed: Any) -> Any:
    return collector.ask("POST", "/drafts", role, json={**WISHES, **changed})


def test_the_document_can_be_held_as_it_stands(collector: Collector) -> None:
    told = asked(collector, window=3600, people=5000)
    assert told.status_code == 200
    assert told.headers["cache-control"] == "no-store"
    made = Collection.from_json(told.json()["document"].encode())
    assert told.json()["key"] == made.key
    assert made.windows is not None
    assert made.windows.start <= NOON < made.windows.start + 3600  # by the collector's clock
    assert collector.get("/collections", Role.ADMIN).json() == {"collections": []}
    held = collector.ask("POST", "/collections", Role.ADMIN, content=told.json()["document"])
    assert (held.status_code, held.json()["key"]) == (201, made.key)


def test_its_label_is_that_of_the_collection(collector: Collector) -> None:
    told = asked(collector, people=5000).json()
    made = Collection.from_json(told["document"].encode())
    assert told["label"] == {
        "mechanism": "grr",
        "epsilon": made.epsilon,
        "lifetime_epsilon": None,
        "promise": told["label"]["promise"],
        "odds": made.mechanism.odds,
        "report_bytes": 1,
        "parts": 1,
        "people": 5000,
        "error": made.kind.foreseen_error(5000),
    }
    assert "2.72 times" in told["label"]["promise"]


def test_what_is_counted_apart_is_told(collector: Collector) -> None:
    text: dict[str, Any] = {"asks": "text", "answers": [], "wants": "permanent_noise"}
    label = asked(collector, **text).json()["label"]
    assert (label["parts"], label["lifetime_epsilon"] is None) == (64, False)
    states: dict[str, Any] = {
        "asks": "states",
        "rounds": 24,
        "window": 86_400,
        "wants": "one_report",
    }
    assert asked(collector, **states).json()["label"]["parts"] == 24


@pytest.mark.parametrize("role", [None, Role.ANALYST, Role.RELAY])
def test_administrators_alone_are_told(collector: Collector, role: Role | None) -> None:
    assert code(asked(collector, role), 403 if role else 401) == (
        "wrong_role" if role else "no_token"
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"answers": ["yes"]}, "draft_answers"),
        ({"epsilon": 0}, "draft_epsilon"),
        ({"asks": "states", "rounds": 5}, "draft_window"),
        ({"people": 0}, "invalid_document"),
        ({"wants": "luck"}, "invalid_document"),
        ({"lucky": True}, "invalid_document"),
    ],
)
def test_a_refusal_names_the_wish(collector: Collector, changed: dict[str, Any], said: str) -> None:
    assert code(asked(collector, **changed), 400) == said


def test_a_body_is_read_strictly(collector: Collector) -> None:
    long = collector.ask("POST", "/drafts", Role.ADMIN, content=b" " * (4 << 20) + b"{}")
    assert code(long, 413) == "body_too_long"
    assert code(collector.ask("POST", "/drafts?a=1", Role.ADMIN, json=WISHES), 400)
