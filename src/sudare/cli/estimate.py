"""``sudare estimate``: tallies in, shares with honest error bars out."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.shared.answers import (
    AnswerOptions,
    answer_options,
    judge_of,
    other_option,
    reading_bar,
    say_reading,
    separator_option,
)
from sudare.cli.shared.files import load_or_stdin, naming
from sudare.cli.shared.options import (
    CONSISTENT,
    PATH,
    collection_argument,
    level_option,
    load_collection,
    plot_option,
)
from sudare.cli.shared.output import Output, result_options
from sudare.formats.file_kinds import FileKind

if TYPE_CHECKING:
    from sudare.collection.document import Collection


@click.command()
@collection_argument
@click.argument("aggregate", type=PATH, default="-")
@level_option
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
@click.option(
    "--above",
    metavar="NUMBER",
    multiple=True,
    help="Of a distribution: the share of people above a number; may be repeated.",
)
@click.option(
    "--quantile",
    "quantiles",
    type=float,
    multiple=True,
    help="Of a distribution: the number that such a share of the people are below, .5 for half of "
    "them; may be repeated.",
)
@click.option(
    "--truth",
    type=PATH,
    help="The answers themselves, where a trial has them: their shares beside the estimate.",
)
@answer_options
@other_option
@separator_option
@result_options
@plot_option
def estimate(
    collection: Path,
    aggregate: Path,
    level: float,
    simultaneous: bool,
    population: bool,
    consistent: str | None,
    above: tuple[str, ...],
    quantiles: tuple[float, ...],
    truth: Path | None,
    source: AnswerOptions,
    other: str | None,
    separator: str | None,
    output: Output,
    plot: Path | None,
) -> None:
    """Estimate the share of people behind each answer, or in each round.

    The bars: solid up to the lower end of the interval, shaded up to the estimate, a line up to
    the upper end. `p` is the chance of such a count if nobody held the answer, adjusted for
    asking about all of them (Holm).

    Over time there is a line for each round, from that round's reports alone. Beside its interval
    stands its part of the band, which holds for all rounds at once. A round without reports has
    no estimate; one with fewer than the collection's minimum is withheld.

    With --truth, FILE holds the answers that were randomised: each share stands beside its
    estimate, with whether its interval holds it. A real survey has no such file.

    Of a distribution of numbers there is a line for each bin. Its share is smooth, and so nearer to
    the truth than the reports alone; its interval rests on the reports alone.

    \b
    Examples:
      sudare estimate tea.json total.json --consistent norm-sub
      sudare estimate tea.json total.json --json
      sudare estimate tea.json total.json --plot tea.html
      sudare estimate online.json total.json --plot online.png
      sudare estimate tea.json total.json --truth answers.csv --column tea
      sudare estimate age.json total.json --above 65 --quantile .5
    """
    from sudare.cli.shared.showing import show
    from sudare.mechanisms.aggregate import Aggregate
    from sudare.questions.interface import ResultOptions
    from sudare.results.renderers import save_plot

    output.check(collection, aggregate, plot=plot)
    agreed = load_collection(collection)
    total = load_or_stdin(aggregate, FileKind.AGGREGATE, Aggregate.from_json)
    options = ResultOptions(level, simultaneous, population, consistent, above, quantiles)
    with naming(aggregate, FileKind.AGGREGATE):
        result = agreed.analyse(total, options)
    if truth is None:
        source.refuse_idle("without --truth", "other", "separator")
    else:
        result = result.with_truth(_true_shares(agreed, truth, source, other, separator))
    show(result, output, None if plot is None else partial(save_plot, result, plot))


def _true_shares(
    agreed: "Collection",
    path: Path,
    source: AnswerOptions,
    other: str | None,
    separator: str | None,
) -> dict[str, float]:
    """The share of each answer, or in each round, in a file of the answers themselves."""
    from sudare.chance.randomness import System
    from sudare.errors import InvalidDocument

    kind = agreed.kind
    with reading_bar("reading the truth") as advance:
        layout, step = kind.layout(source.column), kind.rows_at_once
        judge = judge_of(agreed, other, separator)
        reading = source.reading(path, layout, judge, System(), advance, step)
        shares = kind.true_shares(reading)
    if not reading.people:
        raise InvalidDocument(f"{reading.table.name} holds 0 answers; there is no truth in it")
    say_reading(reading, agreed)
    return shares
