"""Plans for counting over time: what they predict is what happens."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sudare import Glance, KShot, Seeded
from sudare.errors import NoSuchPlan, ParameterError
from sudare.planning.bounds.maximal import glance_maximum
from sudare.planning.plans import Plan, plan
from sudare.planning.streams import GUESS, worst_error
from sudare.planning.wish import MOST_EPSILON
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


def planned(rounds: int = ROUNDS, **wishes: Any) -> Plan:
    """A plan for streams, by any mechanism of theirs."""
    return plan("stream", rounds=rounds, **wishes)


def of_glance_or_kshot(made: Plan) -> Glance | KShot:
    """The better of the two that a plan has, of a single report or of several of each person."""
    best = next(row for row in made.rows if row.name in {"glance", "kshot"})
    assert isinstance(best.design.mechanism, Glance | KShot)
    return best.design.mechanism


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
    made = of_glance_or_kshot(planned(rounds, epsilon=epsilon, people=people))
    glance = Glance.calibrate(rounds, epsilon)
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
    few = planned(rounds, epsilon=epsilon, people=people)
    many = planned(rounds, epsilon=epsilon, people=10_000 * people)
    assert (of_glance_or_kshot(few), of_glance_or_kshot(many)) == (glance, shot)


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
    made = planned(epsilon=MOST_EPSILON, people=10_000, low=1.0, high=1.0)
    assert made.recommended.details["likely_error"] < made.error < 1e-6


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
    best = planned(epsilon=4.0, people=10_000).recommended
    assert best.design.mechanism == KShot.calibrate(50, 4.0)
    details = best.details
    assert (details["expected_share"], details["reports_per_round"]) == (0.5, 400)
    assert details["silent_round"] == pytest.approx(50 * 0.96**10_000)
    assert best.error == details["error_anywhere"]
    assert best.error == worst_error(KShot.calibrate(50, 4.0), 10_000, 0.5)[0]
    assert details["round_stderr"] < best.error < details["likely_error"]
    told = planned(epsilon=4.0, people=10_000, low=0.4, high=0.6).recommended
    assert told.design.mechanism == KShot.calibrate(50, 4.0, low=0.4, high=0.6)
    assert told.error < best.error
    rare = planned(epsilon=4.0, people=10_000, low=0.0, high=0.01).recommended
    assert rare.details["expected_share"] == 0.01
    assert rare.error < rare.details["error_anywhere"]
    less = planned(epsilon=1.0, people=10_000).recommended
    assert less.design.mechanism == Glance.calibrate(50, 1.0)


def test_a_rounds_standard_error_is_the_estimators(seed: int) -> None:
    best = planned(epsilon=4.0, people=10_000).recommended
    made = best.design.mechanism
    assert isinstance(made, KShot)
    truth = np.full((50, 2), 5_000)
    estimate = made.estimate(made.simulate(truth, Seeded(seed)))
    # The stated one leaves what sampling without replacement gains (2 of 50) as a reserve.
    stated = float(np.median(estimate.stderr))
    assert stated == pytest.approx(best.details["round_stderr"], rel=0.05)


@pytest.mark.parametrize("told", [(0.0, 1.0), (0.4, 0.6), (0.0, 0.01)])
@pytest.mark.parametrize("error", [0.02, 0.1])
def test_the_fewest_people_reach_the_error(error: float, told: tuple[float, float]) -> None:
    low, high = told
    made = planned(epsilon=4.0, error=error, low=low, high=high)
    assert made.error <= error
    assert made.recommended.details["silent_round"] <= 0.05
    fewer = planned(epsilon=4.0, people=int(0.98 * made.people), low=low, high=high)
    assert fewer.error > error or fewer.recommended.details["silent_round"] > 0.05


@pytest.mark.parametrize(
    ("people", "error", "told"), [(10_000, 0.1, (0.0, 1.0)), (20_000, 0.03, (0.4, 0.6))]
)
def test_the_smallest_budget_reaches_the_error(
    people: int, error: float, told: tuple[float, float]
) -> None:
    low, high = told
    made = planned(people=people, error=error, low=low, high=high)
    assert made.error <= error
    less = planned(epsilon=made.epsilon - 0.01, people=people, low=low, high=high)
    assert less.error > error


def test_more_of_either_is_better() -> None:
    numbers = (500, 2_000, 10**4, 10**6, 10**9)
    by_people = [planned(epsilon=4.0, people=people).error for people in numbers]
    assert by_people == sorted(by_people, reverse=True)
    assert by_people[-2] / by_people[-1] == pytest.approx(1000**0.5, rel=0.01)
    budgets = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
    by_budget = [planned(epsilon=epsilon, people=10_000).error for epsilon in budgets]
    assert by_budget == sorted(by_budget, reverse=True)


def test_one_round_is_an_ordinary_survey() -> None:
    best = planned(1, epsilon=1.0, people=100).recommended
    assert best.design.mechanism == Glance.calibrate(1, 1.0)
    assert (best.details["reports_per_round"], best.details["silent_round"]) == (100, 0)
    # The mean of |a normal| is √(2/π) standard deviations.
    deviation = best.details["round_stderr"]
    assert best.error == pytest.approx(math.sqrt(2 / math.pi) * deviation, rel=0.01)


def test_white_noise_is_refused_and_what_is_needed_is_enough() -> None:
    with pytest.raises(NoSuchPlan, match=r"says ½ in every round is off by no more") as refused:
        planned(epsilon=0.5, people=2_000)
    ways = refused.value.ways_out
    assert [set(way) for way in ways] == [{"people"}, {"epsilon"}]
    for way in ways:
        wishes: dict[str, Any] = {"epsilon": 0.5, "people": 2_000, **way}
        assert planned(**wishes).error < GUESS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"epsilon": 0.1, "people": 200},
            "200 people at ε = 0.1 for 50 rounds give white noise: .* is off by",
        ),
        (
            {"epsilon": 8.0, "people": 10},
            "10 people at ε = 8 for 50 rounds give white noise: .* more people",
        ),
        (
            {"people": 1000, "error": 0.05},
            r"1,000 people can't reach an error of 0\.05, even at ε = 20; what would do: .*people",
        ),
        ({"epsilon": 1e-6, "error": 0.01}, "takes more than 1,000,000,000,000 people"),
        ({"epsilon": 4.0}, "takes two of people, epsilon and an error .* got epsilon"),
        (
            {"epsilon": 4.0, "people": 10, "error": 0.1},
            "takes two of people, epsilon and an error .* got people, epsilon and error",
        ),
        ({"epsilon": 4.0, "people": 0}, "1 to 1,000,000,000,000 people, got 0"),
        ({"epsilon": 4.0, "people": 1.5}, "people must be a whole number"),
        ({"epsilon": 4.0, "error": 0.5}, r"error must be below 0\.5, got 0\.5"),
        ({"epsilon": 4.0, "error": 0.0}, "error must be above 0 and finite, got 0"),
        ({"epsilon": -1.0, "people": 10}, "epsilon must be above 0"),
        ({"epsilon": 4.0, "people": 10, "low": 0.7, "high": 0.6}, "lies in 0 to 1, got 0.7 to"),
        ({"rounds": 0, "epsilon": 4.0, "people": 10}, "rounds must be between 1 and"),
    ],
)
def test_impossible_plans_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        planned(**arguments)
