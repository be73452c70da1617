"""The answers to senders of reports, by the fates of these in the store."""

from functools import lru_cache
from typing import Literal

import msgspec
import numpy as np

from sudare.collection.document import Collection
from sudare.collector.http.problems import Problem
from sudare.collector.stores.contract import Fates, Group, ReportFate
from sudare.formats.collector_api import Receipt

_FULL_SECONDS = 600  # after which an operator may have made room in a window


class ReceiptBody(Receipt, frozen=True, forbid_unknown_fields=True):
    """The fate of a body's reports: how many are new, repeated or refused, durably."""


class AdmissionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """That a report could be taken now; whoever's couldn't is told why, as its sender would be."""

    admitted: Literal[True]


UploadAnswer = ReceiptBody | Problem
"""The answer to the sender of a body."""


def invalid(collection: Collection) -> Problem:
    """The problem (400) of a body with an impossible report, which it doesn't quote."""
    return Problem(
        400,
        "invalid_report",
        f"the body holds a report that no device following “{collection.name}” can make",
    )


def full(name: str) -> Problem:
    """The problem (409) of a window that has all the reports that it takes for now."""
    sentence = f"“{name}” has as many reports in this window as this collector takes"
    return Problem(409, "window_full", sentence, {"Retry-After": str(_FULL_SECONDS)})


def uninvited() -> Problem:
    """The problem (409) of an invitation that isn't good for a report in this window."""
    return Problem(409, "uninvited", "the invitation is unknown, or was used in this window")


def answers_to(group: Group, counts: list[int], fates: Fates, busy: Problem) -> list[UploadAnswer]:
    """The answer to the sender of each upload, by the fates of its reports.

    Args:
        group: of the uploads.
        counts: how many reports each upload has.
        fates: of the reports.
        busy: the answer to whose reports are put off.
    """
    collection = group.collection
    in_rounds = collection.kind.rounds > 0
    if len(counts) == len(fates):  # nothing but single reports
        answers = [*_singles(collection.name, in_rounds), busy]
        return [answers[fate] for fate in fates.tolist()]
    starts = np.cumsum([0, *counts[:-1]])
    table = np.stack(
        [np.add.reduceat(fates == fate, starts, dtype=np.int64) for fate in ReportFate]
    )
    return [
        busy
        if numbers[ReportFate.BUSY]
        else _answer(collection.name, in_rounds, count, dict(zip(ReportFate, numbers, strict=True)))
        for count, numbers in zip(counts, table.T.tolist(), strict=True)
    ]


@lru_cache
def _singles(name: str, in_rounds: bool) -> list[UploadAnswer]:
    """The answers to the sender of a single report, by its fate; for all but the last, busy."""
    return [
        _answer(name, in_rounds, 1, {each: int(each == fate) for each in ReportFate})
        for fate in ReportFate
        if fate is not ReportFate.BUSY
    ]


def _answer(name: str, in_rounds: bool, count: int, numbers: dict[ReportFate, int]) -> UploadAnswer:
    if numbers[ReportFate.FULL]:
        return full(name)
    if numbers[ReportFate.SHUT] == count:
        return Problem(409, "not_open", f"“{name}” takes no reports now")
    if numbers[ReportFate.UNINVITED] == count:
        return uninvited()
    if numbers[ReportFate.LATE] == count and not in_rounds:
        return Problem(409, "window_closed", "the window is closed")
    refused = count - numbers[ReportFate.NEW] - numbers[ReportFate.REPEATED]
    return ReceiptBody(numbers[ReportFate.NEW], numbers[ReportFate.REPEATED], refused)
