"""Reports and aggregates as arguments: whatever is named, counted together."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sudare.cli.shared.files import naming
from sudare.cli.shared.options import is_pipe, progress_bar
from sudare.errors import BadFile, InvalidDocument, ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.files import binary_stdin

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudare.collection.document import Collection
    from sudare.engines.pieces import Counted
    from sudare.mechanisms.aggregate import Aggregate


def report_sources(reports: Sequence[Path], window: int | None = None) -> tuple[Path, ...]:
    """The files of reports that are named, each once, those of folders too; stdin if none is."""
    from sudare.formats.report_sets import report_files

    sources = tuple(report_files(reports, window)) or (Path("-"),)
    seen = set[object]()
    for path in sources:
        if _identity(path) in seen:
            raise ParameterError(f"{path} is named twice; its reports would count twice")
        seen.add(_identity(path))
    return sources


def _identity(path: Path) -> object:
    """What two names of one file share, be they links of any kind."""
    if is_pipe(path) or not path.exists():
        return path
    found = path.stat()
    return found.st_dev, found.st_ino


def count(agreed: "Collection", sources: Sequence[Path]) -> "Aggregate":
    """The reports of files and stdin, and the aggregates (.json), as one aggregate."""
    return counted(agreed, sources).total


def counted(
    agreed: "Collection",
    sources: Sequence[Path],
    engine: "Callable[[Sequence[Path]], Counted] | None" = None,
    *,
    skip_bad: bool = False,
    workers: int | None = None,
) -> "Counted":
    """As ``count``, with what is known of the files; ``engine`` is the local one if none is given.

    Pipes and aggregates are counted here, whatever the engine.
    """
    from sudare.engines import local

    def here(paths: Sequence[Path]) -> "Counted":
        with counting_bar() as advance:
            return local.aggregate_files(
                agreed, paths, workers=workers, skip_bad=skip_bad, progress=advance
            )

    for path in sources:
        _refuse_nothing(path)
    files = [path for path in sources if _is_counted_in_pieces(path)]
    with naming_bad():
        found = (engine or here)(files)
    for path in sources:
        if path not in files:
            with naming(path, _meant(path)):
                found.total += _of(agreed, path)
    return found


@contextmanager
def naming_bad() -> Iterator[None]:
    """Let an error about one of many files be the sentence that the file alone would give."""
    try:
        yield
    except BadFile as bad:
        with naming(bad.path, FileKind.REPORTS):
            raise bad.cause from bad


@contextmanager
def counting_bar() -> Iterator[Callable[[int, int], None]]:
    """A progress bar of reports, which is told how many are done, and how many there are."""
    with progress_bar(rate=True) as progress:
        task = progress.add_task("counting reports", total=None)
        yield lambda done, everybody: progress.update(task, completed=done, total=everybody)


def _is_counted_in_pieces(path: Path) -> bool:
    return _meant(path) is FileKind.REPORTS and path.is_file()


def _meant(path: Path) -> FileKind:
    """What a source is taken for: an aggregate by its name, else a file of reports."""
    return FileKind.AGGREGATE if path.suffix == ".json" else FileKind.REPORTS


def single_reports(agreed: "Collection", sources: Sequence[Path]) -> Iterator["NDArray[np.void]"]:
    """The single reports of files and stdin, in chunks; an aggregate has none, and is refused."""
    from sudare.formats.report_files import read_reports

    for path in sources:
        _refuse_nothing(path)
        with naming(path, FileKind.REPORTS), progress_bar() as progress:
            task = progress.add_task("reading reports", total=None)
            for chunk in read_reports(_opened(path), agreed.report_dtype, agreed.key):
                yield chunk
                progress.advance(task, len(chunk))


def _of(agreed: "Collection", path: Path) -> "Aggregate":
    from sudare.engines import local
    from sudare.engines.pieces import gathered
    from sudare.formats.files import finite
    from sudare.formats.report_files import read_columns
    from sudare.mechanisms.aggregate import Aggregate

    if _meant(path) is FileKind.AGGREGATE:
        found = Aggregate.from_json(finite(path).read_bytes())
        agreed.kind.require_own(found)
        return found
    chunks = read_columns(_opened(path), agreed.report_dtype, agreed.key)
    return local.aggregate(agreed, gathered(agreed, chunks))


def _opened(path: Path) -> Path | IO[bytes]:
    return binary_stdin() if is_pipe(path) else path


def _refuse_nothing(path: Path) -> None:
    from sudare.formats.files import finite

    if is_pipe(path) or _meant(path) is FileKind.AGGREGATE:
        return
    if finite(path).is_file() and not path.stat().st_size:
        raise InvalidDocument(f"{path} is empty; a file of reports has at least a header")
