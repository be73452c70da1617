"""The error theory of the document on continual counting, in closed form and as corrected.

T rounds, N people, one ε for the whole stream; μ is the share of people in state 1 in a round.
The document prints θ, equation (1), without the ½ of the quadratic formula: twice the root of
its own condition. Both are valid. Which one is meant is said by passing it: ``solved_theta`` or
``printed_theta``.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from sudare.chance.exact import check_epsilon
from sudare.errors import ParameterError
from sudare.formats.numbers import counted, whole
from sudare.mechanisms.domain import Streams

Reading = Callable[["Setting"], float]

_LEAST_BETA = 1e-290  # with the rounds that it is divided by, still a number of full width
MOST_PEOPLE = 10**15
_LARGEST_EPSILON = 700.0  # for the search of an edge: where e^ε ends


@dataclass(frozen=True)
class Setting:
    """The setting of a bound: rounds, people, budget and chance to fail.

    Attributes:
        rounds: T.
        people: N.
        epsilon: ε, for the whole stream.
        beta: β, the chance that a bound may fail.
    """

    rounds: int
    people: int
    epsilon: float
    beta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", Streams(self.rounds).rounds)
        object.__setattr__(self, "people", check_people(self.people))
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        check_beta(self.beta)

    @property
    def least_people(self) -> int:
        """The smallest N above T log(4T/β): with fewer, the document promises nothing."""
        return math.floor(self.rounds * math.log(4 * self.rounds / self.beta)) + 1

    @property
    def L(self) -> float:
        """The exponent per reporter that a round must reach: log(1 / (1 - (T/N) log(4T/β))).

        A round has Bin(N, 1/T) reporters, and (1 - (1 - e^-L)/T)^N ≤ β/(4T).
        """
        if self.people < self.least_people:
            raise ParameterError(
                f"these bounds need at least {counted(self.least_people, 'person', 'people')} "
                f"for {counted(self.rounds, 'round')} "
                f"at beta = {self.beta}, got {self.people}"
            )
        return -math.log1p(-self.rounds / self.people * math.log(4 * self.rounds / self.beta))


def check_people(people: int) -> int:
    """A number of people; refuses none, and more than there can be."""
    people = whole("people", people)
    if not 1 <= people <= MOST_PEOPLE:
        raise ParameterError(f"people must be between 1 and {MOST_PEOPLE}, got {people}")
    return people


def check_beta(beta: float) -> None:
    """Refuse a chance to fail that isn't strictly between 0 and 1, or too small to reckon with."""
    if not 0 < beta < 1:
        raise ParameterError(f"beta must be between 0 and 1, got {beta}")
    if beta < _LEAST_BETA:
        raise ParameterError(f"beta must be at least {_LEAST_BETA}, got {beta}")


def check_error(error: float) -> None:
    """Refuse a wanted error that isn't above 0 and finite."""
    if not 0 < error < math.inf:
        raise ParameterError(f"a wanted error must be above 0 and finite, got {error}")


def divergence(a: float, b: float) -> float:
    """The divergence D(a‖b) of a coin of chance a from one of chance b; finite at a ∈ {0, 1}.

    Infinite where a is no chance at all, and where b is certain and a is not b.
    """
    if not 0 <= a <= 1:
        return math.inf
    if b in (0, 1):
        return 0.0 if a == b else math.inf
    # As log1p, for what is left where a is next to b.
    ones = a * math.log1p((a - b) / b) if a > 0 else 0.0
    zeros = (1 - a) * math.log1p((b - a) / (1 - b)) if a < 1 else 0.0
    return max(0.0, ones + zeros)


def noise_exponent(epsilon: float, error: float) -> float:
    """The right side of condition (2): Bernstein's exponent of randomised response.

    ((e^ε - 1)² θ² / 2e^ε) / (1 + (e^ε - 1) θ/3), at θ = ``error``.
    """
    u, rest = math.exp(-epsilon), -math.expm1(-epsilon)  # e^-ε and 1 - e^-ε: nothing overflows
    return rest**2 * error**2 / 2 / (u + rest * error / 3)


def solved_theta(setting: Setting) -> float:
    """θ*, the root of ``noise_exponent`` = L: 1.5 (a + √(a² + 4a)) / (e^ε - 1), a = 2e^ε L/9."""
    u, a = math.exp(-setting.epsilon), 2 * setting.L / 9  # a here is the document's times e^-ε
    return 1.5 * (a + math.sqrt(a**2 + 4 * a * u)) / -math.expm1(-setting.epsilon)


def printed_theta(setting: Setting) -> float:
    """θ as equation (1) prints it: 2θ*."""
    return 2 * solved_theta(setting)


def sampling_bound(setting: Setting) -> float:
    """Claim 2: with probability 1 - β/2 no round's reporters differ by more from all people.

    √(L/2), whatever ε. Claim 1 is θ itself: with probability 1 - β/2 the noise is below it.
    """
    return math.sqrt(setting.L / 2)


def general_bound(setting: Setting, reading: Reading = solved_theta) -> float:
    """Claims 1 and 2: Glance's maximal error is below this with probability 1 - β, on any stream.

    What Corollary 3 gives the rate of.
    """
    return reading(setting) + sampling_bound(setting)


def general_people(setting: Setting, error: float, reading: Reading = solved_theta) -> int:
    """The fewest people for whom ``general_bound`` is at most ``error``, whatever the setting has.

    It falls as people join.
    """
    check_error(error)

    def enough(people: int) -> bool:
        return general_bound(replace(setting, people=people), reading) <= error

    return fewest_people(enough, setting.least_people)


def fewest_people(enough: Callable[[int], bool], least: int) -> int:
    """The smallest number from ``least`` on that is ``enough``, if every larger one is too."""
    low, high = least - 1, least
    while not enough(high):
        low, high = high, min(2 * high, MOST_PEOPLE)
        if low == high:
            raise ParameterError(f"no number of people up to {MOST_PEOPLE} is enough for that")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def dense_or_sparse(setting: Setting, share: float, reading: Reading = solved_theta) -> bool:
    """Condition (2): at this μ, sampling is off by θ no more easily than noise is.

    min D(μ ± θ‖μ) ≥ the right side. Holds where nearly everybody is in the same state, and at
    small ε, where noise outweighs everything.
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"a share must be between 0 and 1, got {share}")
    theta = reading(setting)
    nearest = min(divergence(share - theta, share), divergence(share + theta, share))
    return nearest >= noise_exponent(setting.epsilon, theta)


def dense_bound(setting: Setting, share: float, reading: Reading = solved_theta) -> float:
    """Theorem 5 as meant: |μ̂ - μ| < 2θ in all rounds with probability 1 - β, if (2) holds.

    The document prints μ̃ for μ, which would be Claim 1 again.
    """
    if not dense_or_sparse(setting, share, reading):
        raise ParameterError(
            f"condition (2) does not hold at a share of {share} and epsilon = {setting.epsilon}; "
            f"it does up to epsilon = {condition_edge(setting, share, reading):.4g}"
        )
    return 2 * reading(setting)


def condition_edge(setting: Setting, share: float, reading: Reading = solved_theta) -> float:
    """The ε up to which condition (2) holds at this μ, and from which it fails; maybe infinite.

    θ falls as ε grows, and the divergences with it. Under ``solved_theta`` the right side is L
    at every ε, so there is one edge; under ``printed_theta`` it falls as well, but slower.
    """

    def holds(epsilon: float) -> bool:
        return dense_or_sparse(replace(setting, epsilon=epsilon), share, reading)

    return epsilon_edge(holds)


def epsilon_edge(holds: Callable[[float], bool]) -> float:
    """The ε up to which something holds, if it holds at small ones; infinite if at all ε."""
    low, high = 0.0, _LARGEST_EPSILON
    if holds(high):
        return math.inf
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


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


def _excess(setting: Setting) -> float:
    """log(1/((N + 1)² β)): what remains of β after the number of types, squared."""
    if setting.beta * (setting.people + 1) ** 2 >= 1:
        raise ParameterError(
            f"Harmony's lower bound needs beta below 1/(people + 1)^2 = "
            f"{1 / (setting.people + 1) ** 2:.3g}, got {setting.beta}"
        )
    return -math.log(setting.beta) - 2 * math.log1p(setting.people)
