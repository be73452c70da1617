"""A collector's interface as both sides know it: its version, and the shapes of its answers.

A device reads these shapes, and passes over what a newer collector may add. A collector writes its
own kinds of them, which have these fields and no others.
"""

import msgspec

from sudare.formats.documents import Count

VERSION = "1"
"""The version of the interface: the header ``Sudare-Api`` of requests and answers."""


TOKEN_DAYS = 30
"""For how many days a token is valid unless its maker says otherwise."""
MOST_TOKEN_DAYS = 3660
DAY = 86_400
"""The seconds of a day."""


class Receipt(msgspec.Struct, frozen=True):
    """How many reports of one body counted now, had counted before, or never will; durably."""

    new: Count
    repeated: Count
    refused: Count


class Failure(msgspec.Struct):
    """An error: a code for programs, a sentence for people."""

    code: str
    message: str


class FailureBody(msgspec.Struct):
    """The body of an error response."""

    error: Failure
