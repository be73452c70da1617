"""``sudare aggregate``: reports in, tallies out."""

from pathlib import Path

import rich_click as click

from sudare.cli.shared.options import (
    PATH,
    collection_argument,
    force_option,
    is_pipe,
    load_collection,
    output_option,
    refuse_overwriting,
)
from sudare.cli.shared.output import refuse_replacing
from sudare.cli.shared.reports import count, report_sources
from sudare.cli.shared.terminal import put_json, say
from sudare.formats.file_kinds import FileKind
from sudare.results.wording import counted


@click.command()
@collection_argument
@click.argument("reports", type=PATH, nargs=-1)
@output_option("Where the aggregate goes (JSON).")
@force_option
def aggregate(collection: Path, reports: tuple[Path, ...], output: Path, force: bool) -> None:
    """Check and count reports: what a collector keeps.

    REPORTS are files of `sudare randomize` (or stdin), and aggregates (.json) to merge in. They
    carry no ids: the same reports in two files count twice. Nor do they say of which window of a
    stream they are: aggregate each window by itself.

    \b
    Examples:
      sudare aggregate tea.json monday.arrow tuesday.parquet -o total.json
      sudare aggregate tea.json north.json south.json -o country.json
    """
    from sudare.formats.files import write_whole

    agreed = load_collection(collection)
    sources = report_sources(reports)
    refuse_overwriting(output, collection, *sources)
    refuse_replacing(output, FileKind.AGGREGATE, agreed.key, force=force)
    total = count(agreed, sources)
    if is_pipe(output):
        put_json(total.to_json() + b"\n")
    else:
        write_whole(output, total.to_json())
    say(f"{counted(total.n, 'report')} counted{agreed.kind.where(total)}", err=True)
