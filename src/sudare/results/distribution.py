"""The distribution of people's numbers, as people see it: in a terminal, on a page, in a figure."""

from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.chance.exact import text_up
from sudare.formats.numbers import as_given
from sudare.formats.strangers import visible
from sudare.questions.distribution import Spread, name_of
from sudare.questions.number import MEAN
from sudare.results.bar import Bar
from sudare.results.cells import whole_text
from sudare.results.wording import (
    counted,
    decimals_for,
    fixed,
    percent,
    percent_range,
    truths_text,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

_MOST = (
    40  # rows that are still one picture; more bins are put together, neighbours with neighbours
)


def shown(spread: Spread) -> list[dict[str, Any]]:
    """The rows that are shown: the bins, or neighbouring ones together where there are many."""
    return spread.merged(-(-spread.kind.wave.bins // _MOST))


def table(spread: Spread) -> "Table":
    """The shares of the bins with their intervals; the truth beside them where it is known."""
    from rich.table import Table

    rows = shown(spread)
    decimals = decimals_of(rows)
    table = Table(title=whole_text(spread.collection.question), title_justify="left")
    table.add_column("numbers")
    table.add_column("share", justify="right")
    table.add_column(f"{percent(spread.level)} interval", no_wrap=True)
    if spread.truth is not None:
        table.add_column("truth", justify="right", style="dim")
    table.add_column()
    table.caption = "\n".join(notes(spread))
    axis = min(0.0, *(row["low"] for row in rows)), max(row["high"] for row in rows)
    for row in rows:
        truth = [] if spread.truth is None else [percent(row["truth"], decimals)]
        table.add_row(
            name_of(row["least"], row["most"]),
            percent(row["share"], decimals),
            percent_range(row["low"], row["high"], decimals),
            *truth,
            Bar(row["low"], row["share"], row["high"], axis),
        )
    return table


def decimals_of(rows: list[dict[str, Any]]) -> int:
    """The decimals that shares in percent are written with."""
    return decimals_for(100 * float(np.median([row["stderr"] for row in rows])))


def notes(spread: Spread) -> list[str]:
    """Notes that must stand beside the intervals."""
    sure = percent(spread.level).replace("\N{NO-BREAK SPACE}", " ")
    said = [
        "The shares are smoothed; the intervals rest on the reports alone.",
        f"Those of quantiles hold them at least {sure} of the time: with few reports more often.",
    ]
    if np.diff(spread.kind.wave.domain.edges).max() > 1:
        said.append(
            "Quantiles, shares above a number within a bin and the mean take the numbers of a bin "
            "as spread evenly: where people heap on some, intervals may miss by a part of a bin."
        )
    outside = [
        counted(found, one)
        for one, found in (
            ("share", _outside(shown(spread), "share") + _outside(spread.above, "share")),
            ("quantile", _outside(spread.quantiles, "value")),
        )
        if found
    ]
    if outside:
        alone = outside in (["1 share"], ["1 quantile"])
        lies = "lies outside its interval" if alone else "lie outside their intervals"
        said.append(
            f"{' and '.join(outside)} {lies}: something was smoothed away there, trust the "
            "interval."
        )
    if spread.population:
        said.append("The intervals are for the population these people were sampled from.")
    return said


def _outside(rows: list[dict[str, Any]], name: str) -> int:
    """How many of the rows have a value that isn't in its interval."""
    return sum(not row["low"] <= row[name] <= row["high"] for row in rows)


def sentences(spread: Spread) -> list[str]:
    """Sentences below the table: quantiles, thresholds and the mean; how many reports there are."""
    epsilon = text_up(spread.collection.mechanism.epsilon)
    said = [f"{counted(spread.n, 'report')}, ε = {epsilon} each", *figures(spread)]
    if spread.truth is not None:
        said.append(truths_text(*spread.truths_held(), spread.level))
    return said


def figures(spread: Spread) -> list[str]:
    """The quantiles, the shares above thresholds and the mean, a sentence each."""
    sure = f"{percent(spread.level)} interval"
    said = []
    for row in spread.quantiles:
        decimals = decimals_for((row["high"] - row["low"]) / 4)
        value, low, high = (fixed(row[name], decimals) for name in ("value", "low", "high"))
        said.append(f"{percent(row['quantile'])} are below {value} ({sure}: {low} to {high})")
    for row in spread.above:
        decimals = decimals_for(100 * row["stderr"])
        said.append(
            f"{percent(row['share'], decimals)} are above {as_given(row['above'])} "
            f"({sure}: {percent_range(row['low'], row['high'], decimals)})"
        )
    row = spread.mean_row()
    decimals = decimals_for(row["stderr"])
    value, low, high = (fixed(row[name], decimals) for name in (MEAN, "low", "high"))
    said.append(f"The mean is {value} ({sure}: {low} to {high})")
    return [sentence.replace("\N{NO-BREAK SPACE}", " ") for sentence in said]


def page(spread: Spread) -> str:
    """The distribution as one HTML file."""
    from sudare.results.html import distribution_page

    return distribution_page(spread, shown(spread), figures(spread), notes(spread))


def figure(spread: Spread) -> "Figure":
    """The distribution as a histogram with its intervals."""
    from sudare.results.figures import histogram_figure

    span = spread.numbers
    return histogram_figure(
        shown(spread),
        float(span.step),
        level=percent(spread.level),
        title=visible(spread.collection.question),
        quantiles=spread.quantiles,
    )
