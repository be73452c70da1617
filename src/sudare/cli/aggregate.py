"""``sudare aggregate``: reports in, tallies out."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.shared.options import (
    PATH,
    collection_argument,
    force_option,
    is_pipe,
    json_option,
    load_collection,
    output_option,
    refuse_overwriting,
)
from sudare.cli.shared.output import refuse_replacing
from sudare.cli.shared.reports import counted, counting_bar, naming_bad, report_sources
from sudare.cli.shared.terminal import put_json, say, say_json
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.results.wording import counted as number_of

if TYPE_CHECKING:
    from sudare.collection.document import Collection
    from sudare.engines.pieces import Counted


@click.command()
@collection_argument
@click.argument("reports", type=PATH, nargs=-1)
@output_option("Where the aggregate goes (JSON).")
@force_option
@json_option
@click.option("--window", type=click.IntRange(0, 10**15 - 1), help="Of folders, this window only.")
@click.option("--skip-bad", is_flag=True, help="Leave out, and list, files that can't be counted.")
@click.option("--once", is_flag=True, help="Count each report id once, whatever holds it twice.")
@click.option("--cores", type=click.IntRange(1, 1024), help="How many to use.  [default: all]")
@click.option(
    "--engine", type=click.Choice(["local", "spark"]), default="local", help="What counts files."
)
@click.option("--master", help="Of Spark: local[2], spark://host:7077.  [default: all cores here]")
@click.option("--remote", help="A Spark Connect server: sc://host:15002.")
def aggregate(
    collection: Path,
    reports: tuple[Path, ...],
    output: Path,
    force: bool,
    as_json: bool,
    window: int | None,
    skip_bad: bool,
    once: bool,
    cores: int | None,
    engine: str,
    master: str | None,
    remote: str | None,
) -> None:
    """Check and count reports: what a collector keeps.

    REPORTS are files of `sudare randomize` (or stdin), folders of them, and aggregates (.json) to
    merge in. Nothing is counted of a file unless all of it is as it was written. Without ids and
    --once, the same reports in two files count twice. Each window of a stream is aggregated by
    itself.

    --engine spark counts on a cluster, whose workers must reach the files by the same paths and
    have this package. What isn't a file (stdin, aggregates) is counted here.

    --json prints what was counted: the collection's key, the number of reports (n), the counts,
    the number of files, those that were skipped and why, the seconds, and the engine. The
    aggregate is then written only if -o names a file.

    \b
    Examples:
      sudare aggregate tea.json monday.arrow tuesday.parquet -o total.json
      sudare aggregate tea.json north.json south.json -o country.json
      sudare aggregate tea.json lake/tea/ --skip-bad -o total.json
      sudare aggregate tea.json lake/tea/ --engine spark --remote sc://cluster:15002 -o total.json
    """
    from sudare.formats.files import write_whole

    agreed = load_collection(collection)
    sources = report_sources(reports, window)
    _refuse_windows(agreed, sources)
    refuse_overwriting(output, collection, *sources)
    refuse_replacing(output, FileKind.AGGREGATE, agreed.key, force=force)
    cluster = _Cluster(agreed, master, remote, skip_bad=skip_bad) if engine == "spark" else None
    _refuse_others_options(cluster, master or remote, once=once, cores=cores)
    start = time.monotonic()
    if cluster:
        found = counted(agreed, sources, cluster.count)
        start += cluster.around
    else:
        found = counted(agreed, sources, skip_bad=skip_bad, workers=cores)
    if once:
        _count_once(agreed, sources, found)
    seconds = time.monotonic() - start
    if not is_pipe(output):
        write_whole(output, found.total.to_json())
    elif not as_json:
        put_json(found.total.to_json() + b"\n")
    if as_json:
        say_json(_told(agreed, found, seconds, engine))
    _say(agreed, found, once=once)


def _refuse_others_options(
    cluster: "_Cluster | None", address: str | None, *, once: bool, cores: int | None
) -> None:
    """Refuse what only another engine than the chosen one heeds."""
    if cluster is None and address is not None:
        raise ParameterError("--master and --remote are for --engine spark")
    if cluster is None:
        return
    if once:
        raise ParameterError("--once counts on this machine: leave --engine spark out")
    if cores is not None:
        raise ParameterError("--cores is for this machine's engine; Spark has --master local[2]")


@dataclass
class _Cluster:
    """Spark, started or reached when there is something to count.

    Attributes:
        around: the seconds of starting and ending it, which no report is to blame for.
    """

    agreed: "Collection"
    master: str | None
    remote: str | None
    skip_bad: bool
    around: float = 0.0

    def count(self, paths: Sequence[Path]) -> "Counted":
        """The reports of files."""
        from sudare.engines import spark
        from sudare.engines.spark_session import session

        begun = time.monotonic()
        with session(self.master, self.remote) as opened:
            there = time.monotonic()
            found = spark.aggregate_files(opened, paths, self.agreed, skip_bad=self.skip_bad)
            done = time.monotonic()
        self.around = time.monotonic() - begun - (done - there)
        say(f"Spark started in {there - begun:.1f} s and counted in {done - there:.1f} s", err=True)
        return found


def _refuse_windows(agreed: "Collection", sources: Sequence[Path]) -> None:
    """Refuse several windows of a stream together: a round of one is none of another."""
    from sudare.formats.report_sets import window_of

    windows = {window_of(path) for path in sources} - {None}
    if agreed.kind.rounds and len(windows) > 1:
        raise ParameterError(
            f"there are {len(windows)} windows, each with its own rounds: choose one with --window"
        )


def _count_once(agreed: "Collection", sources: Sequence[Path], found: "Counted") -> None:
    """Count the files again, now that they are known to be whole, each id of a report once."""
    from sudare.engines.once import aggregate_once

    if len(found.files) + len(found.skipped) != len(sources):
        raise ParameterError("--once takes files of reports: stdin and aggregates have no ids")
    with naming_bad(), counting_bar() as advance:
        found.total, found.repeated = aggregate_once(agreed, found.files, advance)


def _told(agreed: "Collection", found: "Counted", seconds: float, engine: str) -> dict[str, object]:
    return {
        "collection": agreed.key,
        "n": found.total.n,
        "counts": found.total.counts.tolist(),
        "files": len(found.files),
        "skipped": [{"file": str(path), "reason": reason} for path, reason in found.skipped],
        "seconds": round(seconds, 3),
        "engine": engine,
    }


def _say(agreed: "Collection", found: "Counted", *, once: bool) -> None:
    """What was counted, and what was not, on stderr."""
    said = f"{number_of(found.total.n, 'report')} counted{agreed.kind.where(found.total)}"
    if once:
        said += f"; {number_of(found.repeated, 'report')} with an id that was there before"
    elif any(file.identified for file in found.files):
        said += "; they have ids: --once counts each id once"
    say(said, err=True)
    if found.skipped:
        say(f"left out: {number_of(len(found.skipped), 'file')}", err=True)
    for path, reason in found.skipped:
        say(f"  {path}: {reason}", err=True)
