"""The page of errors as curves: how an error falls as something grows."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sudare.errors import ParameterError
from sudare.formats.strangers import isolated
from sudare.results.html.document import attribute, document, remarks, section, shown, table
from sudare.results.html.scale import Floats, Scale
from sudare.results.wording import ABSENT, is_plain, measured, scientific
from sudare.simulation.comparison import Curve

MARKED = 60  # points on a curve up to which each gets a mark
BAND = 2  # standard errors to each side

# One colour and one mark each; the style sheet knows the colours c0 to c5.
_MARKS = (
    '<circle r="4"/>',
    '<path d="M-4-4H4V4H-4Z"/>',
    '<path d="M0-5 5 4H-5Z"/>',
    '<path d="M0-5.5 5 0 0 5.5-5 0Z"/>',
    '<path d="M0 5 5-4H-5Z"/>',
    '<circle r="3.5" class="hollow"/>',
)


def error_page(  # noqa: PLR0913 - a chart's texts and axes, each by name
    title: str,
    curves: Sequence[Curve],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = True,
    notes: Sequence[str] = (),
) -> str:
    """Curves as one HTML file: line chart with bands of two standard errors, and table.

    A point that its axis can't show (0 on a logarithmic one) is left out of the chart and
    kept in the table.
    """
    _check(curves)
    names = ", ".join(isolated(curve.label) for curve in curves)
    summary = f"Line chart of {y_label} against {x_label}: {names}. The table has all the numbers."
    x = Scale.over(*(curve.x for curve in curves), log=log_x)
    y = Scale.over(*(height for curve in curves for height in _heights(curve)), log=log_y)
    banded = any(curve.stderr is not None for curve in curves)
    figure = "\n".join(
        [
            "<figure>",
            _shapes(),
            f'<div class="axis-title">{shown(y_label)}</div>',
            f'<svg class="lines" role="img" aria-label="{attribute(summary)}">',
            grid(x, y, (x.ticks(6), y.ticks(8)), (_tick_texts, _tick_texts)),
            '<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">',
            *(_band(curve, x, y, _style(i)) for i, curve in enumerate(curves)),
            *(_line(curve, x, y, _style(i)) for i, curve in enumerate(curves)),
            "</svg>",
            *(_points(curve, x, y, i) for i, curve in enumerate(curves)),
            "</svg>",
            f'<div class="axis-title end">{shown(x_label)}</div>',
            f"<figcaption>{_legend(curves)}",
            f"<p>The bands are ± {BAND} standard errors.</p>" * banded + "</figcaption>\n</figure>",
        ]
    )
    return document(
        title,
        f"<header>\n<h1>{shown(title)}</h1>\n</header>",
        section(f"{y_label} against {x_label}", figure),
        section("All the numbers", table(y_label, _columns(curves, x_label))),
        remarks(notes),
    )


def _check(curves: Sequence[Curve]) -> None:
    if not curves:
        raise ParameterError("a page of curves needs at least 1 curve, got 0")
    for curve in curves:
        for values in (curve.y, curve.stderr):
            if values is not None and values.shape != curve.x.shape:
                raise ParameterError(
                    f"the curve “{curve.label}” has {curve.x.size} places and {values.size} values"
                )
        if np.unique(curve.x).size != curve.x.size:
            raise ParameterError(f"the curve “{curve.label}” has two points at one place")
    if len({curve.label for curve in curves}) != len(curves):
        raise ParameterError("two curves have the same label; each must be different")


def _heights(curve: Curve) -> list[Floats]:
    if curve.stderr is None:
        return [curve.y]
    return [curve.y, curve.y + BAND * curve.stderr]


def _style(number: int) -> str:
    again = " again" if number >= len(_MARKS) else ""
    return f"c{number % len(_MARKS)}{again}"


def _runs(curve: Curve, x: Scale, y: Scale) -> Iterator[tuple[Floats, Floats, Floats]]:
    """The stretches of a curve that can be drawn: x, y and standard error, from left to right."""
    order = np.argsort(curve.x)
    error = np.zeros_like(curve.y) if curve.stderr is None else curve.stderr
    places, heights, errors = curve.x[order], curve.y[order], error[order]
    drawable = x.drawable(places) & y.drawable(heights)
    breaks = np.flatnonzero(np.diff(drawable)) + 1
    for run in np.split(np.arange(places.size), breaks):
        if run.size and drawable[run[0]]:
            yield places[run], heights[run], errors[run]


def path(horizontal: Floats, vertical: Floats) -> str:
    """The SVG path through places in percent, joined by straight lines."""
    steps = " ".join(f"{a:.2f},{100 - b:.2f}" for a, b in zip(horizontal, vertical, strict=True))
    return "M" + steps


def _line(curve: Curve, x: Scale, y: Scale, style: str) -> str:
    runs = (path(x.place(a), y.place(b)) for a, b, _ in _runs(curve, x, y))
    return f'<path class="line {style}" d="{"".join(runs)}"/>'


def _band(curve: Curve, x: Scale, y: Scale, style: str) -> str:
    if curve.stderr is None:
        return ""
    outlines = (
        path(
            x.place(np.concatenate([a, a[::-1]])),
            y.place(np.concatenate([b + BAND * error, (b - BAND * error)[::-1]])),
        )
        for a, b, error in _runs(curve, x, y)
    )
    return f'<path class="band {style}" d="{"".join(f"{outline}Z" for outline in outlines)}"/>'


def _points(curve: Curve, x: Scale, y: Scale, number: int) -> str:
    if curve.x.size > MARKED:
        return ""
    shape = number % len(_MARKS)
    uses = (
        f'<use href="#mark{shape}" x="{a:.2f}%" y="{100 - b:.2f}%"/>'
        for places, heights, _ in _runs(curve, x, y)
        for a, b in zip(x.place(places), y.place(heights), strict=True)
    )
    return f'<g class="{_style(number)}">{"".join(uses)}</g>'


def _shapes() -> str:
    marks = "".join(f'<g id="mark{i}">{mark}</g>' for i, mark in enumerate(_MARKS))
    return f'<svg class="shapes" aria-hidden="true"><defs>{marks}</defs></svg>'


def grid(
    x: Scale,
    y: Scale,
    ticks: tuple[Floats, Floats],
    texts: tuple[Callable[[Floats], list[str]], Callable[[Floats], list[str]]],
) -> str:
    """The lines behind a chart, across and up, with their texts."""
    across, up = ticks
    across_texts, up_texts = (write(places) for write, places in zip(texts, ticks, strict=True))
    columns = (
        f'<line x1="{place:.2f}%" x2="{place:.2f}%" y2="100%"/>'
        f'<text x="{place:.2f}%" y="100%" dy="1.5em">{text}</text>'
        for text, place in zip(across_texts, x.place(across), strict=True)
    )
    rows = (
        f'<line y1="{100 - place:.2f}%" x2="100%" y2="{100 - place:.2f}%"/>'
        f'<text class="end" x="0" dx="-.6em" y="{100 - place:.2f}%" dy=".35em">'
        f"{text}</text>"
        for text, place in zip(up_texts, y.place(up), strict=True)
    )
    return f'<g class="grid">{"".join(columns)}{"".join(rows)}</g>'


def _tick_texts(ticks: Floats) -> list[str]:
    plain = all(is_plain(tick) for tick in ticks)  # one way of writing along one axis
    return [scientific(tick, plain=plain or tick == 0) for tick in ticks]


def _legend(curves: Sequence[Curve]) -> str:
    items = (
        f'<li><svg><line class="line {_style(i)}" x2="100%" y1="50%" y2="50%"/>'
        f'<use class="{_style(i)}" href="#mark{i % len(_MARKS)}" x="50%" y="50%"/></svg>'
        f"{shown(isolated(curve.label))}</li>"
        for i, curve in enumerate(curves)
    )
    return f'<ul class="legend" aria-label="Legend">{"".join(items)}</ul>'


def _columns(curves: Sequence[Curve], x_label: str) -> dict[str, list[str]]:
    everywhere = np.unique(np.concatenate([curve.x for curve in curves]))
    columns = {x_label: [scientific(place) for place in everywhere]}
    for curve in curves:
        if curve.stderr is None:
            texts = [scientific(height) for height in curve.y]
        else:
            texts = [measured(y, error) for y, error in zip(curve.y, curve.stderr, strict=True)]
        cells = dict(zip(curve.x, texts, strict=True))
        columns[isolated(curve.label)] = [cells.get(place, ABSENT) for place in everywhere]
    return columns
