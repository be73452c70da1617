"""Group commit: whatever waits is checked together and made durable in one transaction.

The event loop hands uploads over; one thread commits them, and while it does, the next ones
gather. Each is told that it counts only after the store has it. Where the store doesn't answer in
time, they are told that (503), and may be sent again: what counts after all counts once.
"""

import asyncio
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from sudare.collection.document import Collection
from sudare.collector.http.limits import Bucket, Limits, Room
from sudare.collector.http.problems import Problem, unavailable, unforeseen
from sudare.collector.metrics import Metrics
from sudare.collector.stores.contract import Allowance, Fates, Group, ReportFate, Store
from sudare.collector.uploads.receipts import ReceiptBody, UploadAnswer, answers_to, invalid
from sudare.errors import InvalidReport, StoreUnavailable
from sudare.formats.report_ids import IdentifiedReports, identified_dtype, part
from sudare.formats.wire import from_bytes
from sudare.mechanisms.interface import Mechanism, Records

COMMIT_REPORTS = 400_000  # in one transaction: more would only make everybody wait
_GATHERING = 0.008
"""Seconds in which those who were answered may send again, so that they are committed together."""
_MANY = 1000  # reports that aren't kept waiting for others: they are dearer than their commit
_form = lru_cache(identified_dtype)
_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Upload:
    """The reports of one body, packed as they came, and where their answer is awaited."""

    collection: Collection
    window: int
    data: bytes
    count: int
    invitation: bytes | None
    bucket: Bucket
    answer: asyncio.Future[UploadAnswer]
    arrived: float
    """By the event loop's clock."""


class Writer:
    """A queue of uploads: filled on the event loop, committed in groups by a thread of its own."""

    def __init__(
        self, store: Store, metrics: Metrics, room: Room, seconds: float = Limits.answer_seconds
    ) -> None:
        """A writer that hasn't begun.

        Args:
            store: where reports are committed.
            metrics: told what became of them.
            room: how many may wait.
            seconds: within which each upload is answered, whatever the store does.
        """
        self._store = store
        self._seconds = seconds
        self._metrics = metrics
        self._room = room
        self._waiting: deque[Upload] = deque()
        self._handed: queue.SimpleQueue[list[Upload] | None] = queue.SimpleQueue()
        self._gathering: asyncio.TimerHandle | None = None
        self._expected = 0  # uploads, after which there is nothing to gather for
        self._taking = False
        self._failing = False
        self._stuck = False  # whether the thread is in a commit that nobody waits for any more
        self._handed_at: float | None = None  # when the first of those that the thread has arrived
        self._deadline: asyncio.TimerHandle | None = None
        self._idle = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        metrics.watch(lambda: room.reports)

    def start(self) -> None:
        """Begin to take uploads, on this thread's event loop."""
        self._loop = asyncio.get_running_loop()
        self._taking = True
        self._idle.set()
        self._thread.start()

    async def stop(self) -> None:
        """Take nothing more; commit and answer what waits; end, also where the store hangs."""
        self._taking = False
        self._stop_gathering()  # nobody comes any more
        if not self._stuck:
            await self._idle.wait()
        self._handed.put(None)
        if self._stuck:
            _log.warning("the store doesn't answer: stopped without waiting for it")
        else:
            await self._loop.run_in_executor(None, self._thread.join)

    def check(self) -> None:
        """Raise a ``Problem`` (503) while nothing is taken, as the store hangs."""
        if self._stuck:
            raise unavailable()

    def oldest(self) -> float:
        """For how many seconds the oldest upload has waited that the store has not answered."""
        first = self._handed_at
        if first is None and self._waiting:
            first = self._waiting[0].arrived
        return 0.0 if first is None else self._loop.time() - first

    def add(  # noqa: PLR0913, PLR0917 - the fields of an upload
        self,
        collection: Collection,
        window: int,
        data: bytes,
        count: int,
        invitation: bytes | None,
        bucket: Bucket,
    ) -> asyncio.Future[UploadAnswer]:
        """Queue the packed reports of one body; a ``Problem`` if there is no room."""
        if not self._taking:
            raise Problem(503, "stopping", "the collector is stopping", {"Retry-After": "5"})
        self.check()
        self._room.queue(count)
        answer = self._loop.create_future()
        now = self._loop.time()
        self._waiting.append(
            Upload(collection, window, data, count, invitation, bucket, answer, now)
        )
        if self._idle.is_set():
            self._idle.clear()
            self._hand_over_soon()
        elif self._are_enough():
            self._stop_gathering()
        return answer

    def _are_enough(self) -> bool:
        all_came = len(self._waiting) >= self._expected
        return all_came or self._room.reports >= _MANY or not self._taking

    def _stop_gathering(self) -> None:
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
            self._hand_over_soon()

    def _hand_over_soon(self) -> None:
        # At the end of this turn of the loop, so that all that came with it goes together.
        self._loop.call_soon(self._hand_over)

    def _hand_over(self) -> None:
        self._gathering = None
        waiting = self._waiting
        if not waiting:
            self._idle.set()
            return
        uploads = [waiting.popleft()]
        reports = uploads[0].count
        while waiting and reports + waiting[0].count <= COMMIT_REPORTS:
            uploads.append(waiting.popleft())
            reports += uploads[-1].count
        self._handed_at = first = uploads[0].arrived
        self._deadline = self._loop.call_at(first + self._seconds, self._give_up, uploads)
        self._handed.put(uploads)

    def _give_up(self, handed: list[Upload]) -> None:
        """Tell all who wait that the store doesn't answer, and take no more until it does.

        Those whom the thread has may count yet: whoever sends them again counts once.
        """
        _log.warning("the store has not answered for %g seconds", self._seconds)
        self._stuck = True
        waiting = list(self._waiting)
        self._waiting.clear()
        self._room.reports -= sum(upload.count for upload in waiting)
        for upload in (*handed, *waiting):
            _tell(upload, unavailable())
        if not self._taking:
            self._idle.set()  # which ``stop`` waits for

    def _answer(self, uploads: list[Upload], answers: Sequence[UploadAnswer]) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._handed_at = None
        if self._stuck:
            _log.warning("the store answers again")
            self._stuck = False
        self._room.reports -= sum(upload.count for upload in uploads)
        for upload, answer in zip(uploads, answers, strict=True):
            _tell(upload, answer)
        # A commit costs about as much for one as for hundred, and they send again, as a rule.
        self._expected = len(uploads) + len(self._waiting)
        if self._are_enough():
            self._hand_over()
        else:
            self._gathering = self._loop.call_later(_GATHERING, self._hand_over)

    # What follows runs in the thread.

    def _run(self) -> None:
        while (uploads := self._handed.get()) is not None:
            answers = self._answers(uploads)
            with suppress(RuntimeError):  # the loop may be over, if the store hung at the end
                self._loop.call_soon_threadsafe(self._answer, uploads, answers)
            del uploads, answers

    def _answers(self, uploads: list[Upload]) -> Sequence[UploadAnswer]:
        try:
            answers = self._committed(uploads)
        except StoreUnavailable as error:
            if not self._failing:  # once, not for every group
                _log.warning("the store takes nothing now: %s", error)
            self._failing = True
            problem = unavailable()
        except Exception as error:  # noqa: BLE001 - one body must not stop the writer
            problem = unforeseen(error, _log)
        else:
            if self._failing:
                _log.warning("the store takes reports again")
            self._failing = False
            return answers
        return [problem] * len(uploads)

    def _committed(self, uploads: list[Upload]) -> list[UploadAnswer]:
        together: dict[tuple[str, int], list[int]] = {}
        for place, upload in enumerate(uploads):
            together.setdefault((upload.collection.key, upload.window), []).append(place)
        answers: list[UploadAnswer] = [ReceiptBody(0, 0, 0)] * len(uploads)
        groups, places = [], []
        for chosen in together.values():
            sound, group = checked_group([uploads[place] for place in chosen])
            for place, good in zip(chosen, sound, strict=True):
                if not good:
                    answers[place] = invalid(uploads[place].collection)
            if group is not None:
                some = [place for place, good in zip(chosen, sound, strict=True) if good]
                groups.append(self._allowed(group, [uploads[place] for place in some]))
                places.append(some)
        if not groups:
            return answers
        start = time.perf_counter()
        fates = self._store.commit(groups)
        seconds = time.perf_counter() - start
        self._metrics.committed(seconds, sum(len(group.ids) for group in groups))
        for group, chosen, fate in zip(groups, places, fates, strict=True):
            counts = [uploads[place].count for place in chosen]
            bucket = uploads[chosen[0]].bucket
            bucket.charge(int(np.count_nonzero(fate == ReportFate.NEW)))
            given = answers_to(group, counts, fate, bucket.busy())
            for place, answer in zip(chosen, given, strict=True):
                answers[place] = answer
            self._meter(group, fate)
        return answers

    def _allowed(self, group: Group, uploads: list[Upload]) -> Group:
        """A group with what it may count: in its window, and by its collection's rate."""
        invited = group.collection.invited  # then there are no more than invitations
        window = None if invited else self._room.window_reports
        bodies = [upload.count for upload in uploads]
        return replace(group, allowance=Allowance(bodies, window, uploads[0].bucket.left()))

    def _meter(self, group: Group, fates: Fates) -> None:
        numbers = np.bincount(fates, minlength=len(ReportFate))
        refused = int(numbers[ReportFate.LATE]) if group.collection.kind.rounds else 0
        new, repeated = int(numbers[ReportFate.NEW]), int(numbers[ReportFate.REPEATED])
        self._metrics.counted(group.collection.key, new, repeated, refused)


def _tell(upload: Upload, answer: UploadAnswer) -> None:
    """Answer an upload, unless its sender is gone or was told before."""
    if not upload.answer.done():
        upload.answer.set_result(answer)


def checked_group(uploads: list[Upload]) -> tuple[list[bool], Group | None]:
    """Which uploads of one window hold no impossible report, and those uploads as one group.

    So a commit of ours has one group for each window, and a store has nothing left to join.
    """
    collection = uploads[0].collection
    data = uploads[0].data if len(uploads) == 1 else b"".join(each.data for each in uploads)
    ids, reports = parted(collection, data)
    starts = np.cumsum([0, *(upload.count for upload in uploads)]).tolist()
    sound = [True] * len(uploads)
    for place in _unsound(collection.mechanism, reports, starts, 0, len(uploads)):
        sound[place] = False
    invitations = None
    if collection.invited:
        digests = b"".join(upload.invitation or bytes(32) for upload in uploads)
        invitations = np.frombuffer(digests, np.uint8).reshape(len(uploads), 32)
    if not all(sound):
        if not any(sound):
            return sound, None
        kept = np.repeat(sound, np.diff(starts))
        ids, reports = ids[kept], reports[kept]
        invitations = None if invitations is None else invitations[np.array(sound)]
    return sound, Group(collection, uploads[0].window, ids, reports, invitations)


def parted(collection: Collection, data: bytes) -> IdentifiedReports:
    """The ids and the reports of packed records, in arrays that may be written to.

    A kernel is compiled for one kind of array: a view of the body would be another.
    """
    dtype = collection.report_dtype
    ids, reports = part(dtype, from_bytes(_form(dtype), data))
    if not reports.flags.writeable:
        ids, reports = ids.copy(), reports.copy()
    return IdentifiedReports(ids, reports)


def _unsound(
    mechanism: Mechanism, reports: Records, starts: list[int], first: int, last: int
) -> list[int]:
    """The uploads with a wrong report: all are checked at once; if that fails, each half."""
    try:
        mechanism.check(reports[starts[first] : starts[last]])
    except InvalidReport:
        if last - first == 1:
            return [first]
        middle = (first + last) // 2
        before = _unsound(mechanism, reports, starts, first, middle)
        return before + _unsound(mechanism, reports, starts, middle, last)
    return []
