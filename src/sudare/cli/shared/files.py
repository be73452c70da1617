"""Files as arguments: read as what they are meant to be, or refused by name with what they are.

What a file is, ``formats.file_kinds`` knows; here it is said, with what to do about it: which
argument comes where, or which command is missing in between.
"""

import difflib
import errno
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

import rich_click as click
from click import get_current_context

from sudare.errors import (
    InvalidAnswer,
    InvalidDocument,
    InvalidReport,
    MixedCollections,
    ParameterError,
    SudareError,
    TooFewReports,
)
from sudare.formats.file_kinds import FileKind, Found, found_at
from sudare.formats.files import binary_stdin

Document = TypeVar("Document")

_NAMED = (
    InvalidAnswer,
    InvalidDocument,
    InvalidReport,
    MixedCollections,
    TooFewReports,
)
"""Errors that may be about a file, whose sentence is all that they hold."""
_STDIN = "stdin"
_ORDINALS = ("first", "second", "third", "fourth")
_MOST_NAMES = 10_000  # of a folder, among which one that is meant is looked for

_RANDOMIZE = "`sudare randomize {collection} {quoted} -o reports.arrow`"
_AGGREGATE = "`sudare aggregate {collection} {quoted} -o total.json`"
_RESTORE = "{path} is a backup: make a store of it first, with `sudare restore {quoted} STORE`"
_STEPS = {
    (FileKind.AGGREGATE, FileKind.REPORTS): f"{{path}} holds reports: count them first, with "
    f"{_AGGREGATE}",
    (FileKind.AGGREGATE, FileKind.TEXT): "{path} is a text file, not an aggregate: if it holds "
    f"answers, begin with {_RANDOMIZE}",
    (FileKind.AGGREGATE, FileKind.DATA): "{path} is a table of data, not an aggregate: if it holds "
    f"answers, begin with {_RANDOMIZE}",
    (FileKind.AGGREGATE, FileKind.RESULT): "{path} is a result already; the aggregate is what "
    "`sudare aggregate` makes of reports",
    (FileKind.REPORTS, FileKind.TEXT): "{path} is a text file, no file of reports: if it holds "
    f"answers, randomise them first, with {_RANDOMIZE}",
    (FileKind.REPORTS, FileKind.DATA): "{path} is a table of data, no file of reports: if it holds "
    f"answers, randomise them first, with {_RANDOMIZE}",
    (
        FileKind.REPORTS,
        FileKind.CUT_DATA,
    ): "{path} is a Parquet file that was cut or changed: get it anew",
    (FileKind.REPORTS, FileKind.AGGREGATE): "{path} is an aggregate, and this needs the reports "
    "themselves",
    (FileKind.DATA, FileKind.REPORTS): "{path} holds reports, which are randomised already: count "
    f"them with {_AGGREGATE}",
    (FileKind.STORE, FileKind.BACKUP): _RESTORE,
    (FileKind.STORE, FileKind.ENCRYPTED): _RESTORE,
    (FileKind.BACKUP, FileKind.STORE): "{path} is a store itself, and needs no restoring: "
    "`sudare backup {quoted} FILE` makes a backup of it",
    (FileKind.ENCRYPTED, FileKind.BACKUP): "{path} is not encrypted: leave out --passphrase-file",
    (FileKind.LEDGER, FileKind.DIARY): "{path} is the diary of a device: `sudare device ledger "
    "{folder}` shows its account",
    (FileKind.LEDGER, FileKind.DEVICE): "{path} is the folder of a device: `sudare device ledger "
    "{quoted}` shows its account",
    (FileKind.COUNT, FileKind.SECRET): "{path} is the secret of a joint count; the count itself is "
    "the file that `sudare joint-count new` wrote with -o",
    (FileKind.SECRET, FileKind.COUNT): "{path} is the joint count itself; its secret is the file "
    "that `sudare joint-count new` wrote with --secret",
    (FileKind.RECORDS, FileKind.TEXT): "{path} is a text file, no file of records: if it holds "
    "values, encrypt them first, with `sudare joint-count encrypt COUNT {quoted} -o records.bin`",
    (FileKind.COLLECTION, FileKind.PLAN): "{path} is a plan of `sudare discover`, whose own "
    "`randomize` and `decode` follow it",
    (FileKind.PLAN, FileKind.COLLECTION): "{path} is a collection; a plan is what `sudare discover "
    "new` makes",
}
"""What to do where a file of one kind is meant and one of another is given."""


def load(path: Path, wanted: FileKind, read: Callable[[bytes], Document]) -> Document:
    """The document of a file or pipe; what is none is refused by the file's name.

    Args:
        path: of the file; a device, which may have no end, is refused.
        wanted: what the file should be.
        read: makes the document of its bytes.
    """
    from sudare.formats.files import finite

    return _read(path, finite(path).read_bytes(), wanted, read)


def load_or_stdin(path: Path, wanted: FileKind, read: Callable[[bytes], Document]) -> Document:
    """As ``load``, but of ``-`` the document that is piped in."""
    if str(path) != "-":
        return load(path, wanted, read)
    return _read(path, binary_stdin().read(), wanted, read)


def _read(path: Path, data: bytes, wanted: FileKind, read: Callable[[bytes], Document]) -> Document:
    if not data:
        raise InvalidDocument(_empty(path, wanted))
    with naming(path, wanted):
        try:
            return read(data)
        except ParameterError as error:  # what the document says can't be
            raise InvalidDocument(str(error)) from error


def _empty(path: Path, wanted: FileKind) -> str:
    return f"{_STDIN if str(path) == '-' else path} is empty; {wanted.noun} is expected"


@contextmanager
def naming(path: Path, wanted: FileKind) -> Iterator[None]:
    """Let an error in the block name the file that it is about, and say what the file is instead.

    Args:
        path: of the file; ``-`` is stdin.
        wanted: what the file should be.
    """
    try:
        yield
    except _NAMED as error:
        raise type(error)(_about(path, wanted, error)) from error


@contextmanager
def naming_store(url: str) -> Iterator[None]:
    """As ``naming``, of the file that a store's address means, if it means one."""
    from sudare.collector.stores.open import is_postgres, path_of

    if is_postgres(url):
        yield
        return
    with naming(path_of(url), FileKind.STORE):
        yield


def refuse_ours(path: Path, wanted: FileKind) -> None:
    """Refuse a file of ours where somebody's own data is meant: its lines would pass for data.

    A device is refused too: it may have no end. ``-`` is stdin.
    """
    from sudare.formats.files import finite

    if str(path) == "-" or not finite(path).is_file():
        return  # what is looked at in a pipe is gone
    found = found_at(path)
    if found.kind.ours:
        raise InvalidDocument(_mistaken(path, found, wanted))


def require_folder(path: Path, wanted: FileKind) -> None:
    """Refuse what isn't a folder, or one of another kind; what a plain one lacks is seen later."""
    found = found_at(path)
    if found.kind not in {wanted, FileKind.FOLDER}:
        raise InvalidDocument(_mistaken(path, found, wanted))


def _about(path: Path, wanted: FileKind, error: SudareError) -> str:
    """The sentence of an error, with the file's name, and what the file is if it is another."""
    sentence = str(error)
    if str(path) == "-":
        return sentence.replace("this is not ", f"{_STDIN} is not ", 1)
    if isinstance(error, InvalidDocument):
        found = None
        with suppress(OSError):
            found = found_at(path)
        if found is not None and found.kind is not FileKind.SPECIAL:
            if found.kind is not wanted and not _may_be(found.kind, wanted):
                return _mistaken(path, found, wanted)
            if found.version is not None:
                return (
                    f"{path} is {wanted.noun} of format {found.version}, which this version of "
                    f"Sudare doesn't read: a newer one does"
                )
            if not found.whole:
                return f"{path} begins as {wanted.noun} but was cut or changed: get it anew"
    return _named(str(path), sentence)


def _may_be(found: FileKind, wanted: FileKind) -> bool:
    """Whether the kind that was found is among those that may hold what is wanted."""
    data = {FileKind.DATA, FileKind.TEXT, FileKind.JSON, FileKind.PACKED, FileKind.SPREADSHEET}
    data |= {FileKind.TORN, FileKind.CUT_DATA}
    if wanted is FileKind.RECORDS:
        return found in {FileKind.BYTES, FileKind.EMPTY}  # it has no mark of its own
    return wanted in {FileKind.DATA, FileKind.TEXT} and found in data | {FileKind.EMPTY}


def _named(name: str, sentence: str) -> str:
    if name in sentence or Path(name).name in sentence:
        return sentence
    if sentence.startswith("this is not "):
        return f"{name}{sentence.removeprefix('this')}"
    if sentence.startswith("the input "):
        return f"{name}{sentence.removeprefix('the input')}"
    return f"{name}: {sentence}"


def _mistaken(path: Path, found: Found, wanted: FileKind) -> str:
    """That a file is of another kind, and what to do."""
    context = get_current_context(silent=True)
    given = None if context is None else context.params.get("collection")
    step = _STEPS.get((wanted, found.kind))
    if step is not None:
        return step.format(
            path=path,
            quoted=shlex.quote(str(path)),
            folder=shlex.quote(str(path.parent)),
            collection=shlex.quote(str(given)) if isinstance(given, Path) else "COLLECTION",
        )
    if found.kind is FileKind.PACKED:
        return f"{_shown(path)} is a compressed file: unpack it first"
    if found.kind is FileKind.EMPTY:
        return _empty(path, wanted)
    is_another = f"{_shown(path)} is {found.kind.noun}"
    place = None if context is None else _place(context, path, wanted)
    if context is None or place is None:
        return f"{is_another}, not {wanted.noun}"
    if isinstance(place, click.Option):
        return f"{is_another}; {max(place.opts, key=len)} takes {wanted.noun}"
    return f"{is_another}{_position(context, place, wanted)}: {_usage(context)}"


def _position(context: click.Context, place: click.Parameter, wanted: FileKind) -> str:
    """Which argument what is wanted should be."""
    arguments = [one for one in context.command.params if not isinstance(one, click.Option)]
    if len(arguments) == 1 and place.nargs == 1:
        return f", not {wanted.noun}"
    if place.nargs != 1:
        several = place.make_metavar(context).strip("[].")
        countable = FileKind.AGGREGATE, FileKind.REPORTS
        noun = " or ".join(kind.noun for kind in (countable if wanted in countable else (wanted,)))
        return f"; each of {several} is {noun}"
    return f"; the {wanted.value} comes {_ORDINALS[arguments.index(place)]}"


def _place(context: click.Context, path: Path, wanted: FileKind) -> click.Parameter | None:
    """The argument or option whose value a path is; None if it isn't known.

    Of two with the same file, a collection is meant by the first, all else by the last.
    """
    parameters = context.command.params
    for parameter in parameters if wanted is FileKind.COLLECTION else reversed(parameters):
        value = context.params.get(parameter.name or "")
        if value in (path, str(path)) or (isinstance(value, tuple) and path in value):
            return parameter
    return None


def _usage(context: click.Context) -> str:
    """How the running command is called: its arguments, without options."""
    pieces = [
        one.make_metavar(context)
        for one in context.command.params
        if isinstance(one, click.Argument)
    ]
    return " ".join([context.command_path, *pieces])


def trouble(error: OSError) -> str:
    """An error of the system in a sentence that names the file, and says what to do."""
    reason = error.strerror or str(error)
    if not isinstance(error.filename, str | bytes | os.PathLike):
        return _WITHOUT_NAME.get(error.errno or 0, reason)
    path = Path(os.fsdecode(error.filename))
    if error.errno == errno.ENOENT:
        return _missing(path)
    known = _SENTENCES.get(error.errno or 0)
    return f"{_shown(path)}: {reason}" if known is None else known.format(path=_shown(path))


_FULL = "the disk is full, and nothing of {path} was kept: make room, or name another place"
_SENTENCES = {
    errno.EISDIR: "{path} is a folder; a file is expected",
    errno.ENOTDIR: "{path} can't be there: a part of its path is a file, not a folder",
    errno.EACCES: "{path} can't be opened: you have no permission (`ls -l` shows who has)",
    errno.EPERM: "{path} can't be opened: you have no permission (`ls -l` shows who has)",
    errno.EROFS: "{path} can't be written: its disk is for reading only",
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EEXIST: "{path} is there already, and isn't written over: name another",
    errno.ELOOP: "{path} is a link that leads back to itself",
    errno.ENAMETOOLONG: "{path} is too long for the name of a file",
    errno.ENXIO: "{path} is a socket or a device that can't be opened",
}
_WITHOUT_NAME = {
    errno.ENOSPC: "the disk is full, and what was being written isn't whole: make room",
    errno.EDQUOT: "the disk is full, and what was being written isn't whole: make room",
    errno.EMFILE: "too many files are open at once: `ulimit -n` says how many may be",
    errno.EADDRINUSE: "the address is in use by another program: choose another port",
}


def _missing(path: Path) -> str:
    """That there is no such file, with the name that was probably meant."""
    if path.is_symlink():
        return f"{_shown(path)} is a link to something that isn't there"
    folder = path.parent
    if not folder.is_dir():
        return f"{_shown(path)} isn't there, nor is the folder {_shown(folder)}"
    names: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, _MOST_NAMES)]
    near = difflib.get_close_matches(path.name, names, 3, 0.75)
    alike = (name for name in near if _likeness(path.stem, Path(name).stem) > 0.6)
    meant = next(alike, None)
    hint = "" if meant is None else f"; did you mean {_shown(path.with_name(meant))}?"
    return f"{_shown(path)} isn't there{hint}"


def _likeness(one: str, other: str) -> float:
    """From 0 to 1: a suffix that two names share would make any two alike."""
    return difflib.SequenceMatcher(None, one, other).ratio()


def _shown(path: Path) -> str:
    """A path as it stands in a sentence: between quotes if it has spaces."""
    if str(path) == ".":
        return "./"
    return repr(str(path)) if " " in str(path) else str(path)
