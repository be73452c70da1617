"""``sudare remote results`` and ``download``: estimates, and the sums behind them."""

from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import rich_click as click

from sudare.cli.remote.connecting import connected, held_argument
from sudare.cli.shared.options import CONSISTENT, force_option, level_option, output_option
from sudare.cli.shared.output import Output, refuse_replacing, result_options
from sudare.cli.shared.terminal import say
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind

if TYPE_CHECKING:
    from sudare.collection.document import Collection
    from sudare.questions.interface import Result, ResultOptions
    from sudare.remote.client import Asked, RemoteCollector

_window = click.option("--window", help="A number, latest or all.  [default: latest]")


@click.command()
@held_argument
@_window
@level_option
@click.option("--simultaneous", is_flag=True, help="Intervals that hold for all answers at once.")
@click.option("--population", is_flag=True, help="Intervals for the population behind the people.")
@click.option("--consistent", type=click.Choice(CONSISTENT), help="Also shares that could exist.")
@result_options
@connected
def results(
    collector: "RemoteCollector",
    name: str,
    window: str | None,
    level: float,
    simultaneous: bool,
    population: bool,
    consistent: str | None,
    output: Output,
) -> None:
    """Show what a COLLECTION has found, as `sudare estimate` and `sudare decode` do.

    \b
    Examples:
      sudare remote results tea
      sudare remote results mood --window 3 --csv -o monday.csv
      sudare remote results tea --json
    """
    import msgspec

    from sudare.questions.interface import ResultOptions
    from sudare.remote.client import Asked

    output.check()
    options = ResultOptions(level, simultaneous, population, consistent)
    flags = {"simultaneous": simultaneous, "population": population}
    said = {"level": str(level), **{name: "true" for name, given in flags.items() if given}}
    if consistent is not None:
        said["consistent"] = consistent
    asked = Asked(window, said)
    key = collector.find(name).key
    output.put(
        document=lambda: msgspec.json.decode(collector.estimate(key, asked, "json")),
        csv=lambda: collector.estimate(key, asked, "csv").decode(),
        table=lambda target: _show(collector, key, asked, options, target),
    )


def _show(
    collector: "RemoteCollector",
    key: str,
    asked: "Asked",
    options: "ResultOptions",
    target: IO[str] | None,
) -> None:
    """Print the result for people; of windows whose sums don't add up, one after the other."""
    from datetime import UTC, datetime

    import msgspec
    from rich.text import Text

    from sudare.cli.shared.showing import show_table
    from sudare.cli.shared.terminal import put_table

    agreed = collector.document(key)
    agreed.kind.check_options(options)
    if asked.window != "all" or agreed.kind.windows_add_up:
        show_table(_result(collector, agreed, asked, options), target)
        return
    told = msgspec.json.decode(collector.estimate(key, asked, "json"))
    for number in told["windows"]:
        named = f"window {number:,}"
        if agreed.windows is not None:
            opens = datetime.fromtimestamp(agreed.windows.opens(number), UTC)
            named += f", from {opens:%Y-%m-%d %H:%M:%S} UTC"
        put_table(Text(named), target)
        one = replace(asked, window=str(number))
        show_table(_result(collector, agreed, one, options), target)


def _result(
    collector: "RemoteCollector", agreed: "Collection", asked: "Asked", options: "ResultOptions"
) -> "Result":
    """The result computed here from the collector's sum, as it computes it there.

    The sum has nothing of rounds that are withheld: which they are, its estimate says.
    """
    import msgspec

    question, key = agreed.kind, agreed.key
    total = collector.aggregate(key, asked.window)
    texts = collector.candidates(key) if question.takes_candidates else ()
    result = question.result(question.weigh(total, texts), options)
    if not question.rounds:
        return result
    rows = msgspec.json.decode(collector.estimate(key, asked, "json"))["estimates"]
    return result.withholding([row["round"] for row in rows if row["withheld"]])


@click.command()
@held_argument
@output_option("The file.", required=True)
@force_option
@_window
@click.option("--document", is_flag=True, help="The collection itself, not its sum.")
@connected
def download(
    collector: "RemoteCollector",
    name: str,
    output: Path,
    force: bool,
    window: str | None,
    document: bool,
) -> None:
    """Save the sum that a COLLECTION shows, for `sudare estimate` and `sudare decode`.

    It is the released one: of as many reports as the release rule allows.

    \b
    Examples:
      sudare remote download tea -o total.json
      sudare remote download tea --document -o tea.json
    """
    from sudare.formats.files import write_whole
    from sudare.results.wording import counted

    key = collector.find(name).key
    if document:
        if window is not None:
            raise ParameterError("--window has no effect with --document")
        agreed = collector.document(key)
        refuse_replacing(output, FileKind.COLLECTION, key, force=force)
        write_whole(output, agreed.to_json())
        say(f"{output}: the collection “{agreed.name}” ({key[:12]})")
        return
    refuse_replacing(output, FileKind.AGGREGATE, key, force=force)
    total = collector.aggregate(key, window)
    write_whole(output, total.to_json())
    say(f"{output}: the sum of {counted(total.n, 'report')}")
