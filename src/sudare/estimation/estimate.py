"""Estimates, always with their uncertainty."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError

Floats = NDArray[np.float64]

_LARGEST_SPREAD = 0.25  # f(1 - f) at one half: the variance of whether a person gives an answer


class Interval(NamedTuple):
    """The lower and upper ends of intervals, one pair for each value."""

    low: Floats
    high: Floats


def check_level(level: float) -> None:
    """Refuse a confidence that isn't between 0 and 1; one in per cent is told how to say it."""
    if not 0 < level < 1:
        meant = f": {level:g} % is {level / 100:g}" if 1 < level < 100 else ""
        raise ParameterError(f"a level must be between 0 and 1, got {level}{meant}")


@dataclass(frozen=True, eq=False)
class Estimate:
    """The share of people behind each answer, unbiased, with its standard error.

    The values may lie below 0 or above 1: that is what unbiased means (``sudare.estimation``
    has the steps that make them consistent). The error is that of the noise: how far the
    values lie from the shares *among the n people who answered*; ``of_population`` widens it
    to the people they were drawn from.

    Attributes:
        n: the number of reports.
        values: the estimated shares.
        stderr: their standard errors.
        slope: how fast the variance grows with the true share (it is linear in it).
        labels: the answers' names, if known.
    """

    n: int
    values: Floats
    stderr: Floats
    slope: Floats
    labels: tuple[str, ...] = ()

    def labelled(self, labels: Sequence[str]) -> Self:
        """The estimate with the answers' labels."""
        return replace(self, labels=tuple(labels))

    def of_population(self) -> Self:
        """The estimate for a population of which the n people are a random sample.

        Adds the sampling variance f(1 - f)/n, whose unbiased estimate is
        (f̂(1 - f̂) + stderr²)/(n - 1). Where that is negative, as at a count of 0, 0 is taken:
        the error is then slightly overstated, never understated.
        """
        if self.n < 2:
            raise ParameterError(f"a sample needs at least 2 people, got {self.n}")
        return self._widened(1.0)

    def of_all(self, people: int) -> Self:
        """The estimate for so many people, of whom n were drawn at random, nobody twice.

        The sampling variance of a population, less the share of it that was drawn; unbiased, too.
        A single person says nothing of how people differ: then it is the largest that there is.
        """
        if people <= self.n:
            return self
        part = 1 - self.n / people
        if self.n < 2:
            return replace(self, stderr=np.sqrt(self.stderr**2 + part * _LARGEST_SPREAD))
        return self._widened(part)

    def _widened(self, part: float) -> Self:
        """The estimate with so large a part of the sampling variance beside that of the noise."""
        # E[f̂(1 - f̂)] falls short of f(1 - f) by the noise's own variance.
        sampling = (self.values * (1 - self.values) + self.stderr**2) / (self.n - 1)
        variance = self.stderr**2 + part * np.maximum(sampling, 0)
        slope = self.slope + part * (1 - 2 * np.clip(self.values, 0, 1)) / self.n
        return replace(self, stderr=np.sqrt(variance), slope=slope)

    def interval(self, level: float = 0.95) -> Interval:
        """For each value the interval that covers its truth with probability ``level``.

        A score interval: the shares f that a test of size 1 - level does not reject, with the
        variance that *f itself* would cause. It keeps its level where the plain
        value ± z · stderr does not: at rare answers.
        """
        check_level(level)
        return self._interval(1 - level)

    def simultaneous(self, level: float = 0.95) -> Interval:
        """Intervals that cover all the truths at once with probability ``level`` (Bonferroni)."""
        check_level(level)
        return self._interval((1 - level) / max(1, self.values.size))

    def _interval(self, outside: float) -> Interval:
        from scipy.special import ndtri  # heavy, and a device never asks for an interval

        z2 = float(ndtri(outside / 2)) ** 2
        # (f - f̂)² = z² (stderr² + slope (f - f̂)), solved for f - f̂.
        middle = z2 * self.slope / 2
        reach = np.sqrt(middle**2 + z2 * self.stderr**2)
        return Interval(self.values + middle - reach, self.values + middle + reach)
