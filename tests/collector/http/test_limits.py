"""Rates, minutes and other bounds, by a clock that the test turns."""

import asyncio

import pytest

from sudare.collector.http.limits import Bucket, Limits, Room
from sudare.collector.http.problems import Problem
from sudare.collector.metrics import Metrics
from support.memory_store import MemoryStore
from support.uploads import Clock, collecting, error, packed, receipts, said, tea


def test_a_rate_holds_over_time_and_a_large_body_is_paid_for_afterwards() -> None:
    clock = Clock(0)
    bucket = Bucket(10, clock)
    bucket.take(10)
    with pytest.raises(Problem) as refused:
        bucket.take(1)
    assert refused.value.status == 429
    assert refused.value.headers == {"Retry-After": "1"}
    clock.now = 0.1
    bucket.take(101)  # a hundred are owed
    with pytest.raises(Problem) as refused:
        bucket.take(1)
    wait = int(refused.value.headers["Retry-After"])
    assert wait == 11
    clock.now += wait - 1
    with pytest.raises(Problem):
        bucket.take(1)
    clock.now += 1
    bucket.take(1)
    clock.now += 1000  # what isn't used isn't saved beyond a second
    bucket.take(10)
    with pytest.raises(Problem):
        bucket.take(1)


def test_without_a_rate_any_number_passes() -> None:
    bucket = Bucket(None)
    for _ in range(100):
        bucket.take(100_000)


def test_one_collection_does_not_use_up_the_rate_of_another() -> None:
    async def scenario() -> None:
        asked, other = tea(), tea("coffee")
        limits = Limits(rate=0.001)
        async with collecting(MemoryStore(), asked, other, limits=limits) as collector:
            body = packed(said(asked, 0))
            assert receipts([await collector.send(asked, body)]) == [(1, 0, 0)]
            response = await collector.send(asked, body)
            assert error(response) == (429, "busy")
            assert 990 < int(response.headers["retry-after"]) <= 1001
            assert receipts([await collector.send(other, body)]) == [(1, 0, 0)]
            collector.service.refresh()  # what was used stays used
            assert error(await collector.send(asked, body)) == (429, "busy")

    asyncio.run(scenario())


def test_what_does_not_count_does_not_use_up_the_rate() -> None:
    async def scenario() -> None:
        asked = tea()
        async with collecting(MemoryStore(), asked, limits=Limits(rate=3)) as collector:
            body, wrong = packed(said(asked, 1, 1)), packed(said(asked, 200))
            assert receipts([await collector.send(asked, body)]) == [(2, 0, 0)]
            for _ in range(5):
                assert receipts([await collector.send(asked, body)]) == [(0, 2, 0)]
                assert error(await collector.send(asked, wrong)) == (400, "invalid_report")
            assert receipts([await collector.send(asked, packed(said(asked, *[1] * 99)))])
            assert error(await collector.send(asked, body)) == (429, "busy")

    asyncio.run(scenario())


def test_room_is_taken_and_given_back() -> None:
    room = Room(Limits(bytes=10, reports=3))
    room.hold(6)
    with pytest.raises(Problem, match="10 bytes"):
        room.hold(5)
    room.let_go(6)
    room.hold(10)
    room.queue(3)
    with pytest.raises(Problem, match="3 reports"):
        room.queue(1)


def test_the_last_sixty_minutes_are_counted_and_older_ones_forgotten() -> None:
    clock = Clock(0)
    metrics = Metrics(clock)
    metrics.counted("key", 5, 1, 0)
    clock.now = 60 * 3
    metrics.counted("key", 7, 0, 0)
    assert metrics.per_minute("key") == [0] * 56 + [5, 0, 0, 7]
    clock.now = 60 * 62
    metrics.counted("key", 2, 0, 0)
    assert metrics.per_minute("key") == [7, *[0] * 58, 2]
    assert metrics.per_minute("other") == [0] * 60
    metrics.refused("busy")
    assert metrics.recent() == {"accepted": 14, "busy": 1, "repeated": 1}
    assert metrics.recent() == {}


def test_no_metric_says_when_something_began() -> None:
    metrics = Metrics()
    metrics.counted("key", 5, 1, 1)
    metrics.refused("busy")
    metrics.committed(0.1, 5)
    text = metrics.text().decode()
    assert 'sudare_reports_total{collection="key",fate="new"} 5.0' in text
    assert "_created" not in text
