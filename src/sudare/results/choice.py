"""The shares of listed answers, as people see them: in a terminal, on a page, in a figure."""

from typing import TYPE_CHECKING

import numpy as np

from sudare.chance.exact import text_up
from sudare.formats.strangers import visible
from sudare.questions.choice import Shares
from sudare.results.bar import Bar
from sudare.results.cells import MOST_ROWS, cut_note, whole_text
from sudare.results.wording import (
    counted,
    decimals_for,
    p_value,
    percent,
    percent_range,
    truths_text,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from rich.table import Table
    from rich.text import Text


def table(shares: Shares) -> "Table":
    """The shares as a table with bars; the truth beside them where it is known."""
    from rich.table import Table

    table = Table(title=whole_text(shares.collection.question), title_justify="left")
    add_columns(table, shares)
    cut = cut_note(shares.p_values.size, "answers")
    table.caption = "\n".join([*([cut] if cut else []), *notes(shares)]) or None
    add_rows(table, shares, axis_of(shares))
    return table


def add_columns(table: "Table", shares: Shares) -> None:
    """Add the columns of shares to a table."""
    table.add_column("answer")
    table.add_column("share", justify="right")
    table.add_column(f"{percent(shares.level)} interval", no_wrap=True)
    if shares.consistent is not None:
        table.add_column("consistent", justify="right")
    if shares.truth is not None:
        table.add_column("truth", justify="right", style="dim")
    table.add_column("p", justify="right", no_wrap=True)
    table.add_column()


def axis_of(shares: Shares) -> tuple[float, float]:
    """The ends of the axis that the bars of some shares need."""
    return min(0.0, float(shares.interval.low.min())), float(shares.interval.high.max())


def add_rows(table: "Table", shares: Shares, axis: tuple[float, float]) -> None:
    """Add a row for each share, or for the largest of very many, with a bar on such an axis."""
    decimals = decimals_for(100 * float(np.median(shares.estimate.stderr)))
    cut = cut_note(shares.p_values.size, "answers")
    for row in shares.largest(MOST_ROWS) if cut else shares.rows():
        cells: list[str | Text | Bar] = [
            whole_text(row["answer"]),
            percent(row["share"], decimals),
            percent_range(row["low"], row["high"], decimals),
        ]
        if shares.consistent is not None:
            cells.append(percent(row["consistent"], decimals))
        if shares.truth is not None:
            cells.append(percent(row["truth"], decimals))
        bar = Bar(row["low"], row["share"], row["high"], axis)
        table.add_row(*cells, p_value(row["p_value"]), bar)


def notes(shares: Shares) -> list[str]:
    """Notes that must stand beside the intervals, if any."""
    said = {
        "The intervals hold for all answers at once.": shares.simultaneous,
        "The intervals are for the population these people were sampled from.": shares.population,
        f"Too few reports behind {shares.rough.sum()} of {shares.rough.size} answers: "
        "their intervals are rough.": shares.rough.any(),
    }
    return [note for note, applies in said.items() if applies]


def sentences(shares: Shares) -> list[str]:
    """Sentences below the table: how many reports, of which ε; how many truths are inside."""
    epsilon = text_up(shares.collection.mechanism.epsilon)
    said = [f"{counted(shares.estimate.n, 'report')}, ε = {epsilon} each"]
    if shares.truth is not None:
        said.append(truths_text(*shares.truths_held(), shares.level))
    return said


def page(shares: Shares, *more: str) -> str:
    """The shares as one HTML file; ``more`` are notes to begin with."""
    from sudare.results.html import estimate_page

    return estimate_page(
        shares.collection,
        shares.estimate,
        level=shares.level,
        simultaneous=shares.simultaneous,
        consistent=shares.consistent,
        p_values=shares.p_values,
        truth=true_values(shares),
        notes=[*more, *notes(shares)],
    )


def figure(shares: Shares) -> "Figure":
    """The shares as a figure of bars."""
    from sudare.results.figures import estimate_figure

    return estimate_figure(
        shares.estimate,
        level=shares.level,
        simultaneous=shares.simultaneous,
        title=visible(shares.collection.question),
        truth=true_values(shares),
    )


def true_values(shares: Shares) -> "NDArray[np.float64] | None":
    """The true shares in the order of the answers, where they are known."""
    if shares.truth is None:
        return None
    return np.array([shares.truth[name] for name in shares.estimate.labels])
