"""Shares over time, with their intervals and the band that holds for all rounds at once."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import ArrayLike, NDArray

from sudare.errors import ParameterError
from sudare.estimation.estimate import Interval
from sudare.estimation.rounds import StreamEstimate
from sudare.results.figures.frame import (
    BLUE,
    INK,
    VERMILION,
    add_legend,
    cut,
    family,
    open_frame,
    readable,
    titled_figure,
)
from sudare.results.wording import percent

Floats = NDArray[np.float64]

_BAND, _INTERVAL = "#D6EAF8", "#8FC1E3"
_LONGEST_LABEL = 48  # narrow letters
_MARKED = 120  # rounds up to which each gets a mark


def rounds_figure(
    estimate: StreamEstimate,
    *,
    level: float = 0.95,
    title: str = "",
    y_label: str = "share of people",
    truth: ArrayLike | None = None,
) -> Figure:
    """The estimated share in each round as a line, broken where there is no estimate.

    Args:
        estimate: the shares; intervals may reach beyond 0 and 1, and the figure has room for it.
        level: of the intervals, and of the band around all rounds at once.
        title: above the figure.
        y_label: beside it.
        truth: the true shares of all planned rounds, where an experiment knows them.
    """
    figure = titled_figure(title, 8, 4.4)
    axes = open_frame(figure.add_subplot())
    axes.use_sticky_edges = False  # room below the lowest end too
    sure = percent(level)
    _steps(axes, estimate, estimate.simultaneous(level), _BAND, f"{sure} band, all rounds at once")
    _steps(axes, estimate, estimate.interval(level), _INTERVAL, f"{sure} interval of a round")
    rounds = np.arange(1, estimate.planned + 1)
    axes.plot(
        rounds,
        _everywhere(estimate, estimate.values),
        color=BLUE,
        linewidth=1.2,
        marker="o" if estimate.planned <= _MARKED else ".",
        markersize=3 if estimate.planned <= _MARKED else 1.5,
        label="estimate",
    )
    if truth is not None:
        shares = np.asarray(truth, np.float64)
        if shares.shape != rounds.shape:
            raise ParameterError(
                f"truth must be {rounds.size} shares, one per round, got {shares.size}"
            )
        axes.step(rounds, shares, where="mid", color=VERMILION, linewidth=1, label="truth")
    silent = np.setdiff1d(rounds, estimate.rounds)
    if silent.size:
        axes.plot(
            silent,
            np.zeros(silent.size),
            "x",
            color=INK,
            markersize=4,
            clip_on=False,
            transform=axes.get_xaxis_transform(),
            label="no estimate",
        )
    axes.set_xlim(0.5, estimate.planned + 0.5)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.xaxis.set_major_locator(MaxNLocator(10, integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel("round")
    axes.set_ylabel(cut(readable(y_label, "?"), _LONGEST_LABEL), parse_math=False, family=family())
    axes.grid(color="#e4e4e4", linewidth=0.6)
    add_legend(figure)
    return figure


def _steps(
    axes: Axes, estimate: StreamEstimate, interval: Interval, colour: str, label: str
) -> None:
    """From low to high, as wide as a round: one between two without an estimate is seen too."""
    edges = np.arange(estimate.planned + 1) + 0.5
    low, high = (_everywhere(estimate, ends) for ends in interval)
    axes.stairs(high, edges, baseline=low, fill=True, color=colour, label=label)


def _everywhere(estimate: StreamEstimate, values: Floats) -> Floats:
    """A value for each planned round, NaN where there is none."""
    every = np.full(estimate.planned, np.nan)
    every[estimate.rounds - 1] = values
    return every
