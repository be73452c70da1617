"""Draws compared with a law by exact binomial tails, one per outcome, and a union bound.

A true law is rejected with probability at most ``ALPHA``, whatever the law and the sample size.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

ALPHA = 1e-9

Outcome = TypeVar("Outcome", bound=Hashable)


def two_sided(count: int, n: int, p: float) -> float:
    """A p-value of ``count`` successes in ``n`` trials of chance ``p``, by the exact tails.

    It is at most x with probability at most x, for each x: no normal approximation.
    """
    from scipy.special import bdtr, bdtrc  # slow to import

    at_most = float(bdtr(count, n, p))
    at_least = float(bdtrc(count - 1, n, p)) if count else 1.0
    return min(1.0, 2 * min(at_most, at_least))


def suspicion(
    counts: Mapping[Outcome, int], law: Mapping[Outcome, Fraction | float], n: int
) -> float:
    """The smallest p-value among the outcomes times their number: a p-value of them all."""
    return least_likely(counts, law, n)[1]


def least_likely(
    counts: Mapping[Outcome, int], law: Mapping[Outcome, Fraction | float], n: int
) -> tuple[Outcome, float]:
    """The outcome that was drawn most strangely often or seldom, and a p-value of all of them."""
    for outcome in counts:
        if not law.get(outcome):
            return outcome, 0.0  # the impossible happened
    chances = {y: two_sided(counts.get(y, 0), n, float(p)) for y, p in law.items()}
    found = min(chances, key=chances.__getitem__)
    return found, min(1.0, chances[found] * len(law))
