"""What a device sent and what it has spent, as commands print it."""

from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.cells import printable

if TYPE_CHECKING:
    from fractions import Fraction

    from sudare.participant import Sent
    from sudare.privacy.ledger import Ledger


DOUBTFUL = "refused now; an earlier attempt may have counted"


def up(amount: "Fraction | float") -> str:
    """A cost in a few digits, never less than it is."""
    from fractions import Fraction

    from sudare.exact import text_up

    return text_up(Fraction(amount))


def spent_text(ledger: "Ledger") -> str:
    """What is spent, and what a cap leaves."""
    from sudare.privacy.ledger import text_down

    spent = f"{ledger.spent()} is spent"
    left = ledger.left
    return spent if left is None else f"{spent} of {ledger.cap}, {text_down(left)} is left"


def account(ledger: "Ledger") -> dict[str, Any]:
    """The ledger in numbers: spent rounded up, left rounded down."""
    from sudare.exact import float_up

    spent, left = ledger.spent(), ledger.left
    return {
        "spent": float_up(spent.epsilon),
        "cap": ledger.cap,
        "collection_cap": ledger.collection_cap,
        "left": None if left is None else -float_up(-left),
    }


def sent_document(sent: "Sent", address: str) -> dict[str, Any]:
    """What left a device, for programs."""
    from sudare.exact import float_up

    return {
        "name": sent.collection.name,
        "key": sent.collection.key,
        "collector": address,
        "id": sent.id.hex(),
        "window": sent.window,
        "round": sent.round or None,
        "report": sent.record.hex(),
        "odds": sent.odds,
        "cost": float_up(sent.cost.epsilon),
        "fate": str(sent.fate),
        "reason": sent.reason,
    }


def show_sent(sent: "Sent", address: str, ledger: "Ledger") -> None:
    """What left a device, for people."""
    from sudare.participant import Fate

    fate = DOUBTFUL if sent.fate is Fate.DOUBTFUL else sent.fate
    where = f"window {sent.window}" + (f", round {sent.round}" if sent.round else "")
    facts = {
        "question": printable(sent.collection.question),
        "report": f"{sent.record.hex()} ({len(sent.record)} bytes, hexadecimal)",
        "its name": sent.id.hex(),
        "for": f"{printable(sent.collection.name)} ({sent.collection.key[:12]}…), {where}",
        "at": address,
        "odds": sent.odds,
        "cost": f"ε = {up(sent.cost.epsilon)}",
        "ledger": spent_text(ledger),
        "now": f"{fate}{f': {sent.reason}' if sent.reason else ''}",
    }
    for name, fact in facts.items():
        click.echo(f"{name:<9} {fact}")
