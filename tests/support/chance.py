"""Tests of chance that state their own chance of failing.

Counts are compared with a law by exact binomial tails, one per outcome, and a union bound: a
true law is rejected with probability at most ``alpha``, whatever the law and the sample size.
Beside each ``assert_follows`` stands a ``rejects`` on a law slightly wrong: the power check.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

import numpy as np

from sudare.laws.draws import ALPHA, suspicion, two_sided

__all__ = ["ALPHA", "assert_follows", "rejects", "suspicion", "two_samples", "two_sided"]

Outcome = TypeVar("Outcome", bound=Hashable)


def assert_follows(
    counts: Mapping[Outcome, int],
    law: Mapping[Outcome, Fraction | float],
    n: int,
    alpha: float = ALPHA,
) -> None:
    """``n`` independent draws with these counts may come from this law.

    Fails on draws that do with probability at most ``alpha``.
    """
    found = suspicion(counts, law, n)
    assert found > alpha, f"such counts have a chance of {found:.2g} (limit {alpha})"


def rejects(
    counts: Mapping[Outcome, int],
    law: Mapping[Outcome, Fraction | float],
    n: int,
    alpha: float = ALPHA,
) -> bool:
    """Whether ``assert_follows`` would fail."""
    return suspicion(counts, law, n) <= alpha


def two_samples(a: np.ndarray, b: np.ndarray) -> float:
    """A p-value that two samples have one law: exact, by who is below each decile of both.

    Given the values of both together, which of them are the first sample's is anybody's guess:
    the number of its values below any place is hypergeometric.
    """
    from scipy.stats import hypergeom  # slow to import, and few need it

    both = np.concatenate([a, b])
    smallest = 1.0
    for place in np.quantile(both, np.arange(0.1, 1, 0.1)):
        below, ours = int((both <= place).sum()), int((a <= place).sum())
        law = hypergeom(both.size, below, a.size)
        smallest = min(smallest, 2 * min(law.cdf(ours), law.sf(ours - 1)))
    return min(1.0, 9 * smallest)
