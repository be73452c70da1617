"""``sudare remote login``, ``logout`` and ``health``: who one is at a collector, and how it is."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.remote.connecting import connected, profiles_folder
from sudare.cli.shared.options import PATH, insecure_option, json_option
from sudare.cli.shared.terminal import say, say_json
from sudare.cli.token import until_text
from sudare.errors import ParameterError
from sudare.formats.files import binary_stdin

if TYPE_CHECKING:
    from sudare.formats.collector_api import TokenFacts
    from sudare.remote.client import RemoteCollector

_MOST = 1 << 16  # bytes of stdin that are read for a token


@click.command()
@click.argument("address")
@click.option("--token-file", type=PATH, help="Of the token, such as the one that `serve` wrote.")
@click.option("--profile", default="default", show_default=True, help="Its name.")
@insecure_option
@json_option
def login(
    address: str, token_file: Path | None, profile: str, insecure: bool, as_json: bool
) -> None:
    """Keep the address of a collector and a token for it, in a profile that is yours alone.

    The token is asked for without showing it, or read from stdin or from --token-file, and the
    collector is asked whether it is valid there.

    \b
    Examples:
      sudare remote login https://stats.example.org
      sudare remote login http://127.0.0.1:8000 --token-file sudare.db.admin-token
      sudare remote login https://stats.example.org --profile work < token.txt
    """
    from sudare.remote.client import RemoteCollector
    from sudare.remote.profiles import Access, profile_path, read_token, write_profile

    profile_path(profiles_folder(), profile)  # a wrong name is said before a token is asked for
    token = _token() if token_file is None else read_token(token_file)
    with RemoteCollector(Access(address, token, insecure)) as collector:
        session = collector.session()
        known = Access(collector.address, token, insecure)
    path = write_profile(profiles_folder(), profile, known)
    if as_json:
        say_json({"collector": known.address, "profile": profile, **_document(session)})
        return
    say(f"{known.address}: {_session_text(session)}")
    say(f"The profile {profile} is in {path}, for you alone.")


def _token() -> str:
    """The token on stdin; asked for at a terminal, unseen."""
    from sudare.device.collector_client import check_token

    if sys.stdin is not None and sys.stdin.isatty():
        said = str(click.prompt("Token (not shown)", hide_input=True, err=True))
    else:
        said = binary_stdin().read(_MOST).decode("ascii", "replace")
    if not said.strip():
        raise ParameterError("there is no token on stdin; it looks like sdr_<name>_<secret>")
    return check_token(said.strip())


@click.command()
@click.option("--profile", default="default", show_default=True, help="Its name.")
def logout(profile: str) -> None:
    """Forget a profile. Its token stays valid until it ends or is revoked.

    \b
    Example:
      sudare remote logout --profile work
    """
    from sudare.remote.profiles import forget_profile

    path = forget_profile(profiles_folder(), profile)
    say(f"{path} is gone; its token is valid until it ends, or `sudare remote token revoke`")


@click.command()
@connected
@json_option
def health(collector: "RemoteCollector", as_json: bool) -> None:
    """Show whether a collector takes reports now, and who you are there.

    \b
    Examples:
      sudare remote health
      sudare remote health --collector https://stats.example.org --json
    """
    collector.check_health()
    session = None if collector.access.token is None else collector.session()
    if as_json:
        who = None if session is None else _document(session)
        say_json({"collector": collector.address, "status": "ok", "session": who})
        return
    say(f"{collector.address} takes reports")
    say("You have no token there." if session is None else f"You: {_session_text(session)}")


def _document(session: "TokenFacts") -> dict[str, Any]:
    import msgspec

    return msgspec.structs.asdict(session)


def _session_text(session: "TokenFacts") -> str:
    label = f" “{session.label}”" if session.label else ""
    return f"{session.role}{label}, token {session.name}, {until_text(session.expires).strip()}"
