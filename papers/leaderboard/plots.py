"""The leaderboard's figures."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from choices import ANSWERS, EPSILONS, Row
from distributions import Distance
from matplotlib.figure import Figure

_MARKS = "osv^DPX*"


def errors(rows: Sequence[Row], path: Path) -> None:
    """Each mechanism's error over the least there is, by ε, a panel for each number of answers."""
    figure = Figure(figsize=(4 * len(ANSWERS), 4), layout="constrained")
    panels = figure.subplots(1, len(ANSWERS), sharey=True)
    names = list(dict.fromkeys(row.mechanism for row in rows))
    for panel, k in zip(panels, ANSWERS, strict=True):
        for style, name in enumerate(names):
            own = [row for row in rows if (row.mechanism, row.k) == (name, k)]
            panel.plot(
                EPSILONS,
                [row.mse / row.bound for row in own],
                marker=_MARKS[style % len(_MARKS)],
                label=name,
            )
        panel.axhline(1, color="black", linewidth=0.8)
        panel.set_yscale("log")
        panel.set_title(f"{k:,} answers")
        panel.set_xlabel("ε")
    panels[0].set_ylabel("mean squared error / least possible")
    panels[-1].legend()
    figure.savefig(path, dpi=120)


def sizes(rows: Sequence[Row], path: Path) -> None:
    """Error against bytes of a report at ε = 1: what a small report costs."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    panel = figure.subplots()
    for k in ANSWERS:
        own = [row for row in rows if row.k == k and row.epsilon == 1]
        panel.scatter(
            [row.bytes for row in own], [row.mse / row.bound for row in own], label=f"{k:,} answers"
        )
        for row in own:
            place = (row.bytes, row.mse / row.bound)
            panel.annotate(row.mechanism, place, (3, 3), textcoords="offset points", fontsize=7)
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xlabel("bytes of a report")
    panel.set_ylabel("mean squared error / least possible")
    panel.legend()
    figure.savefig(path, dpi=120)


def means(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """The worst variance of each mechanism of a mean over the least there is, by ε."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    panel = figure.subplots()
    worst = {(row["mechanism"], row["epsilon"]): row["worst"] for row in rows}
    epsilons = sorted({epsilon for _, epsilon in worst})
    names = [name for name in dict.fromkeys(row["mechanism"] for row in rows) if name != "optimum"]
    for style, name in enumerate(names):
        ratios = [worst[name, epsilon] / worst["optimum", epsilon] for epsilon in epsilons]
        panel.plot(epsilons, ratios, marker=_MARKS[style], label=name)
    panel.axhline(1, color="black", linewidth=0.8)
    panel.set_yscale("log")
    panel.set_xlabel("ε")
    panel.set_ylabel("worst variance / least possible")
    panel.legend()
    figure.savefig(path, dpi=120)


def distances(rows: Sequence[Distance], path: Path) -> None:
    """The distance of each estimated distribution from the true one, a panel for each shape."""
    shapes = list(dict.fromkeys(row.shape for row in rows))
    figure = Figure(figsize=(4 * len(shapes), 4), layout="constrained")
    panels = figure.subplots(1, len(shapes), sharey=True)
    for panel, shape in zip(panels, shapes, strict=True):
        for style, name in enumerate(dict.fromkeys(row.mechanism for row in rows)):
            own = [row for row in rows if (row.mechanism, row.shape) == (name, shape)]
            panel.errorbar(
                [row.epsilon for row in own],
                [row.distance for row in own],
                [4 * row.stderr for row in own],
                marker=_MARKS[style],
                label=name,
            )
        panel.set_yscale("log")
        panel.set_title(shape)
        panel.set_xlabel("ε")
    panels[0].set_ylabel("distance, in parts of the range")
    panels[-1].legend()
    figure.savefig(path, dpi=120)
