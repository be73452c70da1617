"""``sudare collection``: make, show and check the document that everything follows."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.cells import printable
from sudare.cli.choice import FORMS, Wish, choose
from sudare.cli.options import (
    MECHANISMS,
    PATH,
    collection_argument,
    echo_json,
    is_pipe,
    json_option,
    load_collection,
)

if TYPE_CHECKING:
    from sudare.collection import Collection


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
@click.option("--question", required=True, help="What people are asked.")
@click.option("--answer", "answers", multiple=True, help="One possible answer; repeat it.")
@click.option("--answers-file", type=PATH, help="Possible answers, one per line.")
@click.option("--epsilon", type=float, required=True, help="The most one report may cost.")
@click.option(
    "--mechanism",
    type=click.Choice(["auto", *MECHANISMS, "rappor"]),
    default="auto",
    show_default=True,
    help="auto takes the one with the least error for a single report.",
)
@click.option("--free-text", is_flag=True, help="People answer in their own words (RAPPOR).")
@click.option(
    "--form",
    type=click.Choice(FORMS),
    help="Of RAPPOR. full, the default: permanent noise below that of each report bounds what all "
    "reports of one answer cost, and costs no accuracy; instant: fresh noise alone, for people "
    "who report once; one-time: permanent noise alone, every report of an answer is the same.",
)
@click.option(
    "--lifetime",
    type=float,
    help="The most that all reports of one answer may cost together (full form; by default "
    "twice EPSILON).",
)
@click.option("--bits", type=int, help="Of a free text's filter, a power of two; 128 by default.")
@click.option("--hashes", type=int, help="Bits that a text sets; 1, the default, is best.")
@click.option("--cohorts", type=int, help="Hash families that people are divided among; 64.")
@click.option(
    "--minimum-reports",
    type=int,
    default=100,
    show_default=True,
    help="No estimate is released of fewer.",
)
@click.option("-o", "--output", type=PATH, default="-", help="Where the document goes.")
def new(
    name: str,
    question: str,
    answers: tuple[str, ...],
    answers_file: Path | None,
    epsilon: float,
    mechanism: str,
    free_text: bool,
    form: str | None,
    lifetime: float | None,
    bits: int | None,
    hashes: int | None,
    cohorts: int | None,
    minimum_reports: int,
    output: Path,
) -> None:
    """Make a collection that spends at most EPSILON per report.

    Of people who report the same answer again and again, fresh noise averages out. RAPPOR with
    permanent noise (--lifetime) bounds what all their reports tell.

    \b
    Examples:
      sudare collection new trousers --question "Which model?" --answers-file models.txt \\
        --epsilon 2 --mechanism oue -o trousers.json
      sudare collection new homepage --question "Which page opens first?" --free-text \\
        --epsilon 2 --lifetime 4 -o homepage.json
    """
    from sudare.collection import Collection
    from sudare.files import write_whole

    labels = [*answers]
    if answers_file is not None:
        text = answers_file.read_text("utf-8-sig")
        labels += [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    wish = Wish(epsilon, mechanism, free_text, form, lifetime, bits, hashes, cohorts)
    chosen = choose(wish, len(labels))
    made = Collection(name, question, tuple(labels), chosen, minimum_reports)
    if is_pipe(output):
        click.echo(made.to_json(), nl=False)
        return
    write_whole(output, made.to_json())
    click.echo(f"{output}: {made.mechanism.name}, {_cost(made)}, key {made.key[:12]}…")


def _cost(agreed: "Collection") -> str:
    if math.isinf(agreed.lifetime_epsilon):
        return f"ε = {agreed.epsilon!r}"
    return f"ε = {agreed.epsilon!r} ({agreed.lifetime_epsilon!r} for life)"


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

        echo_json({**msgspec.json.decode(agreed.to_json()), "key": agreed.key})
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from sudare.mechanism import MemoisedMechanism

    facts = Table(show_header=False, box=None, title=Text(agreed.question), title_justify="left")
    facts.add_column()
    facts.add_column(overflow="fold")
    facts.add_row("name", Text(agreed.name))
    facts.add_row("mechanism", str(agreed.mechanism))
    facts.add_row("ε per report", repr(agreed.epsilon))
    if isinstance(agreed.mechanism, MemoisedMechanism):
        facts.add_row("ε for life", _for_life(agreed))
    facts.add_row("bytes per report", str(agreed.report_dtype.itemsize))
    facts.add_row("minimum reports", str(agreed.minimum_reports))
    facts.add_row("key", agreed.key)
    answers = "free text" if agreed.free_text else "\n".join(map(printable, agreed.answers))
    facts.add_row("answers", Text(answers))
    Console().print(facts, markup=False)


def _for_life(agreed: "Collection") -> str:
    if math.isinf(agreed.lifetime_epsilon):
        return "none: each report costs anew"
    return f"{agreed.lifetime_epsilon!r} for all reports of one answer"


@collection.command()
@collection_argument
def check(collection: Path) -> None:
    """Check a collection: its form, its parameters, and the ε it states.

    \b
    Example:
      sudare collection check tea.json
    """
    agreed = load_collection(collection)
    spent = f"one report spends ε = {agreed.epsilon!r} and not more"
    if math.isfinite(agreed.lifetime_epsilon):
        spent += f", all reports of one answer {agreed.lifetime_epsilon!r}"
    answered = "; answered in free text" if agreed.free_text else ""
    click.echo(f"{collection}: sound; {spent}{answered} (key {agreed.key[:12]}…)")
