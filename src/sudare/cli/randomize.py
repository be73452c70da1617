"""``sudare randomize``: answers in, reports out."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.shared.answers import (
    AnswerOptions,
    answer_options,
    judge_of,
    other_option,
    reading_bar,
    say_reading,
    seed_option,
    separator_option,
)
from sudare.cli.shared.files import refuse_ours
from sudare.cli.shared.options import (
    PATH,
    binary_stdout,
    collection_argument,
    force_option,
    is_pipe,
    load_collection,
    output_option,
    refuse_overwriting,
)
from sudare.cli.shared.output import refuse_folder, refuse_replacing
from sudare.cli.shared.terminal import say
from sudare.errors import InvalidDocument
from sudare.formats.file_kinds import FileKind

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import numpy as np

    from sudare.formats.report_files import Sink


@click.command()
@collection_argument
@click.argument("answers", type=PATH, default="-")
@output_option("Where the reports go: .arrow or .parquet; a name without an ending is a folder.")
@click.option("--ids", is_flag=True, help="Give each report a random id, to count it once.")
@force_option
@answer_options
@other_option
@separator_option
@seed_option
def randomize(
    collection: Path,
    answers: Path,
    output: Path,
    force: bool,
    source: AnswerOptions,
    other: str | None,
    separator: str | None,
    insecure_seed: int | None,
    ids: bool,
) -> None:
    """Randomise answers into reports: the step that belongs on the devices.

    ANSWERS is a CSV, JSON lines, Parquet, Arrow or Excel file, packed by gzip or zstd or not, or
    stdin. Memory stays bounded whatever its length. Each answer is taken to be the first of a new
    device: permanent noise is kept, and an ε for life holds, only where every person's own device
    reports (`sudare.Device`). Where rows are not people, --person takes one of each.

    Where several answers may be selected, a cell holds them with a --separator between, and one
    alone for nothing; or there is a column for each answer, named so, with 0 or 1 in it.

    Over time, ANSWERS has a row per person and a column per round (named 1, 2, 3 …, or as many
    columns as rounds), each a state: its label, or 0 or 1. A row is a person's whole stream.
    The first line is a header, also if it is a lone 1; --format lines is for files without one.

    \b
    Examples:
      sudare randomize tea.json answers.csv --column tea -o reports.arrow
      sudare randomize country.json clicks.csv.gz --column country --person "session ID" \\
        -o reports.arrow
      sudare randomize colours.json answers.csv --separator , -o reports.arrow
      sudare randomize online.json states.csv -o reports.arrow
      sudare randomize tea.json answers.parquet --ids -o lake/tea
      echo green | sudare randomize tea.json --format lines | sudare aggregate tea.json
    """
    from sudare.chance.randomness import Seeded, System
    from sudare.formats.report_ids import identified_dtype, with_new_ids

    agreed = load_collection(collection)
    layout = agreed.kind.layout(source.column)
    judge = judge_of(agreed, other, separator)
    refuse_ours(answers, FileKind.DATA)
    rng = System() if insecure_seed is None else Seeded(insecure_seed)
    dtype = identified_dtype(agreed.report_dtype) if ids else agreed.report_dtype
    if not is_pipe(output):
        refuse_overwriting(output, collection, answers)
    target = _target(output, dtype, agreed.key, force=force)
    reports = 0
    with reading_bar("randomising") as advance, target as sink:
        step = agreed.kind.rows_at_once
        reading = source.reading(answers, layout, judge, rng, advance, step)
        for values in reading:
            made = agreed.mechanism.randomize(values, rng)
            sink.write(with_new_ids(made) if ids else made)
            reports += len(made)
        if not reading.people:
            raise InvalidDocument(f"{reading.table.name} holds 0 answers; nothing was randomised")
    seeded = "" if insecure_seed is None else " (from a seed: no privacy)"
    say(agreed.kind.randomised(reading.people, reports) + seeded, err=True)
    say_reading(reading, agreed)


def _target(
    output: Path, dtype: "np.dtype[np.void]", key: str, *, force: bool
) -> "AbstractContextManager[Sink]":
    """A pipe, a file, or a folder of files, which gets the reports."""
    from sudare.formats.report_files import report_file, report_stream
    from sudare.formats.report_sets import report_set

    if is_pipe(output):
        return report_stream(binary_stdout(), dtype, key)
    if not output.suffix and (output.is_dir() or not output.exists()):
        refuse_folder(output)
        return report_set(output, dtype, key)
    refuse_replacing(output, FileKind.REPORTS, key, force=force)
    return report_file(output, dtype, key)
