"""Decoding RAPPOR: the document's simulation as printed, and again at equal privacy.

    python papers/rappor-decoding/run.py --seed 1

writes result.json, regression.json, regression.md and figures/ beside this file (or into --out),
renews the tables of README.md, and prints what the document says, what we find, and the verdict.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import cohorts
import decoders
import equal
import figure1
import listing
import missing
import numpy as np
import readme_tables
import record
import regression
import reports
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from scores import Line, Scores
from specification import CASES, SIZES, Case

from sudare import Seeded, SudareError
from sudare.errors import ParameterError
from sudare.results import figures as plots

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run everything; 2 if a parameter can't be used."""
    arguments = _arguments()
    try:
        rows = redo(arguments)
    except (SudareError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    record.write(rows, arguments.out / "result.json")
    if (arguments.out / "README.md").exists():
        readme_tables.refresh(arguments.out / "README.md", {row.id: row for row in rows})
    record.show(rows)
    print(f"Written: {arguments.out / 'result.json'} and {arguments.out / 'figures'}")
    return 0


def redo(arguments: argparse.Namespace) -> list[record.Row]:
    """The simulation as printed, its text, the comparison at equal privacy, missing strings.

    Then what the document leaves out (real reports, other numbers of cohorts, our decoder on its
    own reports) and the regression tests of google/rappor.
    """
    runs, many, cases = arguments.runs, arguments.many, _cases(arguments.cases)
    for count in (runs, many, arguments.regressions):
        if count < 2:
            raise ParameterError(f"a standard error needs at least 2 runs, got {count}")
    rng = Seeded(arguments.seed)
    with Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as progress:
        task = progress.add_task("as printed", total=len(listing.HASHES) * runs)
        points = figure1.measure(runs, rng, partial(progress.advance, task))
        task = progress.add_task("at equal privacy", total=equal.steps(many, runs))
        comparison = equal.measure(many, runs, rng, partial(progress.advance, task))
        some = max(2, many // 2)
        task = progress.add_task("real reports", total=len(listing.HASHES) * some)
        reported = reports.measure(some, rng, partial(progress.advance, task))
        task = progress.add_task("both decoders", total=len(listing.HASHES) * some)
        compared = decoders.measure(some, rng, partial(progress.advance, task))
        total = len(cohorts.DESIGNS) * len(cohorts.COHORTS) * runs
        task = progress.add_task("cohorts", total=total)
        divided = cohorts.measure(runs, rng, partial(progress.advance, task))
        task = progress.add_task(
            "regression tests", total=regression.steps(arguments.regressions, cases)
        )
        results = regression.measure(
            arguments.regressions, arguments.seed, partial(progress.advance, task), cases
        )
    pairs = {
        f"printed.h{point.hashes}": (
            f"as printed, h = {point.hashes}",
            point.scores,
            point.thirds,
        )
        for point in points
    }
    pairs |= {
        f"{arm}{suffix}": (
            f"ε₁ = 4.39, {equal.ARMS[arm]}{said}",
            getattr(comparison.arms["4.39"][arm], judge),
            getattr(comparison.thirds[arm], judge),
        )
        for arm in equal.LOSING
        for suffix, said, judge in (
            ("", "", "alone"),
            (".fdr", ", false discoveries held to 5 %", "together"),
        )
    }
    figures: Path = arguments.out / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    draw(points, comparison, figures)
    draw_decoders(compared, figures)
    regression.write(results, arguments.out / "regression.json")
    results = regression.read(arguments.out / "regression.json")  # with the digits that are kept
    (arguments.out / "regression.md").write_text(regression.page(results), "utf-8")
    return [
        *figure1.rows(points),
        *figure1.text_rows(points),
        *equal.rows(comparison),
        *missing.rows(pairs),
        *reports.rows(reported),
        *decoders.rows(compared),
        *cohorts.rows(divided),
        *regression.rows(results),
    ]


def draw(points: Sequence[figure1.Point], comparison: equal.Comparison, figures: Path) -> None:
    """Figure 1, F1 by hashes and by budget at equal privacy, and precision without a third."""
    hashes = [point.hashes for point in points]
    scores = [point.scores for point in points]
    _save(
        [_line(name, name, hashes, scores) for name in ("precision", "recall")],
        "Figure 1 as printed: B = 128, M = 200, m = 8; ε₁ = h ln 3",
        "hashes h",
        figures / "figure-1.png",
    )
    _save(
        [
            _line(f"ε₁ = {budget}", "f1", list(found), list(found.values()))
            for budget, found in comparison.hashes.items()
        ],
        "The document's way at equal ε₁: q = .75, p to fit",
        "hashes h",
        figures / "hashes.png",
        "F1",
    )
    budgets = [listing.mechanism(h).epsilon for h in equal.BUDGETS.values()]
    _save(
        [
            _line(name, "f1", budgets, [found[arm].alone for found in comparison.arms.values()])
            for arm, name in zip(equal.ARMS, equal.NAMES, strict=True)
        ],
        "F1 at equal ε₁: 20,000 people, 100 strings among 200 candidates",
        "ε₁",
        figures / "equal.png",
        "F1",
    )
    _save(
        [
            _line("every string a candidate", "precision", hashes, scores),
            _line("a third missing", "precision", hashes, [point.thirds for point in points]),
        ],
        "The document's way, as printed, with strings missing from the candidates",
        "hashes h",
        figures / "missing.png",
        "precision",
    )


def draw_decoders(points: Sequence[decoders.Point], figures: Path) -> None:
    """F1 of both decoders on the document's reports."""
    hashes = [point.hashes for point in points]
    _save(
        [
            _line("the document's decoder", "f1", hashes, [point.printed[""] for point in points]),
            _line("ours", "f1", hashes, [point.ours[""] for point in points]),
        ],
        "The document's reports, each candidate tested at 5 %; ε₁ = h ln 3",
        "hashes h",
        figures / "decoders.png",
        "F1",
    )


def _cases(pattern: str) -> list[Case]:
    """The cases of the specification that match; one of each size at least."""
    cases = [case for case in CASES if re.search(pattern, case.name)]
    left = {"demo", *SIZES} - {case.size for case in cases}
    if left:
        raise ParameterError(
            f"“{pattern}” leaves no case of these sizes: {', '.join(sorted(left))}"
        )
    return cases


def _line(label: str, name: str, x: Sequence[float], scores: Sequence[Scores]) -> Line:
    return Line(
        label,
        np.array(x, np.float64),
        np.array([score.mean(name) for score in scores]),
        np.array([score.stderr(name) for score in scores]),
    )


def _save(
    lines: Sequence[Line], title: str, x_label: str, path: Path, y_label: str = "share"
) -> None:
    """A figure from 0 to 1, with a doubling of x always as wide."""
    figure = plots.error_figure(lines, title=title, x_label=x_label, y_label=y_label)
    axes = figure.axes[0]
    for line in lines:
        axes.plot(line.x, line.y, color="#bbbbbb", linewidth=0.8, zorder=1)
    axes.set_yscale("linear")
    axes.set_ylim(0, 1)
    axes.set_xscale("log", base=2)
    axes.set_xticks(lines[0].x, [f"{x:.3g}" for x in lines[0].x])
    axes.minorticks_off()
    plots.save(figure, path)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Redo the document on decoding RAPPOR.")
    parser.add_argument("--seed", type=int, default=1, help="of every experiment")
    parser.add_argument("--runs", type=int, default=listing.RUNS, help="as in the document")
    parser.add_argument("--many", type=int, default=100, help="runs at equal privacy")
    parser.add_argument("--regressions", type=int, default=16, help="runs of a regression test")
    parser.add_argument("--cases", default=".", help="which of them: a regular expression")
    parser.add_argument("--out", type=Path, default=HERE, help="where result.json goes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
