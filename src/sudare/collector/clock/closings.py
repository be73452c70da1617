"""The passing of time in a collector: windows and rounds close, for good."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from sudare.collection.document import Collection
from sudare.collector.http.problems import Problem, unforeseen
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection, State
from sudare.errors import ParameterError, StoreUnavailable

_log = logging.getLogger(__name__)
_LOG_EVERY = 60  # ticks
_FILL_EVERY = 10  # ticks
_NEARLY = 3 / 4  # of the reports that a window may have


@dataclass(frozen=True, order=True)
class Closing:
    """How far a collection is closed: all windows up to one, and some rounds of the next."""

    window: int = -1
    rounds: int = 0


Identity = tuple[str, int]
"""A collection's key and its number: removed and added again, it is another."""


def check_rounds_end(collection: Collection) -> None:
    """Refuse a collection over time without windows: a collector could never show any of it."""
    if collection.kind.rounds and collection.windows is None:
        raise ParameterError(
            f"“{collection.name}” counts over time and has no windows, so a collector can't know "
            f"when its rounds end: make it anew by `sudare collection new` with --window, such as "
            f"1d, which holds all rounds"
        )


class Closings:
    """How far each collection is closed, and stays so if the clock is turned back."""

    def __init__(self) -> None:
        self._reached: dict[Identity, Closing] = {}
        self._stored: dict[Identity, Closing] = {}

    def check(self, held: HeldCollection, window: int, now: float) -> None:
        """Raise a ``Problem`` (409) unless a window takes reports now."""
        windows, key = held.collection.windows, _identity(held)
        if windows is None:
            return
        if now < windows.opens(window):
            raise Problem(
                409,
                "window_not_open",
                f"window {window} opens in {windows.opens(window) - now:.0f} seconds",
            )
        reached = self._reached.get(key)
        if reached is not None and window <= reached.window:
            raise _closed(window)
        if now >= windows.opens(window + 1) + held.grace:
            self._reached[key] = max(reached or Closing(), Closing(window))
            raise _closed(window)

    def due(self, held: HeldCollection, now: float) -> Closing | None:
        """How far to close a collection in the store; None if it is closed so far there."""
        windows, key = held.collection.windows, _identity(held)
        if windows is None:
            return None
        moment, planned = now - held.grace, held.collection.kind.rounds
        rounds = max(0, windows.round_at(moment, planned) - 1) % planned if planned else 0
        reached = max(
            Closing(max(-1, windows.at(moment) - 1), rounds), self._reached.get(key, Closing())
        )
        self._reached[key] = reached
        return reached if reached > self._stored.get(key, Closing()) else None

    def stored(self, held: HeldCollection, closing: Closing) -> None:
        """Note that the store has closed a collection so far."""
        self._stored[_identity(held)] = closing

    def keep(self, collections: Iterable[HeldCollection]) -> None:
        """Forget every collection but these: the others were removed."""
        keys = {_identity(held) for held in collections}
        for known in (self._reached, self._stored):
            for key in known.keys() - keys:
                del known[key]


def _identity(held: HeldCollection) -> Identity:
    return held.collection.key, held.number


def _closed(window: int) -> Problem:
    return Problem(409, "window_closed", f"window {window} is closed")


class Ticker:
    """A collector's second hand: looks at the store, closes what has ended, now and then logs."""

    def __init__(
        self, service: Service, closings: Closings, window_reports: int | None = None
    ) -> None:
        """Start a second hand.

        Args:
            service: whose.
            closings: how far its collections are closed.
            window_reports: the most that a window may have, where anybody may send.
        """
        self._service = service
        self._closings = closings
        self._window_reports = window_reports
        self._warned: set[tuple[str, int]] = set()  # of windows that are nearly full
        self._ticks = 0
        self._failing = False
        self._failed = False

    async def run(self) -> None:
        """Tick until cancelled."""
        while True:
            await self.tick()
            await asyncio.sleep(1)

    async def tick(self) -> None:
        """Do one second's work; a store that takes nothing now is asked again in the next."""
        now = self._service.clock()  # in every tick: how a jump is told from time that passes
        self._failed = False
        if await self._try(self._service.refresh):
            await self._close_all(now)
        if self._window_reports is not None and self._ticks % _FILL_EVERY == 0:
            for held in self._service.held_collections:
                await self._try(partial(self._look_for_full, held, self._window_reports))
        self._failing = self._failed
        self._ticks += 1
        if self._ticks % _LOG_EVERY == 0 and (recent := self._service.metrics.recent()):
            _log.info(
                "in the last minute: %s",
                ", ".join(f"{name} {number}" for name, number in recent.items()),
            )

    async def _close_all(self, now: float) -> None:
        collections = self._service.held_collections
        self._closings.keep(collections)
        for held in collections:
            due = self._closings.due(held, now)
            if due is not None and await self._try(partial(self._close, held, due)):
                self._closings.stored(held, due)

    async def _try(self, work: Callable[[], None]) -> bool:
        """Ask the store; whether it went well. One that fails doesn't keep others from theirs."""
        try:
            await asyncio.to_thread(work)
        except StoreUnavailable as error:
            if not self._failing and not self._failed:  # once, not every second
                _log.warning("the store can't be asked now: %s", error)
            self._failed = True
        except Exception as error:  # noqa: BLE001 - time goes on
            unforeseen(error, _log)
        else:
            return True
        return False

    def _look_for_full(self, held: HeldCollection, most: int) -> None:
        """Warn, once for each window, before it takes no more."""
        key, collection = held.collection.key, held.collection
        if collection.invited:
            return
        windows = [one for one in self._service.store.windows(key, last=2) if not one.closed]
        self._warned -= {
            (known, window)
            for known, window in self._warned
            if known == key and window not in {one.window for one in windows}
        }
        self._service.metrics.filled(key, max((one.n for one in windows), default=0) / most)
        for one in windows:
            if one.n >= _NEARLY * most and (key, one.window) not in self._warned:
                self._warned.add((key, one.window))
                _log.warning(
                    "window %d of %s… has %s reports and may have %s (--window-reports)",
                    *(one.window, key[:12], f"{one.n:,}", f"{most:,}"),
                )

    def _close(self, held: HeldCollection, closing: Closing) -> None:
        key, store = held.collection.key, self._service.store
        if held.state is State.CLOSED:  # nothing comes after what it has
            newest = store.windows(key, last=1)
            if not newest or newest[0].closed:
                return
            closing = min(closing, Closing(newest[0].window))
        if closing.window >= 0:
            store.close(key, closing.window)
        if closing.rounds:
            store.close(key, closing.window + 1, closing.rounds)
