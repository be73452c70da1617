"""The collector of the demonstration, on a store that is gone afterwards, and who sends to it."""

import math
import secrets
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec

from sudare.chance.randomness import Seeded
from sudare.collector.http.app import create_app
from sudare.collector.http.auth import Bearers, new_token
from sudare.collector.http.limits import Limits
from sudare.collector.http.routes import every_route
from sudare.collector.http.standing import StandingBody
from sudare.collector.service import Service
from sudare.collector.serving.server import Listening, serve
from sudare.collector.stores.contract import Role, Store
from sudare.collector.stores.open import open_store
from sudare.collector.uploads.warming import warm
from sudare.demo.people import People
from sudare.demo.studies import CANDIDATES, Collections, Plan
from sudare.device.delivery import Answer, pause_after
from sudare.errors import CollectorRefused, CollectorUnavailable
from sudare.formats.collector_api import VERSION
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records
from sudare.questions.text import decode

_GRACE = 2  # seconds
_TICK = 0.2  # seconds between two looks at who is to send
_SECONDS = 30.0  # that a response may take


@dataclass(frozen=True, eq=False)
class Found:
    """The outcome of a study: the sum that the collector released, and the truth."""

    people: People
    aggregate: Aggregate
    truth: dict[str, float]


def run(
    plan: Plan,
    listening: Listening,
    ready: Callable[[str, list[People]], None],
    ticked: Callable[[], None],
) -> list[Found]:
    """Run the demonstration until a signal asks to stop, or everybody has answered.

    Args:
        plan: of what, and of how many.
        listening: where.
        ready: hears, once, the collector's address and whom it collects from.
        ticked: is called a few times a second. Both are called in another thread.

    Returns:
        What was found, if the demonstration ended by itself.
    """
    _compile(plan.collections(0))
    truths: dict[str, Callable[[], object]] = {}  # known when the collections are
    with _store() as store:
        bearer, token = new_token(Role.ADMIN, "the demonstration's")
        store.add_token(token)
        service = Service(store)
        bearers = Bearers(store, service.clock)
        routes = every_route(service, bearers, truths=truths)
        app = create_app(service, routes, role_of=bearers.role_of)

        def begun(url: str, studies: list[People]) -> None:
            truths.update({each.collection.key: _teller(each) for each in studies})
            ready(url, studies)

        sender = Sender(plan, bearer, begun, ticked)
        try:
            serve(app, service, listening, Limits(), sender.begin)
        finally:
            sender.end()
    return sender.found


def _teller(people: People) -> Callable[[], object]:
    return lambda: people.truth


@contextmanager
def _store() -> Iterator[Store]:
    """A store in a folder that is gone afterwards."""
    # Its name comes first: a signal may come as soon as it is made.
    folder = Path(tempfile.gettempdir(), f"sudare-demo-{secrets.token_hex(16)}")
    try:
        folder.mkdir(0o700)
        store = open_store(str(folder / "collector.db"))
        try:
            yield store
        finally:
            store.shut()
    finally:
        if folder.exists():
            shutil.rmtree(folder)


def _compile(collections: Collections) -> None:
    """Compile what counting and decoding need, before there is a round that could be missed."""
    warm(collections)
    home_page = collections.home_page
    everybody = dict.fromkeys(CANDIDATES, 1 << 20)
    decode(home_page, home_page.simulate(everybody, Seeded(0)), CANDIDATES)


class Sender:
    """A thread that asks a collector to hold the studies, and sends what people's devices report.

    It speaks HTTP, as an administrator and a relay elsewhere would.

    Attributes:
        found: what the collector released, once everybody has answered.
    """

    def __init__(
        self,
        plan: Plan,
        token: str,
        begun: Callable[[str, list[People]], None],
        ticked: Callable[[], None],
    ) -> None:
        self.found: list[Found] = []
        self._plan, self._begun, self._ticked = plan, begun, ticked
        self._headers = {"Authorization": f"Bearer {token}", "Sudare-Api": VERSION}
        self._ending = threading.Event()
        self._error: Exception | None = None
        self._thread: threading.Thread | None = None

    def begin(self, url: str) -> None:
        """Begin to send to the collector at an address."""
        self._thread = threading.Thread(target=self._run, args=(url,))
        self._thread.start()

    def end(self) -> None:
        """Send nothing more; an error of the thread is raised here."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self, url: str) -> None:
        try:
            with httpx.Client(
                base_url=url, headers=self._headers, timeout=_SECONDS, trust_env=False
            ) as client:
                studies = self._hold(client)
                self._begun(url, studies)
                self._send_all(client, studies)
                if not self._ending.is_set():
                    self.found = [_released(client, people) for people in studies]
        except Exception as error:  # noqa: BLE001 - raised by ``end``, in the main thread
            if not self._ending.is_set():
                self._error = error
        finally:
            if not self._ending.is_set():
                signal.raise_signal(signal.SIGINT)  # the collector ends as if asked to

    def _hold(self, client: httpx.Client) -> list[People]:
        """The people of collections that are held from now on, and whose results all may read."""
        collections = self._plan.collections(math.ceil(time.time()) + 1)
        for collection in collections:
            _asked(client, "POST", f"/collections?grace={_GRACE}", collection.to_json())
            _asked(client, "PUT", f"/collections/{collection.key}/release")
        texts = "\n".join(CANDIDATES).encode()
        _asked(client, "PUT", f"/collections/{collections.home_page.key}/candidates", texts)
        return self._plan.people_of(collections)

    def _send_all(self, client: httpx.Client, studies: list[People]) -> None:
        """Until the end; or until all have answered, and the last round is closed."""
        while not self._ending.wait(_TICK):
            now = time.time()
            for people in reversed(studies):  # first those whose rounds close
                for window, reports in people.due(now):
                    self._send(client, people, window, reports)
            self._ticked()
            if self._plan.once and all(_over(client, people) for people in studies):
                return

    def _send(self, client: httpx.Client, people: People, window: int, reports: Records) -> None:
        """Send reports until they are taken; again with the same ids, so that each counts once.

        Those of a window that is closed meanwhile are lost, as they are for a real device.
        """
        path = f"/collections/{people.collection.key}/reports?window={window}"
        kind = {"Content-Type": "application/octet-stream"}
        failures = 0
        while not self._ending.is_set():
            later = 0.0
            try:
                said = client.post(path, content=reports.tobytes(), headers=kind)
                _ = Answer(str(said.url), said.status_code, said.headers, said.content).receipt
            except CollectorUnavailable as error:
                later = error.retry_after
            except CollectorRefused as error:
                if error.status != 409:
                    raise
                return
            except httpx.TransportError:
                pass
            else:
                return
            self._ending.wait(pause_after(failures, later))
            failures += 1


def _over(client: httpx.Client, people: People) -> bool:
    """Whether everybody has answered; over time, whether the first window is closed."""
    if people.collection.windows is None:
        answered, asked = people.progress
        return answered == asked
    data = _asked(client, "GET", f"/collections/{people.collection.key}/standing")
    windows = msgspec.json.decode(data, type=StandingBody).windows or ()
    return any(each.window == 0 and each.closed for each in windows)


def _released(client: httpx.Client, people: People) -> Found:
    data = _asked(client, "GET", f"/collections/{people.collection.key}/aggregate?window=0")
    return Found(people, Aggregate.from_json(data), people.truth)


def _asked(client: httpx.Client, method: str, path: str, body: bytes | None = None) -> bytes:
    """What the collector answers to a request that must succeed."""
    response = client.request(method, path, content=body)
    if not response.is_success:
        raise CollectorRefused(f"the collector answered {response.status_code} to {method}")
    return response.content
