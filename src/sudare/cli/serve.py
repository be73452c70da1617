"""``sudare serve``: a collector on the network."""

import logging
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.shared.files import naming_store
from sudare.cli.shared.options import (
    PATH,
    FiniteRange,
    json_option,
    load_collection,
    port_option,
    store_option,
)
from sudare.cli.shared.terminal import log_to_stderr, put_json, say
from sudare.collection.defaults import GRACE, MOST_GRACE
from sudare.errors import ParameterError
from sudare.formats.tokens import DAY, TOKEN_DAYS

_OPEN = (
    "{host} is open to other machines without TLS, so that whoever is between can read and change "
    "what is sent: give --certificate and --private-key, or let a proxy with TLS stand before it "
    "and name it with --trusted-proxy"
)

if TYPE_CHECKING:
    from sudare.collector.stores.contract import Store


@click.command()
@click.argument("collections", nargs=-1, type=PATH)
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@port_option
@click.option("--certificate", type=PATH, help="For TLS: a certificate (chain), PEM.")
@click.option("--private-key", type=PATH, help="Of the certificate, PEM, without a password.")
@click.option(
    "--grace",
    type=click.IntRange(0, MOST_GRACE),
    default=GRACE,
    show_default=True,
    help="Of the COLLECTIONS: seconds after its end that a window, or a round, takes reports.",
)
@click.option("--public", is_flag=True, help="Anybody may read the results of the COLLECTIONS.")
@click.option(
    "--rate",
    type=FiniteRange(0, min_open=True),
    help="The most new reports a second of each collection. [default: any number]",
)
@click.option(
    "--body-seconds",
    type=FiniteRange(0.1, 3600),
    default=30.0,
    show_default=True,
    help="How long a body of reports may take to arrive.",
)
@click.option(
    "--connections",
    type=click.IntRange(1, 1_000_000),
    default=4096,
    show_default=True,
    help="The most at once.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    help="Of a survey page hosted elsewhere, such as https://survey.example.org; repeatable.",
)
@click.option(
    "--accept-loss",
    is_flag=True,
    help="Go on with a SQLite store that lacks reports which were acknowledged.",
)
@click.option(
    "--window-reports",
    type=click.IntRange(1),
    show_default="16777216",
    help="The most reports in a window, where anybody may send: the id of each takes memory.",
)
@click.option(
    "--trusted-proxy",
    "trusted_proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy, or a network of them, that says where requests come from. Repeatable.",
)
@click.option(
    "--admin-token-file",
    type=PATH,
    show_default="beside the store, STORE.admin-token; for PostgreSQL, ./sudare-admin-token",
    help="Where the first token of an administrator is written, for you alone.",
)
@json_option
def serve(
    collections: tuple[Path, ...],
    store: str,
    host: str,
    port: int,
    certificate: Path | None,
    private_key: Path | None,
    grace: int,
    public: bool,
    rate: float | None,
    body_seconds: float,
    connections: int,
    origins: tuple[str, ...],
    accept_loss: bool,
    window_reports: int | None,
    trusted_proxies: tuple[str, ...],
    admin_token_file: Path | None,
    as_json: bool,
) -> None:
    """Collect reports over HTTP, and show results as they come.

    Holds the COLLECTIONS, and all that the store holds already, until it is told to stop (Ctrl-C,
    or SIGTERM); then it answers what is in flight. A store that isn't there is made. If there is
    no token of an administrator, one is made and written to a file that you alone can read;
    `sudare remote login` reads it.

    With --json, one line says when it is ready: {"address": …, "pid": …}.

    \b
    Examples:
      sudare serve tea.json
      sudare serve --store /var/lib/sudare/sudare.db --host 0.0.0.0 --port 443 \\
        --certificate chain.pem --private-key key.pem
    """
    from sudare.collector.clock.clock_warnings import clock_warnings
    from sudare.collector.clock.closings import check_rounds_end
    from sudare.collector.http.addresses import Addresses
    from sudare.collector.http.app import create_app
    from sudare.collector.http.auth import Bearers
    from sudare.collector.http.limits import Limits
    from sudare.collector.http.origins import Origins
    from sudare.collector.http.routes import every_route
    from sudare.collector.service import Service
    from sudare.collector.serving.server import listen
    from sudare.collector.serving.server import serve as answer
    from sudare.collector.stores.contract import HeldCollection
    from sudare.collector.stores.open import open_store
    from sudare.formats.hosts import is_loopback

    allowed = Origins(origins)
    given = [load_collection(path) for path in collections]
    for collection in given:
        check_rounds_end(collection)
    limits = Limits(rate=rate, body_seconds=body_seconds, connections=connections)
    if window_reports is not None:
        limits = replace(limits, window_reports=window_reports)
    addresses = Addresses(trusted_proxies)
    with listen(host, port, certificate, private_key) as listening:
        if certificate is None and not is_loopback(host) and not trusted_proxies:
            say(f"Warning: {_OPEN.format(host=host)}", err=True)
        log_to_stderr(logging.WARNING)
        logging.getLogger("sudare").setLevel(logging.INFO)
        with naming_store(store):
            opened = open_store(store, accept_loss=accept_loss)
        try:
            for collection in given:
                opened.add(HeldCollection(collection, public=public, grace=grace))
                if public:
                    opened.change(collection.key, public=True)
            _provide_token(opened, admin_token_file or _token_file(store))
            service = Service(opened, addresses=addresses)
            for key, sentence in opened.unavailable.items():
                say(f"Warning: the collection {key[:12]}… isn't served: {sentence}", err=True)
            for sentence in clock_warnings(opened, service.held_collections, service.clock()):
                say(f"Warning: {sentence}", err=True)
            bearers = Bearers(opened, service.clock, addresses)
            app = create_app(
                service,
                every_route(service, bearers),
                role_of=bearers.role_of,
                limits=limits,
                origins=allowed,
            )
            answer(app, service, listening, limits, lambda url: _say(url, as_json=as_json))
        finally:
            opened.shut()


def _token_file(store: str) -> Path:
    """Where the first token is written: beside a SQLite file; else in the working directory."""
    from sudare.collector.stores.open import is_postgres, path_of

    if is_postgres(store):
        return Path("sudare-admin-token")
    path = path_of(store)
    return path.with_name(f"{path.name}.admin-token")


def _provide_token(store: "Store", path: Path) -> None:
    """A first token, without which nobody could administer the collector, in a file.

    The file comes first: a token that nobody could read would be worse than none. One that is there
    already is replaced if it held such a token.
    """
    from sudare.collector.http.auth import administrators, new_token
    from sudare.collector.stores.contract import Role
    from sudare.formats.files import write_durably
    from sudare.remote.profiles import read_token

    now = int(time.time())
    if administrators(store.tokens(), now):
        return
    if os.path.lexists(path):
        try:
            read_token(path)
        except ParameterError:
            raise ParameterError(
                f"the first token would replace {path}, which is something else: name another "
                f"file with --admin-token-file"
            ) from None
    text, made = new_token(Role.ADMIN, "made by sudare serve", now + TOKEN_DAYS * DAY)
    write_durably(path, f"{text}\n".encode())
    try:
        store.add_token(made)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    say(f"A token of the role admin, for {TOKEN_DAYS} days, is in {path}, for you alone", err=True)


def _say(url: str, *, as_json: bool) -> None:
    import msgspec

    if as_json:
        put_json(msgspec.json.encode({"address": url, "pid": os.getpid()}) + b"\n")
    else:
        say(f"Collecting at {url} (Ctrl-C to stop)")
