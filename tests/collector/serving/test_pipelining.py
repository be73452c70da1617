"""Requests sent ahead of the answers to those before them, on a real port."""

import asyncio
import random
import threading
from collections.abc import Callable, Sequence

import httptools
import pytest
import uvloop
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sudare.collection.document import Collection
from sudare.collector.http.limits import Limits
from sudare.collector.serving.connection import Protocol
from sudare.collector.serving.server import Listening
from sudare.collector.stores.contract import Fates, Group
from support.memory_store import MemoryStore
from support.served import live, served
from support.uploads import PACKED, packed, said, tea

ASK = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
NOTHING = b"GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n"


def upload(asked: Collection, number: int = 1, *, chunked: bool = False) -> bytes:
    """A request with so many reports."""
    body = packed(said(asked, *[1] * number))
    size = f"Content-Length: {len(body)}"
    if chunked:
        size = "Transfer-Encoding: chunked"
        body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:]))
        body += b"0\r\n\r\n"
    return (
        f"POST /collections/{asked.key}/reports HTTP/1.1\r\nHost: a\r\n"
        f"Content-Type: {PACKED}\r\n{size}\r\n\r\n"
    ).encode() + body


class Gate(MemoryStore):
    """A store that commits nothing until it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.open = threading.Event(), threading.Event()

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        self.reached.set()
        self.open.wait(60)
        return super().commit(groups)


class Client(asyncio.Protocol):
    """Keeps the statuses of answers, in their order; done after so many, or when it is closed."""

    def __init__(self, wanted: int) -> None:
        self.statuses: list[int] = []
        self.wanted = wanted
        self.parser = httptools.HttpResponseParser(self)
        self.done = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_message_complete(self) -> None:
        self.statuses.append(self.parser.get_status_code())
        if len(self.statuses) >= self.wanted:
            self.done.set()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.done.set()


async def connected(listening: Listening, wanted: int) -> tuple[asyncio.Transport, Client]:
    port = int(listening.url.rpartition(":")[2])
    loop = asyncio.get_running_loop()
    return await loop.create_connection(lambda: Client(wanted), "127.0.0.1", port)


async def answers(listening: Listening, wanted: int, *sent: bytes) -> list[int]:
    transport, client = await connected(listening, wanted)
    for part in sent:
        transport.write(part)
        await asyncio.sleep(0)
    await asyncio.wait_for(client.done.wait(), 60)
    transport.abort()
    return client.statuses


def held(store: MemoryStore, asked: Collection) -> int:
    return sum(window.n for window in store.windows(asked.key))


def test_all_are_answered_in_turn_and_few_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 0
    begin = HttpToolsProtocol.on_headers_complete

    def watched(self: HttpToolsProtocol) -> None:
        nonlocal most
        begin(self)
        most = max(most, len(self.pipeline))

    monkeypatch.setattr(HttpToolsProtocol, "on_headers_complete", watched)
    asked, store = tea(), MemoryStore()

    async def scenario() -> None:
        async with served(Limits(), asked, store=store) as listening:
            sent = b"".join(upload(asked) + NOTHING for _ in range(1000))
            assert await answers(listening, 2000, sent) == [202, 404] * 1000

    uvloop.run(scenario())
    assert held(store, asked) == 1000
    assert 0 < most <= 1024 // len(NOTHING)


def test_a_head_and_its_body_arrive_together() -> None:
    """Two packets would cost the server, and whoever reads them, nearly twice as much."""

    async def scenario() -> None:
        async with served(Limits()) as listening:
            port = int(listening.url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for _ in range(100):
                writer.write(ASK)
                assert (await reader.read(1 << 16)).endswith(b'\r\n\r\n{"status": "ok"}')
            writer.close()

    uvloop.run(scenario())


def test_cuts_anywhere_change_nothing(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - where to cut, not a secret
    asked, store = tea(), MemoryStore()
    kinds: list[Callable[[], tuple[bytes, int]]] = [
        lambda: (ASK, 200),
        lambda: (NOTHING, 404),
        lambda: (upload(asked), 202),
        lambda: (upload(asked, 90), 202),
        lambda: (upload(asked, 3, chunked=True), 202),
        lambda: (upload(asked, 101), 401),
    ]

    async def scenario() -> None:
        async with served(Limits(), asked, store=store) as listening:
            for _ in range(20):
                chosen = [rng.choice(kinds)() for _ in range(30)]
                stream = b"".join(sent for sent, _ in chosen)
                cuts = sorted(rng.sample(range(len(stream)), rng.randrange(8)))
                parts = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
                expected = [status for _, status in chosen]
                assert await answers(listening, len(expected), *parts) == expected

    uvloop.run(scenario())


def test_a_head_that_is_not_read_yet_is_not_late() -> None:
    asked, store = tea(), Gate()

    async def scenario() -> None:
        async with served(Limits(head_seconds=0.2), asked, store=store) as listening:
            transport, client = await connected(listening, 4)
            transport.write(upload(asked) + ASK)
            await asyncio.to_thread(store.reached.wait, 60)
            transport.write(ASK + ASK[:20])
            await asyncio.sleep(0.1)
            transport.write(ASK[20:])
            await asyncio.sleep(0.5)  # longer than a head may take
            store.open.set()
            await asyncio.wait_for(client.done.wait(), 60)
            assert client.statuses == [202, 200, 200, 200]
            transport.abort()

    uvloop.run(scenario())


def test_each_head_has_its_own_time_though_a_part_of_the_next_came_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = 0
    await_head = Protocol._await_head

    def watched(self: Protocol) -> None:
        nonlocal begun
        begun += 1
        await_head(self)

    monkeypatch.setattr(Protocol, "_await_head", watched)

    async def scenario() -> None:
        async with served(Limits()) as listening:
            transport, client = await connected(listening, 1)
            transport.write(ASK[:9])
            for answered in range(1, 6):
                transport.write(ASK[9:] + ASK[:9])
                await asyncio.wait_for(client.done.wait(), 60)
                client.done.clear()
                client.wanted += 1
                assert begun == 1 + answered
            transport.abort()
            assert client.statuses == [200] * 5

    uvloop.run(scenario())


def test_nothing_is_kept_of_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Protocol] = []
    connect = Protocol.connection_made

    def watched(self: Protocol, transport: asyncio.Transport) -> None:
        made.append(self)
        connect(self, transport)

    monkeypatch.setattr(Protocol, "connection_made", watched)

    async def scenario() -> None:
        asked = tea()
        async with served(Limits(), asked) as listening:
            transport, client = await connected(listening, 21)
            transport.write(upload(asked, 90) * 20 + ASK)
            await asyncio.wait_for(client.done.wait(), 60)
            assert client.statuses == [202] * 20 + [200]
            assert made[0]._unread.obj == b""  # a part, even an empty one, holds the whole
            transport.abort()

    uvloop.run(scenario())


def test_whoever_leaves_before_the_answers_leaves_no_trace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked, store = tea(), Gate()

    async def scenario() -> None:
        async with served(Limits(), asked, store=store) as listening:
            for _ in range(20):
                transport, _ = await connected(listening, 1)
                transport.write(upload(asked) * 100)
                await asyncio.sleep(0.01)
                transport.abort()
            store.open.set()
            assert await answers(listening, 1, upload(asked)) == [202]

    uvloop.run(scenario())
    assert not caplog.records
    assert held(store, asked) <= 3 * 20 + 1


def test_an_endless_answer_ends_when_its_listener_leaves_though_more_was_asked() -> None:
    ended = asyncio.Event()

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await live(receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        leaving = asyncio.create_task(left(receive))
        while not leaving.done():
            await send({"type": "http.response.body", "body": b"on", "more_body": True})
            await asyncio.sleep(0.01)
        ended.set()

    async def left(receive: Receive) -> None:
        message: Message = {"type": ""}
        while message["type"] != "http.disconnect":
            message = await receive()

    async def scenario() -> None:
        async with served(Limits(), app=endless) as listening:
            port = int(listening.url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(ASK + ASK)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            writer.transport.abort()
            await asyncio.wait_for(ended.wait(), 60)

    uvloop.run(scenario())


def test_what_follows_an_upgrade_that_is_refused_is_not_read() -> None:
    async def scenario() -> None:
        async with served(Limits()) as listening:
            head = (
                b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"
            )
            assert await answers(listening, 2, head + b"x" * 5000) == [200]

    uvloop.run(scenario())
