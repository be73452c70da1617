"""The collector of the demonstration, on a store that is gone afterwards, and who sends to it."""

import math
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

from sudare.aggregate import Aggregate
from sudare.collector.app import create_app
from sudare.collector.auth import Bearers, new_token
from sudare.collector.limits import Limits
from sudare.collector.opening import open_store
from sudare.collector.routes import every_route
from sudare.collector.server import Listening, serve, warm
from sudare.collector.service import Service
from sudare.collector.standing import StandingBody
from sudare.collector.store import Role, Standing, Store
from sudare.decoding import decode
from sudare.demo.people import People
from sudare.demo.studies import CANDIDATES, Collections, Plan
from sudare.errors import CollectorRefused
from sudare.mechanism import Records
from sudare.randomness import Seeded

_GRACE = 1  # seconds
_TICK = 0.2  # seconds between two looks at who is to send
_PATIENCE = 1.0  # seconds until what wasn't taken is sent again
_SECONDS = 30.0  # that a response may take


@dataclass(frozen=True, eq=False)
class Found:
    """What a study has come to: the sum that the collector released, and what is true."""

    people: People
    aggregate: Aggregate
    truth: dict[str, float]


def run(
    plan: Plan,
    listening: Listening,
    ready: Callable[[str, list[People]], None],
    ticked: Callable[[], None],
) -> list[Found]:
    """Collect until a signal asks to stop, or until everybody has answered.

    Args:
        plan: of what, and of how many.
        listening: where.
        ready: hears, once, the collector's address and whom it collects from.
        ticked: is called a few times a second, in another thread.

    Returns:
        What was found, if the demonstration ended by itself.
    """
    _compile(plan.collections(0))
    collections = plan.collections(math.ceil(time.time()) + 1)
    studies = plan.people_of(collections)
    with _store(collections) as store:
        bearer, token = new_token(Role.RELAY, "the simulated devices'")
        store.add_token(token)
        service = Service(store)
        bearers = Bearers(store, service.clock)
        truths = {each.collection.key: _teller(each) for each in studies}
        routes = every_route(service, bearers, truths=truths)
        app = create_app(service, routes, role_of=bearers.role_of)
        senders = Senders(studies, bearer, ticked, once=plan.once)

        def begin(url: str) -> None:
            ready(url, studies)
            senders.begin(url)

        try:
            serve(app, service, listening, Limits(), begin)
        finally:
            senders.end()
    return senders.found


def _teller(people: People) -> Callable[[], object]:
    return lambda: people.truth


@contextmanager
def _store(collections: Collections) -> Iterator[Store]:
    """A store in a folder of its own that holds the collections, for anybody to read."""
    with tempfile.TemporaryDirectory(prefix="sudare-demo-") as folder:
        store = open_store(str(Path(folder) / "collector.db"))
        try:
            for collection in collections:
                store.add(Standing(collection, grace=_GRACE))
                store.change(collection.key, public=True)
            store.keep_candidates(collections.home_page.key, CANDIDATES)
            yield store
        finally:
            store.shut()


def _compile(collections: Collections) -> None:
    """Compile what counting and decoding need, before there is a round that could be missed."""
    warm(collections)
    home_page = collections.home_page
    everybody = dict.fromkeys(CANDIDATES, 1 << 20)
    decode(home_page, home_page.simulate(everybody, Seeded(0)), CANDIDATES)


class Senders:
    """All devices, in a thread that sends what they report as a relay would.

    Attributes:
        found: what the collector released, once everybody has answered.
    """

    def __init__(
        self, studies: list[People], token: str, ticked: Callable[[], None], *, once: bool
    ) -> None:
        self.found: list[Found] = []
        self._studies, self._ticked, self._once = studies, ticked, once
        self._headers = {"Authorization": f"Bearer {token}", "Sudare-Api": "1"}
        self._ending = threading.Event()
        self._error: Exception | None = None
        self._thread: threading.Thread | None = None

    def begin(self, url: str) -> None:
        """Send to a collector from now on."""
        self._thread = threading.Thread(target=self._run, args=(url,))
        self._thread.start()

    def end(self) -> None:
        """Send nothing more; what went wrong is raised here."""
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
                self._send_all(client)
                if not self._ending.is_set():
                    self.found = [self._released(client, people) for people in self._studies]
        except Exception as error:  # noqa: BLE001 - raised by ``end``, in the main thread
            if not self._ending.is_set():
                self._error = error
        finally:
            if not self._ending.is_set():
                signal.raise_signal(signal.SIGINT)  # the collector ends as if asked to

    def _send_all(self, client: httpx.Client) -> None:
        """Until the end; or until all have answered, and the last round is closed."""
        windows = (people.collection.windows for people in self._studies)
        lasts = max(each.opens(1) for each in windows if each is not None) + _GRACE
        while not self._ending.wait(_TICK):
            now = time.time()
            for people in self._studies:
                for window, reports in people.due(now):
                    self._send(client, people, window, reports)
            self._ticked()
            if self._once and now > lasts and self._all_closed(client):
                return

    def _send(self, client: httpx.Client, people: People, window: int, reports: Records) -> None:
        """Send reports until they are taken; again with the same names, so that each counts once.

        Those of a window that is closed meanwhile are lost, as they are for a real device.
        """
        path = f"/collections/{people.collection.key}/reports?window={window}"
        kind = {"Content-Type": "application/octet-stream"}
        while not self._ending.is_set():
            try:
                response = client.post(path, content=reports.tobytes(), headers=kind)
            except httpx.TransportError:
                self._ending.wait(_PATIENCE)
                continue
            if response.status_code in {408, 429, 503}:
                self._ending.wait(_PATIENCE)
            elif response.status_code in {202, 409}:
                return
            else:
                raise CollectorRefused(f"the collector answered {response.status_code} to reports")

    def _all_closed(self, client: httpx.Client) -> bool:
        """Whether everybody has answered, and the windows that were open at first are closed."""
        for people in self._studies:
            if people.collection.windows is None:
                answered, asked = people.progress
                if answered < asked:
                    return False
            else:
                path = f"/collections/{people.collection.key}/standing"
                windows = msgspec.json.decode(_got(client, path), type=StandingBody).windows
                if not any(each.window == 0 and each.closed for each in windows):
                    return False
        return True

    def _released(self, client: httpx.Client, people: People) -> Found:
        data = _got(client, f"/collections/{people.collection.key}/aggregate?window=0")
        return Found(people, Aggregate.from_json(data), people.truth)


def _got(client: httpx.Client, path: str) -> bytes:
    response = client.get(path)
    if response.status_code != 200:
        raise CollectorRefused(f"the collector answered {response.status_code} to a question")
    return response.content
