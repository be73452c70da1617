"""A store's interface: all that a collector must not lose, with a backend for each database.

A report counts once in its window, by its id. Whatever ``commit`` has returned is durable: a
crash at any moment leaves all of a commit or nothing of it, the sums and the ids together.
Methods may be called from any thread.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sudare.collection.document import Collection
from sudare.formats.report_ids import ReportIds
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records

Fates = NDArray[np.uint8]


class State(StrEnum):
    """Whether a collection takes reports."""

    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"
    """Nothing is taken any more, for good."""


class Role(StrEnum):
    """The rights of a token's bearer."""

    ADMIN = "admin"
    """The right to everything."""
    ANALYST = "analyst"
    """The right to read results, and to release them."""
    RELAY = "relay"
    """The right to send batches for many devices."""


class ReportFate(IntEnum):
    """The fate of a report in a store: whether it counts, or why not."""

    NEW = 0
    REPEATED = 1
    """Its id has counted in this window before."""
    LATE = 2
    """Its window or its round is closed."""
    UNINVITED = 3
    """Its invitation is unknown, or has been used in this window."""
    SHUT = 4
    """Its collection takes nothing now."""
    FULL = 5
    """It isn't known, and its window has as many reports as it may have."""
    BUSY = 6
    """It isn't known, and its collection takes no more of these at this moment."""


@dataclass(frozen=True)
class HeldCollection:
    """A collection as a collector holds it.

    Attributes:
        collection: the public document.
        state: whether it takes reports.
        public: whether anybody may read its results.
        grace: how many seconds after its end a window, or a round, still takes reports.
        number: in its store; another one once it was removed and added again.
    """

    collection: Collection
    state: State = State.OPEN
    public: bool = False
    grace: int = 0
    number: int = field(default=0, compare=False)


@dataclass(frozen=True)
class HeldWindow:
    """A window as a collector holds it.

    Attributes:
        window: its number.
        n: how many reports have counted.
        released: how many of them the released sum is of; over time, those of closed rounds.
        closed: whether it takes no more.
        closed_round: over time, the last round that takes no more.
    """

    window: int
    n: int
    released: int
    closed: bool
    closed_round: int


class HeldWindows(list[HeldWindow]):
    """The windows of a collection as a collector holds them, in order.

    Attributes:
        number: of the collection in its store; another one once it was removed and added again.
        reports: how many have counted in all of its windows, listed here or not.
    """

    number: int
    reports: int

    @classmethod
    def of(cls, number: int, reports: int, windows: Iterable[HeldWindow]) -> Self:
        """The windows of the collection of this number, which has so many reports in all."""
        found = cls(windows)
        found.number, found.reports = number, reports
        return found


@dataclass(frozen=True)
class Released:
    """The part of a window's sum that may be shown.

    Attributes:
        aggregate: the sum.
        withheld: over time, the closed rounds with reports, but fewer than may be shown.
    """

    aggregate: Aggregate
    withheld: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Allowance:
    """How many new reports of a group may count; those of one body count all, or none of them.

    Attributes:
        bodies: how many reports each body of the group has, in their order.
        window: the most reports that the window may have; None for any number.
        now: the number of new ones with which no further body begins; None for any number. So the
            last body may go beyond it.
    """

    bodies: Sequence[int]
    window: int | None = None
    now: float | None = None


@dataclass(frozen=True, eq=False)
class Group:
    """Reports of one window of one collection, to be committed together.

    Attributes:
        collection: the one that they are reports of.
        window: the number of their window.
        ids: of each report.
        reports: already checked by the mechanism.
        invitations: the SHA-256 of each report's invitation, a row of 32 bytes; None where the
            collection asks for none.
        allowance: how many of them may count; None for all.
    """

    collection: Collection
    window: int
    ids: ReportIds
    reports: Records
    invitations: NDArray[np.uint8] | None = None
    allowance: Allowance | None = None


@dataclass(frozen=True)
class Token:
    """A bearer's token as it is stored: never the token itself.

    Attributes:
        name: public, the first part of the token.
        digest: SHA-256 of the secret part.
        role: what it is good for.
        expires: in seconds since 1970, or None for never.
        label: whose it is, in the administrator's words.
    """

    name: str
    digest: bytes
    role: Role
    expires: int | None
    label: str


class Store(ABC):
    """Where a collector keeps collections, sums, ids of reports, and tokens."""

    # Reports

    @abstractmethod
    def commit(self, groups: Sequence[Group]) -> list[Fates]:
        """Count reports, durably, in one transaction; the fate of each, group by group.

        Groups of one window count one after the other. One group for each window costs least.
        What isn't known and goes beyond a group's allowance isn't counted; what is known is
        repeated, whatever is allowed.
        Raises ``StoreUnavailable`` if nothing was committed.
        """

    @abstractmethod
    def close(self, key: str, window: int, closed_round: int | None = None) -> None:
        """Take nothing more in a window (and in any before it), or in its rounds up to one.

        What is closed never opens again, whatever the clock says. The ids of a closed window
        are forgotten: nothing can count in it any more.
        """

    @abstractmethod
    def windows(self, key: str, *, last: int | None = None, after: int = -1) -> HeldWindows:
        """The windows that have reports or are closed, in order.

        Args:
            key: of a collection.
            last: at most so many, the newest.
            after: only those with a higher number.
        """

    @abstractmethod
    def release(self, key: str, window: int) -> Released | None:
        """The sum that may be shown, moved on if the rule allows it now; None if there is none.

        A sum is released when it has at least ``minimum_reports`` more reports than the one before:
        so no two releases differ by fewer. Of free text, this holds for the row of each cohort by
        itself. Over time, the released sum is that of the closed rounds that have enough reports;
        a closed round never changes.
        """

    @abstractmethod
    def releases(self, key: str, windows: Sequence[int]) -> Iterator[Released]:
        """The sums of some windows that may be shown, in their order."""

    @abstractmethod
    def reports(self, key: str, window: int | None = None) -> Iterator[Records]:
        """The raw reports of a window, or of all, group by group; kept only if it says so."""

    # Collections

    @abstractmethod
    def add(self, held: HeldCollection) -> bool:
        """Hold a collection; False if it is held already (and nothing changes)."""

    @abstractmethod
    def held_collections(self) -> list[HeldCollection]:
        """Every collection that can be served, in the order in which they were added."""

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Why others can't be, by key: of those whose mechanism's package isn't installed here.

        As the last look at ``held_collections`` found it.
        """
        return {}

    @abstractmethod
    def change(self, key: str, *, state: State | None = None, public: bool | None = None) -> None:
        """Pause, open or close a collection, or show its results to everybody.

        One that is closed stays closed.
        """

    @abstractmethod
    def remove(self, key: str) -> None:
        """Forget a collection, its reports and its sums."""

    @abstractmethod
    def keep_candidates(self, key: str, texts: Sequence[str]) -> None:
        """Keep the texts that free-text answers are decoded against, in place of earlier ones."""

    @abstractmethod
    def candidates(self, key: str) -> list[str]:
        """The texts that a collection's free-text answers are decoded against."""

    @abstractmethod
    def invite(self, key: str, digests: Sequence[bytes]) -> None:
        """Add invitations to a collection, each known by its SHA-256."""

    @abstractmethod
    def is_invited(self, key: str, window: int, digest: bytes) -> bool:
        """Whether an invitation to a collection is known, and unused in a window."""

    # Tokens

    @abstractmethod
    def add_token(self, token: Token) -> None:
        """Keep a new token; one of the same name is refused."""

    @abstractmethod
    def tokens(self) -> list[Token]:
        """All tokens, also expired ones."""

    @abstractmethod
    def revoke(self, name: str, check: Callable[[list[Token]], None] | None = None) -> bool:
        """Forget a token; False if there is none of that name.

        Args:
            name: of the token.
            check: told of all tokens, of which nobody revokes any until it is done; whatever it
                raises keeps the token.
        """

    # The store itself

    @abstractmethod
    def check(self) -> None:
        """Raise ``StoreUnavailable`` unless something could be committed now."""

    @abstractmethod
    def shut(self) -> None:
        """Let go of the database."""
