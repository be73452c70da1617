"""``sudare compare``: several ways of asking, on one data set."""

import math
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import rich_click as click

from sudare.cli.shared.answers import (
    AnswerOptions,
    answer_options,
    reading_bar,
    say_reading,
    separator_option,
)
from sudare.cli.shared.files import refuse_ours
from sudare.cli.shared.mechanism_options import question_options
from sudare.cli.shared.options import (
    MECHANISMS,
    PATH,
    MechanismName,
    plot_option,
    progress_bar,
    refuse_idle,
)
from sudare.cli.shared.output import Output, result_options
from sudare.cli.shared.question_list import read_questions
from sudare.cli.shared.terminal import put_table, say
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.numbers import as_given
from sudare.formats.tables import csv_text
from sudare.results.wording import ABSENT, counted, powered

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudare.answers.reading import Judge, Reading
    from sudare.answers.table import Layout
    from sudare.chance.keystream import Keystream
    from sudare.collection.document import Collection
    from sudare.planning.mechanism_choice import MechanismOptions
    from sudare.questions.number import NumberQuestion
    from sudare.simulation.alternatives import Alternatives
    from sudare.simulation.comparison import ErrorCurve

_EPSILONS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
# Those of simulation.alternatives, without importing it; of each kind those that no other has.
LIST_WAYS = (*MECHANISMS, "loloha", "rappor")
SELECTION_WAYS = ("set", "yes-no", "sampled-grr", "sampled-subset")
OTHER_WAYS = ("window", "wave", "sample", "split", "joint")
_LEAST = 2  # answers that can be compared


@click.command()
@click.argument("answers", type=PATH)
@question_options
@click.option(
    "--questions",
    "questions_file",
    type=PATH,
    help="Several questions at once: a TOML or JSON file as `sudare collection new` takes it. "
    "ANSWERS has a column for each.",
)
@separator_option
@answer_options
@click.option("--counts", "count_column", help="A column that says how many people a row is of.")
@click.option(
    "--mechanism",
    "names",
    multiple=True,
    type=MechanismName([*LIST_WAYS, *SELECTION_WAYS, *OTHER_WAYS]),
    help="Repeat it for several; those that are usual for such a question, unless any is named. "
    "One that an installed package adds goes by its name. Of several answers of a list, yes-no "
    "asks for each with a part of ε, and sampled-grr and sampled-subset for one of them, drawn by "
    "chance.",
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
    asked: "MechanismOptions",
    questions_file: Path | None,
    separator: str | None,
    source: AnswerOptions,
    count_column: str | None,
    names: tuple[str, ...],
    epsilons: tuple[float, ...],
    repetitions: int,
    seed: int,
    output: Output,
    plot: Path | None,
) -> None:
    """Compare ways of asking on the people of a file: mean squared error against ε.

    ANSWERS is a file with one row per person, or with a column of how many people each row is of.
    The survey is simulated REPETITIONS times for each mechanism and ε; beside it stands what the
    theory predicts.

    Without more options people give one answer of a list: of those in the file. With --most they
    select several; with --from, --to and --step they give a number, of which the error is that of
    the mean, or with --estimate distribution the distance from the true distribution; with
    --questions they answer several questions at once.

    \b
    Examples:
      sudare compare answers.csv --column tea --plot errors.png
      sudare compare clothing.csv --column model --counts count --epsilon 2 --epsilon 3
      sudare compare colours.csv --most 2
      sudare compare ages.csv --from 18 --to 99 --step 1 --estimate mean
      sudare compare study.csv --questions questions.toml --epsilon 2
    """
    from sudare.chance.randomness import Seeded
    from sudare.simulation.comparison import check_repetitions, curves_of

    output.check(answers, plot=plot)
    refuse_ours(answers, FileKind.DATA)
    if count_column is not None and source.person is not None:
        raise ParameterError("--counts says how many people a row is of: it goes without --person")
    check_repetitions(repetitions)
    rng = Seeded(seed)
    table = _Table(answers, source, count_column, rng)
    compared = _read(table, asked, questions_file, separator)
    budgets = sorted(set(epsilons))
    ways = compared.ways(names, budgets)
    with progress_bar() as progress:
        task = progress.add_task("simulating", total=len(ways) * len(budgets))
        curves = curves_of(
            *(ways, budgets, repetitions, rng), progress=lambda: progress.advance(task)
        )
    people = counted(compared.people, "person", "people")
    people += f", {compared.described}, {counted(repetitions, 'repetition')}"
    error = compared.error
    rows = _rows(curves)
    facts = {"n": compared.people, **compared.facts(), "error": error}
    output.put(
        document=lambda: {**facts, "rows": rows},
        csv=lambda: csv_text(rows, list(rows[0])),
        table=lambda target: _print(curves, f"{error[0].upper()}{error[1:]}: {people}", target),
        plot=None if plot is None else partial(_save_plot, curves, plot, people, error),
    )
    table.say()


class _Table:
    """The file of answers, which is read once, as the question has it.

    Args:
        path: of the file.
        source: how it is read.
        counts: the column that says how many people a row is of, if there is one.
        rng: the chance by which one row of a person is kept.
    """

    def __init__(
        self, path: Path, source: AnswerOptions, counts: str | None, rng: "Keystream"
    ) -> None:
        self.path, self.source, self._counts, self._rng = path, source, counts, rng
        self._reading: Reading | None = None
        self._agreed: Collection | None = None

    def read(self, judge: "Judge", layout: "Layout", take: "Callable[[Any, Any], None]") -> None:
        """Hand over the values of the file, and how many people each is of; None for one each."""
        from sudare.answers.labels import OfSeveralPeople
        from sudare.answers.table import columns_named

        if self._counts is not None:
            judge = OfSeveralPeople(judge, self._counts)
            both = columns_named(*layout.names, self._counts)
            layout = both._replace(delimiter=",", quoted=True)
        with reading_bar("reading") as advance:
            self._reading = self.source.reading(self.path, layout, judge, self._rng, advance)
            for rows in self._reading:
                if self._counts is None:
                    take(rows, None)
                else:
                    values = rows[:, :-1]
                    take(values if values.shape[1] > 1 else values[:, 0], rows[:, -1])

    def read_as(self, agreed: "Collection", take: "Callable[[Any, Any], None]") -> None:
        """The same for the answers to a collection's question."""
        self._agreed = agreed
        self.read(agreed.kind, agreed.kind.layout(self.source.column), take)

    def check(self, people: int, least: int, answers: int) -> None:
        """Refuse a file with too few answers, or with nobody or too many."""
        if answers < least or not 0 < people < 2**53:
            needed, found = "from 1 to 2^53 - 1 people", counted(people, "person", "people")
            if least:
                needed += f" and at least {least} answers"
                found += f" and {counted(answers, 'answer')}"
            raise ParameterError(f"{self.path}: a comparison needs {needed}, got {found}")

    def say(self) -> None:
        """Say which rows were left out, and the like."""
        if self._reading is not None:
            say_reading(self._reading, self._agreed)


def _read(
    table: _Table,
    asked: "MechanismOptions",
    questions_file: Path | None,
    separator: str | None,
) -> "Alternatives":
    """The people of a file, and the ways of asking them what the options say."""
    if asked.most is None:
        refuse_idle("without --most", "separator")
    if questions_file is not None:
        return _at_once(table, asked, questions_file)
    if asked.has_range:
        return _numbers(table, asked)
    if asked.most is not None:
        return _selections(table, asked.most, separator)
    return _listed(table)


def _listed(table: _Table) -> "Alternatives":
    """One answer of a list: of those in the file."""
    import numpy as np

    from sudare.answers.labels import Labels
    from sudare.answers.table import columns_named
    from sudare.simulation.alternatives import OneOfList

    labels = Labels()
    table.read(labels, columns_named(table.source.name), labels.count)
    held = labels.held()
    table.check(sum(held.values()), _LEAST, len(held))  # Python's own numbers: no overflow
    return OneOfList(np.array(list(held.values()), np.int64))


def _selections(table: _Table, most: int, separator: str | None) -> "Alternatives":
    """Several answers of a list: of those that are selected in the file."""
    from sudare.answers.table import columns_named
    from sudare.mechanisms.domain import Selections
    from sudare.questions.selection import SEPARATOR, FoundSelections
    from sudare.simulation.alternatives import SeveralOfList

    found = FoundSelections(most, SEPARATOR if separator is None else separator)
    table.read(found, columns_named(table.source.name), found.count)
    people = sum(found.held().values())
    table.check(people, 0, 0)
    groups = found.groups()
    answers = groups.selections.shape[1]
    table.check(people, _LEAST, answers)
    domain = Selections(answers, most)
    return SeveralOfList(domain.population(groups), domain.most)


def _numbers(table: _Table, asked: "MechanismOptions") -> "Alternatives":
    """A number: its mean, or its distribution."""
    import numpy as np

    from sudare.collection.document import Collection
    from sudare.mechanisms.domain import Numbers
    from sudare.planning.mechanism_choice import choose
    from sudare.simulation.alternatives import Distribution, Mean

    agreed = Collection("numbers", "?", tuple(asked.labels), choose(asked, len(asked.labels)))
    numbers = cast("NumberQuestion", agreed.kind).numbers
    held = np.zeros(numbers.steps + 1, np.int64)

    def take(values: Any, people: Any) -> None:  # noqa: ANN401 - arrays
        np.add.at(held, values, 1 if people is None else people)

    table.read_as(agreed, take)
    table.check(sum(held.tolist()), 0, 0)
    held = Numbers(numbers.steps).population(held)
    if agreed.kind.body.number == "mean":
        return Mean(held, float(numbers.step))
    return Distribution(held, asked.bins)


def _at_once(table: _Table, asked: "MechanismOptions", path: Path) -> "Alternatives":
    """Several questions at once, with the answers that a file lists."""
    from dataclasses import replace

    import numpy as np

    from sudare.collection.document import Collection
    from sudare.mechanisms.domain import Questions
    from sudare.planning.mechanism_choice import choose_several
    from sudare.simulation.alternatives import AtOnce

    parts = read_questions(path)
    sizes = tuple(len(part.answers) for part in parts)
    any_will_do = choose_several(replace(asked, mechanism="grr", design="sample"), sizes)
    agreed = Collection("questions", "?", (), any_will_do, parts=parts)
    rows, people = [np.empty((0, len(parts)), np.int64)], [np.empty(0, np.int64)]

    def take(values: Any, counts: Any) -> None:  # noqa: ANN401 - arrays
        alike, which = np.unique(values, axis=0, return_inverse=True)
        held = np.zeros(len(alike), np.int64)
        np.add.at(held, which.ravel(), 1 if counts is None else counts)
        rows.append(alike)
        people.append(held)

    table.read_as(agreed, take)
    groups = Questions(sizes).groups(np.concatenate(rows), np.concatenate(people))
    table.check(int(groups.people.sum()), 0, 0)
    return AtOnce(groups, sizes)


def _rows(curves: "list[ErrorCurve]") -> list[dict[str, Any]]:
    return [
        {
            "mechanism": curve.label,
            "epsilon": float(curve.x[index]),
            "mean_squared_error": float(curve.y[index]),
            "stderr": float(curve.stderr[index]),
            "theory": None if math.isnan(curve.theory[index]) else float(curve.theory[index]),
        }
        for curve in curves
        for index in range(len(curve.x))
    ]


def _print(curves: "list[ErrorCurve]", caption: str, target: IO[str] | None) -> None:
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
                ABSENT if math.isnan(curve.theory[index]) else powered(curve.theory[index]),
                end_section=curve is curves[-1],
            )
    say(caption, target=target)
    put_table(table, target)


def _save_plot(curves: "list[ErrorCurve]", path: Path, people: str, error: str) -> None:
    if path.suffix.lower() == ".html":
        from sudare.formats.files import write_whole
        from sudare.results.html import error_page

        title = f"Error against ε ({people})"
        page = error_page(title, curves, x_label="ε", y_label=error)
        write_whole(path, page.encode())
        return
    from sudare.results.figures import error_figure, save

    title = f"{error[0].upper()}{error[1:]}"  # too long to stand beside the axis
    save(error_figure(curves, title=title, x_label=f"ε ({people})"), path)
