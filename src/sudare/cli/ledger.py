"""``sudare ledger``: what noisy totals have cost the people counted, and what is left."""

import errno
import os
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.files import naming, require_folder
from sudare.cli.shared.options import PATH, json_option
from sudare.cli.shared.terminal import say, say_json
from sudare.formats.file_kinds import FileKind

if TYPE_CHECKING:
    from sudare.privacy.ledger import Ledger


@click.group()
def ledger() -> None:
    """Keep account of what the people counted have spent, and cap it.

    A party of two charges its ledger before it opens or answers: `sudare party … --ledger FILE`.

    \b
    Examples:
      sudare ledger new ledger.json --cap 3 --delta-cap 1e-5
      sudare ledger show ledger.json
    """


@ledger.command()
@click.argument("file", type=PATH)
@click.option("--cap", type=float, help="The ε that all charges may come to. [default: no cap]")
@click.option("--delta-cap", type=float, help="The δ that they may come to. [default: no cap]")
@json_option
def new(file: Path, cap: float | None, delta_cap: float | None, as_json: bool) -> None:
    """Make a ledger that nothing is charged to yet; one that is there is not written over.

    \b
    Examples:
      sudare ledger new ledger.json --cap 3 --delta-cap 1e-5
    """
    from sudare.privacy.account import Account
    from sudare.privacy.ledger import Ledger

    made = Ledger(cap, delta_cap)
    Account.create(file, made)
    if as_json:
        say_json(standing(made))
    else:
        say(f"left   {left_text(made)}")


@ledger.command()
@click.argument("file", type=PATH)
@json_option
def show(file: Path, as_json: bool) -> None:
    """Print what was charged, for what, and what is left.

    What is spent is rounded up, what is left is rounded down.

    \b
    Examples:
      sudare ledger show ledger.json
      sudare ledger show ledger.json --json
    """
    known = read_ledger(file)
    if as_json:
        say_json(standing(known) | {"charges": known.rows()})
        return
    say(f"spent  {spent_text(known)}")
    say(f"left   {left_text(known)}")
    for row in known.rows():
        times = row["reports"] + row["windows"]
        say(f"       {_text(*known.spent(row['collection']))} in {times} × {row['collection']}")


def read_ledger(path: Path) -> "Ledger":
    """The ledger of a file; one that holds something else is refused by what it is."""
    from sudare.privacy.account import Account

    if path.is_dir():
        require_folder(path, FileKind.LEDGER)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    with naming(path, FileKind.LEDGER):
        return Account.read(path)


def standing(known: "Ledger") -> dict[str, Any]:
    """A ledger's caps, ε and δ spent, rounded up, and left, rounded down; None for no cap."""
    from sudare.chance.exact import float_up

    def down(exact: Fraction | None) -> float | None:
        return None if exact is None else -float_up(-exact)

    spent = known.spent()
    return {
        "cap": {"epsilon": known.cap, "delta": known.delta_cap},
        "spent": {"epsilon": float_up(spent.epsilon), "delta": float_up(spent.delta)},
        "left": {"epsilon": down(known.left), "delta": down(known.delta_left)},
    }


def spent_text(known: "Ledger") -> str:
    """The ε and δ that a ledger has spent, in a few digits, never less than they are."""
    return _text(*known.spent())


def left_text(known: "Ledger") -> str:
    """The ε and δ that a ledger's caps leave, in a few digits, never more than they are."""
    from sudare.chance.exact import scientific_down, text_down

    epsilon, delta = known.left, known.delta_left
    told = "ε without a cap" if epsilon is None else f"ε = {text_down(epsilon)}"
    return told + (", δ without a cap" if delta is None else f", δ = {scientific_down(delta)}")


def _text(epsilon: Fraction, delta: Fraction) -> str:
    from sudare.chance.exact import scientific_up, text_up

    return f"ε = {text_up(epsilon)}, δ = {scientific_up(delta)}"
