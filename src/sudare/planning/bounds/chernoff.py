"""How far off any round can be: Chernoff's bound, for each continual mechanism, on any stream.

In a round, person n reports with some chance κ and then says 1 with chance ρ_n. Whoever they
are, all are independent. So for the mean ŝ of the reports, and ρ the mean of all ρ_n,

    P(ŝ ≥ ρ + x) ≤ min_λ Π_n (1 - κ + κ E e^(λ(z_n - ρ - x))) ≤ (1 - κ (1 - e^-D(ρ+x‖ρ)))^N

by the concavity of the logarithm; likewise below. Nothing is assumed of the stream, least of all
condition (2), and a round without reports counts as a failure. Rounds join by the sum of chances,
so that they may depend on each other in any way, as several reports of one person do.
"""

import math
from typing import NamedTuple

from sudare.errors import ParameterError
from sudare.formats.numbers import counted
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.mechanisms.over_time.kshot import check_range
from sudare.planning.bounds.continual import (
    check_beta,
    check_error,
    check_people,
    divergence,
    fewest_people,
)


def maximal_error_bound(
    counting: ContinualMechanism, people: int, beta: float, low: float = 0.0, high: float = 1.0
) -> float:
    """The error that no round reaches with probability 1 - β; every round then has an estimate.

    Args:
        counting: the mechanism.
        people: how many there are.
        beta: the chance that the bound may fail.
        low: the least share of people in state 1, in any round.
        high: the largest share of people in state 1, in any round.
    """
    return _bound(_sampled(counting, low, high), check_people(people), beta)


def fixed_groups_bound(
    counting: ContinualMechanism, people: int, beta: float, low: float = 0.0, high: float = 1.0
) -> float:
    """The error that no round reaches with probability 1 - β, if exactly Nk/T report in each.

    A sample drawn without replacement varies no more than one drawn with it (Hoeffding 1963).
    Where people don't divide evenly, the smallest group counts: as in ``draw_balanced``, a last
    block of fewer than T people uses that many neighbours' rounds, around a circle.
    """
    rounds, shots = counting.rounds, counting.reports_each
    blocks, over = divmod(check_people(people), rounds)
    size = blocks * shots + max(0, over + shots - rounds)
    if size == 0:
        raise ParameterError(
            f"a group in each of {counted(rounds, 'round')} needs at least "
            f"{counted(rounds - shots + 1, 'person', 'people')}, "
            f"got {people}"
        )
    return _bound(_sampled(counting, low, high)._replace(reporting=1.0), size, beta)


def people_needed(
    counting: ContinualMechanism, error: float, beta: float, low: float = 0.0, high: float = 1.0
) -> int:
    """The fewest people for whom ``maximal_error_bound`` is at most ``error``."""
    check_error(error)
    check_beta(beta)
    rounds = _sampled(counting, low, high)
    return fewest_people(lambda people: rounds.failure(people, error) <= beta, 1)


class _Rounds(NamedTuple):
    """A number of rounds, in each of which ρ is somewhere in a range."""

    number: int
    reporting: float
    slope: float
    low: float
    high: float

    def failure(self, people: int, error: float) -> float:
        """The chance of an error in any round is at most this."""
        x = error * self.slope
        above = _least_divergence(x, self.low, self.high)
        below = _least_divergence(x, 1 - self.high, 1 - self.low)  # of those who say 0
        return self.number * sum(self._reached(people, each) for each in (above, below))

    def _reached(self, people: int, exponent: float) -> float:
        """(1 - κ (1 - e^-D))^N."""
        lost = self.reporting * math.expm1(-exponent)
        return math.exp(people * math.log1p(lost)) if lost > -1 else 0.0


def _sampled(counting: ContinualMechanism, low: float, high: float) -> _Rounds:
    check_range(low, high)
    slope = counting.holder - counting.others
    return _Rounds(
        counting.rounds,
        counting.reports_each / counting.rounds,
        slope,
        counting.others + slope * low,
        counting.others + slope * high,
    )


def _bound(rounds: _Rounds, people: int, beta: float) -> float:
    check_beta(beta)
    within, beyond = 0.0, 1.01 / rounds.slope  # no estimate is as far off as that
    if rounds.failure(people, beyond) > beta:
        needed = fewest_people(lambda number: rounds.failure(number, beyond) <= beta, people)
        raise ParameterError(
            f"a round may be without reports: a bound at beta = {beta} needs at least {needed} "
            f"people, got {people}"
        )
    while beyond - within > 1e-12 * beyond:
        middle = (within + beyond) / 2
        enough = rounds.failure(people, middle) <= beta
        within, beyond = (within, middle) if enough else (middle, beyond)
    return beyond


def _least_divergence(x: float, low: float, high: float) -> float:
    """The least D(ρ + x‖ρ) of a ρ in a range: it is convex in ρ, so halving finds it."""
    high = min(high, 1 - x)
    if high < low:
        return math.inf
    while high - low > 1e-12:
        middle = (low + high) / 2
        rising = _logit(middle + x) - _logit(middle) > x / (middle * (1 - middle))
        low, high = (low, middle) if rising else (middle, high)
    return divergence(min(1.0, low + x), low)


def _logit(chance: float) -> float:
    return math.log(chance / (1 - chance))
