"""JSON documents that end with a digest of what they say: one that was cut or changed shows."""

import hashlib
from typing import Any

import msgspec

from sudare.errors import InvalidDocument
from sudare.formats.documents import Document, canonical, decode


def seal(kind: str, body: object) -> bytes:
    """A document of a kind, sealed by the SHA-256 of its body."""
    text = canonical(body)
    return canonical({"sudare": kind, "body": msgspec.Raw(text), "digest": _digest(text)})


def unseal(data: bytes, kind: str, form: type[Document], what: str) -> Document:
    """The body of a sealed document, checked; ``what`` names the document in an error."""
    sealed = decode(data, _Sealed, what)
    if sealed.sudare != kind:
        raise InvalidDocument(f"this is not {what}: it is a document of another kind")
    if sealed.digest != _digest(sealed.body):
        raise InvalidDocument(f"this is not {what} as it was written: its digest differs")
    return decode(bytes(sealed.body), form, what)


class _Sealed(msgspec.Struct, forbid_unknown_fields=True):
    sudare: str
    body: msgspec.Raw
    digest: str


def _digest(text: Any) -> str:  # noqa: ANN401 - anything that holds bytes
    return hashlib.sha256(text).hexdigest()
