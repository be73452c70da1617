"""``sudare epsilon``: what a report costs, exactly."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.options import collection_argument, echo_json, json_option, load_collection
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.collection import Collection

_ENUMERABLE = 8  # answers: twice the paths for each one more of a unary mechanism


@click.command()
@collection_argument
@json_option
def epsilon(collection: Path, as_json: bool) -> None:
    """Print the exact ε of a collection, with the fraction it is the logarithm of.

    Small collections are also enumerated: the code that ships is run down every path of
    chance, and the worst ratio of its laws is compared with the formula, as fractions.

    \b
    Example:
      sudare epsilon tea.json
    """
    agreed = load_collection(collection)
    mechanism = agreed.mechanism
    ratio = mechanism.worst_ratio
    document: dict[str, Any] = {
        "collection": agreed.name,
        "key": agreed.key,
        "mechanism": mechanism.document(),
        "epsilon": mechanism.epsilon,
        "worst_ratio": str(ratio),
        "enumerated": None,
    }
    if mechanism.domain.size <= _ENUMERABLE:
        document["enumerated"] = str(mechanism.channel().worst_ratio)
    if as_json:
        echo_json(document)
    else:
        _show(agreed, document)
    if document["enumerated"] not in {None, document["worst_ratio"]}:
        raise ParameterError("the enumerated privacy is not the stated one: don't use this")


def _show(agreed: "Collection", document: dict[str, Any]) -> None:
    from sudare.exact import text_up

    mechanism, ratio = agreed.mechanism, agreed.mechanism.worst_ratio
    click.echo(f"{agreed.name}: {mechanism.name} over {mechanism.domain.size} answers")
    click.echo(f"  ε           {mechanism.epsilon!r}   (rounded up)")
    click.echo(f"  e^ε exactly {ratio} = {float(ratio):.12g}")
    click.echo(
        f"  meaning     no report is more than {text_up(ratio, 3)} times "
        f"likelier under one answer than under another"
    )
    click.echo(f"  odds        {mechanism.odds}")
    if document["enumerated"] is None:
        click.echo(f"  enumerated  not at {mechanism.domain.size} answers (up to {_ENUMERABLE})")
    else:
        verdict = "equal" if document["enumerated"] == document["worst_ratio"] else "DIFFERENT"
        click.echo(f"  enumerated  {verdict}: every path of the code that ships was walked")
