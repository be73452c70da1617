"""Reports and aggregates as arguments: whatever is named, counted together."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sudare.cli.shared.files import naming
from sudare.cli.shared.options import is_pipe, progress_bar
from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.files import binary_stdin

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudare.collection.document import Collection
    from sudare.mechanisms.aggregate import Aggregate


def report_sources(reports: Sequence[Path]) -> tuple[Path, ...]:
    """The files of reports that are named, each once; stdin if none is."""
    sources = tuple(reports) or (Path("-"),)
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
    total = agreed.zero
    for path in sources:
        with naming(path, _meant(path)):
            total += _of(agreed, path)
    return total


def _meant(path: Path) -> FileKind:
    """What a source is taken for: an aggregate by its name, else a file of reports."""
    return FileKind.AGGREGATE if path.suffix == ".json" else FileKind.REPORTS


def single_reports(agreed: "Collection", sources: Sequence[Path]) -> Iterator["NDArray[np.void]"]:
    """The single reports of files and stdin, in chunks; an aggregate has none, and is refused."""
    for path in sources:
        with naming(path, FileKind.REPORTS):
            yield from _chunks(agreed, path)


def _of(agreed: "Collection", path: Path) -> "Aggregate":
    from sudare.engines import local
    from sudare.formats.files import finite
    from sudare.mechanisms.aggregate import Aggregate

    if _meant(path) is FileKind.AGGREGATE:
        found = Aggregate.from_json(finite(path).read_bytes())
        agreed.kind.require_own(found)
        return found
    return local.aggregate(agreed, _chunks(agreed, path))


def _chunks(agreed: "Collection", path: Path) -> Iterator["NDArray[np.void]"]:
    from sudare.formats.files import finite
    from sudare.formats.report_files import read_reports

    if not is_pipe(path) and finite(path).is_file() and not path.stat().st_size:
        raise InvalidDocument(f"{path} is empty; a file of reports has at least a header")
    with progress_bar() as progress:
        task = progress.add_task("reading reports", total=None)
        source = binary_stdin() if is_pipe(path) else path
        for chunk in read_reports(source, agreed.report_dtype, agreed.key):
            yield chunk
            progress.advance(task, len(chunk))
