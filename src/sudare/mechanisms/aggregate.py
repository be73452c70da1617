"""Tallies that merge: what a collector keeps of many reports."""

import hashlib
import math
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidDocument, MixedCollections
from sudare.formats.documents import decode
from sudare.formats.numbers import counted


@dataclass(frozen=True, eq=False)
class Aggregate:
    """The sum of ``n`` reports of one collection (or bare mechanism), named by its ``key``.

    Aggregates of one key form a commutative monoid under ``+``; integers throughout, so a
    laptop and a cluster agree bit for bit.
    """

    key: str
    n: int
    counts: NDArray[np.int64]

    def __add__(self, other: Self) -> Self:
        if self.key != other.key:
            raise MixedCollections(
                f"aggregates of different collections can't be added: "
                f"{self.key[:12]}… and {other.key[:12]}…"
            )
        if self.counts.shape != other.counts.shape:
            raise InvalidDocument(
                f"aggregates of one key have counts of one shape, got {self.counts.shape} "
                f"and {other.counts.shape}"
            )
        return type(self)(self.key, self.n + other.n, self.counts + other.counts)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Aggregate)
            and (self.key, self.n) == (other.key, other.n)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside

    def summed(self, each: int = 1) -> Self:
        """The aggregate, if each of its reports is ``each`` of the counts, and none is negative."""
        # By halves, as a sum of 64 bits may come round to any number.
        high, low = int((self.counts >> 32).sum()), int((self.counts & 0xFFFFFFFF).sum())
        if self.counts.min(initial=0) < 0 or (high << 32) + low != each * self.n:
            raise InvalidDocument(
                f"the aggregate's counts aren't those of {counted(self.n, 'report')}"
            )
        return self

    def to_json(self) -> bytes:
        """A document that reads back to the same aggregate, sealed by a digest."""
        body = _Body(self.key, self.n, list(self.counts.shape), self.counts.ravel().tolist())
        return msgspec.json.encode(_Document("aggregate", body, _digest(body)))

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The aggregate of a document; one that was cut or changed is refused."""
        document = decode(data, _Document, "an aggregate")
        body = document.aggregate
        if document.digest != _digest(body) or math.prod(body.shape) != len(body.counts):
            raise InvalidDocument("the aggregate was changed after it was written (digest differs)")
        try:
            counts = np.array(body.counts, np.int64).reshape(body.shape)
        except ValueError:  # nothing, in a shape beyond what an array may have
            raise InvalidDocument(
                f"{len(body.counts)} counts in {len(body.shape)} dimensions are no aggregate"
            ) from None
        return cls(body.key, body.n, counts)


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    n: _Count
    shape: list[_Count]
    counts: list[_Count]


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    sudare: Literal["aggregate"]
    aggregate: _Body
    digest: str


def _digest(body: _Body) -> str:
    return hashlib.sha256(msgspec.json.encode(body)).hexdigest()
