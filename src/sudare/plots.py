"""Estimates and errors as figures, for PNG, SVG and PDF. The only importer of matplotlib.

The figures are plain ``Figure`` values: no window, no global state. Colours are those of
Okabe and Ito, told apart by colour-blind readers too; lines differ in their markers as well.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import cycle
from pathlib import Path
from statistics import NormalDist
from types import MappingProxyType

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator, PercentFormatter, ScalarFormatter
from numpy.typing import ArrayLike, NDArray

from sudare.comparison import Curve
from sudare.errors import ParameterError
from sudare.estimate import Estimate
from sudare.files import replacing

Floats = NDArray[np.float64]

_BLUE, _PALE, _VERMILION, _INK = "#0072B2", "#A9D5F2", "#D55E00", "#333333"
_LINES = (
    (_BLUE, "o"),
    (_VERMILION, "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
)
_NORMAL_95 = NormalDist().inv_cdf(0.975)
_MOST_NAMES = 150  # answers named beside their bars; of more, every second, third, … is
_LONGEST_NAME = 40  # characters

# Fonts with Japanese on the usual systems; matplotlib's own comes first and has none.
_JAPANESE = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Source Han Sans JP",
    "IPAexGothic",
    "IPAGothic",
    "Hiragino Sans",
    "Yu Gothic",
    "MS Gothic",
    "TakaoGothic",
    "VL Gothic",
)
# What each format would write of its own accord, and differently from run to run: left out.
_FORMATS = {".png": "Software", ".svg": "Date", ".pdf": "CreationDate"}


def estimate_figure(  # noqa: PLR0913 - what may stand beside the estimate, each by name
    estimate: Estimate,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    title: str = "",
    truth: ArrayLike | None = None,
    reported: ArrayLike | None = None,
) -> Figure:
    """The share behind each answer as a bar with its interval, the first answer on top.

    Args:
        estimate: the shares; an interval may reach below 0, and the figure has room for it.
        level: of the intervals.
        simultaneous: whether they hold for all answers at once.
        title: above the figure.
        truth: the true shares, where an experiment knows them.
        reported: the shares among the reports, noise included.
    """
    k = estimate.values.size
    rows = np.arange(k)
    low, high = estimate.simultaneous(level) if simultaneous else estimate.interval(level)
    height = 1.4 + min(0.21 * k, 0.21 * _MOST_NAMES) + 0.9 / k
    figure = Figure(figsize=(7, height), layout="constrained")
    axes = _axes(figure, title)
    axes.barh(rows, estimate.values, height=0.72, color=_PALE, label="estimate")
    axes.errorbar(
        estimate.values,
        rows,
        xerr=(estimate.values - low, high - estimate.values),
        fmt="none",
        ecolor=_BLUE,
        elinewidth=1.2,
        capsize=2,
        label=f"{'simultaneous ' * simultaneous}{100 * level:.4g} % interval",
    )
    if reported is not None:
        _points(axes, _shares(reported, k, "reported"), "reported", "o", _VERMILION)
    if truth is not None:
        _points(axes, _shares(truth, k, "truth"), "truth", "d", _INK)
    axes.axvline(0, color=_INK, linewidth=0.8)
    axes.set_ylim(k - 0.4, -0.6)
    named = rows[:: math.ceil(k / _MOST_NAMES)]
    names = _names(estimate.labels, k)
    axes.set_yticks(named, [names[row] for row in named], parse_math=False, family=_family())
    axes.tick_params(axis="y", length=0, labelsize=9 if k <= 60 else 7)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel(f"share of {estimate.n:,} people")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    _legend(figure)
    return figure


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
        curves: what was measured, such as ``sudare.comparison.error_curves`` gives.
        title: above the figure.
        x_label: below it.
        y_label: beside it.
        marks: named places on the x axis, such as where two curves cross.
    """
    figure = Figure(figsize=(7, 4.6), layout="constrained")
    axes = _axes(figure, title)
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
            label=_readable(curve.label, "?"),
        )
    if any(curve.theory is not None for curve in curves):
        axes.plot([], [], color=_INK, linewidth=0.8, label="theory")
    for name, place in marks.items():
        axes.axvline(place, color=_INK, linewidth=0.9, linestyle=":")
        axes.annotate(
            _readable(name, "?"),
            (place, 1),
            (3, -2),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            rotation=90,
            verticalalignment="top",
            fontsize=8,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85},
            parse_math=False,
            family=_family(),
        )
    low, high = axes.get_ylim()
    if high < 10 * low:  # less than a decade: plain numbers, evenly apart
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.yaxis.set_major_formatter(ScalarFormatter())
        axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(_readable(x_label, "?"), parse_math=False, family=_family())
    axes.set_ylabel(_readable(y_label, "?"), parse_math=False, family=_family())
    axes.grid(color="#e4e4e4", linewidth=0.6)
    _legend(figure)
    return figure


def cost_figure(
    reports: Sequence[int], costs: Sequence[float], lifetime: float | None, *, title: str = ""
) -> Figure:
    """What so many reports of one answer cost together, and what any number of them does."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = _axes(figure, title)
    axes.set_xscale("log")
    axes.plot(reports, costs, color=_BLUE, marker="o", markersize=3.5, label="ε of k reports")
    if lifetime is not None:
        axes.axhline(lifetime, color=_VERMILION, linestyle="--", label="ε∞, of any number")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("reports of one answer by one device")
    axes.set_ylabel("ε")
    axes.grid(color="#e4e4e4", linewidth=0.6)
    _legend(figure)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write the figure in the format that the suffix names: all of the file or none of it.

    The same figure gives the same bytes: no date, no random identifiers.
    """
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise ParameterError(
            f"a figure is saved as {', '.join(_FORMATS)}; got the file name {path.name!r}"
        )
    metadata = {_FORMATS[suffix]: None}
    with replacing(path) as temporary, mpl.rc_context({"svg.hashsalt": "sudare"}):
        figure.savefig(temporary, format=suffix[1:], dpi=120, metadata=metadata)


def _axes(figure: Figure, title: str) -> Axes:
    axes = figure.add_subplot()
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if title:
        readable = _readable(title, "?")
        figure.suptitle(readable, fontsize=11, parse_math=False, family=_family())
    return axes


def _legend(figure: Figure) -> None:
    handles, labels = figure.axes[0].get_legend_handles_labels()
    entries = sorted(  # bars before bare lines and points
        zip(handles, labels, strict=True), key=lambda entry: not isinstance(entry[0], Container)
    )
    legend = figure.legend(
        [handle for handle, _ in entries],
        [label for _, label in entries],
        loc="outside lower center",
        ncols=min(4, max(1, len(handles))),
        frameon=False,
        prop={"family": _family(), "size": 9},
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _points(axes: Axes, shares: Floats, label: str, marker: str, colour: str) -> None:
    axes.plot(
        shares,
        np.arange(shares.size),
        marker,
        markersize=4.5,
        markerfacecolor="white",
        markeredgecolor=colour,
        label=label,
    )


def _shares(values: ArrayLike, k: int, name: str) -> Floats:
    shares = np.asarray(values, np.float64)
    if shares.shape != (k,):
        raise ParameterError(f"{name} must be {k} shares, one per answer, got {shares.size}")
    return shares


def _names(labels: Sequence[str], k: int) -> list[str]:
    """The answers' names, each on one line; the number of an answer whose name can't be drawn."""
    lines = [" ".join(label.split()) for label in labels] or [str(number) for number in range(k)]
    short = [
        line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1] + "…" for line in lines
    ]
    return [_readable(line, None) or str(number) for number, line in enumerate(short)]


def _readable(text: str, instead: str | None) -> str:
    """The text if the fonts can draw it; else with ``instead`` for what they can't, or empty."""
    missing = {letter for letter in text if not _drawable(letter)}
    if missing and instead is None:
        return ""
    return "".join(instead or "" if letter in missing else letter for letter in text)


@cache
def _family() -> list[str]:
    """Matplotlib's own font, then one with Japanese if the system has it."""
    present = set(font_manager.get_font_names())
    return ["DejaVu Sans", *[name for name in _JAPANESE if name in present][:1]]


@cache
def _drawable(letter: str) -> bool:
    if letter == "\n":
        return True
    return any(
        font_manager.get_font(
            font_manager.findfont(font_manager.FontProperties(family=[name]))
        ).get_char_index(ord(letter))
        for name in _family()
    )
