"""Errors as curves on a logarithmic axis."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from statistics import NormalDist
from types import MappingProxyType

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator, ScalarFormatter

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
from sudare.simulation.comparison import Curve

_LINES = (
    (BLUE, "o"),
    (VERMILION, "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
)
_NORMAL_95 = NormalDist().inv_cdf(0.975)


def error_figure(
    curves: Sequence[Curve],
    *,
    title: str = "",
    x_label: str = "ε",
    y_label: str = "mean squared error",
    marks: Mapping[str, float] = MappingProxyType({}),
) -> Figure:
    """Errors on a logarithmic axis with 95 % bars, and as thin lines what theory predicts.

    Args:
        curves: what was measured, such as ``sudare.simulation.comparison.error_curves`` gives.
        title: above the figure.
        x_label: below it.
        y_label: beside it.
        marks: named places on the x axis, such as where two curves cross.
    """
    figure = titled_figure(title, 7, 4.6)
    axes = open_frame(figure.add_subplot())
    axes.set_yscale("log", nonpositive="clip")
    for curve, (colour, marker) in zip(curves, cycle(_LINES), strict=False):
        if curve.theory is not None:
            axes.plot(curve.x, curve.theory, color=colour, linewidth=0.8, label="_theory")
        axes.errorbar(
            curve.x,
            curve.y,
            yerr=None if curve.stderr is None else _NORMAL_95 * curve.stderr,
            color=colour,
            fmt=marker,
            markersize=3.5,
            elinewidth=1,
            capsize=1.5,
            label=readable(curve.label, "?"),
        )
    if any(curve.theory is not None and np.isfinite(curve.theory).any() for curve in curves):
        axes.plot([], [], color=INK, linewidth=0.8, label="theory")
    for name, place in marks.items():
        axes.axvline(place, color=INK, linewidth=0.9, linestyle=":")
        axes.annotate(
            readable(name, "?"),
            (place, 1),
            (3, -2),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            rotation=90,
            verticalalignment="top",
            fontsize=8,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85},
            parse_math=False,
            family=family(),
        )
    low, high = axes.get_ylim()
    if high < 10 * low:  # less than a decade: plain numbers, evenly apart
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.yaxis.set_major_formatter(ScalarFormatter())
        axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(readable(x_label, "?"), parse_math=False, family=family())
    axes.set_ylabel(readable(y_label, "?"), parse_math=False, family=family())
    axes.grid(color="#e4e4e4", linewidth=0.6)
    add_legend(figure)
    return figure


def cost_figure(
    reports: Sequence[int], costs: Sequence[float], lifetime: float | None, *, title: str = ""
) -> Figure:
    """The ε of so many reports of one answer together, and of any number of them, as a curve."""
    figure = titled_figure(title, 7, 4.2)
    axes = open_frame(figure.add_subplot())
    axes.set_xscale("log")
    axes.plot(reports, costs, color=BLUE, marker="o", markersize=3.5, label="ε of k reports")
    if lifetime is not None:
        axes.axhline(lifetime, color=VERMILION, linestyle="--", label="ε∞, of any number")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("reports of one answer by one device")
    axes.set_ylabel("ε")
    axes.grid(color="#e4e4e4", linewidth=0.6)
    add_legend(figure)
    return figure
