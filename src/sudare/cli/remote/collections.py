"""What a collector holds: listed, shown, added, paused, resumed, closed, deleted, released."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.remote.connecting import connected, held_argument
from sudare.cli.shared.options import PATH, is_pipe, json_option, load_collection
from sudare.cli.shared.terminal import put_table, say, say_json
from sudare.collection.defaults import GRACE, MOST_GRACE
from sudare.errors import ParameterError
from sudare.formats.files import binary_stdin
from sudare.formats.strangers import visible

if TYPE_CHECKING:
    from rich.table import Table

    from sudare.remote.client import RemoteCollector, Standing

_yes = click.option("--yes", is_flag=True, help="Don't ask.")


@click.command("list")
@connected
@json_option
def listed(collector: "RemoteCollector", as_json: bool) -> None:
    """List the collections that you may see, as they stand.

    \b
    Examples:
      sudare remote list
      sudare remote list --collector https://stats.example.org --json
    """
    found = collector.collections()
    if as_json:
        say_json([one.document for one in found])
    elif not found:
        seen = "" if collector.access.token else " that is public; others take a token"
        say(f"{collector.address} holds no collection{seen}")
    else:
        put_table(_table(found))


def _table(found: "list[Standing]") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from sudare.chance.exact import text_up
    from sudare.results.cells import text_cell

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("name", "key", "state", "results"):
        table.add_column(name)
    table.add_column("ε", justify="right")
    table.add_column("reports", justify="right")
    for one in found:
        results = "public" if one.public else "analysts'"
        reports = "?" if one.reports is None else f"{one.reports:,}"
        cells = (one.key[:12], visible(one.state), results, text_up(one.epsilon), reports)
        table.add_row(text_cell(one.name), *cells)
    return table


@click.command()
@held_argument
@connected
@json_option
def show(collector: "RemoteCollector", name: str, as_json: bool) -> None:
    """Show how a COLLECTION stands: its state, its reports, its windows.

    \b
    Examples:
      sudare remote show tea
      sudare remote show 4f2a9c01d7be --json
    """
    _say(collector, collector.find(name), as_json=as_json)


def _say(
    collector: "RemoteCollector", standing: "Standing", said: str = "", *, as_json: bool
) -> None:
    """How a collection stands now, after a sentence about what was done."""
    from sudare.chance.exact import text_up
    from sudare.remote.survey_links import survey_link
    from sudare.results.wording import counted

    if as_json:
        say_json(standing.document)
        return
    if said:
        say(said)
        return
    facts = {
        "name": standing.name,
        "key": standing.key,
        "question": standing.question,
        "state": standing.state,
        "results": "public" if standing.public else "for analysts",
        "mechanism": f"{standing.mechanism}, ε = {text_up(standing.epsilon)}",
        "survey": survey_link(collector.address, standing.key),
    }
    if standing.rounds is not None:
        facts["now"] = f"window {standing.window}, round {standing.round} of {standing.rounds}"
    for name, fact in facts.items():
        say(f"{name:<10} {fact}")
    if standing.windows is None:
        say(f"{'reports':<10} not told without a token of the role analyst or admin")
        return
    say(f"{'reports':<10} {counted(standing.reports or 0, 'report')}")
    for one in standing.windows[-10:]:
        state = "closed" if one.closed else "open"
        shown = f"{counted(one.reports, 'report')}, results show {one.released:,}"
        say(f"  window {one.window}: {shown}, {state}")


@click.command()
@click.argument("collection", type=PATH)
@click.option(
    "--grace",
    type=click.IntRange(0, MOST_GRACE),
    default=GRACE,
    show_default=True,
    help="Seconds after its end that a window, or a round, takes reports.",
)
@click.option("--public", is_flag=True, help="Anybody may read its results.")
@connected
@json_option
def add(
    collector: "RemoteCollector", collection: Path, grace: int, public: bool, as_json: bool
) -> None:
    """Have a collector hold a COLLECTION, a JSON document, from now on.

    \b
    Examples:
      sudare remote add tea.json
      sudare remote add tea.json --public --grace 60
    """
    from sudare.remote.survey_links import survey_link

    agreed = load_collection(collection)
    standing, new = collector.add(agreed, grace)
    if public:
        standing = collector.show(agreed.key, public=True)
    began = "is held from now on" if new else "was held already, and stays as it was"
    link = survey_link(collector.address, agreed.key)
    said = f"“{standing.name}” ({standing.key[:12]}) {began}; its survey page is {link}"
    _say(collector, standing, said, as_json=as_json)


def _turning(
    word: str, verb: str, done: str, help_text: str, *, asks: bool = False
) -> click.Command:
    """A command that changes whether a collection takes reports."""

    def turn(collector: "RemoteCollector", name: str, as_json: bool, yes: bool = True) -> None:
        standing = collector.find(name)
        if not yes:
            _confirm(f"Close “{standing.name}” for good: it will never take reports again?")
        standing = collector.turn(standing.key, verb)
        said = f"“{standing.name}” ({standing.key[:12]}) {done}"
        _say(collector, standing, said, as_json=as_json)

    turn.__doc__ = f"{help_text}\n\n    \b\n    Example:\n      sudare remote {word} tea\n    "
    decorated = json_option(connected(turn))
    return click.command(word)(held_argument(_yes(decorated) if asks else decorated))


def _confirm(question: str) -> None:
    if sys.stdin is None or not sys.stdin.isatty():
        raise ParameterError("nobody is there to be asked: add --yes")
    if not click.confirm(visible(question), err=True):
        raise click.Abort


@click.command()
@held_argument
@_yes
@connected
@json_option
def delete(collector: "RemoteCollector", name: str, yes: bool, as_json: bool) -> None:
    """Have a COLLECTION forgotten, with all its reports and sums.

    Asks for its name, unless --yes is given.

    \b
    Example:
      sudare remote delete tea
    """
    from sudare.results.wording import counted

    standing = collector.find(name)
    if not yes:
        if sys.stdin is None or not sys.stdin.isatty():
            raise ParameterError("nobody is there to be asked: add --yes")
        reports = counted(standing.reports or 0, "report")
        asked = f"{reports} will be gone. The name of the collection, to delete it"
        if click.prompt(visible(asked), err=True) != standing.name:
            raise ParameterError("that is not its name: nothing was deleted")
    collector.delete(standing.key)
    if as_json:
        say_json({"deleted": standing.key, "name": standing.name})
    else:
        say(f"“{standing.name}” ({standing.key[:12]}) is gone, with its reports and sums")


def _showing(word: str, done: str, help_text: str, *, public: bool) -> click.Command:
    """A command that changes who may read results."""

    def turn(collector: "RemoteCollector", name: str, as_json: bool) -> None:
        standing = collector.show(collector.find(name).key, public=public)
        said = f"“{standing.name}” ({standing.key[:12]}): {done}"
        _say(collector, standing, said, as_json=as_json)

    turn.__doc__ = f"{help_text}\n\n    \b\n    Example:\n      sudare remote {word} tea\n    "
    return click.command(word)(held_argument(json_option(connected(turn))))


@click.command()
@held_argument
@click.argument("file", type=PATH)
@connected
@json_option
def candidates(collector: "RemoteCollector", name: str, file: Path, as_json: bool) -> None:
    """Keep the texts of a FILE, one per line, for a COLLECTION of free text to be decoded against.

    They take the place of those kept before. - reads them from stdin.

    \b
    Example:
      sudare remote candidates homepage pages.txt
    """
    from sudare.results.wording import counted

    data = binary_stdin().read() if is_pipe(file) else file.read_bytes()
    if not data:
        raise ParameterError(f"{file} is empty; candidates are texts, one per line")
    standing = collector.find(name)
    count = collector.keep_candidates(standing.key, data)
    if as_json:
        say_json({"key": standing.key, "candidates": count})
    else:
        say(f"“{standing.name}” ({standing.key[:12]}) has {counted(count, 'candidate')}")


COLLECTIONS = (
    listed,
    show,
    add,
    _turning(
        *("pause", "pause", "takes no reports for now"),
        "Take no reports of a COLLECTION for now; devices keep theirs and come again.",
    ),
    _turning("resume", "open", "takes reports again", "Take reports of a COLLECTION again."),
    _turning(
        *("close", "close", "takes no reports any more"),
        "Take no reports of a COLLECTION any more. That can't be undone, and is asked about.",
        asks=True,
    ),
    delete,
    _showing(
        *("release", "anybody may read its results"),
        "Let anybody read the results of a COLLECTION.",
        public=True,
    ),
    _showing(
        *("withhold", "analysts alone may read its results"),
        "Let analysts alone read the results of a COLLECTION, and see that it is there.",
        public=False,
    ),
    candidates,
)
