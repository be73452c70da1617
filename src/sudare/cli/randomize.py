"""``sudare randomize``: answers in, reports out."""

from pathlib import Path

import rich_click as click

from sudare.cli.options import (
    PATH,
    answer_options,
    binary_stdout,
    collection_argument,
    is_pipe,
    load_collection,
    progress_bar,
    refuse_overwriting,
)


@click.command()
@collection_argument
@click.argument("answers", type=PATH, default="-")
@click.option("-o", "--output", type=PATH, default="-", help="reports.arrow or reports.parquet.")
@answer_options
def randomize(
    collection: Path,
    answers: Path,
    output: Path,
    column: str,
    form: str,
    insecure_seed: int | None,
) -> None:
    """Randomise answers into reports: the step that belongs on the devices.

    ANSWERS is a CSV, Parquet or Arrow file, or stdin. Memory stays bounded whatever its length.
    Each answer is taken to be the first of a new device: permanent noise is kept, and an ε for
    life holds, only where every person's own device reports (`sudare.Device`).

    \b
    Examples:
      sudare randomize tea.json answers.csv --column tea -o reports.arrow
      echo green | sudare randomize tea.json --format lines | sudare aggregate tea.json
    """
    from sudare.cli.answers import encode, read_column
    from sudare.exact import text_up
    from sudare.randomness import Seeded, System
    from sudare.wire import report_file, report_stream

    agreed = load_collection(collection)
    rng = System() if insecure_seed is None else Seeded(insecure_seed)
    if is_pipe(output):
        target = report_stream(binary_stdout(), agreed.report_dtype, agreed.key)
    else:
        refuse_overwriting(output, collection, answers)
        target = report_file(output, agreed.report_dtype, agreed.key)
    done = 0
    with progress_bar(bytes_total=True) as progress, target as sink:
        task = progress.add_task("randomising", total=None)

        def advance(read: int, size: int) -> None:
            progress.update(task, completed=read, total=size or None)

        for chunk in read_column(answers, column, form, advance):
            sink.write(agreed.mechanism.randomize(encode(agreed, chunk, done), rng))
            done += len(chunk)
        if not done:
            from sudare.errors import InvalidDocument

            raise InvalidDocument("the input holds 0 answers; there is nothing to randomise")
    seeded = "" if insecure_seed is None else " (from a seed: no privacy)"
    click.echo(
        f"{done:,} answers randomised at ε = {text_up(agreed.epsilon)} each{seeded}", err=True
    )
