"""The page of a distribution of numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sudare.formats.strangers import isolated
from sudare.questions.distribution import Spread, name_of
from sudare.results.html.bars import Bars
from sudare.results.html.document import document, remarks, section, table
from sudare.results.html.heading import ONE_REPORT, definitions, header
from sudare.results.wording import decimals_for, percent, percent_range, percents


def distribution_page(
    spread: Spread,
    rows: Sequence[dict[str, Any]],
    figures: Sequence[str],
    notes: Sequence[str],
) -> str:
    """A distribution as one HTML file: a histogram with intervals, figures, how to read them.

    Args:
        spread: the distribution.
        rows: the bins that are shown.
        figures: what else is told of the numbers, a sentence each.
        notes: paragraphs to add, as plain text.
    """
    agreed, sure = spread.collection, percent(spread.level)
    columns = {name: np.array([row[name] for row in rows]) for name in ("share", "low", "high")}
    stderr = [row["stderr"] for row in rows]
    decimals = decimals_for(100 * float(np.median(stderr)))
    names = tuple(name_of(row["least"], row["most"]) for row in rows)
    truth = None if spread.truth is None else np.array([row["truth"] for row in rows])
    bars = Bars(names, columns["share"], columns["low"], columns["high"], sure, truth=truth)
    cells = {
        "Numbers": list(names),
        "Share, smoothed": percents(columns["share"], decimals),
        "Unbiased": percents([row["unbiased"] for row in rows], decimals),
        "Standard error": [f"± {each}" for each in percents(stderr, decimals)],
        f"{sure} interval": [percent_range(row["low"], row["high"], decimals) for row in rows],
    }
    reading = {
        "One report": ONE_REPORT.format(n=spread.n),
        "The shares": (
            "A bar is the share of people whose number is in that bin. The bars are smoothed: each "
            "is drawn a little towards its neighbours, which makes the whole picture more precise, "
            "and a sharp peak or edge flatter than it is."
        ),
        "The intervals": (
            f"Were everything randomised anew, such an interval would hold the true share {sure} "
            "of the time. It rests on the reports alone and not on the smoothing, so that a bar "
            "may end outside it: then the interval is right more often."
        ),
        "Within a bin": (
            "Reports tell bins and not numbers. Quantiles, shares above a number that lies within "
            "a bin, and the mean take the numbers of a bin as spread evenly."
        ),
        "The range": (f"A number outside {spread.numbers} was counted as the nearer end of it."),
    }
    if truth is not None:
        cells["Truth"] = percents(truth, decimals)
    facts = {
        "Reports": f"{spread.n:,}",
        "Mechanism": f"{agreed.mechanism.name.upper()}, {agreed.kind.described}",
    }
    told = "".join(f"<li>{sentence}</li>" for sentence in figures)
    return document(
        agreed.name,
        header(agreed, facts),
        section("Estimated distribution", bars.figure(decimals)),
        section("Quantiles and mean", f"<ul>{told}</ul>"),
        section("All the numbers", table(f"The distribution of {isolated(agreed.name)}", cells)),
        remarks(notes),
        section("How to read this", definitions(reading, "reading")),
    )
