"""skglm's sparse LASSO on the decoder's problem, run by the Python that it is installed in.

``python -m peers.lasso PROBLEM SECONDS`` reads an ``.npz`` file (``rows``: a line per candidate
with the positions of its ones; ``response``; ``penalty``) and says, as JSON, skglm's version and,
for each of its tolerances, the seconds of processor of a warm fit, the objective it reaches and
its duality gap, in the terms of Sudare: ½‖y - b₀ - Xb‖² + penalty · Σb over b ≥ 0.

The response sums to 0 in every cohort and every column has the same ones in each, so the one
intercept of skglm gives the same problem as Sudare's one per cohort.
"""

import json
import sys
import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from skglm import Lasso

from timing import best_cpu

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-9)  # the first is skglm's own


def columns(rows: NDArray[np.unsignedinteger[Any]], height: int) -> Any:  # noqa: ANN401 - scipy's
    """The zeros and ones as a sparse matrix, the indices of each column rising."""
    indices = np.sort(rows, axis=1).astype(np.int32).ravel()
    ends = np.arange(0, rows.size + 1, rows.shape[1], dtype=np.int32)
    return scipy.sparse.csc_matrix((np.ones(rows.size), indices, ends), (height, len(rows)))


def certificate(fitted: Any, X: Any, y: NDArray[np.float64], penalty: float) -> dict[str, float]:  # noqa: ANN401
    """The objective that a fit reaches, and how far it can be from the best one."""
    residual = y - fitted.intercept_ - X @ fitted.coef_
    objective = residual @ residual / 2 + penalty * fitted.coef_.sum()
    residual -= residual.mean()  # as the best intercept leaves it
    scale = min(1.0, penalty / (X.T @ residual).max(), (y @ residual) / (residual @ residual))
    gone = y - scale * residual
    bound = (y @ y - gone @ gone) / 2
    return {"objective": float(objective), "gap": float(objective - bound)}


def measure(X: Any, y: NDArray[np.float64], penalty: float, seconds: float) -> dict[str, Any]:  # noqa: ANN401
    """Each tolerance's time and certificate."""
    found = {}
    for tolerance in TOLERANCES:
        model = Lasso(penalty / len(y), positive=True, fit_intercept=True, tol=tolerance)
        taken = best_cpu(lambda model=model: model.fit(X, y), seconds)  # type: ignore[misc]
        found[f"{tolerance:g}"] = {"seconds": taken, **certificate(model, X, y, penalty)}
    return found


if __name__ == "__main__":
    problem = np.load(sys.argv[1])
    y = problem["response"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a tolerance too tight for it is seen in the gap
        fits = measure(
            columns(problem["rows"], len(y)), y, float(problem["penalty"]), float(sys.argv[2])
        )
    print(json.dumps({"version": version("skglm"), "fits": fits}))
