"""The page of a share over time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError
from sudare.estimation.estimate import Interval
from sudare.estimation.rounds import StreamEstimate
from sudare.formats.strangers import isolated
from sudare.questions.interface import Agreed
from sudare.questions.states import stream_question
from sudare.results.html.curves import MARKED, grid, path
from sudare.results.html.document import attribute, document, remarks, section, table
from sudare.results.html.heading import ONE_REPORT, definitions, header
from sudare.results.html.scale import Floats, Scale
from sudare.results.wording import ABSENT, decimals_for, fixed, percent, percent_range

_DOT = '<svg class="shapes" aria-hidden="true"><defs><circle id="dot" r="3"/></defs></svg>'
_FLAT = '<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">'


def stream_page(
    collection: Agreed,
    estimate: StreamEstimate,
    *,
    level: float = 0.95,
    truth: Floats | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The share of people in a state in each round, as one HTML file: chart, table, reading.

    Args:
        collection: what was counted, and how states were randomised.
        estimate: the shares of the rounds that may be released.
        level: of the intervals, and of the band around all rounds at once.
        truth: the true shares of all planned rounds; known to a simulation or a trial.
        notes: paragraphs to add, as plain text.
    """
    if collection.kind.rounds != estimate.planned:
        raise ParameterError(
            f"“{collection.name}” is not what this estimate of {estimate.planned} rounds is of"
        )
    if truth is not None and truth.shape != (estimate.planned,):
        raise ParameterError(
            f"truth has the shape {truth.shape}; there are {estimate.planned} rounds"
        )
    mechanism = stream_question(collection).stream
    facts = {
        "Reports": f"{estimate.n:,}",
        "Mechanism": mechanism.name.upper(),
        "Rounds": f"{estimate.planned:,}",
        "Reports of a person": f"{mechanism.reports_each:,}",
    }
    sure, state = percent(level), isolated(collection.answers[1])
    name = isolated(collection.name)
    chart = _Chart(estimate, estimate.interval(level), estimate.simultaneous(level), sure, truth)
    reading = {"One report": ONE_REPORT.format(n=estimate.n), **_reading(chart)}
    return document(
        collection.name,
        header(collection, facts),
        section(f"Estimated share of “{state}”", chart.figure(state)),
        section("All the numbers", table(f"Every round of {name}", chart.columns())),
        remarks(notes),
        section("How to read this", definitions(reading, "reading")),
    )


@dataclass(frozen=True, eq=False)
class _Chart:
    """What is drawn and listed of each round."""

    estimate: StreamEstimate
    interval: Interval
    band: Interval
    sure: str
    truth: Floats | None

    @property
    def every(self) -> Floats:
        """The places of all planned rounds."""
        return np.arange(1, self.estimate.planned + 1, dtype=np.float64)

    @property
    def told(self) -> Floats:
        """The places of the rounds with an estimate."""
        return self.estimate.rounds.astype(np.float64)

    def figure(self, state: str) -> str:
        """The estimates as a line, broken where there is none, on their intervals and the band."""
        estimate = self.estimate
        x = Scale(0.5, estimate.planned + 0.5)
        shown = [] if self.truth is None else [self.truth]
        y = Scale.over(np.zeros(1), *self.band, *shown)
        summary = (
            f"Line chart of the estimated share of “{state}” in {estimate.values.size:,} of "
            f"{estimate.planned:,} rounds, with {self.sure} intervals. The table has all the "
            "numbers."
        )
        drawn = [
            f'<path class="band c0" d="{self._steps(ends, x, y)}"/>'
            for ends in (self.band, self.interval)
        ]
        if self.truth is not None:
            line = path(x.place(self.every), y.place(self.truth))
            drawn.append(f'<path class="line c2" d="{line}"/>')
        across, up = x.place(self.told), y.place(estimate.values)
        runs = (path(across[run], up[run]) for run in self._runs())
        drawn.append(f'<path class="line c0" d="{"".join(runs)}"/>')
        return "\n".join(
            [
                "<figure>",
                _DOT,
                f'<svg class="lines" role="img" aria-label="{attribute(summary)}">',
                grid(x, y, (_rounds(x.ticks(10)), y.ticks(8)), (_numbers, _percents)),
                _FLAT,
                *drawn,
                "</svg>",
                self._dots(x, y),
                "</svg>",
                '<div class="axis-title end">round</div>',
                f"<figcaption>{self._legend()}</figcaption>",
                "</figure>",
            ]
        )

    def _runs(self) -> list[NDArray[np.intp]]:
        """Rounds that follow each other without a gap."""
        breaks = np.flatnonzero(np.diff(self.estimate.rounds) > 1) + 1
        return np.split(np.arange(self.estimate.rounds.size), breaks)

    def _steps(self, ends: Interval, x: Scale, y: Scale) -> str:
        """From low to high, as wide as a round: one that stands alone is seen too."""
        outlines = []
        for run in self._runs():
            rounds = self.told[run]
            sides = np.column_stack([rounds - 0.5, rounds + 0.5]).ravel()
            top, bottom = (np.repeat(end[run], 2) for end in (ends.high, ends.low))
            across = x.place(np.concatenate([sides, sides[::-1]]))
            outlines.append(path(across, y.place(np.concatenate([top, bottom[::-1]]))) + "Z")
        return "".join(outlines)

    def _dots(self, x: Scale, y: Scale) -> str:
        """A mark for each round; of many rounds only for those that stand alone."""
        few = self.estimate.planned <= MARKED
        across, up = x.place(self.told), 100 - y.place(self.estimate.values)
        uses = (
            f'<use href="#dot" x="{across[place]:.2f}%" y="{up[place]:.2f}%"/>'
            for run in self._runs()
            for place in run
            if few or run.size == 1
        )
        return f'<g class="c0">{"".join(uses)}</g>'

    def _legend(self) -> str:
        shade = '<rect class="band c0" y="15%" width="100%" height="70%"/>'
        entries = {
            "estimate": '<line class="line c0" x2="100%" y1="50%" y2="50%"/>'
            '<use class="c0" href="#dot" x="50%" y="50%"/>',
            f"{self.sure} interval of a round": 2 * shade,
            f"{self.sure} band, for all rounds at once": shade,
        }
        if self.truth is not None:
            entries["the truth, which is known here"] = (
                '<line class="line c2" x2="100%" y1="50%" y2="50%"/>'
            )
        items = (f"<li><svg>{key}</svg>{text}</li>" for text, key in entries.items())
        return f'<ul class="legend" aria-label="Legend">{"".join(items)}</ul>'

    def columns(self) -> dict[str, list[str]]:
        """The table: a row per planned round."""
        estimate = self.estimate
        # The width of an interval, unlike a standard error, is never 0.
        decimals = decimals_for(25 * float(np.median(self.interval.high - self.interval.low)))
        known = {
            "Reports": [f"{reports:,}" for reports in estimate.reports],
            "Share": [percent(value, decimals) for value in estimate.values],
            f"{self.sure} interval": _texts(self.interval, decimals),
            f"{self.sure} band": _texts(self.band, decimals),
        }
        numbers = range(1, estimate.planned + 1)
        columns = {"Round": [f"{number:,}" for number in numbers]}
        for name, texts in known.items():
            absent = "no estimate" if name == "Share" else ABSENT
            cells = dict(zip(estimate.rounds.tolist(), texts, strict=True))
            columns[name] = [cells.get(number, absent) for number in numbers]
        if self.truth is not None:
            columns["Truth"] = [percent(share, decimals) for share in self.truth]
        return columns


def _texts(ends: Interval, decimals: int) -> list[str]:
    return [percent_range(low, high, decimals) for low, high in zip(*ends, strict=True)]


def _rounds(ticks: Floats) -> Floats:
    """The whole numbers among them."""
    nearest = np.round(ticks)
    return nearest[np.isclose(ticks, nearest) & (nearest >= 1)]


def _numbers(ticks: Floats) -> list[str]:
    return [fixed(tick, 0) for tick in ticks]


def _percents(ticks: Floats) -> list[str]:
    decimals = max(0, decimals_for(100 * float(ticks[1] - ticks[0])) - 1)
    return [percent(tick, decimals) for tick in ticks]


def _reading(chart: _Chart) -> dict[str, str]:
    reading = {
        "A round": (
            "Each round is estimated from the reports of that round alone, and its estimate is "
            "final when the round is over: nothing that is reported later changes it. A round "
            "without reports, or with fewer than may be released, has no estimate."
        ),
        "The interval": (
            f"Were everything randomised anew, a round's interval would hold its true share at "
            f"least {chart.sure} of the time, and the band would hold all "
            f"{chart.estimate.planned:,} of them at once as often. Look at one round by its "
            "interval; look for the highest round, or for a change, by the band."
        ),
        "Below 0": (
            "Values below 0 or above 100\N{NO-BREAK SPACE}% are normal. Undoing the noise "
            "overshoots as often as it falls short."
        ),
    }
    if chart.truth is not None:
        at = chart.truth[chart.estimate.rounds - 1]
        inside = int(((chart.band.low <= at) & (at <= chart.band.high)).sum())
        reading["The truth"] = (
            "The true shares of these people are known here, as no survey knows them. The band "
            f"contains {inside:,} of {at.size:,}."
        )
    return reading
