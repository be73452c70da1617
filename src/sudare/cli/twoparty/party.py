"""``sudare party``: one of two parties that draw a noise together and open a noisy total."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.ledger import left_text, read_ledger, spent_text, standing
from sudare.cli.shared.files import load, naming
from sudare.cli.shared.options import PATH, json_option, progress_bar, refuse_idle
from sudare.cli.shared.terminal import say, say_json
from sudare.cli.twoparty.agreement import (
    Command,
    agreed,
    agreement_options,
    tables_text,
)
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.results.wording import counted, integer
from sudare.twoparty.ciphers.interface import Cipher, cipher_named

if TYPE_CHECKING:
    from sudare.formats.files import Once
    from sudare.twoparty.protocol.agreement import Agreement
    from sudare.twoparty.protocol.connection import Credentials, Wire
    from sudare.twoparty.protocol.joint_count import JointCount
    from sudare.twoparty.protocol.parties import NoisyTotal, TotalOfP2
    from sudare.twoparty.protocol.session import OnceFile

_LEAST_WAIT, _MOST_WAIT = 0.1, 86400.0  # seconds


def _check_timeout(context: click.Context, option: click.Parameter, seconds: float) -> float:
    del context, option  # click hands them to every callback
    if not _LEAST_WAIT <= seconds <= _MOST_WAIT:
        raise ParameterError(
            f"--timeout is from {_LEAST_WAIT:g} to {_MOST_WAIT:g} seconds, got {seconds:g}"
        )
    return seconds


def connection_options(command: Command) -> Command:
    """The options of how the parties reach and know each other, added to a command."""
    for option in (
        json_option,
        click.option(
            "--timeout",
            type=float,
            callback=_check_timeout,
            default=60.0,
            show_default=True,
            help="Seconds to wait for the other party, each time.",
        ),
        click.option(
            "--insecure",
            is_flag=True,
            help="No TLS: for trials on one machine; only loopback addresses are taken.",
        ),
        click.option("--peer", type=PATH, help="The other party's certificate, PEM."),
        click.option("--private-key", type=PATH, help="Of the certificate, PEM."),
        click.option("--certificate", type=PATH, help="This party's certificate, PEM."),
        click.option(
            "--ledger",
            type=PATH,
            help="This party's ledger (`sudare ledger new`): charged before anything is spent.",
        ),
        click.option("--count", "count_file", type=PATH, help="A count that devices encrypt to."),
    ):
        command = option(command)
    return command


@click.group()
def party() -> None:
    """Be one of two parties that open a total with a noise that neither knows.

    P1 encrypts and shuffles tables, P2 draws from them without being able to read them and adds
    its total; P1 opens the noisy sum. P1 proves its tables (--candidates); otherwise both must
    follow the protocol, and they must not collude.
    """


@party.command()
@click.option("--listen", required=True, metavar="HOST:PORT", help="Where P2 connects to.")
@click.option("--total", type=int, help="P1's own total, added. [default: it has none]")
@click.option("--secret", type=PATH, help="With --count: the secret of P1.")
@agreement_options
@connection_options
def one(listen: str, total: int | None, secret: Path | None, **options: Any) -> None:  # noqa: ANN401 - shared options, used by name
    """P1: make keys and tables, open one noisy total.

    \b
    Examples:
      sudare party one --listen 127.0.0.1:7001 --epsilon 1 --delta 1e-6 --insecure
      sudare party one --listen 0.0.0.0:7001 --table table.json --total 1200 --disjoint \\
        --certificate one.pem --private-key one.key --peer two.pem
      sudare party one --listen 127.0.0.1:7001 --count count.json --secret secret.json --insecure \\
        --ledger ledger.json
    """
    from sudare.chance.randomness import System
    from sudare.formats.files import regular
    from sudare.privacy.payment import paying
    from sudare.twoparty.protocol import peer_listener, session
    from sudare.twoparty.protocol.parties import Listening

    count, agreement = agreed(**options)
    if (count is None) != (secret is None):
        raise ParameterError("--count and --secret belong together")
    keys = mark = None
    if count is not None and secret is not None:
        keys = load(regular(secret), FileKind.SECRET, count.keys)
        mark = _mark(secret, count, "opened", "this key opened a total")
    if total is not None:  # also if it is 0: a refusal that depends on it would tell it
        agreement.check_total(total)
        agreement.check_both()
    state = Listening(agreement, cipher_named(agreement.cipher), keys)
    host, port = _address(listen)
    _check_ledger(options["ledger"])
    with paying(options["ledger"], *_costs(agreement), mark) as paid:
        credentials, timeout = _credentials(**options), options["timeout"]
        with peer_listener.listening(host, port, credentials, timeout, _say_where(host)) as wire:
            start = process_time()
            result = session.run_one(wire, state, System(), own=total or 0, mark=paid)
            cpu = process_time() - start
            _report(result, wire, cpu, count, agreement, paid, options["as_json"])


@party.command()
@click.option("--connect", required=True, metavar="HOST:PORT", help="Where P1 listens.")
@click.option("--total", type=int, help="P2's total, in clear to P2.")
@click.option("--records", type=PATH, help="With --count: the devices' records, one file.")
@agreement_options
@connection_options
def two(connect: str, total: int | None, records: Path | None, **options: Any) -> None:  # noqa: ANN401 - as above
    """P2: add a noise to a total without knowing it, and send the sum to P1.

    \b
    Examples:
      sudare party two --connect 127.0.0.1:7001 --epsilon 1 --delta 1e-6 --total 4321 --insecure
      sudare party two --connect one.example:7001 --table table.json --total 4321 --disjoint \\
        --certificate two.pem --private-key two.key --peer one.pem
      sudare party two --connect 127.0.0.1:7001 --count count.json --records records.bin --insecure
    """
    from sudare.chance.randomness import System
    from sudare.privacy.payment import paying
    from sudare.twoparty.protocol import connection, session
    from sudare.twoparty.protocol.parties import Starting, TotalOfP2

    count, agreement = agreed(**options)
    if (count is None) != (records is None):
        raise ParameterError("--count and --records belong together")
    if count is not None:
        refuse_idle("beside --count, whose records are the total", "total")
    elif total is None:
        raise ParameterError("P2 needs its --total, or --count together with --records")
    cipher = cipher_named(agreement.cipher)
    host, port = _address(connect)
    mark = None
    if count is not None and records is not None:
        mark = _mark(records, count, "answered", "this count was answered for")
    _check_ledger(options["ledger"])
    with paying(options["ledger"], *_costs(agreement), mark) as paid:
        if count is not None and records is not None:
            holding = _add_up(count, cipher, records)
        else:
            holding = TotalOfP2(total=agreement.check_total(int(total or 0)))
        state = Starting(agreement, cipher, holding)
        credentials, timeout = _credentials(**options), options["timeout"]
        with connection.connected(host, port, credentials, timeout) as wire:
            start = process_time()
            result = session.run_two(wire, state, System(), mark=paid)
            cpu = process_time() - start
            _report(result, wire, cpu, count, agreement, paid, options["as_json"])


def _costs(agreement: "Agreement") -> tuple[str, float, float]:
    """What is paid for, and with how much ε and δ."""
    epsilon = agreement.document.guarantee.epsilon
    return agreement.spending_key, epsilon, agreement.spent_delta


def _check_ledger(path: Path | None) -> None:
    if path is not None:
        read_ledger(path)


def _mark(beside: Path, count: "JointCount", end: str, what: str) -> "OnceFile":
    """The mark of a count in a file's folder: another name of the file is the same count."""
    from sudare.formats.files import real
    from sudare.twoparty.protocol.session import OnceFile

    return OnceFile(real(beside).with_name(f"{count.key}.{end}"), what)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) >= 1 << 16:
        raise ParameterError(f"an address is HOST:PORT with a port below 65536, got {text!r}")
    return host.strip("[]"), int(port)


def _credentials(
    *,
    certificate: Path | None,
    private_key: Path | None,
    peer: Path | None,
    insecure: bool,
    **_: object,
) -> "Credentials | None":
    from sudare.twoparty.protocol.connection import Credentials

    if insecure:
        refuse_idle("beside --insecure, which is without TLS", "certificate", "private_key", "peer")
        say("Warning: no TLS, so this is a trial on one machine", err=True)
        return None
    if certificate is None or private_key is None or peer is None:
        raise ParameterError(
            "the parties need --certificate, --private-key and --peer (or --insecure for a trial)"
        )
    return Credentials(certificate, private_key, peer)


def _say_where(host: str) -> Callable[[int], object]:
    return lambda port: say(f"listening on {host}:{port}", err=True)


def _add_up(count: "JointCount", cipher: Cipher, records: Path) -> "TotalOfP2":
    from sudare.formats.files import regular
    from sudare.twoparty.protocol.joint_count import summed

    with progress_bar() as progress:
        task = progress.add_task("adding up", total=None)
        data = regular(records).read_bytes()
        with naming(records, FileKind.RECORDS):
            holding, number = summed(
                count,
                cipher,
                data,
                lambda done: progress.update(task, completed=done),
            )
    say(f"{counted(number, 'record')} added up", err=True)
    return holding


def _report(
    result: "NoisyTotal | None",
    wire: "Wire",
    cpu: float,
    count: "JointCount | None",
    agreement: "Agreement",
    paid: "Once | None",
    as_json: bool,
) -> None:
    from sudare.privacy.payment import Payment

    ledger = paid.account.ledger if isinstance(paid, Payment) else None
    ranges = "proved" if count is not None and count.proofs else "trusted"
    if as_json:
        say_json(
            {
                "key": agreement.spending_key,
                "p2_blind": agreement.p2_blind,
                "disjoint": agreement.disjoint,
                "range": ranges,
                "candidates": agreement.candidates,
                "deterrence": float(agreement.deterrence),
                "bytes": wire.sent + wire.received,
                "cpu_seconds": cpu,
                "ledger": None if ledger is None else standing(ledger),
                "result": None if result is None else asdict(result),
            }
        )
        return
    if result is None:
        say("the total was opened by P1 (agreed: P2 is not told)")
    else:
        _print(result, agreement, ranges)
    say(f"tables        {tables_text(agreement)}")
    size = counted(wire.sent + wire.received, "byte")
    say(f"session       {cpu:.2f} s of this party's processor, {size}")
    if ledger is not None:
        say(f"ledger        spent {spent_text(ledger)}; left {left_text(ledger)}")


def _print(result: "NoisyTotal", agreement: "Agreement", ranges: str) -> None:
    say(f"noisy total   {integer(result.total)}")
    say(f"mean |noise|  {result.mean_noise:.4f}")
    proved = "proved if nobody is in both totals" if agreement.disjoint else "proved"
    say(f"cost          {agreement.document.guarantee}, {proved}")
    if ranges == "trusted":
        say(f"range         0 to {agreement.most} each, as trusted: nothing proves it")
    else:
        say("range         0 or 1 each, proved by every record")
    if agreement.p2_blind:
        say("secrecy       P2 must not learn this total")
