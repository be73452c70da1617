"""What an aggregate says about states over time: a share for each round, as rows, JSON and CSV."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sudare.amounts import counted
from sudare.continual import ContinualMechanism
from sudare.errors import ParameterError
from sudare.estimation.rounds import StreamEstimate
from sudare.rows import csv_text, parquet_bytes

if TYPE_CHECKING:
    from sudare.aggregate import Aggregate
    from sudare.collection import Collection

KINDS = {
    "round": "int64",
    "reports": "int64",
    **dict.fromkeys(("estimate", "stderr", "low", "high", "band_low", "band_high"), "float64"),
    "withheld": "bool",
}
"""The fields of a row, and the Arrow type of each."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """The share of people in state 1 over time, with everything that is shown beside it."""

    collection: "Collection"
    mechanism: ContinualMechanism
    estimate: StreamEstimate
    reports: NDArray[np.int64]  # of every round, also of one that is withheld
    level: float

    @property
    def state(self) -> str:
        """The name of the state whose share is estimated."""
        return self.collection.answers[1]

    @property
    def withheld(self) -> NDArray[np.int64]:
        """The rounds with reports, but fewer than may be released."""
        heard = 1 + np.flatnonzero(self.reports)
        return heard[~np.isin(heard, self.estimate.rounds)]

    def document(self) -> dict[str, Any]:
        """Everything, for machines."""
        return {
            "collection": self.collection.name,
            "key": self.collection.key,
            "mechanism": self.mechanism.name,
            "epsilon": self.collection.epsilon,
            "state": self.state,
            "rounds": self.mechanism.rounds,
            "reports_each": self.mechanism.reports_each,
            "n": int(self.reports.sum()),
            "minimum_reports": self.collection.minimum_reports,
            "level": self.level,
            "estimates": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row per round; nothing but its number of reports where there is no estimate."""
        withheld = set(self.withheld.tolist())
        return [
            {
                **{name: _known(value) for name, value in row.items()},
                "reports": reports,
                "withheld": row["round"] in withheld,
            }
            for row, reports in zip(
                self.estimate.rows(self.level), self.reports.tolist(), strict=True
            )
        ]

    def csv(self) -> str:
        """The rows as CSV, empty where there is no estimate."""
        rows = self.rows()
        return csv_text(rows, list(rows[0]))

    def parquet(self) -> bytes:
        """The rows as a Parquet file."""
        return parquet_bytes(self.rows(), KINDS)

    def notes(self) -> list[str]:
        """What must be said beside the numbers."""
        silent, withheld = int((self.reports == 0).sum()), len(self.withheld)
        minimum = counted(self.collection.minimum_reports, "report")
        said = {
            f"{counted(silent, 'round')} without a report: no estimate.": silent,
            f"{counted(withheld, 'round')} with fewer than {minimum}: withheld.": withheld,
        }
        return [note for note, applies in said.items() if applies]


@dataclass(frozen=True, eq=False)
class Series:
    """The rounds of several windows, one after the other, counted on from window to window.

    Attributes:
        windows: their numbers, rising.
        parts: the rounds of each.
    """

    windows: tuple[int, ...]
    parts: tuple[Rounds, ...]

    def document(self) -> dict[str, Any]:
        """Everything, for machines."""
        last = self.parts[-1].document()
        n = sum(int(part.reports.sum()) for part in self.parts)
        return {**last, "n": n, "windows": list(self.windows), "estimates": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """One row per round; a band holds for all rounds of its own window."""
        return [
            {"window": window, **row, "round": window * part.mechanism.rounds + row["round"]}
            for window, part in zip(self.windows, self.parts, strict=True)
            for row in part.rows()
        ]

    def csv(self) -> str:
        """The rows as CSV, empty where there is no estimate."""
        return csv_text(self.rows(), ["window", *KINDS])

    def parquet(self) -> bytes:
        """The rows as a Parquet file."""
        return parquet_bytes(self.rows(), {"window": "int64", **KINDS})


def analyse_rounds(collection: "Collection", aggregate: "Aggregate", level: float) -> Rounds:
    """Estimate every round of an aggregate that may be released."""
    mechanism, estimate = collection.mechanism, collection.estimate(aggregate)
    if not isinstance(mechanism, ContinualMechanism) or not isinstance(estimate, StreamEstimate):
        raise ParameterError(f"“{collection.name}” is asked once, not over time")
    return Rounds(collection, mechanism, estimate, aggregate.counts.sum(axis=1), level)


def _known(value: float | None) -> float | None:
    """A single report has an infinite standard error, which JSON can't say."""
    return value if value is None or math.isfinite(value) else None
