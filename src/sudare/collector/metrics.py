"""Numbers that a collector counts about itself, never contents or addresses."""

import threading
import time
from collections import Counter as Tally
from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

# Else each series says when it began: a collection's first report, to the microsecond.
disable_created_metrics()  # type: ignore[no-untyped-call]

MINUTES = 60
_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
_REPORTS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000)


class Metrics:
    """A collector's counts since its start, and its accepted reports by the minute.

    Methods may be called from any thread.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._minutes: dict[str, dict[int, int]] = {}
        self._recent: Tally[str] = Tally()
        self.registry = CollectorRegistry()
        self._reports = Counter(
            "sudare_reports",
            "Reports that were answered with 202, by what became of them",
            ["collection", "fate"],
            registry=self.registry,
        )
        self._problems = Counter(
            "sudare_problems",
            "Requests that were answered with an error, by its code",
            ["code"],
            registry=self.registry,
        )
        self._commit_seconds = Histogram(
            "sudare_commit_seconds",
            "How long the store took to make a group durable",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._commit_reports = Histogram(
            "sudare_commit_reports",
            "How many reports were committed together",
            buckets=_REPORTS,
            registry=self.registry,
        )
        self._waiting = Gauge(
            "sudare_waiting_reports", "Reports that wait to be committed", registry=self.registry
        )

        self._fullness = Gauge(
            "sudare_window_fullness",
            "The reports of the fullest open window, as a share of those that it may have",
            ["collection"],
            registry=self.registry,
        )

    def filled(self, key: str, share: float) -> None:
        """Note how full the fullest open window of a collection is."""
        self._fullness.labels(key[:12]).set(share)

    def watch(self, waiting: Callable[[], float]) -> None:
        """Set the function that tells how many reports wait to be committed."""
        self._waiting.set_function(waiting)

    def committed(self, seconds: float, reports: int) -> None:
        """Note that a commit of so many reports took so many seconds."""
        self._commit_seconds.observe(seconds)
        self._commit_reports.observe(reports)

    def counted(self, key: str, new: int, repeated: int, refused: int) -> None:
        """Note what became of some reports of a collection, which were answered."""
        short = key[:12]
        for fate, number in (("new", new), ("repeated", repeated), ("refused", refused)):
            if number:
                self._reports.labels(short, fate).inc(number)
        minute = int(self._clock() // 60)
        with self._lock:
            self._recent.update(accepted=new, repeated=repeated)
            counts = self._minutes.setdefault(key, {})
            counts[minute] = counts.get(minute, 0) + new
            for old in [at for at in counts if at <= minute - MINUTES]:
                del counts[old]

    def refused(self, code: str) -> None:
        """Note that a request was answered with an error of this code."""
        self._problems.labels(code).inc()
        with self._lock:
            self._recent[code] += 1

    def per_minute(self, key: str) -> list[int]:
        """How many new reports of a collection came in each of the last 60 minutes, newest last."""
        minute = int(self._clock() // 60)
        with self._lock:
            counts = self._minutes.get(key, {})
            return [counts.get(at, 0) for at in range(minute - MINUTES + 1, minute + 1)]

    def recent(self) -> dict[str, int]:
        """The counts since this was last asked, for a line in the log."""
        with self._lock:
            found, self._recent = self._recent, Tally()
        return {name: number for name, number in sorted(found.items()) if number}

    def text(self) -> bytes:
        """All metrics, as Prometheus reads them."""
        return generate_latest(self.registry)
