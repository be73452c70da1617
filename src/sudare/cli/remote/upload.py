"""``sudare remote upload``: files of reports, sent so that each report counts once."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.remote.connecting import connected, held_argument
from sudare.cli.shared.options import PATH, FiniteRange, is_pipe, json_option, progress_bar
from sudare.cli.shared.reports import report_sources, single_reports
from sudare.cli.shared.terminal import say, say_json
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.collection.document import Collection
    from sudare.remote.client import RemoteCollector
    from sudare.remote.uploading import ReportIdsOfFile


@click.command()
@held_argument
@click.argument("reports", nargs=-1, type=PATH, required=True)
@click.option("--window", type=click.IntRange(0), help="Of the reports, where there are windows.")
@click.option(
    "--patience",
    type=FiniteRange(0),
    default=60.0,
    show_default=True,
    help="Seconds to go on trying while nothing is taken.",
)
@connected
@json_option
def upload(
    collector: "RemoteCollector",
    name: str,
    reports: tuple[Path, ...],
    window: int | None,
    patience: float,
    as_json: bool,
) -> None:
    """Send files of REPORTS, as `sudare randomize` writes them, to a COLLECTION.

    Beside each file a secret is kept (`reports.arrow.ids`), from which the ids of its reports
    follow: sent again, after whatever happened, each of them counts once. With a token of the role
    relay or admin, thousands go at a time; without, a hundred.

    \b
    Examples:
      sudare remote upload tea reports.arrow
      sudare remote upload mood monday.arrow tuesday.parquet --window 3
    """
    from sudare.remote.uploading import Upload, ids_beside

    sources = report_sources(reports)
    if any(is_pipe(path) for path in sources):
        raise ParameterError("reports are uploaded from files: their ids are kept beside them")
    key = collector.find(name).key
    agreed = collector.document(key)
    at = _window(agreed, window)
    total = sum(len(chunk) for chunk in single_reports(agreed, sources))  # damage is found here
    ids = [ids_beside(path, key, at) for path in sources]
    counts = {"new": 0, "repeated": 0, "refused": 0}
    with progress_bar() as progress:
        task = progress.add_task("sending reports", total=total)
        bodies = _bodies(collector, agreed, sources, ids)
        for receipt in Upload(collector, key, at, patience).send(bodies):
            for fate in counts:
                counts[fate] += getattr(receipt, fate)
            progress.update(task, completed=sum(counts.values()))
    if as_json:
        say_json({"key": key, "window": at, "reports": total, **counts})
        return
    late = f", {counts['refused']:,} too late" if counts["refused"] else ""
    before = f", {counts['repeated']:,} had counted before" if counts["repeated"] else ""
    say(f"{counts['new']:,} of {total:,} reports are new and count from now on{before}{late}")


def _window(agreed: "Collection", window: int | None) -> int:
    """The window of the reports, which must be said where there are several."""
    if agreed.invited:
        raise ParameterError(
            f"“{agreed.name}” takes single reports of those who are invited, and no files"
        )
    if window is None and agreed.windows is not None:
        raise ParameterError(f"“{agreed.name}” has windows: say --window, that of these reports")
    if window and agreed.windows is None:
        raise ParameterError(f"“{agreed.name}” has no windows, so --window {window} is none of it")
    return window or 0


def _bodies(
    collector: "RemoteCollector",
    agreed: "Collection",
    sources: tuple[Path, ...],
    ids: "list[ReportIdsOfFile]",
) -> Iterator[bytes]:
    from sudare.formats.collector_api import BODY_REPORTS, SMALL_REPORTS
    from sudare.formats.report_files import read_reports
    from sudare.remote.uploading import batches

    many = collector.access.token is not None and collector.session().role in {"relay", "admin"}
    most = BODY_REPORTS if many else SMALL_REPORTS
    for path, own in zip(sources, ids, strict=True):
        yield from batches(read_reports(path, agreed.report_dtype, agreed.key), own, most)
