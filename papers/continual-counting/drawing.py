"""The figures: 1 to 3 as in the document, and those beyond it."""

from dataclasses import dataclass
from pathlib import Path

import condition
import decay
import growth
import lower
import numpy as np
import reversal
import shots
from record import Row
from setting import BETA, EPSILONS, READINGS, Floats, at, exact

from sudare.planning.bounds.continual import general_bound, harmony_lower_bound
from sudare.results import figures as plots
from sudare.simulation.experiments import ErrorSummary, error_series
from sudare.simulation.scenarios import SCENARIOS


@dataclass(frozen=True, eq=False)
class Line:
    """A curve for ``sudare.results.figures.error_figure``."""

    label: str
    x: Floats
    y: Floats
    stderr: Floats | None = None
    theory: Floats | None = None


def draw(
    curves: list[decay.Curve], beyond: list[Row], outcomes: list[ErrorSummary], figures: Path
) -> None:
    """Every figure, into a folder."""
    _condition(figures / "figure-1.png")
    _reversal(figures / "figure-2.png")
    _decay(curves, figures / "figure-3.png")
    _growth(figures / "rounds.png")
    _lower(figures / "lower-bound.png")
    _shots(beyond, figures / "shots.png")
    for kind in SCENARIOS:
        _kind(kind, outcomes, figures / f"{kind}.png")


def _condition(path: Path) -> None:
    """The region of condition (2), μ over ε, filled for the caption's N and the printed θ."""
    low = np.concatenate([np.geomspace(1e-4, 0.02, 8), np.linspace(0.04, 0.5, 12)])
    shares = np.concatenate([low, 1 - low[-2::-1]])
    lines = []
    for people, short in ((condition.CAPTION, "10⁴"), (condition.TEXT, "10⁵")):
        for reading in READINGS:
            half = np.minimum(condition.boundary(people, reading, low), 2 * condition.SHOWN)
            edge = np.concatenate([half, half[-2::-1]])
            lines.append(Line(f"N = {short}, {reading}", edge, shares))
    figure = plots.error_figure(
        lines,
        title="Figure 1: (2) holds to the left of each line; filled: N = 10,000, printed θ",
        y_label="μ",
    )
    axes = figure.axes[0]
    axes.set_yscale("linear")
    axes.fill_betweenx(shares, 0, lines[0].x, color="#CFE7F7", zorder=0)
    for line in lines:
        axes.plot(line.x, line.y, color="#999999", linewidth=0.8, zorder=1)
    axes.set_xlim(0, condition.SHOWN)
    axes.set_ylim(0, 1)
    plots.save(figure, path)


def _reversal(path: Path) -> None:
    epsilons = np.linspace(1, 10, 37)
    lines = [
        Line(
            f"Glance, at most: 2θ {reading}",
            epsilons,
            np.array([reversal.glance_bound(reading, epsilon) for epsilon in epsilons]),
        )
        for reading in READINGS
    ]
    harmony = [harmony_lower_bound(reversal.at(epsilon)) for epsilon in epsilons.tolist()]
    figure = plots.error_figure(
        [*lines, Line("Harmony, at least", epsilons, np.array(harmony))],
        title="Figure 2: N = 1,000,000, T = 10, β = 1/(2(N + 1)²)",
        y_label="bound on the maximal error",
        marks={
            f"{reading}: {reversal.crossing(reading):.2f}": reversal.crossing(reading)
            for reading in READINGS
        },
    )
    plots.save(figure, path)


def _decay(curves: list[decay.Curve], path: Path) -> None:
    upto = len(EPSILONS)
    *ending, _ = curves  # BORAPPOR goes on falling
    *lines, borappor = [
        Line(f"{each.method}, {each.share}", each.x[:upto], each.y[:upto], each.stderr[:upto])
        for each in curves
    ]
    figure = plots.stream_error_figure(
        lines, title="Figure 3: T = 50, N = 10,000; dotted: where Glance and Harmony end"
    )
    axes = figure.axes[0]
    axes.plot(borappor.x, borappor.y, color="#333333", marker="x", markersize=4, linewidth=0.9)
    axes.annotate(
        borappor.label, (borappor.x[1], borappor.y[1]), (6, 6), textcoords="offset points"
    )
    for each in ending:
        axes.axhline(each.theory[-1], color="#999999", linewidth=0.8, linestyle=":")
    plots.save(figure, path)


def _growth(path: Path) -> None:
    """Errors over T, and the printed rates through the last of them."""
    rounds = np.array(growth.ROUNDS, np.float64)
    lines = []
    for method, (_, printed) in growth.METHODS.items():
        errors = np.array([growth.error(method, each) for each in growth.ROUNDS])
        rate = rounds**printed * np.sqrt(np.log(rounds))
        theory = rate * errors[-1] / rate[-1]
        label = "T √log T" if printed == 1 else "√(T log T)"
        lines.append(Line(f"{method}, {label}", rounds, errors, theory=theory))
    figure = plots.error_figure(
        lines,
        title=f"Section 1.1: the exact error at β = .1, N = {growth.PEOPLE:,}, ε = 1",
        x_label="T",
        y_label="maximal error",
    )
    axes = figure.axes[0]
    axes.set_xscale("log")
    axes.set_xticks(growth.ROUNDS, [str(each) for each in growth.ROUNDS])
    axes.minorticks_off()
    plots.save(figure, path)


def _lower(path: Path) -> None:
    """Glance's error between the bounds: half of the people in state 1."""
    epsilons = np.linspace(0.5, 10, 20)
    settings = [at(epsilon) for epsilon in epsilons.tolist()]
    laws = [exact("glance", 0.5, each.epsilon) for each in settings]

    def line(label: str, values: list[float]) -> Line:
        return Line(label, epsilons, np.array(values))

    figure = plots.error_figure(
        [
            line("Claims 1 and 2", [general_bound(each) for each in settings]),
            line("exact, at 1 - β", [law.quantile(1 - BETA) for law in laws]),
            line("exact, at β", [law.quantile(BETA) for law in laws]),
            line("lower bound", [lower.lower_bound("half", each) for each in settings]),
        ],
        title="Glance between two bounds: T = 50, N = 10,000, μ = ½, β = .1",
        y_label="maximal error",
    )
    plots.save(figure, path)


def _shots(beyond: list[Row], path: Path) -> None:
    epsilons, ratios, errors = shots.told_curve(beyond)
    wanted = np.array(list(shots.WANTED.values()))
    values = {row.id: row.ours for row in beyond}
    x = np.array(EPSILONS, np.float64)
    untold = [
        Line(
            f"told nothing, μ = {share:g}",
            x,
            np.array([values[f"kshot.untold.{epsilon}.{share:g}"] for epsilon in EPSILONS]),
        )
        for share in (0.0, 0.005, 0.5)
    ]
    figure = plots.stream_error_figure(
        [Line("told μ = 0.5", epsilons, ratios, errors), *untold, Line("wanted", epsilons, wanted)],
        title="KShot's mean maximal error in units of Glance's: T = 50, N = 10,000",
    )
    axes = figure.axes[0]
    axes.set_yscale("linear")
    axes.set_ylim(0, 1.1)
    axes.set_ylabel("ratio")
    plots.save(figure, path)


def _kind(kind: str, outcomes: list[ErrorSummary], path: Path) -> None:
    shown = [one for one in outcomes if one.stream == kind and one.method != "lpu"]
    title = f"{kind} stream, T = 50, N = 10,000 (LPU is as Glance)"
    plots.save(plots.stream_error_figure(error_series(shown), title=title), path)
