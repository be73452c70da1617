"""``sudare associate``: two questions to the same people, and whether they are related."""

from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import rich_click as click

from sudare.cli.shared.candidates import candidate_lines
from sudare.cli.shared.files import load_or_stdin
from sudare.cli.shared.options import PATH, load_collection, progress_bar, refuse_idle
from sudare.cli.shared.output import Output, result_options
from sudare.cli.shared.reports import report_sources, single_reports
from sudare.cli.shared.terminal import put_table, say
from sudare.formats.file_kinds import FileKind
from sudare.formats.tables import csv_text
from sudare.results.cells import text_cell, whole_text
from sudare.results.wording import counted, fixed, p_value, percent

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from sudare.decoding.joint import Independence
    from sudare.questions.association import PairTable
    from sudare.questions.interface import Agreed
    from sudare.questions.several import Several

_WIDEST = 6  # answers of the second question that fit across a terminal
_LONGEST = 30  # pairs that are listed


@click.command()
@click.argument("first", type=PATH)
@click.argument("first_reports", type=PATH)
@click.argument("second", type=PATH, required=False)
@click.argument("second_reports", type=PATH, required=False)
@click.option(
    "--pair",
    nargs=2,
    metavar="NAME NAME",
    help="Of a collection that asks several questions at once: which two are related.",
)
@click.option(
    "--first-candidates",
    type=PATH,
    help="For free text: a file with one possible answer per line.",
)
@click.option("--second-candidates", type=PATH, help="Likewise for the second question.")
@result_options
def associate(
    first: Path,
    first_reports: Path,
    second: Path | None,
    second_reports: Path | None,
    pair: tuple[str, str] | None,
    first_candidates: Path | None,
    second_candidates: Path | None,
    output: Output,
) -> None:
    """Relate two questions: the joint table of two answers of the same people.

    FIRST and SECOND are collections; their reports must be aligned, so that the i-th of both
    is the same person's. The table is the most likely one; a test tells whether the two answers
    are independent.

    Of several questions that one collection asks at once, FIRST is that collection and each report
    is of both; --pair names two of them. Where all answers together were randomised as one,
    the table is that of unbiased shares, and an aggregate is enough.

    \b
    Examples:
      sudare associate tea.json tea.arrow town.json town.arrow
      sudare associate tea.json tea.arrow pages.json pages.arrow --second-candidates pages.txt
      sudare associate study.json reports.arrow --pair tea town
    """
    if pair is not None:
        refuse_idle("beside --pair", "second", "first_candidates", "second_candidates")
        _at_once(first, first_reports, pair, output)
        return
    if second is None or second_reports is None:
        raise click.UsageError(
            "Missing the second collection and its reports (or --pair, for two questions of "
            "one collection)."
        )
    from sudare.questions.association import associate as related

    given = (first, first_reports, second, second_reports, first_candidates, second_candidates)
    output.check(*(path for path in given if path is not None))
    report_sources((first_reports, second_reports))  # not one file twice
    agreed = load_collection(first), load_collection(second)
    told = [
        list(single_reports(collection, [path]))
        for collection, path in zip(agreed, (first_reports, second_reports), strict=True)
    ]
    with ExitStack() as stack:
        texts = [
            None if path is None else stack.enter_context(candidate_lines(path))
            for path in (first_candidates, second_candidates)
        ]
        progress = stack.enter_context(progress_bar())
        task = progress.add_task("relating", total=None)

        def hear(fit: str, gap: float) -> None:
            progress.update(task, description=f"{fit}: at most {gap:.2g} left to gain")

        found = related(agreed[0], told[0], agreed[1], told[1], *texts, progress=hear)
    _put(found, agreed, [collection.key for collection in agreed], output)


def _at_once(path: Path, reports: Path, questions: tuple[str, str], output: Output) -> None:
    """Relate two of the questions that a collection asks at once."""
    from sudare.mechanisms.aggregate import Aggregate
    from sudare.questions.association import associate_at_once

    output.check(path, reports)
    agreed = load_collection(path)
    told = (
        load_or_stdin(reports, FileKind.AGGREGATE, Aggregate.from_json)
        if reports.suffix == ".json"
        else list(single_reports(agreed, [reports]))
    )
    with progress_bar() as progress:
        task = progress.add_task("relating", total=None)

        def hear(fit: str, gap: float) -> None:
            progress.update(task, description=f"{fit}: at most {gap:.2g} left to gain")

        found = associate_at_once(agreed, told, questions, progress=hear)
    kind = cast("Several", agreed.kind)
    first, second = (kind.asked[at] for at in kind.numbers_of(questions))
    _put(found, (first, second), [agreed.key], output)


def _put(
    found: "PairTable", agreed: "tuple[Agreed, Agreed]", keys: list[str], output: Output
) -> None:
    rows = found.rows()
    output.put(
        document=lambda: _document(found, agreed, keys),
        csv=lambda: csv_text(rows, list(rows[0])),
        table=lambda target: _print(found, agreed, target),
    )


def _document(
    found: "PairTable", agreed: "tuple[Agreed, Agreed]", keys: list[str]
) -> dict[str, object]:
    ratio: Independence | None = getattr(found, "ratio", None)  # of unbiased shares there is none
    return {
        "first": agreed[0].name,
        "second": agreed[1].name,
        "keys": keys,
        "epsilon": found.epsilon,
        "n": found.n,
        "pairs": found.rows(),
        "score_test": vars(found.score),
        "likelihood_ratio_test": None if ratio is None else vars(ratio),
        "caveats": found.caveats,
        "gap": getattr(found, "gap", None),
    }


def _print(found: "PairTable", agreed: "tuple[Agreed, Agreed]", target: IO[str] | None) -> None:
    from sudare.chance.exact import text_up

    table = (
        _crossed(found)
        if len(found.second) <= _WIDEST
        else _listed(found, (agreed[0].name, agreed[1].name))
    )
    table.title = whole_text(f"{agreed[0].question} / {agreed[1].question}")
    table.title_justify = "left"
    put_table(table, target)
    tests = f"{p_value(found.score.p_value)} (score)"
    ratio: Independence | None = getattr(found, "ratio", None)
    if ratio is not None:
        tests += f", {p_value(ratio.p_value)} (likelihood ratio)"
    say(f"independent? p-value {tests}", target=target)
    for caveat in found.caveats:
        say(f"but {caveat}", target=target)
    people = counted(found.n, "person", "people")
    paid = "for both reports of each" if agreed[0].key != agreed[1].key else "for each report"
    say(f"{people}, ε = {text_up(found.epsilon)} {paid}", target=target)


def _crossed(found: "PairTable") -> "Table":
    """Rows and columns."""
    from rich.table import Table

    table = Table(caption="Shares of all people, with standard errors.")
    table.add_column("")
    for label in found.second:
        table.add_column(_shown(label), justify="right")
    for label, shares, errors in zip(found.first, found.table, found.stderr, strict=True):
        cells = (_share(*cell) for cell in zip(shares, errors, strict=True))
        table.add_row(_shown(label), *cells)
    return table


def _listed(found: "PairTable", names: tuple[str, str]) -> "Table":
    """The most frequent pairs."""
    from rich.table import Table

    rows = sorted(found.rows(), key=lambda row: -row["share"])
    shown = rows[:_LONGEST]
    table = Table(caption=f"The {len(shown)} largest of {len(rows)} shares.")
    for name in names:
        table.add_column(text_cell(name))
    table.add_column("share", justify="right")
    table.add_column("if independent", justify="right")
    for row in shown:
        expected = percent(row["independent"], 1)
        share = _share(row["share"], row["stderr"])
        table.add_row(_shown(row["first"]), _shown(row["second"]), share, expected)
    return table


def _share(share: float, error: float) -> str:
    return f"{fixed(100 * share, 1)} ± {percent(error, 1)}"


def _shown(label: str | None) -> "Text":
    from rich.text import Text

    return Text("other", style="italic") if label is None else text_cell(label)
