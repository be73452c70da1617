"""The page of a mean of numbers."""

from collections.abc import Sequence

import numpy as np

from sudare.formats.strangers import isolated
from sudare.questions.number import MEAN, MeanResult
from sudare.results.html.bars import MARKS, SHAPES, TICKS, axis_of, grid_of
from sudare.results.html.document import attribute, document, remarks, section, table
from sudare.results.html.heading import ONE_REPORT, definitions, header
from sudare.results.html.scale import Scale
from sudare.results.wording import decimals_for, fixed, percent


def mean_page(result: MeanResult, notes: Sequence[str] = ()) -> str:
    """A mean as one HTML file: its interval on the axis of the range, and how to read it.

    Args:
        result: the mean.
        notes: paragraphs to add, as plain text.
    """
    row, agreed = result.rows()[0], result.collection
    decimals = decimals_for(row["stderr"])
    words = {name: fixed(row[name], decimals) for name in (MEAN, "stderr", "low", "high")}
    sure = percent(result.level)
    columns = {
        "": ["Mean"],
        "Estimate": [words[MEAN]],
        "Standard error": [f"± {words['stderr']}"],
        f"{sure} interval": [f"{words['low']} to {words['high']}"],
    }
    reading = {
        "One report": ONE_REPORT.format(n=result.estimate.n),
        "The interval": (
            f"Were everything randomised anew, such an interval would hold the true mean {sure} of "
            "the time. It knows the noise; it does not know who chose not to answer."
        ),
        "The range": (
            f"A number outside {result.numbers} was counted as the nearer end of it, so that the "
            "mean is that of the numbers within."
        ),
    }
    if result.truth is not None:
        columns["Truth"] = [fixed(row["truth"], decimals)]
        held = "contains" if row["holds_truth"] else "doesn't contain"
        reading["The truth"] = (
            f"The true mean of these people is known here, as no survey knows it. The interval "
            f"{held} it."
        )
    facts = {
        "Reports": f"{result.estimate.n:,}",
        "Mechanism": f"{agreed.mechanism.name.upper()}, {agreed.kind.described}",
    }
    return document(
        agreed.name,
        header(agreed, facts),
        section("Estimated mean", _chart(result, words)),
        section("All the numbers", table(f"The mean of {isolated(agreed.name)}", columns)),
        remarks(notes),
        section("How to read this", definitions(reading, "reading")),
    )


def _chart(result: MeanResult, words: dict[str, str]) -> str:
    """The mean as a point with its interval, on an axis as long as the range."""
    row, span = result.rows()[0], result.numbers
    shown = [row["low"], row[MEAN], row["high"], float(span.low), float(span.high)]
    truth = row.get("truth")
    scale = Scale.over(np.array(shown if truth is None else [*shown, truth]))
    low, mean, high = scale.place(np.array(shown[:3]))
    sure = percent(result.level)
    drawn = (
        f'<line class="whisker" x1="{low:.2f}%" x2="{high:.2f}%" y1="50%" y2="50%"/>'
        f'<circle class="point" cx="{mean:.2f}%" cy="50%" r="5"/>'
    )
    entries = {
        "mean": '<circle class="point" cx="50%" cy="50%" r="5"/>',
        f"{sure} interval": '<line class="whisker" x1="2" x2="26" y1="50%" y2="50%"/>',
    }
    if truth is not None:
        place = float(scale.place(np.array([truth]))[0])
        drawn += f'<use class="truth" href="#truth" x="{place:.2f}%" y="62%"/>'
        entries["the truth, which is known here"] = (
            '<use class="truth" href="#truth" x="50%" y="30%"/>'
        )
    summary = (
        f"The estimated mean is {words[MEAN]}, its {sure} interval {words['low']} to "
        f"{words['high']}, of numbers from {span}."
    )
    legend = "".join(f"<li><svg>{key}</svg>{text}</li>" for text, key in entries.items())
    ticks = scale.ticks(TICKS)
    decimals = max(0, decimals_for(ticks[1] - ticks[0]) - 1)
    axis = axis_of(scale, [fixed(tick, decimals) for tick in ticks])
    shapes = f'<g id="grid1" class="grid">{grid_of(scale)}</g>{MARKS}'
    return "\n".join(
        [
            "<figure>",
            SHAPES.format(shapes=shapes),
            f'<div class="bars" role="img" aria-label="{attribute(summary)}">',
            f"<div><b></b><i></i>{axis}</div>",
            f'<div><b>mean</b><i>{words[MEAN]}</i><svg><use href="#grid1"/>{drawn}</svg></div>',
            "</div>",
            f'<figcaption><ul class="legend" aria-label="Legend">{legend}</ul></figcaption>',
            "</figure>",
        ]
    )
