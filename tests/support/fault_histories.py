"""A collector's whole life, drawn from a seed: uploads, faults, crashes, and a clock that jumps.

The service runs in this process as it is, without its network; the test is the network, and loses
what it is told to lose. In the manner of Janus' fault simulation.
"""

import asyncio
import hashlib
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import cast

import msgspec

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.collector.http.app import create_app
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection, Store
from sudare.errors import StoreUnavailable
from sudare.formats.report_ids import ID_BYTES
from support.fault_reports import Report, Verdict, asked, judged, report
from support.fault_request import request
from support.fault_stores import Flaky, Place, Trap, wrapped

CELLS, WINDOW, GRACE = 24, 100, 20
STEPS = 24
COLLECTIONS = (
    asked("flat", CELLS),
    asked("hourly", CELLS, Windows(1000, WINDOW), keeps_reports=True),
    asked("invited", CELLS, Windows(1000, 3 * WINDOW), invited=True),
)
PACKED, JSON = b"application/octet-stream", b"application/json"


class History:
    """One life of a collector.

    Attributes:
        faults: how many of each kind happened.
    """

    def __init__(self, seed: int, place: Place, variant: str = "sound", steps: int = STEPS) -> None:
        self._rng = random.Random(seed)  # noqa: S311 - a history, not a secret
        self._place = place
        self._variant = variant
        self._steps = steps
        self._now = 1000.0
        self._reports: list[Report] = []
        self._next_cell: Counter[tuple[str, int]] = Counter()
        self.faults: Counter[str] = Counter()

    def run(self) -> Verdict:
        """Live through it; then every sender retries until it knows, and the sums are read."""
        with asyncio.Runner() as runner:
            return runner.run(self._run())

    async def _run(self) -> Verdict:
        await self._start()
        for _ in range(self._steps):
            step = self._rng.choices(
                [self._send, self._crash, self._stop, self._tick, self._turn, self._check],
                [24, 2, 1, 4, 4, 1],
            )[0]
            await step()
        await self._settle()
        await self._crash()
        await self._app._uploads.writer.stop()
        verdict = judged(self._store, self._reports, self.faults)
        self._place.shut(self._store)
        return verdict

    # The service

    async def _start(self) -> None:
        self._store = self._place.open()
        for collection in COLLECTIONS:
            self._store.add(HeldCollection(collection, grace=GRACE))
        self._flaky = Flaky(wrapped(self._store, self._variant))
        self._service = Service(cast("Store", self._flaky), lambda: self._now)
        self._app = create_app(self._service)
        # Not ``running``: its clock would tick by the real time, and a seed not mean one history.
        self._app._uploads.writer.start()
        await self._app.ticker.tick()

    async def _crash(self) -> None:
        self.faults["crash"] += 1
        await self._end()

    async def _end(self) -> None:
        """What has crashed is put away, and begun again from what is on disk."""
        copied = self._place.crashed
        if not copied:
            self._place.crash(self._store)
        await self._app._uploads.writer.stop()
        if copied:
            self._place.crash(self._store)
        await self._start()

    async def _stop(self) -> None:
        self.faults["stop"] += 1
        await self._app._uploads.writer.stop()
        self._place.shut(self._store)
        await self._start()

    async def _tick(self) -> None:
        await self._app.ticker.tick()

    async def _turn(self) -> None:
        forward = self._rng.random() < 0.7
        self.faults["clock forward" if forward else "clock back"] += 1
        self._now += self._rng.uniform(0, WINDOW) if forward else -self._rng.uniform(0, 2 * WINDOW)
        self._now = max(self._now, 900.0)

    async def _check(self) -> None:
        """Nothing but a check of the store, which writes beside the reports."""
        await asyncio.to_thread(self._firmly, self._service.store.check)

    @staticmethod
    def _firmly(work: Callable[[], None]) -> None:
        """Do something, again if a connection was found broken."""
        try:
            work()
        except StoreUnavailable:
            work()

    # The senders

    async def _send(self) -> None:
        bodies = [self._draw() for _ in range(self._rng.choice([1, 1, 2, 5]))]
        fault = self._rng.choices(["none", "before", "after", "fail", "crash"], [60, 5, 5, 10, 8])[
            0
        ]
        if fault in ("before", "after"):
            self._flaky.fault = fault
        elif fault != "none":
            statement = self._rng.randrange(self._place.statements)
            self._place.arm(Trap(fault, statement, after=self._rng.random() < 0.5))
        losses = [
            self._rng.choices(["none", "request", "half", "answer"], [70, 8, 4, 18])[0]
            for _ in bodies
        ]
        await asyncio.gather(*map(self._post, bodies, losses, [len(bodies) == 1] * len(bodies)))
        if fault != "none":
            self.faults[f"commit {fault}"] += 1
        self._flaky.fault = None
        self._place.disarm()
        if self._place.crashed:
            self.faults["crash in a commit"] += 1
            await self._end()

    def _draw(self) -> list[Report]:
        """Reports of one window: mostly new ones, some again, now and then one twice."""
        rng = self._rng
        collection = rng.choices(COLLECTIONS, [3, 5, 2])[0]
        window = self._window(collection)
        known = [
            one
            for one in self._reports
            if one.collection is collection and (one.window == window or rng.random() < 0.1)
        ]
        if known and rng.random() < 0.35:
            window = rng.choice(known).window
        size = 1 if collection.invited else rng.choice([1, 1, 1, 2, 6])
        chosen = []
        for _ in range(size):
            again = [one for one in known if one.window == window]
            place = (collection.key, window)
            if again and (rng.random() < 0.4 or self._next_cell[place] >= CELLS):
                chosen.append(rng.choice(again))
            elif self._next_cell[place] < CELLS:
                new = report(collection, window, self._next_cell[place], rng)
                self._next_cell[place] += 1
                self._reports.append(new)
                if collection.invited:
                    digest = hashlib.sha256(new.invitation.encode()).digest()
                    self._firmly(partial(self._store.invite, collection.key, [digest]))
                chosen.append(new)
        return chosen

    def _window(self, collection: Collection) -> int:
        if collection.windows is None:
            return 0
        return max(0, collection.windows.at(self._now) - self._rng.choice([0, 0, 0, 1]))

    async def _post(self, sent: list[Report], lost: str, alone: bool) -> None:
        """Send one body, and learn from the answer if it arrives."""
        if lost != "none":
            self.faults[f"lost {lost}"] += 1
        if lost == "request" or not sent:
            return
        first = sent[0]
        body = b"".join(one.record for one in sent)
        headers = [(b"content-type", PACKED)]
        if len(sent) == 1 and self._rng.random() < 0.3:
            headers = [(b"content-type", JSON)]
            name, record = body[:ID_BYTES].hex(), body[ID_BYTES:].hex()
            body = msgspec.json.encode({"id": name, "report": record})
        headers.append((b"content-length", str(len(body)).encode()))
        if first.collection.invited:
            headers.append((b"sudare-invitation", first.invitation.encode()))
        query = "" if first.collection.windows is None else f"?window={first.window}"
        target = f"/collections/{first.collection.key}/reports{query}"
        middle = len(body) // 2
        parts = [body[:middle], None] if lost == "half" else [body[:middle], body[middle:]]
        after = self._flaky.fault == "after"
        answer = await request(self._app, target.encode(), headers, parts)
        if answer is None:
            assert lost == "half"
            return
        self._learn(sent, answer, heard=lost == "none" and not self._place.crashed)
        if answer[0] == 409 or (answer[0] == 202 and not self._place.crashed):
            return
        for one in sent:
            if alone and not after:  # it was its own commit that broke, and the test knows when
                one.certain |= bool(self._place.survived)
            else:
                one.possible = True

    def _learn(self, sent: list[Report], answer: tuple[int, bytes], *, heard: bool) -> None:
        status, body = answer
        assert status in (202, 409, 503), (status, body)
        told = msgspec.json.decode(body)
        if status == 202:
            assert told["new"] + told["repeated"] == len(sent)
            assert told["refused"] == 0
        for one in sent:
            if status == 202 and not self._place.crashed:
                one.certain = True
            if heard and status == 202:
                one.acknowledged, one.refused = True, False
            elif heard and status == 409 and told["error"]["code"] != "window_not_open":
                one.refused = not one.acknowledged

    async def _settle(self) -> None:
        """Each sender retries until it is answered for good."""
        for _ in range(20):
            open_ones = [one for one in self._reports if not one.done]
            if not open_ones:
                return
            self._now += 1
            for one in open_ones:
                if one.collection.windows is not None:
                    self._now = max(self._now, one.collection.windows.opens(one.window))
                await self._post([one], "none", alone=True)
        raise AssertionError("a sender was never answered")


def lived(seed: int, place: Place, variant: str = "sound", steps: int = STEPS) -> Verdict:
    """The verdict on one history."""
    return History(seed, place, variant, steps).run()
