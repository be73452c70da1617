"""What ``estimate`` and ``demo`` say about an aggregate, as rows, table, JSON and CSV."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sudare.cli.bar import Bar
from sudare.cli.cells import csv_text
from sudare.errors import ParameterError
from sudare.mechanism import CategoricalMechanism
from sudare.mechanisms.rappor import Rappor

if TYPE_CHECKING:
    from rich.table import Table

    from sudare.aggregate import Aggregate
    from sudare.collection import Collection
    from sudare.estimate import Estimate, Interval


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

    def table(self, truth: NDArray[np.float64] | None = None) -> "Table":
        """The rows for people, with bars."""
        from rich.table import Table
        from rich.text import Text

        percent = _percent(float(np.median(self.estimate.stderr)))
        table = Table(title=Text(self.collection.question), title_justify="left")
        table.add_column("answer")
        table.add_column("share", justify="right")
        table.add_column(f"{self.level:.4%}".rstrip("0%").rstrip(".") + " % interval", no_wrap=True)
        if self.consistent is not None:
            table.add_column("consistent", justify="right")
        if truth is not None:
            table.add_column("truth", justify="right", style="dim")
        table.add_column("p", justify="right")
        table.add_column()
        table.caption = "\n".join(self.notes()) or None
        axis = min(0.0, float(self.interval.low.min())), float(self.interval.high.max())
        for index, row in enumerate(self.rows()):
            cells: list[str | Text | Bar] = [
                Text(row["answer"]),  # a label is not markup
                percent(row["share"]),
                f"{percent(row['low'])[:-2]} to {percent(row['high'])}",
            ]
            if self.consistent is not None:
                cells.append(percent(row["consistent"]))
            if truth is not None:
                cells.append(percent(truth[index]))
            bar = Bar(row["low"], row["share"], row["high"], axis)
            table.add_row(*cells, _p_value(row["p_value"]), bar)
        return table


def analyse(
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


def _percent(stderr: float) -> Callable[[float], str]:
    """Percentages to two digits of a typical standard error."""
    decimals = min(9, max(0, 1 - math.floor(math.log10(100 * stderr))))
    return lambda share: f"{100 * share:.{decimals}f} %"


def _p_value(p: float) -> str:
    return "<1e-9" if p < 1e-9 else f"{p:.2g}"
