"""Simulated people: what is true of them, and the reports that their devices send, when they do.

What is true may come from a seed. Reports are made by the mechanism itself, from the system's
randomness, and each has an id of its own.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.collection.document import Collection
from sudare.errors import ParameterError
from sudare.formats.collector_api import BODY_REPORTS
from sudare.formats.report_ids import ID_BYTES, IdentifiedReports, ids_of, join
from sudare.mechanisms.interface import Records
from sudare.questions.states import stream_question
from sudare.simulation.crowd import Crowd

_REMEMBERED = 10  # windows of rounds whose truth is told, as many as a collector shows in a row
_BEHIND = 5  # rounds that may be made up for
_RESTLESS = 0.2  # the chance that somebody looks anew, in a round, at whether to be online
_MIDDLE, _SWING, _WAVE = 0.4, 0.25, 45  # of the share that is then online; the last in rounds


class People(ABC):
    """The simulated people who take part in one study.

    Attributes:
        collection: what they agreed to.
        start: when they begin, in seconds since 1970.
    """

    def __init__(self, collection: Collection, start: float) -> None:
        self.collection = collection
        self.start = start

    @abstractmethod
    def due(self, now: float) -> list[tuple[int, Records]]:
        """The reports to be sent by now that weren't asked for before, by window."""

    @property
    @abstractmethod
    def progress(self) -> tuple[int, int]:
        """How many people have reported, of how many; over time, in the current window."""

    @property
    @abstractmethod
    def truth(self) -> dict[str, float]:
        """The true shares by answer or round, which only a simulation knows."""


class Asked(People):
    """People who answer once, one after the other, at a steady pace."""

    def __init__(  # noqa: PLR0913 - what people hold, and when they say it
        self,
        collection: Collection,
        start: float,
        *,
        labels: Sequence[str],
        answers: NDArray[np.int64],
        pace: float,
        listed: int,
    ) -> None:
        """People with an answer each, who give it at a steady pace.

        Args:
            collection: what they are asked.
            start: when the first of them answers.
            labels: what may be said.
            answers: what each says, as a number of a label.
            pace: how many answer in a second.
            listed: how many of the labels, the first, have a truth that is told.
        """
        super().__init__(collection, start)
        self._labels, self._answers = labels, answers
        self._pace, self._listed = pace, listed
        self._answered = 0

    def due(self, now: float) -> list[tuple[int, Records]]:
        """The reports of the people who answer next, by the pace."""
        first = self._answered
        asked = max(0, int((now - self.start) * self._pace))
        until = min(asked, len(self._answers), first + BODY_REPORTS)
        if until <= first:
            return []
        said = [self._labels[number] for number in self._answers[first:until].tolist()]
        self._answered = until
        return [(0, _identified(self.collection.randomize(said)))]

    @property
    def progress(self) -> tuple[int, int]:
        """How many people have answered, of all."""
        return self._answered, len(self._answers)

    @property
    def truth(self) -> dict[str, float]:
        """The true share of each answer among those who have answered by now."""
        answered = self._answered
        if not answered:
            return {}
        counts = np.bincount(self._answers[:answered], minlength=self._listed)[: self._listed]
        return dict(zip(self._labels, (counts / answered).tolist(), strict=False))


class Observed(People):
    """People who are online or not, round after round, and report in the rounds they have drawn."""

    def __init__(
        self,
        collection: Collection,
        people: int,
        generator: np.random.Generator,
        last: int | None = None,
    ) -> None:
        """People with states that wander between online and offline.

        Args:
            collection: of streams, in windows of time.
            people: how many.
            generator: of their states.
            last: the round after which they are silent; None for never.
        """
        if collection.windows is None:
            raise ParameterError(f"“{collection.name}” has no windows of time")
        super().__init__(collection, collection.windows.start)
        self._windows, self._mechanism = collection.windows, stream_question(collection).stream
        self._last = last
        self._generator = generator
        self._states = (generator.random(people) < _MIDDLE).astype(np.uint8)
        self._window = -1
        self._crowd = Crowd(self._mechanism, 0)
        self._number = 0
        self._waiting = np.empty(0, np.void)
        self._told = 0  # of those who wait
        self._reported = 0  # in the window
        self._shares: dict[str, float] = {}

    def due(self, now: float) -> list[tuple[int, Records]]:
        """Reports of the current round, by how much of it has passed, and the rest of earlier ones.

        Of rounds long passed there is nothing: the machine slept, and so did the devices.
        """
        rounds = self._mechanism.rounds
        number = self._windows.round_at(now, rounds)
        current = number if self._last is None else min(number, self._last)
        sent = []
        for each in range(max(self._number, current - _BEHIND) + 1, current + 1):
            sent += self._next(len(self._waiting))
            self._number = each
            self._observe()
        passed = (now - self.start) * rounds / self._windows.seconds - (self._number - 1)
        return sent + self._next(int(min(max(passed, 0), 1) * len(self._waiting)))

    def _next(self, until: int) -> list[tuple[int, Records]]:
        """Those who wait, up to one of them."""
        reports, self._told = self._waiting[self._told : until], max(self._told, until)
        self._reported += len(reports)
        return [(self._window, reports)] if len(reports) else []

    def _observe(self) -> None:
        """A round begins: states change, and those whose round it is make their reports."""
        window, place = divmod(self._number - 1, self._mechanism.rounds)
        if window != self._window:
            self._window, self._reported = window, 0
            self._crowd = Crowd(self._mechanism, len(self._states))
        share = _MIDDLE + _SWING * np.sin(2 * np.pi * self._number / _WAVE)
        looks = self._generator.random(len(self._states)) < _RESTLESS
        anew = self._generator.random(len(self._states)) < share
        self._states = np.where(looks, anew, self._states).astype(np.uint8)
        told = list(self._shares.items())[1 - _REMEMBERED * self._mechanism.rounds :]
        self._shares = {**dict(told), str(self._number): float(self._states.mean())}
        self._waiting = _identified(self._crowd.observe(place + 1, self._states))
        self._told = 0

    @property
    def progress(self) -> tuple[int, int]:
        """How many people have reported in the current window, of all."""
        return self._reported, len(self._states)

    @property
    def truth(self) -> dict[str, float]:
        """The share of people online, by rounds counted over all windows."""
        return self._shares


def _identified(reports: Records) -> Records:
    """Reports under fresh ids, as they are sent."""
    return join(IdentifiedReports(ids_of(os.urandom(len(reports) * ID_BYTES)), reports))
