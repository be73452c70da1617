"""A collector on a real port: slow and rude connections, TLS, restarts, and the command line."""

import asyncio
import contextlib
import json
import re
import signal
import socket
import ssl
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvloop
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sudare.collection.document import Collection
from sudare.collector.http.limits import Limits
from sudare.collector.serving.server import Listening
from sudare.collector.stores.open import open_store
from sudare.mechanisms.over_time.glance import Glance
from support.certificates import certificate
from support.commands import process, refused, run, succeed
from support.served import served
from support.uploads import PACKED, error, packed, receipts, said, tea


class Ear(asyncio.Protocol):
    """All that a connection says until it is closed, even if rudely."""

    def __init__(self) -> None:
        self.text = b""
        self.closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.text += data

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.closed.set()


async def heard(listening: Listening, *sent: bytes) -> httpx.Response:
    """What a connection answers to raw bytes until it is closed."""
    port = int(listening.url.rpartition(":")[2])
    loop = asyncio.get_running_loop()
    transport, ear = await loop.create_connection(Ear, "127.0.0.1", port)
    for part in sent:
        if not ear.closed.is_set():
            transport.write(part)
            await asyncio.sleep(0.01)
    await asyncio.wait_for(ear.closed.wait(), 10)
    head, _, body = ear.text.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    headers.pop("content-length", None)  # more than one answer may follow
    return httpx.Response(int(status.split()[1]), headers=headers, content=body)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ([], (408, "head_too_slow")),
        ([b"GET /healthz HTTP/1.1\r\n"], (408, "head_too_slow")),
        ([b"GET /healthz HTTP/1.1\r\nA: b\r\n"] + [b"x"] * 20, (408, "head_too_slow")),
        ([b"GET / HTTP/1.1\r\nA: " + b"x" * 70_000], (431, "head_too_long")),
        ([b"\x16\x03\x01 not HTTP\r\n\r\n"], (400, "invalid_request")),
    ],
    ids=["silent", "half", "dripping", "endless", "rude"],
)
def test_a_bad_head_is_refused_and_the_connection_closed(
    sent: list[bytes], expected: tuple[int, str]
) -> None:
    async def scenario() -> None:
        async with served(Limits(head_seconds=0.1)) as listening:
            response = await heard(listening, *sent)
            assert error(response) == expected
            assert response.headers["sudare-api"] == "1"
            assert "server" not in response.headers

    asyncio.run(scenario())


def chunked(asked: Collection) -> bytes:
    """The head of a report in chunks."""
    return (
        f"POST /collections/{asked.key}/reports HTTP/1.1\r\nHost: a\r\n"
        f"Content-Type: {PACKED}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    ).encode()


@pytest.mark.parametrize(
    "trailer",
    [b"X: " + b"a" * 1000 + b"\r\n", b"a" * 1000],
    ids=["many", "one"],
)
def test_endless_trailers_are_refused_and_never_kept(
    trailer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[bytes] = []
    keep = HttpToolsProtocol.on_header

    def keeping(self: HttpToolsProtocol, name: bytes, value: bytes) -> None:
        kept.append(name + value)
        keep(self, name, value)

    monkeypatch.setattr(HttpToolsProtocol, "on_header", keeping)

    async def scenario() -> None:
        asked = tea()
        async with served(Limits(), asked) as listening:
            end = [b"1\r\na\r\n0\r\nY: ", *[trailer * 20] * 10]
            response = await heard(listening, chunked(asked), *end)
            assert error(response) == (431, "head_too_long")

    asyncio.run(scenario())
    assert sum(map(len, kept)) < 1000


def test_a_body_in_many_small_chunks_with_a_trailer_is_taken() -> None:
    async def scenario() -> None:
        asked = tea()
        async with served(Limits(), asked) as listening:
            body = packed(said(asked, *[1] * 100))
            parts = [b"1;%s\r\n%c\r\n" % (b"x" * 100, byte) for byte in body]
            framed = b"".join(parts)
            assert len(framed) > 2 * 65_536
            cuts = [framed[at : at + 9999] for at in range(0, len(framed), 9999)]
            end = b"0\r\nContent-Type: text/plain\r\n\r\n"
            response = await heard(listening, chunked(asked), *cuts, end)
            assert receipts([response]) == [(100, 0, 0)]

    asyncio.run(scenario())


def test_a_long_trailer_is_no_part_of_the_next_head() -> None:
    async def scenario() -> None:
        asked = tea()
        async with served(Limits(), asked) as listening:
            body = packed(said(asked, 1))
            first = chunked(asked).replace(b"Connection: close\r\n", b"")
            first += b"%x\r\n%s\r\n0\r\n" % (len(body), body)
            long = b"X: " + b"a" * 40_000 + b"\r\n"
            second = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + long
            port = int(listening.url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for part in (first, long, b"\r\n" + second, b"\r\n"):
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.05)  # or it would arrive with the next
            answers = await asyncio.wait_for(reader.read(), 10)
            assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"202", b"200"]
            writer.close()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"CONNECT x:1 HTTP/1.1", (400, "invalid_request")),
        (b"CONNECT /healthz HTTP/1.1", (400, "invalid_request")),
        (b"GET /healthz HTTP/1.1\r\nContent-Length: 5", (400, "unwanted_body")),
        (b"HEAD / HTTP/1.1\r\nTransfer-Encoding: chunked", (400, "unwanted_body")),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked", (501, "unknown_encoding")),
        (
            b"POST / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 5",
            (400, "no_upgrade"),
        ),
    ],
    ids=["connect", "connect path", "get", "head", "gzip", "upgrade"],
)
def test_a_head_that_asks_for_what_cannot_be_is_refused_without_a_trace(
    head: bytes, expected: tuple[int, str], caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with served(Limits()) as listening:
            response = await heard(listening, head + b"\r\nHost: a\r\n\r\n", b"later")
            assert error(response) == expected

    asyncio.run(scenario())
    assert not caplog.records


def test_whoever_asks_for_another_protocol_is_answered_in_ours() -> None:
    async def scenario() -> None:
        async with served(Limits()) as listening:
            head = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n"
            response = await heard(listening, head + b"\r\n")
            assert response.json() == {"status": "ok"}

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "second",
    [
        b"rubbish",
        b"CONNECT x:1 HTTP/1.1",
        b"GET http://[::1 HTTP/1.1",
        b"GET http://a:70000/ HTTP/1.1",
        b"GET /healthz HTTP/1.1\r\nContent-Length: 5",
    ],
    ids=["rubbish", "connect", "address", "port", "body"],
)
def test_words_on_a_second_request_are_never_taken_for_the_answer_to_the_first(
    second: bytes,
) -> None:
    async def scenario() -> None:
        asked = tea()
        async with served(Limits(), asked) as listening:
            whole = chunked(asked).replace(b"Connection: close\r\n", b"")
            body = packed(said(asked, 1))
            first = whole + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
            port = int(listening.url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(first + second + b"\r\n\r\n")
            assert await asyncio.wait_for(reader.read(), 10) == b""
            writer.close()

    asyncio.run(scenario())


def test_what_nobody_waits_for_is_logged_by_kind_and_place_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        async with served(Limits()):
            loop = asyncio.get_running_loop()
            loop.call_soon(lambda: int("a secret"))
            loop.call_exception_handler({"message": "a secret"})
            await asyncio.sleep(0.01)

    asyncio.run(scenario())
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2
    assert told[1].startswith("unforeseen ValueError at test_server.py")
    assert "secret" not in caplog.text


def test_a_second_head_on_the_same_connection_must_come_in_time_too() -> None:
    async def scenario() -> None:
        limits = Limits(head_seconds=0.2)
        async with served(limits) as listening:
            whole = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
            port = int(listening.url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(whole)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            writer.write(whole[:20])
            rest = await asyncio.wait_for(reader.read(), 10)
            assert rest.count(b"HTTP/1.1 408") == 1
            writer.close()

    asyncio.run(scenario())


def test_a_connection_that_sends_nothing_but_empty_lines_is_closed() -> None:
    async def scenario() -> None:
        async with served(Limits(head_seconds=0.2)) as listening:
            whole = b"GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n"
            response = await heard(listening, whole, *[b"\r\n"] * 3)
            assert response.status_code == 404
            assert response.content.count(b"HTTP/1.1 408") == 1

    asyncio.run(scenario())


def test_a_body_that_stalls_is_given_up_and_the_rest_goes_on() -> None:
    async def scenario() -> None:
        asked = tea()
        async with served(Limits(body_seconds=1), asked) as listening:
            head = (
                f"POST /collections/{asked.key}/reports HTTP/1.1\r\nHost: a\r\n"
                f"Content-Type: {PACKED}\r\nContent-Length: 17\r\nConnection: close\r\n\r\n"
            )
            response = await heard(listening, head.encode(), b"some")
            assert error(response) == (408, "body_too_slow")
            body = packed(said(asked, 1))
            response = await heard(listening, head.encode(), body[:5], body[5:])
            assert receipts([response]) == [(1, 0, 0)]

    asyncio.run(scenario())


def test_connections_are_limited() -> None:
    async def scenario() -> None:
        async with served(Limits(connections=2)) as listening:
            port = int(listening.url.rpartition(":")[2])
            held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
            await asyncio.sleep(0.05)
            request = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            for sent in ([], [request]):
                response = await heard(listening, *sent)
                assert error(response) == (429, "busy")
                assert response.headers["retry-after"] == "5"
            held[0][1].close()
            await asyncio.sleep(0.05)
            assert (await heard(listening, request)).json() == {"status": "ok"}
            held[1][1].close()

    asyncio.run(scenario())


def test_many_new_connections_are_taken_in_few_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = 0
    take = HttpToolsProtocol.connection_made

    def counting(self: HttpToolsProtocol, transport: asyncio.Transport) -> None:
        nonlocal taken
        taken += 1
        take(self, transport)

    monkeypatch.setattr(HttpToolsProtocol, "connection_made", counting)

    async def scenario() -> None:
        async with served(Limits()) as listening:
            address = ("127.0.0.1", int(listening.url.rpartition(":")[2]))
            with contextlib.ExitStack() as new:
                for _ in range(64):
                    new.enter_context(socket.create_connection(address))
                turns = 0
                while taken < 64:
                    await asyncio.sleep(0)
                    turns += 1
            assert turns < 32

    uvloop.run(scenario())


class Running:
    """``sudare serve`` in a process of its own."""

    def __init__(self, folder: Path, *options: object) -> None:
        self.process = process(
            folder, "serve", *options, "--port", 0, "--json", stdin=subprocess.DEVNULL
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        ready = json.loads(line)
        assert ready.keys() == {"address", "pid"}
        assert ready["pid"] == self.process.pid
        self.address = ready["address"]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> str:
        """Ask it to stop; what it wrote to stderr."""
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=60)
        assert (self.process.returncode, out) == (0, b"")
        return str(err.decode())


@contextlib.contextmanager
def running(folder: Path, *options: object) -> Iterator[Running]:
    one = Running(folder, *options)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


def write(folder: Path, collection: Collection) -> str:
    (folder / "tea.json").write_bytes(collection.to_json())
    return "tea.json"


def test_a_collector_starts_counts_stops_and_remembers(tmp_path: Path) -> None:
    asked = tea()
    path = f"/collections/{asked.key}/reports"
    headers = {"content-type": PACKED}
    body = packed(said(asked, *[0, 1, 2] * 50))
    with running(tmp_path, write(tmp_path, asked), "--public") as first:
        with httpx.Client(base_url=first.address, headers=headers) as client:
            assert error(client.post(path, content=body)) == (401, "unauthorized")
            small = client.post(path, content=body[: 17 * 3])
            assert receipts([small]) == [(3, 0, 0)]
            assert client.get(f"/collections/{asked.key}/estimate").status_code == 200
        said_first = first.stop()
    assert "sdr_" not in said_first
    assert "is in sudare.db.admin-token, for you alone" in said_first
    kept = tmp_path / "sudare.db.admin-token"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    token = kept.read_text().strip()
    with running(tmp_path) as second:
        bearer = {**headers, "authorization": f"Bearer {token}"}
        with httpx.Client(base_url=second.address, headers=bearer) as client:
            assert receipts([client.post(path, content=body)]) == [(147, 3, 0)]
        made = succeed(tmp_path, "token", "new", "--role", "relay", "--label", "gate").out.strip()
        bearer = {**headers, "authorization": f"Bearer {made}"}
        with httpx.Client(base_url=second.address, headers=bearer) as client:
            assert receipts([client.post(path, content=body)]) == [(0, 150, 0)]
            name = made.split("_")[1]
            succeed(tmp_path, "token", "revoke", name)
            assert client.post(path, content=body).status_code == 401
        assert "is open already" in refused_while_running(tmp_path)
        said_second = second.stop(signal.SIGINT)
    assert "sdr_" not in said_second  # there is a token already
    assert "127.0.0.1" not in said_first + said_second


def refused_while_running(folder: Path) -> str:
    """What a second collector on the same store says."""
    other = process(folder, "serve", "--port", 0)
    out, err = other.communicate(timeout=60)
    assert (other.returncode, out) == (2, b"")
    return str(err.decode())


def test_what_is_in_flight_when_it_stops_is_answered(tmp_path: Path) -> None:
    asked = tea()
    with running(tmp_path, write(tmp_path, asked)) as one:
        host, port = one.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            body = packed(said(asked, 1))
            head = (
                f"POST /collections/{asked.key}/reports HTTP/1.1\r\nHost: a\r\n"
                f"Content-Type: {PACKED}\r\nContent-Length: {len(body)}\r\n"
                f"Expect: 100-continue\r\n\r\n"
            )
            connection.sendall(head.encode())
            assert connection.recv(4096).startswith(b"HTTP/1.1 100")  # it waits for the body
            connection.sendall(body[:7])
            one.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(ConnectionRefusedError):
                while True:  # until it takes no more connections
                    socket.create_connection((host, int(port)), timeout=30).close()
                    time.sleep(0.05)
            connection.sendall(body[7:])
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
        assert answer.startswith(b"HTTP/1.1 202")
        assert answer.endswith(b'{"new":1,"repeated":0,"refused":0}')
        one.process.communicate(timeout=60)
        assert one.process.returncode == 0
    store = open_store(str(tmp_path / "sudare.db"))
    assert [window.n for window in store.windows(asked.key)] == [1]
    store.shut()


def test_tls_by_files(tmp_path: Path) -> None:
    asked = tea()
    chain, key = certificate(tmp_path, "localhost")
    options = ("--host", "localhost", "--certificate", chain, "--private-key", key)
    with running(tmp_path, write(tmp_path, asked), *options) as one:
        assert one.address.startswith("https://localhost:")
        trusted = ssl.create_default_context(cafile=chain)
        with httpx.Client(base_url=one.address, verify=trusted) as client:
            assert client.get("/healthz").json() == {"status": "ok"}
        one.stop()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 - it is warned of
def test_other_machines_without_tls_are_warned_of(host: str, tmp_path: Path) -> None:
    warning = (
        f"Warning: {host} is open to other machines without TLS, so that whoever is between can "
        "read and change what is sent: give --certificate and --private-key, or let a proxy with "
        "TLS stand before it and name it with --trusted-proxy"
    )
    with running(tmp_path, "--host", host) as one:
        assert warning in one.stop().splitlines()


def test_who_has_tls_or_a_proxy_or_no_neighbours_is_not_warned(tmp_path: Path) -> None:
    chain, key = certificate(tmp_path, "localhost")
    for options in (
        ("--host", "0.0.0.0", "--certificate", chain, "--private-key", key),  # noqa: S104
        ("--host", "0.0.0.0", "--trusted-proxy", "10.0.0.1"),  # noqa: S104
        ("--host", "127.0.0.2"),
        ("--host", "localhost"),
    ):
        with running(tmp_path, *options) as one:
            assert "without TLS" not in one.stop()


def test_what_cannot_be_served_is_refused_in_a_sentence_and_nothing_is_made(
    tmp_path: Path,
) -> None:
    def told(*options: object) -> str:
        return refused(tmp_path, "serve", *options)

    chain, key = certificate(tmp_path, "localhost")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "another program has that port" in told("--port", port).lower()
    assert "belong together" in told("--certificate", chain)
    assert "no certificate" in told("--certificate", key, "--private-key", chain)
    assert "missing.pem" in told("--certificate", "missing.pem", "--private-key", key)
    assert "missing.json" in told("missing.json")
    endless = Collection("on", "On?", ("off", "on"), Glance.calibrate(6, 1.0))
    assert "has no windows" in (sentence := told(write(tmp_path, endless)))
    assert "by `sudare collection new` with --window" in sentence
    assert "a trusted proxy is an address" in told("--trusted-proxy", "proxy.example")
    for option in ("--rate", "--body-seconds"):
        for number in ("nan", "inf"):
            assert option in told(option, number, "--port", 0)
    assert not (tmp_path / "sudare.db").exists()
    for words in (("send", "phone"), ("answer", "http://x", "key", "--device", "phone")):
        assert "--patience" in refused(tmp_path, "device", *words, "--patience", "nan")
    assert "can't listen at no.such.host.invalid" in told("--host", "no.such.host.invalid")
    (tmp_path / "text").write_text("not a database, and long enough to be looked at " * 100)
    result = run(tmp_path, "serve", "--store", "text", "--port", 0)
    assert (result.code, result.stdout) == (2, b"")
    assert result.err.startswith("Error: ")
    assert result.err.count("\n") == 1
    assert (tmp_path / "text").read_text().startswith("not a database")


def test_tokens_of_no_store_are_not_listed_and_none_is_made(tmp_path: Path) -> None:
    for asked in (("list",), ("revoke", "abc")):
        assert "there is no store typo.db" in refused(
            tmp_path, "token", *asked, "--store", "typo.db"
        )
    assert list(tmp_path.iterdir()) == []


def test_tokens_are_listed_without_secrets_and_unknown_ones_cannot_be_revoked(
    tmp_path: Path,
) -> None:
    made: Any = succeed(tmp_path, "token", "new", "--role", "analyst", "--days", 7, "--json").json()
    text = succeed(tmp_path, "token", "new", "--role", "admin", "--label", "Ada").out.strip()
    listed = succeed(tmp_path, "token", "list")
    assert made["name"] in listed.out
    assert "Ada" in listed.out
    for token in (made["token"], text):
        assert token.split("_", 2)[2] not in listed.out
    rows: Any = succeed(tmp_path, "token", "list", "--json").json()
    expires = {row["role"]: row["expires"] for row in rows}
    assert expires.keys() == {"analyst", "admin"}
    assert abs(expires["analyst"] - time.time() - 7 * 86400) < 100
    succeed(tmp_path, "token", "revoke", made["name"])
    assert made["name"] not in succeed(tmp_path, "token", "list").out
    assert "there is no token" in refused(tmp_path, "token", "revoke", made["name"])


def test_the_first_token_is_written_where_it_is_said_and_over_nothing_else(tmp_path: Path) -> None:
    asked = write(tmp_path, tea())
    (tmp_path / "sudare.db.admin-token").write_text("a letter")
    other = process(tmp_path, "serve", asked, "--port", 0)
    out, err = other.communicate(timeout=60)
    assert (other.returncode, out) == (2, b"")
    assert b"sudare.db.admin-token, which is something else" in err
    assert (tmp_path / "sudare.db.admin-token").read_text() == "a letter"
    with running(tmp_path, "--admin-token-file", "first.token") as one:
        token = (tmp_path / "first.token").read_text().strip()
        bearer = {"authorization": f"Bearer {token}"}
        session = httpx.get(f"{one.address}/session", headers=bearer, trust_env=False).json()
        assert (session["role"], session["label"]) == ("admin", "made by sudare serve")
        assert "is in first.token, for you alone" in one.stop()
    store = open_store(str(tmp_path / "sudare.db"))
    assert store.revoke(session["name"])
    store.shut()
    with running(tmp_path, "--admin-token-file", "first.token") as again:  # an old one is replaced
        again.stop()
    assert (tmp_path / "first.token").read_text().strip() != token
