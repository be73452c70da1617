"""Server-sent events: what has changed, to all who listen, and no work where nobody does."""

import asyncio
import hashlib
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec
import pytest

from sudare.collector.http import live, results, standing
from sudare.collector.http.addresses import Addresses
from sudare.collector.http.app import create_app
from sudare.collector.http.live import Live
from sudare.collector.stores.contract import Role
from sudare.questions import text
from sudare.questions.text import decode
from support.analysts import DAYS, TEA, WORDS, Collector, at_port, code

PATH = f"/collections/{TEA.key}/live"


class Stage(Collector):
    """A collector whose seconds are short."""

    def __init__(self) -> None:
        super().__init__()
        standings = standing.Standings(self.service)
        shown = results.Results(self.service, self.bearers)
        self.live = Live(self.service, standings, shown)
        self.live.second = 0.005
        self.app = create_app(self.service, live.routes(self.live), role_of=self.bearers.role_of)

    def play(self, scene: Callable[[], Awaitable[None]]) -> None:
        """A scene, of which nothing may be left."""

        async def whole() -> None:
            async with asyncio.timeout(20):
                await scene()
                await self.quiet()

        self.runner.run(whole())
        assert self.live.tickers == {}

    async def quiet(self) -> None:
        """Until nothing is looked at any more."""
        await asyncio.gather(*(ticker.task for ticker in self.live.tickers.values()))


@pytest.fixture
def stage() -> Iterator[Stage]:
    with Stage() as made:
        made.hold(TEA, public=True)
        yield made


class Ear:
    """A client of events."""

    def __init__(self) -> None:
        self.parts: asyncio.Queue[bytes] = asyncio.Queue()
        self.gone = asyncio.Event()
        self.reads = asyncio.Event()
        self.reads.set()
        self.status = 0
        self.answered: asyncio.Task[None]

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message.get("body"):
            await self.reads.wait()
            await self.parts.put(message["body"])

    async def hear(self, kind: str) -> tuple[dict[str, Any], str]:
        """The next event of a kind: its data, and its id."""
        while True:
            text = (await self.parts.get()).decode()
            lines = dict(line.split(": ", 1) for line in text.splitlines() if line)
            if lines.get("event") == kind:
                return msgspec.json.decode(lines["data"]), lines.get("id", "")


@asynccontextmanager
async def listening(
    stage: Stage,
    role: Role | None = None,
    query: bytes = b"",
    address: str = "192.0.2.1",
    path: str = PATH,
    **headers: str,
) -> AsyncIterator[Ear]:
    ear = Ear()
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    if role is not None:
        told["authorization"] = f"Bearer {stage.tokens[role]}"
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": [(name.encode(), value.encode()) for name, value in told.items()],
        "client": (address, 1),
    }
    ear.answered = asyncio.create_task(stage.app(scope, ear.receive, ear.send))
    try:
        yield ear
    finally:
        ear.gone.set()
        await ear.answered


def test_a_listener_hears_what_changes(stage: Stage) -> None:
    async def scene() -> None:
        async with listening(stage) as ear:
            first, _ = await ear.hear("standing")
            assert (first["name"], first["reports"]) == ("tea", 0)
            stage.answer(TEA, {"green": 150})
            second, _ = await ear.hear("standing")
            assert second["reports"] == 150
            shown, name = await ear.hear("estimate")
            assert (shown["n"], shown["window"]) == (150, 0)
            stage.answer(TEA, {"green": 100})
            more, another = await ear.hear("estimate")
            assert more["n"] == 250
            assert name != another

    stage.play(scene)


def test_what_has_not_changed_is_not_said_again(stage: Stage) -> None:
    stage.answer(TEA, {"green": 150})

    async def scene() -> None:
        async with listening(stage) as ear:
            _, name = await ear.hear("estimate")
        assert name
        async with listening(stage, last_event_id=name) as ear:
            await ear.hear("standing")
            await asyncio.sleep(20 * stage.live.second)
            assert ear.parts.empty()
            stage.answer(TEA, {"green": 100})
            assert (await ear.hear("estimate"))[0]["n"] == 250

    stage.play(scene)


def test_what_is_not_public_is_heard_by_analysts_alone(stage: Stage) -> None:
    _withhold(stage)
    stage.answer(TEA, {"green": 150})
    assert code(stage.get(PATH), 401) == "no_token"
    assert code(stage.get(PATH, Role.RELAY), 403) == "wrong_role"

    async def scene() -> None:
        async with listening(stage, Role.ANALYST) as analyst:
            assert (await analyst.hear("standing"))[0]["reports"] == 150
            assert (await analyst.hear("estimate"))[0]["n"] == 150

    stage.play(scene)


def test_who_listens_without_a_token_hears_no_more_once_results_are_withheld(stage: Stage) -> None:
    async def scene() -> None:
        async with listening(stage) as anybody, listening(stage, Role.RELAY) as relay:
            await anybody.hear("standing")
            await relay.hear("standing")
            _withhold(stage)
            stage.answer(TEA, {"green": 150})
            await anybody.answered  # though the client is still there
            await relay.answered
            for ear in (anybody, relay):
                heard = b"".join(ear.parts.get_nowait() for _ in range(ear.parts.qsize()))
                assert b"150" not in heard

    stage.play(scene)


def _withhold(stage: Stage) -> None:
    stage.store.change(TEA.key, public=False)
    stage.service.refresh()


def test_nothing_is_hashed_where_all_others_wait(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.answer(TEA, {"green": 150})
    threads: list[int] = []

    def hashing(data: Any = b"", *, plain: Any = hashlib.sha256, **more: Any) -> Any:
        threads.append(threading.get_ident())
        return plain(data, **more)

    async def scene() -> None:
        async with listening(stage) as ear:
            monkeypatch.setattr(hashlib, "sha256", hashing)
            await ear.hear("estimate")
            monkeypatch.undo()
        assert threads
        assert threading.get_ident() not in threads

    stage.play(scene)


def test_one_ticker_works_for_all_and_for_nobody_at_all(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    plain = standing.Standings.of

    def counting(self: standing.Standings, held: Any) -> Any:
        looks.append(1)
        return plain(self, held)

    monkeypatch.setattr(standing.Standings, "of", counting)

    async def scene() -> None:
        async with listening(stage) as one, listening(stage) as two, listening(stage) as three:
            for ear in (one, two, three):
                await ear.hear("standing")
            assert len(stage.live.tickers) == 1
            assert stage.live.listeners == 3
        await stage.quiet()
        before = len(looks)
        await asyncio.sleep(20 * stage.live.second)
        assert len(looks) == before

    stage.play(scene)


def test_why_there_is_no_estimate_is_said_to_whoever_may_read_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.hold(WORDS)
    path = f"/collections/{WORDS.key}/live"
    release = threading.Event()

    def slowly(*arguments: Any) -> Any:
        release.wait(20)
        return decode(*arguments)

    monkeypatch.setattr(text, "decode", slowly)

    async def scene() -> None:
        async with listening(stage, Role.ANALYST, path=path) as ear:
            said, _ = await ear.hear("waiting")
            assert said["code"] == "too_few_reports"
            stage.answer(WORDS, {"news.example": 4000})
            said, _ = await ear.hear("waiting")
            if said["code"] == "computing":  # on a busy machine, even finding that out takes long
                said, _ = await ear.hear("waiting")
            assert said["code"] == "no_candidates"
            assert "has no candidates" in said["message"]
            stage.store.keep_candidates(WORDS.key, ["news.example", "none.example"])
            stage.live.results.forget(WORDS.key)
            said, _ = await ear.hear("waiting")
            assert said == {"code": "computing", "message": "the estimate is being computed"}
            release.set()
            estimate, _ = await ear.hear("estimate")
            assert estimate["n"] == 4000

    stage.play(scene)


def test_silence_is_broken_by_a_heartbeat(stage: Stage) -> None:
    stage.live.heartbeat = 0.1

    async def scene() -> None:
        async with listening(stage) as ear:
            assert (await ear.parts.get()).startswith(b"retry: ")
            await ear.hear("waiting")
            assert (await ear.parts.get()).startswith(b": ")

    stage.play(scene)


def test_there_is_room_for_so_many_and_again_when_they_go(stage: Stage) -> None:
    stage.live.most = 2

    async def scene() -> None:
        async with listening(stage) as one, listening(stage) as two:
            await one.hear("standing")
            await two.hear("standing")
            async with listening(stage) as late:
                assert b"too_many_listeners" in await late.parts.get()
                assert late.status == 503
        async with listening(stage) as again:
            await again.hear("standing")
            assert again.status == 200

    stage.play(scene)


def test_one_address_does_not_take_all_the_room(stage: Stage) -> None:
    stage.live.from_one = 1

    async def scene() -> None:
        async with listening(stage) as one:
            await one.hear("standing")
            async with listening(stage) as two:
                assert b"too_many_listeners" in await two.parts.get()
            async with listening(stage, address="198.51.100.1") as other:
                await other.hear("standing")

    stage.play(scene)


def test_a_crowd_of_one_address_makes_room_for_others_and_never_for_its_own(stage: Stage) -> None:
    stage.live.most = 3

    async def scene() -> None:
        async with listening(stage) as one, listening(stage) as two, listening(stage) as three:
            for each in (one, two, three):
                await each.hear("standing")
            async with listening(stage) as own:
                assert b"too_many_listeners" in await own.parts.get()
            async with listening(stage, address="198.51.100.1") as other:
                await other.hear("standing")
                ended = [each for each in (one, two, three) if each.answered.done()]
                assert len(ended) == 1
                async with listening(stage, address="203.0.113.1") as third:
                    await third.hear("standing")
                    async with listening(stage, address="203.0.113.2") as fourth:
                        assert b"too_many_listeners" in await fourth.parts.get()

    stage.play(scene)


def test_an_analyst_is_not_shut_out_by_strangers_at_the_same_address(stage: Stage) -> None:
    stage.live.from_one = 2

    async def scene() -> None:
        async with listening(stage) as one, listening(stage) as two:
            await one.hear("standing")
            await two.hear("standing")
            async with listening(stage, Role.ANALYST) as analyst:
                await analyst.hear("standing")
                assert analyst.status == 200
            async with listening(stage, authorization="Bearer sdr_no_" + "x" * 32) as stranger:
                await stranger.parts.get()
                assert stranger.status == 503

    stage.play(scene)


@pytest.mark.parametrize("header", ["x_forwarded_for", "forwarded"])
def test_behind_a_trusted_proxy_everybody_has_their_own_share(stage: Stage, header: str) -> None:
    stage.live.from_one = 1
    stage.service.addresses = Addresses(["192.0.2.1"])

    def from_(address: str, proxy: str = "192.0.2.1") -> Any:
        hop = f"for={address}" if header == "forwarded" else address
        # What a client has written itself comes first.
        written: dict[str, Any] = {header: f"192.0.2.77, {hop}"}
        return listening(stage, address=proxy, **written)

    async def scene() -> None:
        async with from_("198.51.100.1") as one, from_("198.51.100.2") as other:
            await one.hear("standing")
            await other.hear("standing")
            async with from_("198.51.100.1") as again:
                assert b"too_many_listeners" in await again.parts.get()
            async with from_("198.51.100.3", "203.0.113.9") as stranger:
                await stranger.hear("standing")
                async with from_("198.51.100.4", "203.0.113.9") as liar:
                    assert b"too_many_listeners" in await liar.parts.get()

    stage.play(scene)


def test_windows_of_one_collection_share_a_ticker_and_unknown_ones_have_none(stage: Stage) -> None:
    assert code(stage.get(f"{PATH}?window=7"), 404) == "unknown_window"

    async def scene() -> None:
        async with listening(stage) as one, listening(stage, query=b"window=0") as two:
            await one.hear("standing")
            await two.hear("standing")
            assert len(stage.live.tickers) == 1

    stage.play(scene)


def test_asking_for_the_head_alone_opens_nothing(stage: Stage) -> None:
    head = stage.ask("HEAD", PATH)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"].startswith("text/event-stream")
    assert stage.live.tickers == {}


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_a_token_that_ends_ends_what_is_heard_by_it(stage: Stage, end: str) -> None:
    stage.tokens[Role.ANALYST] = stage.token(Role.ANALYST, int(stage.clock.now) + 60)
    _withhold(stage)
    stage.answer(TEA, {"green": 150})

    async def scene() -> None:
        async with listening(stage, Role.ANALYST) as ear, listening(stage, Role.ADMIN) as other:
            await ear.hear("estimate")
            if end == "revoked":
                assert stage.store.revoke(stage.tokens[Role.ANALYST].split("_")[1])
            else:
                stage.clock.now += 60
            await ear.answered  # though the client is still there
            stage.answer(TEA, {"green": 100})
            while (await other.hear("standing"))[0]["reports"] < 250:
                pass
            assert stage.live.listeners == 1

    stage.play(scene)


def test_it_ends_when_the_collector_does_or_the_collection_is_removed(stage: Stage) -> None:
    async def ended(change: Callable[[], None]) -> None:
        async with listening(stage) as ear:
            await ear.hear("standing")
            change()
            await ear.answered  # though the client is still there

    def removed() -> None:
        stage.store.remove(TEA.key)
        stage.service.refresh()

    def ending() -> None:
        stage.service.ending = True

    async def scene() -> None:
        await ended(removed)
        stage.hold(TEA, public=True)
        await ended(ending)

    stage.play(scene)


def test_it_ends_after_its_time(stage: Stage) -> None:
    stage.live.longest = 0
    assert stage.get(PATH).text.startswith("retry: ")


def test_a_slow_listener_gets_the_newest(stage: Stage) -> None:
    async def scene() -> None:
        async with listening(stage) as slow, listening(stage) as quick:
            await slow.hear("standing")
            await quick.hear("standing")
            slow.reads.clear()
            for round_number in range(1, 6):
                stage.answer(TEA, {"green": 10})
                assert (await quick.hear("standing"))[0]["reports"] == 10 * round_number
            slow.reads.set()
            heard: list[int] = []
            while not heard or heard[-1] < 50:
                heard.append((await slow.hear("standing"))[0]["reports"])
            assert len(heard) <= 2  # the one that was on its way, and the newest
            assert heard[-1] == 50

    stage.play(scene)


def test_over_a_real_connection_it_ends_on_either_side(stage: Stage) -> None:
    lines: list[str] = []
    with at_port(stage) as url:
        with httpx.stream("GET", url + PATH, timeout=20) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            heard = response.iter_lines()  # the connection is closed when nobody holds this
            assert next(heard).startswith("retry")
            assert stage.live.listeners == 1
        deadline = time.monotonic() + 20
        while stage.live.listeners and time.monotonic() < deadline:
            time.sleep(0.01)  # the server hears of it in its own time
        assert stage.live.listeners == 0
        with httpx.stream("GET", url + PATH, timeout=20) as response:
            for line in response.iter_lines():
                lines.append(line)
                if line == "event: standing":
                    stage.service.ending = True  # as when a signal has come
    assert "event: standing" in lines


def test_a_question_that_cannot_be_read_is_refused(stage: Stage) -> None:
    assert code(stage.get(f"{PATH}?window=x"), 400) == "invalid_parameter"
    assert code(stage.get(f"/collections/{DAYS.key}/live"), 404) == "unknown_collection"
