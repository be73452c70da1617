"""The collector's side of a stream in real time: counts by round, and estimates that stay.

A round is open until it is closed. Its estimate is then final: it rests on the reports that had
arrived, and whatever comes later is counted as late and changes nothing. All that is kept is two
counts per round, and the ids of open rounds. Any number of threads may add, close and ask.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple, Self, SupportsIndex

import msgspec
import numpy as np
from numpy.typing import NDArray

from sudare.aggregate import Aggregate
from sudare.collection import Collection
from sudare.continual import ContinualMechanism
from sudare.errors import InvalidDocument, InvalidReport, MixedCollections, ParameterError
from sudare.estimation.rounds import StreamEstimate
from sudare.mechanism import Records
from sudare.mechanisms import from_document
from sudare.sealed import seal, unseal

ID_BYTES = 16
_MOST = (1 << 63) - 1  # reports, in numbers of 64 bits


class Receipt(NamedTuple):
    """What became of reports: each is one of these."""

    counted: int
    late: int
    """Of a round that was closed already."""
    repeated: int
    """Of an id that had reported in the round before."""

    def __add__(self, other: object) -> "Receipt":
        if not isinstance(other, Receipt):
            return NotImplemented
        return Receipt(*(one + two for one, two in zip(self, other, strict=True)))


@dataclass(frozen=True)
class RoundEstimate:
    """The share of people in state 1 in one round, as its own reports tell it.

    Attributes:
        round: its number.
        reports: how many reports it rests on.
        value: the unbiased estimate.
        stderr: its standard error, infinite for a single report of a sample.
    """

    round: int
    reports: int
    value: float
    stderr: float
    _stream: StreamEstimate = field(repr=False, compare=False)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """What covers this round's truth with probability ``level``."""
        low, high = self._stream.interval(level)
        return float(low[0]), float(high[0])

    def simultaneous(self, level: float = 0.95) -> tuple[float, float]:
        """This round's part of a band that covers all planned rounds with that probability."""
        low, high = self._stream.simultaneous(level)
        return float(low[0]), float(high[0])


@dataclass(frozen=True)
class Withheld:
    """A round of which there are reports, but fewer than may be released."""

    round: int
    reports: int


class LiveCount:
    """The running count of one window of a stream.

    Nothing in a report says of which window it is: every window has a count of its own.

    Attributes:
        mechanism: how the reports were made.
        key: what aggregates of shards must bear: the collection's key, or the mechanism's.
        minimum_reports: a round that has fewer is withheld; the collection's own, if it has one.
        closed: the last closed round; 0 if all are open.
        received: what became of all reports so far.
    """

    def __init__(
        self,
        counted: Collection | ContinualMechanism,
        key: str | None = None,
        minimum_reports: int | None = None,
    ) -> None:
        """Of a collection, which has a key and a minimum; or of a bare mechanism with these."""
        if isinstance(counted, Collection):
            if key is not None or minimum_reports is not None:
                raise ParameterError(f"“{counted.name}” has a key and a minimum of its own")
            key, minimum_reports = counted.key, counted.minimum_reports
        mechanism = counted.mechanism if isinstance(counted, Collection) else counted
        if not isinstance(mechanism, ContinualMechanism):
            name = getattr(mechanism, "name", type(mechanism).__name__)
            raise ParameterError(f"a stream is counted, {name} makes none")
        self.mechanism = mechanism
        self.key = key or mechanism.key
        self.minimum_reports = 1 if minimum_reports is None else minimum_reports
        if self.minimum_reports < 1:
            raise ParameterError(f"minimum_reports must be at least 1, got {self.minimum_reports}")
        self.closed = 0
        self.received = Receipt(0, 0, 0)
        self._lock = threading.Lock()
        self._counts = mechanism.zero.counts
        self._seen: dict[int, set[bytes]] = {}

    def add(self, reports: Records | Aggregate, ids: Sequence[bytes] | None = None) -> Receipt:
        """Count reports of open rounds, and say what became of all; a wrong one refuses them all.

        Args:
            reports: in any order, or the aggregate of a shard. That is a sum: added twice, it
                counts twice.
            ids: 16 bytes for each report (``Device.report_id``). One that has reported in a round
                doesn't count in it again.
        """
        if isinstance(reports, Aggregate):
            if ids is not None:
                raise ParameterError("an aggregate has no single reports that ids could name")
            tallied = self._own(reports)
        else:
            tallied = self.mechanism.aggregate(reports)  # a wrong report is found here
        with self._lock:
            if sum(self.received) + tallied.n > _MOST:
                raise InvalidReport(f"a count holds at most {_MOST} reports")
            if ids is None or isinstance(reports, Aggregate):
                receipt = self._add_counts(tallied.counts)
            else:
                receipt = self._add_named(reports, ids, tallied.counts)
            self.received += receipt
        return receipt

    def close(self, number: SupportsIndex) -> RoundEstimate | Withheld | None:
        """Close a round and all before it: its final estimate, or None if nobody reported."""
        number = self.mechanism.domain.check_round(number)
        with self._lock:
            self.closed = max(self.closed, number)
            for past in [past for past in self._seen if past <= self.closed]:
                del self._seen[past]
            return self._estimate(number)

    def estimate(self, number: SupportsIndex) -> RoundEstimate | Withheld | None:
        """The final estimate of a closed round; None if nobody reported."""
        number = self.mechanism.domain.check_round(number)
        with self._lock:
            return self._estimate(number)

    def _estimate(self, number: int) -> RoundEstimate | Withheld | None:
        if number > self.closed:
            raise ParameterError(
                f"round {number} is open, the last closed one is {self.closed}: an estimate is "
                f"given when a round is closed"
            )
        counts = self._counts[number - 1 : number].copy()
        reports = int(counts.sum())
        if not reports:
            return None
        if reports < self.minimum_reports:
            return Withheld(number, reports)
        # A round is estimated from its own row; only the band asks how many rounds there are.
        alone = replace(
            self._debiased(counts),
            labels=(str(number),),
            rounds=np.array([number]),
            planned=self.mechanism.rounds,
        )
        (value,), (stderr,) = alone.values.tolist(), alone.stderr.tolist()
        return RoundEstimate(number, alone.n, value, stderr, alone)

    def estimates(self) -> StreamEstimate:
        """The final estimates of all closed rounds that have enough reports."""
        with self._lock:
            counts = self._counts.copy()
            counts[self.closed :] = 0
        counts[counts.sum(axis=1) < self.minimum_reports] = 0
        return self._debiased(counts)

    @property
    def aggregate(self) -> Aggregate:
        """What was counted, in closed and in open rounds."""
        with self._lock:
            return Aggregate(self.key, int(self._counts.sum()), self._counts.copy())

    def _debiased(self, counts: NDArray[np.int64]) -> StreamEstimate:
        return self.mechanism.debiased(Aggregate(self.mechanism.key, int(counts.sum()), counts))

    def _own(self, shard: Aggregate) -> Aggregate:
        if shard.key != self.key:
            raise MixedCollections(
                f"the aggregate belongs to {shard.key[:12]}…, this count to {self.key[:12]}…"
            )
        if shard.counts.shape != self._counts.shape:
            raise InvalidDocument(
                f"the aggregate has counts of shape {shard.counts.shape}, this count "
                f"{self._counts.shape}"
            )
        return shard.summed()

    def _add_counts(self, counts: NDArray[np.int64]) -> Receipt:
        self._counts[self.closed :] += counts[self.closed :]
        late = int(counts[: self.closed].sum())
        return Receipt(int(counts.sum()) - late, late, 0)

    def _add_named(
        self, reports: Records, ids: Sequence[bytes], counts: NDArray[np.int64]
    ) -> Receipt:
        if len(ids) != len(reports):
            raise InvalidReport(f"there are {len(ids)} ids for {len(reports)} reports")
        for position, name in enumerate(ids):
            if not isinstance(name, bytes) or len(name) != ID_BYTES:
                raise InvalidReport(f"the id at position {position} isn't {ID_BYTES} bytes")
        late = int(counts[: self.closed].sum())
        fresh = np.zeros(len(reports), np.bool_)
        numbers = reports["round"].tolist()
        for at in np.flatnonzero(reports["round"] > self.closed).tolist():
            seen = self._seen.setdefault(numbers[at], set())
            fresh[at] = ids[at] not in seen
            seen.add(ids[at])
        counted = self._add_counts(self.mechanism.tally(reports[fresh])).counted
        return Receipt(counted, late, len(reports) - late - counted)

    def to_json(self) -> bytes:
        """A document that reads back to the same count, sealed by a digest."""
        with self._lock:
            body = _Body(
                self.mechanism.document(),
                self.key,
                self.minimum_reports,
                self.closed,
                *self.received,
                self._counts.tolist(),
                [(number, b"".join(sorted(seen))) for number, seen in sorted(self._seen.items())],
            )
        return seal("live", body)

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The count of a document; one that was cut or changed is refused."""
        body = unseal(data, "live", _Body, "a live count")
        mechanism = from_document(body.mechanism)
        if not isinstance(mechanism, ContinualMechanism):
            raise InvalidDocument(
                f"a live count is of a stream, the document's is {mechanism.name}"
            )
        live = cls(mechanism, body.key, body.minimum_reports)
        counts = np.array(body.counts, np.int64)
        if counts.shape != live._counts.shape or body.closed > mechanism.rounds:
            raise InvalidDocument(
                f"the document has {len(counts)} rounds, {body.closed} of them closed; the "
                f"mechanism has {mechanism.rounds}"
            )
        live.closed = body.closed
        live.received = Receipt(body.counted, body.late, body.repeated)
        live._counts = counts
        live._seen = {number: _parted(names) for number, names in body.ids}
        fitting = sum(map(sum, body.counts)) == body.counted and len(live._seen) == len(body.ids)
        if not fitting or any(
            not body.closed < number <= mechanism.rounds
            or len(names) != ID_BYTES * len(live._seen[number])
            or len(live._seen[number]) > counts[number - 1].sum()
            for number, names in body.ids
        ):
            raise InvalidDocument("the counts of the document don't fit its reports or its ids")
        return live


def _parted(names: bytes) -> set[bytes]:
    return {names[at : at + ID_BYTES] for at in range(0, len(names), ID_BYTES)}


_Count = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    mechanism: dict[str, Any]
    key: str
    minimum_reports: _Count
    closed: _Count
    counted: _Count
    late: _Count
    repeated: _Count
    counts: list[tuple[_Count, _Count]]
    ids: list[tuple[int, bytes]]
