"""``sudare epsilon``: what a report costs, exactly, and what many do."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.options import PATH, collection_argument, echo_json, json_option, load_collection
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from fractions import Fraction

    from sudare.collection import Collection
    from sudare.mechanism import Mechanism, MemoisedMechanism

_ENUMERABLE = 8  # answers: twice the paths for each one more of a unary mechanism
_ROUNDS, _SHOTS = 4, 3  # over time: 16 streams, and all that may be drawn for each
_COINS = 10  # per report of RAPPOR, which tosses up to three for each bit
_REPORTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_DIGITS = 4000  # of a fraction that is written out
_LONGEST = 400  # characters of a fraction on a terminal
_BAR = 32  # characters


@click.command()
@collection_argument
@json_option
@click.option(
    "--plot",
    type=PATH,
    help="Also save the cost of many reports as a figure: .png, .svg or .pdf.",
)
def epsilon(collection: Path, as_json: bool, plot: Path | None) -> None:
    """Print the exact ε of a collection, with the fraction it is the logarithm of.

    Small collections are also enumerated: the code that ships is run down every path of
    chance, and the worst ratio of its laws is compared with the formula, as fractions.

    For RAPPOR it also tells what k reports of one answer by one device cost together (ε_k),
    and what any number of them does (ε∞). Over time, ε is that of all reports of a person.

    \b
    Examples:
      sudare epsilon tea.json
      sudare epsilon homepage.json --plot cost.svg
    """
    from sudare.continual import ContinualMechanism
    from sudare.mechanism import MemoisedMechanism

    agreed = load_collection(collection)
    mechanism = agreed.mechanism
    ratio, reason = mechanism.worst_ratio, _not_enumerated(mechanism)
    enumerated = None if reason else mechanism.channel().worst_ratio
    document: dict[str, Any] = {
        "collection": agreed.name,
        "key": agreed.key,
        "mechanism": mechanism.document(),
        "epsilon": mechanism.epsilon,
        "worst_ratio": _written(ratio),
        "enumerated": None if enumerated is None else _written(enumerated),
    }
    if isinstance(mechanism, MemoisedMechanism):
        document |= _many(mechanism)
    if isinstance(mechanism, ContinualMechanism):
        document |= {"rounds": mechanism.rounds, "reports_each": mechanism.reports_each}
    if plot is not None:
        _save(agreed, document, plot)
    if as_json:
        echo_json(document)
    else:
        _show(agreed, document, reason, equal=enumerated == ratio)
    if enumerated not in {None, ratio}:
        raise ParameterError("the enumerated privacy is not the stated one: don't use this")


def _not_enumerated(mechanism: "Mechanism") -> str | None:
    """Why the code can't be walked down every path, if it can't."""
    from sudare.continual import ContinualMechanism
    from sudare.mechanisms.rappor import Rappor

    if isinstance(mechanism, ContinualMechanism):
        rounds, shots = mechanism.rounds, getattr(mechanism, "shots", 0)
        if rounds > _ROUNDS:
            return f"not at {rounds:,} rounds (up to {_ROUNDS})"
        return f"not at {shots} shots (up to {_SHOTS})" if shots > _SHOTS else None
    if not mechanism.domain.size:
        return "not for free text, whose answers can't be listed"
    if isinstance(mechanism, Rappor):
        chances = (mechanism.f / 2, mechanism.p, mechanism.q)
        coins = mechanism.bits * sum(0 < chance < 1 for chance in chances)
        return f"not at {coins} coins per report (up to {_COINS})" if coins > _COINS else None
    if mechanism.domain.size > _ENUMERABLE:
        return f"not at {mechanism.domain.size} answers (up to {_ENUMERABLE})"
    return None


def _written(ratio: "Fraction") -> str | None:
    """The fraction in digits, if they are not thousands."""
    return str(ratio) if ratio.numerator.bit_length() < 3 * _DIGITS else None


def _many(mechanism: "MemoisedMechanism") -> dict[str, Any]:
    """What several reports of one answer cost."""
    for_life = mechanism.lifetime_epsilon
    return {
        "lifetime_epsilon": for_life if math.isfinite(for_life) else None,
        "reports": [
            {"reports": reports, "epsilon": mechanism.epsilon_of(reports)} for reports in _REPORTS
        ],
    }


def _save(agreed: "Collection", document: dict[str, Any], path: Path) -> None:
    from sudare.plots import cost_figure, save

    if agreed.over_time:
        raise ParameterError(
            f"all reports of a person cost {agreed.epsilon!r} together, and there is nothing to "
            f"plot"
        )
    if "reports" not in document:
        raise ParameterError(
            f"{agreed.mechanism.name} has no permanent step: k reports cost k times "
            f"{agreed.epsilon!r}, and there is nothing to plot"
        )
    reports = [row["reports"] for row in document["reports"]]
    costs = [row["epsilon"] for row in document["reports"]]
    save(cost_figure(reports, costs, document["lifetime_epsilon"], title=agreed.name), path)


def _show(agreed: "Collection", document: dict[str, Any], reason: str | None, equal: bool) -> None:
    from sudare.exact import text_up

    mechanism, ratio = agreed.mechanism, agreed.mechanism.worst_ratio
    answers = "free text" if agreed.free_text else f"{mechanism.domain.size} answers"
    what, given = "no report is", "answer"
    if agreed.over_time:
        answers = f"{document['rounds']:,} rounds, reports per person: {document['reports_each']:,}"
        what, given = "a person's reports, all together, are never", "stream of states"
    exactly = document["worst_ratio"] or "a fraction of thousands of digits"
    if len(exactly) > _LONGEST:
        exactly = f"a fraction of {len(exactly) - 1:,} digits (--json has them)"
    click.echo(f"{agreed.name}: {mechanism.name} over {answers}")
    click.echo(f"  ε           {mechanism.epsilon!r}   (rounded up)")
    click.echo(f"  e^ε exactly {exactly} = {text_up(ratio, 12)}")
    click.echo(
        f"  meaning     {what} more than {text_up(ratio, 3)} times likelier under one {given} "
        f"than under another"
    )
    click.echo(f"  odds        {mechanism.odds}")
    verdict = "equal" if equal else "DIFFERENT"
    click.echo(
        f"  enumerated  {reason or f'{verdict}: every path of the code that ships was walked'}"
    )
    if "reports" in document:
        _show_many(document)


def _show_many(document: dict[str, Any]) -> None:
    """The cost of many reports as a table with bars, full at the lifetime's."""
    from sudare.exact import text_up

    for_life, rows = document["lifetime_epsilon"], document["reports"]
    if for_life is None:
        click.echo("  for life    no bound: without permanent noise every report costs anew")
    else:
        click.echo(f"  for life    {for_life!r}   (ε∞: any number of reports of one answer)")
    click.echo("  reports     ε_k: so many reports of one answer, by one device, together")
    full = for_life or rows[-1]["epsilon"]
    for row in rows:
        bar = "█" * max(1, round(_BAR * row["epsilon"] / full))
        click.echo(f"  {row['reports']:>11,} {text_up(row['epsilon'], 4):>9}  {bar}")
