"""The leaderboard's figures."""

from collections.abc import Sequence
from pathlib import Path

from choices import ANSWERS, EPSILONS, Row
from matplotlib.figure import Figure


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
                marker="osv^DPX*"[style % 8],
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
