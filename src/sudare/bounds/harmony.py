"""The document's lower bound on Harmony's error, as corrected, and where Glance passes it."""

import math
from dataclasses import replace

from sudare.bounds.continual import Reading, Setting, coth, epsilon_edge, solved_theta
from sudare.errors import ParameterError


def harmony_lower_bound(setting: Setting) -> float:
    """Theorem 4 as true: with probability *at least β* Harmony's maximal error is above it.

    On the stream where everybody is in state 1, for β < 1/(N + 1)². It bounds a quantile. As
    printed, "with probability 1 - β", it is false on every stream. It also needs what the
    document doesn't say: that a round's ones vary at all, Nρ(1 - ρ) ≥ 1 where ρ is the chance
    that a person says 1, and that log(1/((N + 1)² β)) is no larger, or no count is so far off.
    """
    u, rest = math.exp(-setting.epsilon), -math.expm1(-setting.epsilon)
    said, slope = 1 / ((1 + u) * setting.rounds), rest / ((1 + u) * setting.rounds)
    variance, excess = setting.people * said * (1 - said), _excess(setting)
    if not max(1.0, excess) <= variance:
        raise ParameterError(
            f"Harmony's lower bound needs people * rho * (1 - rho) = {variance:.4g} to be at least "
            f"{max(1.0, excess):.4g}"
        )
    return math.sqrt(variance * excess) / (setting.people * slope)


def harmony_crossover(setting: Setting, reading: Reading = solved_theta) -> float:
    """The ε from which Glance's 2θ is below ``harmony_lower_bound``, as in figure 2.

    Infinite if it never is: θ doesn't fall to 0.
    """

    def above(epsilon: float) -> bool:
        at = replace(setting, epsilon=epsilon)
        return 2 * reading(at) >= harmony_lower_bound(at)

    return epsilon_edge(above)


def harmony_rate(setting: Setting) -> float:
    """Corollaries 2 and 4, without their constant, and with probability at least β.

    √(T log(1/((N + 1)² β)) / N) · coth(ε/2).
    """
    excess = setting.rounds / setting.people * _excess(setting)
    return coth(setting.epsilon) * math.sqrt(excess)


def _excess(setting: Setting) -> float:
    """log(1/((N + 1)² β)): what remains of β after the number of types, squared."""
    if setting.beta * (setting.people + 1) ** 2 >= 1:
        raise ParameterError(
            f"Harmony's lower bound needs beta below 1/(people + 1)^2 = "
            f"{1 / (setting.people + 1) ** 2:.3g}, got {setting.beta}"
        )
    return -math.log(setting.beta) - 2 * math.log1p(setting.people)
