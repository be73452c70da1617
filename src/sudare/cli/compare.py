"""``sudare compare``: several mechanisms on one data set."""

from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.answers import AnswerOptions, answer_options, reading_bar, say_reading
from sudare.cli.shared.files import refuse_ours
from sudare.cli.shared.options import (
    MECHANISMS,
    PATH,
    MechanismName,
    plot_option,
    progress_bar,
)
from sudare.cli.shared.output import Output, result_options
from sudare.cli.shared.terminal import put_table, say
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.numbers import as_given
from sudare.formats.tables import csv_text
from sudare.results.wording import counted, powered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudare.answers.reading import Reading
    from sudare.chance.keystream import Keystream
    from sudare.simulation.comparison import ErrorCurve

_EPSILONS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


@click.command()
@click.argument("answers", type=PATH)
@answer_options
@click.option("--counts", "count_column", help="A column that says how many people hold each.")
@click.option(
    "--mechanism",
    "names",
    multiple=True,
    default=MECHANISMS,
    show_default=True,
    type=MechanismName(MECHANISMS),
    help="Repeat it for several; one that an installed package adds goes by its name.",
)
@click.option(
    "--epsilon",
    "epsilons",
    type=float,
    multiple=True,
    default=_EPSILONS,
    show_default=True,
    help="Repeat it for several.",
)
@click.option("--repetitions", type=int, default=100, show_default=True, help="Surveys at each ε.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the simulation.")
@result_options
@plot_option
def compare(
    answers: Path,
    source: AnswerOptions,
    count_column: str | None,
    names: tuple[str, ...],
    epsilons: tuple[float, ...],
    repetitions: int,
    seed: int,
    output: Output,
    plot: Path | None,
) -> None:
    """Compare mechanisms on the people of a file: mean squared error against ε.

    ANSWERS is a file with one row per person, or with one row per answer and a column of
    counts. The survey is simulated REPETITIONS times for each mechanism and ε; beside it stands
    what the theory predicts.

    \b
    Examples:
      sudare compare answers.csv --column tea --plot errors.png
      sudare compare clothing.csv --column model --counts count --epsilon 2 --epsilon 3
    """
    from sudare.chance.randomness import Seeded
    from sudare.mechanisms import categorical
    from sudare.simulation.comparison import error_curves

    output.check(answers, plot=plot)
    refuse_ours(answers, FileKind.DATA)
    if count_column is not None and source.person is not None:
        raise ParameterError("--counts says how many people a row is of: it goes without --person")
    rng = Seeded(seed)
    truth, reading = _population(answers, source, count_column, rng)
    with progress_bar() as progress:
        task = progress.add_task("simulating", total=len(names) * len(epsilons))
        curves = error_curves(
            [categorical(name) for name in names],
            truth,
            sorted(epsilons),
            repetitions,
            rng,
            progress=lambda: progress.advance(task),
        )
    people = counted(int(truth.sum()), "person", "people")
    people += f", {counted(truth.size, 'answer')}, {counted(repetitions, 'repetition')}"
    rows = _rows(curves)
    output.put(
        document=lambda: {"n": int(truth.sum()), "k": truth.size, "rows": rows},
        csv=lambda: csv_text(rows, list(rows[0])),
        table=lambda target: _print(curves, people, target),
        plot=None if plot is None else partial(_save_plot, curves, plot, people),
    )
    say_reading(reading)


def _population(
    path: Path, source: AnswerOptions, count_column: str | None, rng: "Keystream"
) -> "tuple[NDArray[np.int64], Reading]":
    """How many people hold each answer, and how they were read."""
    import numpy as np

    from sudare.answers.labels import Labels
    from sudare.answers.table import columns_named

    labels = Labels(counts=count_column)
    columns = [source.name] if count_column is None else [source.name, count_column]
    with reading_bar("reading") as advance:
        reading = source.reading(path, columns_named(*columns), labels, rng, advance)
        for chunk in reading:
            labels.count(chunk)
    held = labels.held()
    people_in_all = sum(held.values())  # as Python's own numbers: no overflow
    if len(held) < 2 or not 0 < people_in_all < 2**53:
        raise ParameterError(
            f"{path}: a comparison needs people and at least 2 answers, got "
            f"{counted(people_in_all, 'person', 'people')} and {counted(len(held), 'answer')}"
        )
    return np.array(list(held.values()), np.int64), reading


def _rows(curves: "list[ErrorCurve]") -> list[dict[str, Any]]:
    return [
        {
            "mechanism": curve.label,
            "epsilon": float(curve.x[index]),
            "mean_squared_error": float(curve.y[index]),
            "stderr": float(curve.stderr[index]),
            "theory": float(curve.theory[index]),
        }
        for curve in curves
        for index in range(len(curve.x))
    ]


def _print(curves: "list[ErrorCurve]", people: str, target: IO[str] | None) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    table.add_column("ε", justify="right")
    table.add_column("mechanism")
    table.add_column("error", justify="right")
    table.add_column("theory", justify="right", style="dim")
    for index, epsilon in enumerate(curves[0].x):
        best = min(curve.y[index] for curve in curves)
        for curve in curves:
            spread = curve.stderr[index] / (curve.y[index] or 1)
            text = f"{powered(curve.y[index])} ±{spread:.0%}"
            table.add_row(
                as_given(epsilon) if curve is curves[0] else "",
                curve.label,
                Text(text, style="bold green" if curve.y[index] == best else ""),
                powered(curve.theory[index]),
                end_section=curve is curves[-1],
            )
    say(f"Mean squared error of the shares: {people}", target=target)
    put_table(table, target)


def _save_plot(curves: "list[ErrorCurve]", path: Path, people: str) -> None:
    title = f"Error against ε ({people})"
    if path.suffix.lower() == ".html":
        from sudare.formats.files import write_whole
        from sudare.results.html import error_page

        page = error_page(title, curves, x_label="ε", y_label="mean squared error of the shares")
        write_whole(path, page.encode())
        return
    from sudare.results.figures import error_figure, save

    save(error_figure(curves, title=title), path)
