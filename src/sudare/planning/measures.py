"""How good a result is that so many reports make, and how many reports a good result takes."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from sudare.estimation.estimate import Floats
from sudare.estimation.frequency_error import RELIABLE_SPREAD, ShareNoise, share_seen
from sudare.planning.wish import GOALS, Goal, Wish

_FAR = 50  # of a noise whose chances fall by e: what lies beyond has none
_WIDEST = 1 << 18  # numbers on either side of 0: their steps are beyond the digits that are shown
_HALVINGS = 60  # of an interval of shares, whose middle is then as near as floats get


class Measure(ABC):
    """What one design is worth: for each goal what so many reports reach, and the other way."""

    goals: tuple[Goal, ...] = GOALS

    @abstractmethod
    def foreseen(self, goal: Goal, reports: int) -> float:
        """The error, share or difference that so many reports reach; infinite for none at all."""

    @abstractmethod
    def reports(self, goal: Goal, value: float) -> float:
        """How many reports reach it, not yet rounded up; infinite where no number does."""

    def rough(self, reports: int) -> bool:
        """Whether counts of so many reports are too coarse for intervals to keep their level."""
        del reports
        return False


@dataclass(frozen=True)
class ShareMeasure(Measure):
    """Shares of answers, of which that with the most noise counts.

    An interval is a score interval, whose half width is the one that a result shows. An answer is
    seen where its interval doesn't reach 0, so its noise there decides, and beyond it the noise of
    its share.

    Attributes:
        noises: of an answer of each question.
        wish: how sure the result is to be, and of whom.
    """

    noises: tuple[ShareNoise, ...]
    wish: Wish

    def foreseen(self, goal: Goal, reports: int) -> float:
        """What so many reports reach."""
        if goal == "error":
            return max(self._error(noise, reports) for noise in self.noises)
        if goal == "smallest_share":
            return max(self._smallest_share(noise, reports) for noise in self.noises)
        return max(self._difference(noise, reports) for noise in self.noises)

    def reports(self, goal: Goal, value: float) -> float:
        """How many reports reach it."""
        if goal == "error":
            return max(self._reports_of_error(noise, value) for noise in self.noises)
        if goal == "smallest_share":
            return max(self._reports_of_share(noise, value) for noise in self.noises)
        return max(self._reports_of_difference(noise, value) for noise in self.noises)

    def rough(self, reports: int) -> bool:
        """Whether the count of some answer varies by fewer reports than an interval needs."""
        share = self.wish.share
        return any(noise.spread(share, reports) < RELIABLE_SPREAD for noise in self.noises)

    def _error(self, noise: ShareNoise, reports: int) -> float:
        z, share = self.wish.deviations, self.wish.share
        straight = z * math.sqrt(noise.variance(share) / reports)
        if self.wish.compare is not None:
            return straight * math.sqrt(self._apart)
        return math.hypot(z**2 * noise.slope(share) / (2 * reports), straight)

    @property
    def _apart(self) -> float:
        """How many times the variance of a share that of the difference of two groups' is."""
        return 1 / self.wish.part + 1 / (1 - self.wish.part)

    def _reports_of_error(self, noise: ShareNoise, error: float) -> float:
        z, share = self.wish.deviations, self.wish.share
        needed = z**2 * noise.variance(share) / error**2
        if self.wish.compare is not None:
            return needed * self._apart
        bend = z**2 * noise.slope(share) / (2 * error)
        return (needed + math.hypot(needed, 2 * bend)) / 2

    @property
    def _in_group(self) -> float:
        """The share of reports of the smaller group, if there are two."""
        part = self.wish.part
        return 1.0 if self.wish.compare is None else min(part, 1 - part)

    def _smallest_share(self, noise: ShareNoise, reports: int) -> float:
        group = reports * self._in_group
        least = self.wish.deviations * math.sqrt(noise.outside / group)
        return share_seen(noise, least, self.wish.more**2 / group)

    def _reports_of_share(self, noise: ShareNoise, share: float) -> float:
        if share > 1:
            return math.inf
        reach = self.wish.deviations * math.sqrt(noise.outside)
        reach += self.wish.more * math.sqrt(noise.variance(share))
        return (reach / share) ** 2 / self._in_group

    def _reports_of_difference(self, noise: ShareNoise, difference: float) -> float:
        share, part = self.wish.share, self.wish.part
        if share + difference > 1:
            return math.inf
        low, high = noise.variance(share), noise.variance(share + difference)
        variance = max(low / part + high / (1 - part), high / part + low / (1 - part))
        return ((self.wish.deviations + self.wish.more) / difference) ** 2 * variance

    def _difference(self, noise: ShareNoise, reports: int) -> float:
        few, many = 0.0, 1 - self.wish.share
        if self._reports_of_difference(noise, many) > reports:
            return math.inf
        for _ in range(_HALVINGS):
            middle = (few + many) / 2
            enough = middle and self._reports_of_difference(noise, middle) <= reports
            few, many = (few, middle) if enough else (middle, many)
        return many


@dataclass(frozen=True)
class MeanMeasure(Measure):
    """A mean whose variance is at most some number, whatever people's numbers are.

    Attributes:
        variance: of one report's part in it, at worst, in the square of the numbers' unit.
        wish: how sure the result is to be, and of whom.
    """

    variance: float
    wish: Wish
    goals: tuple[Goal, ...] = ("error", "difference")

    def foreseen(self, goal: Goal, reports: int) -> float:
        """What so many reports reach."""
        return self._reach(goal) * math.sqrt(self.variance / reports)

    def reports(self, goal: Goal, value: float) -> float:
        """How many reports reach it."""
        return (self._reach(goal) / value) ** 2 * self.variance

    def _reach(self, goal: Goal) -> float:
        """How many standard errors of one mean of all people the goal is."""
        part = self.wish.part
        groups = math.sqrt(1 / part + 1 / (1 - part))
        if goal == "difference":
            return (self.wish.deviations + self.wish.more) * groups
        return self.wish.deviations * (1 if self.wish.compare is None else groups)


@dataclass(frozen=True, eq=False)
class TotalMeasure(Measure):
    """A total to which one noise is added, whatever the number of people; told by each of them.

    Attributes:
        chances: of the noise -m, …, m, in units of the total.
        apart: of the difference of two such noises.
        wish: how sure the result is to be, and of whom.
        coarse: how many units at once, where the noise is so wide that single ones are too many.
    """

    chances: Floats
    apart: Floats
    wish: Wish
    coarse: int = 1

    @classmethod
    def of_law(cls, chances: Floats, wish: Wish) -> "TotalMeasure":
        """That of a noise by its chances."""
        return cls(chances, np.convolve(chances, chances), wish)

    @classmethod
    def of_best(cls, rate: float, wish: Wish) -> "TotalMeasure":
        """That of the discrete Laplace noise, which is the best that there is.

        With p = e^-rate the difference of two is k with a chance in proportion to
        p^|k| (|k| + (1 + p²) / (1 - p²)).
        """
        coarse = math.ceil(_FAR / rate / _WIDEST)
        rate *= coarse
        sizes = np.abs(np.arange(-(far := math.ceil(_FAR / rate)), far + 1))
        one = np.exp(-rate * sizes)
        two = one * (sizes + 1 / math.tanh(rate))
        return cls(one / one.sum(), two / two.sum(), wish, coarse)

    @property
    def sure(self) -> int:
        """How far from 0 the noise is at most, at the level that is wished for."""
        return _quantile(self.chances, self.wish.level, both=True)

    @property
    def sure_apart(self) -> int:
        """Likewise the difference of two noises."""
        return _quantile(self.apart, self.wish.level, both=True)

    def foreseen(self, goal: Goal, reports: int) -> float:
        """What so many people reach."""
        return self._reach(goal) / reports

    def reports(self, goal: Goal, value: float) -> float:
        """How many people reach it."""
        return self._reach(goal) / value

    def _reach(self, goal: Goal) -> float:
        """How far from 0 the noise makes it necessary to go, in units of the total."""
        part = self.wish.part
        chances, group = self.chances, 1.0
        if goal == "difference" or self.wish.compare is not None:
            group = min(part, 1 - part)  # whose noise weighs most; the other's is taken for as much
            if goal != "smallest_share":
                chances = self.apart
        sure = _quantile(chances, self.wish.level, both=True)
        if goal == "error":
            return self.coarse * sure / group
        # What is seen lies beyond that, so one unit more, and the noise may take some away.
        more = _quantile(chances, self.wish.power, both=False)
        return self.coarse * (sure + 1 + more) / group


def _quantile(chances: Floats, level: float, *, both: bool) -> int:
    """The least number that a noise exceeds, on both sides or on one, with chance 1 - level."""
    middle = len(chances) // 2
    upper = np.cumsum(chances[middle:])
    within = 2 * upper - chances[middle] if both else 1 - upper[-1] + upper
    return min(int(np.searchsorted(within, level)), len(within) - 1)
