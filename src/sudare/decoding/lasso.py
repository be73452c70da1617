"""Non-negative LASSO with an intercept on bit positions, certified by its duality gap.

Few of many candidates matter, and they score high from the start. So the problem is solved among
those who do, on a working set by coordinate descent, and one pass over all candidates then says
which others want to join, and how far the solution can be from the best one.
"""

from dataclasses import dataclass

import numpy as np

from sudare.decoding.design import Design, Indices
from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats

_MOST_ROUNDS = 100
_FIRST_SET = 256  # candidates in the first working set
_HIGH = 2.0  # standard deviations above the mean: who scores so much is asked first
_INNER = 1e-3  # of the gap that is asked for: what a sweep may still gain


@dataclass(frozen=True, eq=False)
class Lasso:
    """A non-negative LASSO, solved: least ½ (y - Xb)'W(y - Xb) + penalty · Σb over b ≥ 0.

    Attributes:
        support: the candidates with a positive coefficient.
        coefficients: one for each of the support.
        penalty: the price of a unit of coefficient.
        objective: the value reached.
        gap: no b gives a value lower than ``objective - gap``.
        gradient: for every candidate, what a little of it would gain before the penalty.
    """

    support: Indices
    coefficients: Floats
    penalty: float
    objective: float
    gap: float
    gradient: Floats


def nonnegative_lasso(  # noqa: PLR0913, PLR0917 - one problem
    design: Design,
    response: Floats,
    weights: Floats,
    penalty: float,
    tolerance: float = 1e-6,
    start: tuple[Indices, Floats] | None = None,
) -> Lasso:
    """The non-negative LASSO, to a duality gap of ``tolerance`` times the value at b = 0.

    Args:
        design: the candidates.
        response: one value per row, summing to 0 in every cohort.
        weights: one per row, the same in all rows of a cohort.
        penalty: the price of a unit of coefficient, above 0.
        tolerance: what part of the value at 0 may be left to gain.
        start: the support and coefficients of a similar problem, from which to go on.
    """
    if penalty <= 0:
        raise ParameterError(f"a penalty must be above 0, got {penalty}")
    linear = design.scores(weights * response)
    enough = tolerance * float(weights @ response**2) / 2
    pool = linear >= linear.mean() + _HIGH * linear.std() if len(design) else np.empty(0, np.bool_)
    support, point = (np.empty(0, np.intp), np.empty(0)) if start is None else start
    for _ in range(_MOST_ROUNDS):
        pool[support] = True
        chosen = np.flatnonzero(pool)
        known = np.searchsorted(chosen, support), point
        part = design.part(chosen)
        among = _solved(part, linear[chosen], response, weights, penalty, enough, known)
        support, point = chosen[among.support], among.coefficients
        residual = response - design.fitted(support, among.coefficients)
        gradient = design.scores(weights * residual)
        steepest = float(gradient.max(initial=0))
        gap = among.objective - dual_value(response, residual, weights, penalty, steepest)
        if gap <= enough:
            break
        pool |= gradient > penalty
    return Lasso(support, among.coefficients, penalty, among.objective, gap, gradient)


def _solved(  # noqa: PLR0913, PLR0917 - one problem
    design: Design,
    linear: Floats,
    response: Floats,
    weights: Floats,
    penalty: float,
    enough: float,
    start: tuple[Indices, Floats],
) -> Lasso:
    """The minimiser among these candidates only, to a gap of ``enough``; ``linear`` is X'Wy."""
    from sudare.kernels.columns import descend

    working, point = start
    gradient, residual = linear, response
    if working.size:
        residual = response - design.fitted(working, point)
        gradient = design.scores(weights * residual)
    for _ in range(_MOST_ROUNDS):
        primal = float(weights @ residual**2) / 2 + penalty * float(point.sum())
        steepest = float(gradient.max(initial=0))
        gap = primal - dual_value(response, residual, weights, penalty, steepest)
        if gap <= enough:
            break
        working, point = _next_set(working, point, gradient, penalty)
        gram = design.gram(working, weights)
        descend(gram, linear[working], penalty, _INNER * enough / len(working), point)
        residual = response - design.fitted(working, point)
        gradient = design.scores(weights * residual)
    kept = point > 0
    return Lasso(working[kept], point[kept], penalty, primal, gap, gradient)


def dual_value(
    response: Floats, residual: Floats, weights: Floats, penalty: float, steepest: float
) -> float:
    """A lower bound of the LASSO's objective: that of the residual, shrunk to be dual."""
    shrink = min(1.0, penalty / steepest) if steepest > 0 else 1.0
    # The best multiple of the residual that is still feasible.
    length = float(weights @ residual**2)
    scale = min(shrink, float((weights * response) @ residual) / length) if length else 0.0
    gone = response - scale * residual
    return float(weights @ response**2 - weights @ gone**2) / 2


def _next_set(
    working: Indices, point: Floats, gradient: Floats, penalty: float
) -> tuple[Indices, Floats]:
    """Who is in with a positive coefficient, and the outsiders who want in most."""
    kept = point > 0
    outside = gradient.copy()
    outside[working] = -np.inf
    wanting = np.flatnonzero(outside > penalty)
    room = max(_FIRST_SET, 2 * int(kept.sum()))
    if wanting.size > room:
        wanting = wanting[np.argpartition(-outside[wanting], room)[:room]]
    return (
        np.concatenate([working[kept], wanting]),
        np.concatenate([point[kept], np.zeros(wanting.size)]),
    )
