"""``sudare decode``: reports of free text and candidates in, what people answered out."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import rich_click as click

from sudare.cli.candidates import candidate_lines, candidates_option, memory_option
from sudare.cli.options import (
    CORRECTIONS,
    PATH,
    collection_argument,
    is_pipe,
    json_option,
    load_question,
    plot_option,
    progress_bar,
    refuse_overwriting,
)
from sudare.cli.reports import count, report_sources, single_reports
from sudare.errors import ParameterError
from sudare.lines import Lines

if TYPE_CHECKING:
    from sudare.aggregate import Aggregate
    from sudare.collection import Collection
    from sudare.decoding import Decoded
    from sudare.estimation.significance import Correction


@click.command()
@collection_argument
@click.argument("reports", type=PATH, nargs=-1)
@candidates_option
@click.option(
    "--level",
    type=float,
    default=0.05,
    show_default=True,
    help="The share of those found that may be there by chance.",
)
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default=CORRECTIONS[0],
    show_default=True,
    help="How p-values are adjusted for asking about every candidate.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option(
    "--likelihood",
    is_flag=True,
    help="Weigh every report by itself, not only the bits' sums: finds more where a text sets "
    "several bits, takes longer, and needs reports, not aggregates.",
)
@click.option(
    "--complete",
    is_flag=True,
    help="The candidates are all there are: every one gets a share, none below 0, and all sum to "
    "100 %.",
)
@click.option("--all", "everyone", is_flag=True, help="Show every candidate, found or not.")
@click.option("--top", type=int, help="Show at most so many, the largest shares.")
@memory_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@plot_option
@click.option("-o", "--output", type=PATH, default="-", help="Where the result goes.")
def decode(
    collection: Path,
    reports: tuple[Path, ...],
    candidates: Path,
    level: float,
    correction: str,
    confidence: float,
    likelihood: bool,
    complete: bool,
    everyone: bool,
    top: int | None,
    memory: int,
    as_json: bool,
    as_csv: bool,
    plot: Path | None,
    output: Path,
) -> None:
    """Find what people answered in their own words, among CANDIDATES.

    REPORTS are files of `sudare randomize` (or stdin), and aggregates (.json). A candidate is
    found if its share can't be explained by noise, at a level that holds for all candidates
    together. What the found ones leave unexplained is the share of people who answered
    something else. Who knows that there is nothing else says --complete: then every candidate is
    listed, with the shares that fit best together.

    The bars: solid up to the lower end of the interval, shaded up to the estimate, a line up to
    the upper end. `p` is adjusted for asking about every candidate.

    \b
    Examples:
      sudare decode words.json reports.arrow --candidates words.txt
      sudare decode words.json total.json --candidates words.txt --plot top.html
      sudare decode towns.json total.json --candidates towns.txt --complete --top 20
      sort -u *.txt | sudare decode words.json total.json --candidates - --csv
    """
    from sudare.cli.decoded import save, show
    from sudare.files import real, replacing
    from sudare.text_analysis import Discoveries

    if as_json and as_csv:
        raise ParameterError("the result is either JSON or CSV: choose one of --json and --csv")
    _check_wish(likelihood, complete, top)
    agreed = load_question(collection, "decode")
    sources = report_sources(reports)
    if is_pipe(candidates) and any(map(is_pipe, sources)):
        raise ParameterError("stdin can't hold both reports and candidates: name a file for one")
    refuse_overwriting(output, collection, candidates, *sources)
    if plot is not None:
        refuse_overwriting(plot, collection, candidates, *sources)
        if real(plot) == real(output):
            raise ParameterError(f"the result and the plot can't both be {plot}")
    with candidate_lines(candidates) as lines:
        wish = _Wish(level, cast("Correction", correction), confidence)  # click's are its values
        if likelihood:
            decoded = _decode_reports(agreed, sources, lines, wish, memory)
        else:
            total = count(agreed, sources)
            decoded = _decode(agreed, total, lines, wish, memory, complete=complete)
    discoveries = Discoveries(agreed, decoded, everyone=everyone, top=top)
    form = "json" if as_json else "csv" if as_csv else "table"
    if is_pipe(output):
        if plot is not None:
            save(discoveries, plot)
        show(discoveries, form)
        return
    text = io.StringIO()
    show(discoveries, form, text)
    with replacing(output) as temporary:
        temporary.write_bytes(text.getvalue().encode())
        if plot is not None:  # inside: both files or none
            save(discoveries, plot)
    click.echo(discoveries.tally(), err=True)


def _check_wish(likelihood: bool, complete: bool, top: int | None) -> None:
    if likelihood and complete:
        raise ParameterError(
            "--complete fits the bits' sums, --likelihood weighs single reports: choose one of them"
        )
    if top is not None and top < 1:
        raise ParameterError(f"--top must be at least 1, got {top}")


class _Wish(NamedTuple):
    level: float
    correction: "Correction"
    confidence: float


def _decode(
    agreed: "Collection",
    total: "Aggregate",
    lines: Lines,
    wish: _Wish,
    memory: int,
    *,
    complete: bool,
) -> "Decoded":
    """Decode, with a progress bar for what takes long: the hashing of many candidates."""
    from sudare.decoding import decode

    with progress_bar(bytes_total=True) as progress:
        task = progress.add_task("hashing candidates", total=lines.size)

        def advance(_: int) -> None:
            done = lines.read == lines.size
            what = "decoding" if done else "hashing candidates"
            progress.update(task, completed=lines.read, description=what)

        return decode(
            agreed,
            total,
            lines,
            **wish._asdict(),
            complete=complete,
            memory=memory,
            progress=advance,
        )


def _decode_reports(
    agreed: "Collection", sources: Sequence[Path], lines: Lines, wish: _Wish, memory: int
) -> "Decoded":
    """Decode from single reports, with what may be left to gain beside the bar."""
    from sudare.likelihood_decoding import decode_reports

    told = list(single_reports(agreed, sources))  # before the next bar: there is room for one
    with progress_bar() as progress:
        task = progress.add_task("weighing reports", total=None)

        def advance(left: float) -> None:
            progress.update(task, advance=1, description=f"weighing reports, {left:.2g} to gain")

        return decode_reports(
            agreed, told, lines, **wish._asdict(), memory=memory, progress=advance
        )
