"""The bar chart of shares: one row for each answer, with its interval.

A row is HTML text beside a small SVG whose places are percentages: it fills any width, and
its text stays as large on a phone as on a desk.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from sudare.formats.strangers import isolated
from sudare.results.html.document import attribute, shown
from sudare.results.html.scale import Floats, Scale
from sudare.results.wording import decimals_for, percent

MOST = 50  # rows that a chart can hold and still be read
TICKS = 6  # on an axis as narrow as a phone
AXIS_AGAIN = 15  # rows from which the axis is repeated at the bottom

# The shapes that rows share; hidden, but not by display: none, which would take the caps away.
SHAPES = '<svg class="shapes" aria-hidden="true"><defs>\n{shapes}\n</defs></svg>'
MARKS = """
<path id="truth" d="M0 0 5 9H-5Z"/>
<marker id="cap" markerUnits="userSpaceOnUse" markerWidth="3" markerHeight="12" refX="1.5" \
refY="6" orient="0"><path d="M1.5 1V11"/></marker>"""
_HATCH = """
<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" \
patternTransform="rotate(45)"><path d="M0 0V6"/></pattern>"""


@dataclass(frozen=True)
class Bars:
    """A bar chart of shares: for each answer its bar, whiskers and marks.

    Attributes:
        labels: the answers.
        values: the estimated shares: the bars.
        low: the lower ends of the whiskers.
        high: the upper ends of the whiskers.
        level: the intervals' level, in words.
        consistent: the shares made consistent, a tick each.
        truth: the true shares, an arrowhead each, where they are known.
        rest: whether the last row is everything else, drawn hatched.
    """

    labels: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    level: str
    consistent: Floats | None = None
    truth: Floats | None = None
    rest: bool = False

    def figure(self, decimals: int, number: int = 1) -> str:
        """The chart with its legend, shares written with so many decimals.

        ``number`` is its place among the charts of a page: the first brings the shapes of all.
        """
        count = len(self.labels)
        if count > MOST:
            cut = (
                f"<p>The {MOST} largest of {count:,} answers, largest first; the table has all.</p>"
            )
            return cut + self.largest(MOST).figure(decimals, number)
        scale = self._scale()
        best = int(np.argmax(self.values))
        label, share = isolated(self.labels[best]), percent(self.values[best], decimals)
        summary = (
            f"Bar chart of the estimated share of {count} answers with {self.level} intervals. "
            f"The largest is {label}, {share}. The table below has all the numbers."
        )
        shapes = f'<g id="grid{number}" class="grid">{grid_of(scale)}</g>'
        shapes += MARKS * (number == 1) + _HATCH * self.rest
        axis = f"<div><b></b><i></i>{_axis(scale)}</div>"
        return "\n".join(
            [
                "<figure>",
                SHAPES.format(shapes=shapes),
                f'<div class="bars" role="img" aria-label="{attribute(summary)}">',
                axis,
                *self._rows(scale, decimals, f"#grid{number}"),
                axis * (count >= AXIS_AGAIN) + "</div>",
                f"<figcaption>{self._legend()}</figcaption>\n</figure>",
            ]
        )

    def largest(self, most: int) -> Self:
        """The chart of so many of the answers, the largest estimate first."""
        order = np.argsort(-self.values, kind="stable")[:most]
        return replace(
            self,
            labels=tuple(self.labels[i] for i in order),
            values=self.values[order],
            low=self.low[order],
            high=self.high[order],
            consistent=None if self.consistent is None else self.consistent[order],
            truth=None if self.truth is None else self.truth[order],
        )

    def _scale(self) -> Scale:
        marks = [mark for mark in (self.consistent, self.truth) if mark is not None]
        return Scale.over(np.zeros(1), self.values, self.low, self.high, *marks)

    def _rows(self, scale: Scale, decimals: int, grid: str) -> list[str]:
        zero = float(scale.place(np.zeros(1))[0])
        places = scale.place(np.stack([self.values, self.low, self.high]))
        drawings = [_bar(zero, *place) for place in places.T]
        if self.rest:
            drawings[-1] = drawings[-1].replace(
                "<rect", '<rect style="fill:url(#hatch);stroke:var(--soft)"', 1
            )
        if self.consistent is not None:
            for i, place in enumerate(scale.place(self.consistent)):
                drawings[i] += f'<line class="consistent" x1="{place:.2f}%" x2="{place:.2f}%"'
                drawings[i] += ' y1="14%" y2="86%"/>'
        if self.truth is not None:
            for i, place in enumerate(scale.place(self.truth)):
                drawings[i] += f'<use class="truth" href="#truth" x="{place:.2f}%" y="62%"/>'
        return [
            f"<div><b>{shown(isolated(label))}</b><i>{percent(value, decimals)}</i>"
            f'<svg><use href="{grid}"/>{drawing}</svg></div>'
            for label, value, drawing in zip(self.labels, self.values, drawings, strict=True)
        ]

    def _legend(self) -> str:
        entries = {
            "estimate": '<rect y="25%" width="100%" height="50%"/>',
            f"{self.level} interval": '<line class="whisker" x1="2" x2="26" y1="50%" y2="50%"/>',
        }
        if self.consistent is not None:
            entries["made consistent"] = (
                '<line class="consistent" x1="50%" x2="50%" y1="14%" y2="86%"/>'
            )
        if self.truth is not None:
            entries["the truth, which is known here"] = (
                '<use class="truth" href="#truth" x="50%" y="30%"/>'
            )
        items = (f"<li><svg>{key}</svg>{text}</li>" for text, key in entries.items())
        return f'<ul class="legend" aria-label="Legend">{"".join(items)}</ul>'


def _bar(zero: float, value: float, low: float, high: float) -> str:
    below = ' class="below"' if value < zero else ""
    return (
        f'<rect{below} x="{min(zero, value):.2f}%" y="25%" width="{abs(value - zero):.2f}%" '
        f'height="50%"/><line class="whisker" x1="{low:.2f}%" x2="{high:.2f}%" y1="50%" y2="50%"/>'
    )


def grid_of(scale: Scale) -> str:
    """A line at each tick of an axis."""
    ticks = scale.ticks(TICKS)
    classes = ['class="zero" ' if tick == 0 else "" for tick in ticks]
    return "".join(
        f'<line {which}x1="{place:.2f}%" x2="{place:.2f}%" y2="100%"/>'
        for which, place in zip(classes, scale.place(ticks), strict=True)
    )


def _axis(scale: Scale) -> str:
    ticks = scale.ticks(TICKS)
    decimals = max(0, decimals_for(100 * (ticks[1] - ticks[0])) - 1)
    return axis_of(scale, [percent(tick, decimals) for tick in ticks])


def axis_of(scale: Scale, texts: list[str]) -> str:
    """The axis of a chart, with a text at each tick."""
    drawn = (
        f'<text x="{place:.2f}%" y="70%">{text}</text>'
        for text, place in zip(texts, scale.place(scale.ticks(TICKS)), strict=True)
    )
    return f'<svg class="axis">{"".join(drawn)}</svg>'
