"""People on whom a design is tried, and what results say of them in many simulated collections."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import Keystream
from sudare.estimation.estimate import Estimate, Floats
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Mechanism
from sudare.planning.wish import Wish

_TOUCHING = 1e-12  # what is no farther from 0 than that is as near as floats get
_OFTEN = 64  # collections after which one says how many are done


@dataclass(frozen=True, eq=False)
class Told:
    """What results say of one value: a number for each collection, or a row of a stream's rounds.

    Attributes:
        reports: how many each collection has.
        truth: what the value is.
        values: what is estimated; NaN for nothing.
        stderr: its standard error, as a result states it.
        low: the lower end of its interval.
        high: the upper end.
        found: where a test says so, and not the interval, whether the value is seen.
    """

    reports: int
    truth: Floats
    values: Floats
    stderr: Floats
    low: Floats
    high: Floats
    found: NDArray[np.bool_] | None = None

    @property
    def errors(self) -> Floats:
        """How far each estimate is off."""
        return np.asarray(self.values - self.truth, np.float64)

    @property
    def covered(self) -> float:
        """How often an interval holds the truth, of those that there are."""
        held = (self.low <= self.truth) & (self.truth <= self.high)
        return float(held[np.isfinite(self.values)].mean())

    @property
    def half_width(self) -> float:
        """Half the width of an interval, in the mean over those that there are."""
        return float(np.nanmean(self.high - self.low)) / 2

    @property
    def seen(self) -> float:
        """How often the value is seen: its interval leaves out 0, or a test finds it."""
        apart = (self.low > _TOUCHING) | (self.high < -_TOUCHING)
        return float(np.mean(apart if self.found is None else self.found))


@dataclass(frozen=True)
class Population:
    """People of whom some hold one thing, and the others something else.

    Attributes:
        share: of people who hold it.
        truth: how many people hold what, as a mechanism simulates it, of so many who hold it.
        read: what a result says, in the first of its values.
        least: the true value where nobody holds it.
        span: how much more it is where everybody does.
    """

    share: float
    truth: Callable[[int], Any]
    read: Callable[[Aggregate], Estimate]
    least: float = 0.0
    span: float = 1.0


class Trial(NamedTuple):
    """How a design is tried: for a wish, by so many simulated collections."""

    wish: Wish
    collections: int
    rng: Keystream
    progress: Callable[[int], object]
    """Hears how many more are done."""

    def done(self, number: int) -> None:
        """Say now and then how many are done, of collections numbered from 0."""
        if (number + 1) % _OFTEN == 0 or number + 1 == self.collections:
            self.progress(number % _OFTEN + 1)

    def whole(self, people: float) -> NDArray[np.int64]:
        """A number of people in each collection: whole, and in the mean the one that is asked."""
        few, part = divmod(people, 1)
        found = np.full(self.collections, int(few))
        found[: round(part * self.collections)] += 1
        return found

    def told(self, mechanism: Mechanism, people: Population, reports: int) -> Told:
        """What results of a mechanism say of so many people.

        With the shares of a population meant, people are drawn from one anew for each collection.
        """
        held = self.whole(people.share * reports)
        truth = held / reports
        if self.wish.population:
            held = self.rng.generator().binomial(reports, people.share, self.collections)
            truth = np.full(self.collections, people.share)
        found = np.empty((3, self.collections))
        for number, holders in enumerate(held.tolist()):
            estimate = people.read(mechanism.simulate(people.truth(holders), self.rng))
            if self.wish.population:
                estimate = estimate.of_population()
            found[:, number] = estimate.values[0], estimate.stderr[0], estimate.slope[0]
            self.done(number)
        every = Estimate(reports, *found)
        truth = people.least + people.span * truth
        low, high = every.interval(self.wish.level)
        return Told(reports, truth, every.values, every.stderr, low, high)
