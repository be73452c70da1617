"""Arguments, options and small habits that several commands share."""

import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sudare.cli.shared.terminal import console
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem
    from rich.progress import Progress

    from sudare.collection.document import Collection

Command = TypeVar("Command", bound=Callable[..., Any])

# sudare.mechanisms.CATEGORICAL, without importing it
MECHANISMS = ("grr", "oue", "sue", "subset", "projective", "hadamard", "olh")
OVER_TIME = ("glance", "harmony", "borappor", "kshot")  # likewise CONTINUAL
CORRECTIONS = (
    "benjamini-hochberg",
    "bonferroni",
    "none",
)  # sudare.estimation.significance has them
CONSISTENT = ("clip", "normalise", "norm-sub", "project", "likelihood")  # sudare.questions.choice
_PICTURES = (".png", ".svg", ".pdf")
_STORE, _STORE_VARIABLE = "sudare.db", "SUDARE_STORE"


class FilePath(click.Path):
    """A path, which no empty text is: to Python that would be the current folder."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - a text, or a default
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - a path, as ``path_type`` says
        """The path that a text on the command line says."""
        if not str(value):
            raise ParameterError(f"{_written(param)} is empty; the name of a file is expected")
        return super().convert(value, param, ctx)


PATH = FilePath(path_type=Path)


class MechanismName(click.Choice[str]):
    """The name of one of our mechanisms, or of one that an installed package adds.

    Packages are looked through only where a name is none of ours, or all are to be listed.
    """

    def _every(self) -> click.Choice[str]:
        from sudare.installed import offers

        ours = {*self.choices, "rappor", *MECHANISMS, *OVER_TIME}
        return click.Choice([*self.choices, *(name for name in offers() if name not in ours)])

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a mechanism; it isn't loaded yet."""
        if value in self.choices:
            return value
        return self._every().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """All names, for the help."""
        return self._every().get_metavar(param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """The names that begin so."""
        return self._every().shell_complete(ctx, param, incomplete)


def _written(parameter: click.Parameter | None) -> str:
    """An option or argument as it stands in a command's help."""
    if parameter is None:
        return "an argument"
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name


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
            raise ParameterError(f"{_written(param)} must be a finite number, got {value}")
        number: float = super().convert(value, param, ctx)
        return number


def collection_argument(command: Command) -> Command:
    """Add COLLECTION, a collection's JSON document, to a command's arguments."""
    return click.argument("collection", type=PATH)(command)


def store_option(command: Command) -> Command:
    """Add ``--store``, where a collector keeps everything, to a command."""
    return click.option(
        "--store",
        default=_STORE,
        show_default=True,
        envvar=_STORE_VARIABLE,
        help=f"A SQLite file, or postgresql://…; also {_STORE_VARIABLE}.",
    )(command)


def usual_store() -> str:
    """The store that is meant where none is named: as ``--store`` has it."""
    return os.environ.get(_STORE_VARIABLE) or _STORE


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


def csv_option(command: Command) -> Command:
    """Add ``--csv``, for spreadsheets and programs, to a command."""
    return click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")(command)


def output_option(
    what: str, *, default: str | None = "-", required: bool = False
) -> Callable[[Command], Command]:
    """``-o`` or ``--output``: the file that a command writes, by default stdout.

    Args:
        what: what goes there, as a sentence of the help.
        default: where it goes if nobody says; None for nowhere.
        required: whether there is no default at all.
    """
    given: dict[str, Any] = {"required": True} if required else {"default": default}
    if default not in {None, "-"} and not required:
        given["show_default"] = True
    return click.option("-o", "--output", type=PATH, help=what, **given)


def force_option(command: Command) -> Command:
    """Add ``--force``, which lets outputs replace whatever is there, to a command."""
    return click.option(
        "--force", is_flag=True, help="Replace whatever stands where a file should go."
    )(command)


def level_option(command: Command) -> Command:
    """Add ``--level``, the confidence of intervals, to a command."""
    return click.option(
        "--level",
        type=float,
        default=0.95,
        show_default=True,
        help="The confidence of the intervals.",
    )(command)


def false_discoveries_option(command: Command) -> Command:
    """Add ``--false-discoveries``, what of the texts found may be wrong, to a command."""
    return click.option(
        "--false-discoveries",
        type=float,
        default=0.05,
        show_default=True,
        help="The share of those found that may be there by chance.",
    )(command)


def insecure_option(command: Command) -> Command:
    """Add ``--insecure``, without which plain HTTP stays on this machine, to a command."""
    return click.option(
        "--insecure", is_flag=True, help="Allow plain HTTP to other machines, which all can read."
    )(command)


def refuse_idle(why: str, *names: str) -> None:
    """Refuse options of the running command that were given and have no effect, as ``why`` says."""
    context = get_current_context()
    for option in context.command.params:
        if option.name not in names:
            continue
        if context.get_parameter_source(option.name) is not ParameterSource.DEFAULT:
            argument = isinstance(option, click.Argument)
            name = (
                option.make_metavar(context).strip("[]") if argument else max(option.opts, key=len)
            )
            raise ParameterError(f"{name} has no effect {why}")


def plot_option(command: Command) -> Command:
    """Add ``--plot``, a file for a plot or a page, to a command."""
    return _plotting((*_PICTURES, ".html"))(command)


def picture_option(command: Command) -> Command:
    """Add ``--plot``, a file for a plot that has no page, to a command."""
    return _plotting(_PICTURES)(command)


def _plotting(suffixes: tuple[str, ...]) -> Callable[[Command], Command]:
    """``--plot``, with these suffixes; what can't be saved is refused before the work is done."""

    def check(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
        del context, option  # click hands them to every callback
        if path is not None and path.suffix.lower() not in suffixes:
            raise ParameterError(f"a plot is saved as {', '.join(suffixes)}; got {path.name!r}")
        return path

    return click.option(
        "--plot",
        type=PATH,
        callback=check,
        help=f"Also save a plot: {', '.join(suffixes[:-1])} or {suffixes[-1]}.",
    )


def load_collection(path: Path) -> "Collection":
    """The collection of a file; one that holds something else is refused by its name."""
    from sudare.cli.shared.files import load
    from sudare.collection.document import Collection
    from sudare.formats.file_kinds import FileKind

    return load(path, FileKind.COLLECTION, Collection.from_json)


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
def progress_bar(*, bytes_total: bool = False, rate: bool = False) -> Iterator["Progress"]:
    """A progress bar on stderr, shown only where somebody can see it; ``rate`` says how fast."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed / 1e6:,.1f} million a second")

    drawn = console(err=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn() if bytes_total else MofNCompleteColumn(),
        *([Rate()] if rate else []),
        TimeRemainingColumn(),
        console=drawn,
        disable=not drawn.is_terminal,
        transient=True,
    ) as progress:
        yield progress
