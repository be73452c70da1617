"""Plans for counting over time: of budget, people and error, any two give the third."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sudare.errors import ParameterError
from sudare.estimation.estimate import Floats
from sudare.formats.numbers import as_given, counted, whole
from sudare.mechanisms.domain import MOST_PEOPLE, Streams
from sudare.mechanisms.over_time.glance import Glance
from sudare.mechanisms.over_time.kshot import (
    ALLOWED,
    KShot,
    check_range,
    extreme_share,
    nearest_share,
)

GUESS = 0.5  # the error of saying ½ in every round, whatever happens, is never more
_LEVEL = 0.95
_MOST_EPSILON = 20.0  # e^20: there is hardly any noise left to take away
_PER_UNIT = 1000  # steps of a budget, where the smallest is searched
_SILENT = 0.05  # a chance of rounds without reports that a plan may come with
_SIZES = 41  # numbers of reports in a round that stand for all of them
_ERRORS = 400  # errors at which a law is looked at


@dataclass(frozen=True)
class StreamPlan:
    """A design for counting over time, and the errors that are predicted for it.

    Attributes:
        mechanism: Glance, or KShot where people had better report in several rounds: where the
            worst round is then predicted to be off by less at ``share``, and at no end of the
            range by 2 % more.
        epsilon: the budget of a whole stream that it was made for.
        people: how many take part.
        low: what the share in state 1 is expected to be at least.
        high: what the share in state 1 is expected to be at most.
        share: the one in that range nearest to ½, where errors are largest; what follows is
            predicted there.
        error: the expected error of the worst of all rounds.
        likely_error: what that error exceeds in one stream of twenty.
        round_stderr: the standard error of a single round.
        reports: how many reports a round is expected to have.
        silent: the chance that some round has none is at most this.
        error_anywhere: like ``error``, if the share goes to ½, whatever was expected.
    """

    mechanism: Glance | KShot
    epsilon: float
    people: int
    low: float
    high: float
    share: float
    error: float
    likely_error: float
    round_stderr: float
    reports: float
    silent: float
    error_anywhere: float

    @property
    def guess_error(self) -> float:
        """The largest error of saying the middle of the range in every round."""
        return (self.high - self.low) / 2


def best_stream(  # noqa: PLR0913 - what a planner may be told
    rounds: int,
    epsilon: float | None = None,
    people: int | None = None,
    *,
    error: float | None = None,
    low: float = 0.0,
    high: float = 1.0,
) -> StreamPlan:
    """The best design for counting in so many rounds: two of three are given, the third found.

    Args:
        rounds: how many there are.
        epsilon: the budget of the whole stream; the smallest that does, if not given.
        people: how many take part; the fewest that do, if not given.
        error: the expected error of the worst round that is wanted, if one of these isn't given.
        low: what the share in state 1 is expected to be at least.
        high: what it is expected to be at most. A plan for a narrower range is better there, and
            unbiased anywhere.
    """
    rounds = Streams(rounds).rounds
    check_range(low, high)
    if sum(given is not None for given in (epsilon, people, error)) != 2:
        raise ParameterError("a plan needs two of epsilon, people and error, and finds the third")
    if people is not None and not 1 <= (people := whole("people", people)) <= MOST_PEOPLE:
        raise ParameterError(f"a plan needs 1 to {MOST_PEOPLE:,} people, got {people}")
    if error is not None:
        check_error(error)
    if people is not None and epsilon is not None:
        plan = _design(rounds, epsilon, people, low, high)
        if plan.error >= GUESS or plan.reports < 1:
            raise _white_noise(plan)
        return plan
    if epsilon is not None:
        return _fewest_people(rounds, epsilon, error or 0, low, high)
    return _smallest_epsilon(rounds, people or 0, error or 0, low, high)


def check_error(error: float) -> float:
    """A wanted error as it is, if it is less than guessing gives."""
    if not 0 < error < GUESS:
        raise ParameterError(f"a wanted error must be above 0 and below {GUESS}, got {error}")
    return error


@lru_cache(maxsize=256)  # a search asks for the same ones again
def worst_error(mechanism: Glance | KShot, people: int, share: float) -> tuple[float, float]:
    """The mean error of a stream's worst round, and what it exceeds in one stream of twenty.

    The rounds are taken as independent. In each the number of reports is binomial; how many of
    them say 1 follows the binomial law of their chance, with the deviations scaled down by what
    sampling without replacement gains. Where few say 1, or all but a few, nothing is gained and
    the law is that of rare events, not the normal one. Where nearly everybody reports in every
    round and hardly anybody lies, the error is overstated.
    """
    sizes, weights = _round_sizes(mechanism, people)
    slope = mechanism.holder - mechanism.others
    said = mechanism.others + slope * share
    spread = np.sqrt(_variance(mechanism, people, share, sizes))
    # No error exceeds the limit, and next to none the second term.
    limit = max(said, 1 - said) / slope
    rounds = mechanism.rounds
    scale = np.sqrt(said * (1 - said) / sizes) / slope / spread
    one_report = 1 / (sizes * slope * scale)
    far = min(limit, (spread * (5 + math.sqrt(2 * math.log(rounds))) + 12 * one_report).max())
    # The law jumps where all reports are the same. Where they mostly are, nearly all of it does.
    alike = np.concatenate([said / (slope * scale), (1 - said) / (slope * scale)])
    edges = np.unique(np.r_[np.linspace(0, far, _ERRORS), alike[alike < far]])
    errors = (edges[1:] + edges[:-1]) / 2
    reach = errors[:, np.newaxis] * slope * sizes * scale
    middle = sizes * said
    within = _at_most(middle + reach, sizes, said) - _at_most(
        np.ceil(middle - reach) - 1, sizes, said
    )
    law = (within @ weights) ** rounds
    mean = float((1 - law) @ np.diff(edges))
    return mean, float(edges[np.searchsorted(law, _LEVEL)])


def _round_sizes(mechanism: Glance | KShot, people: int) -> tuple[Floats, Floats]:
    """Numbers of reports in a round, where there is any, and their chances: a grid of them."""
    chance = mechanism.reports_each / mechanism.rounds
    mean, deviation = people * chance, math.sqrt(people * chance * (1 - chance))
    first, last = max(1, mean - 6 * deviation - 2), min(people, mean + 6 * deviation + 6)
    sizes = np.unique(np.round(np.linspace(first, last, _SIZES)))
    edges = np.r_[sizes[0] - 0.5, (sizes[1:] + sizes[:-1]) / 2, sizes[-1] + 0.5]
    weights = np.diff(_at_most(edges, np.float64(people), chance))
    return sizes, np.asarray(weights / weights.sum(), np.float64)


def _variance(mechanism: Glance | KShot, people: int, share: float, sizes: Floats) -> Floats:
    """The variance of a round's estimate from so many reports, drawn without replacement."""
    slope = mechanism.holder - mechanism.others
    noise = mechanism.holder * mechanism.others / slope**2
    left = (people - sizes) / max(1, people - 1)
    return np.asarray((noise + share * (1 - share) * left) / sizes, np.float64)


def _at_most(count: Floats, sizes: Floats | np.float64, chance: float) -> Floats:
    """The binomial law up to a count."""
    from scipy.special import betainc

    whole_count = np.floor(count)
    inside = np.clip(whole_count, 0, sizes - 1)
    law = betainc(sizes - inside, inside + 1, 1 - chance)
    return np.where(whole_count < 0, 0.0, np.where(whole_count >= sizes, 1.0, law))


Designs = tuple[Glance, KShot]


def _designs(rounds: int, epsilon: float, low: float, high: float) -> Designs:
    """The designs that a plan chooses from."""
    shot = KShot.calibrate(rounds, epsilon, low=low, high=high)
    return Glance.calibrate(rounds, epsilon), shot


def _better(designs: Designs, people: int, low: float, high: float) -> Glance | KShot:
    """KShot, unless it is Glance or, with so few people, worse.

    Its variance is smaller, but where lies are rare it is the chance of any that counts, and a
    person who reports more often lies more often.
    """
    glance, shot = designs
    if shot.shots == 1:
        return glance
    for share, allowed in ((extreme_share(low, high), ALLOWED), (nearest_share(low, high), 1.0)):
        ours, theirs = (worst_error(each, people, share)[0] for each in (shot, glance))
        if ours > allowed * theirs:
            return glance
    return shot


def _design(rounds: int, epsilon: float, people: int, low: float, high: float) -> StreamPlan:
    """The design for this budget and this many people, whatever it is worth."""
    mechanism = _better(_designs(rounds, epsilon, low, high), people, low, high)
    share = nearest_share(low, high)
    error, likely = worst_error(mechanism, people, share)
    reports = people * mechanism.reports_each / rounds
    return StreamPlan(
        mechanism=mechanism,
        epsilon=epsilon,
        people=people,
        low=low,
        high=high,
        share=share,
        error=error,
        likely_error=likely,
        round_stderr=float(_variance(mechanism, people, share, np.array([reports]))[0] ** 0.5),
        reports=reports,
        silent=min(1.0, rounds * (1 - mechanism.reports_each / rounds) ** people),
        error_anywhere=error if share == 0.5 else worst_error(mechanism, people, 0.5)[0],
    )


def _fewest_people(
    rounds: int, epsilon: float, error: float, low: float, high: float
) -> StreamPlan:
    """The plan for the fewest people who reach an error, and seldom leave a round silent."""
    designs, share = _designs(rounds, epsilon, low, high), nearest_share(low, high)

    def enough(people: int) -> bool:
        mechanism = _better(designs, people, low, high)
        seldom = rounds * (1 - mechanism.reports_each / rounds) ** people <= _SILENT
        return seldom and worst_error(mechanism, people, share)[0] <= error

    people = _first(enough, MOST_PEOPLE)
    if people is None:
        raise ParameterError(
            f"at ε = {epsilon} an error of {error} in {counted(rounds, 'round')} takes more than "
            f"{MOST_PEOPLE:,} people"
        )
    return _design(rounds, epsilon, people, low, high)


def _smallest_epsilon(
    rounds: int, people: int, error: float, low: float, high: float
) -> StreamPlan:
    """The plan for the smallest budget, in thousandths, that reaches an error."""
    tried: list[StreamPlan] = []

    def enough(steps: int) -> bool:
        plan = _design(rounds, steps / _PER_UNIT, people, low, high)
        tried.append(plan)
        return plan.reports >= 1 and plan.error <= error

    # More budget is not always better: where it makes lies rare, people report only once.
    steps = _first(enough, round(_MOST_EPSILON * _PER_UNIT), slowly=4)
    if steps is None:
        best = min(tried, key=lambda plan: plan.error)
        needed = _fewest_people(rounds, best.epsilon, error, low, high)
        raise ParameterError(
            f"{counted(people, 'person', 'people')} in {counted(rounds, 'round')} can't reach an "
            f"error of {error}: even at "
            f"ε = {as_given(best.epsilon)} it is {best.error:.2g}, and "
            f"{counted(needed.people, 'person', 'people')} "
            f"are needed"
        )
    return _design(rounds, steps / _PER_UNIT, people, low, high)


def _first(enough: Callable[[int], bool], most: int, slowly: int = 1) -> int | None:
    """The number from 1 on that is enough where the one before it isn't, if there is any.

    The search doubles numbers, or adds a ``slowly``-th of them, until one is enough.
    """
    few, last = 0, 1
    while not enough(last):
        if last == most:
            return None
        few, last = last, min(last + max(1, last // slowly), most)
    while last - few > 1:
        middle = (few + last) // 2
        few, last = (few, middle) if enough(middle) else (middle, last)
    return last


def _white_noise(plan: StreamPlan) -> ParameterError:
    """Why a plan is worth nothing, and what it would take."""
    rounds, epsilon, low, high = plan.mechanism.rounds, plan.epsilon, plan.low, plan.high
    needed = f"{_fewest_people(rounds, epsilon, GUESS, low, high).people} people are needed"
    if plan.reports < 1:
        return ParameterError(
            f"{counted(plan.people, 'person', 'people')} in {counted(rounds, 'round')} leave "
            f"most rounds without a report; at "
            f"ε = {as_given(epsilon)} {needed}"
        )
    if _design(rounds, _MOST_EPSILON, plan.people, low, high).error < GUESS:
        least = _smallest_epsilon(rounds, plan.people, GUESS, low, high)
        needed += f", or ε = {as_given(least.epsilon)}"
    return ParameterError(
        f"at ε = {as_given(epsilon)} {counted(plan.people, 'person', 'people')} in "
        f"{counted(rounds, 'round')} give white noise: "
        f"the worst round is off by {plan.error:.2g}, and who always says ½ by at most {GUESS}; "
        f"{needed}"
    )
