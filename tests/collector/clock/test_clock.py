"""What time does: it closes for good, so a wrong clock, a failure or a return must not mislead."""

import asyncio
import threading

import numpy as np
import pytest

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.collector.clock import steady
from sudare.collector.clock.closings import Closings, Ticker
from sudare.collector.clock.steady import SteadyClock
from sudare.collector.http import health
from sudare.collector.http.health import Health
from sudare.collector.http.problems import Problem
from sudare.collector.service import Service
from sudare.collector.stores.contract import Group, HeldCollection, State, Store
from sudare.errors import StoreUnavailable
from support.memory_store import MemoryStore
from support.uploads import (
    Clock,
    collecting,
    hourly,
    named,
    packed,
    receipts,
    said,
    streamed,
    tea,
)

HOUR = 3600
FAR, HELD = int(steady.FAR), int(steady.HELD)


class Times:
    """A clock on the wall, and the time that really passes."""

    def __init__(self, now: float = 1000.0) -> None:
        self.wall, self.passed = Clock(now), Clock(5.0)
        self.steady = SteadyClock(self.wall, self.passed)

    def go(self, seconds: float) -> float:
        """Let time pass; what is believed then."""
        self.wall.now += seconds
        self.passed.now += seconds
        return self.steady()


def closed(store: Store, collection: Collection) -> list[int]:
    return [one.window for one in store.windows(collection.key) if one.closed]


def test_time_that_passes_and_small_steps_are_followed() -> None:
    times = Times()
    assert times.go(10 * HOUR) == times.wall.now
    for step in (FAR, FAR, -5 * HOUR):
        times.wall.now += step
        assert times.steady() == times.wall.now


def test_a_jump_ahead_is_believed_when_it_has_held(caplog: pytest.LogCaptureFixture) -> None:
    times = Times()
    times.wall.now += HOUR
    assert times.steady() == 1000
    assert times.go(HELD - 1) == 1000 + HELD - 1
    assert times.go(1) == times.wall.now == 1000 + HOUR + HELD
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [
        (
            "the clock jumped ahead by 3600 seconds: nothing closes by it unless it holds for "
            f"{HELD} seconds"
        ),
        "the clock has held: 3600 seconds were skipped",
    ]


def test_a_jump_that_is_taken_back_or_goes_on_starts_anew() -> None:
    times = Times()
    times.wall.now += HOUR
    times.go(HELD - 1)
    times.wall.now -= HOUR
    assert times.go(1) == 1000 + HELD
    times.wall.now += HOUR
    assert times.steady() == 1000 + HELD
    times.go(HELD - 1)
    times.wall.now += HOUR  # another jump
    assert times.steady() == 1000 + 2 * HELD - 1
    assert times.go(HELD - 1) == 1000 + 3 * HELD - 2
    assert times.go(1) == times.wall.now


def test_one_look_at_a_wrong_clock_closes_nothing(store: Store) -> None:
    async def scenario() -> None:
        asked, times = hourly(), Times()
        async with collecting(store, asked, clock=times.steady) as collector:
            for wrong in (HOUR, 1000 * HOUR):
                times.wall.now += wrong
                await collector.app.ticker.tick()
                response = await collector.send(asked, packed(said(asked, 1)), 0)
                assert receipts([response]) == [(1, 0, 0)]
                times.wall.now -= wrong
                await collector.app.ticker.tick()
            assert closed(store, asked) == []
            times.wall.now += 2 * HOUR  # as after a sleep
            for _ in range(HELD):
                await collector.app.ticker.tick()
                assert closed(store, asked) == []
                times.go(1)
            await collector.app.ticker.tick()
            assert closed(store, asked) == [0, 1]

    asyncio.run(scenario())


def test_a_collection_that_came_back_between_two_ticks_is_closed_by_its_own_time(
    store: Store,
) -> None:
    asked, clock = hourly(), Clock(1000 + 10 * HOUR)
    store.add(HeldCollection(asked))
    service, closings = Service(store, clock), Closings()
    ticker = Ticker(service, closings)

    def come_back() -> None:
        store.remove(asked.key)
        store.add(HeldCollection(asked))
        asyncio.run(ticker.tick())

    asyncio.run(ticker.tick())
    assert closed(store, asked) == [9]
    come_back()
    assert closed(store, asked) == [9]
    # What was reached before it was removed does not bind it either.
    clock.now = 1000 + 3 * HOUR
    come_back()
    assert closed(store, asked) == [2]
    closings.check(service.held_collection(asked.key), 3, clock())
    with pytest.raises(Problem, match="window 2 is closed"):
        closings.check(service.held_collection(asked.key), 2, clock())


class Faulty(MemoryStore):
    """A store that can't close some collections."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: dict[str, Exception] = {}

    def close(self, key: str, window: int, closed_round: int | None = None) -> None:
        if key in self.faults:
            raise self.faults[key]
        super().close(key, window, closed_round)


def test_a_collection_that_fails_does_not_keep_others_open(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store, service_clock = Faulty(), Clock(1000 + HOUR)
    asked = [tea(name, windows=Windows(1000, HOUR)) for name in ("a", "b", "c", "d")]
    for collection in asked:
        store.add(HeldCollection(collection))
    store.faults = {
        asked[0].key: StoreUnavailable("the disk is full"),
        asked[1].key: StoreUnavailable("the disk is full"),
        asked[2].key: RuntimeError("secret"),
    }
    ticker = Ticker(Service(store, service_clock), Closings())
    for _ in range(2):
        asyncio.run(ticker.tick())
        assert [closed(store, collection) for collection in asked] == [[], [], [], [0]]
    lines = [record.getMessage() for record in caplog.records]
    assert lines.count("the store can't be asked now: the disk is full") == 1
    assert sum(line.startswith("unforeseen RuntimeError at ") for line in lines) == 2
    store.faults = {}
    asyncio.run(ticker.tick())
    assert [closed(store, collection) for collection in asked] == [[0]] * 4


def test_a_closed_collection_gets_no_more_windows_but_those_it_has_are_closed(
    store: Store,
) -> None:
    asked, over_time, clock = hourly(), streamed(), Clock(1000 + HOUR)
    for collection in (asked, over_time):
        store.add(HeldCollection(collection))
    ticker = Ticker(Service(store, clock), Closings())
    asyncio.run(ticker.tick())
    before = store.windows(over_time.key)
    assert [(one.window, one.closed) for one in before] == [(59, True)]
    store.commit([Group(asked, 1, *named(said(asked, 1)))])
    reports = np.zeros(1, over_time.report_dtype)
    reports["round"] = 2
    store.commit([Group(over_time, 60, *named(reports))])
    for collection in (asked, over_time):
        store.change(collection.key, state=State.CLOSED)
    clock.now += 20
    asyncio.run(ticker.tick())
    assert closed(store, asked) == [0]
    assert [one.closed_round for one in store.windows(over_time.key)] == [6, 2]
    for _ in range(10):
        clock.now += HOUR
        asyncio.run(ticker.tick())
    for collection, windows in ((asked, [0, 1]), (over_time, [59, 60])):
        assert closed(store, collection) == windows
        assert [one.window for one in store.windows(collection.key)] == windows


def test_a_window_that_is_nearly_full_is_said_once_and_shown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store, asked, guests = MemoryStore(), hourly(), tea("guests", invited=True)
    for collection in (asked, guests):
        store.add(HeldCollection(collection))
    service = Service(store, Clock(1000.0))
    ticker = Ticker(service, Closings(), window_reports=4)

    def ticked(count: int) -> list[str]:
        """The warnings, when so many more reports have come."""
        caplog.clear()
        if count:
            store.commit([Group(asked, 0, *named(said(asked, *[1] * count)))])
        for _ in range(10):
            asyncio.run(ticker.tick())
        return [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]

    assert ticked(2) == []
    assert f'fullness{{collection="{asked.key[:12]}"}} 0.5' in service.metrics.text().decode()
    (line,) = ticked(1)
    assert line == (
        f"window 0 of {asked.key[:12]}… has 3 reports and may have 4 (--window-reports)"
    )
    assert ticked(1) == ticked(0) == []
    assert guests.key[:12] not in service.metrics.text().decode()


class Slow(MemoryStore):
    """A store whose first look takes until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.entered, self.open = False, threading.Event(), threading.Event()

    def held_collections(self) -> list[HeldCollection]:
        found = super().held_collections()
        if self.first:
            self.first = False
            self.entered.set()
            assert self.open.wait(10)
        return found


def test_an_earlier_look_does_not_replace_a_later_one() -> None:
    store = Slow()
    service = Service(store)
    store.first = True
    early = threading.Thread(target=service.refresh)
    early.start()
    assert store.entered.wait(10)
    store.add(HeldCollection(tea()))
    late = threading.Thread(target=service.refresh)
    late.start()
    late.join(0.1)  # it may be done by now only if nothing holds it
    store.open.set()
    for thread in (early, late):
        thread.join()
    assert list(service.held) == [tea().key]


class Asked(MemoryStore):
    """A store that says how often it was asked whether it is well."""

    asked = 0

    def check(self) -> None:
        self.asked += 1
        super().check()


def test_health_asks_the_store_once_a_second_however_many_ask() -> None:
    async def scenario() -> None:
        store, passed = Asked(), Clock()
        well = Health(store, passed)

        async def told() -> list[bool]:
            found = await asyncio.gather(*(well.check() for _ in range(20)), return_exceptions=True)
            return [isinstance(one, Problem) for one in found]

        assert await told() == [False] * 20
        store.broken = True
        passed.now += health.FRESH / 2
        assert await told() == [False] * 20
        assert store.asked == 1
        passed.now += health.FRESH / 2
        assert await told() == [True] * 20
        assert store.asked == 2
        store.broken = False
        passed.now += health.FRESH
        assert await told() == [False] * 20
        assert store.asked == 3

    asyncio.run(scenario())


def test_the_route_shares_the_answer() -> None:
    async def scenario() -> None:
        store = Asked()
        async with collecting(store, tea()) as collector:
            before = store.asked
            responses = [await collector.client.get("/healthz") for _ in range(5)]
            assert [one.status_code for one in responses] == [200] * 5
            assert store.asked - before < 5

    asyncio.run(scenario())
