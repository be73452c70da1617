"""A mean of numbers from -1 to 1: every mechanism's exact worst variance beside the least.

What is compared is n times the largest variance of the mean of n people, whatever their numbers.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from sudare import Window

EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
STEPS = 1000  # of the window mechanism's range
NUMBERS, OUTPUTS = 33, 161  # of the linear program: more change the fourth digit
HALF_BETTER = 0.61  # the ε from which the hybrid mechanism uses the piecewise one at all


def rows() -> list[dict[str, Any]]:
    """Every mechanism at every ε, the least that there can be behind them."""
    worst = {
        "one bit": one_bit,
        "piecewise": piecewise,
        "hybrid": hybrid,
        "window": window,
        "optimum": optimum,
    }
    return [
        {"mechanism": name, "kind": "mean", "epsilon": epsilon, "worst": of(epsilon)}
        for name, of in worst.items()
        for epsilon in EPSILONS
    ]


def one_bit(epsilon: float) -> float:
    """Duchi et al.: one of two values, (e^ε + 1) / (e^ε - 1) and its negative; worst at 0."""
    return (math.exp(epsilon) + 1) ** 2 / math.expm1(epsilon) ** 2


def piecewise(epsilon: float) -> float:
    """Wang et al. (ICDE 2019), lemma 1, at the number 1, where it is worst."""
    told = math.expm1(epsilon / 2)
    return 1 / told + (told + 4) / (3 * told**2)


def hybrid(epsilon: float) -> float:
    """Wang et al. (ICDE 2019), equation 8: one of the two, drawn so that all numbers are alike."""
    if epsilon <= HALF_BETTER:
        return one_bit(epsilon)
    root = math.exp(epsilon / 2)
    return (root + 3) / (3 * root * (root - 1)) + one_bit(epsilon) / root


def window(epsilon: float) -> float:
    """The window mechanism as it is calibrated, exactly: its ε is not above the one named."""
    variance = Window.calibrate(STEPS, epsilon).worst_variance
    return float(variance * Fraction(2, STEPS) ** 2)


def optimum(epsilon: float) -> float:
    """The least worst variance of all unbiased channels, by a linear program.

    Each output counts one of many values y_j; P_j(v) is the chance of output j under the number v,
    and between q_j and e^ε q_j for some q_j. The worst variance τ is least, where Σ_j P_j(v) = 1,
    Σ_j P_j(v) y_j = v and Σ_j P_j(v) y_j² - v² ≤ τ for all v. As -v and v change places under
    y → -y, numbers from 0 to 1 are enough, with q_j = q_{-j}.

    Few numbers are looked at, which makes it less than it is; and few values of outputs, which
    makes it more: both by less than the fourth digit.
    """
    numbers = np.linspace(0, 1, NUMBERS)
    reach = 1.6 * math.sqrt(one_bit(epsilon)) + 0.2
    y = np.linspace(-reach, reach, OUTPUTS)
    each, every = sparse.identity(NUMBERS), sparse.identity(OUTPUTS)
    chances = NUMBERS * OUTPUTS
    ones = np.ones((NUMBERS, 1))

    def blank(lines: int, columns: int) -> Any:  # noqa: ANN401 - SciPy's matrices
        return sparse.csr_matrix((lines, columns))

    equal = sparse.vstack(
        [
            sparse.hstack([sparse.kron(each, np.ones((1, OUTPUTS))), blank(NUMBERS, OUTPUTS + 1)]),
            sparse.hstack([sparse.kron(each, y[np.newaxis]), blank(NUMBERS, OUTPUTS + 1)]),
            sparse.hstack(
                [
                    blank(OUTPUTS, chances),
                    every - sparse.csr_matrix(np.eye(OUTPUTS)[::-1]),
                    blank(OUTPUTS, 1),
                ]
            ),
        ]
    )
    at_most = sparse.vstack(
        [
            sparse.hstack(
                [
                    sparse.identity(chances),
                    sparse.kron(ones, -math.exp(epsilon) * every),
                    blank(chances, 1),
                ]
            ),
            sparse.hstack([-sparse.identity(chances), sparse.kron(ones, every), blank(chances, 1)]),
            sparse.hstack(
                [
                    sparse.kron(each, y[np.newaxis] ** 2),
                    blank(NUMBERS, OUTPUTS),
                    sparse.csr_matrix(-ones),
                ]
            ),
        ]
    )
    found = linprog(
        np.append(np.zeros(chances + OUTPUTS), 1.0),
        A_ub=at_most.tocsr(),
        b_ub=np.append(np.zeros(2 * chances), numbers**2),
        A_eq=equal.tocsr(),
        b_eq=np.concatenate([np.ones(NUMBERS), numbers, np.zeros(OUTPUTS)]),
        method="highs-ipm",
    )
    return float(found["fun"])
