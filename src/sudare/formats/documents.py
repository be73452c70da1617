"""JSON documents: read strictly, written in one way, never quoted in an error."""

from typing import Annotated, TypeVar

import msgspec

from sudare.errors import InvalidDocument

Document = TypeVar("Document")
Key = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    """A JSON object that has these fields and no others."""


def canonical(document: object) -> bytes:
    """The one JSON text of a document: sorted keys, no spaces, UTF-8."""
    return msgspec.json.encode(document, order="deterministic")


def decode(data: bytes, form: type[Document], what: str) -> Document:
    """A JSON document read in the given form; ``what`` names it in the error if it has another."""
    try:
        return msgspec.json.decode(data, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidDocument(f"this is not {what}: {_problem(error)}") from None


def _problem(error: Exception) -> str:
    """What is wrong and where, but none of the contents: the wrong file may hold answers."""
    if not isinstance(error, msgspec.ValidationError):
        return "it is not JSON" if isinstance(error, msgspec.MsgspecError) else "it can't be read"
    what, _, where = str(error).rpartition(" - at ")
    if "missing required field" in (what or where):
        return what or where  # the field is one of ours
    return f"something else is expected at {where.strip('`')}" if what else "it has other fields"
