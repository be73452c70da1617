"""What left a device, and where it is."""

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from sudare.collection import Collection
from sudare.privacy.charges import Spent


class Fate(StrEnum):
    """Where a report is."""

    TAKEN = "taken"
    """The collector has it, durably."""
    WAITING = "waiting"
    """In the outbox."""
    REFUSED = "refused"
    """The collector will never take it."""
    DOUBTFUL = "doubtful"
    """Refused now; an earlier attempt may have counted, whose receipt was lost."""


@dataclass(frozen=True)
class Sent:
    """Exactly what left a device, or waits to, and what it cost.

    Attributes:
        collection: what was answered.
        id: the report's name, 16 bytes.
        window: that it is of.
        round: within the window, over time; else 0.
        record: what it says: all that anybody is told.
        cost: what was charged for it.
        spent: what all reports of this device have cost.
        left: how much ε may still be spent; None where there is no cap.
        fate: where it is.
        reason: why it isn't with the collector.
    """

    collection: Collection
    id: bytes
    window: int
    round: int
    record: bytes = field(repr=False)
    cost: Spent
    spent: Spent
    left: Fraction | None
    fate: Fate
    reason: str | None

    @property
    def odds(self) -> str:
        """What was done with the answer, in plain words."""
        return self.collection.mechanism.odds
