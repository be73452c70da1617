"""A collection's rules beside its mechanism: windows of time, what is kept, who is invited."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.shared.options import Command
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from sudare.collection.document import Collection
    from sudare.collection.windows import Windows

_YEAR_10000 = 253_402_300_800  # where the calendar ends


def rule_options(command: Command) -> Command:
    """Add the options of a new collection's rules: windows, reports kept, invitations."""
    for option in (  # the last is applied first, and so stands first
        click.option(
            "--invited", is_flag=True, help="A report needs an invitation, good for one per window."
        ),
        click.option(
            "--keep-reports",
            is_flag=True,
            help="A collector keeps every report, not only their sum.",
        ),
        click.option(
            "--start",
            help="When window 0 opens, such as 2030-01-31T08:00 (UTC unless it says otherwise); by "
            "default the beginning of the current window, if windows begin with the day in UTC.",
        ),
        click.option(
            "--window",
            "length",
            help="Ask again and again, and count each window of time by itself: 90s, 15m, 1h, 1d.",
        ),
    ):
        command = option(command)
    return command


def windows_of(length: str | None, start: str | None) -> "Windows | None":
    """The windows that ``--window`` and ``--start`` ask for; None without them."""
    from sudare.collection.windows import Windows, current_start, seconds_of

    if length is None:
        if start is not None:
            raise ParameterError("--start belongs to --window: without windows there is none")
        return None
    seconds = seconds_of(length)
    return Windows(
        current_start(time.time(), seconds) if start is None else _moment(start), seconds
    )


def _moment(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ParameterError(
            f"--start is a date and a time such as 2030-01-31T08:00, got {text!r}"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = moment.timestamp()
    if seconds != int(seconds):
        raise ParameterError(f"--start is a whole second, got {text!r}")
    return int(seconds)


def window_text(agreed: "Collection") -> str:
    """A collection's windows, in a few words."""
    from sudare.collection.windows import length_text

    if agreed.windows is None:
        return "one, without end"
    start = agreed.windows.start
    first = f"{start} seconds after 1970"
    if start < _YEAR_10000:
        first = f"{datetime.fromtimestamp(start, UTC):%Y-%m-%d %H:%M:%S} UTC"
    return f"{length_text(agreed.windows.seconds)} each, the first from {first}"


def kept_text(agreed: "Collection") -> str:
    """Whether a collector keeps a collection's reports or only sums, in two words."""
    return "every report" if agreed.keeps_reports else "sums alone"
