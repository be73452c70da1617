"""Arguments, options and small habits that several commands share."""

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sudare.cli.shared.terminal import console
from sudare.errors import InvalidDocument, ParameterError

if TYPE_CHECKING:
    from rich.progress import Progress

    from sudare.collection.document import Collection

Command = TypeVar("Command", bound=Callable[..., Any])

MECHANISMS = ("grr", "oue", "sue")  # sudare.mechanisms.CATEGORICAL, without importing it
OVER_TIME = ("glance", "harmony", "borappor", "kshot")  # likewise CONTINUAL
CORRECTIONS = (
    "benjamini-hochberg",
    "bonferroni",
    "none",
)  # sudare.estimation.significance has them
CONSISTENT = ("clip", "normalise", "norm-sub", "project", "likelihood")  # sudare.questions.choice
_PLOTS = (".png", ".svg", ".pdf", ".html")
PATH = click.Path(path_type=Path)


class FiniteRange(click.FloatRange):
    """A number within bounds, which “nan” isn't, though no comparison says so."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - a text, or a default
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """The finite number that a text on the command line says."""
        if not math.isfinite(click.FLOAT.convert(value, param, ctx)):
            option = max(param.opts, key=len) if param else "an option"
            raise ParameterError(f"{option} must be a finite number, got {value}")
        number: float = super().convert(value, param, ctx)
        return number


def collection_argument(command: Command) -> Command:
    """Add COLLECTION, a collection's JSON document, to a command's arguments."""
    return click.argument("collection", type=PATH)(command)


def store_option(command: Command) -> Command:
    """Add ``--store``, where a collector keeps everything, to a command."""
    return click.option(
        "--store",
        default="sudare.db",
        show_default=True,
        envvar="SUDARE_STORE",
        help="A SQLite file, or postgresql://…; also SUDARE_STORE.",
    )(command)


def port_option(command: Command) -> Command:
    """Add ``--port``, on which a collector listens, to a command."""
    return click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8000,
        show_default=True,
        help="0 picks one that is free.",
    )(command)


def json_option(command: Command) -> Command:
    """Add ``--json``, for machine-readable output, to a command."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def refuse_idle(why: str, *names: str) -> None:
    """Refuse options of the running command that were given and have no effect, as ``why`` says."""
    context = get_current_context()
    for option in context.command.params:
        if option.name not in names:
            continue
        if context.get_parameter_source(option.name) is not ParameterSource.DEFAULT:
            raise ParameterError(f"{max(option.opts, key=len)} has no effect {why}")


def plot_option(command: Command) -> Command:
    """Add ``--plot``, a file for a plot, to a command; other suffixes are refused at once."""
    return click.option(
        "--plot",
        type=PATH,
        callback=_check_plot,
        help=f"Also save a plot: {', '.join(_PLOTS[:-1])} or {_PLOTS[-1]}.",
    )(command)


def _check_plot(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    del context, option  # click hands them to every callback
    if path is not None and path.suffix.lower() not in _PLOTS:
        raise ParameterError(f"a plot is saved as {', '.join(_PLOTS)}; got {path.name!r}")
    return path


def load_collection(path: Path) -> "Collection":
    """The collection of a file; an empty file is refused by its name."""
    from sudare.collection.document import Collection
    from sudare.formats.files import finite

    data = finite(path).read_bytes()
    if not data:
        raise InvalidDocument(f"{path} is empty; a collection is a JSON document")
    return Collection.from_json(data)


def is_pipe(path: Path) -> bool:
    """Whether a path argument means stdin or stdout."""
    return str(path) == "-"


def binary_stdout() -> IO[bytes]:
    """Standard output, if it is there and no terminal: reports are binary."""
    if sys.stdout is None or sys.stdout.isatty():
        raise ParameterError("reports are binary: name a file with -o, or pipe them onwards")
    return sys.stdout.buffer


def refuse_overwriting(output: Path, *inputs: Path) -> None:
    """Refuse an output that is one of the inputs: it would destroy it."""
    for path in inputs:
        if output.exists() and path.exists() and output.samefile(path):
            raise ParameterError(f"the output {output} is one of the inputs; name another file")


@contextmanager
def progress_bar(*, bytes_total: bool = False) -> Iterator["Progress"]:
    """A progress bar on stderr, shown only where somebody can see it."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    drawn = console(err=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn() if bytes_total else MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=drawn,
        disable=not drawn.is_terminal,
        transient=True,
    ) as progress:
        yield progress
