"""Whether a plan comes true: its collections simulated, many times, from the exact laws."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from sudare.chance.keystream import Keystream
from sudare.errors import ParameterError
from sudare.formats.numbers import whole
from sudare.planning.granting import Row, known
from sudare.planning.kinds.interface import Kind
from sudare.planning.kinds.trials import Told, Trial
from sudare.planning.plans import Plan
from sudare.planning.wish import Wish


@dataclass(frozen=True)
class Confirmation:
    """What happened in simulated collections, beside what was foreseen.

    Attributes:
        mechanism: which was simulated.
        collections: how many, for each of the figures.
        reports: how many people answered in each.
        foreseen: the error that the plan says.
        error: the same of the simulated collections: so many of their standard deviations as half
            an interval has; of a stream, how far the worst round was off in the mean.
        half_width: half the width of the intervals that results show, in the mean.
        covered: how often these hold the truth.
        smallest_share: what the plan foresees to be seen; None for nothing.
        seen: how often it was.
        difference: of two groups, likewise, where some are compared.
        difference_seen: how often it was.
    """

    mechanism: str
    collections: int
    reports: int
    foreseen: float
    error: float
    half_width: float
    covered: float
    smallest_share: float | None
    seen: float | None
    difference: float | None
    difference_seen: float | None

    def document(self) -> dict[str, Any]:
        """The confirmation as JSON values."""
        return asdict(self)


def confirm(
    plan: Plan,
    collections: int,
    rng: Keystream,
    progress: Callable[[int], object] = lambda _: None,
    row: Row | None = None,
) -> Confirmation:
    """Simulate a plan's collections, and say what happens.

    Args:
        plan: whose collections.
        collections: how many for each of the figures.
        rng: a ``Seeded`` makes it repeatable.
        progress: hears how many more are done, of as many as ``simulations`` says.
        row: of the plan; the recommended one, unless it is given.
    """
    if whole("collections", collections) < 2:
        raise ParameterError(f"a plan is confirmed by at least 2 collections, got {collections}")
    tried = _Tried(plan.kind, plan.wish, row or plan.recommended)
    trial = Trial(plan.wish, collections, rng, progress)
    told = tried.plain(trial)
    return Confirmation(
        mechanism=tried.row.name,
        collections=collections,
        reports=tried.row.reports,
        foreseen=tried.row.error,
        error=plan.kind.off(told, plan.wish),
        half_width=told.half_width,
        covered=told.covered,
        smallest_share=tried.share,
        seen=tried.seen(trial),
        difference=tried.difference,
        difference_seen=tried.difference_seen(trial),
    )


def simulations(plan: Plan, collections: int, row: Row | None = None) -> int:
    """How many collections are simulated in all, with so many for each of the figures."""
    return collections * _Tried(plan.kind, plan.wish, row or plan.recommended).simulations


@dataclass(frozen=True)
class _Tried:
    """A row of a plan, as it is tried."""

    kind: Kind
    wish: Wish
    row: Row

    @property
    def share(self) -> float | None:
        """The smallest share that is foreseen to be seen, if any is."""
        return known(self.row.reached.get("smallest_share"))

    @property
    def difference(self) -> float | None:
        """The smallest difference, if there are groups to be compared."""
        return known(self.row.reached.get("difference")) if self.wish.grouped else None

    @property
    def groups(self) -> tuple[int, int]:
        """How many answer in each of two groups."""
        one = max(1, round(self.wish.part * self.row.reports))
        return one, max(1, self.row.reports - one)

    @property
    def orders(self) -> list[tuple[int, int]]:
        """The groups as they may have more and less of what is compared."""
        one, other = self.groups
        return [(one, other)] if one == other else [(one, other), (other, one)]

    @property
    def simulations(self) -> int:
        """How many populations are simulated."""
        plain = 1 if self.wish.compare is None else 2
        pairs = 0 if self.difference is None else len(self.orders)
        return plain + (self.share is not None) + 2 * pairs

    def plain(self, trial: Trial) -> Told:
        """What is told of the share that is meant, or of groups that have it alike."""
        if self.wish.compare is None:
            return self._told(self.wish.share, self.row.reports, trial)
        return self._apart(self.groups, 0.0, trial)

    def seen(self, trial: Trial) -> float | None:
        """How often the smallest share is seen, in the smaller group if there are two."""
        if self.share is None:
            return None
        reports = self.row.reports if self.wish.compare is None else min(self.groups)
        return self._told(self.share, reports, trial).seen

    def difference_seen(self, trial: Trial) -> float | None:
        """How often the difference is seen, whichever group has more."""
        if self.difference is None:
            return None
        return min(self._apart(order, self.difference, trial).seen for order in self.orders)

    def _told(self, value: float, reports: int, trial: Trial) -> Told:
        return self.kind.told(self.row.design, value, reports, trial)

    def _apart(self, groups: tuple[int, int], difference: float, trial: Trial) -> Told:
        more, less = groups
        above = self._told(self.wish.share + difference, more, trial)
        below = self._told(self.wish.share, less, trial)
        return self.kind.apart(self.row.design, above, below, self.wish)
