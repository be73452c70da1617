"""``sudare decode``: reports of free text and candidates in, what people answered out."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import rich_click as click

from sudare.cli.shared.candidates import candidate_lines, candidates_option, memory_option
from sudare.cli.shared.options import (
    CORRECTIONS,
    PATH,
    collection_argument,
    false_discoveries_option,
    is_pipe,
    level_option,
    load_collection,
    plot_option,
    progress_bar,
)
from sudare.cli.shared.output import Output, result_options
from sudare.cli.shared.reports import count, report_sources, single_reports
from sudare.cli.shared.terminal import say
from sudare.decoding.candidate_file import Lines
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.collection.document import Collection
    from sudare.decoding.from_sums import Decoded
    from sudare.estimation.significance import Correction
    from sudare.mechanisms.aggregate import Aggregate


@click.command()
@collection_argument
@click.argument("reports", type=PATH, nargs=-1)
@candidates_option
@false_discoveries_option
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default=CORRECTIONS[0],
    show_default=True,
    help="How p-values are adjusted for asking about every candidate.",
)
@level_option
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
@result_options
@plot_option
def decode(
    collection: Path,
    reports: tuple[Path, ...],
    candidates: Path,
    false_discoveries: float,
    correction: str,
    level: float,
    likelihood: bool,
    complete: bool,
    everyone: bool,
    top: int | None,
    memory: int,
    output: Output,
    plot: Path | None,
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
    from sudare.cli.shared.showing import show
    from sudare.questions.text import Discoveries, text_question
    from sudare.results.renderers import save_plot
    from sudare.results.text import tally

    _check_options(likelihood, complete, top)
    agreed = load_collection(collection)
    text_question(agreed)  # before anything is counted
    sources = report_sources(reports)
    if is_pipe(candidates) and any(map(is_pipe, sources)):
        raise ParameterError("stdin can't hold both reports and candidates: name a file for one")
    output.check(collection, candidates, *sources, plot=plot)
    with candidate_lines(candidates) as lines:
        # The choices that click allows are the corrections there are.
        levels = _Levels(false_discoveries, cast("Correction", correction), level)
        if likelihood:
            decoded = _decode_reports(agreed, sources, lines, levels, memory)
        else:
            total = count(agreed, sources)
            decoded = _decode(agreed, total, lines, levels, memory, complete=complete)
    discoveries = Discoveries(agreed, decoded, everyone=everyone, top=top)
    show(discoveries, output, None if plot is None else partial(save_plot, discoveries, plot))
    if not is_pipe(output.path):
        say(tally(discoveries), err=True)


def _check_options(likelihood: bool, complete: bool, top: int | None) -> None:
    if likelihood and complete:
        raise ParameterError(
            "--complete fits the bits' sums, --likelihood weighs single reports: choose one of them"
        )
    if top is not None and top < 1:
        raise ParameterError(f"--top must be at least 1, got {top}")


class _Levels(NamedTuple):
    """How sure it must be: the tests and their correction, and the level of intervals."""

    false_discoveries: float
    correction: "Correction"
    level: float


def _decode(
    agreed: "Collection",
    total: "Aggregate",
    lines: Lines,
    levels: _Levels,
    memory: int,
    *,
    complete: bool,
) -> "Decoded":
    """Decode, with a progress bar for what takes long: the hashing of many candidates."""
    from sudare.questions.text import decode

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
            **levels._asdict(),
            complete=complete,
            memory=memory,
            progress=advance,
        )


def _decode_reports(
    agreed: "Collection", sources: Sequence[Path], lines: Lines, levels: _Levels, memory: int
) -> "Decoded":
    """Decode from single reports, with what may be left to gain beside the bar."""
    from sudare.questions.text import decode_reports

    told = list(single_reports(agreed, sources))  # before the next bar: there is room for one
    with progress_bar() as progress:
        task = progress.add_task("weighing reports", total=None)

        def advance(left: float) -> None:
            progress.update(task, advance=1, description=f"weighing reports, {left:.2g} to gain")

        return decode_reports(
            agreed, told, lines, **levels._asdict(), memory=memory, progress=advance
        )
