"""What the senders of reports are told, by what became of them."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sudare.collection import Collection
from sudare.collector.problems import Problem
from sudare.collector.store import Fate, Fates, Group


class Receipt(NamedTuple):
    """What became of the reports of one body."""

    new: int
    repeated: int
    refused: int


Outcome = Receipt | Problem
NOTHING = Receipt(0, 0, 0)


def invalid(collection: Collection) -> Problem:
    """Refuse a body; the mechanism's own words might quote a report."""
    return Problem(
        400,
        "invalid_report",
        f"the body holds a report that no device following “{collection.name}” can make",
    )


def outcomes_of(group: Group, counts: list[int], fates: Fates) -> list[Outcome]:
    """What the sender of each upload is told."""
    collection = group.collection
    if len(counts) == len(fates):  # nothing but single reports
        told = _singles(collection.name, collection.over_time)
        return [told[fate] for fate in fates.tolist()]
    starts = np.cumsum([0, *counts[:-1]])
    table = np.stack([np.add.reduceat(fates == fate, starts, dtype=np.int64) for fate in Fate])
    return [
        _told(collection.name, collection.over_time, count, dict(zip(Fate, numbers, strict=True)))
        for count, numbers in zip(counts, table.T.tolist(), strict=True)
    ]


@lru_cache
def _singles(name: str, over_time: bool) -> list[Outcome]:
    """What the sender of a single report is told, by its fate."""
    return [_told(name, over_time, 1, {each: int(each == fate) for each in Fate}) for fate in Fate]


def _told(name: str, over_time: bool, count: int, numbers: dict[Fate, int]) -> Outcome:
    if numbers[Fate.SHUT] == count:
        return Problem(409, "not_open", f"“{name}” takes no reports now")
    if numbers[Fate.UNINVITED] == count:
        return Problem(409, "uninvited", "the invitation is unknown, or was used in this window")
    if numbers[Fate.LATE] == count and not over_time:
        return Problem(409, "window_closed", "the window is closed")
    refused = count - numbers[Fate.NEW] - numbers[Fate.REPEATED]
    return Receipt(numbers[Fate.NEW], numbers[Fate.REPEATED], refused)
