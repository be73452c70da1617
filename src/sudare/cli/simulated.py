"""Simulated streams as tables, JSON, CSV and plots."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import rich_click as click

from sudare.amounts import amount
from sudare.cli.options import echo_json
from sudare.rows import csv_text

if TYPE_CHECKING:
    from sudare.experiments import Outcome, Run


class Outputs(NamedTuple):
    """How results are wanted: JSON or a table, and which files."""

    as_json: bool
    as_csv: Path | None
    plot: Path | None


def tell_runs(runs: "list[Run]", epsilon: float, about: dict[str, Any], outputs: Outputs) -> None:
    """Each round of one run, of one mechanism or of several side by side."""
    title = f"{_title(about)}, ε = {epsilon:g}"
    if outputs.plot is not None:
        from sudare.plots import save, stream_figure

        save(stream_figure(runs, title=title), outputs.plot)
    rows = [{"mechanism": run.method, **row} for run in runs for row in run.rows()]
    _save_csv(rows, outputs.as_csv)
    if outputs.as_json:
        found = [
            {
                "mechanism": run.method,
                "maximal_error": run.maximal_error,
                "missing": run.missing,
                "rows": run.rows(),
            }
            for run in runs
        ]
        echo_json({**about, "epsilon": epsilon, "runs": found})
        return
    click.echo(title)
    _print_runs(runs)
    for run in runs:
        rounds = amount(run.missing, "round", "rounds")
        silent = f"; {rounds} without reports" if run.missing else ""
        click.echo(f"{run.method}: maximal error {run.maximal_error:.2%}{silent}")


def tell_errors(outcomes: "list[Outcome]", about: dict[str, Any], outputs: Outputs) -> None:
    """The maximal errors of many runs."""
    title = f"{_title(about)}, {about['repetitions']:,} repetitions"
    if outputs.plot is not None:
        from sudare.experiments import error_series
        from sudare.plots import save, stream_error_figure

        save(stream_error_figure(error_series(outcomes), title=title), outputs.plot)
    rows = [_row(outcome) for outcome in outcomes]
    _save_csv(rows, outputs.as_csv)
    if outputs.as_json:
        echo_json({**about, "rows": rows})
        return
    click.echo(f"Maximal error over the rounds: {title}")
    _print_errors(outcomes)


def _title(about: Mapping[str, Any]) -> str:
    people = amount(about["people"], "person", "people")
    return f"{about['stream']}: {people}, {amount(about['rounds'], 'round', 'rounds')}"


def _row(outcome: "Outcome") -> dict[str, Any]:
    low, middle, high = outcome.quantiles
    return {
        "mechanism": outcome.method,
        "epsilon": outcome.epsilon,
        "mean_maximal_error": outcome.maximal,
        "stderr": outcome.stderr,
        "quantile_05": low,
        "median": middle,
        "quantile_95": high,
        "mean_squared_error": outcome.squared,
        "missing_rounds": outcome.missing,
    }


def _save_csv(rows: list[dict[str, Any]], path: Path | None) -> None:
    if path is not None:
        from sudare.files import write_whole

        fields = list(dict.fromkeys(name for row in rows for name in row))
        known = [{name: _known(value) for name, value in row.items()} for row in rows]
        write_whole(path, csv_text(known, fields).encode())


def _known(value: Any) -> Any:  # noqa: ANN401 - what a cell may hold
    """The value, or nothing where it is an infinite number: as JSON has it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _print_runs(runs: "list[Run]") -> None:
    """A row per round: of one mechanism with intervals, if any, of several the estimates alone."""
    several = len(runs) > 1
    intervals = not several and runs[0].estimate is not None
    heads = [run.method for run in runs] if several else ["estimate"]
    heads += ["95 % interval", "band"] * intervals
    lines = []
    for rows in zip(*(run.rows() for run in runs), strict=True):
        cells = [str(rows[0]["round"]), f"{rows[0]['truth']:.2%}"]
        cells += ["–" if row["estimate"] is None else f"{row['estimate']:.2%}" for row in rows]
        if intervals:
            cells += [_ends(rows[0], "low", "high"), _ends(rows[0], "band_low", "band_high")]
        lines.append(cells)
    _print_table(["round", "truth", *heads], lines)


def _ends(row: Mapping[str, Any], low: str, high: str) -> str:
    if row.get(low) is None:
        return ""
    return f"{row[low]:.1%} to {row[high]:.1%}"


def _print_errors(outcomes: "list[Outcome]") -> None:
    silent = any(one.missing for one in outcomes)
    heads = ["mechanism", "ε", "mean", "±", "5 %", "median", "95 %", "squared"]
    lines = [
        [
            one.method,
            f"{one.epsilon:g}",
            f"{one.maximal:.4g}",
            f"{one.stderr:.2g}",
            *(f"{quantile:.4g}" for quantile in one.quantiles),
            f"{one.squared:.1e}",
            *([f"{one.missing:.3g}"] * silent),
        ]
        for one in outcomes
    ]
    _print_table([*heads, *["silent"] * silent], lines)


def _print_table(heads: list[str], lines: list[list[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    for head in heads:
        table.add_column(head, justify="left" if head == "mechanism" else "right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    Console().print(table)
