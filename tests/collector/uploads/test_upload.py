"""Reports over HTTP: what is taken, what is refused and how it is said."""

import asyncio
import hashlib
import logging
import struct
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Scope

from sudare.collection.document import Collection
from sudare.collector.clock.closings import Ticker
from sudare.collector.http.limits import Limits
from sudare.collector.http.problems import Problem
from sudare.collector.stores.contract import Role, State, Store
from sudare.collector.uploads.bodies import packed_arrow
from sudare.formats.report_ids import join
from sudare.formats.wire import to_batch
from sudare.mechanisms.unary import OUE
from support.memory_store import MemoryStore
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

ARROW = "application/vnd.apache.arrow.stream"


def role_of(scope: Scope) -> Role | None:
    """As if a token were the name of its role."""
    token = dict(scope["headers"])[b"authorization"].decode()
    try:
        return Role(token)
    except ValueError:
        raise Problem(401, "unauthorized", "no such token") from None


def arrow(records: Any, **options: Any) -> bytes:
    batch = to_batch(records)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def test_a_report_counts_once_however_often_it_is_sent(store: Store) -> None:
    async def scenario() -> None:
        asked = tea()
        async with collecting(store, asked) as collector:
            body = packed(said(asked, 1))
            found = [await collector.send(asked, body) for _ in range(3)]
            assert receipts(found) == [(1, 0, 0), (0, 1, 0), (0, 1, 0)]
            assert collector.service.per_minute(asked.key)[-2:] in ([0, 1], [1, 0])
            assert len(collector.service.per_minute(asked.key)) == 60
        total = store.release(asked.key, 0)
        assert total is not None
        assert total.aggregate.counts.tolist() == [0, 1, 0]

    asyncio.run(scenario())


def test_an_address_may_be_written_with_percent_signs() -> None:
    async def scenario() -> None:
        store, asked = MemoryStore(), tea()
        async with collecting(store, asked) as collector:
            key = "".join(f"%{ord(sign):02x}" for sign in asked.key)
            response = await collector.client.post(
                f"/collections/{key}/reports",
                content=packed(said(asked, 1)),
                headers={"content-type": "application/octet-stream"},
            )
            assert receipts([response]) == [(1, 0, 0)]

    asyncio.run(scenario())


def test_all_three_forms_of_a_body_count_alike(store: Store) -> None:
    async def scenario() -> None:
        asked = tea()
        async with collecting(store, asked) as collector:
            sent = named(said(asked, 2))
            single = {"id": sent.ids.tobytes().hex(), "report": sent.reports.tobytes().hex()}
            forms = [
                ("application/json", msgspec.json.encode(single)),
                (ARROW, arrow(join(sent))),
                ("Application/Octet-Stream; a=b", join(sent).tobytes()),
            ]
            found = [await collector.send(asked, body, content_type=kind) for kind, body in forms]
            assert receipts(found) == [(1, 0, 0), (0, 1, 0), (0, 1, 0)]
            many = arrow(join(named(said(asked, *[0, 1, 2] * 20))))
            assert receipts([await collector.send(asked, many, content_type=ARROW)]) == [(60, 0, 0)]

    asyncio.run(scenario())


GOOD = packed(said(tea(), 1))


@pytest.mark.parametrize(
    ("body", "headers", "query", "expected"),
    [
        (b"", {}, "", (400, "invalid_body")),
        (GOOD[:-1], {}, "", (400, "invalid_body")),
        (GOOD + b"\0", {}, "", (400, "invalid_body")),
        (packed(said(tea(), 3)), {}, "", (400, "invalid_report")),
        (GOOD, {"content-type": "text/plain"}, "", (415, "unknown_content_type")),
        (GOOD, {"content-type": ""}, "", (415, "unknown_content_type")),
        (GOOD, {"sudare-api": "2"}, "", (400, "unknown_version")),
        (GOOD, {}, "?window=1", (400, "invalid_window")),
        (GOOD, {}, "?window=x", (400, "invalid_window")),
        (GOOD, {}, "?window=-1", (400, "invalid_window")),
        (GOOD, {}, "?window=", (400, "invalid_window")),
        (GOOD, {}, "?windows=0", (400, "invalid_window")),
        (GOOD, {}, f"?window={'9' * 5000}", (400, "invalid_window")),
        (b"{}", {"content-type": "application/json"}, "", (400, "invalid_body")),
        (b"\xff", {"content-type": "application/json"}, "", (400, "invalid_body")),
        (b"{" * 4000, {"content-type": "application/json"}, "", (400, "single_only")),
        (
            msgspec.json.encode({"id": " " * 32, "report": "00"}),
            {"content-type": "application/json"},
            "",
            (400, "invalid_body"),
        ),
        (b"", {"content-type": ARROW}, "", (400, "invalid_body")),
        (b"\xff" * 100, {"content-type": ARROW}, "", (400, "invalid_body")),
        (GOOD * 101, {}, "", (401, "unauthorized")),
        (GOOD * 101, {"authorization": "analyst"}, "", (403, "forbidden")),
        (GOOD * 101, {"authorization": "stranger"}, "", (401, "unauthorized")),
        (GOOD * 100_001, {"authorization": "relay"}, "", (413, "too_many_reports")),
    ],
    ids=range(23),
)
def test_a_refusal_has_its_code_and_counts_nothing(
    body: bytes, headers: dict[str, str], query: str, expected: tuple[int, str]
) -> None:
    async def scenario() -> None:
        store, asked = MemoryStore(), tea()
        async with collecting(store, asked, role_of=role_of) as collector:
            for chunked in (False, True):
                response = await collector.client.post(
                    f"/collections/{asked.key}/reports{query}",
                    content=_parts(body) if chunked else body,
                    headers={"content-type": "application/octet-stream", **headers},
                )
                assert error(response) == expected
                assert response.headers["sudare-api"] == "1"
            assert b'sudare_problems_total{code="%s"} 2.0' % expected[1].encode() in (
                collector.service.metrics.text()
            )
        assert [window.n for window in store.windows(asked.key)] in ([], [0])

    asyncio.run(scenario())


async def _parts(body: bytes) -> AsyncIterator[bytes]:
    """A body whose length isn't said."""
    for start in range(0, len(body), 1 << 16):
        yield body[start : start + (1 << 16)]


def test_a_relay_may_send_many(store: Store) -> None:
    async def scenario() -> None:
        asked = tea()
        async with collecting(store, asked, role_of=role_of) as collector:
            assert receipts([await collector.send(asked, GOOD * 100)]) == [(1, 99, 0)]
            for role in ("relay", "admin"):
                body = packed(said(asked, *[0, 1, 2] * 200))
                response = await collector.send(asked, body, authorization=role)
                assert receipts([response]) == [(600, 0, 0)]

    asyncio.run(scenario())


@pytest.mark.parametrize("how", ["zstd", "lz4"])
def test_a_compressed_arrow_stream_is_refused_before_it_grows(how: str) -> None:
    reports = join(named(said(tea(), *[1] * 50_000), bytes(16 * 50_000)))
    body = arrow(reports, compression=how)
    assert len(body) < len(reports) * 2

    async def scenario() -> None:
        store, asked = MemoryStore(), tea()
        async with collecting(store, asked, role_of=role_of) as collector:
            send = collector.send
            response = await send(asked, body, content_type=ARROW, authorization="relay")
            assert error(response) == (400, "invalid_body")
            response = await send(asked, arrow(reports), content_type=ARROW, authorization="relay")
            assert receipts([response]) == [(1, 49_999, 0)]

    asyncio.run(scenario())


def packed_into(size: int, grown: int) -> bytes:
    """A buffer of so many bytes that Arrow can decompress to many more."""
    frame: bytes = pa.compress(bytes(grown), codec="zstd", asbytes=True)
    left = size - 8 - len(frame) - 8
    # A frame that is to be skipped fills the rest.
    return struct.pack("<q", grown) + frame + struct.pack("<II", 0x184D2A50, left) + bytes(left)


@pytest.mark.parametrize("version", ["V4", "V5"])
def test_a_stream_compressed_in_the_old_way_is_refused_before_it_grows(version: str) -> None:
    asked, rows = tea(), 100
    plain = to_batch(join(named(said(asked, *[0] * rows))))
    columns = [
        pa.Array.from_buffers(
            column.type, rows, [None, pa.py_buffer(packed_into(rows * width, 1 << 20))]
        )
        for column, width in zip(plain.columns, (16, 1), strict=True)
    ]
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(
        metadata_version=getattr(pa.ipc.MetadataVersion, version), unify_dictionaries=False
    )
    with pa.ipc.new_stream(sink, plain.schema, options=options) as writer:
        batch = pa.record_batch(columns, schema=plain.schema)
        writer.write_batch(batch, custom_metadata={"ARROW:experimental_compression": "zstd"})
    body = bytes(sink.getvalue())
    if version == "V4":  # Arrow itself believes it
        read = pa.ipc.open_stream(body).read_next_batch()
        assert read.column(0).buffers()[1].size == 1 << 20
    with pytest.raises(Problem, match="not an uncompressed Arrow stream"):
        packed_arrow(asked, body)


def test_a_batch_before_its_schema_is_refused() -> None:
    asked = tea()
    batch = to_batch(join(named(said(asked, 0, 1, 2))))
    whole, schema = arrow(join(named(said(asked, 0, 1, 2)))), bytes(batch.schema.serialize())
    assert whole.startswith(schema)
    assert len(packed_arrow(asked, whole)) == 3 * 17
    with pytest.raises(Problem, match="not an uncompressed Arrow stream"):
        packed_arrow(asked, whole.removeprefix(schema))


def test_any_cut_or_changed_arrow_stream_is_refused_or_counted_whole(seed: int) -> None:
    whole = arrow(join(named(said(tea(), 0, 1, 2))))
    random = np.random.default_rng(seed)
    taken: dict[bytes, int] = {}

    async def scenario() -> None:
        store, asked = MemoryStore(), tea()
        async with collecting(store, asked) as collector:
            for _ in range(200):
                body = bytearray(whole)
                if random.random() < 0.5:
                    del body[random.integers(len(body)) :]
                else:
                    body[random.integers(len(body))] ^= 1 << int(random.integers(8))
                response = await collector.send(asked, bytes(body), content_type=ARROW)
                assert response.status_code in (202, 400, 413)
                if response.status_code != 202:
                    continue
                # What Arrow itself reads in those bytes, by another way than ours.
                table = pa.ipc.open_stream(bytes(body)).read_all()
                table.validate(full=True)
                ids, answers = (column.to_pylist() for column in table.columns)
                before = len(taken)
                for name, answer in zip(ids, answers, strict=True):
                    taken.setdefault(name, answer)
                new = len(taken) - before
                assert receipts([response]) == [(new, len(ids) - new, 0)]
        total = store.release(asked.key, 0)
        assert total is not None
        assert (
            total.aggregate.counts.tolist()
            == np.bincount(list(taken.values()), minlength=3).tolist()
        )

    asyncio.run(scenario())
    assert len(taken) > 3  # a changed name is another report


def test_windows_open_and_close_by_the_clock_and_never_open_again(store: Store) -> None:
    async def scenario() -> None:
        asked, clock = hourly(), Clock(999)
        async with collecting(store, asked, clock=clock, grace=60) as collector:

            async def told(window: int | None) -> Any:
                response = await collector.send(asked, packed(said(asked, 1)), window)
                return 202 if response.status_code == 202 else error(response)

            assert await told(None) == (400, "invalid_window")
            assert await told(0) == (409, "window_not_open")
            clock.now = 1000
            assert await told(0) == 202
            clock.now = 1000 + 3600 + 59.9
            assert [await told(window) for window in (0, 1)] == [202, 202]
            assert await told(2) == (409, "window_not_open")
            clock.now = 1000 + 3600 + 60
            assert await told(0) == (409, "window_closed")
            clock.now = 1000 + 3600  # turned back before the clock has ticked
            assert await told(0) == (409, "window_closed")
            assert await told(1) == 202

    asyncio.run(scenario())


def test_the_clock_closes_in_the_store_and_a_clock_turned_back_opens_nothing(store: Store) -> None:
    async def scenario() -> None:
        asked, clock = hourly(), Clock(1000)
        async with collecting(store, asked, clock=clock, grace=60) as collector:
            body = packed(said(asked, 1))
            await collector.send(asked, body, 0)
            clock.now = 1000 + 3 * 3600 + 60
            await collector.app.ticker.tick()
            clock.now = 1000
            await collector.app.ticker.tick()
            assert [one.closed for one in store.windows(asked.key)] == [True, True]
            assert error(await collector.send(asked, body, 0)) == (409, "window_closed")
        # A new process knows nothing of the clock before; the store does.
        async with collecting(store, asked, clock=clock, grace=60) as collector:
            assert error(await collector.send(asked, body, 0)) == (409, "window_closed")

    asyncio.run(scenario())


def test_rounds_close_one_by_one_and_late_reports_are_said_to_be_refused(store: Store) -> None:
    async def scenario() -> None:
        asked, clock = streamed(), Clock(1000)

        def of(*rounds: int) -> bytes:
            reports = np.zeros(len(rounds), asked.report_dtype)
            reports["round"] = rounds
            return packed(reports)

        async with collecting(store, asked, clock=clock, grace=5) as collector:
            closed = []
            for now in (1014.9, 1015, 1025, 1001, 1034.9):
                clock.now = now
                await collector.app.ticker.tick()
                closed.append([one.closed_round for one in store.windows(asked.key)])
            assert closed == [[], [1], [2], [2], [2]]
            assert receipts([await collector.send(asked, of(1, 2, 3, 4), 0)]) == [(2, 0, 2)]
            assert receipts([await collector.send(asked, of(2), 0)]) == [(0, 0, 1)]
            assert error(await collector.send(asked, of(0), 0)) == (400, "invalid_report")
            clock.now = 1000 + 60 + 10 + 5
            await collector.app.ticker.tick()
            standing = [(one.closed, one.closed_round) for one in store.windows(asked.key)]
            assert standing == [(True, 6), (False, 1)]
            assert error(await collector.send(asked, of(3), 0)) == (409, "window_closed")

    asyncio.run(scenario())


def test_a_paused_or_closed_collection_takes_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stands_still(self: Ticker) -> None:
        """Do nothing: the clock looks at the store by itself, at any moment."""

    monkeypatch.setattr(Ticker, "tick", stands_still)

    async def scenario() -> None:
        asked = tea()
        async with collecting(store, asked) as collector:
            for state in (State.PAUSED, State.OPEN, State.CLOSED):
                store.change(asked.key, state=state)
                unaware = await collector.send(asked, packed(said(asked, 1)))
                collector.service.refresh()
                aware = await collector.send(asked, packed(said(asked, 1)))
                if state is State.OPEN:
                    assert error(unaware) == (409, "paused")
                    assert receipts([aware]) == [(1, 0, 0)]
                else:
                    assert error(unaware) == (409, "not_open")
                    assert error(aware) == (409, state.value)
            store.remove(asked.key)
            collector.service.refresh()
            gone = await collector.send(asked, packed(said(asked, 1)))
            assert error(gone) == (404, "unknown_collection")

    asyncio.run(scenario())


def test_an_invitation_is_good_for_one_report_in_each_window(store: Store) -> None:
    async def scenario() -> None:
        asked, clock = hourly(invited=True), Clock(1000)
        async with collecting(store, asked, clock=clock, grace=3600) as collector:
            store.invite(asked.key, [hashlib.sha256(b"welcome").digest()])

            async def told(body: bytes, window: int = 0, **headers: str) -> Any:
                response = await collector.send(asked, body, window, **headers)
                return 202 if response.status_code == 202 else error(response)

            body = packed(said(asked, 1))
            assert await told(body) == (409, "uninvited")
            assert await told(body, sudare_invitation="stranger") == (409, "uninvited")
            assert await told(body * 2, sudare_invitation="welcome") == (400, "single_only")
            clock.now = 4600
            for window in (0, 1):
                assert await told(body, window, sudare_invitation="welcome") == 202
                assert await told(body, window, sudare_invitation="welcome") == 202  # a retry
                again = packed(said(asked, 1))
                refused = await told(again, window, sudare_invitation="welcome")
                assert refused == (409, "uninvited")

    asyncio.run(scenario())


def test_nothing_of_a_report_is_in_an_answer_or_the_log(caplog: pytest.LogCaptureFixture) -> None:
    wide = Collection("wide", "?", tuple(map(str, range(12))), OUE.calibrate(12, 1.0))
    records = np.zeros(1, wide.report_dtype)
    records.view(np.uint8)[:] = 0xEE  # bits beyond the twelfth: no device sends them

    class Bug(Exception):  # noqa: N818
        """Quotes what it shouldn't."""

    def fail(request: Request) -> None:
        raise Bug(request.headers["secret"])

    async def scenario() -> None:
        store = MemoryStore()
        async with collecting(store, wide, routes=[Route("/bug", fail)]) as collector:
            body = packed(records, b"\xab" * 16)
            response = await collector.send(wide, body)
            assert error(response) == (400, "invalid_report")
            assert "238" not in response.text
            assert "abab" not in response.text
            response = await collector.client.get("/bug", headers={"secret": "quoted"})
            assert error(response) == (500, "internal")
            assert response.headers["sudare-api"] == "1"
            store.commit = fail  # type: ignore[assignment]
            response = await collector.send(wide, packed(np.zeros(1, wide.report_dtype)))
            assert error(response) == (500, "internal")

    with caplog.at_level(logging.DEBUG, "sudare"):
        asyncio.run(scenario())
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2
    assert lines[0].startswith("unforeseen Bug at test_upload.py:")
    assert all(
        "quoted" not in line and record.exc_info is None
        for line, record in zip(lines, caplog.records, strict=True)
    )


def test_other_addresses_and_methods_are_refused_in_the_same_shape() -> None:
    async def scenario() -> None:
        asked = tea()
        async with collecting(MemoryStore(), asked) as collector:
            get = collector.client.get
            assert error(await get("/nothing")) == (404, "not_found")
            path = f"/collections/{asked.key}/reports"
            assert error(await get(path)) == (405, "method_not_allowed")
            assert (await get(path)).headers["allow"] == "POST"
            version = {"sudare-api": "7"}
            assert error(await get("/healthz", headers=version)) == (400, "unknown_version")
            assert (await get("/healthz", headers={"sudare-api": "1"})).json() == {"status": "ok"}

    asyncio.run(scenario())


def _stalled(after: bytes) -> Callable[[], AsyncIterator[bytes]]:
    async def parts() -> AsyncIterator[bytes]:
        if after:
            yield after
        await asyncio.sleep(60)

    return parts


@pytest.mark.parametrize("after", [b"", GOOD[:3]], ids=["nothing", "some"])
def test_a_body_that_never_ends_is_given_up(after: bytes) -> None:
    async def scenario() -> None:
        store, asked = MemoryStore(), tea()
        limits = Limits(body_seconds=0.05)
        async with collecting(store, asked, limits=limits) as collector:
            response = await collector.client.post(
                f"/collections/{asked.key}/reports",
                content=_stalled(after)(),
                headers={"content-type": "application/octet-stream"},
            )
            assert error(response) == (408, "body_too_slow")
            assert receipts([await collector.send(asked, GOOD)]) == [(1, 0, 0)]

    asyncio.run(scenario())


def test_many_at_once_are_each_answered() -> None:
    async def scenario() -> None:
        store, asked, other = MemoryStore(), tea(), tea("coffee")
        async with collecting(store, asked, other) as collector:
            sends = [
                collector.send(which, packed(said(which, place % 3)))
                for place, which in enumerate([asked, other] * 100)
            ]
            assert receipts(await asyncio.gather(*sends)) == [(1, 0, 0)] * 200
        assert sum(store.commits) == 200
        assert len(store.commits) < 100  # together, not one by one

    asyncio.run(scenario())
