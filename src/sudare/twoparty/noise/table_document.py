"""Tables and their guarantee as JSON, on which two parties agree before they draw."""

import hashlib
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import msgspec

from sudare.errors import InvalidDocument
from sudare.formats.documents import canonical, decode
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.scheme import Scheme

_FARTHEST = 2**31
_LONGEST = len(str(-_FARTHEST))
_Count = Annotated[int, msgspec.Meta(ge=1, le=2**62)]


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    sudare: Literal["table"]
    format: Literal[1]
    epsilon: float
    delta: float
    sensitivity: int
    signs: list[Literal[-1, 1]]
    distinct: bool
    tables: list[dict[str, _Count]]


@dataclass(frozen=True)
class TableDocument:
    """A scheme and the guarantee that it claims to keep. Reading one proves nothing."""

    guarantee: Guarantee
    scheme: Scheme

    def to_json(self) -> bytes:
        """A document that reads back to the same tables."""
        return msgspec.json.format(canonical(self._document), indent=1) + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The tables of a document; one that says anything else is refused."""
        read = decode(data, _Document, "a table document")
        return cls(
            Guarantee(read.epsilon, read.delta, read.sensitivity),
            Scheme(tuple(map(_values, read.tables)), tuple(read.signs), read.distinct),
        )

    @property
    def key(self) -> str:
        """SHA-256 of the canonical form: equal keys, equal tables and guarantee."""
        return hashlib.sha256(canonical(self._document)).hexdigest()

    @property
    def _document(self) -> dict[str, object]:
        return {
            "sudare": "table",
            "format": 1,
            "epsilon": self.guarantee.epsilon,
            "delta": self.guarantee.delta,
            "sensitivity": self.guarantee.sensitivity,
            "signs": self.scheme.signs,
            "distinct": self.scheme.distinct,
            "tables": self.scheme.readable,
        }


def _values(table: dict[str, int]) -> dict[int, int]:
    """A table by its values, of which each is written in one way: else one could stand twice."""
    return {_value(text): count for text, count in table.items()}


def _value(text: str) -> int:
    try:
        value = int(text) if len(text) <= _LONGEST else None
    except ValueError:
        value = None
    if value is None or str(value) != text or abs(value) > _FARTHEST:
        raise InvalidDocument(
            f"a value of a table is a whole number from {-_FARTHEST} to {_FARTHEST} in its "
            f"shortest form, such as -1, 0 or 1, got {text[:_LONGEST]!r}"
        )
    return value
