"""``sudare page``: the survey page for another host, and whether a host serves it unchanged."""

import hashlib
from pathlib import Path

import rich_click as click

from sudare.cli.shared.options import PATH, json_option
from sudare.cli.shared.terminal import say, say_json
from sudare.results.wording import counted


@click.group()
def page() -> None:
    """Host the survey page elsewhere than at the collector, and check what a host serves.

    Whoever serves the page supplies the program that randomises answers. That need not be the
    collector.
    """


@page.command()
@click.argument("folder", type=PATH)
@click.option(
    "--collector",
    required=True,
    help="The origin of the collector that gets the reports, such as https://stats.example.org.",
)
def write(folder: Path, collector: str) -> None:
    """Write the survey page into a new FOLDER, which any web server can serve.

    It is for one collector, which must be started with --allow-origin and the origin of the page.
    The same version writes the same bytes for the same collector. SHA256SUMS has their digests.
    A folder that is there already isn't touched.

    \b
    Example:
      sudare page write survey --collector https://stats.example.org
    """
    from sudare.collector.hosted_page import hosted_files
    from sudare.formats.files import write_folder

    files = hosted_files(collector)
    write_folder(folder, files)
    say(f"{counted(len(files), 'file')} written", err=True)


@page.command()
@click.argument("address")
@click.option("--insecure", is_flag=True, help="Allow plain HTTP to another machine.")
@json_option
def check(address: str, insecure: bool, as_json: bool) -> None:
    """Compare a page that is served at ADDRESS with this version's, byte by byte.

    ADDRESS is a collector's dashboard or survey page, or a survey page hosted elsewhere. The page
    and every file that it loads are fetched. This says what was served to you, now.

    \b
    Examples:
      sudare page check https://stats.example.org/
      sudare page check https://survey.example.org/ --json
    """
    from importlib.metadata import version

    from sudare.collector.page_check import check_page

    served = check_page(address, insecure=insecure)
    if as_json:
        digests = {path: hashlib.sha256(data).hexdigest() for path, data in served.files.items()}
        say_json(
            {
                "page": served.name,
                "version": version("sudare"),
                "collector": served.collector,
                "sha256": digests,
            }
        )
        return
    written = f", written for {served.collector}" if served.collector else ""
    say(
        f"The {served.name} page of Sudare {version('sudare')}{written}: "
        f"{counted(len(served.files), 'file')}, none of them changed"
    )
