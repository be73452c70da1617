"""Estimates of a share in every round, each from its own round's reports."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.debias import noise
from sudare.estimation.estimate import Estimate, Floats, Interval, check_level


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamEstimate(Estimate):
    """The share of people in state 1, in each round in which somebody reported.

    A round without reports has no estimate and is left out; ``rows`` says so. Where the people
    who report in a round are a random part of all, the error is that of noise and sampling
    together, infinite for a single report; elsewhere it is that of the noise.

    Attributes:
        rounds: the numbers of the rounds that have an estimate.
        reports: how many reports each rests on.
        ones: how many of these say 1.
        holder: the chance that somebody in state 1 says so.
        others: the chance that somebody in state 0 says 1.
        planned: how many rounds there are in all.
        sampled: whether a round's reporters are a random part of the people it is about.
    """

    rounds: NDArray[np.int64]
    reports: NDArray[np.int64]
    ones: NDArray[np.int64]
    holder: float
    others: float
    planned: int
    sampled: bool

    def simultaneous(self, level: float = 0.95) -> Interval:
        """A band that covers the truth of *all* planned rounds with probability ``level``.

        Each round's part of it is final when the round closes: how many rounds there will be
        is known in advance, and the chance to err is divided evenly among them. A round without
        reports has no part in it, and can't be missed.
        """
        check_level(level)
        return self._interval((1 - level) / self.planned)

    def of_population(self) -> "StreamEstimate":
        """The estimate for a population of which the people are a random sample.

        Where people are sampled in each round, the error has that in it. Elsewhere the sampling
        variance of the m people who report in a round is added, f(1 - f)/m, estimated without
        bias as in ``Estimate.of_population``; for m = 1 it is infinite. The intervals are the
        same: the reports of a random sample follow the very binomial law that they rest on.
        """
        if self.sampled:
            return self
        with np.errstate(divide="ignore", invalid="ignore"):
            sampling = (self.values * (1 - self.values) + self.stderr**2) / (self.reports - 1)
        variance = self.stderr**2 + np.where(self.reports > 1, np.maximum(sampling, 0), np.inf)
        slope = self.slope + (1 - 2 * np.clip(self.values, 0, 1)) / self.reports
        return replace(self, stderr=np.sqrt(variance), slope=slope, sampled=True)

    def _interval(self, outside: float) -> Interval:
        """Clopper and Pearson's: the shares that the exact binomial tails don't reject.

        It covers at least its level, for levels above one half. The reports of a round are a sum
        of independent coins of unequal chances: people drawn without replacement are (Vatutin and
        Mikhailov 1982), and each coin stays one when its outcome is flipped. Such a sum has
        lighter tails than the binomial of the same mean, more than one report away from it
        (Hoeffding 1956). Nearer, a tail below one quarter is that of "not all m say 1" at a
        chance ρ of nearly 1: then the other tail rejects nothing, and m(1 - ρ) ≤ -ln(1 - α/2)
        < α bounds this one.
        """
        zeros, ones = self.reports - self.ones, self.ones
        low = _least_chance(ones, zeros, outside / 2)
        high = 1 - _least_chance(zeros, ones, outside / 2)
        slope = self.holder - self.others
        return Interval((low - self.others) / slope, (high - self.others) / slope)

    def rows(self, level: float = 0.95, *, consistent: bool = False) -> list[dict[str, Any]]:
        """The results, a row per planned round; without an estimate where nobody reported.

        Args:
            level: of the intervals, and of the band.
            consistent: cut both off at 0 and 1. The estimate stays unbiased.
        """
        ends = (*self.interval(level), *self.simultaneous(level))
        told = zip(
            self.reports.tolist(),
            self.values.tolist(),
            self.stderr.tolist(),
            *((np.clip(end, 0, 1) if consistent else end).tolist() for end in ends),
            strict=True,
        )
        names = ("reports", "share", "stderr", "low", "high", "band_low", "band_high")
        known = dict(zip(self.rounds.tolist(), told, strict=True))
        nothing = (0, *(None,) * (len(names) - 1))
        return [
            {"round": number, **dict(zip(names, known.get(number, nothing), strict=True))}
            for number in range(1, self.planned + 1)
        ]


def _least_chance(said: NDArray[np.int64], unsaid: NDArray[np.int64], tail: float) -> Floats:
    """The chance of a report from which on so many of them, or more, are no rarer than ``tail``."""
    from scipy.special import betaincinv

    return np.where(said > 0, betaincinv(np.maximum(said, 1), unsaid + 1, tail), 0.0)


def round_estimates(
    counts: NDArray[np.int64], holder: float, others: float, *, sampled: bool
) -> StreamEstimate:
    """The share in each round from its own reports: (ones/reports - others) / (holder - others).

    Args:
        counts: how many reports say 0 and how many say 1, a row per round.
        holder: the chance that somebody in state 1 says 1.
        others: the chance that somebody in state 0 does.
        sampled: whether a round's reporters are a random part of all people. Then the variance
            ρ(1 - ρ)/m of a mean of m reports has the unbiased estimate ρ̂(1 - ρ̂)/(m - 1), up
            to what sampling without replacement gains, which is left as a reserve.
    """
    known = np.flatnonzero(counts.sum(axis=1))
    reports, ones = counts[known].sum(axis=1), counts[known, 1]
    slope = holder - others
    said = ones / reports
    if sampled:
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = said * (1 - said) / (reports - 1)
        stderr = np.where(reports > 1, np.sqrt(variance), np.inf) / slope
        change = (1 - 2 * said) / (reports * slope)
    else:
        stderr, change = noise(ones, reports, holder, others)
    values: Floats = (said - others) / slope
    return StreamEstimate(
        n=int(reports.sum()),
        values=values,
        stderr=np.asarray(stderr, np.float64),
        slope=np.asarray(change, np.float64),
        labels=tuple(str(number + 1) for number in known),
        rounds=known + 1,
        reports=reports,
        ones=ones,
        holder=holder,
        others=others,
        planned=len(counts),
        sampled=sampled,
    )
