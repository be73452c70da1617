"""Delivery: one table of what a device does after each answer, in Python, the browser, the docs."""

import ast
import re
import secrets
from pathlib import Path
from typing import Any

import msgspec
import pytest

import sudare
from sudare import GRR, Collection
from sudare.collector.http.problems import ProblemBody
from sudare.collector.uploads.receipts import ReceiptBody
from sudare.device.collector_client import CollectorClient
from sudare.device.delivery import Answer, pause_after, retry_after
from sudare.device.outbox import Outbox, Waiting
from sudare.errors import CollectionUnavailable, CollectorRefused, CollectorUnavailable
from sudare.formats.collector_api import VERSION, Receipt
from support.scripted_collector import DROP, Say, serving

ROOT = Path(__file__).parents[2]
GOLDEN = msgspec.json.decode((ROOT / "tests/golden/delivery.json").read_bytes())
TEA = Collection("tea", "Which tea?", ("green", "black"), GRR.calibrate(2, 1.0))


def body(known: dict[str, Any]) -> bytes:
    said = known.get("body", {"error": {"code": known.get("code"), "message": "…"}})
    return said.encode() if isinstance(said, str) else msgspec.json.encode(said)


def marks(known: dict[str, Any]) -> dict[str, str]:
    mark = known.get("mark", "1")
    return {} if mark is None else {"Sudare-Api": mark}


@pytest.mark.parametrize("known", [*GOLDEN["problems"], *GOLDEN["answers"]], ids=str)
def test_an_answer_means_what_the_table_says(known: dict[str, Any]) -> None:
    headers = {**marks(known), "Retry-After": "7"}
    answer = Answer("https://example.org", known["status"], headers, body(known))
    if known["does"] == "taken":
        receipt = answer.receipt
        assert msgspec.to_builtins(receipt) == known["body"]
        return
    with pytest.raises((CollectorUnavailable, CollectorRefused)) as caught:
        _ = answer.receipt
    wanted = {
        "collector waits": CollectorUnavailable,
        "collection waits": CollectionUnavailable,
        "refused": CollectorRefused,
    }[known["does"]]
    error = caught.value
    assert type(error) is wanted
    if isinstance(error, CollectorUnavailable):
        assert error.doubtful == known["doubtful"]
        assert error.retry_after == (0 if known["status"] < 400 and marks(known) else 7)
    elif isinstance(error, CollectorRefused):
        assert error.status == known["status"]


def test_a_device_passes_over_what_a_newer_collector_adds_and_ours_adds_nothing() -> None:
    receipt = {"new": 1, "repeated": 0, "refused": 0, "since": 2}
    problem = {"error": {"code": "closed", "message": "it is over", "until": 3}, "help": "…"}
    mark = {"Sudare-Api": VERSION}
    taken = Answer("https://example.org", 202, mark, msgspec.json.encode(receipt))
    assert taken.receipt == Receipt(1, 0, 0)
    refused = Answer("https://example.org", 409, mark, msgspec.json.encode(problem))
    with pytest.raises(CollectorRefused, match="409: it is over"):
        refused.check()
    for answer, shape in ((taken, ReceiptBody), (refused, ProblemBody)):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(answer.body, type=shape)


@pytest.mark.parametrize("count", [-1, 0.5, None])
def test_a_receipt_counts(count: object) -> None:
    """What can't be a number of reports can't let go of one."""
    said = msgspec.json.encode({"new": 0, "repeated": 0, "refused": count})
    with pytest.raises(CollectionUnavailable, match="without a receipt"):
        _ = Answer("https://example.org", 202, {"Sudare-Api": VERSION}, said).receipt


@pytest.mark.parametrize(("said", "seconds"), GOLDEN["retry_after"])
def test_the_moment_that_the_collector_names(said: str | None, seconds: float) -> None:
    assert retry_after(said) == seconds


@pytest.mark.parametrize("known", GOLDEN["pauses"], ids=str)
def test_pauses_grow(known: dict[str, float]) -> None:
    failures = int(known["failures"])
    assert pause_after(failures, known["later"], known["chance"]) == known["seconds"]


@pytest.mark.parametrize("known", GOLDEN["deliveries"], ids=lambda known: known["about"])
def test_a_report_comes_to_its_fate(known: dict[str, Any], tmp_path: Path) -> None:
    script = [
        DROP
        if answer == "cut"
        else Say(answer["status"], headers=marks(answer), marked=False, body=body(answer))
        for answer in known["answers"]
    ]
    with serving(TEA, script=script) as scripted, Outbox(tmp_path / "outbox.db") as outbox:
        outbox.put(Waiting(secrets.token_bytes(16), scripted.address, TEA.key, 0, 0, b"\1"))
        with CollectorClient(scripted.address) as collector:
            delivery = outbox.send(collector, pause=lambda _: None)
        counted = {fate: getattr(delivery, fate) for fate in ("taken", "refused", "doubtful")}
        assert counted == {fate: int(fate == known["fate"]) for fate in counted}
        assert outbox.waiting() == []
    assert len(scripted.bodies) == len(script)


# Nothing is forgotten


def problems(source: str) -> set[tuple[int, str]]:
    """Every status and code that stand side by side in a source, as a problem's do."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        parts = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        pair = [part.value for part in parts[:2] if isinstance(part, ast.Constant)]
        match pair:
            case [int(status), str(code)] if 400 <= status < 600:
                found.add((status, code))
    return found


def test_every_problem_of_the_collector_is_in_the_table() -> None:
    assert problems('Problem(409, "paused", f"“{name}”")') == {(409, "paused")}
    assert problems('STATUSES = {Error: (400, "invalid")}') == {(400, "invalid")}
    sources = (Path(sudare.__file__).parent / "collector").rglob("*.py")
    made = set().union(*(problems(path.read_text("utf-8")) for path in sources))
    assert len(made) > 40
    assert {(known["status"], known["code"]) for known in GOLDEN["problems"]} == made


def test_the_page_has_the_whole_table() -> None:
    page = (ROOT / "docs/reference/delivery.md").read_text("utf-8")
    rows = re.findall(
        r"^\| ([^|]+) \| (taken|refused|\w+ waits) \| (yes|no) \|$", page, re.MULTILINE
    )
    told = {
        (int(status), code): (does, doubt == "yes")
        for answers, does, doubt in rows
        for status, codes in re.findall(r"(\d{3})((?:,? `\w+`)+)", answers)
        for code in re.findall(r"`(\w+)`", codes)
    }
    assert told == {
        (known["status"], known["code"]): (known["does"], known["doubtful"])
        for known in GOLDEN["problems"]
    }
