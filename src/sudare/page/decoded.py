"""The page of free text that was decoded."""

from collections.abc import Sequence

import numpy as np

from sudare.collection import Collection
from sudare.errors import ParameterError
from sudare.estimate import Estimate
from sudare.page.bars import Bars
from sudare.page.document import document, remarks, section, table
from sudare.page.heading import ONE_REPORT, definitions, header
from sudare.page.scale import Floats
from sudare.page.wording import PERCENT, decimals_for, fixed, p_value, percent, percents

_LONGEST = 120  # letters of a text that a page repeats


def decoded_page(  # noqa: PLR0913 - what is known beside the estimate, each by name
    collection: Collection,
    found: Estimate,
    whole: Estimate,
    *,
    candidates: int,
    discoveries: int,
    p_values: Floats,
    level: float = 0.95,
    notes: Sequence[str] = (),
) -> str:
    """Texts that were found and what they leave unexplained, as one HTML file.

    Args:
        collection: what was asked, and how answers were randomised.
        found: the shares of texts that were found, the largest first.
        whole: the share of all those found together, and that of everything else.
        candidates: how many texts were looked for.
        discoveries: how many of them were found, of which these may be the largest.
        p_values: for each text found, of the test that nobody holds it, adjusted.
        level: of the intervals.
        notes: paragraphs to add, as plain text.
    """
    count = found.values.size
    if p_values.shape != (count,):
        raise ParameterError(f"p_values has the shape {p_values.shape}; there are {count} texts")
    facts = {
        "Reports": f"{found.n:,}",
        "Mechanism": f"{collection.mechanism.name.upper()}, free text",
        "Candidates": f"{candidates:,}, of which {discoveries:,} found",
    }
    sure = f"{100 * level:.6g}{PERCENT}"
    together = Bars(whole.labels, whole.values, *whole.interval(level), sure, rest=True)
    parts = [header(collection, facts)]
    if count:
        found = found.labelled([_short(label) for label in found.labels])
        decimals = decimals_for(100 * float(np.median(found.stderr)))
        bars = Bars(found.labels, found.values, *found.interval(level), sure)
        parts.append(section("Texts that were found", bars.figure(decimals)))
    else:
        parts.append(section("Texts that were found", "<p>None of the candidates.</p>"))
    chart = together.figure(decimals_for(100 * float(whole.stderr[0])), 2 if count else 1)
    parts.append(section("What they explain", chart))
    if count:
        columns = _columns(found, p_values, level, decimals)
        parts.append(section("All the numbers", table("Every text that was found", columns)))
    reading = {"One report": ONE_REPORT.format(n=found.n), **_READING}
    return document(
        collection.name,
        *parts,
        remarks(notes),
        section("How to read this", definitions(reading, "reading")),
    )


def _columns(
    found: Estimate, p_values: Floats, level: float, decimals: int
) -> dict[str, Sequence[str]]:
    return {
        "Text": found.labels,
        "Share": percents(found.values, decimals),
        "Standard error": [f"± {error}" for error in percents(found.stderr, decimals)],
        f"{100 * level:.6g}{PERCENT} interval": [
            f"{fixed(100 * low, decimals)} to {percent(high, decimals)}"
            for low, high in zip(*found.interval(level), strict=True)
        ],
        "p-value, adjusted": [p_value(p) for p in p_values],
        f"People (of\N{NO-BREAK SPACE}{found.n:,})": [fixed(v, 0) for v in found.values * found.n],
    }


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


_READING = {
    "Found": (
        "Reports of free text show nothing by themselves: they can only be asked whether people "
        "hold a text that somebody thought of. A candidate is found if noise alone would rarely "
        "make it look as common as it does; the p-value says how rarely, adjusted for asking "
        "about every candidate. One that is not found may be rare, or held by nobody."
    ),
    "Everything else": (
        "The share of people whose answer is none of the texts that were found: rare ones, and "
        "those that nobody thought of. It is an estimate like the others, and may come out a "
        "little below 0."
    ),
    "The interval": (
        "The interval knows the noise; it does not know who chose not to answer. The standard "
        "error is the typical distance from the truth among the people who answered."
    ),
}
