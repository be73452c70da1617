"""``sudare estimate``: tallies in, shares with honest error bars out."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.options import (
    CONSISTENT,
    PATH,
    binary_stdin,
    collection_argument,
    echo_json,
    is_pipe,
    json_option,
    load_collection,
    plot_option,
)
from sudare.errors import InvalidDocument, ParameterError

if TYPE_CHECKING:
    from sudare.analysis import Analysis


@click.command()
@collection_argument
@click.argument("aggregate", type=PATH, default="-")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--simultaneous", is_flag=True, help="Intervals that hold for all answers at once.")
@click.option(
    "--population",
    is_flag=True,
    help="Intervals for the population these people were sampled from, not only for them.",
)
@click.option(
    "--consistent",
    type=click.Choice(CONSISTENT),
    help="Beside the unbiased shares, shares that could exist: none negative, sum 1 (but clip's).",
)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@plot_option
def estimate(
    collection: Path,
    aggregate: Path,
    level: float,
    simultaneous: bool,
    population: bool,
    consistent: str | None,
    as_json: bool,
    as_csv: bool,
    plot: Path | None,
) -> None:
    """Estimate the share of people behind each answer, or in each round.

    The bars: solid up to the lower end of the interval, shaded up to the estimate, a line up to
    the upper end. `p` is the chance of such a count if nobody held the answer, adjusted for
    asking about all of them (Holm).

    Over time there is a line for each round, from that round's reports alone. Beside its interval
    stands its part of the band, which holds for all rounds at once. A round without reports has
    no estimate; one with fewer than the collection's minimum is withheld.

    \b
    Examples:
      sudare estimate tea.json total.json --consistent norm-sub
      sudare estimate tea.json total.json --json
      sudare estimate tea.json total.json --plot tea.html
      sudare estimate online.json total.json --plot online.png
    """
    from sudare.aggregate import Aggregate
    from sudare.analysis import analyse
    from sudare.cli.analysis import answers_table
    from sudare.exact import text_up

    agreed = load_collection(collection)
    data = binary_stdin().read() if is_pipe(aggregate) else aggregate.read_bytes()
    if not data:
        raise InvalidDocument("the aggregate is empty; make one with `sudare aggregate`")
    total = Aggregate.from_json(data)
    if agreed.over_time:
        from sudare.cli.rounds import show_rounds

        refuse_answers_only(simultaneous, population, consistent)
        show_rounds(agreed, total, level, as_json=as_json, as_csv=as_csv, plot=plot)
        return
    analysis = analyse(
        agreed,
        total,
        level=level,
        simultaneous=simultaneous,
        population=population,
        consistent=consistent,
    )
    if plot is not None:
        save_plot(analysis, plot)
    if as_json:
        echo_json(analysis.document())
    elif as_csv:
        click.echo(analysis.csv(), nl=False)
    else:
        from rich.console import Console

        Console().print(answers_table(analysis))
        click.echo(f"{analysis.estimate.n:,} reports, ε = {text_up(agreed.epsilon)} each")


def refuse_answers_only(simultaneous: bool, population: bool, consistent: str | None) -> None:
    """Say of options that have no meaning over time why they have none."""
    if simultaneous:
        raise ParameterError("--simultaneous is for answers; over time the band is always shown")
    if population:
        raise ParameterError("--population is for answers; over time intervals hold for it anyway")
    if consistent is not None:
        raise ParameterError("--consistent is for answers; the shares of rounds have no sum")


def save_plot(analysis: "Analysis", path: Path) -> None:
    """The analysis as a picture, or as a page."""
    if path.suffix.lower() == ".html":
        from sudare.files import write_whole
        from sudare.page import estimate_page

        page = estimate_page(
            analysis.collection,
            analysis.estimate,
            level=analysis.level,
            simultaneous=analysis.simultaneous,
            consistent=analysis.consistent,
            p_values=analysis.p_values,
            notes=analysis.notes(),
        )
        write_whole(path, page.encode())
        return
    from sudare.plots import estimate_figure, save

    figure = estimate_figure(
        analysis.estimate,
        level=analysis.level,
        simultaneous=analysis.simultaneous,
        title=analysis.collection.question,
    )
    save(figure, path)
