"""Results on a terminal or in a text file: as a table for people, as JSON or as CSV."""

from typing import IO, TYPE_CHECKING

from sudare.cli.shared.terminal import put_lines, put_table, say_json

if TYPE_CHECKING:
    from sudare.questions.interface import Result


def show(result: "Result", form: str, target: IO[str] | None = None) -> None:
    """Print a result as ``json``, ``csv`` or ``table``, to a text file or to stdout."""
    if form == "json":
        say_json(result.document(), target)
    elif form == "csv":
        put_lines(result.csv(), target)
    else:
        from rich.text import Text

        from sudare.results.renderers import RENDERERS

        renderer = RENDERERS[type(result)]
        if result.rows():
            put_table(renderer.table(result), target)
        for sentence in renderer.sentences(result):
            put_table(Text(sentence), target)
