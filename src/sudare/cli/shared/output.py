"""Where results go and in which form, and what is never written over by mistake.

The rule: a file of the same kind and of the same collection is replaced; anything else that stands
where an output should go is lost only to ``--force``.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from sudare.cli.shared.options import (
    csv_option,
    force_option,
    is_pipe,
    json_option,
    output_option,
    refuse_overwriting,
)
from sudare.cli.shared.terminal import put_lines, say_json
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind

if TYPE_CHECKING:
    from sudare.formats.file_kinds import Found

_FORMS = {".json": "json", ".csv": "csv"}
_NAMES = {"json": "JSON", "csv": "CSV"}
_FREE = (FileKind.EMPTY, FileKind.SPECIAL, FileKind.FOLDER)  # nothing to lose, or refused later


def refuse_replacing(
    output: Path,
    kind: FileKind,
    key: str | None = None,
    *,
    force: bool,
    begins: bytes = b"",
) -> None:
    """Refuse an output that would take the place of something else.

    Args:
        output: where it goes.
        kind: what it is.
        key: of its collection, where a file of this kind says whose it is.
        force: replace whatever is there.
        begins: with what a file must begin to be of the same collection, or of the same columns:
            a document with all that it says.
    """
    found = _standing(output, force=force)
    if found is None:
        return
    if found.kind is not kind:
        raise _loss(output, found.kind.noun)
    if found.key != key:
        raise _loss(output, f"{kind.noun} of another collection")
    if begins:
        with output.open("rb") as file:
            if file.read(len(begins)) != begins:
                other = f"another {kind.value}" if kind.ours else f"{kind.noun} of something else"
                raise _loss(output, other)


def refuse_folder(output: Path) -> None:
    """Refuse a folder that is there already, or can't be made."""
    if output.exists():
        raise ParameterError(f"{output} is there already; name a new folder")
    if not output.parent.is_dir():
        raise ParameterError(f"{output} can't be made: {output.parent} is no folder")


def refuse_replacing_plot(plot: Path | None, *, force: bool) -> None:
    """Refuse a plot in the place of something that is no picture (for .html: no page)."""
    if plot is not None:
        kind = FileKind.PAGE if plot.suffix.lower() == ".html" else FileKind.PICTURE
        refuse_replacing(plot, kind, force=force)


def _standing(output: Path, *, force: bool) -> "Found | None":
    """What an output would replace, if it is anything that should be asked about."""
    from sudare.formats.file_kinds import found_at

    if force or is_pipe(output) or not output.exists():
        return None
    found = found_at(output)
    return None if found.kind in _FREE else found


def _loss(output: Path, what: str) -> ParameterError:
    return ParameterError(
        f"{output} is {what}, and would be lost: name another file, or say --force"
    )


@dataclass(frozen=True)
class Output:
    """How a result is wanted, and where.

    Attributes:
        path: a file, or - for stdout.
        form: ``table`` for people, ``json`` or ``csv`` for programs.
        force: whether whatever stands at the path is replaced.
    """

    path: Path
    form: str
    force: bool

    def check(self, *inputs: Path, plot: Path | None = None) -> None:
        """Refuse, before any work is done, files that the result or its plot would destroy."""
        from sudare.formats.files import real

        for output in (self.path, *([] if plot is None else [plot])):
            if not is_pipe(output):
                refuse_overwriting(output, *inputs)
                if not output.parent.is_dir():
                    raise ParameterError(
                        f"there is no folder {output.parent} to save {output.name} in"
                    )
        if plot is not None and not is_pipe(self.path) and real(plot) == real(self.path):
            raise ParameterError(f"the result and the plot can't both be {plot}")
        refuse_replacing_plot(plot, force=self.force)
        found = _standing(self.path, force=self.force)
        likely = {"json": (FileKind.RESULT, FileKind.JSON), "csv": (FileKind.TEXT,)}
        if found is not None and found.kind not in likely.get(self.form, ()):
            raise _loss(self.path, found.kind.noun)

    def put(
        self,
        *,
        document: Callable[[], dict[str, Any]],
        csv: Callable[[], str],
        table: Callable[[IO[str] | None], None],
        plot: Callable[[], object] | None = None,
    ) -> None:
        """Print a result in the form that is wanted, or write it to its file, with its plot.

        Args:
            document: the result as JSON values.
            csv: its rows.
            table: prints it for people, to a text file or to stdout.
            plot: saves a plot; both files are there afterwards, or neither.
        """
        if is_pipe(self.path):
            if plot is not None:
                plot()
            self._print(None, document, csv, table)
            return
        from sudare.formats.files import replacing

        text = io.StringIO()
        self._print(text, document, csv, table)
        data = text.getvalue().encode()
        self._refuse_other(data)
        with replacing(self.path) as temporary:
            temporary.write_bytes(data)
            if plot is not None:
                plot()

    def _print(
        self,
        target: IO[str] | None,
        document: Callable[[], dict[str, Any]],
        csv: Callable[[], str],
        table: Callable[[IO[str] | None], None],
    ) -> None:
        if self.form == "json":
            say_json(document(), target)
        elif self.form == "csv":
            put_lines(csv(), target)
        else:
            table(target)

    def _refuse_other(self, data: bytes) -> None:
        """Refuse to replace a result of something else by these bytes."""
        if _standing(self.path, force=self.force) is None:
            return
        if self.form == "csv":  # the same columns are the same kind of result
            header = data[: data.index(b"\n") + 1]
            refuse_replacing(self.path, FileKind.TEXT, force=False, begins=header)
        elif _whose(self.path.read_bytes()) != _whose(data):
            raise _loss(self.path, "a JSON document of something else")


def _whose(data: bytes) -> object:
    """Whose result a JSON document is: of which collections, or else which fields it has."""
    import msgspec

    try:
        read = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    own = [name for name in ("collection", "discovery", "key", "keys") if name in read]
    return [(name, bytes(read[name]).split()) for name in own] or sorted(read)


def result_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--json``, ``--csv``, ``-o`` and ``--force``; they reach the command as ``output``."""

    @wraps(command)
    def gathered(**given: Any) -> None:  # noqa: ANN401 - whatever the command's options are
        path, force = given.pop("output"), given.pop("force")
        form = _form(path, as_json=given.pop("as_json"), as_csv=given.pop("as_csv"))
        command(output=Output(path, form, force), **given)

    where = output_option("Where the result goes, as text, or by its suffix as .json or .csv.")
    for option in (force_option, where, csv_option, json_option):  # the last stands first
        gathered = option(gathered)
    return gathered


def _form(path: Path, *, as_json: bool, as_csv: bool) -> str:
    """The form that the options and the file's name ask for, all of them alike."""
    if as_json and as_csv:
        raise ParameterError("the result is either JSON or CSV: choose one of --json and --csv")
    asked = "json" if as_json else "csv" if as_csv else None
    named = _FORMS.get(path.suffix.lower())
    if asked and named and asked != named:
        raise ParameterError(
            f"--{asked} says {_NAMES[asked]}, and the name {path.name} {_NAMES[named]}: choose one"
        )
    return asked or named or "table"
