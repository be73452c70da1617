"""``sudare collection``: make, show and check the document that everything follows."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.options import (
    MECHANISMS,
    PATH,
    collection_argument,
    echo_json,
    is_pipe,
    json_option,
    load_collection,
)
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.mechanism import CategoricalMechanism


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
    type=click.Choice(["auto", *MECHANISMS]),
    default="auto",
    show_default=True,
    help="auto takes the one with the least error.",
)
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
    minimum_reports: int,
    output: Path,
) -> None:
    """Make a collection that spends at most EPSILON per report.

    \b
    Example:
      sudare collection new trousers --question "Which model?" --answers-file models.txt \\
        --epsilon 2 --mechanism oue -o trousers.json
    """
    from sudare.collection import Collection
    from sudare.files import write_whole

    labels = [*answers]
    if answers_file is not None:
        text = answers_file.read_text("utf-8-sig")
        labels += [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    if len(labels) < 2:
        raise ParameterError(f"a question needs at least 2 answers, got {len(labels)}")
    made = Collection(
        name, question, tuple(labels), _choose(mechanism, len(labels), epsilon), minimum_reports
    )
    if is_pipe(output):
        click.echo(made.to_json(), nl=False)
        return
    write_whole(output, made.to_json())
    click.echo(f"{output}: {made.mechanism.name}, ε = {made.epsilon!r}, key {made.key[:12]}…")


def _choose(name: str, k: int, epsilon: float) -> "CategoricalMechanism":
    from sudare.bounds.frequency import mean_squared_error
    from sudare.mechanisms import CATEGORICAL

    if name != "auto":
        return CATEGORICAL[name].calibrate(k, epsilon)
    choices = [cls.calibrate(k, epsilon) for cls in CATEGORICAL.values()]
    return min(choices, key=lambda m: mean_squared_error(m.holder, m.others, 1, k))


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

    facts = Table(show_header=False, box=None, title=Text(agreed.question), title_justify="left")
    facts.add_column()
    facts.add_column(overflow="fold")
    facts.add_row("name", Text(agreed.name))
    facts.add_row("mechanism", str(agreed.mechanism))
    facts.add_row("ε per report", repr(agreed.epsilon))
    facts.add_row("bytes per report", str(agreed.report_dtype.itemsize))
    facts.add_row("minimum reports", str(agreed.minimum_reports))
    facts.add_row("key", agreed.key)
    facts.add_row("answers", Text("\n".join(agreed.answers)))
    Console().print(facts, markup=False)


@collection.command()
@collection_argument
def check(collection: Path) -> None:
    """Check a collection: its form, its parameters, and the ε it states.

    \b
    Example:
      sudare collection check tea.json
    """
    agreed = load_collection(collection)
    click.echo(
        f"{collection}: sound; one report spends ε = {agreed.epsilon!r} and not more "
        f"(key {agreed.key[:12]}…)"
    )
