"""Least squares over shares that are not negative and sum to 1: when the candidates are all.

Who says that nothing is missing from the candidates knows more than any single test: whatever the
found ones leave is held by the others. So everybody's share is fitted at once, on the simplex.
Nothing is found or left out, and many shares are exactly 0.
"""

import math
from dataclasses import dataclass

import numpy as np

from sudare.decoding.bit_sums import BitShares
from sudare.decoding.design import Design
from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from sudare.estimation.simplex import norm_sub

_STILL = 0.1  # standard errors: whatever is asked of the shares, it is known as precisely as that
_MOST_STEPS = 20_000
_LOOK = 10  # steps between two looks at the gap
_WARMING = 5  # steps towards the largest curvature


@dataclass(frozen=True, eq=False)
class SimplexFit:
    """The shares b ≥ 0 with Σb = 1 and the least ½ (y - Xb)'W(y - Xb), and their certificate.

    Attributes:
        shares: one per candidate.
        objective: the value reached.
        gap: no shares give a value lower than ``objective - gap``.
        excess: how many times as large as randomising makes them the bit sums' residuals are.
    """

    shares: Floats
    objective: float
    gap: float
    excess: float


def simplex_fit(design: Design, bits: BitShares) -> SimplexFit:
    """The fit of all candidates, by shares that are not negative and sum to 1.

    By projected gradients with momentum (Beck and Teboulle 2009), which starts anew where it leads
    uphill (O'Donoghue and Candès 2015). Where more is asked than the bits can tell, the shares,
    even at first, stay so.

    The certificate is Frank and Wolfe's: nobody's slope is above that of the shares as they are
    by more than the gap.

    Raises:
        ParameterError: if the gap stays too large.
    """
    weights, response = bits.weights, design.centred(bits.shares)[0]
    enough = (_STILL * bits.noise) ** 2 / 2
    curvature = _curvature(design, weights)
    point = ahead = np.full(len(design), 1 / len(design))
    fitted = fitted_ahead = _fitted(design, point)
    momentum = 1.0
    for step in range(_MOST_STEPS):
        if step % _LOOK == 0:
            slopes = design.scores(weights * (response - fitted))
            gap = float(slopes.max() - slopes @ point)
            if gap <= enough:
                objective = float(weights @ (response - fitted) ** 2) / 2
                return SimplexFit(point, objective, gap, _excess(design, bits, point, objective))
        downhill = design.scores(weights * (response - fitted_ahead))
        while True:
            following = norm_sub(ahead + downhill / curvature)
            fitted_following = _fitted(design, following)
            bent = float(weights @ (fitted_following - fitted_ahead) ** 2)
            if bent <= curvature * float(((following - ahead) ** 2).sum()):
                break
            curvature *= 2
        if downhill @ (following - point) < 0:
            momentum = 1.0
        next_momentum = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        carried, momentum = (momentum - 1) / next_momentum, next_momentum
        ahead = following + carried * (following - point)
        fitted_ahead = fitted_following + carried * (fitted_following - fitted)
        point, fitted = following, fitted_following
    raise ParameterError(
        f"the shares of {len(design)} candidates did not settle: {gap:.3g} is left to gain, "
        f"{enough:.3g} is allowed; decode fewer candidates, or don't take them for all"
    )


def _fitted(design: Design, point: Floats) -> Floats:
    held = np.flatnonzero(point)
    return design.fitted(held, point[held])


def _curvature(design: Design, weights: Floats) -> float:
    """About the largest eigenvalue of X'WX."""
    direction = design.scores(weights * np.cos(np.arange(design.height)))  # any that is not even
    for _ in range(_WARMING):
        direction /= math.sqrt(float(direction @ direction)) or 1.0
        direction = design.scores(weights * _fitted(design, direction))
    return math.sqrt(float(direction @ direction)) or 1.0


def _excess(design: Design, bits: BitShares, point: Floats, objective: float) -> float:
    """The residuals in units of randomising's noise.

    Of what can be known, a fit takes up at least as much as it has shares that are not bound:
    so more than 1 is not to its credit.
    """
    freedom = float(np.mean(bits.weights > 0)) * design.freedom - np.count_nonzero(point) + 1
    return math.sqrt(2 * objective / max(freedom, 1)) / bits.noise
