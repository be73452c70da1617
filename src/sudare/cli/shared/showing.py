"""Results on a terminal or in a text file: as a table for people, as JSON or as CSV."""

from typing import IO, TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from sudare.questions.interface import Result


def show(result: "Result", form: str, target: IO[str] | None = None) -> None:
    """Print a result as ``json``, ``csv`` or ``table``, to a text file or to stdout."""
    if form == "json":
        import msgspec

        document = msgspec.json.encode(result.document())
        click.echo(msgspec.json.format(document, indent=2).decode(), file=target)
    elif form == "csv":
        click.echo(result.csv(), nl=False, file=target)
    else:
        from rich.console import Console
        from rich.text import Text

        from sudare.results.renderers import RENDERERS

        console, renderer = Console(file=target), RENDERERS[type(result)]
        if result.rows():
            console.print(renderer.table(result))
        for sentence in renderer.sentences(result):
            console.print(Text(sentence))
