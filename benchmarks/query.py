"""What do weights cost beside the sum that a query makes of them? ``--help`` for options.

Nanoseconds of one core for each report: ``randomize``, ``weights`` of every answer and of one, and
DuckDB's own ``SUM`` of the same columns.
"""

import argparse
import os
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from sudare import Collection
from sudare.engines.query import randomize, weights
from sudare.mechanisms import CATEGORICAL
from timing import best_cpu

if TYPE_CHECKING:
    from collections.abc import Callable


def measured(name: str, k: int, people: int, seconds: float) -> list[float]:
    """The times of one mechanism, in the order of the table's columns."""
    labels = tuple(f"a{number}" for number in range(k))
    collection = Collection(name, "Which?", labels, CATEGORICAL[name].calibrate(k, 1.0))
    numbers = np.random.default_rng(1).integers(0, k, people)
    answers = pa.RecordBatch.from_pydict({"answer": np.array(labels)[numbers]})
    reports = randomize(answers, collection)
    weighed = pa.Table.from_batches([weights(reports, collection)])
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("weighed", weighed)
        every = ", ".join(f"SUM({label})" for label in labels)
        runs: list[Callable[[], object]] = [
            lambda: randomize(answers, collection),
            lambda: weights(reports, collection),
            lambda: connection.execute(f"SELECT {every} FROM weighed").fetchall(),  # noqa: S608
            lambda: weights(reports, collection, ["a0"]),
            lambda: connection.execute("SELECT SUM(a0) FROM weighed").fetchall(),
        ]
        return [1e9 * best_cpu(run, seconds) / people for run in runs]


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=43)
    parser.add_argument("--people", type=int, default=1 << 20)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each number")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    console = Console()
    table = Table("mechanism", title=f"ns a report, {options.answers} answers, one core")
    for column in ("randomize", "weights, all", "SUM, all", "weights, one", "SUM, one"):
        table.add_column(column, justify="right")
    for name in CATEGORICAL:
        times = measured(name, options.answers, options.people, options.seconds)
        table.add_row(name, *(f"{time:.1f}" for time in times))
    console.print(table)


if __name__ == "__main__":
    main()
