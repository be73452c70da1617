"""The page of free text that was decoded."""

from collections.abc import Sequence

import numpy as np

from sudare.errors import ParameterError
from sudare.estimation.estimate import Estimate, Interval
from sudare.formats.strangers import isolated
from sudare.questions.interface import Agreed
from sudare.results.html.bars import Bars
from sudare.results.html.document import document, remarks, section, table
from sudare.results.html.heading import ONE_REPORT, definitions, header
from sudare.results.html.scale import Floats
from sudare.results.wording import (
    PERCENT,
    decimals_for,
    fixed,
    p_value,
    percent,
    percent_range,
    percents,
)

_LONGEST = 120  # letters of a text that a page repeats


def decoded_page(  # noqa: PLR0913 - what is known beside the estimate, each by name
    collection: Agreed,
    found: Estimate,
    interval: Interval,
    whole: Estimate | None,
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
        found: the shares of texts that were found, the largest first; or of all candidates.
        interval: of each of these shares.
        whole: the share of all those found together, and that of everything else; None if the
            candidates are taken for all there are.
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
    sure = percent(level)
    title = "Texts that were found" if whole is not None else "All candidates"
    parts = [header(collection, facts)]
    if count:
        found = found.labelled([_short(label) for label in found.labels])
        decimals = decimals_for(100 * float(np.median(found.stderr)))
        bars = Bars(found.labels, found.values, *interval, sure)
        parts.append(section(title, bars.figure(decimals)))
    else:
        parts.append(section(title, "<p>None of the candidates.</p>"))
    if whole is not None:
        together = Bars(whole.labels, whole.values, *whole.interval(level), sure, rest=True)
        chart = together.figure(decimals_for(100 * float(whole.stderr[0])), 2 if count else 1)
        parts.append(section("What they explain", chart))
    if count:
        columns = _columns(found, interval, p_values, sure, decimals)
        what = "Every text that was found" if whole is not None else "The candidates"
        parts.append(section("All the numbers", table(what, columns)))
    rest = _EVERYTHING_ELSE if whole is not None else _ALL_THERE_ARE
    reading = {"One report": ONE_REPORT.format(n=found.n), **_FOUND, **rest, **_INTERVAL}
    return document(
        collection.name,
        *parts,
        remarks(notes),
        section("How to read this", definitions(reading, "reading")),
    )


def _columns(
    found: Estimate, interval: Interval, p_values: Floats, sure: str, decimals: int
) -> dict[str, Sequence[str]]:
    return {
        "Text": [isolated(label) for label in found.labels],
        "Share": percents(found.values, decimals),
        "Standard error": [f"± {error}" for error in percents(found.stderr, decimals)],
        f"{sure} interval": [
            percent_range(low, high, decimals) for low, high in zip(*interval, strict=True)
        ],
        "p-value, adjusted": [p_value(p) for p in p_values],
        f"People (of\N{NO-BREAK SPACE}{found.n:,})": [fixed(v, 0) for v in found.values * found.n],
    }


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


_FOUND = {
    "Found": (
        "Reports of free text show nothing by themselves: they can only be asked whether people "
        "hold a text that somebody thought of. A candidate is found if noise alone would rarely "
        "make it look as common as it does; the p-value says how rarely, adjusted for asking "
        "about every candidate. One that is not found may be rare, or held by nobody."
    ),
}
_EVERYTHING_ELSE = {
    "Everything else": (
        "The share of people whose answer is none of the texts that were found: rare ones, and "
        "those that nobody thought of. It is an estimate like the others, and may come out a "
        "little below 0."
    ),
}
_ALL_THERE_ARE = {
    "All candidates": (
        "Whoever made this page said that people answered nothing but the candidates. So all "
        f"shares are fitted together: none is below 0, and they make 100{PERCENT}. If something is "
        "missing from the candidates, others have got its share."
    ),
}
_INTERVAL = {
    "The interval": (
        "The interval knows the noise; it does not know who chose not to answer. Of a text that "
        "was found it is right given that it was found: noise has helped those near the limit, "
        "so theirs lean downwards and may reach 0. The standard error is the typical distance "
        "from the truth among the people who answered."
    ),
}
