"""RAPPOR's decoder as it is printed, for comparison: LASSO, least squares, t-test.

Erlingsson, Pihur and Korolova (2014) propose it; the constants are the document's. It regresses
counts on a dense matrix without an intercept, at a penalty that has the unit of the counts, and
asks each candidate alone. ``sudare.decode`` does better.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudare.decoding.design import Indices
from sudare.decoding.lasso import Lasso, dual_value
from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats

PENALTY = 0.1  # scikit-learn's alpha
LEAST = 1e-3  # a smaller coefficient is taken for 0

_TOLERANCE = 1e-9  # the duality gap, as a part of the value at 0
_MOST_ROUNDS = 8
_SINGULAR = 1e-12  # an eigenvalue this small, as a part of the largest, is taken for 0


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Ordinary least squares without intercept, and the classical t statistics.

    Attributes:
        coefficients: one per column.
        stderr: their standard errors, from the residuals with n - k degrees of freedom.
        p_values: one-sided, of "not above 0"; 1 where the coefficient is not above 0.
    """

    coefficients: Floats
    stderr: Floats
    p_values: Floats


@dataclass(frozen=True, eq=False)
class Printed:
    """What the printed decoder finds.

    Attributes:
        lasso: what proposes candidates.
        proposed: those with a coefficient above the least.
        fit: least squares on these.
        p_values: one per candidate; 1 for one that was not proposed.
    """

    lasso: Lasso
    proposed: Indices
    fit: LeastSquares
    p_values: Floats

    def found(self, level: float = 0.05) -> Indices:
        """The candidates whose own p-value is below the level."""
        return np.flatnonzero(self.p_values < level)


def printed_decoder(
    design: NDArray[np.generic], response: Floats, penalty: float = PENALTY, least: float = LEAST
) -> Printed:
    """The whole pipeline: propose by the LASSO, refit, test.

    Args:
        design: zeros and ones, a row per cohort and bit, a column per candidate.
        response: the debiased counts t, one per row.
        penalty: of the LASSO.
        least: the coefficient above which the LASSO's proposal is taken up.
    """
    columns = np.asarray(design, np.float64)
    lasso = dense_lasso(columns, response, penalty)
    proposed = lasso.support[lasso.coefficients > least]
    fit = least_squares(columns[:, proposed], response)
    p_values = np.ones(columns.shape[1])
    p_values[proposed] = fit.p_values
    return Printed(lasso, proposed, fit, p_values)


def dense_lasso(design: Floats, response: Floats, penalty: float) -> Lasso:
    """The minimiser of ‖y - Xb‖² / 2n + penalty · Σb over b ≥ 0, for n rows, certified."""
    from sudare.kernels.columns import descend

    if penalty <= 0:
        raise ParameterError(f"a penalty must be above 0, got {penalty}")
    n = len(response)
    weights = np.full(n, 1 / n)
    used = np.flatnonzero(design.any(axis=0))  # an empty column explains nothing
    columns = design[:, used]
    gram, linear = columns.T @ columns / n, columns.T @ response / n
    start = float(response @ response) / (2 * n)
    tolerance = _TOLERANCE * start / max(used.size, 1)
    point = np.zeros(used.size)
    for _ in range(_MOST_ROUNDS):
        descend(gram, linear, penalty, tolerance, point)
        residual = response - columns @ point
        objective = float(residual @ residual) / (2 * n) + penalty * float(point.sum())
        gradient = design.T @ residual / n
        steepest = float(gradient.max(initial=0))
        gap = objective - dual_value(response, residual, weights, penalty, steepest)
        if gap <= _TOLERANCE * start:
            break
        tolerance /= 100
    kept = point > 0
    return Lasso(used[kept], point[kept], penalty, objective, gap, gradient)


def least_squares(design: Floats, response: Floats) -> LeastSquares:
    """β = (X'X)⁺X'y, with the variance σ²(X'X)⁺ and a t law of n - rank degrees of freedom."""
    from scipy.special import stdtr

    n, k = design.shape
    if n <= k:
        raise ParameterError(f"least squares need more rows than columns, got {n} and {k}")
    values, vectors = np.linalg.eigh(design.T @ design)
    kept = values > _SINGULAR * values.max(initial=0)
    inverse = vectors[:, kept] / values[kept] @ vectors[:, kept].T
    coefficients: Floats = inverse @ (design.T @ response)
    residual = response - design @ coefficients
    freedom = n - int(kept.sum())
    stderr = np.sqrt(float(residual @ residual) / freedom * np.diag(inverse))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = coefficients / stderr
    tails = np.asarray(stdtr(freedom, -t), np.float64)
    return LeastSquares(coefficients, stderr, np.where(t > 0, tails, 1.0))
