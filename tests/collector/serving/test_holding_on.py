"""Whoever holds on to a connection without use of it is let go, and others get in meanwhile."""

import asyncio
import contextlib
import json
import resource
import socket
import ssl
import subprocess
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvloop
from starlette.types import Receive, Scope, Send

from sudare.collector.http.limits import Limits
from sudare.collector.serving.server import Listening
from support.certificates import certificate
from support.commands import process
from support.served import live, served
from support.uploads import PACKED, packed, receipts, said, tea

Run = Callable[[Coroutine[Any, Any, None]], object]
ASK = b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"
loops = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])


def port_of(listening: Listening) -> int:
    return int(listening.url.rpartition(":")[2])


@contextlib.contextmanager
def deaf(port: int) -> Iterator[socket.socket]:
    """A connection that is about to hear nothing: the kernel keeps little for it."""
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.connect(("127.0.0.1", port))
        made.setblocking(False)
        yield made


def say(connection: socket.socket, text: bytes) -> int:
    """Send as much as is taken."""
    try:
        return connection.send(text)
    except BlockingIOError:
        return 0


async def healthy(listening: Listening, verify: ssl.SSLContext | bool = True) -> bool:
    """Whether somebody who comes now is answered."""
    try:
        async with httpx.AsyncClient(base_url=listening.url, verify=verify, timeout=60) as client:
            return (await client.get("/healthz")).status_code == 200
    except httpx.TransportError:
        return False


async def until_healthy(listening: Listening, verify: ssl.SSLContext | bool = True) -> None:
    for _ in range(250):
        if await healthy(listening, verify):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("nobody new is answered")


def test_who_never_reads_an_answer_is_let_go() -> None:
    """Requests are sent ahead, and none of the answers is read: all connections are taken so."""

    async def scenario() -> None:
        limits = Limits(connections=4, write_seconds=1)
        async with served(limits, app=endless) as listening:
            with contextlib.ExitStack() as held:
                held_back = [held.enter_context(deaf(port_of(listening))) for _ in range(4)]
                for connection in held_back:
                    say(connection, ASK)
                await asyncio.sleep(0.2)
                assert not await healthy(listening)
                await until_healthy(listening)

    uvloop.run(scenario())


async def endless(scope: Scope, receive: Receive, send: Send) -> None:
    """An application whose answers have no end, but for those about its health."""
    if scope["type"] == "lifespan":
        await live(receive, send)
        return
    await receive()
    gone = asyncio.ensure_future(receive())
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while scope["path"] != "/healthz" and not gone.done():
        await send({"type": "http.response.body", "body": bytes(1 << 15), "more_body": True})
        await asyncio.sleep(0)
    gone.cancel()
    await send({"type": "http.response.body", "body": b"{}"})


def test_who_sends_on_and_never_reads_is_let_go() -> None:
    """As above, by many answers that are small."""

    async def scenario() -> None:
        async with served(Limits(connections=1, write_seconds=1)) as listening:
            with deaf(port_of(listening)) as connection:
                say(connection, ASK)
                await asyncio.sleep(0.1)
                async with asyncio.timeout(25):
                    with contextlib.suppress(ConnectionError):
                        while True:
                            say(connection, ASK * 200)
                            await asyncio.sleep(0.02)
            await until_healthy(listening)

    uvloop.run(scenario())


def test_who_reads_slowly_but_reads_has_all_of_it() -> None:
    whole = bytes(range(256)) * 12_000

    async def large(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await live(receive, send)
            return
        length = (b"content-length", str(len(whole)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": whole})

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        limits = Limits(write_seconds=0.5, write_rate=1 << 10)
        async with served(limits, app=large) as listening:
            with deaf(port_of(listening)) as connection:
                say(connection, ASK.replace(b"Host: a", b"Connection: close"))
                heard, pauses = b"", 0
                async with asyncio.timeout(120):
                    while part := await loop.sock_recv(connection, 1 << 16):
                        heard += part
                        if len(heard) > pauses << 16:  # some seconds in all
                            pauses += 1
                            await asyncio.sleep(0.05)
                assert heard.endswith(whole)

    uvloop.run(scenario())


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return certificate(tmp_path_factory.mktemp("certified"), "collector")


def any_host() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@loops
@pytest.mark.parametrize(
    "begun",
    [b"", b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\n\r\n"],
    ids=["silent", "half", "plain"],
)
def test_connections_without_a_handshake_count_and_end(
    run: Run, begun: bytes, certified: tuple[Path, Path]
) -> None:
    async def scenario() -> None:
        limits = Limits(connections=3, handshake_seconds=1)
        async with served(limits, certified=certified) as listening:
            assert await healthy(listening, any_host())
            held = [await asyncio.open_connection("127.0.0.1", port_of(listening)) for _ in "123"]
            for _, writer in held:
                writer.write(begun)
            if not begun.startswith(b"GET"):  # which is no TLS, and is known at once
                await asyncio.sleep(0.2)
                assert not await healthy(listening, any_host())
            async with asyncio.timeout(25):
                for reader, writer in held:
                    with contextlib.suppress(ConnectionError):
                        await reader.read()
                    writer.close()
            await until_healthy(listening, any_host())

    run(scenario())


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_one_address_makes_room_for_another_and_not_for_itself(
    tls: bool, certified: tuple[Path, Path]
) -> None:
    """All connections are of one address: somebody else takes the place of an idle one."""

    async def scenario() -> None:
        context, limits = any_host() if tls else None, Limits(connections=4)

        async def opened(host: str) -> bytes:
            made = await asyncio.open_connection(
                "127.0.0.1", port_of(listening), ssl=context, local_addr=(host, 0)
            )
            held.append(made)
            made[1].write(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            return (await made[0].readline())[9:12]

        held: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        async with served(limits, certified=certified if tls else None) as listening:
            assert [await opened("127.0.0.1") for _ in range(4)] == [b"200"] * 4
            with contextlib.suppress(ConnectionError):
                assert await opened("127.0.0.1") in {b"429", b""}
            assert [await opened("127.0.0.2") for _ in range(2)] == [b"200"] * 2
            with contextlib.suppress(ConnectionError):
                assert await opened("127.0.0.2") in {b"429", b""}
            for _, writer in held:
                writer.close()

    async def in_time() -> None:
        async with asyncio.timeout(60):
            await scenario()

    uvloop.run(in_time())


def test_over_tls_nothing_is_lost_and_stopping_waits_for_no_handshake(
    certified: tuple[Path, Path],
) -> None:
    async def scenario() -> None:
        asked = tea()
        async with served(Limits(), asked, certified=certified) as listening:
            with socket.create_connection(("127.0.0.1", port_of(listening))):
                async with httpx.AsyncClient(base_url=listening.url, verify=any_host()) as client:
                    for size in (1, 100, 1):
                        body = packed(said(asked, *[1] * size))
                        path = f"/collections/{asked.key}/reports"
                        answer = await client.post(
                            path, content=body, headers={"content-type": PACKED}
                        )
                        assert receipts([answer]) == [(size, 0, 0)]

    async def in_time() -> None:
        async with asyncio.timeout(25):
            await scenario()

    uvloop.run(in_time())


def test_a_listener_without_descriptors_waits_a_moment(
    certified: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no connection can be taken, it isn't tried again and again."""
    tried, accept = [], socket.socket.accept

    def refusing(self: socket.socket) -> object:
        tried.append(1)
        if len(tried) < 3:
            raise OSError(24, "Too many open files")
        return accept(self)

    async def scenario() -> None:
        async with served(Limits(), certified=certified) as listening:
            monkeypatch.setattr(socket.socket, "accept", refusing)
            await until_healthy(listening, any_host())

    uvloop.run(scenario())
    assert len(tried) < 20


@pytest.mark.parametrize(
    ("soft", "hard", "status"), [(200, 5000, 202), (200, 300, 429)], ids=["raised", "respected"]
)
def test_descriptors_are_enough_for_all_connections_or_fewer_are_taken(
    tmp_path: Path, soft: int, hard: int, status: int
) -> None:
    """More connections than files may be open at first: somebody new is answered all the same."""

    def narrow() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    asked = tea()
    (tmp_path / "tea.json").write_bytes(asked.to_json())
    options = ("tea.json", "--port", 0, "--json", "--connections", 1000)
    collector = process(tmp_path, "serve", *options, stdin=subprocess.DEVNULL, preexec_fn=narrow)
    try:
        assert collector.stdout is not None
        address = json.loads(collector.stdout.readline())["address"]
        with contextlib.ExitStack() as held:
            port = int(address.rpartition(":")[2])
            for _ in range(400):
                held.enter_context(socket.create_connection(("127.0.0.1", port)))
            answer = httpx.post(
                f"{address}/collections/{asked.key}/reports",
                content=packed(said(asked, 1)),
                headers={"content-type": PACKED},
                timeout=60,
            )
            assert answer.status_code == status
    finally:
        collector.terminate()
        err = collector.communicate(timeout=60)[1].decode()
    assert ("ulimit -n" in err) == (status == 429), err
    assert "Traceback" not in err
