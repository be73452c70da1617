"""``sudare randomize``: answers in, reports out."""

from pathlib import Path

import rich_click as click

from sudare.cli.shared.answers import (
    AnswerOptions,
    answer_options,
    judge_of,
    other_option,
    reading_bar,
    say_reading,
    seed_option,
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
from sudare.cli.shared.output import refuse_replacing
from sudare.cli.shared.terminal import say
from sudare.errors import InvalidDocument
from sudare.formats.file_kinds import FileKind


@click.command()
@collection_argument
@click.argument("answers", type=PATH, default="-")
@output_option("Where the reports go: .arrow or .parquet.")
@force_option
@answer_options
@other_option
@seed_option
def randomize(
    collection: Path,
    answers: Path,
    output: Path,
    force: bool,
    source: AnswerOptions,
    other: str | None,
    insecure_seed: int | None,
) -> None:
    """Randomise answers into reports: the step that belongs on the devices.

    ANSWERS is a CSV, JSON lines, Parquet, Arrow or Excel file, packed by gzip or zstd or not, or
    stdin. Memory stays bounded whatever its length. Each answer is taken to be the first of a new
    device: permanent noise is kept, and an ε for life holds, only where every person's own device
    reports (`sudare.Device`). Where rows are not people, --person takes one of each.

    Over time, ANSWERS has a row per person and a column per round (named 1, 2, 3 …, or as many
    columns as rounds), each a state: its label, or 0 or 1. A row is a person's whole stream.
    The first line is a header, also if it is a lone 1; --format lines is for files without one.

    \b
    Examples:
      sudare randomize tea.json answers.csv --column tea -o reports.arrow
      sudare randomize country.json clicks.csv.gz --column country --person "session ID" \\
        -o reports.arrow
      sudare randomize online.json states.csv -o reports.arrow
      echo green | sudare randomize tea.json --format lines | sudare aggregate tea.json
    """
    from sudare.chance.randomness import Seeded, System
    from sudare.formats.report_files import report_file, report_stream

    agreed = load_collection(collection)
    layout, judge = agreed.kind.layout(source.column), judge_of(agreed, other)
    refuse_ours(answers, FileKind.DATA)
    rng = System() if insecure_seed is None else Seeded(insecure_seed)
    if is_pipe(output):
        target = report_stream(binary_stdout(), agreed.report_dtype, agreed.key)
    else:
        refuse_overwriting(output, collection, answers)
        refuse_replacing(output, FileKind.REPORTS, agreed.key, force=force)
        target = report_file(output, agreed.report_dtype, agreed.key)
    reports = 0
    with reading_bar("randomising") as advance, target as sink:
        step = agreed.kind.rows_at_once
        reading = source.reading(answers, layout, judge, rng, advance, step)
        for values in reading:
            made = agreed.mechanism.randomize(values, rng)
            sink.write(made)
            reports += len(made)
        if not reading.people:
            raise InvalidDocument(f"{reading.table.name} holds 0 answers; nothing was randomised")
    seeded = "" if insecure_seed is None else " (from a seed: no privacy)"
    say(agreed.kind.randomised(reading.people, reports) + seeded, err=True)
    say_reading(reading)
