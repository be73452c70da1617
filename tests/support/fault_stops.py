"""A collector's life with stops and partitions: of itself, of its database, of the network.

All of it is real: processes that SIGSTOP stops, most of them inside a commit, a PostgreSQL whose
processes stand still, a network that swallows what is said and tells nobody. Every upload must be
answered in time all the same, and every report count once.
"""

import asyncio
import random
import secrets
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.collector.stores.contract import HeldCollection, Store
from sudare.collector.stores.open import open_store
from support.fault_load import Connection, Senders
from support.fault_network import Network
from support.fault_reports import Verdict, asked, judged
from support.fault_stopped import ANSWER, Stoppable, Where
from support.fault_stores import Trap
from support.postgres import Server, stopped_server

SLACK = 8.0
"""Seconds that a slow machine may take longer than what is promised."""
FAULTS = 2
_CELLS = 2048
_LONGEST = 1.4  # seconds of a fault: shorter and longer than every time-out


def questions() -> list[Collection]:
    """One that stays open, and one whose windows close every few seconds: this world's alone.

    A collector that is killed leaves its port to another, perhaps to that of another world.
    """
    often, own = Windows(int(time.time()) - 10, 2), secrets.token_hex(4)
    return [
        asked(f"flat {own}", _CELLS),
        asked(f"often {own}", _CELLS, often, keeps_reports=True),
    ]


class World(ABC):
    """A store, collectors on it, and the networks between.

    Attributes:
        collectors: which count.
        ports: where senders reach them.
    """

    faults: tuple[str, ...] = ("stopped in a commit", "stopped in a commit", "stopped", "killed")
    collectors: list[Stoppable]

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        store = self.store()
        self.collections = questions()
        for collection in self.collections:
            store.add(HeldCollection(collection, grace=1))
        store.shut()
        try:
            for collector in self.collectors:
                collector.start()
                self._stack.callback(collector.kill)
            self.connect()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @abstractmethod
    def store(self) -> Store:
        """The store, opened here."""

    @abstractmethod
    def connect(self) -> None:
        """Lay the networks that lead to the collectors."""

    @property
    @abstractmethod
    def ports(self) -> Sequence[int]:
        """Where senders reach the collectors, by now."""

    @abstractmethod
    async def break_down(self, fault: str, seconds: float, senders: "TimedSenders") -> None:
        """Let something happen to the store or a network, and pass."""


class SqliteWorld(World):
    """One collector on a file, and a network between it and those who send."""

    faults = (*World.faults, "swallowed", "lost")

    def __init__(self, folder: Path, variant: str = "sound") -> None:
        self._path = folder / "0" / "store.db"
        self._path.parent.mkdir()
        self.collectors = [Stoppable(Where(folder, variant=variant))]

    def store(self) -> Store:
        return open_store(str(self._path))

    def connect(self) -> None:
        self._network = self._stack.enter_context(Network(self.collectors[0].port))

    @property
    def ports(self) -> Sequence[int]:
        self._network.lead_to(self.collectors[0].port)
        return [self._network.port]

    async def break_down(self, fault: str, seconds: float, senders: "TimedSenders") -> None:
        with senders.excused():  # what doesn't reach a collector it can't answer
            if fault == "swallowed":
                self._network.swallow()
                await asyncio.sleep(seconds)
                self._network.heal()
            else:
                self._network.lose()
                await asyncio.sleep(seconds)
                senders.hang_up()  # a device doesn't wait for ever either


class PostgresWorld(World):
    """Two collectors on a database, and a network between each of them and that."""

    faults = (*World.faults, "database stopped", "swallowed", "lost")

    def __init__(self, server: Server, variant: str = "sound") -> None:
        self._server, self._variant = server, variant
        self._url = server.new_database()
        self._networks: list[Network] = []
        self.collectors = []

    def store(self) -> Store:
        return open_store(self._url)

    def __enter__(self) -> Self:
        database = self._url.partition("@/")[2].partition("?")[0]
        networks = ExitStack()
        for _ in range(2):
            network = networks.enter_context(Network(self._server.folder / ".s.PGSQL.5432"))
            url = f"postgresql://postgres@127.0.0.1:{network.port}/{database}"
            self._networks.append(network)
            self.collectors.append(Stoppable(Where(None, url, self._variant)))
        self._laid = networks
        try:
            return super().__enter__()
        except BaseException:
            networks.close()
            raise

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._laid.close()
        self._server.give_back()

    def connect(self) -> None:
        """Senders reach the collectors themselves."""

    @property
    def ports(self) -> Sequence[int]:
        return [collector.port for collector in self.collectors]

    async def break_down(self, fault: str, seconds: float, senders: "TimedSenders") -> None:
        at = senders.rng.randrange(len(self._networks))
        network = self._networks[at]
        if fault == "database stopped":
            with stopped_server(self._server):
                await asyncio.sleep(seconds)
                for collector in range(len(self.collectors)):
                    await senders.answered(collector)
        elif fault == "swallowed":
            network.swallow()
            await asyncio.sleep(seconds)
            await senders.answered(at)
            network.heal()
        else:
            network.lose()
            await senders.answered(at)


class TimedSenders(Senders):
    """Senders who look at the clock: a collector that runs must answer them in time.

    Attributes:
        late: how many uploads weren't answered in time.
    """

    late = 0

    def begin(self, world: World, slack: float) -> None:
        """Send to these collectors, of whose numbers ``ports`` is the list."""
        self._world = world
        self._slack = slack
        self._at: dict[Connection, int] = {}
        self._begun: dict[int, float] = {}  # when what a collector answered last was sent
        self._excused, self._excused_since = 0.0, 0.0

    @contextmanager
    def excused(self) -> Iterator[None]:
        """A block in which nobody can be blamed for not answering."""
        self._excused_since = time.monotonic()
        try:
            yield
        finally:
            self._excused += time.monotonic() - self._excused_since
            self._excused_since = 0.0

    def hang_up(self) -> None:
        """Close every connection, also where an answer is awaited."""
        for connection in list(self._at):
            connection.close()

    async def answered(self, at: int) -> None:
        """Wait until a collector has answered something that is sent from now on."""
        moment = time.monotonic()
        if not await until(lambda: self._begun.get(at, 0.0) > moment, 2 * ANSWER + self._slack):
            self.late += 1

    def _away(self, at: int) -> float:
        """How long nobody could answer, so far."""
        running = time.monotonic() - self._excused_since if self._excused_since else 0.0
        return self._world.collectors[at].away + self._excused + running

    async def _post(self, connection: Connection, target: str, body: bytes) -> tuple[int, bytes]:
        at = self._at.setdefault(connection, connection.port)
        connection.port = self._world.ports[at]
        start, away = time.monotonic(), self._away(at)
        sending = asyncio.ensure_future(connection.post(target, body))
        while not sending.done():
            await asyncio.wait([sending], timeout=0.5)
            if time.monotonic() - start - (self._away(at) - away) > ANSWER + self._slack:
                self.late += 1
                sending.cancel()
                raise EOFError
        answer = sending.result()
        if answer[0] == 404:  # a collector of another world has its port meanwhile
            connection.close()
            raise EOFError
        self._begun[at] = max(start, self._begun.get(at, 0.0))
        return answer


class StopHistory:
    """One life of collectors that are stopped, cut off and killed under load."""

    def __init__(
        self, seed: int, world: World, faults: Sequence[str] = (), slack: float = SLACK
    ) -> None:
        """A history drawn from a seed.

        Args:
            seed: of what is drawn.
            world: where it happens.
            faults: what may happen, if not all that can in this world.
            slack: how many seconds longer than it promises a collector may take.
        """
        self._rng = random.Random(seed)  # noqa: S311 - a history, not a secret
        self._world = world
        self._drawn = faults or world.faults
        self._slack = slack
        self.faults: Counter[str] = Counter()

    def run(self) -> Verdict:
        """Live through it; then every sender retries until it knows, and the sums are read."""
        with self._world:
            senders = asyncio.run(self._run())
            for collector in self._world.collectors:
                collector.end()
            store = self._world.store()
            self.faults["503"] = senders.seen[503]
            self.faults["lost answer"] = senders.seen[0]
            verdict = judged(store, senders.reports, self.faults)
            verdict.late = senders.late
            store.shut()
        return verdict

    async def _run(self) -> TimedSenders:
        numbers = range(len(self._world.collectors))
        senders = TimedSenders(numbers, self._world.collections, self._rng, pause=0.02)
        senders.begin(self._world, self._slack)
        load = asyncio.create_task(senders.send(singles=5, batches=1))
        for _ in range(FAULTS):
            await asyncio.sleep(self._rng.uniform(0.05, 0.2))
            await self._fault(senders)
        await asyncio.sleep(0.1)
        senders.finish()
        try:
            await asyncio.wait_for(load, 120)
        except TimeoutError:
            stand = [collector.is_stopped for collector in self._world.collectors]
            raise AssertionError(f"never answered: {senders.seen}, stopped: {stand}") from None
        return senders

    async def _fault(self, senders: TimedSenders) -> None:
        fault = self._rng.choice(self._drawn)
        seconds = self._rng.uniform(0.02, _LONGEST)
        at = self._rng.randrange(len(self._world.collectors))
        collector = self._world.collectors[at]
        self.faults[fault] += 1
        if fault not in World.faults:
            await self._world.break_down(fault, seconds, senders)
            return
        if fault != "stopped in a commit":
            collector.stop()
        elif not await self._trapped(collector):
            return
        await asyncio.sleep(seconds)
        for other in {*range(len(self._world.collectors))} - {at}:
            await senders.answered(other)  # those that run go on
        if fault == "killed":
            collector.kill()
            await asyncio.to_thread(collector.start)
        else:
            collector.go_on()

    async def _trapped(self, collector: Stoppable) -> bool:
        """Whether a collector has stopped itself, inside a transaction."""
        collector.trap(Trap("stop", self._rng.randrange(10), after=self._rng.random() < 0.5))
        if not await until(lambda: collector.is_stopped, 2.0):
            await asyncio.to_thread(collector.untrap)  # nothing was committed
            self.faults["stopped in a commit"] -= 1
            return False
        collector.note_stop()
        return True


async def until(true: Callable[[], bool], seconds: float) -> bool:
    """Wait until something is true, or so many seconds; whether it is."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.01)
    return True


def stopped(seed: int, world: World, faults: Sequence[str] = (), slack: float = SLACK) -> Verdict:
    """The verdict on one history."""
    return StopHistory(seed, world, faults, slack).run()
