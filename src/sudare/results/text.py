"""The texts that were found, as people see them: in a terminal, on a page, in a figure."""

from typing import TYPE_CHECKING

import numpy as np

from sudare.chance.exact import text_up
from sudare.estimation.estimate import Estimate, Interval
from sudare.formats.strangers import visible
from sudare.questions.text import Discoveries
from sudare.results.bar import Bar
from sudare.results.cells import MOST_ROWS, cut_note, text_cell, whole_text
from sudare.results.wording import PERCENT, counted, decimals_for, p_value, percent, percent_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

HIDDEN = 1.25
"""Times the noise of randomising: more can't be explained by rare texts alone."""


def table(found: Discoveries) -> "Table":
    """The texts as a table with bars; the truth beside them where it is known."""
    from rich.table import Table

    rows = found.rows()
    cut = cut_note(len(rows), "texts")
    rows = rows[:MOST_ROWS]
    decimals = decimals_for(100 * float(np.median([row["stderr"] for row in rows])))
    table = Table(title=whole_text(found.collection.question), title_justify="left", caption=cut)
    table.add_column("candidate")  # gives way, with the bars, where a terminal is narrow
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column(f"{percent(found.decoded.level)} interval", no_wrap=True)
    if found.truth is not None:
        table.add_column("truth", justify="right", no_wrap=True, style="dim")
    table.add_column("p", justify="right", no_wrap=True)
    table.add_column()
    axis = min(0.0, *(row["low"] for row in rows)), max(row["high"] for row in rows)
    for row in rows:
        true = [] if found.truth is None else [percent(row["truth"], decimals)]
        table.add_row(
            text_cell(row["candidate"]),
            percent(row["share"], decimals),
            percent_range(row["low"], row["high"], decimals),
            *true,
            p_value(row["p_value"]),
            Bar(row["low"], row["share"], row["high"], axis),
            style="" if row["p_value"] <= found.decoded.false_discoveries else "dim",
        )
    return table


def page(found: Discoveries) -> str:
    """The texts found as one HTML file."""
    from sudare.results.html import decoded_page

    return decoded_page(
        found.collection,
        *_listed(found),
        _whole(found),
        candidates=len(found.decoded.candidates),
        discoveries=found.count,
        p_values=np.array([row["p_value"] for row in found.found]),
        level=found.decoded.level,
        notes=sentences(found),
    )


def figure(found: Discoveries) -> "Figure":
    """The listed shares and what they leave unexplained, as a figure."""
    from sudare.results.figures import decoded_figure

    whole = _whole(found)
    of = found.count if whole is not None else len(found.decoded.candidates)
    level, title = found.decoded.level, visible(found.collection.question)
    return decoded_figure(*_listed(found), whole, of=of, level=level, title=title)


def _listed(found: Discoveries) -> tuple[Estimate, Interval]:
    """The rows' shares, errors and intervals."""
    rows = found.found
    values, stderr, low, high = (
        np.array([row[name] for row in rows]) for name in ("share", "stderr", "low", "high")
    )
    labels = tuple(row["candidate"] for row in rows)
    # A slope of 0: the errors of a decoded share are hardly its own noise.
    return Estimate(found.decoded.n, values, stderr, 0 * stderr, labels), Interval(low, high)


def _whole(found: Discoveries) -> Estimate | None:
    """The share of all those found beside the rest, unless there is no rest."""
    decoded = found.decoded
    if decoded.complete is not None:
        return None
    together = np.array([decoded.findings.explained, decoded.unexplained])
    error = np.full(2, decoded.findings.explained_stderr)
    names = ("those found, together", "everything else")
    return Estimate(decoded.n, together, error, np.zeros(2), names)


def tally(found: Discoveries) -> str:
    """How many candidates were found, in a few words."""
    return f"{found.count:,} of {len(found.decoded.candidates):,} candidates found"


def sentences(found: Discoveries) -> list[str]:
    """Sentences beside the texts: how many were found, what is unexplained, how rare one may be."""
    decoded = found.decoded
    said = _completeness(found) if decoded.complete is not None else _explanation(found)
    smallest = percent(decoded.smallest, decimals_for(100 * decoded.smallest))
    said.append(
        f"A text that {smallest} of people answered is found with an even chance: that is "
        "about the smallest share that so many reports can show."
    )
    excess = decoded.excess
    if excess is not None and excess > HIDDEN:
        harm = "may hide rarer texts" if decoded.complete is None else "others have its share"
        said.append(
            f"The noise is {excess:.1f} times what randomising makes: something that many "
            f"people answered is missing from the candidates, and {harm}."
        )
    epsilon = text_up(found.collection.mechanism.epsilon)
    said.append(f"{counted(decoded.n, 'report')}, ε = {epsilon} each.")
    return said


def _explanation(found: Discoveries) -> list[str]:
    """How many were found, and what they leave unexplained."""
    decoded = found.decoded
    most = len(decoded.candidates) if found.everyone else found.count
    found_of = f"{tally(found)}{_more(found, most)}."
    if not found.count:
        return [found_of, "For all that is known, everybody answered something else (“other”)."]
    error = decoded.unexplained_stderr
    decimals = decimals_for(100 * error)
    rest = min(max(decoded.unexplained, 0), 1)
    return [
        found_of,
        (
            f"Those found are the answers of {percent(1 - rest, decimals)} of people (less the "
            f"luck of being found); the other {percent(rest, decimals)} ± "
            f"{percent(error, decimals)} answered something else (“other”)."
        ),
        _meaning(found),
    ]


def _completeness(found: Discoveries) -> list[str]:
    """What was taken for granted, and how many would have been found without it."""
    tested = len(found.decoded.candidates)
    taken = "The candidates are taken for all there are"
    said = [
        f"{taken}: no share is below 0, and together they make 100{PERCENT}.",
        f"{found.count:,} of {tested:,} are found by the test{_more(found, tested)}.",
    ]
    return [*said, _meaning(found)] if found.count else said


def _more(found: Discoveries, most: int) -> str:
    shown = len(found.shown)
    return f"; the {shown:,} largest are listed" if shown < most else ""


def _meaning(found: Discoveries) -> str:
    """How many of those found may be there by chance."""
    share = percent(found.decoded.false_discoveries)
    if found.decoded.correction == "benjamini-hochberg":
        return f"At most about {share} of those found are there by chance."
    if found.decoded.correction == "bonferroni":
        return f"The chance that any of those found is there by chance is at most {share}."
    tested = len(found.decoded.candidates)
    chance = found.decoded.false_discoveries * tested
    return (
        f"The p-values are not adjusted: of {tested:,} texts that nobody answered, about "
        f"{chance:,.{0 if chance >= 10 else 2}f} would be found by chance."
    )
