"""The exact law of the maximal error: against enumeration, and against simulation."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from sudare import Borappor, Glance, Harmony, KShot, Seeded
from sudare.errors import ParameterError
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.over_time.continual import RepeatedResponse
from sudare.planning.bounds.maximal import (
    MaximalError,
    borappor_maximum,
    glance_maximum,
    harmony_maximum,
    maximum_of,
)
from support.chance import ALPHA, two_sided
from support.enumeration import placed_law
from support.scripts import paper_module

Law = Callable[[float, int, Any], MaximalError]
LAWS: list[tuple[type[RepeatedResponse], Law]] = [
    (Glance, glance_maximum),
    (Harmony, harmony_maximum),
    (Borappor, borappor_maximum),
]
EXACT = 1e-12


def enumerated(cls: type[RepeatedResponse], held: list[list[int]]) -> dict[float, float]:
    """The maximal error of every aggregate, with its exact chance."""
    mechanism, truth = cls(len(held), 0.75), np.array([row[1] / sum(row) for row in held])
    law: dict[float, float] = {}
    for flat, chance in placed_law(mechanism, held).items():
        counts = np.array(flat).reshape(-1, 2)
        estimate = mechanism.estimate(Aggregate(mechanism.key, int(counts.sum()), counts))
        error = float(np.abs(estimate.values - truth[estimate.rounds - 1]).max())
        law[error] = law.get(error, 0.0) + float(chance)
    return law


def agree(exact: MaximalError, law: dict[float, float]) -> None:
    errors, chances = np.array(sorted(law.items())).T
    for error in [0.0, *errors, *(errors + 1e-4), *(errors - 1e-4), 10.0]:
        below = chances[errors <= error + 1e-10].sum()
        assert exact.cdf(error) == pytest.approx(below, abs=EXACT)
    assert exact.cdf(-1e-9) == 0
    assert exact.cdf(exact.largest) == pytest.approx(1, abs=EXACT)
    assert exact.mean == pytest.approx(chances @ errors, abs=exact.largest / 8000)
    for level in (0.05, 0.5, 0.83, 0.999):
        quantile = errors[np.searchsorted(np.cumsum(chances), level - 1e-12)]
        assert exact.quantile(level) == pytest.approx(quantile, abs=1e-7)


@pytest.mark.parametrize(
    "held",
    [
        [[1, 0], [0, 1]],  # one round has nobody: it does not count
        [[1, 1], [0, 2]],
        [[2, 1], [1, 2]],
        [[3, 0]],
        [[1, 1], [1, 1], [0, 2]],
    ],
)
@pytest.mark.parametrize(("cls", "law"), LAWS)
def test_small_cases_are_as_enumerated(
    cls: type[RepeatedResponse], law: Law, held: list[list[int]]
) -> None:
    agree(law(0.75, sum(held[0]), [row[1] for row in held]), enumerated(cls, held))


def one_round(people: int, ones: int, reporters: int, keep: Fraction) -> dict[float, float]:
    """The error of a round of so many reporters, from sums of fractions."""
    law: dict[float, float] = {}
    for held, kept, lied in product(range(reporters + 1), repeat=3):
        if kept <= held and lied <= reporters - held <= people - ones:
            chance = Fraction(
                comb(ones, held) * comb(people - ones, reporters - held), comb(people, reporters)
            )
            chance *= comb(held, kept) * keep**kept * (1 - keep) ** (held - kept)
            chance *= comb(reporters - held, lied) * (1 - keep) ** lied
            chance *= keep ** (reporters - held - lied)
            estimate = (Fraction(kept + lied, reporters) - (1 - keep)) / (2 * keep - 1)
            error = float(abs(estimate - Fraction(ones, people)))
            law[error] = law.get(error, 0.0) + float(chance)
    return law


def test_groups_of_fixed_size_are_as_enumerated() -> None:
    """Five people in two rounds: three report in the first, two in the second."""
    law: dict[float, float] = {}
    first, second = (one_round(5, ones, m, Fraction(3, 4)) for ones, m in ((4, 3), (2, 2)))
    for (a, p), (b, q) in product(first.items(), second.items()):
        law[max(a, b)] = law.get(max(a, b), 0.0) + p * q
    assert sum(law.values()) == pytest.approx(1)
    groups_maximum = paper_module("continual-counting", "fixed_groups").groups_maximum
    agree(groups_maximum(0.75, 5, [4, 2]), law)


def test_each_mechanism_has_its_law_and_one_shot_is_glance() -> None:
    people, ones, errors = 60, [30, 12, 55], np.linspace(0, 2, 9)
    for cls, law in LAWS:
        mechanism = cls.calibrate(3, 2.0)
        found, wanted = maximum_of(mechanism, people, ones), law(mechanism.keep, people, ones)
        assert (found.cdf(errors) == wanted.cdf(errors)).all()
    one, keep = KShot.calibrate(3, 2.0, shots=1), Glance.calibrate(3, 2.0).keep
    glance = glance_maximum(keep, people, ones).cdf(errors)
    assert maximum_of(one, people, ones).cdf(errors) == pytest.approx(glance, abs=EXACT)
    with pytest.raises(ParameterError, match="kshot has no exact law here, only its bound"):
        maximum_of(KShot.calibrate(3, 2.0, shots=2), people, ones)


def test_two_rounds_of_more_people_are_a_plain_sum() -> None:
    """N = 24: m report in the first round and N - m in the second."""
    people, ones, keep, error = 24, [18, 5], Fraction(3, 4), 0.21
    expected = 0.0
    for m in range(people + 1):
        inside = [
            sum(p for off, p in one_round(people, held, each, keep).items() if off <= error)
            if each
            else 1.0
            for held, each in zip(ones, (m, people - m), strict=True)
        ]
        expected += comb(people, m) / 2**people * inside[0] * inside[1]
    assert glance_maximum(0.75, people, ones).cdf(error) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("share", [0.5, 0.9995])
@pytest.mark.parametrize(("cls", "law"), LAWS)
def test_simulations_follow_the_law(
    cls: type[RepeatedResponse], law: Law, share: float, seed: int
) -> None:
    """T = 50, N = 10⁴, as in figure 3; a law whose ε is slightly off must be rejected."""
    rounds, people, repetitions = 50, 10_000, 4000
    mechanism, rng, held = cls.calibrate(rounds, 3.0), Seeded(seed), round(share * people)
    truth, ones = np.tile([people - held, held], (rounds, 1)), np.full(rounds, held)
    errors = np.empty(repetitions)
    for index in range(repetitions):
        counts = mechanism.simulate(truth, rng).counts
        estimates = counts[:, 1] / counts.sum(axis=1) - mechanism.others
        slope = mechanism.holder - mechanism.others
        errors[index] = np.abs(estimates / slope - held / people).max()
    exact = law(mechanism.keep, people, ones)
    levels = [exact.quantile(level) + 1e-6 for level in (0.1, 0.5, 0.9)]

    def suspicion(law: MaximalError) -> float:
        within = [int((errors <= x).sum()) for x in levels]
        each = zip(within, law.cdf(levels).tolist(), strict=True)
        return len(levels) * min(two_sided(count, repetitions, p) for count, p in each)

    assert suspicion(exact) > ALPHA
    sampling = cls is Harmony or (cls is Glance and share == 0.5)  # then ε matters less
    wrong = cls.calibrate(rounds, 3.6 if sampling else 3.12)
    assert suspicion(law(wrong.keep, people, ones)) < ALPHA
    assert abs(errors.mean() - exact.mean) < 6.2 * errors.std() / np.sqrt(repetitions)


def test_rounds_may_differ_and_their_order_does_not_matter() -> None:
    ones = [10, 500, 990, 500]
    one, other = (glance_maximum(0.9, 1000, each) for each in (ones, ones[::-1]))
    errors = np.linspace(0, 0.3, 7)
    assert one.cdf(errors) == pytest.approx(other.cdf(errors), abs=EXACT)
    assert (np.diff(one.cdf(errors)) >= 0).all()
    assert one.cdf(0.1) < glance_maximum(0.9, 1000, [10, 10, 990, 10]).cdf(0.1)


def test_nothing_is_lost_in_a_large_table() -> None:
    """100,000 people in 50 rounds: chances sum to one, and the states are symmetric."""
    one, other = (glance_maximum(0.98, 10**5, np.full(50, k)) for k in (20_000, 80_000))
    assert one.cdf(1.0) == pytest.approx(1, abs=1e-10)
    assert one.cdf([0.02, 0.03, 0.04]) == pytest.approx(other.cdf([0.02, 0.03, 0.04]), abs=1e-10)


@pytest.mark.parametrize(
    ("law", "rounds", "people"),
    [(harmony_maximum, 1440, 200_000), (borappor_maximum, 50, 10**9), (glance_maximum, 50, 1000)],
)
def test_the_mean_is_a_fine_sum_over_the_errors_that_happen(
    law: Law, rounds: int, people: int
) -> None:
    """Rounding takes some 1e-11 of a large law, and must not stretch the sum to all errors."""
    exact = law(0.98, people, np.full(rounds, people))
    last = exact.quantile(1 - 2e-9)
    steps = 1024
    middles = last * (np.arange(steps) + 0.5) / steps
    fine = last * float((1 - exact.cdf(middles)).mean())
    assert exact.mean == pytest.approx(fine, abs=last / steps / 2)
    assert exact.quantile(0.05) < exact.mean < exact.quantile(0.95)


def test_the_mean_of_rare_errors() -> None:
    """1000 people of whom one lies with chance q: 1/m where they do, and q/(p - q) where not."""
    q = 1e-7
    mean = glance_maximum(1 - q, 1000, np.zeros(50, np.int64)).mean
    sizes = np.arange(1000)  # others who report in the same round
    alone = 1000 * q * (binom.pmf(sizes, 999, 1 / 50) / (1 + sizes)).sum()
    assert mean == pytest.approx(q + alone, rel=0.01)


@pytest.mark.parametrize("law", [law for _, law in LAWS])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 10, [5]), r"keep must be above 1/2 and below 1, got 0\.5"),
        ((0.75, 0, [0]), "people must be between 1 and"),
        ((0.75, 10, [11]), "a whole number from 0 to 10 for each round"),
        ((0.75, 10, [-1]), "a whole number from 0 to 10 for each round"),
        ((0.75, 10, [0.5]), "a whole number from 0 to 10 for each round"),
        ((0.75, 10, []), "a whole number from 0 to 10 for each round"),
    ],
)
def test_what_is_no_population_is_refused(
    law: Law, arguments: tuple[float, int, list[int]], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        law(*arguments)


def test_a_table_too_large_is_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"needs a table of [0-9]+ chances, more than 33554432"
    ):
        glance_maximum(0.75, 10**8, np.full(10, 5 * 10**7))


def test_a_level_is_a_chance() -> None:
    for level in (0.0, 1e-10, 1 - 1e-12, 1.0):
        with pytest.raises(ParameterError, match=r"is right to 1e-09, so a level"):
            glance_maximum(0.75, 2, [1]).quantile(level)
