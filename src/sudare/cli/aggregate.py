"""``sudare aggregate``: reports in, tallies out."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.options import (
    PATH,
    binary_stdin,
    collection_argument,
    is_pipe,
    load_collection,
    progress_bar,
    refuse_overwriting,
)
from sudare.errors import InvalidDocument, ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudare.aggregate import Aggregate
    from sudare.collection import Collection


@click.command()
@collection_argument
@click.argument("reports", type=PATH, nargs=-1)
@click.option("-o", "--output", type=PATH, default="-", help="Where the aggregate goes (JSON).")
def aggregate(collection: Path, reports: tuple[Path, ...], output: Path) -> None:
    """Check and count reports: what a collector keeps.

    REPORTS are files of `sudare randomize` (or stdin), and aggregates (.json) to merge in.

    \b
    Examples:
      sudare aggregate tea.json monday.arrow tuesday.parquet -o total.json
      sudare aggregate tea.json north.json south.json -o country.json
    """
    from sudare.files import write_whole

    agreed = load_collection(collection)
    sources = reports or (Path("-"),)
    if len({path.resolve() for path in sources}) < len(sources):
        raise ParameterError("a file is named twice; its reports would count twice")
    refuse_overwriting(output, collection, *sources)
    total = sum((_of(agreed, path) for path in sources), agreed.zero)
    if is_pipe(output):
        click.echo(total.to_json())
    else:
        write_whole(output, total.to_json())
    click.echo(f"{total.n:,} reports counted", err=True)


def _of(agreed: "Collection", path: Path) -> "Aggregate":
    from sudare.aggregate import Aggregate
    from sudare.engines import local
    from sudare.wire import read_reports

    if path.suffix == ".json":
        return Aggregate.from_json(path.read_bytes())
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not is_pipe(path) and not path.stat().st_size and path.is_file():
        raise InvalidDocument(f"{path} is empty; a file of reports has at least a header")
    with progress_bar() as progress:
        task = progress.add_task("counting", total=None)

        def chunks() -> Iterator["NDArray[np.void]"]:
            source = binary_stdin() if is_pipe(path) else path
            for chunk in read_reports(source, agreed.report_dtype, agreed.key):
                yield chunk
                progress.advance(task, len(chunk))

        return local.aggregate(agreed, chunks())
