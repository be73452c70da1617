"""A device's view of a collector: what it believes, and what it makes of refusals."""

import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace

import httpx
import msgspec
import pytest

from sudare import GRR, Collection, Ledger
from sudare.device import collector_client
from sudare.device.collector_client import CollectorClient
from sudare.device.delivery import retry_after
from sudare.errors import (
    BudgetExceeded,
    CollectorRefused,
    CollectorUnavailable,
    ParameterError,
)
from sudare.formats.collector_api import Receipt
from support.answering import answering
from support.certificates import certificate
from support.scripted_collector import DROP, LOSE, MARK, Say, Scripted, serving

TEA = Collection("tea", "Which tea?", ("green", "black"), GRR.calibrate(2, 1.0))
OTHER = replace(TEA, question="Which coffee?")
BODY = bytes(17)


def test_a_collection_is_fetched_by_its_key() -> None:
    with serving(TEA) as scripted, CollectorClient(scripted.address + "/") as collector:
        assert collector.address == scripted.address
        assert collector.fetch(TEA.key) == TEA


def test_a_document_of_another_key_is_refused() -> None:
    with serving() as scripted, CollectorClient(scripted.address) as collector:
        scripted.collections[TEA.key] = OTHER.to_json()
        with pytest.raises(CollectorRefused, match=f"sent the collection {OTHER.key[:12]}…, not"):
            collector.fetch(TEA.key)
        for document in (b"", b"{}", TEA.to_json()[:-9], b"\xff"):
            scripted.collections[TEA.key] = document
            with pytest.raises(CollectorRefused, match="sent no collection"):
                collector.fetch(TEA.key)
        with pytest.raises(CollectorRefused, match="the collector answered 404: as the script"):
            collector.fetch(OTHER.key)


def test_a_document_that_states_too_little_epsilon_is_refused() -> None:
    document = msgspec.json.decode(TEA.to_json()) | {"epsilon": 0.5}
    with serving() as scripted, CollectorClient(scripted.address) as collector:
        scripted.collections[TEA.key] = msgspec.json.encode(document)
        with pytest.raises(CollectorRefused, match=r"states ε = 0\.5, but its parameters give"):
            collector.fetch(TEA.key)


@pytest.mark.parametrize(
    "ledger", [Ledger(cap=0.5), Ledger(collection_cap=0.5)], ids=["life", "each"]
)
def test_what_no_cap_would_ever_allow_is_not_fetched(ledger: Ledger) -> None:
    with serving(TEA) as scripted, CollectorClient(scripted.address) as collector:
        with pytest.raises(BudgetExceeded, match=r"ε = 1 is asked for; 0 of 0\.5 is spent"):
            collector.fetch(TEA.key, ledger)
        assert collector.fetch(TEA.key, Ledger(cap=1.0, collection_cap=1.0)) == TEA


@pytest.mark.parametrize("key", ["", "tea", TEA.key.upper(), TEA.key + "0", f"../{TEA.key}"[:64]])
def test_a_key_is_64_digits(key: str) -> None:
    with CollectorClient("http://127.0.0.1:9") as collector:
        for use in (lambda: collector.fetch(key), lambda: collector.post(key, 0, BODY)):
            with pytest.raises(ParameterError, match="64 hexadecimal digits"):
                use()


@pytest.mark.parametrize(
    "token", ["", "kōan", "a\nb", "A" * 32, "a" * 33, "\ud800" * 32], ids=ascii
)
def test_an_invitation_is_32_digits_and_not_repeated(token: str) -> None:
    with (
        serving(TEA) as scripted,
        CollectorClient(scripted.address) as collector,
        pytest.raises(ParameterError, match="32 hexadecimal digits") as caught,
    ):
        collector.post(TEA.key, 0, BODY, invitation=token)
    assert not token or token not in str(caught.value)
    assert scripted.bodies == []


@pytest.mark.parametrize("window", [-1, 2**53])
def test_a_window_is_one_that_there_is(window: int) -> None:
    with (
        CollectorClient("http://127.0.0.1:9") as collector,
        pytest.raises(ParameterError, match=rf"0 to 2\^53 - 1, got {window}"),
    ):
        collector.post(TEA.key, window, BODY)


# Where it is


@pytest.mark.parametrize(
    "address",
    [
        *("http://localhost", "http://127.0.0.9:80", "http://[::1]:8080", "https://a.example"),
        *("https://A_b.example:65535/there", "https://ō.example", "https://a.example."),
    ],
)
def test_an_address(address: str) -> None:
    shown = httpx.URL(address.removesuffix(":80"))
    assert CollectorClient(address).address.startswith(str(shown))


@pytest.mark.parametrize(
    "address",
    [
        *("", "tea", "ftp://127.0.0.1", "http://", "https://me:pw@a.example"),
        *("https://a.example?b=c", "https://exa mple", "https://a..example", "https://-a.example"),
        *("https://[1::2::3]", "https://a.example:0", "https://a.example:65536"),
        *("https://a.example:port", "https://" + "a" * 64, "https://" + "a." * 127 + "a"),
    ],
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(ParameterError) as caught:
        CollectorClient(address)
    assert "pw" not in str(caught.value)


HOSTS_ELSEWHERE = (
    *("a.example", "10.0.0.1", "localhost.a.example", "128.0.0.1", "127.0.0.1.example.org"),
    *("notlocalhost", "localhost-a.example", "[::2]", "[::ffff:10.0.0.1]"),
)


@pytest.mark.parametrize("host", HOSTS_ELSEWHERE)
def test_plain_http_stays_on_this_machine(host: str) -> None:
    with pytest.raises(ParameterError, match=r"plain HTTP to .* would show what is sent"):
        CollectorClient(f"http://{host}")
    CollectorClient(f"http://{host}", insecure=True)


def test_a_plain_request_ignores_the_environments_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(TEA) as scripted:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        with CollectorClient(scripted.address) as collector:
            assert collector.fetch(TEA.key) == TEA


# What it says


def post(scripted: Scripted) -> Receipt:
    with CollectorClient(scripted.address) as collector:
        return collector.post(TEA.key, 3, BODY)


def test_a_receipt_says_what_became_of_reports() -> None:
    with serving(TEA) as scripted:
        assert post(scripted) == Receipt(1, 0, 0)
        assert post(scripted) == Receipt(0, 1, 0)
    (_, query, headers), _ = scripted.bodies
    assert query == "window=3"
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Sudare-Api"] == "1"
    assert headers["User-Agent"] == "sudare"
    assert "Sudare-Invitation" not in headers


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 415])
def test_a_refusal_is_final(status: int) -> None:
    with serving(TEA, script=[Say(status, "closed")]) as scripted:
        with pytest.raises(
            CollectorRefused, match=f"^the collector answered {status}: as the"
        ) as caught:
            post(scripted)
        assert caught.value.status == status


@pytest.mark.parametrize(
    "step",
    [
        LOSE,
        DROP,
        *(Say(status, headers={"Retry-After": "0"}) for status in (408, 429, 500, 503)),
        *(Say(409, code) for code in ("paused", "not_open", "window_not_open")),
        Say(404, marked=False, body=b"<html>Please log in</html>"),
        Say(403, marked=False),
        Say(302, headers={"Location": "http://127.0.0.1:9/"}),
        Say(202, marked=False, body=b'{"new":1,"repeated":0,"refused":0}'),
        Say(202, body=b"{}"),
        Say(200, body=b'{"new":1,"repeated":0,"refused":0}'),
    ],
    ids=str,
)
def test_what_passes_is_no_refusal_and_no_receipt(step: object) -> None:
    with serving(TEA, script=[step]) as scripted:
        with pytest.raises(CollectorUnavailable):
            post(scripted)
        assert isinstance(post(scripted), Receipt)


def test_nobody_at_home() -> None:
    with (
        CollectorClient("http://127.0.0.1:9") as collector,
        pytest.raises(CollectorUnavailable, match=r"^http://127\.0\.0\.1:9 can't be reached now"),
    ):
        collector.fetch(TEA.key)


def unreached(address: str) -> str:
    with CollectorClient(address) as collector, pytest.raises(CollectorUnavailable) as caught:
        collector.fetch(TEA.key)
    return str(caught.value)


def test_what_is_no_collector_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody, no host, another protocol, another scheme, a certificate that isn't known."""
    assert "nothing listens there" in unreached("http://127.0.0.1:9")
    assert "there is no host nowhere.invalid" in unreached("https://nowhere.invalid")
    web = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    with answering(b"220 mail.example.org\r\n") as port:
        assert "doesn't speak HTTP as it should" in unreached(f"http://127.0.0.1:{port}")
    with answering(web) as port:
        assert "is no collector" in unreached(f"http://127.0.0.1:{port}")
        assert "see whether it is http://" in unreached(f"https://127.0.0.1:{port}")
    certificate(tmp_path, "localhost")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "localhost.pem", tmp_path / "localhost.key")
    with answering(web, context) as port:
        said = unreached(f"https://localhost:{port}")
        assert "a certificate that isn't trusted here (self-signed certificate)" in said
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "localhost.pem"))  # what it says to do
        assert "is no collector" in unreached(f"https://localhost:{port}")


def test_a_collectors_sentence_can_not_write_on_the_terminal() -> None:
    told = {"error": {"code": "x", "message": "\x1b[31m" + "a" * 1000}}
    step = Say(400, body=msgspec.json.encode(told))
    with serving(TEA, script=[step]) as scripted, pytest.raises(CollectorRefused) as caught:
        post(scripted)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_response_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.device.collector_client._MOST_BYTES", 100)
    with (
        serving(TEA) as scripted,
        CollectorClient(scripted.address) as collector,
        pytest.raises(CollectorUnavailable, match="too long"),
    ):
        collector.fetch(TEA.key)


def test_a_response_may_be_as_long_as_the_cap_and_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exactly, whatever the parts that it comes in."""
    size = len(TEA.to_json())
    with serving(TEA) as scripted, CollectorClient(scripted.address) as collector:
        monkeypatch.setattr("sudare.device.collector_client._MOST_BYTES", size)
        assert collector.fetch(TEA.key) == TEA
        monkeypatch.setattr("sudare.device.collector_client._MOST_BYTES", size - 1)
        with pytest.raises(CollectorUnavailable, match="too long"):
            collector.fetch(TEA.key)
    assert collector_client._MOST_BYTES == size - 1 < 1 << 24


@pytest.mark.parametrize(("seconds", "patient"), [(60.0, True), (60.001, False)])
def test_a_body_may_take_six_times_the_patience_with_silence(
    monkeypatch: pytest.MonkeyPatch, seconds: float, patient: bool
) -> None:
    """By a clock that shows the time after so many seconds whenever it is looked at again."""
    shown = chain([0.0], repeat(seconds))
    clock = SimpleNamespace(monotonic=lambda: next(shown))
    monkeypatch.setattr(collector_client, "time", clock)
    with serving(TEA) as scripted, CollectorClient(scripted.address, timeout=10.0) as collector:
        if patient:
            assert collector.fetch(TEA.key) == TEA
            return
        with pytest.raises(CollectorUnavailable, match="takes too long") as caught:
            collector.fetch(TEA.key)
        assert caught.value.doubtful


def test_the_longest_response_holds_a_million_answers() -> None:
    assert collector_client._MOST_BYTES == 1 << 24


def test_when_to_come_again() -> None:
    assert [retry_after(said) for said in (None, "", "soon", "-3", "nan", "inf")] == [0.0] * 6
    assert retry_after("7") == 7
    assert retry_after("9" * 30) == 86_400
    soon = datetime.now(UTC) + timedelta(seconds=100)
    assert 90 < retry_after(format_datetime(soon, usegmt=True)) <= 100
    assert retry_after("Thu, 01 Jan 1970 00:00:00 GMT") == 0
    with serving(TEA, script=[Say(503, headers={**MARK, "Retry-After": "12"})]) as scripted:
        with pytest.raises(CollectorUnavailable) as caught:
            post(scripted)
        assert caught.value.retry_after == 12
