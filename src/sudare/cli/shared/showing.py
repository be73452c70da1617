"""Results on a terminal or in a text file: as a table for people, as JSON or as CSV."""

from collections.abc import Callable
from typing import IO, TYPE_CHECKING

from sudare.cli.shared.terminal import put_table

if TYPE_CHECKING:
    from sudare.cli.shared.output import Output
    from sudare.questions.interface import Result


def show(result: "Result", output: "Output", plot: Callable[[], object] | None = None) -> None:
    """Print a result, or write it where the output goes; ``plot`` saves its plot."""
    output.put(
        document=result.document,
        csv=result.csv,
        table=lambda target: show_table(result, target),
        plot=plot,
    )


def show_table(result: "Result", target: IO[str] | None) -> None:
    """Print a result for people, with what is to be said of it."""
    from rich.text import Text

    from sudare.results.renderers import RENDERERS

    renderer = RENDERERS[type(result)]
    if result.rows():
        put_table(renderer.table(result), target)
    for sentence in renderer.sentences(result):
        put_table(Text(sentence), target)
