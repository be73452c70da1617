"""A distribution of numbers as a histogram."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from sudare.results.figures.frame import BLUE, INK, add_legend, open_frame, titled_figure


def histogram_figure(
    rows: Sequence[dict[str, Any]],
    step: float,
    *,
    level: str,
    title: str = "",
    quantiles: Sequence[dict[str, float]] = (),
) -> Figure:
    """Shares of bins as bars with their intervals, and quantiles as lines with theirs.

    Args:
        rows: the bins, from the least to the largest.
        step: the distance of a number to the next.
        level: of the intervals, in words.
        title: above the figure.
        quantiles: to be marked.
    """
    figure = titled_figure(title, 7.5, 4)
    axes = open_frame(figure.add_subplot())
    left = np.array([row["least"] - step / 2 for row in rows])
    right = np.array([row["most"] + step / 2 for row in rows])
    shares, low, high = (
        100 * np.array([row[name] for row in rows]) for name in ("share", "low", "high")
    )
    axes.bar(
        left, shares, right - left, align="edge", color=BLUE, alpha=0.55, label="share, smoothed"
    )
    axes.vlines((left + right) / 2, low, high, color=INK, linewidth=1.2, label=f"{level} interval")
    if rows and "truth" in rows[0]:
        axes.plot(
            (left + right) / 2,
            [100 * row["truth"] for row in rows],
            "d",
            markerfacecolor="white",
            markeredgecolor=INK,
            linestyle="none",
            label="truth",
            zorder=3,
        )
    for number, row in enumerate(quantiles):
        label = "quantiles" if number == 0 else None
        axes.axvspan(row["low"], row["high"], ymax=0.03, color=INK, alpha=0.35, linewidth=0)
        axes.axvline(row["value"], color=INK, linewidth=0.8, linestyle=":", label=label)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xlim(left[0], right[-1])
    axes.set_ylabel("share of people, %")
    add_legend(figure)
    return figure
