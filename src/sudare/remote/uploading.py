"""Files of reports, sent in bodies, such that each report counts once however often it is sent.

A file of reports has no ids; what devices send themselves has. So each file gets a secret, drawn
once and kept beside it, from which the id of every report in it follows. Two files with the same
reports in them have other ids, as they are other people's.
"""

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from sudare.chance.randomness import Derived
from sudare.device.delivery import pause_after
from sudare.errors import CollectorRefused, CollectorUnavailable, InvalidDocument, ParameterError
from sudare.formats.collector_api import BODY_BYTES, BODY_REPORTS, Receipt
from sudare.formats.documents import Shape, decode
from sudare.formats.files import create_whole
from sudare.formats.report_ids import ID_BYTES, IdentifiedReports, join
from sudare.remote.client import RemoteCollector

Reports = NDArray[np.void]
_AT_ONCE = 20_000  # reports in a body, so that progress is seen


class _IdsBody(Shape):
    """What stands beside a file of reports: the secret of its ids, and what it was sent as."""

    sudare: Literal["report ids"]
    secret: str
    sha256: str
    key: str
    window: int


class ReportIdsOfFile:
    """The ids of the reports in a file, the same each time."""

    def __init__(self, secret: bytes) -> None:
        self._words = Derived(secret)

    def next(self, count: int) -> NDArray[np.uint64]:
        """The ids of the next reports."""
        return self._words.words(2 * count).astype(np.uint64, copy=False).reshape(count, 2)


def ids_beside(path: Path, key: str, window: int) -> ReportIdsOfFile:
    """The ids of a file's reports; the secret beside it (``.ids``) is made unless it is there.

    Refused if it is of another content, collection or window: the file has changed since it was
    sent, or is sent as something else, and what counted before would count again.
    """
    beside = path.with_name(f"{path.name}.ids")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    fresh = _IdsBody("report ids", os.urandom(32).hex(), digest, key, window)
    try:
        create_whole(beside, msgspec.json.encode(fresh))
    except FileExistsError:
        try:
            known = decode(beside.read_bytes(), _IdsBody, "the ids of a file of reports")
            secret = bytes.fromhex(known.secret)
        except (InvalidDocument, ValueError) as error:
            raise InvalidDocument(f"{beside}: {error}") from None
        for same, what in (
            (known.sha256 == digest, "with other contents"),
            (known.key == key, f"for the collection {known.key[:12]}…"),
            (known.window == window, f"for window {known.window}"),
        ):
            if not same:
                raise ParameterError(
                    f"{path} was uploaded before {what}, as {beside.name} says: reports that have "
                    f"counted would count again"
                ) from None
        return ReportIdsOfFile(secret)
    return ReportIdsOfFile(bytes.fromhex(fresh.secret))


def batches(chunks: Iterable[Reports], ids: ReportIdsOfFile, most: int) -> Iterator[bytes]:
    """Bodies of at most so many reports, each after its id."""
    for chunk in chunks:
        fits = BODY_BYTES // (ID_BYTES + chunk.dtype.itemsize)
        size = max(1, min(most, _AT_ONCE, BODY_REPORTS, fits))
        for start in range(0, len(chunk), size):
            part = chunk[start : start + size]
            yield join(IdentifiedReports(ids.next(len(part)), part)).tobytes()


@dataclass(frozen=True)
class Upload:
    """Reports of one window on their way to a collection.

    Attributes:
        collector: to which.
        key: of the collection.
        window: of the reports.
        patience: for how many seconds in a row nothing may be taken.
    """

    collector: RemoteCollector
    key: str
    window: int
    patience: float

    def send(self, bodies: Iterable[bytes]) -> Iterator[Receipt]:
        """The receipts of bodies, sent one after the other, each until it is taken."""
        return map(self._send, bodies)

    def _send(self, body: bytes) -> Receipt:
        given_up, failures = time.monotonic() + self.patience, 0
        while True:
            try:
                return self.collector.send(self.key, self.window, body)
            except CollectorUnavailable as error:
                pause = pause_after(failures, error.retry_after)
                if time.monotonic() + pause > given_up:
                    raise CollectorRefused(
                        f"{error} (uploading the same files again goes on where this ended)"
                    ) from None
                time.sleep(pause)
                failures += 1
