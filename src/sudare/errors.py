"""Every error that Sudare raises on purpose.

    SudareError
    ├── ParameterError       a parameter outside what is allowed
    │   ├── NotEnumerable    code with too many paths of chance for its exact law
    │   └── NoSuchPlan       a plan that can't be had, with ways out
    ├── InvalidAnswer        an answer outside the domain; raised on the device, nothing was sent
    ├── InvalidReport        a report that no device could have made
    ├── InvalidCiphertext    bytes that are no ciphertext, key or encrypted table
    ├── InvalidDocument      a collection, aggregate or report file that can't be read as written
    │   └── MechanismUnavailable  a mechanism of a package that isn't installed, or can't be used
    ├── BadFile              one of many files that can't be counted, by its path and the cause
    ├── InvalidMessage       a message of the other party that doesn't belong here and now
    │   └── FalseTables      P1's tables aren't those agreed on, or not those it was bound to
    ├── PartyLost            the other party went away, or kept silent for too long
    ├── MixedCollections     things of different collections or mechanisms put together
    ├── TooFewReports        fewer reports than the collection's release rule asks for
    ├── RoundPassed          a round or window that a device has told, or let pass, before
    ├── BudgetExceeded       a charge that a ledger's cap leaves no room for
    ├── StoreUnavailable     a collector's store that takes nothing now; nothing was acknowledged
    ├── CollectorRefused     an answer of a collector that a device can't mend by trying again
    ├── CollectorUnavailable a collector that can't be reached, or takes nothing now; try again
    │   └── CollectionUnavailable  one collection, or window, that takes nothing now; others may
    ├── EngineUnavailable    a cluster that can't be had, lacks something, or gave up
    ├── LawBroken            a law that a mechanism doesn't obey, with the case that shows it
    └── ScriptExhausted      a scripted randomness asked for more than its script holds

A message is one sentence that carries the offending number and what is allowed.
It never contains a person's answer: it may say where the answer stands, not what it says.
"""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path


class SudareError(ValueError):
    """Any error of Sudare's: something that the caller can mend."""


class ParameterError(SudareError):
    """A parameter outside what is allowed."""


class NotEnumerable(ParameterError):
    """Code with too many paths of chance for its exact law to be enumerated."""


NoPlanReason = Literal["white_noise", "out_of_reach", "too_long"]
"""That results would be noise, that nothing grants the wish, that no report is as short."""


class NoSuchPlan(ParameterError):
    """A plan that can't be had, or would be worth nothing."""

    def __init__(
        self,
        reason: NoPlanReason,
        sentence: str,
        ways_out: tuple[dict[str, int | float], ...] = (),
    ) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.ways_out = ways_out
        """Wishes by name, each of which instead of what was wished makes a plan that can be had."""


class InvalidAnswer(SudareError):
    """An answer outside the domain, found before anything was sent."""


class InvalidReport(SudareError):
    """A report that no device following the collection could have made."""


class InvalidCiphertext(SudareError):
    """Bytes that are no ciphertext, key or table of a cipher, or open to nothing they may hold."""


class InvalidDocument(SudareError):
    """A file or message that can't be read as what it claims to be."""


class MechanismUnavailable(InvalidDocument):
    """A mechanism of a package that isn't installed here, or that can't be used as it is."""


class BadFile(SudareError):
    """One of many files that can't be counted; ``path`` names it, ``cause`` is what is wrong."""

    def __init__(self, path: "Path", cause: SudareError) -> None:
        super().__init__(f"{path}: {cause}")
        self.path, self.cause = path, cause


class InvalidMessage(SudareError):
    """A message of the other party that doesn't belong here and now; nothing was opened."""


class FalseTables(InvalidMessage):
    """P1's tables aren't those agreed on, or not those it was bound to; nothing was drawn."""


class PartyLost(SudareError):
    """The other party went away, or kept silent for too long."""


class MixedCollections(SudareError):
    """Reports, aggregates or estimates that belong to different collections."""


class TooFewReports(SudareError):
    """Fewer reports than the collection's release rule asks for."""


class RoundPassed(SudareError):
    """A round or window that a device has told, or let pass, before; nothing was sent."""


class BudgetExceeded(SudareError):
    """A charge that a ledger's cap leaves no room for; nothing was sent."""


class RefusedWish(SudareError):
    """A wish for a new collection that can't be had."""

    def __init__(self, wish: str, sentence: str) -> None:
        super().__init__(sentence)
        self.wish = wish
        """Which of the wishes."""


class StoreUnavailable(SudareError):
    """A collector's store that can't take anything now; nothing was acknowledged."""


class CollectorRefused(SudareError):
    """A collector's refusal: trying again would not help."""

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        """Of the response, where there was one."""


class CollectorUnavailable(SudareError):
    """A collector that can't be reached, or takes nothing now: try again later."""

    def __init__(self, sentence: str, retry_after: float = 0.0, *, doubtful: bool = False) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after
        """Not before so many seconds."""
        self.doubtful = doubtful
        """Whether it may have taken what was sent all the same, and only its word was lost."""


class CollectionUnavailable(CollectorUnavailable):
    """A collection, or a window of it, that takes nothing now; the collector may take others."""


class EngineUnavailable(SudareError):
    """A cluster, or something that it needs, that isn't there; nothing was counted."""


class LawBroken(SudareError):
    """A law that a mechanism doesn't obey."""

    def __init__(self, sentence: str, **case: object) -> None:
        super().__init__(sentence)
        self.case = {name.replace("_", " "): str(value) for name, value in case.items()}
        """The smallest case found that shows it: parameters, values, reports, chances."""


class ScriptExhausted(SudareError):
    """A scripted randomness was asked for more words than its script holds."""
