"""A collector's interface as both sides know it: its version, its limits, its answers' shapes.

A device reads these shapes, and passes over what a newer collector may add. A collector writes its
own kinds of them, which have these fields and no others.
"""

import msgspec

from sudare.formats.documents import Count

VERSION = "1"
"""The version of the interface: the header ``Sudare-Api`` of requests and answers."""


BODY_REPORTS = 100_000
"""How many reports one body may have, if a relay sends it."""
SMALL_REPORTS = 100
"""How many reports one body of somebody without a token may have."""
BODY_BYTES = 64 << 20
"""How many bytes one body may have, however few reports that is."""


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


class TokenFacts(msgspec.Struct):
    """A token without its secret: its name, its role, whose it is, and when it ends, if ever."""

    name: str
    role: str
    label: str
    expires: int | None
