"""``sudare device``: answer a collector from a device of one's own, and keep the account."""

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.files import require_folder
from sudare.cli.shared.options import (
    PATH,
    FiniteRange,
    insecure_option,
    json_option,
    load_collection,
)
from sudare.cli.shared.terminal import say, say_json
from sudare.errors import CollectorRefused, ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.files import binary_stdin
from sudare.results.wording import counted

if TYPE_CHECKING:
    from sudare.collection.document import Collection
    from sudare.device.outbox import Delivery
    from sudare.device.participant import Participant, Sent
    from sudare.privacy.ledger import Ledger

_INVITATION_BYTES = 4096  # that are read of a file for one
_DOUBTFUL = "refused now; an earlier attempt may have counted"


@click.group()
def device() -> None:
    """Answer a collector from a device, and see what that has cost.

    \b
    Examples:
      sudare device new phone --cap 5
      sudare device answer https://stats.example.org KEY --device phone < answer.txt
      sudare device ledger phone
    """


@device.command()
@click.argument("folder", type=PATH)
@click.option("--cap", type=float, help="The ε that all reports together may cost, for life.")
@click.option("--collection-cap", type=float, help="The ε that any one collection may cost.")
@json_option
def new(folder: Path, cap: float | None, collection_cap: float | None, as_json: bool) -> None:
    """Make a device: a folder with a secret, a diary and an outbox. Keep it to yourself.

    \b
    Example:
      sudare device new phone --cap 5 --collection-cap 2
    """
    from sudare.device.participant import Participant
    from sudare.privacy.ledger import Ledger

    with Participant.new(folder, Ledger(cap, collection_cap=collection_cap)) as person:
        if as_json:
            say_json({"device": str(folder), **_account(person.ledger)})
        else:
            say(f"{folder}: a new device; {_spent_text(person.ledger)}")


@device.command()
@click.argument("address")
@click.argument("key")
@click.argument("answer", required=False)
@click.option("--device", "folder", type=PATH, required=True, help="The device's folder.")
@click.option(
    "--collection", "document", type=PATH, help="Its document, if it isn't to be fetched."
)
@click.option("--window", type=int, help="That is answered; by default the one that is open.")
@click.option(
    "--round", "number", type=int, help="Over time, counted over all windows; by default, now's."
)
@click.option(
    "--invitation-file", type=PATH, help="That holds the invitation, where people are invited."
)
@click.option(
    "--invitation",
    envvar="SUDARE_INVITATION",
    help="The invitation itself. Others on the machine can read arguments, so rather say it in a "
    "file or in SUDARE_INVITATION.",
)
@click.option(
    "--again", is_flag=True, help="Answer once more what is answered once, and pay for it again."
)
@click.option("--offline", is_flag=True, help="Only put the report into the outbox.")
@click.option(
    "--patience",
    type=FiniteRange(0),
    default=10.0,
    show_default=True,
    help="Seconds to try before it waits.",
)
@insecure_option
@json_option
def answer(
    address: str,
    key: str,
    answer: str | None,
    folder: Path,
    document: Path | None,
    window: int | None,
    number: int | None,
    invitation_file: Path | None,
    invitation: str | None,
    again: bool,
    offline: bool,
    patience: float,
    insecure: bool,
    as_json: bool,
) -> None:
    """Answer the collection KEY of the collector at ADDRESS, and print exactly what was sent.

    Without ANSWER it is read from stdin, so that it stays out of the shell's history. The cost is
    charged before anything leaves. A collector that can't be reached gets the report later, by
    `sudare device send`; it counts once, however often it is sent.

    \b
    Examples:
      sudare device answer https://stats.example.org KEY --device phone < answer.txt
      sudare device answer http://127.0.0.1:8000 KEY --device phone --offline green
    """
    from sudare.chance.exact import text_up
    from sudare.device.collector_client import CollectorClient
    from sudare.device.outbox import Fate, check_patience

    check_patience(patience)
    invitation = _given_invitation(invitation, invitation_file)
    with (
        _opened(folder) as person,
        CollectorClient(address, insecure=insecure) as collector,
    ):
        if document is not None:
            _learn(person, document, key)
        tries = None if offline else patience
        agreed = person.known(key) if offline else person.agree(collector, key)
        if agreed is not None:
            _refuse_answered(person, agreed, window, number, again=again)
        given = _read_answer(agreed) if answer is None else answer
        if agreed is not None and (note := agreed.kind.clipped(given)) is not None:
            say(f"Note: {note}", err=True)
        if agreed is not None and agreed.kind.rounds:
            sent = person.observe(
                *(collector, key, given),
                number=number,
                invitation=invitation,
                patience=tries,
            )
        else:
            sent = person.answer(
                *(collector, key, given), window=window, invitation=invitation, patience=tries
            )
        if sent is None:
            silent = {"fate": "silent", **_account(person.ledger)}
            said = f"it isn't this device's round: nothing was sent; {_spent_text(person.ledger)}"
            if as_json:
                say_json(silent)
            else:
                say(said)
            return
        if sent.fate is Fate.REFUSED:
            raise CollectorRefused(f"{sent.reason} (ε = {text_up(sent.cost.epsilon)} was charged)")
        if as_json:
            say_json({**_sent_document(sent, address), **_account(person.ledger)})
        else:
            _show_sent(sent, address, person.ledger)


def _opened(folder: Path) -> "Participant":
    """The device of a folder; what holds none is refused by what it is."""
    from sudare.device.participant import Participant

    if folder.exists():
        require_folder(folder, FileKind.DEVICE)
    return Participant.open(folder)


def _given_invitation(text: str | None, path: Path | None) -> str | None:
    """The invitation that was said, or that of a file: alone, or in the link that it stands in."""
    from sudare.device.collector_client import check_invitation

    if path is None:
        return None if text is None else check_invitation(text)
    if text is not None:
        raise ParameterError("--invitation-file and --invitation both say it: leave one out")
    with path.open("rb") as file:
        text = file.read(_INVITATION_BYTES).decode("ascii", "replace").strip()
    try:
        return check_invitation(text.rpartition("invitation=")[2])
    except ParameterError:
        raise ParameterError(
            f"{path} holds no invitation (32 hexadecimal digits, or a link that ends with them)"
        ) from None


def _learn(person: "Participant", document: Path, key: str) -> None:
    collection = load_collection(document)
    if collection.key != key:
        raise ParameterError(
            f"{document} is the collection {collection.key[:12]}…, not the one of KEY"
        )
    person.learn(collection)


def _refuse(value: int | None, option: str, sentence: str) -> None:
    if value is not None:
        raise ParameterError(f"{option} {value} has no place here: the collection {sentence}")


def _refuse_answered(
    person: "Participant",
    agreed: "Collection",
    window: int | None,
    number: int | None,
    *,
    again: bool,
) -> None:
    """Refuse what was answered already: before anybody is asked, and before it costs anything."""
    from sudare.device.current_window import answered_window, observed_round

    if agreed.kind.rounds:
        _refuse(window, "--window", "is observed over time: say --round")
        which = "this round" if number is None else f"round {number}"
        place = observed_round(agreed, number)
    else:
        _refuse(number, "--round", "asks for one answer: say --window")
        place = answered_window(agreed, window)
        which = "this window" if window is None else f"window {window}"
        which *= agreed.windows is not None
    if not person.has_answered(agreed, place) or (again and not which):
        return
    if which:
        raise ParameterError(
            f"“{agreed.name}” was answered already in {which}, or in a later one (nothing was sent)"
        )
    raise ParameterError(
        f"“{agreed.name}” was answered already, and each person answers once (nothing was sent; "
        f"--again answers anew, and costs anew)"
    )


def _read_answer(agreed: "Collection | None") -> str:
    """The answer on stdin, without the end of its line; asked for at a terminal, unseen."""
    if sys.stdin is not None and sys.stdin.isatty():
        if agreed is not None:
            _, answers = agreed.kind.listed()
            lines = [agreed.question, *answers, agreed.mechanism.odds]
            for line in lines:
                say(line, err=True)
        return str(click.prompt("Answer (not shown)", hide_input=True, err=True))
    return binary_stdin().read().decode().removesuffix("\n").removesuffix("\r")


@device.command()
@click.argument("folder", type=PATH)
@click.option(
    "--patience",
    type=FiniteRange(0),
    default=60.0,
    show_default=True,
    help="Seconds to try, per collector.",
)
@insecure_option
@json_option
def send(folder: Path, patience: float, insecure: bool, as_json: bool) -> None:
    """Send what waits in a device's outbox, and list what was refused for good.

    Where reports wait and no collector takes any of them, the exit code is 2.

    \b
    Example:
      sudare device send phone
    """
    from sudare.device.outbox import check_patience

    check_patience(patience)
    with _opened(folder) as person:
        rows = []
        for address, count in sorted(
            Counter(report.address for report in person.outbox.waiting()).items()
        ):
            delivery = _delivered(person, address, count, patience, insecure=insecure)
            aside = [each._asdict() for each in delivery.aside]
            rows.append({"collector": address, **delivery._asdict(), "aside": aside})
        refusals = [
            {**refusal._asdict(), "id": refusal.id.hex()} for refusal in person.outbox.refusals()
        ]
    if as_json:
        say_json({"sent": rows, "refusals": refusals})
    else:
        _show_delivered(rows, refusals)
    if rows and not any(row["taken"] for row in rows):
        waiting = counted(sum(row["waiting"] for row in rows), "report")
        raise CollectorRefused(f"nothing was taken; {waiting} still to be sent")


def _show_delivered(rows: list[dict[str, Any]], refusals: list[dict[str, Any]]) -> None:
    """What came of sending to each collector, and what was ever refused for good."""
    for row in rows:
        why = f" ({row['reason']})" if row["waiting"] else ""
        doubt = f"{row['doubtful']} {_DOUBTFUL}, " if row["doubtful"] else ""
        say(
            f"{row['collector']}: {row['taken']} taken, {row['refused']} refused, {doubt}"
            f"{row['waiting']} waiting{why}"
        )
    if not rows:
        say("nothing waits")
    for refused in refusals:
        fate = _DOUBTFUL if refused["doubtful"] else "refused"
        say(f"{fate}: {refused['key'][:12]}…, window {refused['window']}: {refused['reason']}")


def _delivered(
    person: "Participant", address: str, count: int, patience: float, *, insecure: bool
) -> "Delivery":
    """What came of sending to an address; one that can't be used doesn't keep others waiting."""
    from sudare.device.collector_client import CollectorClient
    from sudare.device.outbox import Delivery

    try:
        collector = CollectorClient(address, insecure=insecure)
    except ParameterError as error:
        return Delivery(0, 0, count, str(error))
    with collector:
        return person.send(collector, patience=patience)


@device.command()
@click.argument("folder", type=PATH)
@click.option("--cap", type=float, help="From now on, all reports together may cost so much ε.")
@click.option("--collection-cap", type=float, help="And those of any one collection so much.")
@click.option("--no-cap", is_flag=True, help="No limits any more, but those given here.")
@json_option
def ledger(
    folder: Path, cap: float | None, collection_cap: float | None, no_cap: bool, as_json: bool
) -> None:
    """Show what a device has spent on each collection and for life, and set its caps.

    \b
    Examples:
      sudare device ledger phone
      sudare device ledger phone --cap 8
    """
    from sudare.chance.exact import text_up

    with _opened(folder) as person:
        if no_cap or cap is not None:
            person.device.diary.cap(cap)
        if no_cap or collection_cap is not None:
            person.device.diary.cap_collections(collection_cap)
        rows = [{"name": _name(person, row["collection"]), **row} for row in person.ledger.rows()]
        document = {"collections": rows, **_account(person.ledger)}
        waiting = len(person.outbox.waiting())
        said = _spent_text(person.ledger)
    if as_json:
        say_json({**document, "waiting": waiting})
        return
    for row in rows:
        say(
            f"{row['name'] or '?'} ({row['collection'][:12]}…): ε = "
            f"{text_up(row['epsilon'])} for {_counted(row)}"
        )
    say(said if not waiting else f"{said}; reports that wait: {waiting}")


def _counted(row: dict[str, Any]) -> str:
    parts = [(row["reports"], "report"), (row["windows"], "window")]
    return " and ".join(counted(count, what) for count, what in parts if count)


def _name(person: "Participant", key: str) -> str | None:
    known = person.known(key)
    return None if known is None else known.name


def _spent_text(ledger: "Ledger") -> str:
    """What is spent, and what a cap leaves."""
    from sudare.chance.exact import text_down

    spent = f"{ledger.spent()} is spent"
    left = ledger.left
    return spent if left is None else f"{spent} of {ledger.cap}, {text_down(left)} is left"


def _account(ledger: "Ledger") -> dict[str, Any]:
    """The ledger in numbers: spent rounded up, left rounded down."""
    from sudare.chance.exact import float_up

    spent, left = ledger.spent(), ledger.left
    return {
        "spent": float_up(spent.epsilon),
        "cap": ledger.cap,
        "collection_cap": ledger.collection_cap,
        "left": None if left is None else -float_up(-left),
    }


def _sent_document(sent: "Sent", address: str) -> dict[str, Any]:
    """What left a device, for programs."""
    from sudare.chance.exact import float_up

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


def _show_sent(sent: "Sent", address: str, ledger: "Ledger") -> None:
    """What left a device, for people."""
    from sudare.chance.exact import text_up
    from sudare.device.outbox import Fate

    fate = _DOUBTFUL if sent.fate is Fate.DOUBTFUL else sent.fate
    where = f"window {sent.window}" + (f", round {sent.round}" if sent.round else "")
    facts = {
        "question": sent.collection.question,
        "report": f"{sent.record.hex()} ({counted(len(sent.record), 'byte')}, hexadecimal)",
        "its id": sent.id.hex(),
        "for": f"{sent.collection.name} ({sent.collection.key[:12]}…), {where}",
        "at": address,
        "odds": sent.odds,
        "cost": f"ε = {text_up(sent.cost.epsilon)}",
        "ledger": _spent_text(ledger),
        "now": f"{fate}{f': {sent.reason}' if sent.reason else ''}",
    }
    for name, fact in facts.items():
        say(f"{name:<9} {fact}")
