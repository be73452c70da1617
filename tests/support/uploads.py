"""A collector inside a test: collections, bodies to send, and the application in this process."""

import contextlib
import os
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.collector.http.app import App, create_app
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection, Store
from sudare.collector.stores.open import open_store
from sudare.formats.report_ids import ID_BYTES, IdentifiedReports, ids_of, join
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.interface import Records
from sudare.mechanisms.over_time.glance import Glance
from support.memory_store import MemoryStore

PACKED = "application/octet-stream"
TEAS = ("green", "black", "oolong")


STORES = ("memory", "sqlite")


def new_store(kind: str, folder: Path) -> Store:
    """A store of each kind, empty."""
    return MemoryStore() if kind == "memory" else open_store(str(folder / "sudare.db"))


def tea(name: str = "tea", **rules: Any) -> Collection:
    return Collection(name, "Which tea?", TEAS, GRR(3, 0.5), **rules)


def hourly(**rules: Any) -> Collection:
    """Windows of an hour, the first at 1000 seconds."""
    return tea(windows=Windows(1000, 3600), **rules)


def streamed() -> Collection:
    """Windows of six rounds of ten seconds, the first at 1000."""
    mechanism = Glance.calibrate(6, 1.0)
    return Collection("state", "On?", ("off", "on"), mechanism, windows=Windows(1000, 60))


def said(collection: Collection, *answers: int) -> Records:
    """Reports that say so."""
    reports = np.zeros(len(answers), collection.report_dtype)
    reports["answer"] = answers
    return reports


def named(reports: Records, names: bytes | None = None) -> IdentifiedReports:
    return IdentifiedReports(ids_of(names or os.urandom(len(reports) * ID_BYTES)), reports)


def packed(reports: Records, names: bytes | None = None) -> bytes:
    return join(named(reports, names)).tobytes()


class Clock:
    """A clock that a test turns."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Collector:
    """An application that runs, and a client of it."""

    def __init__(self, app: App, service: Service, client: httpx.AsyncClient) -> None:
        self.app, self.service, self.client = app, service, client

    async def send(
        self, collection: Collection, body: bytes, window: int | None = None, **headers: str
    ) -> httpx.Response:
        """Send a body of reports; ``content_type`` and other headers by name."""
        query = "" if window is None else f"?window={window}"
        written = {name.replace("_", "-"): value for name, value in headers.items()}
        response = await self.client.post(
            f"/collections/{collection.key}/reports{query}",
            content=body,
            headers={"content-type": PACKED, **written},
        )
        assert response.headers["sudare-api"] == "1"
        assert response.headers["x-content-type-options"] == "nosniff"
        return response


@contextlib.asynccontextmanager
async def collecting(
    store: Store, *collections: Collection, clock: Callable[[], float] | None = None, **options: Any
) -> AsyncIterator[Collector]:
    """A collector that holds these collections, until the end of the block."""
    grace = options.pop("grace", 0)
    for collection in collections:
        store.add(HeldCollection(collection, grace=grace))
    service = Service(store, clock) if clock else Service(store)
    app = create_app(service, **options)
    transport = httpx.ASGITransport(app)
    async with (
        app.running(),
        httpx.AsyncClient(transport=transport, base_url="http://collector") as client,
    ):
        yield Collector(app, service, client)


def error(response: httpx.Response) -> tuple[int, str]:
    """The status and the code of an error, in the one shape that errors have."""
    document = response.json()
    assert document.keys() == {"error"}
    assert document["error"].keys() == {"code", "message"}
    assert response.headers["content-type"] == "application/json"
    return response.status_code, document["error"]["code"]


def receipts(responses: Sequence[httpx.Response]) -> list[tuple[int, int, int]]:
    assert {response.status_code for response in responses} <= {202}
    return [tuple(response.json().values()) for response in responses]
