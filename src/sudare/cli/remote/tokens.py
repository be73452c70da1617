"""``sudare remote token``: tokens of a collector elsewhere."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.remote.connecting import connected
from sudare.cli.shared.options import PATH, json_option
from sudare.cli.shared.terminal import say, say_json
from sudare.cli.token import days_option, label_option, role_option, token_line
from sudare.formats.tokens import DAY

if TYPE_CHECKING:
    from sudare.remote.client import RemoteCollector


@click.group()
def token() -> None:
    """Make, list and revoke the tokens of a collector elsewhere.

    \b
    Examples:
      sudare remote token new --role analyst --label Ada -o ada.token
      sudare remote token list
    """


@token.command()
@role_option
@days_option
@label_option
@click.option("-o", "--output", type=PATH, help="A new file for it, yours alone.")
@connected
@json_option
def new(
    collector: "RemoteCollector",
    role: str,
    days: int,
    label: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Make a token and print it, once, or write it to a file.

    \b
    Example:
      sudare remote token new --role relay --label "the gateway in Osaka" -o gateway.token
    """
    import msgspec

    from sudare.formats.files import create_whole, require_writable
    from sudare.remote.profiles import refuse_existing

    if output is not None:  # before there is a token that could then not be kept
        refuse_existing(output)
        require_writable(output.parent)
    made = collector.new_token(role, label, int(time.time()) + days * DAY)
    if output is not None:
        create_whole(output, f"{made.token}\n".encode())
    document = msgspec.structs.asdict(made)
    if as_json:
        if output is not None:
            del document["token"]
        say_json(document)
    elif output is None:
        say(made.token)
    else:
        say(f"{output}: token {made.name}, {made.role}, for {days} days, for you alone")


@token.command("list")
@connected
@json_option
def listed(collector: "RemoteCollector", as_json: bool) -> None:
    """List tokens by name, with role and end; never a secret.

    \b
    Example:
      sudare remote token list
    """
    import msgspec

    held = collector.tokens()
    if as_json:
        say_json([msgspec.structs.asdict(one) for one in held])
        return
    for one in held:
        say(token_line(one.name, one.role, one.expires, one.label))


@token.command()
@click.argument("name")
@connected
def revoke(collector: "RemoteCollector", name: str) -> None:
    """Forget the token of a NAME: from now on it is good for nothing.

    The last token of an administrator stays.

    \b
    Example:
      sudare remote token revoke 4f2a9c01d7be
    """
    collector.revoke(name)
    say(f"token {name} is good for nothing now")
