"""``sudare simulate``: what a collection would give, before anybody is asked."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.options import PATH, json_option, progress_bar, refuse_overwriting
from sudare.cli.simulated import Outputs, tell_errors, tell_runs
from sudare.cli.survey import simulate_survey
from sudare.errors import InvalidDocument, ParameterError

if TYPE_CHECKING:
    from sudare.experiments import Calibrate, Outcome, Run
    from sudare.keystream import Keystream
    from sudare.populations import Counts

METHOD_NAMES = (
    "glance",
    "harmony",
    "borappor",
    "kshot",
    "lpu",
    "lpa",
)  # sudare.experiments.METHODS
KIND_NAMES = ("static", "random-walk", "seasonal", "step", "independent")  # sudare.scenarios.KINDS
_FIGURES = (".png", ".svg", ".pdf")
_ROUNDS = 50  # unless a file says otherwise
_MOST_PEOPLE = 10**9


@click.group()
def simulate() -> None:
    """Simulate a collection before anybody is asked.

    \b
    Examples:
      sudare simulate stream --mechanism glance --rounds 50 --people 10000 --epsilon 4
      sudare simulate survey --people 20000 --epsilon 1
    """


simulate.add_command(simulate_survey)


def _check_output(
    context: click.Context, option: click.Parameter, path: Path | None
) -> Path | None:
    """Refuse what can't be written before the work is done."""
    del context  # click hands it to every callback
    if path is not None:
        if option.name == "plot" and path.suffix.lower() not in _FIGURES:
            raise ParameterError(f"a figure is saved as {', '.join(_FIGURES)}; got {path.name!r}")
        if not path.parent.is_dir():
            raise ParameterError(f"there is no folder {path.parent} to save {path.name} in")
    return path


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
@click.option("--kind", type=click.Choice(KIND_NAMES), help="What happens.  [default: static]")
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
@json_option
@click.option(
    "--csv", "as_csv", type=PATH, callback=_check_output, help="Also save the rows as CSV."
)
@click.option(
    "--plot", type=PATH, callback=_check_output, help="Also save a plot: .png, .svg or .pdf."
)
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
    as_json: bool,
    as_csv: Path | None,
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
      sudare simulate stream --truth online.csv --people 500000 --epsilon 2 --csv rounds.csv
    """
    from sudare.randomness import Seeded

    for output in (as_csv, plot):
        if output is not None and truth is not None:
            refuse_overwriting(output, truth)
    rng = Seeded(seed)
    shape = {"kind": kind, "share": share, "swing": swing}
    held, happens = _held(rounds, people, truth, shape, rng)
    methods = _methods(names, low, high, fixed_groups=fixed_groups)
    about = {"stream": happens, "rounds": len(held), "people": people, "seed": seed}
    outputs = Outputs(as_json, as_csv, plot)
    budgets = sorted(set(epsilons))
    if repetitions == 1:
        if len(budgets) > 1:
            raise ParameterError(
                f"one run has one ε, got {len(budgets)}; compare several with --repetitions"
            )
        tell_runs(_runs(held, methods, budgets[0], rng), budgets[0], about, outputs)
    else:
        outcomes = _outcomes(held, methods, budgets, repetitions, rng)
        tell_errors(outcomes, {**about, "repetitions": repetitions}, outputs)


def _held(
    rounds: int | None,
    people: int,
    truth: Path | None,
    shape: Mapping[str, Any],
    rng: "Keystream",
) -> "tuple[Counts, str]":
    """The people in each state, and what happens in words."""
    from sudare.scenarios import counted, stream

    given = {name: value for name, value in shape.items() if value is not None}
    if not 1 <= people <= _MOST_PEOPLE:
        raise ParameterError(f"people must be between 1 and {_MOST_PEOPLE}, got {people}")
    if truth is None:
        kind = given.pop("kind", KIND_NAMES[0])
        return stream(kind, _ROUNDS if rounds is None else rounds, people, rng, **given), kind
    if given:
        raise ParameterError(f"--truth says what happens: leave out --{next(iter(given))}")
    shares = _read_shares(truth)
    if rounds not in {None, len(shares)}:
        raise ParameterError(f"{truth.name} has {len(shares)} rounds, --rounds says {rounds}")
    return counted(shares, people), truth.name


def _read_shares(path: Path) -> list[float]:
    """The column ``share`` of a CSV file."""
    from sudare.files import finite

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
    from sudare import experiments

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
    from sudare.experiments import run_once

    made = {name: calibrate(len(held), epsilon) for name, calibrate in methods.items()}
    return [run_once(name, method, held, rng) for name, method in made.items()]


def _outcomes(
    held: "Counts",
    methods: "Mapping[str, Calibrate]",
    epsilons: Sequence[float],
    repetitions: int,
    rng: "Keystream",
) -> "list[Outcome]":
    from sudare.experiments import compare_streams

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
