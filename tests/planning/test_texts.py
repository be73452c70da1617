"""The planner's designs: the best there are, and what they promise."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import Collection, Seeded, decode
from sudare.chance.exact import dyadic
from sudare.errors import NoSuchPlan, ParameterError
from sudare.estimation.detection import rare_variance
from sudare.mechanisms.rappor import Rappor
from sudare.planning.plans import plan
from sudare.planning.texts import best_rappor


@given(epsilon=st.floats(0.1, 8), people=st.integers(10_000, 10**8), hashes=st.integers(1, 8))
def test_no_other_hashes_or_odds_do_better(epsilon: float, people: int, hashes: int) -> None:
    plan = best_rappor(epsilon, people, 1000)
    best = plan.mechanism
    assert best.epsilon <= epsilon
    assert best.hashes == 1
    assert best.p == pytest.approx(1 / (1 + math.exp(epsilon)))
    for q in (0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 0.97):
        # p of the same budget, divided among the hashes
        odds = q / (1 - q) / math.exp(epsilon / hashes)
        other = replace(best, hashes=hashes, p=dyadic(odds / (1 + odds)), q=dyadic(q))
        assert rare_variance(best, people) <= 1.06 * rare_variance(other, people)


def test_the_documents_setting_gets_64_cohorts() -> None:
    for epsilon in (1.10, 2.20, 4.39):
        mechanism = best_rappor(epsilon, 20_000, 200).mechanism
        assert (mechanism.hashes, mechanism.q, mechanism.cohorts) == (1, 0.5, 64)


def test_more_people_see_rarer_texts_and_many_candidates_cost() -> None:
    shares = [best_rappor(2.0, 10**j, 1000).smallest_detectable for j in range(3, 9)]
    assert shares == sorted(shares, reverse=True)
    assert shares[3] == pytest.approx(shares[5] * 10, rel=0.01)
    assert 10 * shares[2] < shares[0] < 13 * shares[2]  # counts of few are skewed
    few, many = best_rappor(2.0, 10**5, 10), best_rappor(2.0, 10**5, 10**6)
    assert few.smallest_detectable < many.smallest_detectable


@pytest.mark.parametrize(("epsilon", "people", "candidates"), [(1.0, 10**6, 1000), (4.0, 350, 50)])
def test_a_plan_of_a_text_has_this_design_and_share(
    epsilon: float, people: int, candidates: int
) -> None:
    """With an even chance to be found; the chance that plans have unless told needs more."""
    found = best_rappor(epsilon, people, candidates)
    wishes = {"candidates": candidates, "epsilon": epsilon, "people": people}
    even, usual = (plan("text", **wishes, power=power).recommended for power in (0.5, 0.8))
    assert even.design.mechanism == usual.design.mechanism == found.mechanism
    assert even.reached["smallest_share"] == pytest.approx(found.smallest_detectable)
    assert usual.reached["smallest_share"] > even.reached["smallest_share"]


def test_a_lifetime_budget_is_kept() -> None:
    mechanism = best_rappor(1.0, 10**5, 100, lifetime=3.0).mechanism
    assert isinstance(mechanism, Rappor)
    assert mechanism.epsilon <= 1.0
    assert mechanism.lifetime_epsilon <= 3.0


def test_narrow_filters_are_possible() -> None:
    assert best_rappor(4.0, 10**5, 100, most_bits=32).mechanism.bits <= 32
    assert best_rappor(4.0, 50, 100).mechanism.cohorts == 8


def test_white_noise_is_refused() -> None:
    with pytest.raises(ParameterError, match="10 people can't show even a text that everybody"):
        best_rappor(0.1, 10, 1000)
    with pytest.raises(NoSuchPlan, match=r"10 people at ε = 0\.1 give white noise"):
        plan("text", epsilon=0.1, people=10)


@pytest.mark.parametrize(("people", "cohorts"), [(150, 8), (350, 8), (20_000, 64)])
def test_a_text_that_everybody_answers_is_found(people: int, cohorts: int, seed: int) -> None:
    """With the predicted share far below, it is missed next to never."""
    plan = best_rappor(4.0, people, 1000)
    assert plan.mechanism.cohorts == cohorts
    survey = Collection(f"{seed}", "?", (), plan.mechanism)
    aggregate = survey.simulate({"everybody": people}, Seeded(seed))
    decoded = decode(survey, aggregate, ["everybody", *map(str, range(999))])
    assert decoded.findings.found[0] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1.0, 0, 5), "at least 1 person and 1 candidate, got 0 and 5"),
        ((1.0, 5, 0), "got 5 and 0"),
        ((0.0, 5, 5), "epsilon must be above 0"),
        ((1.0, 2.5, 5), "people must be a whole number"),
    ],
)
def test_impossible_plans_are_refused(arguments: tuple[float, int, int], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        best_rappor(*arguments)
    with pytest.raises(ParameterError, match="most_bits must be at least 16, got 8"):
        best_rappor(1.0, 10, 10, most_bits=8)
