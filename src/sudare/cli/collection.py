"""``sudare collection``: make, show and check the document that everything follows."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.shared.answer_list import answer_list_options, lines_of
from sudare.cli.shared.answer_list import answers_from as read_answers
from sudare.cli.shared.answers import AnswerOptions, answer_options
from sudare.cli.shared.budgets import remark_budget
from sudare.cli.shared.mechanism_options import mechanism_options
from sudare.cli.shared.options import (
    MECHANISMS,
    OVER_TIME,
    PATH,
    collection_argument,
    force_option,
    is_pipe,
    json_option,
    load_collection,
    output_option,
)
from sudare.cli.shared.output import refuse_replacing
from sudare.cli.shared.question_list import read_questions
from sudare.cli.shared.rules import kept_text, rule_options, window_text, windows_of
from sudare.cli.shared.terminal import put_json, put_table, say, say_json
from sudare.collection.defaults import MINIMUM_REPORTS
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.strangers import refuse_unseen
from sudare.results.cells import whole_text

if TYPE_CHECKING:
    from sudare.mechanisms.interface import Mechanism
    from sudare.planning.mechanism_choice import MechanismOptions

_UNSERVED = (
    "`sudare serve` takes rounds only in windows of time, which say when each ends: for that, "
    "add --window 1d or another length, which holds all rounds."
)


@click.group()
def collection() -> None:
    """Make, show and check collections.

    \b
    Example:
      sudare collection new tea --question "Which tea?" --answer green --answer black \\
        --epsilon 1 -o tea.json
    """


@collection.command()
@click.argument("name")
@click.option("--question", help="What people are asked.")
@click.option(
    "--questions",
    "questions_file",
    type=PATH,
    help="Several questions at once, under one EPSILON: a TOML or JSON file that has for each a "
    "name, a question and answers. --question is then the heading above them.",
)
@click.option("--answer", "answers", multiple=True, help="One possible answer; repeat it.")
@click.option("--answers-file", type=PATH, help="Possible answers, one per line.")
@answer_list_options
@answer_options
@mechanism_options
@click.option(
    "--minimum-reports",
    type=int,
    default=MINIMUM_REPORTS,
    show_default=True,
    help="No estimate is released of fewer; over time, none of a round with fewer.",
)
@rule_options
@output_option("Where the document goes (JSON).")
@force_option
def new(
    name: str,
    question: str | None,
    questions_file: Path | None,
    answers: tuple[str, ...],
    answers_file: Path | None,
    answers_from: Path | None,
    at_least: int | None,
    other: str | None,
    separator: str | None,
    source: AnswerOptions,
    minimum_reports: int,
    length: str | None,
    start: str | None,
    keep_reports: bool,
    invited: bool,
    output: Path,
    force: bool,
    options: "MechanismOptions",
    aim: tuple[int, float] | None,
) -> None:
    """Make a collection that spends at most EPSILON per report (per whole stream with --rounds).

    Of people who report the same answer again and again, fresh noise averages out. RAPPOR with
    permanent noise (--lifetime) bounds what all their reports tell. With --rounds, the share of
    people in a state is counted over time, and EPSILON is for a person's whole stream.

    With --questions several questions are asked at once, and EPSILON is for all of them together.

    With --window a collector asks again and again: each window of time is counted by itself. Over
    time, a window holds all rounds.

    \b
    Examples:
      sudare collection new trousers --question "Which model?" --answers-file models.txt \\
        --epsilon 2 --mechanism oue -o trousers.json
      sudare collection new country --question "Which country?" --answers-from clicks.csv.gz \\
        --column country --person "session ID" --at-least 100 --epsilon 2 -o country.json
      sudare collection new colours --question "Which do you like?" --answer red --answer green \\
        --answer blue --most 2 --epsilon 1 -o colours.json
      sudare collection new age --question "How old are you?" --from 18 --to 99 --step 1 \\
        --epsilon 1 -o age.json
      sudare collection new study --questions questions.toml --epsilon 2 -o study.json
      sudare collection new homepage --question "Which page opens first?" --free-text \\
        --epsilon 2 --lifetime 4 -o homepage.json
      sudare collection new online --question "Is the device online?" --rounds 50 \\
        --epsilon 4 -o online.json
      sudare collection new tea --question "Which tea?" --answer green --answer black \\
        --people 50000 --error 0.01 -o tea.json
      sudare collection new mood --question "A good day?" --answer yes --answer no \\
        --epsilon 1 --window 1d --invited -o mood.json
    """
    from sudare.collection.document import Collection
    from sudare.formats.files import write_whole
    from sudare.planning.mechanism_choice import OF_NUMBERS

    parts = () if questions_file is None else read_questions(questions_file)
    if parts:
        _refuse_one(answers, answers_file, answers_from)
        question = f"{len(parts)} questions" if question is None else question
    elif question is None:
        raise ParameterError("nothing is asked: give --question, or --questions for several")
    labels = [*answers]
    if answers_file is not None:
        labels += lines_of(answers_file)
    if answers_from is None:
        source.refuse_idle("without --answers-from", "at_least", "other", "separator")
    else:
        labels += read_answers(
            answers_from, source, at_least, other, separator, options.most, minimum_reports
        )
    if labels and options.has_range:
        options.refuse(OF_NUMBERS, "a question without --answer: a number has a range")
        raise ParameterError(f"{options.mechanism} is for a number in a range, without --answer")
    labels = labels or options.labels
    refuse_unseen("a name", name)
    refuse_unseen("a question", question)
    for label in labels:
        refuse_unseen("an answer's label", label)
    options, mechanism = _chosen(options, [len(part.answers) for part in parts], len(labels), aim)
    made = Collection(
        *(name, question, tuple(labels), mechanism, minimum_reports),
        *(windows_of(length, start), keep_reports, invited, parts),
    )
    refuse_replacing(output, FileKind.COLLECTION, force=force, begins=made.to_json())
    remark_budget(options.epsilon, made.mechanism.epsilon, made.mechanism)
    if made.kind.rounds and made.windows is None:
        say(f"Note: {_UNSERVED}", err=True)
    _remark_package(made.mechanism.name)
    cost = f"{made.mechanism.name}, {made.kind.cost()}, key {made.key[:12]}…"
    if is_pipe(output):
        put_json(made.to_json())
        if made.mechanism.memoised:
            say(cost, err=True)
        return
    write_whole(output, made.to_json())
    say(f"{output}: {cost}")


def _chosen(
    options: "MechanismOptions", sizes: list[int], answers: int, aim: tuple[int, float] | None
) -> "tuple[MechanismOptions, Mechanism]":
    """The mechanism that is asked for, at the least ε if people and an error are given."""
    from sudare.planning.mechanism_choice import choose, choose_several

    plan = None
    if aim is not None:
        from sudare.planning.budgets import planned

        options, plan = planned(options, sizes or [answers], *aim)
    mechanism = choose_several(options, sizes) if sizes else choose(options, answers)
    if plan is not None:
        from sudare.results.planning import recommendation

        say(recommendation(plan), err=True)
    return options, mechanism


def _refuse_one(answers: tuple[str, ...], *files: Path | None) -> None:
    """Refuse what lists the answers of a single question."""
    if answers or any(file is not None for file in files):
        raise ParameterError(
            "with --questions each question lists its answers in the file: leave out --answer, "
            "--answers-file and --answers-from"
        )


def _remark_package(mechanism: str) -> None:
    """Say whose word the ε is, and who else needs the package, if the mechanism isn't ours."""
    if mechanism in {*MECHANISMS, "rappor", *OVER_TIME}:
        return
    from sudare.installed import offered

    offer = offered(mechanism)
    if offer is not None:
        say(
            f"Note: {mechanism} is of the package {offer.package}, which states this ε; "
            f"`sudare laws {mechanism}` checks it. Whoever makes or counts its reports "
            "needs the package; survey pages in browsers don't have it.",
            err=True,
        )


@collection.command()
@collection_argument
@json_option
def show(collection: Path, as_json: bool) -> None:
    """Show what a collection asks and what answering costs.

    \b
    Example:
      sudare collection show tea.json
    """
    agreed = load_collection(collection)
    if as_json:
        import msgspec

        say_json({**msgspec.json.decode(agreed.to_json()), "key": agreed.key})
        return
    from rich.table import Table
    from rich.text import Text

    title = whole_text(agreed.question)
    facts = Table(show_header=False, box=None, title=title, title_justify="left")
    facts.add_column()
    facts.add_column(overflow="fold")
    facts.add_row("name", whole_text(agreed.name))
    facts.add_row("mechanism", str(agreed.mechanism))
    for term, fact in agreed.kind.facts().items():
        facts.add_row(term, fact)
    facts.add_row("bytes per report", str(agreed.report_dtype.itemsize))
    facts.add_row("minimum reports", agreed.kind.minimum())
    facts.add_row("windows", window_text(agreed))
    facts.add_row("a collector keeps", kept_text(agreed))
    facts.add_row("who may report", "people who are invited" if agreed.invited else "anybody")
    facts.add_row("key", agreed.key)
    what, answers = agreed.kind.listed()
    facts.add_row(what, Text("\n").join(map(whole_text, answers)))
    put_table(facts)


@collection.command()
@collection_argument
def check(collection: Path) -> None:
    """Check a collection: its form, its parameters, and the ε it states.

    \b
    Example:
      sudare collection check tea.json
    """
    agreed = load_collection(collection)
    answered = agreed.kind.spending()
    if agreed.windows is not None:
        answered += f"; windows: {window_text(agreed)}"
    answered += "; every report is kept" * agreed.keeps_reports + "; by invitation" * agreed.invited
    say(f"{collection}: sound; {answered} (key {agreed.key[:12]}…)")
    for remark in agreed.kind.remarks():
        say(remark)
