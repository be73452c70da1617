"""``sudare epsilon``: what a report costs, exactly, and what many do."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.options import (
    collection_argument,
    force_option,
    json_option,
    load_collection,
    picture_option,
)
from sudare.cli.shared.output import refuse_replacing_plot
from sudare.cli.shared.terminal import say, say_json
from sudare.errors import ParameterError
from sudare.formats.strangers import visible
from sudare.results.wording import at_most

if TYPE_CHECKING:
    from fractions import Fraction

    from sudare.collection.document import Collection
    from sudare.mechanisms.interface import Mechanism

_REPORTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_BEFORE_AND_AFTER = (1, 5, 20, None)  # so many before a change and so many after it; None: any
_DIGITS = 4000  # of a fraction that is written out
_LONGEST = 400  # characters of a fraction on a terminal
_BAR = 32  # characters


@click.command()
@collection_argument
@json_option
@picture_option
@force_option
def epsilon(collection: Path, as_json: bool, plot: Path | None, force: bool) -> None:
    """Print the exact ε of a collection, with the fraction it is the logarithm of.

    Small collections are also enumerated: the code that ships is run down every path of
    chance, and the worst ratio of its laws is compared with the formula, as fractions.

    For RAPPOR and LOLOHA it also tells what k reports of one answer by one device cost together
    (ε_k), what any number of them does (ε∞; --plot draws it), and what answers that change cost;
    for LOLOHA, how well it shows that one changed. Over time, ε is that of all reports of a person.

    \b
    Examples:
      sudare epsilon tea.json
      sudare epsilon homepage.json --plot cost.svg
    """
    agreed = load_collection(collection)
    refuse_replacing_plot(plot, force=force)
    mechanism = agreed.mechanism
    ratio, reason = mechanism.worst_ratio, mechanism.not_enumerable
    enumerated = None if reason else mechanism.channel().worst_ratio
    document: dict[str, Any] = {
        "collection": agreed.name,
        "key": agreed.key,
        "mechanism": mechanism.document(),
        "epsilon": mechanism.epsilon,
        "worst_ratio": _written(ratio),
        "enumerated": None if enumerated is None else _written(enumerated),
    }
    if mechanism.memoised:
        document |= _many(mechanism)
    document |= agreed.kind.cost_fields()
    if plot is not None:
        _save(agreed, document, plot)
    if as_json:
        say_json(document)
    else:
        _show(agreed, document, reason, equal=enumerated == ratio)
    if enumerated not in {None, ratio}:
        raise ParameterError("the enumerated privacy is not the stated one: don't use this")


def _written(ratio: "Fraction") -> str | None:
    """The fraction in digits, if they are not thousands."""
    return str(ratio) if ratio.numerator.bit_length() < 3 * _DIGITS else None


def _many(mechanism: "Mechanism") -> dict[str, Any]:
    """What several reports of one answer cost."""
    for_life = mechanism.lifetime_epsilon
    return {
        "lifetime_epsilon": for_life if math.isfinite(for_life) else None,
        "reports": [
            {"reports": reports, "epsilon": mechanism.epsilon_of(reports)} for reports in _REPORTS
        ],
        **(_changes(mechanism) if math.isfinite(for_life) else {}),
    }


def _changes(mechanism: "Mechanism") -> dict[str, Any]:
    """What answers that change cost, and how well a change shows, where that is known."""
    most = mechanism.most_kept
    counts = [1, 2, 5, 10] if most is None else sorted({1, 2, most})
    shown = [(reports, mechanism.change_shows(reports)) for reports in _BEFORE_AND_AFTER]
    return {
        "changes": [
            {f"{mechanism.kept_for}s": count, "epsilon": mechanism.epsilon_of_kept(count)}
            for count in counts
            if most is None or count <= most
        ],
        "change_shows": [
            {"reports": reports, "at_most": shows} for reports, shows in shown if shows is not None
        ],
    }


def _save(agreed: "Collection", document: dict[str, Any], path: Path) -> None:
    from sudare.results.figures import cost_figure, save

    if "reports" not in document:
        raise ParameterError(f"{agreed.kind.cost_of_many()}, and there is nothing to plot")
    reports = [row["reports"] for row in document["reports"]]
    costs = [row["epsilon"] for row in document["reports"]]
    for_life, title = document["lifetime_epsilon"], visible(agreed.name)
    save(cost_figure(reports, costs, for_life, title=title), path)


def _show(agreed: "Collection", document: dict[str, Any], reason: str | None, equal: bool) -> None:
    from sudare.chance.exact import text_up

    mechanism, ratio = agreed.mechanism, agreed.mechanism.worst_ratio
    exactly = document["worst_ratio"] or "a fraction of thousands of digits"
    if len(exactly) > _LONGEST:
        exactly = f"a fraction of {len(exactly) - 1:,} digits (--json has them)"
    say(f"{agreed.name}: {mechanism.name} over {agreed.kind.described}")
    say(f"  ε           {mechanism.epsilon!r}   (rounded up)")
    say(f"  e^ε exactly {exactly} = {text_up(ratio, 12)}")
    say(
        f"  meaning     {agreed.kind.no_report} more than {at_most(ratio)} times likelier under "
        f"one {agreed.kind.given} than under another"
    )
    say(f"  odds        {mechanism.odds}")
    verdict = "equal" if equal else "DIFFERENT"
    say(f"  enumerated  {reason or f'{verdict}: every path of the code that ships was walked'}")
    if "reports" in document:
        _show_many(document)


def _show_many(document: dict[str, Any]) -> None:
    """The cost of many reports as a table with bars, full at the lifetime's."""
    from sudare.chance.exact import text_up

    for_life, rows = document["lifetime_epsilon"], document["reports"]
    if for_life is None:
        say("  for life    no bound: without permanent noise every report costs anew")
    else:
        say(f"  for life    {for_life!r}   (ε∞: any number of reports of one answer)")
    say("  reports     ε_k: so many reports of one answer, by one device, together")
    full = for_life or rows[-1]["epsilon"]
    for row in rows:
        bar = "█" * max(1, round(_BAR * row["epsilon"] / full))
        say(f"  {row['reports']:>11,} {text_up(row['epsilon'], 4):>9}  {bar}")
    if "changes" in document:
        _show_changes(document)


def _show_changes(document: dict[str, Any]) -> None:
    """The cost of answers that change, and how well a change shows."""
    from sudare.chance.exact import text_up

    rows = document["changes"]
    what = next(name for name in rows[0] if name != "epsilon")
    say(f"  {what:<11} ε where answers change: of any number of reports from so many {what},")
    say(f"              between histories that come to {what}, old or new, at the same times")
    for row in rows:
        say(f"  {row[what]:>11,} {text_up(row['epsilon'], 4):>9}")
    if not document["change_shows"]:
        return
    say("  a change    that it happened shows: so many reports before it and after, and how much")
    say("              better than by guessing it is told from none (100 % is always), at most")
    for row in document["change_shows"]:
        reports = "any" if row["reports"] is None else f"{row['reports']:,}"
        say(f"  {reports:>11} {100 * row['at_most']:>7.1f} %")
