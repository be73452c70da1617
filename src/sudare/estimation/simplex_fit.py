"""Least squares over shares that are not negative and sum to 1: when the candidates are all.

Who says that nothing is missing from the candidates knows more than any single test: whatever the
found ones leave is held by the others. So everybody's share is fitted at once, on the simplex.
Nothing is found or left out, and many shares are exactly 0.
"""

from dataclasses import dataclass

import numpy as np

from sudare.estimation.bits import BitShares
from sudare.estimation.design import Design, Floats, Indices

_TOLERANCE = 1e-6  # of the value of no candidate at all: how far from the least it may be
_MOST_ROUNDS = 100
_FIRST_SET = 256  # candidates in the first working set
_INNER = 0.1  # of the gap that is asked for: what may be left within the set


@dataclass(frozen=True, eq=False)
class SimplexFit:
    """The shares b ≥ 0 with Σb = 1 and the least ½ (y - Xb)'W(y - Xb).

    Attributes:
        shares: one per candidate.
        objective: the value reached.
        gap: no shares give a value lower than ``objective - gap``.
    """

    shares: Floats
    objective: float
    gap: float


def simplex_fit(design: Design, bits: BitShares) -> SimplexFit:
    """Fit all candidates, among a growing set of those who want a share.

    The certificate is Frank and Wolfe's: nobody's slope is above that of the shares as they are
    by more than the gap.
    """
    from sudare.kernels.columns import exchange

    weights, response = bits.weights, design.centred(bits.shares)[0]
    linear = design.scores(weights * response)
    enough = _TOLERANCE * float(weights @ response**2) / 2
    working = np.argsort(-linear, kind="stable")[:_FIRST_SET]
    point = np.full(working.size, 1 / working.size)
    for _ in range(_MOST_ROUNDS):
        gram = design.gram(working, weights)
        exchange(gram, linear[working] - gram @ point, _INNER * enough, point)
        residual = response - design.fitted(working, point)
        slopes = design.scores(weights * residual)
        level = float(slopes[working] @ point)
        gap = float(slopes.max()) - level
        if gap <= enough:
            break
        working, point = _next_set(working, point, slopes, level)
    shares = np.zeros(len(design))
    shares[working] = point
    return SimplexFit(shares, float(weights @ residual**2) / 2, gap)


def _next_set(
    working: Indices, point: Floats, slopes: Floats, level: float
) -> tuple[Indices, Floats]:
    """Those with a share, and the others who want one most."""
    kept = working[point > 0]
    wanting = np.setdiff1d(np.flatnonzero(slopes > level), kept)
    room = max(_FIRST_SET, kept.size)
    if wanting.size > room:
        wanting = wanting[np.argpartition(-slopes[wanting], room)[:room]]
    return np.concatenate([kept, wanting]), np.append(point[point > 0], np.zeros(wanting.size))
