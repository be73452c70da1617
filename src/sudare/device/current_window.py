"""Which window is answered, and which round observed: by the clock, and never one to come.

Noted in the diary, a window that hasn't come would silence the device until then.
"""

import operator
import time
from typing import SupportsIndex

from sudare.collection.document import Collection
from sudare.errors import ParameterError
from sudare.formats.numbers import counted
from sudare.privacy.diary import MOST_ROUND
from sudare.privacy.ledger import MOST_WINDOW
from sudare.questions.states import stream_question


def answered_window(collection: Collection, window: SupportsIndex | None = None) -> int:
    """The window that an answer is of: the one asked for, or that which is open by the clock.

    A collection without windows has one, number 0.
    """
    if collection.windows is None:
        if window is not None and check_number(window, "window", 0, MOST_WINDOW) != 0:
            raise ParameterError(
                f"“{collection.name}” has one window, number 0, got {operator.index(window)}"
            )
        return 0
    asked = None if window is None else check_number(window, "window", 0, MOST_WINDOW)
    now = collection.windows.at(time.time())
    if now < 0:
        raise ParameterError(
            f"“{collection.name}” opens {counted(-now, 'window')} from now (nothing was sent)"
        )
    if asked is not None and asked > now:
        raise ParameterError(
            f"window {asked} of “{collection.name}” isn't open yet: by the clock it is window "
            f"{now} (nothing was sent)"
        )
    return now if asked is None else asked


def observed_round(collection: Collection, number: SupportsIndex | None = None) -> int:
    """The round that a state is of: the one asked for, or that which is on by the clock."""
    asked = None if number is None else check_number(number)
    if collection.windows is None:
        if asked is None:
            raise ParameterError(f"“{collection.name}” has no clock: say which round it is")
        return asked
    now = collection.windows.round_at(time.time(), stream_question(collection).rounds)
    if asked is not None and asked > now:
        raise ParameterError(
            f"round {asked} of “{collection.name}” hasn't begun: by the clock it is round {now} "
            f"(nothing was sent)"
        )
    return check_number(now) if asked is None else asked


def check_number(
    number: SupportsIndex, what: str = "round", least: int = 1, most: int = MOST_ROUND
) -> int:
    """The number of a round or window as Python's own; an error doesn't repeat what is none."""
    try:
        checked = operator.index(number)
    except TypeError:
        kind = type(number).__name__
        raise ParameterError(f"a {what} must be a whole number, got a {kind}") from None
    if not least <= checked <= most:
        shown = "2^53" if most == MOST_ROUND else "2^53 - 1"
        raise ParameterError(f"{what}s are numbered {least} to {shown}, got {checked}")
    return checked
