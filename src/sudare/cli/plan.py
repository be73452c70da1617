"""``sudare plan``: which ε, how many people, which mechanism, and what will be seen."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.answer_list import lines_of
from sudare.cli.shared.browser import open_in_browser
from sudare.cli.shared.options import (
    PATH,
    false_discoveries_option,
    force_option,
    is_pipe,
    json_option,
    level_option,
    output_option,
    plot_option,
    port_option,
    progress_bar,
    refuse_idle,
)
from sudare.cli.shared.output import refuse_replacing, refuse_replacing_plot
from sudare.cli.shared.question_list import read_questions
from sudare.cli.shared.terminal import put_table, say, say_json
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.numbers import as_given

if TYPE_CHECKING:
    from rich.table import Table

    from sudare.planning.plans import Plan
    from sudare.planning.simulated import Confirmation
    from sudare.questions.interface import Part

_FEWEST = 2  # questions at once, and answers to each

Command = Callable[..., None]
Option = Callable[..., Any]

_GOALS = (
    click.option("--people", type=int, help="How many people are asked."),
    click.option(
        "--epsilon", type=float, help="The most that all of a person's reports cost together."
    ),
    click.option(
        "--error",
        type=float,
        help="Half the width of the interval that is wished for, such as 0.01.",
    ),
)
_SEEN = (
    click.option(
        "--smallest-share",
        type=float,
        help="Instead of --error: a share that is to be seen, so that its interval lies above 0.",
    ),
    click.option(
        "--difference",
        type=float,
        help="Instead of --error: a difference between two groups that is to be seen.",
    ),
)
_COMPARE = click.option(
    "--compare",
    type=float,
    help="Compare two groups, of which one has this share of the people: an error is then that "
    "of their difference. A difference alone is one of two halves. Each group is a collection "
    "of its own.",
)
_SHARE = click.option(
    "--share",
    type=float,
    default=0.0,
    show_default=True,
    help="Of the answer that is meant: 0 is one that hardly anybody gives.",
)
_POPULATION = click.option(
    "--population",
    is_flag=True,
    help="The people asked are a sample: the shares of those that they were drawn from are meant.",
)
_VISITS = (
    click.option(
        "--visits",
        type=int,
        default=1,
        show_default=True,
        help="How often each person is asked: EPSILON is then for all of it.",
    ),
    click.option(
        "--changes",
        type=int,
        help="How often a person's answer changes at most in these visits; by default each time.",
    ),
)
_SURE = (
    click.option(
        "--response-rate",
        type=float,
        default=1.0,
        show_default=True,
        help="The share of those asked who answer.",
    ),
    level_option,
    click.option(
        "--power",
        type=float,
        default=0.8,
        show_default=True,
        help="The chance with which a share or a difference is to be seen.",
    ),
    click.option(
        "--most-bytes",
        type=int,
        default=128,
        show_default=True,
        help="Mechanisms whose report is longer are left out.",
    ),
)
_WORDS = (
    click.option("--name", help="Of the collection; by default the name of its file."),
    click.option("--question", help="What people are asked, for the collection."),
)
_SIMULATE = (
    click.option(
        "--simulate",
        type=click.IntRange(min=100, max=10_000_000),
        metavar="COLLECTIONS",
        help="Make so many collections by chance, and say whether the plan came true.",
    ),
    click.option("--seed", type=int, help="Make that repeatable."),
)


def _labels(command: Command) -> Command:
    """Add the options that name answers, for the collection to be made."""
    for option in (
        click.option("--answers-file", type=PATH, help="The answers, one per line."),
        click.option("--answer", multiple=True, help="One of the answers; repeat it."),
    ):
        command = option(command)
    return command


@click.group(invoke_without_command=True, no_args_is_help=True)
@click.option("--page", is_flag=True, help="Plan in a browser instead, on a page of this machine.")
@port_option
@click.option("--open", "opening", is_flag=True, help="With --page: open it.")
@click.pass_context
def plan(context: click.Context, page: bool, port: int, opening: bool) -> None:
    """Plan a collection: which ε, how many people, which mechanism, and will I see it?

    Of people, ε and an error give two, and the third is found, for every mechanism that can ask
    the question.

    \b
    Examples:
      sudare plan choice --answers 43 --epsilon 1 --error 0.01
      sudare plan number --from 18 --to 99 --step 1 --people 5000 --epsilon 1
      sudare plan stream --rounds 50 --epsilon 4 --people 10000
      sudare plan --page --open
    """
    if not page:
        refuse_idle("without --page", "port", "opening")
    elif context.invoked_subcommand is not None:
        raise ParameterError(
            f"--page asks for everything in the browser: leave out {context.invoked_subcommand}"
        )
    else:
        _serve_page(port, opening=opening)


def _serve_page(port: int, *, opening: bool) -> None:
    """Show the planner's page until Ctrl-C."""
    from sudare.collector.serving.planner import serve_planner
    from sudare.collector.serving.server import listen

    def ready(address: str) -> None:
        say(f"The planner: {address}")
        say("Press Ctrl-C to stop.")
        if opening:
            open_in_browser(address)

    with listen("127.0.0.1", port) as listening:
        serve_planner(listening, ready)


def shared(*options: Option) -> Callable[[Command], Command]:
    """Add options that several kinds have, and those that all have, to a command."""

    def added(command: Command) -> Command:
        outputs = (
            json_option,
            plot_option,
            output_option("Also make the collection that is recommended.", default=None),
            force_option,
        )
        for option in reversed((*_GOALS, *options, *_SURE, *_SIMULATE, *outputs)):
            command = option(command)
        return command

    return added


@plan.command()
@click.option("--answers", type=int, help="How many answers there are to choose from.")
@_labels
@shared(*_SEEN, _SHARE, _COMPARE, *_VISITS, _POPULATION, *_WORDS)
def choice(answers: int | None, **given: Any) -> None:  # noqa: ANN401 - the shared options
    """Plan a question with one answer of a list.

    The error is half the width of the interval of an answer that hardly anybody gives, unless
    --share says another.

    \b
    Examples:
      sudare plan choice --answers 43 --epsilon 1 --error 0.01
      sudare plan choice --answers 43 --people 50000 --error 0.01 --json
      sudare plan choice --answer green --answer black --answer oolong --people 5000 \\
        --epsilon 1 --question "Which tea?" -o tea.json
      sudare plan choice --answers 2 --difference 0.02 --share 0.3 --epsilon 2
      sudare plan choice --answers 5 --people 50000 --epsilon 4 --visits 52
    """
    labels = _labels_of(given)
    _plan("choice", {"answers": _count(answers, labels)}, given, labels)


@plan.command()
@click.option("--answers", type=int, help="How many answers are listed.")
@_labels
@click.option("--most", type=int, required=True, help="How many a person may select.")
@shared(*_SEEN, _SHARE, _COMPARE, *_VISITS, _POPULATION, *_WORDS)
def several(answers: int | None, most: int, **given: Any) -> None:  # noqa: ANN401 - likewise
    """Plan a question of which a person selects several answers, or none.

    \b
    Examples:
      sudare plan several --answers 20 --most 3 --epsilon 2 --error 0.02
      sudare plan several --answers 20 --most 3 --people 50000 --epsilon 2 --json
    """
    labels = _labels_of(given)
    _plan("several", {"answers": _count(answers, labels), "most": most}, given, labels)


@plan.command()
@click.option("--from", "least", metavar="NUMBER", required=True, help="The least number.")
@click.option("--to", "largest", metavar="NUMBER", required=True, help="The largest number.")
@click.option("--step", metavar="NUMBER", required=True, help="From a number to the next.")
@click.option(
    "--estimate",
    "found_out",
    type=click.Choice(("mean", "distribution")),
    default="mean",
    show_default=True,
    help="What is to be found out.",
)
@click.option("--bins", type=int, help="Of a distribution.")
@shared(*_SEEN, _SHARE, _COMPARE, *_VISITS, _POPULATION, *_WORDS)
def number(**given: Any) -> None:  # noqa: ANN401 - likewise
    """Plan a question that is answered by a number in a range.

    The error of a mean is in the unit of the numbers, and holds whatever people's numbers are;
    that of a distribution is the error of a bin's share.

    \b
    Examples:
      sudare plan number --from 18 --to 99 --step 1 --epsilon 1 --error 0.5
      sudare plan number --from 0 --to 10 --step 1 --people 20000 --error 0.1 --json
      sudare plan number --from 0 --to 24 --step 0.5 --estimate distribution --people 50000 \\
        --epsilon 2
    """
    own = {name: given.pop(name) for name in ("least", "largest", "step", "found_out", "bins")}
    if own["found_out"] == "mean":
        refuse_idle("for a mean", "share", "smallest_share", "population")
    _plan("number", own, given)


@plan.command()
@click.option("--sizes", metavar="NUMBERS", help="How many answers each has, such as 3,5,2.")
@click.option(
    "--questions",
    "questions_file",
    type=PATH,
    help="Or a TOML or JSON file with the questions, as `sudare collection new` takes it.",
)
@click.option("--associate", is_flag=True, help="The relation of two of them is asked for.")
@shared(*_SEEN, _SHARE, _COMPARE, *_VISITS, _POPULATION, *_WORDS)
def questions(
    sizes: str | None,
    questions_file: Path | None,
    associate: bool,
    **given: Any,  # noqa: ANN401 - likewise
) -> None:
    """Plan several questions under one budget: one per person, a part of it each, or all as one.

    The error is that of the question with the most of it.

    \b
    Examples:
      sudare plan questions --sizes 3,5,2 --epsilon 2 --error 0.02
      sudare plan questions --questions questions.toml --people 20000 --epsilon 2 --visits 4
    """
    if (sizes is None) is (questions_file is None):
        raise ParameterError("say --sizes, or --questions with a file")
    parts = () if questions_file is None else read_questions(questions_file)
    counts = _sizes(sizes) if sizes is not None else tuple(len(part.answers) for part in parts)
    _plan("questions", {"sizes": counts, "associate": associate}, given, parts=parts)


@plan.command()
@click.option(
    *("--texts", "candidates"),
    type=int,
    default=1000,
    show_default=True,
    help="How many texts are looked for.",
)
@false_discoveries_option
@shared(_SEEN[0], *_VISITS, *_WORDS)
def text(candidates: int, false_discoveries: float, **given: Any) -> None:  # noqa: ANN401
    """Plan a question that people answer in their own words.

    The smallest share is what a text needs to be found among the candidates.

    \b
    Examples:
      sudare plan text --epsilon 2 --smallest-share 0.01
      sudare plan text --texts 20000 --people 100000 --epsilon 2 --json
    """
    own = {"candidates": candidates, "false_discoveries": false_discoveries}
    _plan("text", own, given)


@plan.command()
@click.option("--rounds", type=int, required=True, help="How many rounds are counted.")
@click.option(
    "--low",
    type=float,
    default=0.0,
    show_default=True,
    help="What the share of people in the state is expected to be at least.",
)
@click.option("--high", type=float, default=1.0, show_default=True, help="And at most.")
@shared(*_WORDS)
def stream(rounds: int, low: float, high: float, **given: Any) -> None:  # noqa: ANN401
    """Plan counting over time: the share of people in a state, in every round.

    The error is that of the worst round, as it is expected. A range of shares (--low, --high)
    makes for a better plan in that range; outside it the estimates stay unbiased.

    \b
    Examples:
      sudare plan stream --rounds 50 --epsilon 4 --people 10000
      sudare plan stream --rounds 50 --epsilon 4 --error 0.05 --low 0.4 --high 0.6
      sudare plan stream --rounds 50 --people 10000 --error 0.05 --low 0.4 --high 0.6 --json
    """
    _plan("stream", {"rounds": rounds, "low": low, "high": high}, given)


@plan.command()
@click.option(
    "--most", type=int, default=1, show_default=True, help="A person counts from 0 to this."
)
@click.option(
    "--delta",
    type=float,
    default=1e-6,
    show_default=True,
    help="The chance with which EPSILON may be exceeded.",
)
@shared(*_SEEN, _COMPARE, _VISITS[0])
def joint(most: int, delta: float, **given: Any) -> None:  # noqa: ANN401 - likewise
    """Plan a total of two parties, with noise that nobody knows, by the tables that are shipped.

    The error is that of the share of people (with --most, of their mean). -o writes the tables.

    \b
    Examples:
      sudare plan joint --epsilon 1 --error 0.001
      sudare plan joint --people 20000 --epsilon 0.5 --json
    """
    _plan("joint", {"most": most, "delta": delta}, given)


def _labels_of(given: dict[str, Any]) -> tuple[str, ...]:
    """The labels that were given, each or in a file."""
    answers, file = given.pop("answer"), given.pop("answers_file")
    return (*answers, *(() if file is None else lines_of(file)))


def _count(answers: int | None, labels: tuple[str, ...]) -> int:
    """How many answers there are."""
    if answers is None and not labels:
        raise ParameterError("say --answers, how many there are, or name them (--answer)")
    if answers is not None and labels and answers != len(labels):
        raise ParameterError(
            f"--answers says {answers:,}, and {len(labels):,} are named (--answer, --answers-file)"
        )
    return len(labels) if answers is None else answers


def _sizes(listed: str) -> tuple[int, ...]:
    """Numbers of answers, between commas."""
    try:
        sizes = tuple(int(size) for size in listed.split(","))
    except ValueError:
        sizes = ()
    if len(sizes) < _FEWEST or min(sizes) < _FEWEST:
        raise ParameterError(
            f"--sizes is a list of 2 or more whole numbers of at least 2, such as 3,5,2, got "
            f"{listed!r}"
        )
    return sizes


def _plan(
    kind: str,
    own: dict[str, Any],
    given: dict[str, Any],
    labels: tuple[str, ...] = (),
    parts: "tuple[Part, ...]" = (),
) -> None:
    """Find a plan, and show it in every way that is asked for.

    Args:
        kind: of the question.
        own: the wishes that only this kind has.
        given: those of any kind, and how the plan is shown.
        labels: of the answers, for the collection to be made.
        parts: several questions, likewise.
    """
    from sudare.planning.plans import plan as plan_for

    output, plot, force = given.pop("output"), given.pop("plot"), given.pop("force")
    as_json, collections, seed = (given.pop(name) for name in ("as_json", "simulate", "seed"))
    name, question = given.pop("name", None), given.pop("question", None)
    if output is None:
        refuse_idle("without -o, which makes a collection", "name", "question")
    elif is_pipe(output) or not output.stem:
        raise ParameterError(
            f"--output makes a file beside what is said here: name one, got {output}"
        )
    if collections is None:
        refuse_idle("without --simulate", "seed")
    refuse_replacing_plot(plot, force=force)
    made = plan_for(kind, **own, **given)
    confirmed = None if collections is None else _confirmed(made, collections, seed)
    if output is not None:
        _write(made, output, (name, question, labels, parts), force=force)
    if plot is not None:
        _draw(made, plot)
    if as_json:
        say_json(
            made.document() | ({} if confirmed is None else {"simulated": confirmed.document()})
        )
        return
    _show(made)
    if confirmed is not None:
        from sudare.results.planning import confirmation

        for sentence in confirmation(made, confirmed):
            say(sentence)


def _confirmed(made: "Plan", collections: int, seed: int | None) -> "Confirmation":
    """What became of so many collections that follow the plan."""
    from sudare.chance.randomness import Seeded, System
    from sudare.planning.simulated import confirm, simulations

    rng = System() if seed is None else Seeded(seed)

    with progress_bar() as progress:
        task = progress.add_task("simulating", total=simulations(made, collections))
        return confirm(made, collections, rng, lambda more: progress.advance(task, more))


def _write(made: "Plan", output: Path, words: tuple[Any, ...], *, force: bool) -> None:
    """Write the collection that is recommended; for two parties, their tables."""
    from sudare.collection.planned import collection_of, placeholders
    from sudare.formats.files import write_whole
    from sudare.planning.kinds.joint_total import JointTotal

    missing: list[str] = []
    if isinstance(made.kind, JointTotal):
        data, kind = made.kind.tables(made.recommended.name).to_json(), FileKind.TABLES
    else:
        name, question, labels, parts = words
        collection = collection_of(made, name or output.stem, question, labels, parts)
        data, kind = collection.to_json(), FileKind.COLLECTION
        missing = placeholders(collection, labels, parts)
    refuse_replacing(output, kind, force=force, begins=data)
    write_whole(output, data)
    say(f"{output}: {made.recommended.name} at ε = {as_given(made.recommended.epsilon)}", err=True)
    for sentence in missing:
        say(f"Note: {sentence}", err=True)


def _draw(made: "Plan", path: Path) -> None:
    """Save what each mechanism takes along ε as a plot or a page."""
    from sudare.results.planning import plan_curves, plan_title

    curves, y_label = plan_curves(made)
    title = plan_title(made)
    if path.suffix.lower() == ".html":
        from sudare.formats.files import write_whole
        from sudare.results.html import error_page

        page = error_page(title, curves, x_label="ε", y_label=y_label)
        write_whole(path, page.encode())
        return
    from sudare.results.figures import error_figure, save

    marks = {"the plan": made.recommended.epsilon}
    save(error_figure(curves, title=title, y_label=y_label, marks=marks), path)


def _show(made: "Plan") -> None:
    """Print a plan: what to do, what its ε means, every mechanism, the curve, whom to trust."""
    from sudare.results.planning import meaning, recommendation, truth, warnings

    best = made.recommended
    say(recommendation(made))
    say()
    say(f"  ε = {as_given(best.epsilon):<8}{meaning(best.epsilon)}")
    if (fitting := truth(best)) is not None:
        say(f"  a report    {fitting}")
    for warning in warnings(made):
        say(f"  beware      {warning}")
    put_table(_mechanisms(made))
    moved = "raises a share that nobody has at most"
    if made.kind.unit == "number":
        moved = "moves a mean at most, in parts of the range"
    say(f"1 % forged: how far somebody who forges so many reports {moved}.")
    if best.design.year_epsilon is not None:
        say("ε a year: what a person spends at most who is asked every week.")
    put_table(_curve(made))
    if made.models:
        put_table(_models(made))
    say(f"next: {made.command}")


def _mechanisms(made: "Plan") -> "Table":
    """A table with a row for each mechanism."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from sudare.results.planning import TABLE

    columns = [column for column in TABLE if column.fits(made)]
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    for column in columns:
        table.add_column(column.heading(made), justify=column.justify, no_wrap=True)
    for row in made.rows:
        table.add_row(*(column.cell(made, row) for column in columns))
    return table


def _curve(made: "Plan") -> "Table":
    """What the recommended mechanism takes along ε, with bars."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from sudare.results.bar import Bar
    from sudare.results.planning import bet, value_text

    goal, finds_people = made.wish.goal, made.found == "people"
    heights = [float(row.people) if finds_people else row.reached[goal] for row in made.curve]
    axis = (0.0, max(heights, default=1.0))
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    table.add_column("ε", justify="right", no_wrap=True)
    table.add_column("people" if finds_people else goal.replace("_", " "), justify="right")
    table.add_column("")
    table.add_column("a bet is right at most")
    for row, height in zip(made.curve, heights, strict=True):
        value = f"{row.people:,}" if finds_people else value_text(made, height)
        here = " ←" * (row.epsilon == made.recommended.epsilon)
        table.add_row(
            as_given(row.epsilon), value, Bar(height, height, height, axis), bet(row.epsilon) + here
        )
    return table


def _models(made: "Plan") -> "Table":
    """The same wish with others to be trusted."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from sudare.results.planning import trusted, value_text

    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    table.add_column("who must be trusted")
    table.add_column("people", justify="right")
    table.add_column(made.wish.goal.replace("_", " "), justify="right")
    for model in made.models:
        least = "" if model.exact else " (at best)"
        table.add_row(trusted(model) + least, f"{model.people:,}", value_text(made, model.error))
    return table
