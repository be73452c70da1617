"""How rare a text can be and still be found, and how many reports that takes.

A report of RAPPOR says 1 with chance q* where the text sets a bit (``holder``), and p* where it
doesn't (``others``).
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Floats
from sudare.estimation.frequency_error import ShareNoise, share_seen

_REACH = 10  # standard deviations of a number of ones that are summed over


class Filter(Protocol):
    """The bits and chances of a RAPPOR, as the formulas of detection need them."""

    @property
    def bits(self) -> int: ...  # noqa: D102 - the mechanism says
    @property
    def ones(self) -> int: ...  # noqa: D102
    @property
    def holder(self) -> float: ...  # noqa: D102
    @property
    def others(self) -> float: ...  # noqa: D102


def said_by_chance(filter_: Filter) -> float:
    """The chance that a bit says 1 for somebody who doesn't hold a text.

    It is 1 in the filters of a share ones/bits of them, whatever rare text they hold.
    """
    return filter_.others + (filter_.holder - filter_.others) * filter_.ones / filter_.bits


def text_noise(filter_: Filter) -> ShareNoise:
    """The noise of a text's decoded share, among others that are rare; it is seen in all its bits.

    Each bit of whoever holds it says 1 with chance q*, of others by ``said_by_chance``.
    """
    slope, said = filter_.holder - filter_.others, said_by_chance(filter_)
    once = slope**2 * filter_.ones * (1 - filter_.ones / filter_.bits)
    return ShareNoise(filter_.holder * (1 - filter_.holder) / once, said * (1 - said) / once)


def rare_variance(filter_: Filter, reports: int) -> float:
    """The variance of the decoded share of a rare text, among others that are rare as well."""
    return text_noise(filter_).outside / reports


def detectable_deviations(candidates: int, level: float = 0.05) -> float:
    """How many standard errors a share must have to be found with an even chance."""
    from scipy.special import ndtri

    return -float(ndtri(level / candidates))


@dataclass(frozen=True)
class Detection:
    """How rare a text can be and still be found, among others that are rare.

    It is found where a test says that nobody can be without it: so the noise of a text that nobody
    holds decides, with the skewness that counts of few have; beyond it the noise of its share.

    Attributes:
        noise: of its share.
        skewness: of that noise for a text that nobody holds, with one report; with n it is the
            n-th root's part.
        reach: how many standard errors it must have, were there no skewness.
    """

    noise: ShareNoise
    skewness: float
    reach: float

    @classmethod
    def of(cls, filter_: Filter, candidates: int, level: float = 0.05) -> "Detection":
        """That of a filter's texts, among so many candidates, if the chance of any is the level."""
        said = said_by_chance(filter_)
        skewness = (1 - 2 * said) / math.sqrt(said * (1 - said) * filter_.ones)
        return cls(text_noise(filter_), skewness, detectable_deviations(candidates, level))

    @property
    def _skewed(self) -> float:
        """How many standard errors farther the test lies, with one report (Cornish and Fisher)."""
        return (self.reach**2 - 1) / 6 * self.skewness

    def share(self, reports: int, more: float = 0.0) -> float:
        """The share of a text that is found; infinite for more than all.

        Args:
            reports: how many there are.
            more: how many standard errors it is to have beyond what the test asks for.
        """
        reach = self.reach + self._skewed / math.sqrt(reports)
        least = reach * math.sqrt(self.noise.outside / reports)
        return share_seen(self.noise, least, more**2 / reports)

    def reports(self, share: float, more: float = 0.0) -> float:
        """How many reports find a text of this share, not yet rounded up."""
        if share > 1:
            return math.inf
        # With the root r of their number: share · r² = steady · r + skewed · rare.
        rare = math.sqrt(self.noise.outside)
        steady = self.reach * rare + more * math.sqrt(self.noise.variance(share))
        root = steady + math.sqrt(steady**2 + 4 * share * self._skewed * rare)
        return (root / (2 * share)) ** 2


def smallest_detectable(
    filter_: Filter, reports: int, candidates: int, level: float = 0.05
) -> float:
    """The share that a text needs for an even chance to be found; infinite for more than all."""
    return Detection.of(filter_, candidates, level).share(reports)


def reports_needed(filter_: Filter, candidates: int, level: float = 0.05, share: float = 1) -> int:
    """How many reports give a text of this share an even chance of being found."""
    return math.ceil(Detection.of(filter_, candidates, level).reports(share))


def shared_bits(said: NDArray[np.int64], bits: int, ones: int) -> Floats:
    """The law of how many bits a random filter shares with a report of ``said`` ones.

    The hypergeometric law: a row for each number of ones, a column for each number shared.
    """
    shared, given = np.arange(ones + 1), said[:, np.newaxis]
    ways = _log_choose(given, shared) + _log_choose(bits - given, ones - shared)
    return np.asarray(np.exp(ways - _log_choose(np.array(bits), np.array(ones))), np.float64)


def likelihood_information(filter_: Filter) -> float:
    """The information of one report, by its likelihood, about the share of a rare text.

    The Fisher information at share 0, E[(L/D)²] - 1: L is the text's likelihood, D the mean over
    all filters. A text's own bits and the rest are binomial where no bit is set.
    """
    bits, ones, holder, others = filter_.bits, filter_.ones, filter_.holder, filter_.others
    own = np.arange(ones + 1)
    logs = own * math.log(holder / others) + (ones - own) * math.log((1 - holder) / (1 - others))
    spread = math.sqrt(bits * others * (1 - others))
    first = max(0, math.floor((bits - ones) * others - _REACH * spread))
    last = min(bits - ones, math.ceil((bits - ones) * others + _REACH * spread))
    rest = np.arange(first, last + 1)
    said = own[:, np.newaxis] + rest
    top = logs.max()
    mean = shared_bits(said.ravel(), bits, ones) @ np.exp(logs - top)
    odds = 2 * (logs[:, np.newaxis] - top) - np.log(mean).reshape(said.shape) + top
    chances = _log_binomial(own, ones, others)[:, np.newaxis]
    chances = chances + _log_binomial(rest, bits - ones, others)
    return float(np.exp(chances + odds).sum()) - 1


def _log_choose(n: NDArray[np.int64], k: NDArray[np.int64]) -> Floats:
    """The logarithm of n over k; minus infinity outside."""
    from scipy.special import gammaln

    possible = (k >= 0) & (k <= n)
    inside = np.where(possible, k, 0)
    logs = gammaln(n + 1) - gammaln(inside + 1) - gammaln(n - inside + 1)
    return np.where(possible, logs, -np.inf)


def _log_binomial(k: NDArray[np.int64], n: int, p: float) -> Floats:
    logs: Floats = _log_choose(np.array(n), k) + k * math.log(p) + (n - k) * math.log1p(-p)
    return logs
