"""RAPPOR in closed form: what a bit costs, the odds that a budget allows, what can be found.

The permanent step leaves a bit with chance a = 1 - f/2 and flips it with chance b = f/2; a
report then says 1 with chance q or p. Probabilities are floats that are exact fractions.
"""

import math
from fractions import Fraction
from typing import Protocol

from sudare.exact import affordable, dyadic, largest_dyadic, smallest_dyadic, too_small


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
