"""Asking first: who is admitted is whose report would be taken, and nothing is counted by it."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from sudare.collection.document import Collection
from sudare.collector.http.limits import Limits
from sudare.collector.stores.contract import State, Store
from support.memory_store import MemoryStore
from support.uploads import Clock, Collector, collecting, error, hourly, packed, receipts, said, tea

USED, UNUSED = "used", "unused"


async def asked(
    collector: Collector, collection: Collection, query: str = "", **headers: str
) -> httpx.Response:
    written = {name.replace("_", "-"): value for name, value in headers.items()}
    path = f"/collections/{collection.key}/admission{query}"
    return await collector.client.get(path, headers=written)


@asynccontextmanager
async def club(store: Store) -> AsyncIterator[tuple[Collector, Collection]]:
    """A collection of two invitations, one of them used."""
    invited = hourly(invited=True)
    async with collecting(store, invited, clock=Clock(1000)) as collector:
        digests = [hashlib.sha256(one.encode()).digest() for one in (USED, UNUSED)]
        store.invite(invited.key, digests)
        first = await collector.send(invited, packed(said(invited, 1)), 0, sudare_invitation=USED)
        assert receipts([first]) == [(1, 0, 0)]
        yield collector, invited


def test_who_is_admitted_is_told_so_and_nothing_is_counted(store: Store) -> None:
    async def scenario() -> None:
        one, timed = tea(), hourly()
        async with collecting(store, one, timed, clock=Clock(1000)) as collector:
            for collection, query in ((one, ""), (one, "?window=0"), (timed, "?window=0")):
                response = await asked(collector, collection, query)
                assert (response.status_code, response.json()) == (200, {"admitted": True})
                assert response.headers["cache-control"] == "no-store"
                assert response.headers["sudare-api"] == "1"
            assert list(store.windows(one.key)) == list(store.windows(timed.key)) == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("invitation", "wanted"), [(UNUSED, None), (USED, "uninvited"), ("else", "uninvited")]
)
def test_an_invitation_is_good_until_it_is_used(
    store: Store, invitation: str, wanted: str | None
) -> None:
    async def scenario() -> None:
        async with club(store) as (collector, invited):
            answer = await asked(collector, invited, "?window=0", sudare_invitation=invitation)
            if wanted is None:
                assert answer.status_code == 200
            body = packed(said(invited, 1))
            sent = await collector.send(invited, body, 0, sudare_invitation=invitation)
            if wanted is not None:
                assert error(answer) == error(sent) == (409, wanted)
                assert answer.json() == sent.json()
                return
            assert receipts([sent]) == [(1, 0, 0)]
            again = await asked(collector, invited, "?window=0", sudare_invitation=invitation)
            assert error(again) == (409, "uninvited")
            without = await asked(collector, invited, "?window=0")
            assert error(without) == (409, "uninvited")

    asyncio.run(scenario())


def test_an_invitation_that_was_used_is_good_in_the_next_window(store: Store) -> None:
    async def scenario() -> None:
        async with club(store) as (collector, invited):
            assert isinstance(collector.service.clock, Clock)
            collector.service.clock.now = 1000 + 3600
            answer = await asked(collector, invited, "?window=1", sudare_invitation=USED)
            assert answer.status_code == 200

    asyncio.run(scenario())


@pytest.mark.parametrize("state", [State.PAUSED, State.CLOSED])
def test_a_collection_that_takes_nothing_admits_nobody(store: Store, state: State) -> None:
    async def scenario() -> None:
        one = tea()
        async with collecting(store, one) as collector:
            store.change(one.key, state=state)
            collector.service.refresh()
            answer = await asked(collector, one)
            sent = await collector.send(one, packed(said(one, 1)))
            assert error(answer) == error(sent) == (409, state.value)
            assert answer.json() == sent.json()

    asyncio.run(scenario())


def test_windows_that_are_not_open_or_full_admit_nobody(store: Store) -> None:
    async def scenario() -> None:
        timed, clock = hourly(), Clock(1000 + 2 * 3600)
        async with collecting(
            store, timed, clock=clock, limits=Limits(window_reports=2)
        ) as collector:
            body = packed(said(timed, 1, 1))
            assert receipts([await collector.send(timed, body, 2)]) == [(2, 0, 0)]
            wanted = {0: "window_closed", 2: "window_full", 3: "window_not_open"}
            for window, code in wanted.items():
                answer = await asked(collector, timed, f"?window={window}")
                sent = await collector.send(timed, packed(said(timed, 1)), window)
                assert error(answer) == error(sent) == (409, code)
                assert answer.headers.get("retry-after") == sent.headers.get("retry-after")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("query", "wanted"),
    [("", "invalid_window"), ("?window=x", "invalid_window"), ("?w=0", "invalid_window")],
)
def test_a_window_must_be_named_where_there_are_several(query: str, wanted: str) -> None:
    async def scenario() -> None:
        timed = hourly()
        async with collecting(MemoryStore(), timed, clock=Clock(1000)) as collector:
            assert error(await asked(collector, timed, query)) == (400, wanted)
            unknown = await asked(collector, tea("unknown"))
            assert error(unknown) == (404, "unknown_collection")

    asyncio.run(scenario())


def test_a_store_that_fails_or_a_rate_that_is_used_up_is_said() -> None:
    async def scenario() -> None:
        class Broken(MemoryStore):
            def windows(self, *_: object, **__: object) -> None:  # type: ignore[override]
                self.check()

        one, store = tea(), Broken()
        async with collecting(store, one) as collector:
            store.broken = True
            assert error(await asked(collector, one)) == (503, "store_unavailable")
        plain = MemoryStore()
        async with collecting(plain, one, limits=Limits(rate=0.001)) as collector:
            assert receipts([await collector.send(one, packed(said(one, 1)))]) == [(1, 0, 0)]
            assert error(await asked(collector, one)) == (429, "busy")

    asyncio.run(scenario())
