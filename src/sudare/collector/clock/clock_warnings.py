"""Whether a clock can be right, judged by what a store holds before anything closes by it."""

from collections.abc import Iterable

from sudare.collection.windows import Windows
from sudare.collector.stores.contract import HeldCollection, HeldWindow, State, Store

_SEVERAL = 3  # windows
_DAY = 86_400  # seconds


def clock_warnings(store: Store, collections: Iterable[HeldCollection], now: float) -> list[str]:
    """A sentence for each collection that knows another time than this; asks the store.

    A clock that is behind closes nothing. One that is ahead closes windows for good, so that a
    collector that was away for long looks like one whose clock is wrong; both are told.
    """
    found = []
    for known in collections:
        windows = known.collection.windows
        if windows is None or known.state is State.CLOSED:
            continue
        for newest in store.windows(known.collection.key, last=1):
            name = f"“{known.collection.name}”"
            if newest.window > windows.at(now):
                found.append(f"{name} {_behind(windows, newest, now)}")
            elif (until := _ahead(known, windows, newest, now)) is not None:
                found.append(
                    f"{name} has nothing later than window {newest.window}, and by this clock "
                    f"all windows up to {until} have ended and close for good: make sure that the "
                    f"clock is right"
                )
    return found


def _behind(windows: Windows, newest: HeldWindow, now: float) -> str:
    wait = windows.opens(newest.window) - now
    held = "closed" if newest.closed else "holds reports of"
    return (
        f"{held} window {newest.window}, which by this clock opens in {wait:.0f} seconds: the "
        f"clock is behind, or was ahead before"
    )


def _ahead(known: HeldCollection, windows: Windows, newest: HeldWindow, now: float) -> int | None:
    """The last window that closes now, if it is far from the newest that is known."""
    last = windows.at(now - known.grace) - 1
    skipped = last - newest.window
    return last if skipped > _SEVERAL and skipped * windows.seconds > _DAY else None
