"""Quadratic programs with shares as unknowns: none may be negative."""

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Floats

_PIVOTS = 2000  # exchanges of free and bound
_PATIENCE = 3  # exchanges of all at once that may fail to help


def nonnegative_minimum(gram: Floats, linear: Floats, free: NDArray[np.bool_]) -> Floats:
    """The x ≥ 0 with the least ½ x'Gx - l'x, for a positive definite G.

    By block principal pivoting (Portugal, Júdice and Vicente 1994): guess who is free, solve,
    exchange all that are on the wrong side; when that stops helping, one at a time.

    Args:
        gram: G.
        linear: l.
        free: a first guess.
    """
    free = free.copy()
    fewest, patience = linear.size + 1, _PATIENCE
    point = np.zeros(linear.size)
    tiny = 1e-12 * float(np.abs(linear).max())
    for _ in range(_PIVOTS):
        point[:] = 0
        chosen = np.flatnonzero(free)
        point[chosen] = np.linalg.solve(gram[np.ix_(chosen, chosen)], linear[chosen])
        slope = gram @ point - linear
        slope[chosen] = 0
        wrong = np.flatnonzero((point < 0) | (slope < -tiny))
        if not wrong.size:
            break
        if wrong.size < fewest:
            fewest, patience = wrong.size, _PATIENCE
        elif patience:
            patience -= 1
        else:
            wrong = wrong[-1:]
        free[wrong] ^= True
    return np.maximum(point, 0)
