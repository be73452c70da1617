"""Turns at work: nobody has two before somebody who waits has one."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from sudare.collector.http.problems import Problem
from sudare.collector.http.turns import Turns


class Work:
    """Work that is done when it is let go, in the order in which it has begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.gate = asyncio.Event()

    def of(self, name: str) -> Callable[[], Coroutine[Any, Any, str]]:
        async def done() -> str:
            self.begun.append(name)
            await self.gate.wait()
            if name == "broken":
                raise ValueError(name)
            return name

        return done


def test_whoever_asks_has_a_turn_before_anybody_has_a_second() -> None:
    async def scenario() -> None:
        turns, work = Turns[str](at_once=1, most=100, each=9), Work()
        asked = ["a1", "a2", "a3", "a4", "broken", "b1", "b2", "c1"]
        tasks = [turns.task(name[0], work.of(name)) for name in asked]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert work.begun == ["a1"]
        work.gate.set()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert work.begun == ["a1", "a2", "broken", "c1", "a3", "b1", "a4", "b2"]
        assert done[:4] == ["a1", "a2", "a3", "a4"]
        assert isinstance(done[4], ValueError)
        tasks = [turns.task(name, work.of(name)) for name in "de"]
        assert await asyncio.gather(*tasks) == ["d", "e"]
        assert not turns._asked

    asyncio.run(scenario())


def test_one_who_asks_for_much_leaves_something_to_the_next() -> None:
    async def scenario() -> None:
        turns, work = Turns[str](at_once=2, most=8, each=3), Work()

        allowed = {"a": 3, "b": 2, "c": 1, "d": 1, "e": 0, "f": 0}

        def asked(who: str) -> None:
            tasks = [turns.task(who, work.of(who)) for _ in range(allowed[who])]
            with pytest.raises(Problem) as refused:
                turns.task(who, work.of(who))
            waiting.extend(tasks)
            assert refused.value.code == "busy"
            assert refused.value.headers == {"Retry-After": "2"}
            assert refused.value.status == (429 if tasks else 503)

        waiting: list[asyncio.Task[str]] = []
        for who in allowed:
            asked(who)
        work.gate.set()
        assert sorted(await asyncio.gather(*waiting)) == [*"aaabbcd"]

    asyncio.run(scenario())
