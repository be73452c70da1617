"""The same wish where somebody is trusted: noise by hand, and trust that never costs people."""

import math
from typing import Any

import pytest

from sudare.planning.models import TrustModel
from sudare.planning.plans import plan
from sudare.twoparty.noise.law import noise_law
from sudare.twoparty.noise.shipped_tables import shipped_documents

WISHES: list[tuple[str, dict[str, Any]]] = [
    ("choice", {"answers": 2}),
    ("choice", {"answers": 43}),
    ("choice", {"answers": 43, "visits": 5}),
    ("choice", {"answers": 5, "compare": 0.3}),
    ("several", {"answers": 10, "most": 3}),
    ("questions", {"sizes": (2, 3)}),
    ("number", {"least": 0, "largest": 10, "step": 1}),
    ("number", {"least": 0, "largest": 10, "step": 1, "found_out": "distribution"}),
]


def models(kind: str, **wishes: Any) -> tuple[TrustModel, TrustModel, TrustModel]:
    """The three models of a plan."""
    randomised, parties, curator = plan(kind, **wishes).models
    return randomised, parties, curator


def off_at_most(rate: float, level: float = 0.95) -> int:
    """How far discrete Laplace noise is from 0, in so many cases: 2 p^(m + 1) / (1 + p) beyond."""
    p = math.exp(-rate)
    return next(m for m in range(10**6) if 2 * p ** (m + 1) / (1 + p) <= 1 - level)


@pytest.mark.parametrize(("kind", "wishes"), WISHES)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_more_trust_never_takes_more_people(
    kind: str, wishes: dict[str, Any], epsilon: float
) -> None:
    error = 0.3 if kind == "number" and "found_out" not in wishes else 0.05
    found = models(kind, **wishes, epsilon=epsilon, error=error)
    people = [model.people for model in found]
    assert people == sorted(people, reverse=True)
    assert all(model.error <= error for model in found)
    given = models(kind, **wishes, epsilon=epsilon, people=people[0])
    errors = [model.error for model in given]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0])
def test_a_curator_adds_discrete_laplace_noise(epsilon: float) -> None:
    """One of two answers changes one count; one of more takes from one and adds to another."""
    for answers, changed in ((2, 1), (9, 2)):
        curator = models("choice", answers=answers, epsilon=epsilon, people=10**6)[2]
        assert curator.error == pytest.approx(off_at_most(epsilon / changed) / 10**6)
    selected = models("several", answers=9, most=2, epsilon=epsilon, people=10**6)[2]
    assert selected.error == pytest.approx(off_at_most(epsilon / 4) / 10**6)
    mean = models("number", least=0, largest=20, step=2, epsilon=epsilon, people=10**6)[2]
    assert mean.error == pytest.approx(2 * off_at_most(epsilon / 10) / 10**6)


def test_two_parties_have_the_noise_that_is_shipped() -> None:
    _, parties, _ = models("choice", answers=2, epsilon=1, people=1000)
    assert parties.exact
    least = math.inf
    for document in shipped_documents():
        own = document.guarantee
        if (own.epsilon, own.delta, own.sensitivity) == (1.0, 1e-6, 1):
            law = noise_law(document.scheme).chances
            sizes = (size for size in range(100) if within(law, size) >= 0.95)
            least = min(least, next(sizes))
    assert parties.error == pytest.approx(least / 1000)


def within(law: Any, size: int) -> float:
    """The chance that noise is no larger than a size."""
    return float(sum(chance for noise, chance in law.items() if abs(noise) <= size))


def test_noise_of_any_width_is_reckoned_at_once() -> None:
    """Of a wide range, asked often, its quantile is log(1 / 0.05) of its scale."""
    wishes = {"least": 0, "largest": 10**6, "step": 1, "visits": 10_000}
    curator = models("number", **wishes, epsilon=1, people=10**12)[2]
    assert curator.error == pytest.approx(math.log(20) * 10**6 * 10_000 / 10**12, rel=1e-3)
