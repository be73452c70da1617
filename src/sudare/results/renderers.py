"""Which renderer shows the result of which kind of question."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sudare.questions.choice import Shares
from sudare.questions.distribution import Spread
from sudare.questions.interface import Result
from sudare.questions.number import MeanResult
from sudare.questions.selection import SelectedShares
from sudare.questions.several import SeveralShares
from sudare.questions.states import Rounds
from sudare.questions.text import Discoveries
from sudare.results import choice, distribution, number, selection, several, states, text

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table


Shown = Any
"""A result of the kind that a renderer shows."""


class Renderer(Protocol):
    """A module that shows results of one kind to people."""

    def table(self, result: Shown, /) -> "Table":
        """A result as a table with bars, for a terminal; the truth beside it where it is known."""

    def sentences(self, result: Shown, /) -> list[str]:
        """Sentences that must be known beside a result's rows."""

    def page(self, result: Shown, /) -> str:
        """A result as one HTML file."""

    def figure(self, result: Shown, /) -> "Figure":
        """A result as a figure, for a document."""


RENDERERS: dict[type[Result], Renderer] = {
    Shares: choice,
    SelectedShares: selection,
    MeanResult: number,
    Spread: distribution,
    SeveralShares: several,
    Discoveries: text,
    Rounds: states,
}
"""The renderer of each result that commands have; a series of windows is a collector's alone."""


def save_plot(result: Result, path: Path) -> None:
    """Save a result as a page (.html) or as a picture."""
    renderer = RENDERERS[type(result)]
    if path.suffix.lower() == ".html":
        from sudare.formats.files import write_whole

        write_whole(path, renderer.page(result).encode())
        return
    from sudare.results.figures import save

    save(renderer.figure(result), path)
