"""Plans for shares, against formulas written by hand and laws walked path by path."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sudare.mechanisms import CATEGORICAL
from sudare.mechanisms.interface import CategoricalMechanism, Records
from sudare.mechanisms.over_time.glance import Glance
from sudare.mechanisms.set_response import SetResponse
from sudare.planning.kinds.joint_total import chances_of
from sudare.planning.kinds.shares import most_frequent
from sudare.planning.plans import plan
from sudare.twoparty.noise.law import noise_law
from sudare.twoparty.noise.shipped_tables import shipped_documents

Z = 1.959963984540054
SEEN = Z + 0.8416212335729143  # with a chance of 80 %


def as_record(made: CategoricalMechanism, report: object) -> Records:
    """A report of a channel, as a mechanism reads it."""
    assert isinstance(report, bytes)
    return np.frombuffer(report, made.report_dtype)


@pytest.mark.parametrize("name", CATEGORICAL)
@pytest.mark.parametrize("share", [0.0, 0.2, 0.7])
def test_an_error_is_that_of_the_walked_law(name: str, share: float) -> None:
    """The variance of a report's weight, from every path of chance, and a score interval of it."""
    made = CATEGORICAL[name].calibrate(4, 1.5)
    channel = made.channel()
    inside, outside = (
        sum(
            float(chance) * float(made.weights(as_record(made, report), 0)[0]) ** 2
            for report, chance in channel.laws[value].items()
        )
        - mean
        for value, mean in ((0, 1), (1, 0))
    )
    people = 5000
    variance = share * inside + (1 - share) * outside
    bend = Z**2 * (inside - outside) / (2 * people)
    half = math.hypot(bend, Z * math.sqrt(variance / people))
    found = plan("choice", answers=4, epsilon=1.5, people=people, share=share)
    row = next(row for row in found.rows if row.name == name)
    assert row.error == pytest.approx(half, rel=1e-9)


def test_a_share_is_seen_where_its_interval_leaves_0_with_the_power() -> None:
    """The noise of nobody decides where the interval ends, that of the share how often."""
    found = plan("choice", answers=3, epsilon=1.0, people=20_000)
    p, q = (found.recommended.design.fits or (0, 0))[:2]
    share = found.recommended.reached["smallest_share"]
    nobody = math.sqrt(q * (1 - q) / 20_000) / (p - q)
    some = math.sqrt((share * p * (1 - p) + (1 - share) * q * (1 - q)) / 20_000) / (p - q)
    assert share == pytest.approx(Z * nobody + (SEEN - Z) * some, rel=1e-9)


def test_a_difference_is_seen_between_groups_of_any_size() -> None:
    found = plan("choice", answers=2, epsilon=1.0, people=40_000, compare=0.25, share=0.4)
    (p, q), apart = found.recommended.design.fits or (0, 0), found.recommended.reached["difference"]

    def variance(share: float, people: float) -> float:
        return (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2 / people

    either = [
        variance(0.4, few) + variance(0.4 + apart, many)
        for few, many in ((10_000, 30_000), (30_000, 10_000))
    ]
    assert apart == pytest.approx(SEEN * math.sqrt(max(either)), rel=1e-9)
    one = plan("choice", answers=2, epsilon=1.0, people=40_000, share=0.4)
    halves = Z * math.sqrt(variance(0.4, 10_000) + variance(0.4, 30_000))
    assert found.error == pytest.approx(halves, rel=1e-9)
    assert one.error < found.error


def test_several_answers_and_their_noise() -> None:
    made = SetResponse.calibrate(12, 3, 2.0)
    p, q = made.holder, made.others
    found = plan("several", answers=12, most=3, epsilon=2.0, people=30_000)
    half = Z * math.sqrt(q * (1 - q) / 30_000) / (p - q)
    assert found.error == pytest.approx(half, rel=1e-3)


def test_one_question_of_each_person_adds_that_the_others_were_not_asked() -> None:
    found = plan("questions", sizes=(3, 5), epsilon=1.0, people=30_000, share=0.3)
    rows = {row.name: row for row in found.rows}
    parts = rows["sample"].design.mechanism.parts  # type: ignore[union-attr]
    worst = max(
        2 * (0.3 * (p := part.holder) * (1 - p) + 0.7 * (q := part.others) * (1 - q)) / (p - q) ** 2
        + 0.3 * 0.7
        for part in parts
    )
    assert rows["sample"].error == pytest.approx(Z * math.sqrt(worst / 30_000), rel=1e-3)


def test_all_visits_together_cost_no_more_than_the_budget() -> None:
    for visits in (1, 2, 3, 7, 52):
        for changes in {0, 1 % visits, visits - 1}:
            found = plan(
                *("choice",), answers=5, people=10**7, epsilon=0.3 * visits, visits=visits,
                changes=changes, most_bytes=8,
            )  # fmt: skip
            for row in found.rows:
                assert Fraction(row.design.spends) <= Fraction(0.3 * visits)


def test_what_hides_even_the_most_frequent_answer_is_no_better_than_a_guess() -> None:
    assert most_frequent(2) == most_frequent(3) == 0.5
    assert most_frequent(4) == pytest.approx(12 / 25)
    exact = math.fsum(1 / number for number in range(1, 5001))
    assert most_frequent(5000) == pytest.approx(1 / exact, rel=1e-9)


def test_a_total_of_two_parties_is_off_as_its_exact_law_says() -> None:
    document = next(
        document
        for document in shipped_documents()
        if (document.guarantee.epsilon, document.guarantee.sensitivity) == (0.5, 1)
    )
    chances = noise_law(document.scheme).chances
    half = next(
        size
        for size in range(100)
        if sum(chance for noise, chance in chances.items() if abs(noise) <= size) >= 0.95
    )
    assert sum(chances_of(document)) == pytest.approx(1)
    found = plan("joint", epsilon=0.5, people=1000)
    assert found.error == pytest.approx(half / 1000)


def test_a_stream_of_one_round_is_a_survey() -> None:
    found = plan("stream", rounds=1, epsilon=1.0, people=100)
    assert found.recommended.design.mechanism == Glance.calibrate(1, 1.0)
    # The mean of |a normal| is √(2/π) standard deviations.
    spread = found.recommended.details["round_stderr"]
    assert found.error == pytest.approx(math.sqrt(2 / math.pi) * spread, rel=0.01)
