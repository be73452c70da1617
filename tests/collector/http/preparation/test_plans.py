"""``/plans``: the numbers of ``sudare.plan`` for anybody, and the draft of what is recommended."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

import httpx
import msgspec
import pytest

import sudare
from sudare import Collection
from sudare.collector.http.preparation import plans
from sudare.collector.stores.contract import Role
from sudare.errors import NoSuchPlan, ParameterError
from sudare.planning.plans import Plan
from support.analysts import NOON, Collector, at_port, code

WISHES: list[dict[str, Any]] = [
    {"kind": "choice", "answers": 43, "epsilon": 1.0, "error": 0.01},
    {
        "kind": "several",
        "answers": 20,
        "most": 3,
        "people": 50_000,
        "error": 0.01,
        "population": True,
    },
    {"kind": "number", "least": "0", "largest": "100", "step": "0.5", "people": 999, "epsilon": 2},
    {"kind": "questions", "sizes": (3, 5, 2), "people": 50_000, "epsilon": 1.0, "associate": True},
    {"kind": "text", "epsilon": 4.0, "people": 100_000, "candidates": 500},
    {"kind": "stream", "rounds": 20, "people": 10_000, "epsilon": 4.0, "low": 0.4, "high": 0.6},
    {"kind": "joint", "epsilon": 1.0, "difference": 0.02, "compare": 0.3},
]
OUT_OF_REACH: dict[str, Any] = {
    "kind": "choice",
    "answers": 43,
    "people": 9,
    "error": 0.01,
    "share": 0.5,
    "population": True,
}
WORDS = {"name": "fair", "question": "Is it fair?"}
LABELS: dict[str, dict[str, Any]] = {
    "choice": {"answers": [f"answer {number}" for number in range(43)]},
    "several": {"answers": [f"answer {number}" for number in range(20)]},
    "number": {},
    "questions": {
        "questions": [
            {"name": f"q{size}", "question": f"Which of {size}?", "answers": list("abcde")[:size]}
            for size in (3, 5, 2)
        ]
    },
    "text": {},
    "stream": {"answers": ["offline", "online"], "window": 1200},
}


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as made:
        yield made


def address(wishes: dict[str, Any]) -> str:
    written = {
        name: ",".join(map(str, value)) if name == "sizes" else str(value).lower()
        for name, value in wishes.items()
    }
    return f"/plans?{urlencode(written)}"


def planned(wishes: dict[str, Any]) -> Plan:
    return sudare.plan(**wishes)


@pytest.mark.parametrize("wishes", WISHES, ids=lambda wishes: wishes["kind"])
def test_anybody_is_told_what_python_says(collector: Collector, wishes: dict[str, Any]) -> None:
    told = collector.get(address(wishes))
    assert told.status_code == 200, told.text
    assert told.json() == msgspec.json.decode(msgspec.json.encode(planned(wishes).document()))
    msgspec.convert(told.json(), plans.PlanBody)


@pytest.mark.parametrize("wishes", WISHES[:-1], ids=lambda wishes: wishes["kind"])
def test_the_collection_of_a_plan_can_be_held(collector: Collector, wishes: dict[str, Any]) -> None:
    body = {"plan": wishes, **WORDS, **LABELS[wishes["kind"]], "minimum_reports": 50}
    draft = collector.ask("POST", "/plans", Role.ADMIN, json=body).json()
    made = Collection.from_json(draft["document"].encode())
    best = planned(wishes).recommended
    assert made.mechanism == best.design.mechanism
    assert (made.key, made.name, made.minimum_reports) == (draft["key"], "fair", 50)
    assert draft["label"]["people"] == best.people
    if made.windows is not None:
        assert made.windows.start <= NOON < made.windows.start + 1200
    held = collector.ask("POST", "/collections", Role.ADMIN, content=draft["document"])
    assert (held.status_code, held.json()["key"]) == (201, made.key)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": ""}, "draft_name"),
        ({"question": ""}, "draft_question"),
        ({"answers": ["yes", "no"]}, "draft_answers"),
        ({"window": 0}, "draft_window"),
        ({"minimum_reports": 0}, "draft_minimum_reports"),
        ({"plan": {**WISHES[0], "error": 0.9}}, "invalid_parameter"),
        ({"plan": {**WISHES[0], "people": 5}}, "invalid_parameter"),
        ({"plan": {**WISHES[0], "luck": 5}}, "invalid_document"),
        ({"plan": OUT_OF_REACH}, "out_of_reach"),
        ({"plan": {"kind": "joint", "epsilon": 1.0, "error": 0.01}}, "invalid_parameter"),
        ({"luck": 5}, "invalid_document"),
    ],
)
def test_what_can_not_be_had_is_named(
    collector: Collector, changed: dict[str, Any], said: str
) -> None:
    body = {"plan": WISHES[0], **WORDS, **LABELS["choice"], **changed}
    assert code(collector.ask("POST", "/plans", Role.ADMIN, json=body), 400) == said


@pytest.mark.parametrize("role", [None, Role.ANALYST, Role.RELAY])
def test_administrators_alone_see_the_collection(collector: Collector, role: Role | None) -> None:
    body = {"plan": WISHES[0], **WORDS, **LABELS["choice"]}
    refused = collector.ask("POST", "/plans", role, json=body)
    assert code(refused, 403 if role else 401) == ("wrong_role" if role else "no_token")


def test_a_refusal_says_the_ways_out(collector: Collector) -> None:
    wishes = {"kind": "choice", "answers": 43, "people": 300, "epsilon": 0.5}
    refused = collector.get(address(wishes))
    with pytest.raises(NoSuchPlan) as said:
        planned(wishes)
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (400, "white_noise")
    assert error["message"] == str(said.value)
    assert error["ways_out"] == list(said.value.ways_out) != []
    for way in error["ways_out"]:
        assert collector.get(address(wishes | way)).status_code == 200


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "kind must be one of choice, several, number, questions, text, stream, joint"),
        ("kind=luck&answers=3", "kind must be one of choice"),
        ("kind=choice&epsilon=1&error=.01", "a plan of choice needs answers"),
        ("kind=choice&answers=2&answers=3", "given twice"),
        ("kind=choice&answers=3&rounds=5&epsilon=1&people=99", "a plan of choice has no rounds"),
        ("kind=choice&answers=3.5&epsilon=1&people=99", "answers must be a whole number"),
        ("kind=choice&answers=-3&epsilon=1&people=99", "answers must be a whole number"),
        ("kind=choice&answers=1&epsilon=1&people=99", "at least 2 answers"),
        ("kind=choice&answers=3&epsilon=nan&people=99", "epsilon must be a decimal number"),
        ("kind=choice&answers=3&epsilon=-1&people=99", "epsilon must be"),
        ("kind=choice&answers=3&epsilon=1&people=99&error=.1", "takes two of people, epsilon"),
        ("kind=choice&answers=3&epsilon=1&people=99&population=1", "population must be one of"),
        ("kind=questions&sizes=3,x&epsilon=1&people=99", "sizes must be whole numbers"),
        ("kind=number&least=0&largest=9&step=1&found_out=sum", "found_out must be one of"),
        ("kind=choice&answers=3&epsilon=1&people=99&luck=1", "a parameter that this request can't"),
    ],
)
def test_what_is_no_wish_is_refused_in_a_sentence(
    collector: Collector, query: str, said: str
) -> None:
    refused = collector.get(f"/plans?{query}")
    assert code(refused, 400) == "invalid_parameter"
    assert said in refused.json()["error"]["message"]


def test_numbers_are_read_as_people_write_them(collector: Collector) -> None:
    for number in (".01", "0.01", "1e-2", "00.010"):
        asked = f"/plans?kind=choice&answers=43&epsilon=1&error={number}"
        assert collector.get(asked).json()["recommended"]["people"] == planned(WISHES[0]).people


def test_the_same_plan_is_made_once_and_others_wait(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    at_work, most = threading.Semaphore(1), []

    def counting(kind: str, **wishes: Any) -> Plan:
        most.append(at_work.acquire(blocking=False))
        made.append(kind)
        try:
            return sudare.plan(kind, **wishes)
        finally:
            at_work.release()

    monkeypatch.setattr(plans, "plan", counting)
    refused = {"kind": "choice", "answers": 43, "people": 300, "epsilon": 0.5}
    asked = [address(wishes) for wishes in (*WISHES[:3], refused) for _ in range(3)]
    with at_port(collector) as url, ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda one: httpx.get(url + one, timeout=60), asked))
    assert [one.status_code for one in told] == [200] * 9 + [400] * 3
    assert sorted(made) == ["choice", "choice", "number", "several"]
    assert all(most), "two plans were made at once"


def test_a_wish_that_breaks_something_is_no_secret(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(kind: str, **wishes: Any) -> None:
        raise ParameterError(f"no {kind}") if wishes["answers"] == 2 else ValueError(kind)

    monkeypatch.setattr(plans, "plan", broken)
    address = "/plans?kind=choice&answers={}&epsilon=1&people=99"
    assert code(collector.get(address.format(2)), 400) == "invalid_parameter"
    for _ in range(2):
        assert code(collector.get(address.format(3)), 500) == "internal"
