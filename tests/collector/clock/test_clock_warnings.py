"""A collector that is started with a wrong clock: nothing is lost, and somebody is told."""

import asyncio
import time
from pathlib import Path

import pytest

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.collector.clock.clock_warnings import clock_warnings
from sudare.collector.stores.contract import Group, HeldCollection, State, Store
from sudare.collector.stores.open import open_store
from support.commands import process
from support.uploads import (
    Clock,
    collecting,
    error,
    hourly,
    named,
    packed,
    receipts,
    said,
    streamed,
    tea,
)

HOUR, DAY = 3600, 86_400


def told(store: Store, now: float) -> list[str]:
    return clock_warnings(store, store.held_collections(), now)


def n_of(store: Store, asked: Collection) -> dict[int, int]:
    return {one.window: one.n for one in store.windows(asked.key) if one.n}


@pytest.mark.parametrize("wrong", [-900.0, 1000 + 5000 * HOUR, 1000 + 10**6 * DAY])
def test_nothing_acknowledged_is_lost_by_a_start_with_a_wrong_clock(
    store: Store, wrong: float
) -> None:
    """Started right, wrong and right again; behind, it goes on, and ahead, all is closed."""
    asked, body = hourly(minimum_reports=1), packed(said(hourly(), 0, 1, 2))
    ahead = wrong > 0

    async def lived(now: float) -> list[int]:
        async with collecting(store, asked, clock=Clock(now)) as collector:
            await collector.app.ticker.tick()
            responses = [await collector.send(asked, body, window) for window in (2, 3)]
            return [one.status_code for one in responses]

    async def scenario() -> None:
        right = 1000 + 3.5 * HOUR
        assert await lived(right - HOUR) == [202, 409]
        assert await lived(wrong) == [409, 409]
        assert n_of(store, asked) == {2: 3}
        assert await lived(right) == [409, 409 if ahead else 202]
        assert n_of(store, asked) == ({2: 3} if ahead else {2: 3, 3: 3})
        released = store.release(asked.key, 2)
        assert released is not None
        assert released.aggregate.n == 3
        if ahead:  # what is closed by the wrong clock is over; after that it counts again
            later = wrong + 2 * HOUR
            window = int(later - 1000) // HOUR
            async with collecting(store, asked, clock=Clock(later)) as collector:
                assert receipts([await collector.send(asked, body, window)]) == [(3, 0, 0)]
                refused = await collector.send(asked, body, 2)
                assert error(refused) == (409, "window_closed")

    asyncio.run(scenario())


def test_a_clock_that_is_behind_is_told(store: Store) -> None:
    asked = hourly()
    store.add(HeldCollection(asked))
    assert told(store, 0.0) == []
    store.commit([Group(asked, 5, *named(said(asked, 1)))])
    assert told(store, 1000 + 5 * HOUR) == []
    (sentence,) = told(store, 1000 + 3 * HOUR)
    assert sentence == (
        "“tea” holds reports of window 5, which by this clock opens in 7200 seconds: the clock is "
        "behind, or was ahead before"
    )
    store.close(asked.key, 9)
    (sentence,) = told(store, 1000 + 8 * HOUR)
    assert sentence.startswith("“tea” closed window 9, which by this clock opens in 3600 seconds")


def test_a_clock_that_is_far_ahead_is_told_before_it_closes_anything(store: Store) -> None:
    asked, over_time = hourly(), streamed()
    for collection in (asked, over_time):
        store.add(HeldCollection(collection, grace=5))
    store.commit([Group(asked, 2, *named(said(asked, 1)))])
    far = 1000 + 28 * HOUR + 5  # window 27 ends: 25 after the newest
    assert told(store, far - 1) == []
    (sentence,) = told(store, far)
    assert sentence == (
        "“tea” has nothing later than window 2, and by this clock all windows up to 27 have ended "
        "and close for good: make sure that the clock is right"
    )
    store.close(asked.key, 27)
    assert told(store, far) == []
    store.close(over_time.key, 0)
    assert len(told(store, 1000 + 27 * HOUR)) == 1
    store.change(over_time.key, state=State.CLOSED)
    assert told(store, 1000 + 27 * HOUR) == []


def test_few_long_windows_are_no_reason_for_doubt(store: Store) -> None:
    asked = tea(windows=Windows(0, DAY))
    store.add(HeldCollection(asked))
    store.commit([Group(asked, 0, *named(said(asked, 1)))])
    assert told(store, 4.5 * DAY) == []
    assert len(told(store, 5 * DAY)) == 1


def test_serve_says_so(tmp_path: Path) -> None:
    now = int(time.time())
    late = tea("late", windows=Windows(now - 9 * DAY, HOUR))
    early = tea("early", windows=Windows(now - HOUR, DAY))
    store = open_store(str(tmp_path / "sudare.db"))
    for asked in (late, early):
        store.add(HeldCollection(asked))
    store.close(late.key, 0)
    store.close(early.key, 7)
    store.shut()
    with process(tmp_path, "serve", "--port", 0, "--json", "--store", "sudare.db") as command:
        assert command.stdout is not None
        assert command.stdout.readline()
        command.terminate()
        _, err = command.communicate(timeout=60)
    warnings = [line for line in err.decode().splitlines() if line.startswith("Warning: ")]
    assert [line.split()[1] for line in warnings] == ["“late”", "“early”"]
