"""The shares of several questions' answers, as people see them: a table, a page, a figure."""

from typing import TYPE_CHECKING, cast

from sudare.chance.exact import text_up
from sudare.formats.strangers import visible
from sudare.questions.several import SeveralShares
from sudare.results import choice
from sudare.results.cells import whole_text
from sudare.results.wording import counted, percent, truths_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from sudare.mechanisms.several import SeveralQuestions


def table(result: SeveralShares) -> "Table":
    """The shares as one table, the answers to each question below its name."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=whole_text(result.collection.question), title_justify="left")
    choice.add_columns(table, result.shown[0])
    ends = [choice.axis_of(shares) for shares in result.shown]
    axis = min(low for low, _ in ends), max(high for _, high in ends)
    for shares in result.shown:
        name = Text.assemble(whole_text(shares.collection.name), style="bold")
        told = "" if shares.estimate.n == result.n else counted(shares.estimate.n, "report")
        table.add_section()
        table.add_row(name, *[""] * (len(table.columns) - 2), told)
        choice.add_rows(table, shares, axis)
    table.caption = "\n".join(notes(result)) or None
    return table


def notes(result: SeveralShares) -> list[str]:
    """Notes that must stand beside the intervals, if any."""
    rough = sum(int(shares.rough.sum()) for shares in result.shown)
    every = sum(shares.rough.size for shares in result.shown)
    apart = not cast("SeveralQuestions", result.collection.mechanism).tells_pairs
    said = {
        "Each report is of one question, drawn by chance; the intervals are for all people.": apart
        and not result.population,
        "The intervals hold for all answers to all questions at once.": result.simultaneous,
        "The intervals are for the population these people were sampled from.": result.population,
        f"Too few reports behind {rough} of {every} answers: their intervals are rough.": rough > 0,
    }
    return [note for note, applies in said.items() if applies]


def sentences(result: SeveralShares) -> list[str]:
    """Sentences below the table: how many reports, of which ε; which questions are withheld."""
    epsilon = text_up(result.collection.mechanism.epsilon)
    said = [f"{counted(result.n, 'report')}, ε = {epsilon} each, for all questions together"]
    if result.withheld:
        names = ", ".join(f"“{visible(part.name)}”" for part in result.withheld)
        least = result.collection.minimum_reports
        said.append(f"withheld, with fewer than {counted(least, 'report')}: {names}")
    if result.truth is not None:
        said.append(truths_text(*result.truths_held(), result.level))
    return said


def page(result: SeveralShares) -> str:
    """The shares as one HTML file."""
    from sudare.results.html import several_page

    truths = [choice.true_values(shares) for shares in result.shown]
    return several_page(result, truths, [*notes(result), *sentences(result)[1:]])


def figure(result: SeveralShares) -> "Figure":
    """The shares as a figure of bars, an axis for each question."""
    from sudare.results.figures import estimates_figure

    panels = [
        (
            visible(shares.collection.question),
            shares.estimate,
            shares.interval,
            choice.true_values(shares),
        )
        for shares in result.shown
    ]
    caption = f"{'simultaneous ' * result.simultaneous}{percent(result.level)} interval"
    return estimates_figure(panels, caption, visible(result.collection.question))
