"""Plans against formulas derived by hand, of mechanisms made by hand."""

import math
from statistics import NormalDist
from typing import Any

import pytest

from sudare.planning.granting import Row
from sudare.planning.plans import plan

Z, MORE = NormalDist().inv_cdf(0.975), NormalDist().inv_cdf(0.8)
E = math.e


def chances(name: str, k: int, epsilon: float) -> tuple[float, float]:
    """How often an answer is supported by who gives it, and by who doesn't."""
    ratio = math.exp(epsilon)
    if name == "grr":
        return ratio / (ratio + k - 1), 1 / (ratio + k - 1)
    if name == "oue":
        return 1 / 2, 1 / (ratio + 1)
    size = max(1, round(k / (ratio + 1)))  # of a subset
    keep = size * ratio / (size * ratio + k - size)
    return keep, (keep * (size - 1) + (1 - keep) * size) / (k - 1)


def variance(name: str, k: int, epsilon: float, share: float) -> float:
    """Of the unbiased share of one report."""
    p, q = chances(name, k, epsilon)
    return (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2


def score(variance_at: float, slope: float, people: float) -> float:
    """Half of the interval of the shares f that are no further from a share than z √(V(f) / n)."""
    middle = Z**2 * slope / people
    return math.sqrt(middle**2 / 4 + Z**2 * variance_at / people)


def row(name: str, kind: str = "choice", **wishes: Any) -> Row:
    """A plan's row by its name."""
    found = plan(kind, most_bytes=10**6, **wishes)
    return next(row for row in found.rows if row.name == name)


@pytest.mark.parametrize("name", ["grr", "oue", "subset"])
@pytest.mark.parametrize(("k", "epsilon"), [(8, 1.0), (40, 2.5), (300, 0.5)])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.6])
def test_a_score_interval_of_a_share(name: str, k: int, epsilon: float, share: float) -> None:
    """The error of so many people; and the people of such an error, from whom one is too many."""
    at, slope = variance(name, k, epsilon, share), variance(name, k, epsilon, 1)
    slope -= variance(name, k, epsilon, 0)
    people = 40_000_000
    found = row(name, answers=k, people=people, epsilon=epsilon, share=share)
    assert found.error == pytest.approx(score(at, slope, people), rel=1e-6)
    needed = row(name, answers=k, error=0.02, epsilon=epsilon, share=share).people
    assert score(at, slope, needed * (1 + 1e-6)) <= 0.02 < score(at, slope, needed - 2)
    twice = row(name, answers=k, error=0.02, epsilon=epsilon, share=share, response_rate=0.5)
    assert twice.people == 2 * needed


@pytest.mark.parametrize("compare", [0.5, 0.1])
def test_a_difference_of_two_groups(compare: float) -> None:
    people, share, epsilon = 10**6, 0.3, 1.5
    found = row("grr", answers=4, people=people, epsilon=epsilon, share=share, compare=compare)
    both = 1 / (compare * people) + 1 / ((1 - compare) * people)
    same = variance("grr", 4, epsilon, share)
    assert found.error == pytest.approx(Z * math.sqrt(same * both), rel=1e-6)
    apart = found.reached["difference"]
    other = variance("grr", 4, epsilon, share + apart)
    few, many = compare * people, (1 - compare) * people
    stderr = math.sqrt(max(same / few + other / many, same / many + other / few))
    assert apart == pytest.approx((Z + MORE) * stderr, rel=1e-6)


def test_a_sample_of_a_population_adds_its_own_variance() -> None:
    found = row("oue", answers=9, people=10**5, epsilon=1, share=0.4, population=True)
    at = variance("oue", 9, 1, 0.4) + 0.4 * 0.6
    assert found.error == pytest.approx(Z * math.sqrt(at / 10**5), rel=1e-4)


@pytest.mark.parametrize("visits", [2, 7, 40])
def test_each_visit_has_its_part_of_the_budget(visits: int) -> None:
    once = row("grr", answers=3, people=10**7, epsilon=0.5)
    again = row("grr", answers=3, people=10**7, epsilon=0.5 * visits, visits=visits)
    assert again.design.each == pytest.approx(0.5, rel=1e-5)
    assert again.error == pytest.approx(once.error, rel=1e-4)


def test_one_question_of_each_person() -> None:
    """Of m questions each has an m-th of the people, and nobody knows of the others."""
    found = row("sample", "questions", sizes=(5, 5, 5), people=10**6, epsilon=1, share=0.2)
    best = min(variance(name, 5, 1, 0.2) for name in ("grr", "oue", "subset"))
    at = 3 * best + 2 * 0.2 * 0.8
    assert found.error == pytest.approx(Z * math.sqrt(at / 10**6), rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_a_mean_of_two_numbers_is_that_of_a_share(epsilon: float) -> None:
    """Who has one of two ends answers by a fair coin of ε; at worst people are divided evenly."""
    found = row("window", "number", least=10, largest=14, step=4, people=10**5, epsilon=epsilon)
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    stderr = 4 * math.sqrt(p * (1 - p)) / (2 * p - 1) / math.sqrt(10**5)
    assert found.error == pytest.approx(Z * stderr, rel=1e-6)


def test_the_worst_round_of_many_people() -> None:
    """The mean of the largest of |normal| errors, one in each round, by its own integral."""
    rounds, people, epsilon = 10, 10**7, 2.0
    keep = E**epsilon / (1 + E**epsilon)
    reports = people / rounds
    noise = keep * (1 - keep) / (2 * keep - 1) ** 2
    stderr = math.sqrt((noise + 0.25 * (1 - 1 / rounds)) / reports)
    steps = 4000
    normal = NormalDist()
    beyond = (1 - (2 * normal.cdf(8 * at / steps) - 1) ** rounds for at in range(steps))
    worst = stderr * 8 / steps * (math.fsum(beyond) - 0.5)
    found = row("glance", "stream", rounds=rounds, people=people, epsilon=epsilon)
    assert found.error == pytest.approx(worst, rel=1e-3)
