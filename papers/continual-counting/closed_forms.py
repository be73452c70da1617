"""What the corollaries say in closed form, without constants, and where figure 2's lines cross."""

import math
from dataclasses import replace

from sudare.planning.bounds.continual import (
    Reading,
    Setting,
    epsilon_edge,
    harmony_lower_bound,
    solved_theta,
)

ENDLESS = 700.0  # an ε at which there is no noise left


def general_rate(setting: Setting) -> float:
    """Corollaries 1 and 3, without their constant: √(T log(T/β) / N) · coth(ε/2).

    The last factor is 2/ε at small ε and 1 at large ones.
    """
    return coth(setting.epsilon) * math.sqrt(_log_rounds(setting))


def dense_rate(setting: Setting) -> float:
    """Corollary 5, without its constant: a sum, where the document prints a product.

    √(T log(T/β) / N) / (2 sinh(ε/2)), which falls like e^(-ε/2), and T log(T/β) / N beside it,
    over 1 - e^-ε, which does not fall to 0: a floor under any ε.
    """
    rate, rest = _log_rounds(setting), -math.expm1(-setting.epsilon)
    return math.sqrt(rate) * math.exp(-setting.epsilon / 2) / rest + rate / rest


def dense_floor(setting: Setting, reading: Reading = solved_theta) -> float:
    """What 2θ falls to as ε grows: 4L/3, or 8L/3 as printed."""
    return 2 * reading(replace(setting, epsilon=ENDLESS))


def coth(epsilon: float) -> float:
    """The factor (e^ε + 1) / (e^ε - 1): what debiasing multiplies an error by."""
    return 1 / math.tanh(epsilon / 2)


def _log_rounds(setting: Setting) -> float:
    """T log(T/β) / N."""
    return setting.rounds * math.log(setting.rounds / setting.beta) / setting.people


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
    excess = -math.log(setting.beta) - 2 * math.log1p(setting.people)
    return coth(setting.epsilon) * math.sqrt(setting.rounds / setting.people * excess)
