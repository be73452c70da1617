"""Shares as bars with their intervals."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import ArrayLike, NDArray

from sudare.errors import ParameterError
from sudare.estimation.estimate import Estimate, Interval
from sudare.formats.numbers import counted
from sudare.formats.strangers import visible
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

_PALE, _GREY = "#A9D5F2", "#B5B5B5"
_MOST_NAMES = 150  # answers named beside their bars; of more, every second, third, … is
_LONGEST_NAME = 40  # narrow letters
_ROW = 0.21  # inches of height
_MOST_FOUND = 40  # texts in a picture


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
    height = 1.4 + _ROW * min(k, _MOST_NAMES) + 0.9 / k
    figure = titled_figure(title, 7, height)
    axes = open_frame(figure.add_subplot())
    interval = estimate.simultaneous(level) if simultaneous else estimate.interval(level)
    caption = f"{'simultaneous ' * simultaneous}{percent(level)} interval"
    _bars(axes, estimate.values, interval, caption, _names(estimate.labels, k))
    if reported is not None:
        _points(axes, _shares(reported, k, "reported"), "reported", "o", VERMILION)
    if truth is not None:
        _points(axes, _shares(truth, k, "truth"), "truth", "d", INK)
    axes.set_xlabel(f"share of {counted(estimate.n, 'person', 'people')}")
    add_legend(figure)
    return figure


def estimates_figure(
    panels: Sequence[tuple[str, Estimate, Interval, Floats | None]], caption: str, title: str = ""
) -> Figure:
    """The shares of several questions' answers, an axis for each.

    Args:
        panels: of each question its name, the shares, their intervals and, if known, the truth.
        caption: of the intervals.
        title: above the figure.
    """
    heights = [min(estimate.values.size, _MOST_NAMES) for _, estimate, _, _ in panels]
    figure = titled_figure(title, 7, 0.9 + _ROW * sum(heights) + 1.1 * len(panels))
    subplots = figure.subplots(len(panels), squeeze=False, height_ratios=[h + 3 for h in heights])
    for axes, (name, estimate, interval, truth) in zip(subplots.ravel(), panels, strict=True):
        k = estimate.values.size
        _bars(open_frame(axes), estimate.values, interval, caption, _names(estimate.labels, k))
        if truth is not None:
            _points(axes, _shares(truth, k, "truth"), "truth", "d", INK)
        shown = readable(_line(name), "?")
        axes.set_title(shown, fontsize=10, loc="left", parse_math=False, family=family())
        axes.set_xlabel(f"share of people, by {counted(estimate.n, 'report')}")
    add_legend(figure)
    return figure


def decoded_figure(  # noqa: PLR0913 - what is known beside the estimate, each by name
    found: Estimate,
    interval: Interval,
    whole: Estimate | None,
    *,
    of: int | None = None,
    level: float = 0.95,
    title: str = "",
) -> Figure:
    """Texts that were found, as bars with their intervals, above what they leave unexplained.

    The two have axes of their own: what is left is often far larger than any text's share.

    Args:
        found: the shares of the texts, the largest first; the first 40 are drawn.
        interval: of each of these shares.
        whole: the share of all those found together, and that of everything else; None if the
            texts are all candidates, taken for all there are.
        of: how many there are, if these are the largest of them.
        level: of the intervals.
        title: above the figure.
    """
    count = found.values.size if of is None else of
    shown = min(found.values.size, _MOST_FOUND)
    heights = [shown] * bool(shown) + [2] * (whole is not None)
    height = 0.5 + _ROW * sum(heights) + 0.9 * len(heights)
    figure = titled_figure(title, 7, height)
    subplots = figure.subplots(len(heights), squeeze=False, height_ratios=heights)
    panels: list[Axes] = [open_frame(axes) for axes in subplots.ravel()]
    caption = f"{percent(level)} interval"
    if shown:
        names = [readable(_line(label), "?") for label in found.labels[:shown]]
        ends = Interval(interval.low[:shown], interval.high[:shown])
        _bars(panels[0], found.values[:shown], ends, caption, names)
        if shown < count:
            what = "found" if whole is not None else "candidates"
            largest = f"the {shown} largest of {count:,} {what}"
            panels[0].set_title(largest, fontsize=9, loc="left")
    if whole is not None:
        _bars(panels[-1], whole.values, whole.interval(level), caption, list(whole.labels))
        panels[-1].patches[1].set(facecolor="white", edgecolor=_GREY, hatch="////")
        left, right = panels[-1].get_xlim()
        panels[-1].set_xlim(min(left, 0), max(right, 1))
    for axes in panels:
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    panels[-1].set_xlabel(f"share of {counted(found.n, 'person', 'people')}")
    add_legend(figure)
    return figure


def _bars(axes: Axes, values: Floats, interval: Interval, caption: str, names: list[str]) -> None:
    k = values.size
    rows = np.arange(k)
    axes.barh(rows, values, height=0.72, color=_PALE, label="estimate")
    axes.errorbar(
        values,
        rows,
        xerr=(values - interval.low, interval.high - values),
        fmt="none",
        ecolor=BLUE,
        elinewidth=1.2,
        capsize=2,
        label=caption,
    )
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_ylim(k - 0.4, -0.6)
    named = rows[:: math.ceil(k / _MOST_NAMES)]
    axes.set_yticks(named, [names[row] for row in named], parse_math=False, family=family())
    axes.tick_params(axis="y", length=0, labelsize=9 if k <= 60 else 7)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)


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
    lines = [_line(label) for label in labels] or [str(number) for number in range(k)]
    return [readable(line, None) or str(number) for number, line in enumerate(lines)]


def _line(label: str) -> str:
    return cut(visible(" ".join(label.split())), _LONGEST_NAME)
