"""GRR against OUE: the document's examples and experiments, redone.

    python papers/grr-oue/run.py --seed 1

writes result.json and figures/ beside this file (or into --out) and prints what the document
says, what we find, and the verdict.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

import anomaly
import crossover
import luck
import numpy as np
import populations
import record
import sizes
import statements
import tallies
from matplotlib.figure import Figure
from populations import Population
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sudare import GRR, OUE, Seeded, SudareError
from sudare.estimation.frequency_error import rare_answer_crossover, total_error_crossover
from sudare.results import figures as plots
from sudare.simulation.comparison import ErrorCurve, error_curves

HERE = Path(__file__).resolve().parent
EPSILONS = tuple(round(0.1 * step, 1) for step in range(1, 51))
PEOPLE = "mean squared error of the counts (people²)"


def main() -> int:
    """Run everything; 2 if a parameter can't be used."""
    arguments = _arguments()
    try:
        rows = redo(arguments)
    except (SudareError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    record.write(rows, arguments.out / "result.json")
    record.show(rows)
    print(f"Written: {arguments.out / 'result.json'} and {arguments.out / 'figures'}")
    return 0


def redo(arguments: argparse.Namespace) -> list[record.Row]:
    """Every example and experiment in the document's order."""
    rng = Seeded(arguments.seed)
    teas, clothing = populations.teas(), populations.clothing()
    with _progress() as progress:
        measured = compare(teas, clothing, arguments.repetitions, rng, progress)
        crossings, ratios = cross(measured["Dataset2"], clothing, arguments.many, rng, progress)
        points = len(luck.POPULATIONS) * len(luck.EPSILONS) * 2
        task = progress.add_task("chance on Dataset1", total=points)
        lucks = luck.measure(arguments.many // 5, rng, partial(progress.advance, task))
    figures: Path = arguments.out / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    examples(teas, clothing, rng, figures)
    draw(teas, clothing, measured, ratios, lucks, figures)
    few, many = crossings
    return [
        *tallies.grr_rows(),
        *tallies.oue_rows(),
        *populations.rows(clothing, populations.sessions()),
        *statements.theory_rows(EPSILONS),
        *statements.measured_rows(measured),
        crossover.seen_row(few),
        *crossover.rows(few, "crossover.few", clothing.counts.size),
        *crossover.rows(many, "crossover.many", clothing.counts.size),
        *luck.rows(lucks),
        *explain(20 * arguments.many, rng, figures),
        *fill(arguments.many // 5, rng, figures),
    ]


def examples(teas: Population, clothing: Population, rng: Seeded, figures: Path) -> None:
    """Figures 3.3 to 3.6: true, reported and estimated shares at ε = ln 20, person by person."""
    plan: tuple[tuple[str, type[GRR | OUE], Population], ...] = (
        ("3.3", GRR, teas),
        ("3.4", GRR, clothing),
        ("3.5", OUE, teas),
        ("3.6", OUE, clothing),
    )
    for number, cls, people in plan:
        mechanism = cls.calibrate(people.counts.size, statements.EXAMPLE_EPSILON)
        answers = np.repeat(np.arange(people.counts.size), people.counts)
        aggregate = mechanism.aggregate(mechanism.randomize(answers, rng))
        figure = plots.estimate_figure(
            mechanism.estimate(aggregate).labelled(people.labels),
            title=f"Figure {number}: {people.name}, {cls.name.upper()}, ε = ln 20",
            truth=people.counts / people.n,
            reported=aggregate.counts / aggregate.n,
        )
        plots.save(figure, figures / f"figure-{number}.png")


def compare(
    teas: Population, clothing: Population, repetitions: int, rng: Seeded, progress: Progress
) -> dict[str, list[ErrorCurve]]:
    """Experiment 3: the error of both mechanisms against ε on both data sets."""
    measured = {}
    for name, people in (("Dataset1", teas), ("Dataset2", clothing)):
        task = progress.add_task(f"experiment 3, {name}", total=2 * len(EPSILONS))
        measured[name] = error_curves(
            [GRR, OUE],
            people.counts,
            EPSILONS,
            repetitions,
            rng,
            progress=partial(progress.advance, task),
        )
    return measured


def cross(
    curves: Sequence[ErrorCurve], people: Population, many: int, rng: Seeded, progress: Progress
) -> tuple[tuple[crossover.Crossing, crossover.Crossing], list[crossover.Ratio]]:
    """The crossing at the document's repetitions, and closer by with many more."""
    grr, oue = curves
    middle = crossover.change_point(grr, oue)
    reach = crossover.REACH
    grid = [epsilon for epsilon in EPSILONS if abs(epsilon - middle) < reach + 1e-9]
    task = progress.add_task("crossing, many repetitions", total=2 * len(grid))
    close_grr, close_oue = error_curves(
        [GRR, OUE], people.counts, grid, many, rng, progress=partial(progress.advance, task)
    )
    generator = rng.generator()
    few = crossover.crossing(grr, oue, generator)
    close = crossover.crossing(close_grr, close_oue, generator)
    ratios = [crossover.Ratio.of(grr, oue), crossover.Ratio.of(close_grr, close_oue)]
    return (few, close), ratios


def draw(  # noqa: PLR0913, PLR0917 - one argument per experiment
    teas: Population,
    clothing: Population,
    measured: dict[str, list[ErrorCurve]],
    ratios: list[crossover.Ratio],
    lucks: list[luck.Luck],
    figures: Path,
) -> None:
    """Figures 3.7 and 3.8 (as captioned), the crossing, and the luck of Dataset1."""
    k = clothing.counts.size
    marks = {
        f"ln(41/3) = {rare_answer_crossover(k):.3f}": rare_answer_crossover(k),
        f"exact {total_error_crossover(k):.3f}": total_error_crossover(k),
    }
    for number, people, name in (("3.7", teas, "Dataset1"), ("3.8", clothing, "Dataset2")):
        figure = plots.error_figure(
            [_in_people(curve, people.n) for curve in measured[name]],
            title=f"Figure {number}: GRR and OUE on {people.name}",
            y_label=PEOPLE,
            marks=marks if name == "Dataset2" else {},
        )
        plots.save(figure, figures / f"figure-{number}.png")
    near = [_near(ratio, ratios[1].x) for ratio in ratios]
    figure = _ratio_figure(near, "Dataset2: where GRR overtakes OUE", marks)
    plots.save(figure, figures / "crossover.png")
    figure = plots.error_figure(
        lucks,
        title="14 answers over 5 teas: the chance that 100 repetitions show OUE ahead",
        y_label="probability",
    )
    plots.save(figure, figures / "luck.png")


def explain(surveys: int, rng: Seeded, figures: Path) -> list[record.Row]:
    """Dataset1 before and after projection."""
    with _progress() as progress:
        task = progress.add_task("projection on Dataset1", total=len(luck.EPSILONS))
        points = anomaly.measure(surveys, rng, partial(progress.advance, task))
    rows = anomaly.rows(points)
    places = [float(row.ours) for row in rows if row.id.endswith("crossover")]
    figure = _ratio_figure(
        anomaly.curves(points),
        "14 answers over 5 teas: above 1, OUE is ahead",
        {f"{place:.3f}": place for place in places},
    )
    plots.save(figure, figures / "anomaly.png")
    return rows


def fill(surveys: int, rng: Seeded, figures: Path) -> list[record.Row]:
    """The cases that the conclusion leaves open."""
    with _progress() as progress:
        points = len(sizes.crowds()) * len(sizes.EPSILONS)
        task = progress.add_task("what was left open", total=points)
        cells = sizes.measure(surveys, rng, partial(progress.advance, task))
    curves = sizes.curves(cells, 43)
    figure = _ratio_figure(
        curves, "43 answers: points for projected shares, black for unbiased ones"
    )
    axes = figure.axes[0]
    for curve in curves:
        axes.plot(curve.x, curve.y, color="#bbbbbb", linewidth=0.8, zorder=1)
    axes.plot(curves[0].x, curves[0].theory, color="#333333")  # one for all
    axes.set_yticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    axes.minorticks_off()
    plots.save(figure, figures / "open.png")
    return sizes.rows(cells)


def _ratio_figure(
    ratios: Sequence[crossover.Ratio],
    title: str,
    marks: Mapping[str, float] = MappingProxyType({}),
) -> Figure:
    figure = plots.error_figure(
        ratios, title=title, y_label="error of GRR / error of OUE", marks=marks
    )
    figure.axes[0].axhline(1, color="#333333", linewidth=0.8)
    return figure


def _in_people(curve: ErrorCurve, n: int) -> ErrorCurve:
    """The curve of squared shares as one of squared counts."""
    square = n * n
    return replace(
        curve, y=square * curve.y, stderr=square * curve.stderr, theory=square * curve.theory
    )


def _near(ratio: crossover.Ratio, x: crossover.Floats) -> crossover.Ratio:
    near = (ratio.x > x[0] - 0.01) & (ratio.x < x[-1] + 0.01)
    parts = (ratio.x[near], ratio.y[near], ratio.stderr[near], ratio.theory[near])
    return crossover.Ratio(ratio.label, *parts)


def _progress() -> Progress:
    return Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Redo the document on GRR and OUE.")
    parser.add_argument("--seed", type=int, default=1, help="of every experiment")
    parser.add_argument("--repetitions", type=int, default=100, help="as in the document")
    parser.add_argument("--many", type=int, default=10_000, help="repetitions for a closer look")
    parser.add_argument("--out", type=Path, default=HERE, help="where result.json goes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
