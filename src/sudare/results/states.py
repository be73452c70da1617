"""The shares of rounds, as people see them: in a terminal, on a page, in a figure."""

from typing import TYPE_CHECKING

from sudare.chance.exact import text_up
from sudare.formats.strangers import visible
from sudare.questions.states import Rounds
from sudare.results.bar import Bar
from sudare.results.cells import whole_text
from sudare.results.wording import counted, decimals_for, percent, percent_range, truths_text

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from rich.table import Table

_LONGEST = 1000  # rounds in a table
_NO_ESTIMATE = "no estimate"


def table(found: Rounds) -> "Table":
    """The rounds as a table with bars; the truth beside them where it is known."""
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    low, high = found.estimate.interval(found.level)
    decimals = decimals_for(25 * float(np.median(high - low)))
    table = Table(title=whole_text(found.collection.question), title_justify="left")
    for heading in ("round", "reports", "share"):
        table.add_column(heading, justify="right", no_wrap=True)
    sure = percent(found.level)
    table.add_column(f"{sure} interval", no_wrap=True)
    table.add_column(f"{sure} band", no_wrap=True)
    if found.truth is not None:
        table.add_column("truth", justify="right", no_wrap=True, style="dim")
    table.add_column()
    axis = min(0.0, float(low.min())), float(high.max())
    rows = found.rows()
    for row in rows[:_LONGEST]:
        start = [f"{row['round']:,}", "" if row["reports"] is None else f"{row['reports']:,}"]
        true = [] if found.truth is None else [_share(row["truth"], decimals)]
        if row["share"] is None:
            table.add_row(*start, "", "withheld" if row["withheld"] else _NO_ESTIMATE)
            continue
        table.add_row(
            *start,
            percent(row["share"], decimals),
            percent_range(row["low"], row["high"], decimals),
            percent_range(row["band_low"], row["band_high"], decimals),
            *true,
            Bar(row["low"], row["share"], row["high"], axis),
        )
    beside = [f"The share of people in the state “{visible(found.state)}”.", *notes(found)]
    if len(rows) > _LONGEST:
        beside.append(f"The first {_LONGEST:,} of {len(rows):,} rounds; --csv has all.")
    table.caption = Text("\n".join(beside))
    return table


def notes(found: Rounds) -> list[str]:
    """Notes about the rounds without an estimate, if there are any."""
    silent = int((found.reports == 0).sum()) - len(found.unseen)
    withheld = len(found.withheld)
    minimum = counted(found.collection.minimum_reports, "report")
    said = {
        f"{counted(silent, 'round')} without a report: no estimate.": silent,
        f"{counted(withheld, 'round')} with fewer than {minimum}: withheld.": withheld,
    }
    return [note for note, applies in said.items() if applies]


def sentences(found: Rounds) -> list[str]:
    """Sentences below the table: how many reports, of which ε; how many truths are inside."""
    reports = counted(int(found.reports.sum()), "report")
    said = [f"{reports}, ε = {text_up(found.mechanism.epsilon)} for all reports of a person"]
    if found.truth is not None:
        said.append(truths_text(*found.truths_held(), found.level))
    return said


def page(found: Rounds) -> str:
    """The share over time as one HTML file."""
    from sudare.results.html import stream_page

    return stream_page(
        found.collection,
        found.estimate,
        level=found.level,
        truth=_truth(found),
        notes=notes(found),
    )


def figure(found: Rounds) -> "Figure":
    """The share over time as a figure."""
    from sudare.results.figures import rounds_figure

    title = visible(found.collection.question)
    label = f"share of people in the state “{visible(found.state)}”"
    return rounds_figure(
        found.estimate, level=found.level, title=title, y_label=label, truth=_truth(found)
    )


def _share(truth: float | None, decimals: int) -> str:
    """Of a round that somebody knows."""
    return "" if truth is None else percent(truth, decimals)


def _truth(found: Rounds) -> "NDArray[np.float64] | None":
    """The true shares of all rounds, where they are known."""
    import numpy as np

    if found.truth is None:
        return None
    return np.array([found.truth[str(number)] for number in range(1, found.estimate.planned + 1)])
