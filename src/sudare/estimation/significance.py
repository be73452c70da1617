"""Is this answer present at all? Exact tests, and their correction for asking many at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def presence(counts: NDArray[np.int64], n: int, q: float) -> Floats:
    """For each answer the exact p-value of "nobody holds it".

    If nobody does, each of the n reports supports it with chance q on its own: the count is
    binomial, and the p-value is the chance of a count at least as large.
    """
    from scipy.special import betainc  # heavy, and only an analyst needs it

    # The binomial tail as an incomplete beta function; SciPy's bdtrc loses digits at large n.
    tail = betainc(np.maximum(counts, 1), n - np.maximum(counts, 1) + 1, q)
    return np.where(counts <= 0, 1.0, np.asarray(tail, np.float64))


def holm(p_values: Floats) -> Floats:
    """Adjusted so that *any* false discovery has at most the level's chance (Holm)."""
    factors = np.arange(p_values.size, 0, -1, dtype=np.float64)
    return _adjust(p_values, factors, np.maximum.accumulate)


def bonferroni(p_values: Floats) -> Floats:
    """Adjusted like Holm's, more simply: each multiplied by their number."""
    return np.minimum(p_values * p_values.size, 1)


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Adjusted so that the expected share of false discoveries is at most the level."""
    factors = p_values.size / np.arange(1, p_values.size + 1)
    return _adjust(p_values, factors, lambda x: np.minimum.accumulate(x[::-1])[::-1])


def _adjust(p_values: Floats, factors: Floats, monotone: Callable[[Floats], Floats]) -> Floats:
    order = np.argsort(p_values)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(monotone(p_values[order] * factors), 1)
    return adjusted
