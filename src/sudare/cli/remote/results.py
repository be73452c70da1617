"""``sudare remote results`` and ``download``: estimates, and the sums behind them."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.remote.connecting import connected, held_argument
from sudare.cli.shared.options import CONSISTENT, PATH, json_option
from sudare.cli.shared.terminal import put_json, put_lines, say
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.questions.interface import Result, ResultOptions
    from sudare.remote.client import Asked, RemoteCollector

_window = click.option("--window", help="A number, latest or all.  [default: latest]")


@click.command()
@held_argument
@_window
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--simultaneous", is_flag=True, help="Intervals that hold for all answers at once.")
@click.option("--population", is_flag=True, help="Intervals for the population behind the people.")
@click.option("--consistent", type=click.Choice(CONSISTENT), help="Also shares that could exist.")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("-o", "--output", type=PATH, help="Write it to a file instead.")
@connected
def results(
    collector: "RemoteCollector",
    name: str,
    window: str | None,
    level: float,
    simultaneous: bool,
    population: bool,
    consistent: str | None,
    as_json: bool,
    as_csv: bool,
    output: Path | None,
) -> None:
    """Show what a COLLECTION has found, as `sudare estimate` and `sudare decode` do.

    \b
    Examples:
      sudare remote results tea
      sudare remote results mood --window 3 --csv -o monday.csv
      sudare remote results tea --json
    """
    from sudare.questions.interface import ResultOptions
    from sudare.remote.client import Asked

    if as_json and as_csv:
        raise ParameterError("--json and --csv are two forms of the same: choose one")
    options = ResultOptions(level, simultaneous, population, consistent)
    flags = {"simultaneous": simultaneous, "population": population}
    said = {"level": str(level), **{name: "true" for name, given in flags.items() if given}}
    if consistent is not None:
        said["consistent"] = consistent
    asked = Asked(window, said)
    key = collector.find(name).key
    if as_json:
        _put_json(collector.estimate(key, asked, "json"), output)
    elif as_csv:
        _put_csv(collector.estimate(key, asked, "csv"), output)
    else:
        _put_table(_result(collector, key, asked, options), output)


def _result(
    collector: "RemoteCollector", key: str, asked: "Asked", options: "ResultOptions"
) -> "Result":
    """The result computed here from the collector's sum, as it computes it there.

    The sum has nothing of rounds that are withheld: which they are, its estimate says.
    """
    import msgspec

    agreed = collector.document(key)
    question = agreed.kind
    question.check_options(options)
    total = collector.aggregate(key, asked.window)
    texts = collector.candidates(key) if question.takes_candidates else ()
    result = question.result(question.weigh(total, texts), options)
    if not question.rounds:
        return result
    rows = msgspec.json.decode(collector.estimate(key, asked, "json"))["estimates"]
    return result.withholding([row["round"] for row in rows if row["withheld"]])


def _put_json(data: bytes, output: Path | None) -> None:
    import msgspec

    from sudare.formats.files import write_whole

    text = msgspec.json.format(data, indent=2) + b"\n"
    if output is None:
        put_json(text)
    else:
        write_whole(output, text)


def _put_csv(data: bytes, output: Path | None) -> None:
    from sudare.formats.files import write_whole

    if output is None:
        put_lines(data.decode())
    else:
        write_whole(output, data)


def _put_table(result: "Result", output: Path | None) -> None:
    from sudare.cli.shared.showing import show
    from sudare.formats.files import replacing

    if output is None:
        show(result, "table")
        return
    with replacing(output) as temporary, temporary.open("w", encoding="utf-8") as target:
        show(result, "table", target)


@click.command()
@held_argument
@click.option("-o", "--output", type=PATH, required=True, help="The file.")
@_window
@click.option("--document", is_flag=True, help="The collection itself, not its sum.")
@connected
def download(
    collector: "RemoteCollector", name: str, output: Path, window: str | None, document: bool
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
        write_whole(output, agreed.to_json())
        say(f"{output}: the collection “{agreed.name}” ({key[:12]})")
        return
    total = collector.aggregate(key, window)
    write_whole(output, total.to_json())
    say(f"{output}: the sum of {counted(total.n, 'report')}")
