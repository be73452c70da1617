"""A collector that is told to stop waits for nobody who has their answers, or was told twice."""

import asyncio
import socket
import ssl
from pathlib import Path

import pytest
import uvloop
from starlette.types import Receive, Scope, Send

from sudare.collector.http.limits import Limits
from sudare.collector.serving import connection
from support.certificates import certificate
from support.served import live, served

ASK = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"


def asked_over_tls(port: int) -> ssl.SSLSocket:
    """A client that was answered, and neither reads on nor closes."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    client = context.wrap_socket(socket.create_connection(("127.0.0.1", port), 60))
    client.sendall(ASK)
    assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
    return client


def test_a_client_that_keeps_its_side_of_tls_open_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_GOODBYE_SECONDS", 0)
    certified = certificate(tmp_path, "collector")

    async def scenario() -> None:
        loop, late = asyncio.get_running_loop(), False

        def give_up() -> None:
            nonlocal late
            late = True
            client.close()

        async with served(Limits(), certified=certified) as listening:
            port = int(listening.url.rpartition(":")[2])
            client = await asyncio.to_thread(asked_over_tls, port)
            # Uvloop itself would wait for 30 seconds.
            closing = loop.call_later(20, give_up)
        closing.cancel()
        client.close()
        assert not late

    uvloop.run(scenario())


def test_a_second_signal_does_not_wait_for_somebody_who_does_not_read() -> None:
    full, ended = asyncio.Event(), asyncio.Event()

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await live(receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            piece = {"type": "http.response.body", "body": bytes(1 << 16), "more_body": True}
            sending = asyncio.ensure_future(send(piece))
            if not (await asyncio.wait([sending], timeout=0.2))[0]:
                full.set()
                await sending
                break
        ended.set()

    async def scenario() -> None:
        async with served(Limits(), app=endless, signals=2) as listening:
            port = int(listening.url.rpartition(":")[2])
            _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            writer.write(ASK)
            await asyncio.wait_for(full.wait(), 60)
        try:
            await asyncio.wait_for(ended.wait(), 20)
        finally:
            writer.transport.abort()
            await ended.wait()  # else the event loop would wait for it at its end

    uvloop.run(scenario())
