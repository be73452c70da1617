"""What every mechanism says of itself: the cost of many reports, and whether all paths are few."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sudare import GRR, OUE, Glance, KShot, Mechanism, Rappor
from sudare.errors import ParameterError
from sudare.mechanisms.domain import Groups, Streams


@pytest.mark.parametrize("mechanism", [GRR(3, 0.75), OUE(4, 0.5, 0.125)], ids=repr)
@pytest.mark.parametrize("reports", [2, 3, 7, 10**6])
def test_reports_with_fresh_noise_cost_each_as_much_as_one(
    mechanism: Mechanism, reports: int
) -> None:
    """Together never less than exactly so many times as much, and not a float more."""
    assert mechanism.epsilon_of(1) == mechanism.epsilon
    exact = reports * Fraction(mechanism.epsilon)
    stated = mechanism.epsilon_of(reports)
    assert exact <= Fraction(stated)
    assert stated - reports * mechanism.epsilon <= 2 * math.ulp(stated)
    assert mechanism.lifetime_epsilon == math.inf
    assert not mechanism.bounded_for_life


@pytest.mark.parametrize("reports", [0, -1])
def test_no_reports_have_no_cost(reports: int) -> None:
    with pytest.raises(ParameterError, match=f"must be at least 1, got {reports}"):
        GRR(3, 0.75).epsilon_of(reports)


@pytest.mark.parametrize(
    ("last", "beyond", "why"),
    [
        (GRR(8, 0.75), GRR(9, 0.75), "not at 9 answers (up to 8)"),
        (OUE(8, 0.5, 0.25), OUE(9, 0.5, 0.25), "not at 9 answers (up to 8)"),
        (Glance(4, 0.75), Glance(5, 0.75), "not at 5 rounds (up to 4)"),
        (Glance(4, 0.75), Glance(1024, 0.75), "not at 1,024 rounds (up to 4)"),
        (KShot(4, 3, 0, 0.75), KShot(4, 4, 0, 0.75), "not at 4 shots (up to 3)"),
        (
            Rappor(5, 0, 1, 0.0, 0.25, 0.5),
            Rappor(6, 0, 1, 0.0, 0.25, 0.5),
            "not at 12 coins per report (up to 10)",
        ),
        (
            Rappor(3, 0, 1, 0.5, 0.25, 0.75),
            Rappor(4, 0, 1, 0.5, 0.25, 0.75),
            "not at 12 coins per report (up to 10)",
        ),
    ],
    ids=repr,
)
def test_what_would_take_for_ever_is_not_enumerated(
    last: Mechanism, beyond: Mechanism, why: str
) -> None:
    assert last.not_enumerable is None
    assert beyond.not_enumerable == why


def test_free_text_is_not_enumerated() -> None:
    text = Rappor(2, 1, 2, 0.0, 0.25, 0.5).not_enumerable
    assert text == "not for free text, whose answers can't be listed"


def test_a_population_has_at_most_a_million_million_people() -> None:
    """Counted in whole numbers of any size: in 64 bits they could come round to few."""
    most = [10**12 - 1, 1]
    assert Streams(2).groups([[0, 1], [1, 1]], most).people.tolist() == most
    for more in ([10**12, 1], [2**63 - 1, 2**63 - 1]):
        with pytest.raises(ParameterError, match=r"at most 10\^12 people"):
            Streams(2).groups([[0, 1], [1, 1]], more)


def test_groups_have_a_row_each() -> None:
    with pytest.raises(ParameterError, match=r"a row of states each, got the shape \(2,\)"):
        Groups(np.array([0, 1], np.uint8), np.array([1, 1]))
    groups = Streams(3).groups([[0, 1, 1], [1, 1, 0]], [5, 7])
    assert groups.per_round.tolist() == [[5, 7], [0, 12], [7, 5]]


def test_a_mechanism_says_whether_its_noise_is_kept() -> None:
    """By it a device repeats its noise, and a person pays less for the same answer again."""
    assert Rappor(2, 0, 1, 0.5, 0.25, 0.75).memoised
    assert not any(one.memoised for one in (GRR(3, 0.75), OUE(4, 0.5, 0.125), Glance(4, 0.75)))
