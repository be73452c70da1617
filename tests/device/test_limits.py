"""The limits that a device keeps: what lies on one is taken, what lies beyond it is not."""

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from sudare import GRR, Collection, Device, Glance
from sudare.collection.windows import Windows
from sudare.device import collector_client, outbox
from sudare.device.collector_client import (
    CollectorClient,
    check_invitation,
    check_key,
    checked_address,
    unreached,
)
from sudare.device.current_window import answered_window, check_number, observed_round
from sudare.device.delivery import Answer
from sudare.device.outbox import Outbox, Waiting, check_patience
from sudare.device.participant import Participant
from sudare.errors import CollectorRefused, ParameterError
from sudare.formats.collector_api import VERSION

MOST = 2**53
TEA = Collection("tea", "Which tea?", ("green", "black"), GRR.calibrate(2, 1.0))
DAILY = replace(TEA, windows=Windows(0, 86_400))
STREAM = Collection("on", "Online?", ("no", "yes"), Glance(4, 0.75))
TIMED = replace(STREAM, windows=Windows(0, 400))


def at(host: str) -> object:
    return checked_address(f"https://{host}", insecure=False)


def long_host(letters: int) -> str:
    return ".".join(["a" * 63] * 4)[: letters - 2] + ".a"


LIMITS: list[tuple[str, Callable[[Any], object], Sequence[Any], Sequence[Any]]] = [
    ("a round", check_number, [1, MOST], [0, MOST + 1]),
    ("a window", lambda n: check_number(n, "window", 0, MOST - 1), [0, MOST - 1], [-1, MOST]),
    ("the one window", lambda n: answered_window(TEA, n), [0], [-1, 1, MOST]),
    ("a plan's window", lambda n: Device(bytes(32)).plan(STREAM, n), [0, MOST - 1], [-1, MOST]),
    ("an id's round", lambda n: Device(bytes(32)).report_id(TEA, n), [1, MOST], [0, MOST + 1]),
    ("a secret", lambda n: Device(bytes(n)), [32], [31, 33]),
    ("an id", lambda n: Waiting(bytes(n), "", "", 0, 0, b""), [16], [15, 17]),
    ("patience", check_patience, [0, 0.0, 1e300], [-5e-324, math.inf, math.nan]),
    ("a port", lambda n: at(f"a.example:{n}"), [1, 65_535], [0, 65_536]),
    ("a part of a host", lambda n: at("a" * n + ".example"), [1, 63], [0, 64]),
    ("a host", lambda n: at(long_host(n)), [253], [254]),
    ("a numbered host", at, ["[::1]", "10.0.0.1"], ["[1::2::3]", "[v1.a]"]),
    ("a key", lambda n: check_key("0" * n), [64], [63, 65]),
    ("an invitation", lambda n: check_invitation("0" * n), [32], [31, 33]),
]


@pytest.mark.parametrize(
    ("make", "taken", "refused"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS]
)
def test_a_limit_is_the_last_that_is_taken(
    make: Callable[[Any], object], taken: Sequence[Any], refused: Sequence[Any]
) -> None:
    assert len(long_host(253)) == 253
    for value in taken:
        make(value)
    for value in refused:
        with pytest.raises(ParameterError):
            make(value)


def test_a_key_is_a_text() -> None:
    for check in (check_key, check_invitation):
        with pytest.raises(ParameterError):
            check(b"0" * 64)  # type: ignore[arg-type]  # what somebody may hand over all the same


@pytest.mark.parametrize(
    ("now", "window", "number"), [(0.0, 0, 1), (99.5, 0, 1), (100.0, 0, 2), (400.0, 1, 5)]
)
def test_the_clock_opens_a_window_and_a_round_at_their_first_moment(
    now: float, window: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sudare.device.current_window.time.time", lambda: now)
    short = replace(DAILY, windows=Windows(0, 400))
    assert answered_window(short) == answered_window(short, window) == window
    assert observed_round(TIMED) == observed_round(TIMED, number) == number
    with pytest.raises(ParameterError, match=f"by the clock it is window {window} "):
        answered_window(short, window + 1)
    with pytest.raises(ParameterError, match=f"by the clock it is round {number} "):
        observed_round(TIMED, number + 1)


def test_a_client_waits_as_long_as_it_is_told_and_for_a_connection_ten_seconds() -> None:
    assert CollectorClient("http://127.0.0.1:9")._http.timeout.read == 10.0
    for asked, connecting in ((3.0, 3.0), (10.0, 10.0), (60.0, 10.0)):
        with CollectorClient("http://127.0.0.1:9", timeout=asked) as collector:
            waited = collector._http.timeout
        assert (waited.connect, waited.read, waited.write) == (connecting, asked, asked)


def test_a_response_is_read_up_to_16_mib_and_a_body_has_a_hundred_reports() -> None:
    assert (collector_client._MOST_BYTES, outbox.MOST_TOGETHER) == (16 * 2**20, 100)


@pytest.mark.parametrize(
    ("method", "seconds"),
    [
        (Outbox.send, 60.0),
        (Participant.send, 60.0),
        (Participant.answer, 10.0),
        (Participant.observe, 10.0),
    ],
)
def test_patience_is_as_long_as_is_written_unless_it_is_given(
    method: Callable[..., object], seconds: float
) -> None:
    assert inspect.signature(method).parameters["patience"].default == seconds


def test_an_outbox_is_durable_and_keeps_nothing_that_was_sent(tmp_path: Path) -> None:
    with Outbox(tmp_path / "outbox.db") as kept, kept._using() as base:
        assert base.execute("PRAGMA synchronous").fetchone() == (3,)  # extra
        assert base.execute("PRAGMA secure_delete").fetchone() == (1,)


def test_a_collectors_sentence_is_cut_to_300_letters() -> None:
    body = msgspec.json.encode({"error": {"code": "x", "message": "e" * 301}})
    headers = {"Sudare-Api": VERSION}
    with pytest.raises(CollectorRefused) as caught:
        Answer("https://a.example", 400, headers, body).check()
    assert str(caught.value) == "the collector answered 400: " + "e" * 300


@pytest.mark.parametrize("rounds", [1, 4])
def test_before_the_first_round_it_is_the_first_window(rounds: int) -> None:
    stream = replace(STREAM, mechanism=Glance(rounds, 0.75))
    device = Device(bytes(32))
    observer = device.observer(stream)
    assert (observer.last, observer.window) == (0, 0)
    observer.observe(rounds, 1)
    assert (observer.last, observer.window) == (rounds, 0)
    observer.observe(rounds + 1, 1)
    assert (observer.last, observer.window) == (rounds + 1, 1)
    assert device == Device(bytes(32))  # whatever it has observed
    assert "observer" not in repr(device).lower()


def test_a_trouble_that_is_not_known_is_named_by_its_kind() -> None:
    said = unreached("https://a.example", httpx.ReadError("words of a library"))
    assert said == "https://a.example can't be reached now (ReadError): try again later"
