"""Reports with a cell of their own each: a sum shows what was lost, and what counted twice."""

import random
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.collector.stores.contract import Store
from sudare.formats.report_ids import ID_BYTES
from sudare.mechanisms.grr import GRR


def asked(name: str, cells: int, windows: Windows | None = None, **rules: bool) -> Collection:
    """A question with so many answers, whose sums are all released."""
    answers = tuple(map(str, range(cells)))
    mechanism = GRR.calibrate(cells, 1.0)
    return Collection(name, "Which?", answers, mechanism, 1, windows, **rules)  # type: ignore[arg-type]  # rules alone


@dataclass(eq=False)
class Report:
    """One report, what its sender knows, and what must be true.

    Attributes:
        collection: which.
        window: of which it is.
        cell: nobody else's, in this window.
        record: what is sent, its name first.
        acknowledged: whether the sender has read a 202.
        refused: whether the sender has read that it is too late.
        certain: whether it must have counted, as far as the test can know.
        possible: whether it may have.
    """

    collection: Collection
    window: int
    cell: int
    record: bytes
    acknowledged: bool = False
    refused: bool = False
    certain: bool = False
    possible: bool = False

    @property
    def done(self) -> bool:
        return self.acknowledged or self.refused

    @property
    def invitation(self) -> str:
        """Its own, where one is needed."""
        return f"{self.record[:ID_BYTES].hex()}-{self.cell}"


def report(collection: Collection, window: int, cell: int, rng: random.Random) -> Report:
    """A report that counts in one cell only."""
    value = np.zeros(1, collection.report_dtype)
    value["answer"] = cell
    return Report(collection, window, cell, rng.randbytes(ID_BYTES) + value.tobytes())


@dataclass
class Verdict:
    """What a store holds, beside what was acknowledged.

    Attributes:
        reports: that were ever sent.
        acknowledged: of them, with a 202.
        losses: acknowledged, or known to be durable, and not counted.
        doubles: counted more than once.
        ghosts: counted though no commit of theirs was ever made.
        late: uploads that weren't answered in time, where that was looked at.
        faults: how many of each kind there were.
    """

    reports: int = 0
    acknowledged: int = 0
    losses: int = 0
    doubles: int = 0
    ghosts: int = 0
    late: int = 0
    faults: dict[str, int] = field(default_factory=dict)

    def __iadd__(self, other: "Verdict") -> Self:
        for name in ("reports", "acknowledged", "losses", "doubles", "ghosts", "late"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for kind, number in other.faults.items():
            self.faults[kind] = self.faults.get(kind, 0) + number
        return self

    @property
    def clean(self) -> bool:
        """Nothing lost, nothing twice, nothing from nowhere, nobody left waiting."""
        return not (self.losses or self.doubles or self.ghosts or self.late)


def judged(store: Store, reports: list[Report], faults: dict[str, int]) -> Verdict:
    """Compare the sums in a store with what is known of every report."""
    sums: dict[tuple[str, int], list[int]] = {}
    for key in {one.collection.key for one in reports}:
        for held in store.windows(key):
            released = store.release(key, held.window)
            counts = [] if released is None else released.aggregate.counts.tolist()
            if held.n != sum(counts):
                raise AssertionError(f"{held.n} reports have a sum of {sum(counts)}")
            sums[key, held.window] = counts
    verdict = Verdict(len(reports), faults=dict(faults))
    for one in reports:
        counts = sums.get((one.collection.key, one.window)) or []
        times = counts[one.cell] if counts else 0
        if counts:
            counts[one.cell] = 0
        verdict.acknowledged += one.acknowledged
        verdict.losses += (one.acknowledged or one.certain) and times == 0
        verdict.doubles += times > 1
        verdict.ghosts += times > 0 and not (one.certain or one.possible or one.acknowledged)
    verdict.ghosts += sum(map(sum, sums.values()))  # cells of nobody
    return verdict
