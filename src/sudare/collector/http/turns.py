"""Turns at work that takes long: whoever asks has one before anybody has a second."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from sudare.collector.http.problems import Problem, busy

Result = TypeVar("Result")
_AGAIN = 2  # seconds, after which whoever was sent away may come again


class Turns(Generic[Result]):
    """Work for many who ask: some of it is done at once, the rest waits for a turn.

    Who asks for more than others gets no more than they. Used on the event loop only.
    """

    def __init__(self, at_once: int, most: int, each: int) -> None:
        """Set the bounds of what is done and waits.

        Args:
            at_once: done at the same time.
            most: done or waiting. One who asks has at most as much of it as is left then, so that
                something is always left for the next.
            each: done or waiting for one who asks.
        """
        self._free, self._most, self._each = at_once, most, each
        self._asked: Counter[Hashable] = Counter()
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    def task(
        self, who: Hashable, work: Callable[[], Coroutine[Any, Any, Result]]
    ) -> asyncio.Task[Result]:
        """Do work when its turn comes; a ``Problem`` (429, 503) if it can't even wait."""
        own, everybody = self._asked[who] + 1, self._asked.total() + 1
        if own > self._each or own + everybody > self._most:
            if own > 1:
                raise busy(_AGAIN, f"{own - 1} results are being computed for this address already")
            message = f"{everybody - 1} results are being computed already"
            raise Problem(503, "busy", message, {"Retry-After": str(_AGAIN)})
        self._asked[who] += 1
        return asyncio.create_task(self._done(who, work))

    async def _done(self, who: Hashable, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        try:
            await self._turn(who)
            try:
                return await work()
            finally:
                self._pass_on()
        finally:
            self._asked[who] -= 1
            if not self._asked[who]:
                del self._asked[who]

    async def _turn(self, who: Hashable) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(turn)
        await turn

    def _pass_on(self) -> None:
        """Give a turn to the one who has waited longest since their last."""
        while self._waiting:
            who, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[who] = turns  # after all others
            if not turn.done():  # else nobody waits for it any more
                turn.set_result(None)
                return
        self._free += 1
