"""A collector inside a test: its whole application in this process, with a clock that is turned."""

import asyncio
import hashlib
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import httpx
import numpy as np
import uvicorn

from sudare import GRR, OUE, Collection, Glance, Part, Rappor, SampledQuestions, Seeded
from sudare.collection.windows import Windows
from sudare.collector.http.app import create_app
from sudare.collector.http.auth import Bearers, new_token
from sudare.collector.http.limits import Limits
from sudare.collector.http.origins import Origins
from sudare.collector.http.routes import every_route
from sudare.collector.service import Service
from sudare.collector.stores.contract import Group, HeldCollection, Role, Store
from sudare.mechanisms.interface import Records
from support.memory_store import MemoryStore

NOON = 1_900_000_000.0
TEAS = ("green", "black", "oolong")
TEA = Collection("tea", "Which tea?", TEAS, OUE.calibrate(3, 1.0), 100)
DAYS = Collection(
    "mood", "A good day?", ("yes", "no"), GRR(2, 0.75), 10, Windows(int(NOON), 3600), invited=True
)
ONLINE = Collection(
    "online", "Online?", ("no", "yes"), Glance.calibrate(6, 2.0), 20, Windows(int(NOON), 60)
)
STUDY = Collection(
    *("study", "Two questions", (), SampledQuestions((GRR(3, 0.5), OUE.calibrate(2, 1.0))), 50),
    parts=(Part("tea", "Which tea?", TEAS), Part("town", "Where?", ("Tokyo", "Kyoto"))),
)
WORDS = Collection(
    *("words", "Which word?", ()),
    Rappor.calibrate(6.0, form="instant", bits=64, cohorts=16),
    50,
)


class Clock:
    """Time that stands still until it is turned."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


class Collector:
    """A collector, and somebody who sends requests to it.

    Attributes:
        tokens: one of each role.
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        origins: Iterable[str] = (),
        limits: Limits | None = None,
        **options: Any,
    ) -> None:
        self.clock = Clock()
        self.store = store or MemoryStore()
        self.service = Service(self.store, self.clock)
        self.bearers = Bearers(self.store, self.clock)
        self.tokens = {role: self.token(role) for role in Role}
        routes = every_route(self.service, self.bearers, **options)
        self.app = create_app(
            self.service,
            routes,
            role_of=self.bearers.role_of,
            limits=limits,
            origins=Origins(origins),
        )
        self.runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.runner.close()
        self.store.shut()

    def token(self, role: Role, expires: int | None = None) -> str:
        text, token = new_token(role, "a test's", expires)
        self.store.add_token(token)
        return text

    def hold(self, collection: Collection, *, public: bool = False, grace: int = 0) -> str:
        """Hold a collection, whose key this is."""
        self.store.add(HeldCollection(collection, grace=grace))
        self.store.change(collection.key, public=public)
        self.service.refresh()
        return collection.key

    def count(self, collection: Collection, reports: Records, window: int = 0) -> None:
        """Count reports, each under a name of its own."""
        names = np.random.default_rng(len(reports)).integers(0, 2**63, (len(reports), 2))
        seen = sum(one.n for one in self.store.windows(collection.key))
        names[:, 0] = seen + np.arange(len(reports))
        invitations = None
        if collection.invited:
            digests = [hashlib.sha256(name.tobytes()).digest() for name in names]
            self.store.invite(collection.key, digests)
            flat = np.frombuffer(b"".join(digests), np.uint8)
            invitations = flat.reshape(-1, 32)
        group = Group(collection, window, names.astype(np.uint64), reports, invitations)
        (fates,) = self.store.commit([group])
        assert not fates.any()

    def answer(
        self, collection: Collection, people: Mapping[Any, int], window: int = 0, seed: int = 1
    ) -> None:
        """Count the reports of so many people."""
        answers = [answer for answer, number in people.items() for _ in range(number)]
        self.count(collection, collection.randomize(answers, Seeded(seed)), window)

    def ask(
        self,
        method: str,
        path: str,
        role: Role | None = None,
        address: str = "192.0.2.1",
        **options: Any,
    ) -> httpx.Response:
        """One request, whole."""
        headers = dict(options.pop("headers", {}))
        if role is not None:
            headers["Authorization"] = f"Bearer {self.tokens[role]}"

        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, client=(address, 1))
            async with httpx.AsyncClient(
                transport=transport, base_url="http://collector"
            ) as sender:
                return await sender.request(method, path, headers=headers, **options)

        return self.runner.run(asked())

    def get(self, path: str, role: Role | None = None, **options: Any) -> httpx.Response:
        return self.ask("GET", path, role, **options)


def code(response: httpx.Response, status: int) -> str:
    """The code of an error, which has the one shape of errors."""
    assert response.status_code == status, response.text
    body = response.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() - {"ways_out"} == {"code", "message"}
    assert response.headers["sudare-api"] == "1"
    return str(body["error"]["code"])


def static(folder: Path) -> Path:
    """Pages as a build leaves them."""
    (folder / "assets").mkdir()
    (folder / "index.html").write_text("<!doctype html><title>Dashboard</title>")
    (folder / "plan.html").write_text("<!doctype html><title>Plan</title>")
    (folder / "survey.html").write_text("<!doctype html><title>Survey</title>")
    (folder / "assets" / "index-1a2b.js").write_text("export {};")
    return folder


@contextmanager
def at_port(collector: Collector) -> Iterator[str]:
    """The collector behind a real server, until the end of the block; its address."""
    config = uvicorn.Config(collector.app, log_config=None, access_log=False, lifespan="on")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            collector.service.ending = True
            server.should_exit = True
            thread.join()
