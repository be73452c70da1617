"""What ``sudare bounds`` found, as a table in plain words."""

from typing import Any

import rich_click as click

from sudare.amounts import amount


def show(document: dict[str, Any]) -> None:
    """Print the errors of each mechanism, and the people that a wanted one takes."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    low, high = document["low"], document["high"]
    shares = f"{low:g} in every round" if low == high else f"anywhere from {low:g} to {high:g}"
    setting = [amount(document["rounds"], "round", "rounds")]
    if document["people"] is not None:
        setting.append(amount(document["people"], "person", "people"))
    click.echo(f"{', '.join(setting)}, ε = {document['epsilon']:g} for all rounds")
    click.echo(f"The share of people in state 1 is {shares}.")
    fails = f"but for a chance of {document['beta']:g}"
    if document["people"] is not None:
        table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
        table.add_column("mechanism", no_wrap=True)
        table.add_column("error", justify="right", no_wrap=True)
        table.add_column(f"no round is further off, {fails}")
        for told in document["mechanisms"]:
            theory = document["document"]
            lines = _of_mechanism(told)
            lines += _of_glance(theory) if told["mechanism"] == "glance" else []
            lines += _of_harmony(theory, document) if told["mechanism"] == "harmony" else []
            for index, (error, meaning) in enumerate(lines):
                table.add_row("" if index else told["mechanism"], error, meaning)
        Console().print(table)
    if document["wanted_error"] is not None:
        click.echo(f"For no round to be off by {document['wanted_error']:g}, {fails}, it takes")
        for told in document["mechanisms"]:
            click.echo(f"  {told['mechanism']:<10}{_people(told)}")
            if told["mechanism"] == "glance":
                general = _people(document["document"]["solved"])
                click.echo(f"  {'':<10}{general} by the document's general bound")


def _people(told: dict[str, Any]) -> str:
    needed = told["people_needed"]
    if needed is None:
        return str(told["reasons"]["people_needed"])
    return amount(needed, "person", "people")


def _line(told: dict[str, Any], name: str, meaning: str) -> tuple[str, str]:
    """An error and what it means, or why there is none."""
    if told[name] is None:
        return "—", told["reasons"][name]
    return _rounded(told[name]), meaning


def _rounded(error: float) -> str:
    from sudare.exact import text_up

    return text_up(error, 4)


def _of_mechanism(told: dict[str, Any]) -> list[tuple[str, str]]:
    lines = [_line(told, "bound", "on any stream with such shares (Chernoff's bound)")]
    if "fixed_groups" in told:
        lines.append(_line(told, "fixed_groups", "the same, with groups of fixed size"))
    if (exact := told["exact"]) is None:
        return [*lines, ("—", told["reasons"]["exact"])]
    meaning = (
        f"exactly, if the share is {exact['share']:g} in every round and people change places "
        f"(rounds without reports left out); on average {exact['mean']:.4g}"
    )
    return [*lines, (_rounded(exact["quantile"]), meaning)]


def _of_glance(theory: dict[str, Any]) -> list[tuple[str, str]]:
    solved, printed = theory["solved"], theory["printed"]
    if solved["general"] is None:
        return [("—", f"the document: {solved['reasons']['general']}")]
    as_printed = f"{_rounded(printed['general'])} with θ as printed"
    lines = [(_rounded(solved["general"]), f"the document's general bound ({as_printed})")]
    for name, told in (("as solved", solved), ("as printed", printed)):
        if "dense" in told:
            error, meaning = _line(told, "dense", "its bound 2θ, as condition (2) holds")
            lines.append((error, f"{meaning} (θ {name})"))
    return lines


def _of_harmony(theory: dict[str, Any], document: dict[str, Any]) -> list[tuple[str, str]]:
    if theory["harmony_lower"] is None:
        return []
    meaning = (
        f"is *exceeded* with probability at least {document['beta']:.3g} if all are in state 1 "
        f"(the document's Theorem 4, corrected)"
    )
    return [(_rounded(theory["harmony_lower"]), meaning)]
