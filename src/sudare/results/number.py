"""The mean of people's numbers, as people see it: in a terminal, on a page, in a figure."""

from typing import TYPE_CHECKING

from sudare.chance.exact import text_up
from sudare.formats.strangers import visible
from sudare.questions.number import MEAN, MeanResult
from sudare.results.bar import Interval
from sudare.results.cells import whole_text
from sudare.results.wording import counted, decimals_for, fixed, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table


def table(result: MeanResult) -> "Table":
    """The mean with its interval, on the axis of the range; the truth beside it where known."""
    from rich.table import Table

    row, decimals = result.rows()[0], _decimals(result)
    table = Table(title=whole_text(result.collection.question), title_justify="left")
    table.add_column(MEAN, justify="right")
    table.add_column(f"{percent(result.level)} interval", no_wrap=True)
    if result.truth is not None:
        table.add_column("truth", justify="right", style="dim")
    low, high = _ends(result)
    table.add_column(f"{low} to {high}")
    if result.population:
        table.caption = _POPULATION
    truth = [] if result.truth is None else [fixed(row["truth"], decimals)]
    span = result.numbers
    axis = Interval(row["low"], row[MEAN], row["high"], (float(span.low), float(span.high)))
    table.add_row(fixed(row[MEAN], decimals), _interval(result), *truth, axis)
    return table


_POPULATION = "The interval is for the population these people were sampled from."


def _decimals(result: MeanResult) -> int:
    return decimals_for(float(result.estimate.stderr[0]))


def _ends(result: MeanResult) -> tuple[str, str]:
    low, high = result.collection.answers
    return low, high


def _interval(result: MeanResult) -> str:
    row, decimals = result.rows()[0], _decimals(result)
    return f"{fixed(row['low'], decimals)} to {fixed(row['high'], decimals)}"


def sentences(result: MeanResult) -> list[str]:
    """Sentences below the table: how many reports, of which ε; whether the truth is inside."""
    epsilon = text_up(result.collection.mechanism.epsilon)
    said = [f"{counted(result.estimate.n, 'report')}, ε = {epsilon} each"]
    if result.truth is not None:
        lies = "lies inside" if result.rows()[0]["holds_truth"] else "lies outside"
        said.append(f"The true mean {lies} the {percent(result.level)} interval")
    return said


def page(result: MeanResult) -> str:
    """The mean as one HTML file."""
    from sudare.results.html import mean_page

    return mean_page(result, [_POPULATION] if result.population else [])


def figure(result: MeanResult) -> "Figure":
    """The mean with its interval, as a figure on the axis of the range."""
    from sudare.results.figures import mean_figure

    row, span = result.rows()[0], result.numbers
    return mean_figure(
        (row["low"], row[MEAN], row["high"]),
        (float(span.low), float(span.high)),
        caption=f"mean of {counted(result.estimate.n, 'person', 'people')}, "
        f"{percent(result.level)} interval",
        title=visible(result.collection.question),
        truth=row.get("truth"),
    )
