"""``sudare example-data``: files to try the other commands with."""

from pathlib import Path

import rich_click as click

from sudare.cli.shared.options import PATH
from sudare.cli.shared.terminal import put_table, say
from sudare.errors import ParameterError

NAMES = ("tea", "words", "dictionary", "states", "clicks")  # simulation.example_files has them


@click.command("example-data")
@click.argument("names", nargs=-1, type=click.Choice(NAMES), metavar="[NAME]...")
@click.option("-o", "--output", type=PATH, help="Another name for the one file that is made.")
def example_data(names: tuple[str, ...], output: Path | None) -> None:
    """Write files to try the other commands with; without a NAME, list them.

    They are made up by this program: nobody is in them, and they are always the same. A file that
    is there already is not written over.

    \b
    Examples:
      sudare example-data
      sudare example-data tea
      sudare example-data words dictionary
      sudare example-data clicks -o shop.csv.gz
    """
    from sudare.formats.files import write_whole
    from sudare.simulation.example_files import EXAMPLE_FILES

    if not names:
        if output is not None:
            raise ParameterError(f"-o needs a NAME, one of {', '.join(NAMES)}")
        _list()
        return
    if output is not None and len(names) > 1:
        raise ParameterError(f"-o is for one file, got {len(names)} names")
    files = [EXAMPLE_FILES[name] for name in dict.fromkeys(names)]
    paths = [Path(file.name) if output is None else output for file in files]
    for path in paths:
        if path.exists():
            raise ParameterError(f"{path} is there already; name another file with -o")
    for file, path in zip(files, paths, strict=True):
        write_whole(path, file.make())
        say(f"{path}: {file.about} (made up)")


def _list() -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from sudare.simulation.example_files import EXAMPLE_FILES

    table = Table("name", "file", "what it holds", box=SIMPLE_HEAD)
    for name, file in EXAMPLE_FILES.items():
        table.add_row(name, file.name, file.about)
    put_table(table)
    say("Made up by this program, and always the same. `sudare example-data NAME` writes one.")
