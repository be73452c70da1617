"""A collector on a free port of this machine, on the event loop of a test."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from starlette.types import ASGIApp, Receive, Send

from sudare.collection.document import Collection
from sudare.collector.http.addresses import Addresses
from sudare.collector.http.app import create_app
from sudare.collector.http.limits import Limits
from sudare.collector.service import Service
from sudare.collector.serving.server import Listening, Server, listen
from sudare.collector.stores.contract import HeldCollection
from support.memory_store import MemoryStore


@contextlib.asynccontextmanager
async def served(
    limits: Limits,
    *collections: Collection,
    store: MemoryStore | None = None,
    app: ASGIApp | None = None,
    certified: tuple[Path, Path] | None = None,
    signals: int = 1,
    clock: Callable[[], float] | None = None,
    trusted: Sequence[str] = (),
) -> AsyncIterator[Listening]:
    """A server of these collections; of another application, if there is one.

    With TLS, if there are a certificate and its key; told so many times to stop, at the end.
    Proxies may be trusted, and the time may be another.
    """
    store = store or MemoryStore()
    for collection in collections:
        store.add(HeldCollection(collection))
    service = Service(store, clock, Addresses(trusted))
    listening, started = listen("127.0.0.1", 0, *(certified or ())), asyncio.Event()
    app = app or create_app(service, limits=limits)
    server = Server(app, listening, limits, started.set, service.end)
    task = asyncio.create_task(server.serve())
    await started.wait()
    try:
        yield listening
    finally:
        for _ in range(signals):
            server.handle_exit(signal.SIGTERM, None)
        await task
    assert service.ending


async def live(receive: Receive, send: Send) -> None:
    """ASGI's lifespan of an application that has nothing to begin or to end."""
    for kind in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{kind}.complete"})
