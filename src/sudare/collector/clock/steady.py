"""A clock that isn't believed at once when it jumps ahead: what time closes stays closed."""

import logging
import threading
import time
from collections.abc import Callable

_log = logging.getLogger(__name__)
FAR = 60.0  # seconds that the clock may gain at once
HELD = 60.0  # seconds after which a jump is believed


class SteadyClock:
    """A clock, in seconds since 1970, that believes a jump ahead only once it has held.

    A window closes for good, so one look at a wrong clock must not do it. Time that is turned back
    is followed at once: it closes nothing. The first look is believed. May be called from any
    thread.
    """

    def __init__(
        self, clock: Callable[[], float] = time.time, passed: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._passed = passed
        self._lock = threading.Lock()
        self._ahead = clock() - passed()  # of what has passed, as it is believed
        self._doubted: tuple[float, float] | None = None  # how far ahead, and since when

    def __call__(self) -> float:
        """The time, in seconds since 1970, as far as the machine's clock is believed."""
        with self._lock:
            passed = self._passed()
            ahead = self._clock() - passed
            if ahead - self._ahead <= FAR or self._has_held(ahead, passed):
                self._ahead, self._doubted = ahead, None
            return self._ahead + passed

    def _has_held(self, ahead: float, passed: float) -> bool:
        if self._doubted is None or abs(ahead - self._doubted[0]) > FAR:
            self._doubted = ahead, passed
            _log.warning(
                "the clock jumped ahead by %.0f seconds: nothing closes by it unless it holds for "
                "%.0f seconds",
                ahead - self._ahead,
                HELD,
            )
            return False
        if passed - self._doubted[1] < HELD:
            return False
        _log.warning("the clock has held: %.0f seconds were skipped", ahead - self._ahead)
        return True
