"""``sudare remote invitations``: new invitations as links, as a file, as QR codes."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.remote.connecting import connected, held_argument
from sudare.cli.shared.options import PATH, json_option
from sudare.cli.shared.terminal import put_lines, say, say_json
from sudare.errors import ParameterError
from sudare.results.wording import counted

if TYPE_CHECKING:
    from sudare.remote.client import RemoteCollector


@click.command()
@held_argument
@click.option(
    "--count", type=click.IntRange(1, 100_000), default=1, show_default=True, help="How many."
)
@click.option("-o", "--output", type=PATH, help="A CSV file of the links, yours alone.")
@click.option("--qr", is_flag=True, help="Draw each as a QR code in the terminal, too.")
@click.option("--png", type=PATH, help="A new folder, yours alone, with a picture of each code.")
@click.option(
    "--public-address",
    metavar="ADDRESS",
    help="Where people reach the collector, if that is another address than yours.",
)
@click.option("--page", metavar="ADDRESS", help="Of a survey page that somebody else hosts.")
@connected
@json_option
def invitations(
    collector: "RemoteCollector",
    name: str,
    count: int,
    output: Path | None,
    qr: bool,
    png: Path | None,
    public_address: str | None,
    page: str | None,
    as_json: bool,
) -> None:
    """Make new invitations to a COLLECTION, as links to its survey page.

    Each is good for one report in each window. They are shown this once: the collector keeps
    hashes. Whoever has a link can answer in its owner's place.

    \b
    Examples:
      sudare remote invitations tea --count 3
      sudare remote invitations tea --count 30 -o invitations.csv --png codes
      sudare remote invitations tea --qr --page https://survey.example.org/
    """
    from sudare.remote.survey_links import linked, terminal_code

    if qr and as_json:
        raise ParameterError("--qr draws for people, and --json is for programs: leave one out")
    link = linked(collector.address, public_address, page)
    _check(output, png)
    key = collector.find(name).key
    links = [link(key, one) for one in collector.invite(key, count)]
    _keep(links, output, png)
    if as_json:
        say_json({"key": key, "links": links if output is None else len(links)})
        return
    for one in links if output is None or qr else ():
        say(one)
        if qr:
            put_lines(terminal_code(one))
    for path in (output, png):
        if path is not None:
            say(f"{path}: {counted(count, 'invitation')}, for you alone")


def _check(output: Path | None, png: Path | None) -> None:
    """Refuse what could not be written, before anything is made that is shown only once."""
    from sudare.formats.files import require_writable

    if png is not None and png.exists():
        raise ParameterError(f"{png} is there already; --png makes a new folder")
    for path in (output, png):
        if path is not None:
            require_writable(path.parent)


def _keep(links: list[str], output: Path | None, png: Path | None) -> None:
    """Write the links to the files that are wanted."""
    from sudare.formats.files import write_folder, write_whole
    from sudare.formats.tables import csv_text
    from sudare.remote.survey_links import png_code

    if output is not None:
        rows = [{"link": one} for one in links]
        write_whole(output, csv_text(rows, ["link"]).encode(), private=True)
    if png is not None:
        width = len(str(len(links)))
        pictures = {f"{n:0{width}}.png": png_code(one) for n, one in enumerate(links, 1)}
        write_folder(png, pictures, private=True)
