"""The terms that two parties agree on, as options of the commands that need them."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from sudare.cli.shared.files import load
from sudare.cli.shared.options import PATH, refuse_idle
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.results.wording import PERCENT
from sudare.twoparty.ciphers.interface import CIPHERS, USUAL_CANDIDATES, usual_candidates

if TYPE_CHECKING:
    from sudare.twoparty.noise.table_document import TableDocument
    from sudare.twoparty.protocol.agreement import Agreement
    from sudare.twoparty.protocol.joint_count import JointCount

Command = TypeVar("Command", bound=Callable[..., Any])

_TABLES = ("epsilon", "delta", "sensitivity")  # what tables settle
# Options that are settled by a count.
_TERMS = ("table", *_TABLES, "people", "most", "cipher", "p2_blind", "disjoint", "candidates")


def agreement_options(command: Command) -> Command:
    """The options that both parties must give alike, added to a command."""
    for option in (  # the last is applied first, and so stands first
        click.option(
            "--candidate-tables",
            "candidates",
            type=int,
            help="P1 makes so many candidates of its tables, and opens all but one: false tables "
            f"are found with a chance of 1 − 1/number. [default: {USUAL_CANDIDATES}; 1 under "
            "lattice]",
        ),
        click.option(
            "--disjoint",
            is_flag=True,
            help="Nobody is in both parties' totals: else P1 adds none, or takes wider tables.",
        ),
        click.option(
            "--p2-blind",
            is_flag=True,
            help="P2 is never told the result: for tables that fail against P2 only.",
        ),
        click.option(
            "--cipher",
            type=click.Choice(CIPHERS),
            default=CIPHERS[0],
            show_default=True,
            help="On a curve (small and fast), or on a lattice (withstands quantum computers).",
        ),
        click.option(
            "--most", type=int, default=1, show_default=True, help="A person counts from 0 to this."
        ),
        click.option(
            "--people",
            type=int,
            default=1_000_000,
            show_default=True,
            help="The most people that one party counts.",
        ),
        click.option("--sensitivity", type=int, help="Of the tables. [default: --most]"),
        click.option("--delta", type=float, help="The chance δ with which ε may be exceeded."),
        click.option("--epsilon", type=float, help="The budget ε of shipped tables."),
        click.option("--table", type=PATH, help="Tables as written by `sudare table --output`."),
    ):
        command = option(command)
    return command


def agreed(
    *,
    count_file: Path | None,
    table: Path | None,
    epsilon: float | None,
    delta: float | None,
    sensitivity: int | None,
    people: int,
    most: int,
    cipher: str,
    p2_blind: bool,
    disjoint: bool,
    candidates: int | None,
    **_: object,
) -> tuple["JointCount | None", "Agreement"]:
    """The agreement that the options describe, and the count if there is one."""
    from sudare.twoparty.noise.guarantee import Guarantee
    from sudare.twoparty.noise.shipped_tables import shipped
    from sudare.twoparty.noise.table_document import TableDocument
    from sudare.twoparty.protocol.agreement import Agreement

    if count_file is not None:
        refuse_idle("beside --count, which settles it", *_TERMS)
        count = load_count(count_file)
        return count, count.bound_agreement
    if table is not None:
        refuse_idle("beside --table, which settles it", *_TABLES)
        document = load_tables(table)
    elif epsilon is None or delta is None:
        raise ParameterError("the tables come from --table, or from --epsilon with --delta")
    else:
        guarantee = Guarantee(epsilon, delta, most if sensitivity is None else sensitivity)
        proof = shipped(guarantee)
        if proof is None:
            raise ParameterError(
                f"no tables are shipped for {guarantee} and sensitivity {guarantee.sensitivity}: "
                f"make some with `sudare table` and --table"
            )
        document = TableDocument(guarantee, proof.scheme)
    made = usual_candidates(cipher) if candidates is None else candidates
    return None, Agreement(document, cipher, people, most, p2_blind, disjoint, candidates=made)


def tables_text(agreement: "Agreement") -> str:
    """Whether P1's tables are proved, and how well: a chance is rounded down."""
    from sudare.chance.exact import text_down

    number = agreement.candidates
    if number == 1:
        return "P1's, as trusted: nothing proves them"
    chance = f"{text_down(100 * agreement.deterrence, 4)}{PERCENT}"
    return f"{number - 1} of P1's {number} opened: false ones are found with a chance of {chance}"


def load_tables(path: Path) -> "TableDocument":
    """The noise tables of a file."""
    from sudare.formats.files import regular
    from sudare.twoparty.noise.table_document import TableDocument

    return load(regular(path), FileKind.TABLES, TableDocument.from_json)


def load_count(path: Path) -> "JointCount":
    """The joint count of a file."""
    from sudare.formats.files import regular
    from sudare.twoparty.protocol.joint_count import JointCount

    return load(regular(path), FileKind.COUNT, JointCount.from_json)
