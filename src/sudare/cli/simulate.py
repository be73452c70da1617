"""``sudare simulate``: what a collection would give, before anybody is asked."""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.files import refuse_ours
from sudare.cli.shared.options import (
    MECHANISMS,
    OVER_TIME,
    PATH,
    MechanismName,
    force_option,
    json_option,
    output_option,
    picture_option,
    progress_bar,
)
from sudare.cli.shared.output import Output, refuse_replacing, result_options
from sudare.cli.shared.terminal import put_table, say, say_json
from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.numbers import as_given
from sudare.formats.tables import csv_text
from sudare.results.wording import ABSENT, counted, percent, percent_range, scientific, truths_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudare.chance.keystream import Keystream
    from sudare.collection.document import Collection
    from sudare.mechanisms.aggregate import Aggregate
    from sudare.mechanisms.over_time.population_sampler import Counts
    from sudare.simulation.experiments import Calibrate, ErrorSummary, Run

METHOD_NAMES = (*OVER_TIME, "lpu", "lpa")  # experiments.METHODS, without importing it
SCENARIO_NAMES = ("static", "random-walk", "seasonal", "step", "independent")  # likewise
_ROUNDS = 50  # unless a file says otherwise
_MOST_PEOPLE = 10**9
_COLLECTION, _REPORTS = "collection.json", "reports.arrow"  # in the folder of a survey
_AGGREGATE, _PAGE = "aggregate.json", "report.html"
_MOST_SURVEYED = 10**8  # each of whom answers alone, and is held in memory
_CHUNK = 1 << 18  # answers randomised at once


@click.group()
def simulate() -> None:
    """Simulate a collection before anybody is asked.

    \b
    Examples:
      sudare simulate stream --mechanism glance --rounds 50 --people 10000 --epsilon 4
      sudare simulate survey --people 20000 --epsilon 1
    """


@simulate.command()
@click.option(
    "--mechanism",
    "names",
    type=click.Choice(METHOD_NAMES),
    multiple=True,
    default=("glance",),
    show_default=True,
    help="Repeat it for several. lpu and lpa are those of LDP-IDS, for comparison.",
)
@click.option("--rounds", type=int, help=f"How many rounds there are.  [default: {_ROUNDS}]")
@click.option("--people", type=int, default=10_000, show_default=True, help="How many there are.")
@click.option(
    "--epsilon",
    "epsilons",
    type=float,
    multiple=True,
    default=(4.0,),
    show_default=True,
    help="What the whole stream of a person may cost; repeat it for several.",
)
@click.option("--kind", type=click.Choice(SCENARIO_NAMES), help="What happens.  [default: static]")
@click.option("--share", type=float, help="The middle of what happens.  [default: 0.5]")
@click.option("--swing", type=float, help="How far it goes to both sides.  [default: 0.3]")
@click.option("--truth", type=PATH, help="A CSV file with a column `share`, a row per round.")
@click.option("--fixed-groups", is_flag=True, help="As many reporters in every round.")
@click.option("--low", type=float, help="The least share that kshot is designed for.  [default: 0]")
@click.option("--high", type=float, help="The largest such share.  [default: 1]")
@click.option(
    "--repetitions", type=int, default=1, show_default=True, help="1 shows a run round by round."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the simulation.")
@result_options
@picture_option
def stream(
    names: tuple[str, ...],
    rounds: int | None,
    people: int,
    epsilons: tuple[float, ...],
    kind: str | None,
    share: float | None,
    swing: float | None,
    truth: Path | None,
    fixed_groups: bool,
    low: float | None,
    high: float | None,
    repetitions: int,
    seed: int,
    output: Output,
    plot: Path | None,
) -> None:
    """Count people over time: one run round by round, or the errors of many.

    What is true comes from --share (the same in every round), a --kind of stream, or a file. With
    --repetitions the maximal error over the rounds is measured, for each mechanism and ε.

    \b
    Examples:
      sudare simulate stream --mechanism glance --rounds 50 --people 10000 --epsilon 4 --share 0.5
      sudare simulate stream --mechanism kshot --kind seasonal --epsilon 4 --plot run.png
      sudare simulate stream --mechanism glance --mechanism kshot --mechanism lpa --kind step \\
        --epsilon 2 --epsilon 4 --epsilon 8 --repetitions 1000 --plot errors.svg
      sudare simulate stream --truth online.csv --people 500000 --epsilon 2 -o rounds.csv
    """
    from sudare.chance.randomness import Seeded

    output.check(*([] if truth is None else [truth]), plot=plot)
    rng = Seeded(seed)
    shape = {"kind": kind, "share": share, "swing": swing}
    held, happens = _held(rounds, people, truth, shape, rng)
    methods = _methods(names, low, high, fixed_groups=fixed_groups)
    about = {"stream": happens, "rounds": len(held), "people": people, "seed": seed}
    budgets = sorted(set(epsilons))
    if repetitions == 1:
        if len(budgets) > 1:
            raise ParameterError(
                f"one run has one ε, got {len(budgets)}; compare several with --repetitions"
            )
        _tell_runs(_runs(held, methods, budgets[0], rng), budgets[0], about, output, plot)
    else:
        outcomes = _outcomes(held, methods, budgets, repetitions, rng)
        _tell_errors(outcomes, {**about, "repetitions": repetitions}, output, plot)


def _check_people(people: int, most: int) -> None:
    """Refuse a number of people that nobody simulates, before memory is taken for them."""
    if not 1 <= people <= most:
        raise ParameterError(f"--people must be between 1 and {most:,}, got {people}")


def _held(
    rounds: int | None,
    people: int,
    truth: Path | None,
    shape: Mapping[str, Any],
    rng: "Keystream",
) -> "tuple[Counts, str]":
    """The people in each state, and what happens in words."""
    from sudare.simulation import scenarios

    given = {name: value for name, value in shape.items() if value is not None}
    _check_people(people, _MOST_PEOPLE)
    if truth is None:
        kind = given.pop("kind", SCENARIO_NAMES[0])
        planned = _ROUNDS if rounds is None else rounds
        return scenarios.stream(kind, planned, people, rng, **given), kind
    if given:
        raise ParameterError(f"--truth says what happens: leave out --{next(iter(given))}")
    shares = _read_shares(truth)
    if rounds not in {None, len(shares)}:
        raise ParameterError(
            f"{truth.name} has {counted(len(shares), 'round')}, --rounds says {rounds}"
        )
    return scenarios.counted(shares, people), truth.name


def _read_shares(path: Path) -> list[float]:
    """The column ``share`` of a CSV file."""
    from sudare.formats.files import finite

    refuse_ours(path, FileKind.DATA)
    with finite(path).open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = csv.DictReader(file, strict=True)
            if "share" not in (rows.fieldnames or ()):
                raise InvalidDocument(f"{path.name} has no column 'share' in its first line")
            shares: list[float] = []
            for row in rows:
                try:
                    share = float(row["share"])
                except (TypeError, ValueError):
                    share = float("nan")
                if not 0 <= share <= 1:
                    raise InvalidDocument(
                        f"{path.name}: the share of round {len(shares) + 1} is not a number "
                        f"from 0 to 1"
                    )
                shares.append(share)
        except csv.Error:
            raise InvalidDocument(f"{path.name} can't be read as CSV") from None
    if not shares:
        raise InvalidDocument(f"{path.name} has 0 rounds; a stream needs at least 1")
    return shares


def _methods(
    names: tuple[str, ...], low: float | None, high: float | None, *, fixed_groups: bool
) -> "dict[str, Calibrate]":
    from sudare.simulation import experiments

    methods = {name: experiments.METHODS[name] for name in names}
    if low is not None or high is not None:
        if "kshot" not in methods:
            raise ParameterError("--low and --high are for --mechanism kshot")
        methods["kshot"] = experiments.expecting(
            0.0 if low is None else low, 1.0 if high is None else high
        )
    if fixed_groups:
        return {
            f"{name}, fixed groups": experiments.fixed_groups(method)
            for name, method in methods.items()
        }
    return methods


def _runs(
    held: "Counts", methods: "Mapping[str, Calibrate]", epsilon: float, rng: "Keystream"
) -> "list[Run]":
    from sudare.simulation.experiments import run_once

    made = {name: calibrate(len(held), epsilon) for name, calibrate in methods.items()}
    return [run_once(name, method, held, rng) for name, method in made.items()]


def _outcomes(
    held: "Counts",
    methods: "Mapping[str, Calibrate]",
    epsilons: Sequence[float],
    repetitions: int,
    rng: "Keystream",
) -> "list[ErrorSummary]":
    from sudare.simulation.experiments import compare_streams

    with progress_bar() as progress:
        in_all = repetitions * len(methods) * len(epsilons)
        task = progress.add_task("simulating", total=max(0, in_all))
        return compare_streams(
            {"stream": held},
            methods,
            epsilons,
            repetitions,
            rng,
            progress=lambda done: progress.advance(task, done),
        )


def _tell_runs(
    runs: "list[Run]", epsilon: float, about: dict[str, Any], output: Output, plot: Path | None
) -> None:
    """Each round of one run, of one mechanism or of several side by side."""
    title = f"{_title(about)}, ε = {as_given(epsilon)}"
    rows = [{"mechanism": run.method, **row} for run in runs for row in run.rows()]
    found = [
        {
            "mechanism": run.method,
            "maximal_error": run.maximal_error,
            "missing": run.missing,
            "rows": run.rows(),
        }
        for run in runs
    ]

    def draw(path: Path) -> None:
        from sudare.results.figures import save, stream_figure

        save(stream_figure(runs, title=title), path)

    output.put(
        document=lambda: {**about, "epsilon": epsilon, "runs": found},
        csv=lambda: _csv(rows),
        table=lambda target: _print_runs(runs, title, target),
        plot=None if plot is None else partial(draw, plot),
    )


def _tell_errors(
    outcomes: "list[ErrorSummary]", about: dict[str, Any], output: Output, plot: Path | None
) -> None:
    """The maximal errors of many runs."""
    title = f"{_title(about)}, {counted(about['repetitions'], 'repetition')}"
    rows = [_row(outcome) for outcome in outcomes]

    def draw(path: Path) -> None:
        from sudare.results.figures import save, stream_error_figure
        from sudare.simulation.experiments import error_series

        save(stream_error_figure(error_series(outcomes), title=title), path)

    output.put(
        document=lambda: {**about, "rows": rows},
        csv=lambda: _csv(rows),
        table=lambda target: _print_errors(outcomes, title, target),
        plot=None if plot is None else partial(draw, plot),
    )


def _title(about: Mapping[str, Any]) -> str:
    people = counted(about["people"], "person", "people")
    return f"{about['stream']}: {people}, {counted(about['rounds'], 'round')}"


def _row(outcome: "ErrorSummary") -> dict[str, Any]:
    low, middle, high = outcome.quantiles
    return {
        "mechanism": outcome.method,
        "epsilon": outcome.epsilon,
        "mean_maximal_error": outcome.maximal,
        "stderr": outcome.stderr,
        "quantile_05": low,
        "median": middle,
        "quantile_95": high,
        "mean_squared_error": outcome.squared,
        "missing_rounds": outcome.missing,
    }


def _csv(rows: list[dict[str, Any]]) -> str:
    fields = list(dict.fromkeys(name for row in rows for name in row))
    known = [{name: _known(value) for name, value in row.items()} for row in rows]
    return csv_text(known, fields)


def _known(value: Any) -> Any:  # noqa: ANN401 - what a cell may hold
    """The value, or nothing where it is an infinite number: as JSON has it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _print_runs(runs: "list[Run]", title: str, target: IO[str] | None) -> None:
    """A row per round: of one mechanism with intervals, if any, of several the estimates alone."""
    several = len(runs) > 1
    intervals = not several and runs[0].estimate is not None
    heads = [run.method for run in runs] if several else ["share"]
    heads += ["95 % interval", "band"] * intervals
    lines = []
    for rows in zip(*(run.rows() for run in runs), strict=True):
        cells = [str(rows[0]["round"]), percent(rows[0]["truth"], 2)]
        cells += [ABSENT if row["share"] is None else percent(row["share"], 2) for row in rows]
        if intervals:
            cells += [_ends(rows[0], "low", "high"), _ends(rows[0], "band_low", "band_high")]
        lines.append(cells)
    say(title, target=target)
    _print_table(["round", "truth", *heads], lines, target)
    for run in runs:
        rounds = counted(run.missing, "round")
        silent = f"; {rounds} without reports" if run.missing else ""
        say(f"{run.method}: maximal error {percent(run.maximal_error, 2)}{silent}", target=target)


def _ends(row: Mapping[str, Any], low: str, high: str) -> str:
    if row.get(low) is None:
        return ""
    return percent_range(row[low], row[high], 1)


def _print_errors(outcomes: "list[ErrorSummary]", title: str, target: IO[str] | None) -> None:
    silent = any(one.missing for one in outcomes)
    heads = ["mechanism", "ε", "mean", "±", "5 %", "median", "95 %", "squared"]
    lines = [
        [
            one.method,
            as_given(one.epsilon),
            f"{one.maximal:.4g}",
            f"{one.stderr:.2g}",
            *(f"{quantile:.4g}" for quantile in one.quantiles),
            scientific(one.squared, plain=False, digits=2),
            *([f"{one.missing:.3g}"] * silent),
        ]
        for one in outcomes
    ]
    say(f"Maximal error over the rounds: {title}", target=target)
    _print_table([*heads, *["missing"] * silent], lines, target)


def _print_table(heads: list[str], lines: list[list[str]], target: IO[str] | None) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    for head in heads:
        table.add_column(head, justify="left" if head == "mechanism" else "right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    put_table(table, target)


@simulate.command()
@click.option("--people", type=int, default=20_000, show_default=True, help="Who answer.")
@click.option("--epsilon", type=float, default=1.0, show_default=True, help="Of each report.")
@click.option(
    "--mechanism",
    type=MechanismName(MECHANISMS),
    default="grr",
    show_default=True,
    help="How answers are randomised.",
)
@output_option("The folder for the survey's files and the HTML report.", default="sudare-survey")
@force_option
@click.option("--seed", type=int, help="Make the run repeatable.")
@json_option
def survey(
    people: int,
    epsilon: float,
    mechanism: str,
    output: Path,
    force: bool,
    seed: int | None,
    as_json: bool,
) -> None:
    """Run a private survey end to end: ask, randomise, report, aggregate, estimate.

    Simulated people name their favourite tea. Each answer is randomised as on its own device;
    only the reports are counted. The shares come out with honest error bars, beside the truth,
    which only a simulation knows.

    \b
    Examples:
      sudare simulate survey
      sudare simulate survey --people 1000000 --epsilon 0.5 --mechanism oue
    """
    import numpy as np

    from sudare.chance.randomness import Seeded, System
    from sudare.collection.document import Collection
    from sudare.demo.studies import TEAS
    from sudare.formats.files import write_whole
    from sudare.mechanisms import calibrated
    from sudare.questions.choice import Choice
    from sudare.questions.interface import ResultOptions
    from sudare.results import choice

    _check_people(people, _MOST_SURVEYED)
    collection = Collection(
        name="tea",
        question="Which tea do you like best?",
        answers=tuple(TEAS),
        mechanism=calibrated(mechanism, len(TEAS), epsilon),
    )
    _refuse_other_survey(collection, output, force=force)
    rng = System() if seed is None else Seeded(seed)
    answers = rng.generator().choice(len(TEAS), size=people, p=list(TEAS.values()))
    tell = (lambda _: None) if as_json else say
    total = _collect(collection, answers, output, rng, tell)
    shares = Choice(collection).result(total, ResultOptions(consistent="norm-sub"))
    truth = np.bincount(answers, minlength=len(TEAS)) / people
    known = dict(zip(collection.answers, truth.tolist(), strict=True))
    page = output / _PAGE
    note = "A simulation: the truth is known here, and only here."
    write_whole(page, choice.page(shares.with_truth(known), note).encode())
    if as_json:
        say_json({**shares.document(), "truth": truth.tolist(), "report": str(page)})
        return
    shown = replace(shares, consistent=None).with_truth(known)
    put_table(choice.table(shown))
    say(f"4. {truths_text(*shown.truths_held(), shown.level)}")
    say(f"   Report with plots: {page}   Try: sudare epsilon {output / _COLLECTION}")


def _refuse_other_survey(collection: "Collection", folder: Path, *, force: bool) -> None:
    """Refuse a folder in which files of something else have the names of a survey's."""
    if not folder.is_dir():
        return
    said = collection.to_json()
    refuse_replacing(folder / _COLLECTION, FileKind.COLLECTION, force=force, begins=said)
    refuse_replacing(folder / _REPORTS, FileKind.REPORTS, collection.key, force=force)
    refuse_replacing(folder / _AGGREGATE, FileKind.AGGREGATE, collection.key, force=force)
    refuse_replacing(folder / _PAGE, FileKind.PAGE, force=force)


def _collect(
    collection: "Collection",
    answers: "NDArray[np.int64]",
    output: Path,
    rng: "Keystream",
    say: Callable[[str], None],
) -> "Aggregate":
    """Ask, randomise and count in files of a folder, and tell each step."""
    from sudare.chance.exact import text_up
    from sudare.engines import local
    from sudare.formats.files import write_whole
    from sudare.formats.report_files import read_reports

    output.mkdir(parents=True, exist_ok=True)
    write_whole(output / _COLLECTION, collection.to_json())
    asked = f"{collection.question} {counted(len(collection.answers), 'answer')}"
    say(f"1. The question: {asked}, ε = {text_up(collection.epsilon)}")

    reports = output / _REPORTS
    _randomise(collection, answers, reports, rng)
    people = counted(len(answers), "person", "people")
    say(f"2. {people} answered; each answer was randomised before it left its device")
    say(f"   {_first_device(collection, answers, reports)}")

    stored = read_reports(reports, collection.report_dtype, collection.key)
    total = local.aggregate(collection, stored)
    write_whole(output / _AGGREGATE, total.to_json())
    say(f"3. The collector counted {counted(total.n, 'report')}; it never saw an answer")
    return total


def _randomise(
    collection: "Collection", answers: "NDArray[np.int64]", path: Path, rng: "Keystream"
) -> None:
    from sudare.formats.report_files import report_file

    with (
        progress_bar() as progress,
        report_file(path, collection.report_dtype, collection.key) as sink,
    ):
        task = progress.add_task("randomising", total=len(answers))
        for start in range(0, len(answers), _CHUNK):
            chunk = answers[start : start + _CHUNK]
            sink.write(collection.mechanism.randomize(chunk, rng))
            progress.advance(task, len(chunk))


def _first_device(collection: "Collection", answers: "NDArray[np.int64]", path: Path) -> str:
    """What left the first device, beside what its owner answered: a simulation may tell."""
    from sudare.formats.report_files import read_reports
    from sudare.formats.wire import to_bytes

    first = next(read_reports(path, collection.report_dtype, collection.key))[:1]
    said = [collection.answers[each] for each in collection.mechanism.tally(first).nonzero()[0]]
    words = ", ".join(f"“{answer}”" for answer in said) or "no answer at all"
    sent = f"{to_bytes(first).hex(' ')} ({words})"
    return f"the first one answered “{collection.answers[answers[0]]}” and its device sent {sent}"
