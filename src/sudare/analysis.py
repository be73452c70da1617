"""What an aggregate says about each answer: shares, intervals, tests, as rows, JSON and CSV."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError
from sudare.mechanism import CategoricalMechanism
from sudare.mechanisms.rappor import Rappor
from sudare.rows import csv_text, parquet_bytes

if TYPE_CHECKING:
    from sudare.aggregate import Aggregate
    from sudare.collection import Collection
    from sudare.estimate import Estimate, Interval


KINDS = {
    "answer": "string",
    **dict.fromkeys(("share", "stderr", "low", "high", "people", "p_value"), "float64"),
    "rough": "bool",
}
"""The fields of a row, and the Arrow type of each; ``consistent`` is added where asked for."""
Counted = CategoricalMechanism | Rappor  # whose counts are of named answers, one by one


@dataclass(frozen=True, eq=False)
class Analysis:
    """An estimate with everything that is shown beside it."""

    collection: "Collection"
    estimate: "Estimate"
    interval: "Interval"
    level: float
    simultaneous: bool
    population: bool
    p_values: NDArray[np.float64]  # of "nobody holds this answer", Holm-adjusted
    consistent: NDArray[np.float64] | None
    rough: NDArray[np.bool_]  # whose counts are too coarse for intervals to keep their level

    def document(self) -> dict[str, Any]:
        """Everything, for machines."""
        return {
            "collection": self.collection.name,
            "key": self.collection.key,
            "mechanism": self.collection.mechanism.name,
            "epsilon": self.collection.epsilon,
            "n": self.estimate.n,
            "level": self.level,
            "simultaneous": self.simultaneous,
            "population": self.population,
            "answers": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row per answer."""
        estimate, (low, high) = self.estimate, self.interval
        rows = []
        for index, label in enumerate(estimate.labels):
            row: dict[str, Any] = {
                "answer": label,
                "share": float(estimate.values[index]),
                "stderr": float(estimate.stderr[index]),
                "low": float(low[index]),
                "high": float(high[index]),
                "people": float(estimate.values[index] * estimate.n),
                "p_value": float(self.p_values[index]),
                "rough": bool(self.rough[index]),
            }
            if self.consistent is not None:
                row["consistent"] = float(self.consistent[index])
            rows.append(row)
        return rows

    def notes(self) -> list[str]:
        """What must be said beside the intervals."""
        said = {
            "The intervals hold for all answers at once.": self.simultaneous,
            "The intervals are for the population these people were sampled from.": self.population,
            f"Too few reports behind {self.rough.sum()} of {self.rough.size} answers: "
            "their intervals are rough.": self.rough.any(),
        }
        return [note for note, applies in said.items() if applies]

    def csv(self) -> str:
        """The rows as CSV."""
        rows = self.rows()
        return csv_text(rows, list(rows[0]))

    def parquet(self) -> bytes:
        """The rows as a Parquet file."""
        more = {} if self.consistent is None else {"consistent": "float64"}
        return parquet_bytes(self.rows(), KINDS | more)


def analyse(  # noqa: PLR0913 - what an analyst may choose
    collection: "Collection",
    aggregate: "Aggregate",
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    population: bool = False,
    consistent: str | None = None,
) -> Analysis:
    """Estimate, bound and test the answers of an aggregate."""
    from sudare.estimation.significance import holm, presence

    mechanism = collection.mechanism
    if collection.free_text:
        raise ParameterError(
            f"“{collection.name}” is answered in free text, which has no list of answers: "
            f"use `sudare decode` with candidates"
        )
    if not isinstance(mechanism, Counted):
        raise ParameterError(f"`sudare estimate` does not know the mechanism {mechanism.name}")
    estimate = collection.estimate(aggregate)
    if population:
        estimate = estimate.of_population()
    bounds = estimate.simultaneous(level) if simultaneous else estimate.interval(level)
    return Analysis(
        collection=collection,
        estimate=estimate,
        interval=bounds,
        level=level,
        simultaneous=simultaneous,
        population=population,
        p_values=holm(presence(aggregate.counts, aggregate.n, mechanism.others)),
        consistent=_consistent(consistent, mechanism, aggregate, estimate),
        rough=_rough(mechanism, estimate),
    )


def _rough(mechanism: Counted, estimate: "Estimate") -> NDArray[np.bool_]:
    from sudare.bounds.frequency import RELIABLE_SPREAD, count_spread

    shares = np.clip(estimate.values, 0, 1)
    spread = count_spread(mechanism.holder, mechanism.others, estimate.n, shares)
    return spread < RELIABLE_SPREAD


def _consistent(
    step: str | None,
    mechanism: Counted,
    aggregate: "Aggregate",
    estimate: "Estimate",
) -> NDArray[np.float64] | None:
    from sudare.estimation import likelihood, simplex

    if step is None:
        return None
    if step == "likelihood":
        return likelihood.most_likely(mechanism.evidence(aggregate)).shares
    if step == "project":
        return simplex.project(estimate.values, estimate.stderr)
    steps = {"clip": simplex.clip, "normalise": simplex.normalise, "norm-sub": simplex.norm_sub}
    return steps[step](estimate.values)
