"""Plans for counting over time: what they predict is what happens."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sudare import Glance, KShot, Seeded
from sudare.errors import ParameterError
from sudare.planning.bounds.maximal import glance_maximum
from sudare.planning.streams import GUESS, best_stream, worst_error
from sudare.simulation.experiments import stream_errors

ROUNDS, PEOPLE = 50, 10_000
TOLD = {3.0: 0.75, 4.0: 0.63, 6.0: 0.46, 8.0: 0.37}
SHARES = [0, 0.0005, 0.005, 0.05, 0.2, 0.5, 0.8, 0.95, 0.995, 0.9995, 1]
DEVIATIONS = 6.5  # of a mean of many runs: a chance below 1e-9


def largest_errors(
    mechanism: Glance | KShot, people: int, share: float, runs: int, seed: int
) -> NDArray[np.float64]:
    """The error of the worst round, in each of so many simulated streams of people who stay."""
    held, rounds = round(people * share), mechanism.rounds
    truth = mechanism.domain.groups([[0] * rounds, [1] * rounds], [people - held, held])
    rng, largest = Seeded(seed), []
    for _ in range(runs):
        estimate = mechanism.estimate(mechanism.simulate(truth, rng))
        largest.append(np.abs(estimate.values - held / people).max())
    return np.array(largest)


def mean(sample: NDArray[np.float64]) -> tuple[float, float]:
    """With its standard error."""
    return float(sample.mean()), float(sample.std() / math.sqrt(sample.size))


@pytest.mark.parametrize("epsilon", TOLD)
def test_told_one_half_kshot_gains_what_it_promises(epsilon: float, seed: int) -> None:
    """Predicted to three digits; and simulated, where a bound a quarter lower must fail."""
    shot = KShot.calibrate(ROUNDS, epsilon, low=0.5, high=0.5)
    glance = Glance.calibrate(ROUNDS, epsilon)
    predicted = [worst_error(mechanism, PEOPLE, 0.5)[0] for mechanism in (shot, glance)]
    assert predicted[0] <= TOLD[epsilon] * predicted[1]
    ours, spread = mean(largest_errors(shot, PEOPLE, 0.5, 150, seed))
    theirs, its_spread = mean(largest_errors(glance, PEOPLE, 0.5, 2000, seed))
    bound, slack = TOLD[epsilon] * theirs, DEVIATIONS * math.hypot(spread, its_spread)
    assert ours <= bound + slack
    assert ours > 0.75 * bound + slack


@pytest.mark.parametrize("epsilon", range(1, 9))
def test_told_nothing_no_share_is_worse_than_under_glance(epsilon: float) -> None:
    shot, glance = KShot.calibrate(ROUNDS, epsilon), Glance.calibrate(ROUNDS, epsilon)
    for share in SHARES:
        ours, theirs = (worst_error(made, PEOPLE, share)[0] for made in (shot, glance))
        assert ours <= 1.02 * theirs


@pytest.mark.parametrize(
    ("rounds", "people", "epsilon"),
    [
        *((ROUNDS, PEOPLE, epsilon) for epsilon in (1, 2, 3, 3.21, 4, 6, 8, 9, 10, 11, 12)),
        (50, 1_000, 8.0),
        (5, 100, 3.21),
        (5, 100, 6.0),
    ],
)
def test_a_plan_told_nothing_is_never_worse_than_glance(
    rounds: int, people: int, epsilon: float, seed: int
) -> None:
    """By many simulations against Glance's exact mean; where lies are rare, KShot is Glance."""
    made, glance = best_stream(rounds, epsilon, people).mechanism, Glance.calibrate(rounds, epsilon)
    if made == glance:
        return
    for share in (0.0, 0.005):
        held = np.full(rounds, round(share * people))
        truth = np.column_stack([people - held, held])
        exact = glance_maximum(glance.keep, people, held).mean
        ours, spread = mean(stream_errors(made, truth, 400, Seeded(seed)).maximal)
        assert ours <= 1.02 * exact + DEVIATIONS * spread


@pytest.mark.parametrize(
    ("rounds", "people", "epsilon", "least"),
    [(50, 10_000, 11.0, 1.1), (50, 1_000, 8.0, 1.02), (5, 100, 6.0, 1.02)],
)
def test_where_lies_are_rare_one_round_is_better(
    rounds: int, people: int, epsilon: float, least: float, seed: int
) -> None:
    """Two rounds per person are worse there, by far more than chance; plans know."""
    shot, glance = KShot.calibrate(rounds, epsilon), Glance.calibrate(rounds, epsilon)
    assert shot.shots == 2
    truth = np.tile([people, 0], (rounds, 1))
    exact = glance_maximum(glance.keep, people, truth[:, 1]).mean
    ours, spread = mean(stream_errors(shot, truth, 6_000, Seeded(seed)).maximal)
    assert ours - DEVIATIONS * spread > least * exact
    assert best_stream(rounds, epsilon, people).mechanism == glance
    assert best_stream(rounds, epsilon, 10_000 * people).mechanism == shot


@pytest.mark.parametrize(("people", "share"), [(10_000, 0.0), (10_000, 1.0), (1_000, 0.0)])
@pytest.mark.parametrize("epsilon", [6.0, 8.0, 10.0, 12.0, 16.0])
def test_rare_errors_are_predicted(people: int, share: float, epsilon: float) -> None:
    glance = Glance.calibrate(50, epsilon)
    exact = glance_maximum(glance.keep, people, np.full(50, round(share * people)))
    predicted, likely = worst_error(glance, people, share)
    assert predicted == pytest.approx(exact.mean, rel=0.03)
    assert exact.cdf(likely * 1.02) >= 0.95
    assert exact.cdf(likely * 0.96) < 0.95


def test_without_noise_and_chance_there_is_no_error() -> None:
    plan = best_stream(50, 30.0, 10_000, low=1.0, high=1.0)
    assert plan.likely_error < plan.error < 1e-10


@pytest.mark.parametrize("epsilon", [3.25, 4.0, 6.0, 8.0])
@pytest.mark.parametrize("share", [0, 0.0005, 0.05, 0.5, 0.995])
def test_told_nothing_no_simulation_is_worse_either(
    epsilon: float, share: float, seed: int
) -> None:
    """Fails by chance below 1e-9; a claim of 6/10 of Glance's error must fail."""
    ours, spread = mean(largest_errors(KShot.calibrate(ROUNDS, epsilon), PEOPLE, share, 100, seed))
    glance = largest_errors(Glance.calibrate(ROUNDS, epsilon), PEOPLE, share, 500, seed)
    theirs, its_spread = mean(glance)
    slack = DEVIATIONS * math.hypot(spread, its_spread)
    assert ours <= 1.02 * theirs + slack
    assert ours + slack > 0.6 * theirs


@pytest.mark.parametrize(
    ("mechanism", "people", "share", "exact"),
    [
        (Glance.calibrate(50, 1.0), 10_000, 0.5, 0.01),
        (Glance.calibrate(50, 8.0), 10_000, 0.0, 0.01),  # 3 lies in all: rare events
        (Glance.calibrate(50, 8.0), 10_000, 1.0, 0.01),
        (Glance.calibrate(50, 6.0), 10_000, 0.005, 0.02),
        (Glance.calibrate(10, 2.0), 1_000, 0.2, 0.02),
        (Glance.calibrate(300, 4.0), 6_000, 0.3, 0.02),  # 20 reports per round
        (KShot.calibrate(50, 4.0), 10_000, 0.2, 0.01),
        (KShot.calibrate(50, 8.0), 10_000, 0.0, 0.06),  # lies come in pairs: rounds hang together
        (KShot.calibrate(20, 6.0, low=0.5, high=0.5), 1_000, 0.5, 0.02),
    ],
    ids=str,
)
def test_the_predicted_error_is_what_happens(
    mechanism: Glance | KShot, people: int, share: float, exact: float, seed: int
) -> None:
    sample = largest_errors(mechanism, people, share, 300, seed)
    measured, spread = mean(sample)
    predicted, likely = worst_error(mechanism, people, share)
    assert abs(measured - predicted) <= exact * predicted + DEVIATIONS * spread
    assert abs(measured - 1.3 * predicted) > exact * predicted + DEVIATIONS * spread
    # One stream of twenty, or fewer where errors are few different numbers; at most 3 of 20.
    assert (sample > likely * (1 + exact)).mean() < 0.15
    assert likely > predicted


def test_a_plan_says_what_it_is_for() -> None:
    plan = best_stream(50, 4.0, 10_000)
    assert plan.mechanism == KShot.calibrate(50, 4.0)
    assert (plan.share, plan.reports) == (0.5, 400)
    assert plan.silent == pytest.approx(50 * 0.96**10_000)
    assert plan.error == plan.error_anywhere == worst_error(plan.mechanism, 10_000, 0.5)[0]
    assert plan.round_stderr < plan.error < plan.likely_error
    told = best_stream(50, 4.0, 10_000, low=0.4, high=0.6)
    assert told.mechanism == KShot.calibrate(50, 4.0, low=0.4, high=0.6)
    assert told.error < plan.error
    assert told.guess_error == pytest.approx(0.1)
    rare = best_stream(50, 4.0, 10_000, low=0.0, high=0.01)
    assert rare.share == 0.01
    assert rare.error < rare.error_anywhere
    assert best_stream(50, 1.0, 10_000).mechanism == Glance.calibrate(50, 1.0)


def test_a_rounds_standard_error_is_the_estimators(seed: int) -> None:
    plan = best_stream(50, 4.0, 10_000)
    truth = np.full((50, 2), 5_000)
    estimate = plan.mechanism.estimate(plan.mechanism.simulate(truth, Seeded(seed)))
    # The stated one leaves what sampling without replacement gains (2 of 50) as a reserve.
    assert float(np.median(estimate.stderr)) == pytest.approx(plan.round_stderr, rel=0.05)


@pytest.mark.parametrize("told", [(0.0, 1.0), (0.4, 0.6), (0.0, 0.01)])
@pytest.mark.parametrize("error", [0.02, 0.1])
def test_the_fewest_people_reach_the_error(error: float, told: tuple[float, float]) -> None:
    low, high = told
    plan = best_stream(50, 4.0, error=error, low=low, high=high)
    assert plan.error <= error
    assert plan.silent <= 0.05
    fewer = best_stream(50, 4.0, int(0.98 * plan.people), low=low, high=high)
    assert fewer.error > error or fewer.silent > 0.05


@pytest.mark.parametrize(
    ("people", "error", "told"), [(10_000, 0.1, (0.0, 1.0)), (20_000, 0.03, (0.4, 0.6))]
)
def test_the_smallest_budget_reaches_the_error(
    people: int, error: float, told: tuple[float, float]
) -> None:
    low, high = told
    plan = best_stream(50, None, people, error=error, low=low, high=high)
    assert plan.error <= error
    less = best_stream(50, plan.epsilon - 0.01, people, low=low, high=high)
    assert less.error > error


def test_more_of_either_is_better() -> None:
    by_people = [best_stream(50, 4.0, people).error for people in (500, 2_000, 10**4, 10**6, 10**9)]
    assert by_people == sorted(by_people, reverse=True)
    assert by_people[-2] / by_people[-1] == pytest.approx(1000**0.5, rel=0.01)
    by_budget = [best_stream(50, epsilon, 10_000).error for epsilon in (1, 2, 3, 4, 6, 8)]
    assert by_budget == sorted(by_budget, reverse=True)


def test_one_round_is_an_ordinary_survey() -> None:
    plan = best_stream(1, 1.0, 100)
    assert plan.mechanism == Glance.calibrate(1, 1.0)
    assert (plan.reports, plan.silent) == (100, 0)
    # The mean of |a normal| is √(2/π) standard deviations.
    assert plan.error == pytest.approx(math.sqrt(2 / math.pi) * plan.round_stderr, rel=0.01)


def test_white_noise_is_refused_and_what_is_needed_is_enough() -> None:
    with pytest.raises(ParameterError, match=r"who always says ½ by at most 0\.5") as refused:
        best_stream(50, 0.5, 2_000)
    words = str(refused.value).replace(",", "").split()
    people = int(words[words.index("needed") - 3])
    epsilon = float(words[-1])
    assert best_stream(50, 0.5, people).error <= GUESS
    assert best_stream(50, epsilon, 2_000).error <= GUESS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"epsilon": 0.1, "people": 200}, "white noise: the worst round is off by .* are needed"),
        ({"epsilon": 8.0, "people": 10}, "10 people in 50 rounds leave most rounds without"),
        (
            {"people": 1000, "error": 0.05},
            r"even at ε = [67]\.\d+ it is 0\.2, and .* people are needed",
        ),
        ({"epsilon": 1e-6, "error": 0.01}, "takes more than 1,000,000,000,000 people"),
        ({"epsilon": 4.0}, "two of epsilon, people and error"),
        ({"epsilon": 4.0, "people": 10, "error": 0.1}, "two of epsilon, people and error"),
        ({"epsilon": 4.0, "people": 0}, "1 to 1,000,000,000,000 people, got 0"),
        ({"epsilon": 4.0, "people": 1.5}, "people must be a whole number"),
        ({"epsilon": 4.0, "error": 0.5}, "above 0 and below 0.5, got 0.5"),
        ({"epsilon": 4.0, "error": 0.0}, "above 0 and below 0.5, got 0"),
        ({"epsilon": -1.0, "people": 10}, "epsilon must be above 0"),
        ({"epsilon": 4.0, "people": 10, "low": 0.7, "high": 0.6}, "lies in 0 to 1, got 0.7 to"),
        ({"rounds": 0, "epsilon": 4.0, "people": 10}, "rounds must be between 1 and"),
    ],
)
def test_impossible_plans_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        best_stream(**{"rounds": 50, **arguments})
