"""``sudare randomize``: answers in, reports out."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sudare.cli.shared.files import naming, refuse_ours
from sudare.cli.shared.options import (
    PATH,
    answer_options,
    binary_stdout,
    collection_argument,
    force_option,
    is_pipe,
    load_collection,
    output_option,
    progress_bar,
    refuse_overwriting,
)
from sudare.cli.shared.output import refuse_replacing
from sudare.cli.shared.terminal import say
from sudare.errors import InvalidDocument
from sudare.formats.file_kinds import FileKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudare.collection.document import Collection
    from sudare.formats.columns import Layout


@click.command()
@collection_argument
@click.argument("answers", type=PATH, default="-")
@output_option("Where the reports go: .arrow or .parquet.")
@force_option
@answer_options
def randomize(
    collection: Path,
    answers: Path,
    output: Path,
    force: bool,
    column: str,
    form: str,
    insecure_seed: int | None,
) -> None:
    """Randomise answers into reports: the step that belongs on the devices.

    ANSWERS is a CSV, Parquet or Arrow file, or stdin. Memory stays bounded whatever its length.
    Each answer is taken to be the first of a new device: permanent noise is kept, and an ε for
    life holds, only where every person's own device reports (`sudare.Device`).

    Over time, ANSWERS has a row per person and a column per round (named 1, 2, 3 …, or as many
    columns as rounds), each a state: its label, or 0 or 1. A row is a person's whole stream.
    The first line is a header, also if it is a lone 1; --format lines is for files without one.

    \b
    Examples:
      sudare randomize tea.json answers.csv --column tea -o reports.arrow
      sudare randomize online.json states.csv -o reports.arrow
      echo green | sudare randomize tea.json --format lines | sudare aggregate tea.json
    """
    from sudare.chance.randomness import Seeded, System
    from sudare.formats.wire import report_file, report_stream

    agreed = load_collection(collection)
    given = get_current_context().get_parameter_source("column")
    layout = agreed.kind.layout(None if given is ParameterSource.DEFAULT else column)
    refuse_ours(answers, FileKind.DATA)
    rng = System() if insecure_seed is None else Seeded(insecure_seed)
    if is_pipe(output):
        target = report_stream(binary_stdout(), agreed.report_dtype, agreed.key)
    else:
        refuse_overwriting(output, collection, answers)
        refuse_replacing(output, FileKind.REPORTS, agreed.key, force=force)
        target = report_file(output, agreed.report_dtype, agreed.key)
    people = reports = 0
    with progress_bar(bytes_total=True) as progress, target as sink:
        task = progress.add_task("randomising", total=None)

        def advance(read: int, size: int) -> None:
            progress.update(task, completed=read, total=size or None)

        for values in _values(agreed, answers, layout, form, advance):
            made = agreed.mechanism.randomize(values, rng)
            sink.write(made)
            people += len(values)
            reports += len(made)
        if not people:
            with naming(answers, FileKind.DATA):
                raise InvalidDocument("the input holds 0 answers; there is nothing to randomise")
    seeded = "" if insecure_seed is None else " (from a seed: no privacy)"
    say(agreed.kind.randomised(people, reports) + seeded, err=True)


def _values(
    agreed: "Collection",
    answers: Path,
    layout: "Layout",
    form: str,
    advance: Callable[[int, int], object],
) -> Iterator["NDArray[Any]"]:
    """People's answers as the mechanism's values, in chunks."""
    from sudare.formats.columns import read_columns

    done, step = 0, agreed.kind.rows_at_once
    with naming(answers, FileKind.DATA):
        for columns in read_columns(answers, layout, form, advance, step):
            people = len(columns[0])
            for start in range(0, people, step):
                part = [column.slice(start, step) for column in columns]
                yield agreed.kind.encode_columns(part, done + start)
            done += people
