"""Reports that wait on a device until a collector has them.

Each has its name when it is put here, and keeps it: however often it is sent, it counts once. It
leaves when the collector said that it is durable, or that it will never be taken; then the refusal
stays, for the person to see. A crash in between sends it again.

A refusal because the window is closed doesn't say that the report has not counted: the names of a
closed window are forgotten, so a report that counted, but whose receipt was lost, is told the same.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sudare.client import Collector
from sudare.errors import (
    CollectionUnavailable,
    CollectorRefused,
    CollectorUnavailable,
    ParameterError,
)
from sudare.shelf import Refusal, Shelf, Waiting

__all__ = ["Aside", "Delivery", "Outbox", "Refusal", "Waiting", "check_patience"]

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds


class Aside(NamedTuple):
    """A window that a collector took nothing of for now, while others went on."""

    key: str
    window: int
    reason: str


class Delivery(NamedTuple):
    """What came of sending.

    Attributes:
        taken: how many reports the collector has now, durably.
        refused: how many it will never take.
        waiting: how many are left for another time.
        reason: why they are.
        doubtful: how many it refused now, though an earlier attempt may have counted.
        aside: what it takes nothing of for now, and why, where it may take other reports.
    """

    taken: int
    refused: int
    waiting: int
    reason: str | None
    doubtful: int = 0
    aside: tuple[Aside, ...] = ()

    def reason_of(self, report: Waiting) -> str | None:
        """Why a report waits."""
        place = (report.key, report.window)
        return next((each.reason for each in self.aside if each[:2] == place), self.reason)


class _Aside:
    """What was put aside: until when, and why. Each collection has its own pauses."""

    def __init__(self) -> None:
        self.places: dict[tuple[str, int], tuple[float, str]] = {}
        self.failures = Counter[str]()

    def put(self, key: str, window: int, error: CollectionUnavailable) -> None:
        until = time.monotonic() + error.retry_after + _jitter(self.failures[key])
        self.places[key, window] = until, str(error)
        self.failures[key] += 1

    def seconds(self) -> float:
        """Until the first may be asked for again."""
        return max(0.0, min(self.places.values())[0] - time.monotonic())

    def take_first(self) -> None:
        del self.places[min(self.places, key=self.places.__getitem__)]

    def told(self) -> tuple[Aside, ...]:
        return tuple(Aside(*place, reason) for place, (_, reason) in self.places.items())


class Outbox(Shelf):
    """Reports that wait, in a file that several processes may use at once.

    Two that send at the same time may send a report twice, under its one name.
    """

    def send(
        self,
        collector: Collector,
        *,
        patience: float = 60.0,
        pause: Callable[[float], None] = time.sleep,
    ) -> Delivery:
        """Hand a collector what waits for it, a window at a time.

        Where it can't take it now, it is asked again after a pause that doubles, by chance longer
        or shorter, and never before the moment that it named. If that is about one collection or
        window only, the others go on meanwhile.

        Args:
            collector: only reports for its address are sent.
            patience: after so many seconds no further pause is begun.
            pause: how to wait.
        """
        given_up = time.monotonic() + check_patience(patience)
        fates, failures = Counter[str](), 0
        aside = _Aside()
        stopped: str | None = None
        while True:
            group = self.next_group(collector.address, aside.places)
            if not group and not aside.places:
                break
            error = self._attempt(collector, group, fates) if group else None
            if isinstance(error, CollectionUnavailable):
                aside.put(group[0].key, group[0].window, error)
                continue
            if group and error is None:
                aside.failures[group[0].key] = failures = 0
                continue
            if error is None:  # nothing is left but what was put aside
                wait = aside.seconds()
            else:
                wait = error.retry_after + _jitter(failures)
                failures += 1
            if time.monotonic() + wait > given_up:
                stopped = None if error is None else str(error)
                break
            pause(wait)
            if error is None:
                aside.take_first()
        left = sum(report.address == collector.address for report in self.waiting())
        put = aside.told()
        reason = stopped or (put[0].reason if put else None)
        return Delivery(fates["taken"], fates["refused"], left, reason, fates["doubtful"], put)

    def _attempt(
        self, collector: Collector, group: Sequence[Waiting], fates: Counter[str]
    ) -> CollectorUnavailable | None:
        """Send reports of one window and count what became of them; why they can't be taken now."""
        try:
            for fate in self._deliver(collector, group):
                fates[fate] += 1
        except CollectorUnavailable as error:
            return error
        return None

    def _deliver(self, collector: Collector, group: Sequence[Waiting]) -> Iterator[str]:
        """Send reports of one window, and let go of them as soon as their fate is known."""
        first = group[0]
        body = b"".join(report.id + report.record for report in group)
        self.doubt(group, doubtful=True)  # before they leave: after a crash nobody could tell
        try:
            receipt = collector.post(first.key, first.window, body, invitation=first.invitation)
        except CollectorUnavailable as error:
            if not error.doubtful:
                self.doubt(group, doubtful=False)
            raise
        except ParameterError as error:  # it could never be put into a request
            yield from self._refuse(group, str(error))
            return
        except CollectorRefused as error:
            if len(group) > 1 and error.status == 400:  # one of them spoilt it for all
                self.doubt(group, doubtful=False)
                yield from self._deliver_each(collector, group)
            else:
                yield from self._refuse(group, str(error))
            return
        if 0 < receipt.refused < len(group):  # each is asked about by its name
            yield from self._deliver_each(collector, group)
        elif receipt.refused:  # a group is of one round
            yield from self._refuse(group, "the collector left it out: its round is closed")
        else:
            self.settle(group, None)
            yield from ["taken"] * len(group)

    def _deliver_each(self, collector: Collector, group: Sequence[Waiting]) -> Iterator[str]:
        for report in group:
            yield from self._deliver(collector, [report])

    def _refuse(self, group: Sequence[Waiting], reason: str) -> Iterator[str]:
        """Let go of reports for good: of each, whether an earlier attempt may have counted."""
        self.settle(group, reason)
        return ("doubtful" if report.doubtful else "refused" for report in group)


def check_patience(patience: float) -> float:
    """Seconds to try, if they ever end."""
    if not 0 <= patience < math.inf:
        raise ParameterError(f"patience must be at least 0 seconds and finite, got {patience}")
    return patience


def _jitter(failures: int) -> float:
    """A pause after so many failures: full jitter, so that devices don't come back together."""
    return random.SystemRandom().uniform(
        0, min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures, 30))
    )
