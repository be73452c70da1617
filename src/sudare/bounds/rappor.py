"""RAPPOR in closed form: what a bit costs, the odds that a budget allows, what can be found.

The permanent step leaves a bit with chance a = 1 - f/2 and flips it with chance b = f/2; a
report then says 1 with chance q or p. Probabilities are floats that are exact fractions.
"""

import math
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.exact import affordable, dyadic, largest_dyadic, smallest_dyadic, too_small

Floats = NDArray[np.float64]

_REACH = 10  # standard deviations of a number of ones that are summed over


class Filter(Protocol):
    """What the theory needs to know of a RAPPOR."""

    @property
    def bits(self) -> int: ...  # noqa: D102 - the mechanism says
    @property
    def ones(self) -> int: ...  # noqa: D102
    @property
    def holder(self) -> float: ...  # noqa: D102
    @property
    def others(self) -> float: ...  # noqa: D102


def said_chances(f: float, p: float, q: float) -> tuple[Fraction, Fraction]:
    """p* and q*: the chance that a report says 1 where the answer's bit is 0, and where it is 1."""
    b, zero, one = Fraction(f) / 2, Fraction(p), Fraction(q)
    return b * one + (1 - b) * zero, (1 - b) * one + b * zero


def bit_ratio(f: float, p: float, q: float, reports: int = 1) -> Fraction:
    """The worst ratio of ``reports`` reports of one kept bit, times that of another bit.

    One bit turns from 0 to 1 and tells most when all reports say 1; another turns from 1 to 0
    and tells most when all say 0.
    """
    b = Fraction(f) / 2
    return _lift(b, Fraction(q) ** reports, Fraction(p) ** reports) * _lift(
        b, (1 - Fraction(p)) ** reports, (1 - Fraction(q)) ** reports
    )


def _lift(b: Fraction, likely: Fraction, unlikely: Fraction) -> Fraction:
    return ((1 - b) * likely + b * unlikely) / (b * likely + (1 - b) * unlikely)


def lasting_noise(changes: int, epsilon: float) -> float:
    """The least f for which all the reports of an answer together spend at most ``epsilon``.

    Two answers differ in ``changes`` bits each way, so e^ε∞ = ((1 - f/2) / (f/2))^(2 · changes).
    """
    b = smallest_dyadic(
        _rare_side(epsilon / (2 * changes)),
        lambda b: b > 0 and affordable(bit_ratio(2 * b, 0, 1) ** changes, epsilon),
    )
    if b >= 0.5:
        raise too_small(epsilon)
    return 2 * b


def report_odds(changes: int, f: float, epsilon: float) -> tuple[float, float]:
    """The p and q of a report that spends at most ``epsilon``, the best for rare answers.

    Without permanent noise the least variance is at q = ½ (as in OUE). With it the same holds
    for what is left of the bit, q* = ½, as long as p can be as small as that takes.
    """

    def spent(p: float, q: float) -> bool:
        return affordable(bit_ratio(f, p, q) ** changes, epsilon)

    said = _rare_side(epsilon / changes)  # p* where q* = ½
    distance = (0.5 - said) / (1 - f)
    p = said - f * distance / 2
    q = p + distance
    if f == 0 or (p > 0 and q < 1):
        q = dyadic(q)
        p = smallest_dyadic(p, lambda p: p < q and spent(p, q))
        if p >= q:
            raise too_small(epsilon)
        return p, q
    return 0.0, largest_dyadic(min(q, 1 - 2.0**-53), lambda q: spent(0.0, q))


def _rare_side(log_odds: float) -> float:
    """1 / (1 + e^x): the rarer side of a coin of these odds, however long they are."""
    small = math.exp(-log_odds)
    return small / (1 + small)


def rare_variance(filter_: Filter, reports: int) -> float:
    """The variance of the decoded share of a rare text, among others that are rare as well.

    A bit of the filter is 1 for a share ones/bits of the people whatever they answered, and
    says 1 with chance s = p* + (q* - p*) ones/bits; a text is seen in ``ones`` bits.
    """
    density = filter_.ones / filter_.bits
    slope = filter_.holder - filter_.others
    said = filter_.others + slope * density
    return said * (1 - said) / (slope**2 * filter_.ones * (1 - density) * reports)


def detectable_deviations(candidates: int, level: float = 0.05, power: float = 0.5) -> float:
    """How many standard errors a share must measure to be found with chance ``power``."""
    from scipy.special import ndtri

    return float(ndtri(power)) - float(ndtri(level / candidates))


def smallest_detectable(
    filter_: Filter, reports: int, candidates: int, level: float = 0.05, power: float = 0.5
) -> float:
    """The share that a text needs to be found with chance ``power`` among so many candidates."""
    needed = detectable_deviations(candidates, level, power)
    return needed * math.sqrt(rare_variance(filter_, reports))


def reports_needed(filter_: Filter, candidates: int, level: float = 0.05, share: float = 1) -> int:
    """The reports that make a text of this share an even chance to find."""
    return math.ceil((smallest_detectable(filter_, 1, candidates, level) / share) ** 2)


def shared_bits(said: NDArray[np.int64], bits: int, ones: int) -> Floats:
    """How many of its ``ones`` bits a random filter shares with a report of ``said`` ones.

    The hypergeometric law: a row for each number of ones, a column for each number shared.
    """
    shared, given = np.arange(ones + 1), said[:, np.newaxis]
    ways = _log_choose(given, shared) + _log_choose(bits - given, ones - shared)
    return np.asarray(np.exp(ways - _log_choose(np.array(bits), np.array(ones))), np.float64)


def likelihood_information(filter_: Filter) -> float:
    """What one report tells about the share of a rare text among others, by its likelihood.

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
