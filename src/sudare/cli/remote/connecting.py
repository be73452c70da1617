"""Which collector a command asks, and by which token: its options, and the connection."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rich_click as click
from click import get_app_dir

from sudare.cli.shared.options import PATH, Command, insecure_option

HELD = "A name, a key, or the beginning of a key."


def profiles_folder() -> Path:
    """Where the profiles of this machine's user are."""
    return Path(get_app_dir("sudare")) / "remote"


def connected(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name a collector, and call the command with it first."""

    @functools.wraps(command)
    def asking(
        *arguments: Any,  # noqa: ANN401 - those of the command
        address: str | None,
        token_file: Path | None,
        profile: str | None,
        insecure: bool,
        **options: Any,  # noqa: ANN401 - likewise
    ) -> None:
        from sudare.remote.client import RemoteCollector
        from sudare.remote.profiles import Wanted, access

        wanted = Wanted(address, token_file, profile, insecure)
        with RemoteCollector(access(wanted, profiles_folder())) as collector:
            command(collector, *arguments, **options)

    for option in (  # the last is applied first, and so stands first
        insecure_option,
        click.option("--profile", help="One that `sudare remote login` has made."),
        click.option("--token-file", type=PATH, help="Of a token; also SUDARE_TOKEN_FILE."),
        click.option("--collector", "address", metavar="ADDRESS", help="Also SUDARE_COLLECTOR."),
    ):
        asking = option(asking)
    return asking


def held_argument(command: Command) -> Command:
    """Add COLLECTION, one that the collector holds, to a command's arguments."""
    return click.argument("name", metavar="COLLECTION")(command)
