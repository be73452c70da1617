"""Group commit: everybody is answered, each by what became of their own reports."""

import asyncio
import dataclasses
import logging
import os
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import pytest

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.collector.http import health
from sudare.collector.http.auth import Bearers
from sudare.collector.http.limits import Bucket, Limits, Room
from sudare.collector.http.problems import Problem, busy
from sudare.collector.metrics import Metrics
from sudare.collector.stores.contract import Fates, Group, HeldCollection, ReportFate, Token
from sudare.collector.uploads import writer as writers
from sudare.collector.uploads.receipts import ReceiptBody, UploadAnswer, answers_to
from sudare.collector.uploads.writer import Upload, Writer, checked_group
from sudare.errors import InvalidReport
from sudare.formats.wire import Fields
from sudare.mechanisms.grr import GRR
from support.memory_store import Gate, MemoryStore
from support.uploads import Clock, Collector, collecting, error, packed, receipts, said, tea

BAD = 3  # no answer of three


async def waiting(collector: Collector, reports: int) -> None:
    """Until so many reports wait to be committed, or are being committed."""
    text = b""
    async with asyncio.timeout(20):
        while f"sudare_waiting_reports {reports}.0".encode() not in text:
            await asyncio.sleep(0.001)
            text = collector.service.metrics.text()


def upload(collection: Collection, *answers: int) -> Upload:
    body = packed(said(collection, *answers))
    answer: asyncio.Future[UploadAnswer] = asyncio.Future(loop=_LOOP)
    return Upload(collection, 0, body, len(answers), None, Bucket(None), answer, 0.0)


_LOOP = asyncio.new_event_loop()
_LOOP.close()


class Counted(GRR):
    """GRR that says how often it checked."""

    checks = 0

    def check(self, reports: Fields) -> None:
        type(self).checks += 1
        super().check(reports)


@pytest.mark.parametrize("bad", [[], [0], [7], [3, 4], [0, 1, 2, 3, 4, 5, 6, 7]])
def test_bad_uploads_are_found_and_the_others_go_on(bad: list[int]) -> None:
    asked = tea()
    uploads = [
        upload(asked, 0, BAD if place in bad else 1, *[2] * (place % 3)) for place in range(8)
    ]
    sound, group = checked_group(uploads)
    assert sound == [place not in bad for place in range(8)]
    good = [one for one, fine in zip(uploads, sound, strict=True) if fine]
    if not good:
        assert group is None
        return
    assert group is not None
    assert packed(group.reports, group.ids.tobytes()) == b"".join(one.data for one in good)


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_a_bad_upload_takes_no_invitation_of_another(bad: int) -> None:
    """Each report that goes on is still beside the invitation that it came with."""
    asked = tea(invited=True)
    uploads = [
        dataclasses.replace(
            upload(asked, BAD if place == bad else place), invitation=bytes([place]) * 32
        )
        for place in range(3)
    ]
    sound, group = checked_group(uploads)
    assert sound == [place != bad for place in range(3)]
    assert group is not None
    assert group.invitations is not None
    others = [place for place in range(3) if place != bad]
    assert group.reports["answer"].tolist() == others
    assert group.invitations.tolist() == [[place] * 32 for place in others]


def test_one_bad_report_among_many_costs_few_checks() -> None:
    asked = Collection("tea", "?", ("a", "b", "c"), Counted(3, 0.5))
    uploads = [upload(asked, 1) for _ in range(1024)]
    Counted.checks = 0
    checked_group(uploads)
    assert Counted.checks == 1
    uploads[77] = upload(asked, BAD)
    sound, _ = checked_group(uploads)
    assert sound.index(False) == 77
    assert Counted.checks <= 1 + 2 * 10 + 1


def test_each_upload_is_told_the_fates_of_its_own_reports() -> None:
    asked = tea()
    fates = np.array([0, 0, 1, 2, 2, 0, 1, 1], np.uint8)
    group = Group(asked, 0, np.zeros((8, 2), np.uint64), said(asked, *[0] * 8))
    wait = busy(7, "too many")
    found = answers_to(group, [3, 2, 3], fates, wait)
    assert found[0] == ReceiptBody(2, 1, 0)
    assert isinstance(found[1], Problem)
    assert (found[1].status, found[1].code) == (409, "window_closed")
    assert found[2] == ReceiptBody(1, 2, 0)
    singles = answers_to(group, [1] * 8, fates, wait)
    codes = [one.code if isinstance(one, Problem) else one for one in singles]
    new, again, late = ReceiptBody(1, 0, 0), ReceiptBody(0, 1, 0), "window_closed"
    assert codes == [new, new, again, late, late, new, again, again]
    shut = answers_to(group, [2] * 4, np.full(8, ReportFate.SHUT, np.uint8), wait)
    assert {one.code for one in shut if isinstance(one, Problem)} == {"not_open"}
    put_off = np.array([1, 5, 1, 6, 0, 0, 0, 0], np.uint8)
    codes = [
        one.code if isinstance(one, Problem) else one
        for one in (
            *answers_to(group, [1] * 8, put_off, wait)[:4],
            *answers_to(group, [2] * 4, put_off, wait)[:2],
        )
    ]
    assert codes == [again, "window_full", again, "busy", "window_full", "busy"]


def test_uploads_that_come_during_a_commit_go_together_in_the_next() -> None:
    async def scenario() -> None:
        store, asked = Gate(), tea()
        async with collecting(store, asked) as collector:
            first = asyncio.create_task(collector.send(asked, packed(said(asked, 0))))
            await asyncio.to_thread(store.entered.wait)
            rest = [
                asyncio.create_task(collector.send(asked, packed(said(asked, 1))))
                for _ in range(20)
            ]
            bad = asyncio.create_task(collector.send(asked, packed(said(asked, BAD))))
            await waiting(collector, 22)
            assert not any(task.done() for task in [first, *rest, bad])  # nothing is durable yet
            store.open.set()
            assert receipts(await asyncio.gather(first, *rest)) == [(1, 0, 0)] * 21
            assert error(await bad) == (400, "invalid_report")
        assert store.commits == [1, 20]

    asyncio.run(scenario())


async def second_waits(store: Gate, collector: Collector, asked: Collection) -> asyncio.Task[Any]:
    """One was answered, and another that came meanwhile waits."""
    first = asyncio.create_task(collector.send(asked, packed(said(asked, 0))))
    await asyncio.to_thread(store.entered.wait)
    second = asyncio.create_task(collector.send(asked, packed(said(asked, 1))))
    await waiting(collector, 2)
    store.open.set()
    assert receipts([await first]) == [(1, 0, 0)]
    return second


def test_who_was_answered_and_sends_again_goes_with_those_who_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writers, "_GATHERING", 60)

    async def scenario() -> None:
        store, asked = Gate(), tea()
        async with collecting(store, asked) as collector:
            second = await second_waits(store, collector, asked)
            await waiting(collector, 1)
            assert not second.done()
            third = await collector.send(asked, packed(said(asked, 2)))
            assert receipts([await second, third]) == [(1, 0, 0)] * 2
        assert store.commits == [1, 2]

    asyncio.run(scenario())


def test_many_reports_wait_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "_GATHERING", 60)
    monkeypatch.setattr(writers, "_MANY", 1)

    async def scenario() -> None:
        store, asked = Gate(), tea()
        async with collecting(store, asked) as collector:
            second = await second_waits(store, collector, asked)
            assert receipts([await second]) == [(1, 0, 0)]
        assert store.commits == [1, 1]

    asyncio.run(scenario())


def test_who_was_answered_and_leaves_is_not_waited_for_long() -> None:
    async def scenario() -> None:
        store, asked = Gate(), tea()
        async with collecting(store, asked) as collector:
            second = await second_waits(store, collector, asked)
            assert receipts([await second]) == [(1, 0, 0)]
            # Then the writer has nothing to do, and takes the next at once.
            await waiting(collector, 0)
            assert receipts([await collector.send(asked, packed(said(asked, 2)))]) == [(1, 0, 0)]
        assert store.commits == [1, 1, 1]

    asyncio.run(scenario())


def test_a_store_that_takes_nothing_is_503_and_the_same_body_counts_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "FRESH", 0)

    async def scenario() -> None:
        store, asked = MemoryStore(), tea()
        async with collecting(store, asked) as collector:
            body = packed(said(asked, 0))
            store.broken = True
            response = await collector.send(asked, body)
            assert error(response) == (503, "store_unavailable")
            assert int(response.headers["retry-after"]) >= 1
            assert error(await collector.client.get("/healthz")) == (503, "store_unavailable")
            store.broken = False
            assert receipts([await collector.send(asked, body)]) == [(1, 0, 0)]
            assert (await collector.client.get("/healthz")).status_code == 200

    asyncio.run(scenario())


def test_the_log_has_a_line_a_minute_and_one_for_each_failure_of_the_store(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        store, asked = MemoryStore(), tea()
        async with collecting(store, asked) as collector:
            await collector.send(asked, packed(said(asked, 0)))
            for broken in (True, True, False, True):
                store.broken = broken
                await collector.send(asked, packed(said(asked, 0)))
            for _ in range(120):
                await collector.app.ticker.tick()

    with caplog.at_level(logging.INFO, "sudare"):
        asyncio.run(scenario())
    lines = [record.getMessage() for record in caplog.records]
    failed = "the store takes nothing now: the disk is full"
    assert lines[:3] == [failed, "the store takes reports again", failed]
    assert lines[3:] == ["in the last minute: accepted 2, store_unavailable 3"]


def test_the_queue_is_bounded_in_reports_and_bytes() -> None:
    async def scenario(limits: Limits, taken: int) -> None:
        store, asked = Gate(), tea()
        async with collecting(store, asked, limits=limits) as collector:
            tasks = [
                asyncio.create_task(collector.send(asked, packed(said(asked, 0)))) for _ in range(5)
            ]
            await waiting(collector, taken)
            async with asyncio.timeout(20):
                first = islice(asyncio.as_completed(tasks), 5 - taken)
                refused = [await response for response in first]
            assert [error(response) for response in refused] == [(429, "busy")] * (5 - taken)
            assert all(response.headers["retry-after"] == "1" for response in refused)
            store.open.set()
            done = await asyncio.gather(*tasks)
            assert [response.status_code for response in done].count(202) == taken
            # Room is made again.
            assert receipts([await collector.send(asked, packed(said(asked, 0)))]) == [(1, 0, 0)]

    asyncio.run(scenario(Limits(reports=3), 3))
    asyncio.run(scenario(Limits(bytes=4 * 17), 2))


def test_stopping_commits_and_answers_what_waits_and_takes_no_more() -> None:
    async def scenario() -> None:
        store, asked, room = Gate(), tea(), Room(Limits())
        store.add(HeldCollection(asked))
        writer = Writer(store, Metrics(), room)
        writer.start()

        def add() -> "asyncio.Future[UploadAnswer]":
            return writer.add(asked, 0, packed(said(asked, 0)), 1, None, Bucket(None))

        first = add()
        await asyncio.to_thread(store.entered.wait)
        second = add()
        stopping = asyncio.create_task(writer.stop())
        await asyncio.sleep(0.01)
        with pytest.raises(Problem, match="stopping"):
            add()
        assert not stopping.done()
        store.open.set()
        await stopping
        assert (first.result(), second.result()) == (ReceiptBody(1, 0, 0), ReceiptBody(1, 0, 0))
        assert room.reports == 0

    asyncio.run(scenario())


class Listed(Gate):
    """A store that says which windows each commit was of."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[list[tuple[str, int]]] = []

    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        self.places.append([(group.collection.name, group.window) for group in groups])
        return super().commit(groups)


def test_a_commit_has_one_group_for_each_window() -> None:
    async def scenario() -> None:
        store, clock = Listed(), Clock(1000 + 3600)
        asked = [tea(name, windows=Windows(1000, 3600)) for name in ("a", "b")]
        async with collecting(store, *asked, clock=clock, grace=60) as collector:

            def send(which: int, window: int) -> "asyncio.Task[Any]":
                body = packed(said(asked[which], 0))
                return asyncio.create_task(collector.send(asked[which], body, window))

            first = send(0, 0)
            await asyncio.to_thread(store.entered.wait)
            rest = [send(place % 2, place // 2 % 2) for place in range(12)]
            await waiting(collector, 13)
            store.open.set()
            assert receipts(await asyncio.gather(first, *rest)) == [(1, 0, 0)] * 13
        assert store.places[0] == [("a", 0)]
        assert sorted(store.places[1]) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
        assert store.commits == [1, 12]

    asyncio.run(scenario())


def test_a_commit_is_never_larger_than_its_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "COMMIT_REPORTS", 50)

    async def scenario() -> None:
        store, asked = MemoryStore(), tea()
        async with collecting(store, asked) as collector:
            sizes = [30, 30, 100, 10, 10, 10, 10, 10, 10]
            bodies = [packed(said(asked, *[0] * size)) for size in sizes]
            sends = [collector.send(asked, body) for body in bodies]
            found = receipts(await asyncio.gather(*sends))
            assert found == [(size, 0, 0) for size in sizes]
        assert sum(store.commits) == sum(sizes)
        assert all(size <= 50 or size == 100 for size in store.commits)

    asyncio.run(scenario())


def test_metrics_say_how_many_and_how_long() -> None:
    async def scenario() -> None:
        store, asked = MemoryStore(), tea()
        async with collecting(store, asked) as collector:
            body = packed(said(asked, 0, 1, 2))
            for _ in range(2):
                await collector.send(asked, body)
            text = collector.service.metrics.text().decode()
        short = asked.key[:12]
        assert f'sudare_reports_total{{collection="{short}",fate="new"}} 3.0' in text
        assert f'sudare_reports_total{{collection="{short}",fate="repeated"}} 3.0' in text
        assert "sudare_commit_reports_sum 6.0" in text
        assert "sudare_commit_seconds_count 2.0" in text
        assert "sudare_waiting_reports 0.0" in text

    asyncio.run(scenario())


def test_reports_of_one_and_of_many_reach_a_kernel_as_the_same_kind_of_array() -> None:
    asked, kinds = tea(), set()
    for count in (1, 2, 5):
        ids, reports = writers.parted(asked, os.urandom(17 * count))
        for array in (ids, reports):
            flags: Any = array.flags
            kinds.add((flags.writeable, flags.c_contiguous))
    assert kinds == {(True, True)}
    with pytest.raises(InvalidReport):
        asked.mechanism.check(said(asked, BAD))


# A store that doesn't answer

SOON = Limits(answer_seconds=0.2)


class Hanging(Gate):
    """A store that hangs at every question, until it is let go on."""

    def check(self) -> None:
        assert self.open.wait(30)

    def tokens(self) -> list[Token]:
        assert self.open.wait(30)
        return super().tokens()


def test_a_store_that_hangs_is_said_in_time_and_to_later_ones_at_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        store, asked = Hanging(), tea()
        async with collecting(store, asked, limits=SOON) as collector:
            bodies = [packed(said(asked, 0)) for _ in range(4)]
            first = asyncio.create_task(collector.send(asked, bodies[0]))
            await asyncio.to_thread(store.entered.wait)
            rest = [asyncio.create_task(collector.send(asked, body)) for body in bodies[1:]]
            async with asyncio.timeout(20):
                told = await asyncio.gather(first, *rest)
            assert [error(one) for one in told] == [(503, "store_unavailable")] * 4
            assert {one.headers["retry-after"] for one in told} == {"5"}
            for _ in range(3):  # nothing is read or queued for it
                again = await collector.send(asked, bodies[0])
                assert error(again) == (503, "store_unavailable")
            assert collector.app._uploads.writer._room.reports == 1  # that of the thread
            store.open.set()
            async with asyncio.timeout(20):
                one = again
                while one.status_code == 503:
                    await asyncio.sleep(0.01)
                    one = await collector.send(asked, bodies[0])
            # The commit that hung has counted after all, once; those that waited have not.
            assert receipts([one]) == [(0, 1, 0)]
            found = [await collector.send(asked, body) for body in bodies[1:]]
            assert receipts(found) == [(1, 0, 0)] * 3
            assert collector.app._uploads.writer._room.reports == 0
        assert [one.n for one in store.windows(asked.key)] == [4]

    with caplog.at_level(logging.WARNING, "sudare"):
        asyncio.run(scenario())
    assert [record.getMessage() for record in caplog.records] == [
        "the store has not answered for 0.2 seconds",
        "the store answers again",
    ]


def test_health_looks_at_the_oldest_upload_and_never_waits_long() -> None:
    async def scenario() -> None:
        store, asked = Hanging(), tea()
        async with collecting(store, asked, limits=Limits(answer_seconds=30)) as collector:
            well = health.Health(store, oldest=0.2)
            async with asyncio.timeout(20):  # the store can't even be asked
                for _ in range(3):
                    with pytest.raises(Problem, match="takes nothing now"):
                        await well.check()
            waited = collector.app._uploads.writer.oldest
            sending = asyncio.create_task(collector.send(asked, packed(said(asked, 0))))
            async with asyncio.timeout(20):
                while waited() <= 0.2:  # noqa: ASYNC110 - time has no event
                    await asyncio.sleep(0.01)
            aged = health.Health(MemoryStore(), waited=waited, oldest=0.2)
            with pytest.raises(Problem, match="takes nothing now"):
                await aged.check()  # though the store itself says that it is well
            store.open.set()
            assert (await sending).status_code == 202
            await aged.check()
            assert waited() == 0

    asyncio.run(scenario())


def test_a_store_that_hangs_does_not_keep_a_collector_from_stopping() -> None:
    async def scenario() -> None:
        store, asked = Hanging(), tea()
        async with asyncio.timeout(25):
            async with collecting(store, asked, limits=SOON) as collector:
                sending = asyncio.create_task(collector.send(asked, packed(said(asked, 0))))
                await asyncio.to_thread(store.entered.wait)
            assert error(await sending) == (503, "store_unavailable")
        store.open.set()

    asyncio.run(scenario())


def test_a_token_that_the_store_does_not_know_in_time_is_answered_too() -> None:
    async def scenario() -> None:
        store, asked = Hanging(), tea()
        bearers = Bearers(store, Clock())
        async with collecting(store, asked, limits=SOON, role_of=bearers.role_of) as collector:
            async with asyncio.timeout(20):
                told = await collector.send(
                    asked, packed(said(asked, 0)), authorization=f"Bearer sdr_a_{'x' * 20}"
                )
            assert error(told) == (503, "store_unavailable")
            store.open.set()

    asyncio.run(scenario())
