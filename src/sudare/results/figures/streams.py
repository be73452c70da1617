"""Shares over time: one run with its band, and errors against ε."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter, ScalarFormatter

from sudare.errors import ParameterError
from sudare.results.figures.curves import error_figure
from sudare.results.figures.frame import (
    BLUE,
    INK,
    VERMILION,
    add_legend,
    family,
    open_frame,
    readable,
    titled_figure,
)
from sudare.results.wording import percent
from sudare.simulation.comparison import Curve
from sudare.simulation.experiments import Run

_PALE = "#CFE7F7"
_PANEL = 2.6  # inches of height
_ALIKE = 0.01  # errors that differ by less are drawn as one
_BEYOND = 0.25  # how far below 0 and above 1 a panel shows what it has


def stream_figure(runs: Sequence[Run], *, level: float = 0.95, title: str = "") -> Figure:
    """The truth and the estimates of one run, a panel per method, over the same rounds.

    The band covers all rounds at once with probability ``level``. A round without reports has no
    estimate: line and band have a gap there, and a mark on the axis.
    """
    if not runs:
        raise ParameterError("a figure of a stream needs at least 1 run, got 0")
    figure = titled_figure(title, 7.5, 1.4 + _PANEL * len(runs))
    panels: list[Axes] = list(figure.subplots(len(runs), sharex=True, squeeze=False)[:, 0])
    for axes, run in zip(panels, runs, strict=True):
        _draw(open_frame(axes), run, level)
        if len(runs) > 1:
            name = readable(run.method, "?")
            axes.set_title(name, fontsize=10, loc="left", parse_math=False, family=family())
    _fit(panels)
    panels[-1].set_xlabel("round")
    whole_rounds = MaxNLocator(integer=True, steps=[1, 2, 5, 10], min_n_ticks=1)
    panels[-1].xaxis.set_major_locator(whole_rounds)
    panels[-1].set_xlim(0.4, runs[0].truth.size + 0.6)
    add_legend(figure)
    return figure


def stream_error_figure(curves: Sequence[Curve], *, title: str = "") -> Figure:
    """Mean maximal errors against ε on a logarithmic axis, with 95 % bars, joined by lines."""
    figure = error_figure(curves, title=title, y_label="mean maximal error")
    axes = figure.axes[0]
    bars = [one for one in axes.containers if isinstance(one, ErrorbarContainer)]
    for curve, container in zip(curves, bars, strict=True):
        points = container.lines[0]
        colour = INK if points is None else points.get_color()
        axes.plot(curve.x, curve.y, color=colour, linewidth=0.9, alpha=0.6, label="_joined")
    low, high = axes.get_ylim()
    if high < low * (1 + _ALIKE):
        axes.set_ylim(low * (1 - _ALIKE), high * (1 + _ALIKE))
    for axis in (axes.xaxis, axes.yaxis):
        formatter = axis.get_major_formatter()
        if isinstance(formatter, ScalarFormatter):
            formatter.set_useOffset(False)  # nobody adds that up
    return figure


def _draw(axes: Axes, run: Run, level: float) -> None:
    rounds = np.arange(1, run.truth.size + 1)
    axes.use_sticky_edges = False  # bars may begin anywhere
    if run.estimate is not None:
        low, high = run.estimate.simultaneous(level)
        axes.bar(  # a bar per round: one between two gaps is seen too
            run.estimate.rounds,
            high - low,
            bottom=low,
            width=1,
            color=_PALE,
            edgecolor=_PALE,
            linewidth=0.3,
            label=f"{percent(level)} band for all rounds",
        )
    axes.plot(
        rounds,
        run.shares,
        color=BLUE,
        linewidth=0.8,
        marker="o",
        markersize=3 if rounds.size <= 100 else 0,
        label="estimate",
    )
    axes.plot(
        rounds,
        run.truth,
        color=INK,
        linewidth=1.6,
        marker="_" if rounds.size == 1 else "",  # a line through one point is nothing
        markersize=20,
        markeredgewidth=1.6,
        label="truth",
    )
    if run.missing:
        silent = rounds[np.isnan(run.shares)]
        axes.plot(
            silent,
            np.zeros(silent.size),
            "|",
            color=VERMILION,
            markersize=9,
            markeredgewidth=1.5,
            transform=axes.get_xaxis_transform(),
            clip_on=False,
            label="no reports",
        )
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_ylabel("share in state 1")
    axes.grid(color="#e4e4e4", linewidth=0.6)


def _fit(panels: Sequence[Axes]) -> None:
    """The same heights in every panel: all estimates, and as much of the bands as has a meaning."""
    lows, highs = zip(*(axes.get_ylim() for axes in panels), strict=True)
    drawn = np.concatenate(
        [np.asarray(line.get_ydata()) for axes in panels for line in axes.lines[:2]]
    )
    low = max(min(lows), min(-_BEYOND, float(np.nanmin(drawn)) - 0.05))
    high = min(max(highs), max(1 + _BEYOND, float(np.nanmax(drawn)) + 0.05))
    for axes in panels:
        axes.set_ylim(low, high)
