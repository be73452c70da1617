"""How a report is delivered: what each answer to it means for the device that sent it.

This is the table of docs/reference/delivery.md. The browser's device follows the same one
(web/src/collector/deliver.ts), and tests/golden/delivery.json holds both to it. Only what bears the
interface's mark (``Sudare-Api``) counts as a collector's word: a hotel's login page, or a proxy
before a service that is down, can neither take a report nor refuse one.
"""

import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import msgspec

from sudare.errors import CollectionUnavailable, CollectorRefused, CollectorUnavailable
from sudare.formats.collector_api import VERSION, FailureBody, Receipt
from sudare.formats.strangers import visible

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds, beside what the collector asks for
_LONGEST_WAIT = 86_400.0  # seconds, whatever Retry-After says
_COLLECTOR_WAITS = {408, 429, 503}  # statuses of the whole collector, or of the way to it
_COLLECTION_WAITS = {"body_cut", "not_open", "paused", "window_full", "window_not_open"}  # codes


class Answer(NamedTuple):
    """A response to a device, from a collector or from whatever stands in its place."""

    address: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    def check(self) -> None:
        """Raise unless the response is a collector's success.

        ``CollectorUnavailable`` means that the same bytes may be sent again later
        (``CollectionUnavailable``: others at once), and ``CollectorRefused`` that this wouldn't
        help.
        """
        later = retry_after(self.headers.get("Retry-After"))
        if self.headers.get("Sudare-Api") != VERSION:
            raise CollectorUnavailable(
                f"what answers at {self.address} is no collector with version {VERSION} of the "
                f"interface (status {self.status})",
                later,
                doubtful=True,
            )
        if self.status < 400:
            return
        code, sentence = self._problem()
        doubtful = self.status >= 500
        if self.status in _COLLECTOR_WAITS:
            raise CollectorUnavailable(sentence, later, doubtful=doubtful)
        if doubtful or code in _COLLECTION_WAITS:
            raise CollectionUnavailable(sentence, later, doubtful=doubtful)
        raise CollectorRefused(sentence, self.status)

    @property
    def receipt(self) -> Receipt:
        """The receipt of reports that were taken; every other answer raises, as in ``check``."""
        self.check()
        try:
            if self.status == 202:
                return msgspec.json.decode(self.body, type=Receipt)
        except msgspec.MsgspecError:
            pass
        raise CollectionUnavailable(
            f"the collector answered {self.status} without a receipt", doubtful=True
        )

    def _problem(self) -> tuple[str, str]:
        """The code of a collector's problem, and its sentence, fit for a terminal."""
        try:
            problem = msgspec.json.decode(self.body, type=FailureBody).error
        except msgspec.MsgspecError:
            return "", f"the collector answered {self.status}"
        said = visible(problem.message[:300])
        return problem.code, f"the collector answered {self.status}: {said}"


def retry_after(said: str | None) -> float:
    """The seconds of a Retry-After header: a number, or a date; 0 if it says neither."""
    if said is None:
        return 0.0
    try:
        seconds = float(said)
    except ValueError:
        try:
            moment = parsedate_to_datetime(said)
        except ValueError:
            return 0.0
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (zoned - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), _LONGEST_WAIT) if math.isfinite(seconds) else 0.0


def pause_after(failures: int, later: float = 0.0, chance: float | None = None) -> float:
    """Seconds until the next attempt: never before the moment that the collector named.

    What is added grows with the failures and is drawn anew, so that devices don't come back
    together.

    Args:
        failures: how many attempts failed in a row before this one.
        later: what ``retry_after`` says.
        chance: from 0 to 1; drawn from the system unless given.
    """
    if chance is None:
        chance = random.SystemRandom().random()
    return later + chance * min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures, 30))
