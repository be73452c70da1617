"""Rates, minutes and other bounds, by a clock that the test turns."""

import asyncio
import contextlib
import hashlib
from pathlib import Path

import click
import httpx
import numpy as np
import pytest

from sudare.cli.serve import serve
from sudare.collection.document import Collection
from sudare.collector.http import auth, live, results
from sudare.collector.http.app import create_app
from sudare.collector.http.limits import (
    BODY_BYTES,
    BODY_REPORTS,
    SMALL_REPORTS,
    WINDOW_BYTES,
    Bucket,
    Hold,
    Limits,
    Room,
)
from sudare.collector.http.problems import Problem
from sudare.collector.metrics import Metrics
from sudare.collector.service import Service
from sudare.collector.serving import connection
from sudare.collector.stores.contract import HeldCollection
from sudare.collector.stores.id_set import MOST_MEMORY
from sudare.formats.report_ids import join
from support.memory_store import Gate, MemoryStore
from support.served import served
from support.uploads import (
    PACKED,
    Clock,
    collecting,
    error,
    named,
    packed,
    receipts,
    said,
    streamed,
    tea,
)


def test_a_rate_holds_over_time_and_a_large_body_is_paid_for_afterwards() -> None:
    clock = Clock(0)
    bucket = Bucket(10, clock)
    bucket.charge(10)
    with pytest.raises(Problem) as refused:
        bucket.check()
    assert refused.value.status == 429
    assert refused.value.headers == {"Retry-After": "1"}
    clock.now = 0.1
    bucket.check()
    bucket.charge(101)  # a hundred are owed
    with pytest.raises(Problem) as refused:
        bucket.check()
    wait = int(refused.value.headers["Retry-After"])
    assert wait == 11
    clock.now += wait - 1
    with pytest.raises(Problem):
        bucket.check()
    clock.now += 1
    bucket.check()
    clock.now += 1000  # what isn't used isn't saved beyond a second
    assert bucket.left() == 10
    bucket.charge(10)
    with pytest.raises(Problem):
        bucket.check()


def test_without_a_rate_any_number_passes() -> None:
    bucket = Bucket(None)
    for _ in range(100):
        bucket.charge(100_000)
        bucket.check()
    assert bucket.left() is None


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


def never_counts(kind: str) -> tuple[Collection, bytes, dict[str, str]]:
    """A collection, and a request for it that doesn't count: its body, and its headers."""
    if kind == "uninvited":
        asked = tea(invited=True)
        return asked, packed(said(asked, 1)), {"sudare-invitation": "unknown"}
    if kind == "late":
        asked = streamed()
        reports = np.array([(1, 1)], asked.report_dtype)
        return asked, packed(reports), {}
    asked = tea()
    return asked, packed(said(asked, 200 if kind == "impossible" else 1)), {}


STATUSES = {"repeated": 202, "impossible": 400, "uninvited": 409, "late": 202}


@pytest.mark.parametrize("kind", STATUSES)
def test_a_burst_of_what_never_counts_leaves_the_rate_to_others(kind: str) -> None:
    """Ten times the rate is in flight when somebody honest comes, who is taken with them."""
    asked, idle, headers = never_counts(kind)
    honest = named(np.array([(6, 1)], asked.report_dtype) if kind == "late" else said(asked, 1))
    invitation = {"sudare-invitation": "known"} if kind == "uninvited" else {}
    now = Clock(1055.0)

    async def scenario() -> None:
        store = Gate()
        store.open.set()
        store.add(HeldCollection(asked))
        if kind == "uninvited":
            store.invite(asked.key, [hashlib.sha256(b"known").digest()])
        limits, service = Limits(rate=3), Service(store, now)
        app = create_app(service, limits=limits)
        async with served(limits, store=store, app=app, clock=now) as listening:
            query = "?window=0" if kind == "late" else ""
            path = f"/collections/{asked.key}/reports{query}"

            async def send(body: bytes, **more: str) -> httpx.Response:
                told = {"content-type": PACKED, **more}
                return await client.post(path, content=body, headers=told)

            many = httpx.Limits(max_connections=None)
            async with httpx.AsyncClient(base_url=listening.url, limits=many, timeout=60) as client:
                first = await send(idle, **headers)
                assert first.status_code == STATUSES[kind]
                store.open.clear()
                store.entered.clear()
                # Nothing impossible reaches the store: somebody's commit keeps them waiting.
                blocking = packed(said(asked, 1)) if kind == "impossible" else idle
                burst = [asyncio.create_task(send(blocking, **headers))]
                await asyncio.to_thread(store.entered.wait)
                burst += [asyncio.create_task(send(idle, **headers)) for _ in range(29)]
                async with asyncio.timeout(60):
                    text = b""
                    while b"sudare_waiting_reports 30.0" not in text:
                        await asyncio.sleep(0.001)
                        text = service.metrics.text()
                last = asyncio.create_task(send(join(honest).tobytes(), **invitation))
                await asyncio.sleep(0.05)
                store.open.set()
                assert receipts([await last]) == [(1, 0, 0)]
                assert 429 not in {each.status_code for each in await asyncio.gather(*burst)}

    asyncio.run(scenario())


def test_new_reports_in_flight_are_taken_at_their_rate_and_none_is_owed_for_long() -> None:
    """However many come at once: one body beyond the rate counts, no more."""

    async def scenario() -> None:
        store, asked = Gate(), tea()
        limits = Limits(rate=3)
        async with collecting(store, asked, limits=limits) as collector:
            bodies = [packed(said(asked, 1, 1)) for _ in range(50)]
            sent = [asyncio.create_task(collector.send(asked, body)) for body in bodies]
            await asyncio.sleep(0.05)
            store.open.set()
            answers = await asyncio.gather(*sent)
            taken = [answer for answer in answers if answer.status_code == 202]
            assert 2 <= len(taken) <= 3  # the first may be committed by itself
            refused = {error(answer) for answer in answers if answer.status_code != 202}
            assert refused == {(429, "busy")}
            (held,) = store.windows(asked.key)
            assert held.n == 2 * len(taken)

    asyncio.run(scenario())


def test_a_full_window_is_said_so_and_what_it_has_is_still_repeated() -> None:
    async def scenario() -> None:
        store, asked, asked_too = MemoryStore(), tea(), tea("invited", invited=True)
        invitations = [f"{number}" for number in range(4)]
        store.add(HeldCollection(asked_too))
        store.invite(asked_too.key, [hashlib.sha256(one.encode()).digest() for one in invitations])
        limits = Limits(window_reports=3)
        async with collecting(store, asked, asked_too, limits=limits) as collector:
            first, second = packed(said(asked, 1, 1)), packed(said(asked, 2, 2))
            assert receipts([await collector.send(asked, first)]) == [(2, 0, 0)]
            refused = await collector.send(asked, second)
            assert error(refused) == (409, "window_full")
            assert int(refused.headers["retry-after"]) >= 60
            assert receipts([await collector.send(asked, packed(said(asked, 0)))]) == [(1, 0, 0)]
            assert receipts([await collector.send(asked, first)]) == [(0, 2, 0)]
            assert error(await collector.send(asked, packed(said(asked, 0)))) == (
                409,
                "window_full",
            )
            for one in invitations:  # which are a bound already
                body = packed(said(asked_too, 1))
                answer = await collector.send(asked_too, body, sudare_invitation=one)
                assert receipts([answer]) == [(1, 0, 0)]

    asyncio.run(scenario())


def test_room_is_taken_and_given_back_and_one_address_leaves_as_much_as_it_has() -> None:
    room = Room(Limits(bytes=12, reports=3))
    one, two = Hold(room, "192.0.2.1"), Hold(room, "192.0.2.1")
    one.add(4)
    two.add(2)
    with pytest.raises(Problem, match="6 bytes"):
        two.add(1)
    other = Hold(room, "192.0.2.2")
    other.add(3)
    with pytest.raises(Problem):
        other.add(1)
    one.free()
    two.add(1)
    for each in (one, two, other):
        each.free()
    assert (room.bytes, room._held) == (0, {})
    one.add(6)
    room.queue(3)
    with pytest.raises(Problem, match="3 reports"):
        room.queue(1)


def head(asked: Collection, size: int) -> bytes:
    """The head of a body of so many bytes."""
    return (
        f"POST /collections/{asked.key}/reports HTTP/1.1\r\nHost: a\r\n"
        f"Content-Type: {PACKED}\r\nContent-Length: {size}\r\n\r\n"
    ).encode()


@pytest.mark.parametrize("arrived", [0, 1699], ids=["heads alone", "all but a byte"])
def test_bodies_that_do_not_come_leave_room_for_others(arrived: int) -> None:
    """Announced are ten times the room; what has come of it is bounded by an address's share."""

    async def scenario() -> None:
        asked, size = tea(), 1700
        async with served(Limits(bytes=10 * size), asked, trusted=["127.0.0.1"]) as listening:
            port = int(listening.url.rpartition(":")[2])
            held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(100)]
            for _, writer in held:
                writer.write(head(asked, size) + bytes(arrived))
                await writer.drain()
            await asyncio.sleep(0.3)
            async with httpx.AsyncClient(base_url=listening.url, timeout=60) as client:
                path = f"/collections/{asked.key}/reports"
                for address in ("198.51.100.1", "198.51.100.2"):
                    told = {"content-type": PACKED, "x-forwarded-for": address}
                    body = packed(said(asked, *[1] * 100))
                    answer = await client.post(path, content=body, headers=told)
                    assert receipts([answer]) == [(100, 0, 0)]
            if arrived:  # those who had no room were told so
                answers = b"".join([await _heard(reader) for reader, _ in held])
                assert answers.count(b"HTTP/1.1 429") == 95
            for _, writer in held:
                writer.close()

    asyncio.run(scenario())


async def _heard(reader: asyncio.StreamReader) -> bytes:
    """What has come on a connection by now."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.01):
            return await reader.read(1 << 12)
    return b""


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


def test_the_table_of_limits_is_what_the_code_says() -> None:
    limits, page = Limits(), Path(__file__).parents[3] / "docs/how-to/run-a-collector.md"
    table = page.read_text("utf-8").partition("## Limits\n")[2].partition("\n\nAn address")[0]
    window = limits.window_reports
    said_in = [
        f"`--window-reports`, {window:,} |",
        f"{BODY_REPORTS:,} reports and {BODY_BYTES >> 20} MiB; without a token {SMALL_REPORTS} ",
        f"`--body-seconds`, {limits.body_seconds:g} |",
        f"a request's head | {limits.head_seconds:g} seconds, {connection._HEAD_BYTES >> 10} KiB",
        f"a handshake of TLS | {limits.handshake_seconds:g} seconds",
        f"{limits.write_rate >> 10} KiB a second, looked at after {limits.write_seconds:g} seconds",
        f"`--connections`, {limits.connections:,},",
        f"those in {connection._PIECE >> 10} KiB on",
        f"{limits.bytes >> 20} MiB that have arrived, {limits.reports:,} reports",
        f"{results._WAITING}, two at once; of one address {results._EACH},",
        f"{live.LISTENERS:,}, and as many of analysts; of one address {live.FROM_ONE}",
        f"{auth.FAILURES} a minute of one address",
    ]
    assert [part for part in said_in if part not in table] == []
    assert results._AT_ONCE == 2
    assert auth.PATIENCE == 60
    options = {one.name: one for one in serve.params}
    shown = options["window_reports"]
    assert isinstance(shown, click.Option)
    assert shown.show_default == str(window)
    assert options["connections"].default == limits.connections
    assert options["body_seconds"].default == limits.body_seconds
    assert window * MOST_MEMORY <= WINDOW_BYTES
    assert (MOST_MEMORY, WINDOW_BYTES) == (64, 1 << 30)  # as the page says in words
