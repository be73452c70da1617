"""``sudare token``: who may send batches, read results, or change a collector."""

import time
from datetime import UTC, datetime

import rich_click as click

from sudare.cli.shared.options import json_option, store_option
from sudare.cli.shared.terminal import say, say_json
from sudare.errors import ParameterError
from sudare.formats.collector_api import DAY, MOST_TOKEN_DAYS, TOKEN_DAYS

ROLES = ("admin", "analyst", "relay")  # sudare.collector.stores.contract.Role, without importing it


@click.group()
def token() -> None:
    """Make, list and revoke the tokens of a collector.

    A token is `sdr_<name>_<secret>`. It is printed once; the store keeps a hash. All three commands
    also work while a collector runs on the store.
    """


@token.command()
@click.option(
    "--role",
    type=click.Choice(ROLES),
    required=True,
    help="relay: send batches; analyst: read results and release them; admin: everything.",
)
@store_option
@click.option(
    "--days",
    type=click.IntRange(1, MOST_TOKEN_DAYS),
    default=TOKEN_DAYS,
    show_default=True,
    help="How long it is valid.",
)
@click.option("--label", default="", help="Whose it is, in your words.")
@json_option
def new(role: str, store: str, days: int, label: str, as_json: bool) -> None:
    """Make a token and print it, once.

    A store that isn't there is made; `list` and `revoke` make none.

    \b
    Examples:
      sudare token new --role relay --label "the gateway in Osaka"
      sudare token new --role analyst --days 7 --store sudare.db --json
    """
    from sudare.collector.http.auth import new_token
    from sudare.collector.stores.contract import Role
    from sudare.collector.stores.open import open_store

    expires = int(time.time()) + days * DAY
    text, made = new_token(Role(role), label, expires)
    opened = open_store(store, counting=False)
    try:
        opened.add_token(made)
    finally:
        opened.shut()
    if as_json:
        say_json({"token": text, "name": made.name, "role": role, "expires": expires})
    else:
        say(text)


@token.command("list")
@store_option
@json_option
def listed(store: str, as_json: bool) -> None:
    """List tokens by name, with role and end; never a secret."""
    from sudare.collector.http.auth import in_order
    from sudare.collector.stores.open import open_existing

    opened = open_existing(store)
    try:
        held = in_order(opened.tokens())
    finally:
        opened.shut()
    if as_json:
        say_json(
            [
                {"name": one.name, "role": one.role, "expires": one.expires, "label": one.label}
                for one in held
            ]
        )
        return
    for one in held:
        say(f"{one.name}  {one.role:<7}  {_until(one.expires)}  {one.label}".rstrip())


@token.command()
@click.argument("name")
@store_option
def revoke(name: str, store: str) -> None:
    """Forget the token of a NAME: from now on it is good for nothing."""
    from sudare.collector.stores.open import open_existing

    opened = open_existing(store)
    try:
        gone = opened.revoke(name)
    finally:
        opened.shut()
    if not gone:
        raise ParameterError("there is no token of this name (`sudare token list` shows them)")


def _until(expires: int | None) -> str:
    if expires is None:
        return "without end     "
    end = datetime.fromtimestamp(expires, UTC)
    return f"{'expired' if expires <= time.time() else 'until'} {end:%Y-%m-%d}"
