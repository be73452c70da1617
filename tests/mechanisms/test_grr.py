"""Generalized randomized response."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, OUE, SUE, Mechanism, Scripted, Seeded
from sudare.errors import InvalidAnswer, InvalidReport, ParameterError
from support.enumeration import aggregate_law, population, random_values
from support.laws import MechanismLaws

UNIT = 2.0**-53


class TestGRR(MechanismLaws):
    instances: ClassVar = [GRR(2, 0.75), GRR(3, 0.5), GRR.calibrate(4, 2.0), GRR.calibrate(5, 1.0)]
    large: ClassVar = [GRR.calibrate(k, 1.0) for k in (2, 3, 5, 43, 257, 258, 1024, 70_000)]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, GRR)
        return replace(mechanism, keep=mechanism.keep + 3 / 32)


def test_a_long_batch_is_even_blocks_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = GRR.calibrate(43, 1.0)
    values = random_values(mechanism, 2501, Seeded(1))
    together, apart = Seeded(2), Seeded(2)
    blocks = [mechanism.randomize(part, apart) for part in np.split(values, [833, 1667])]
    monkeypatch.setattr("sudare.mechanisms.grr._BLOCK", 1000)
    reports = mechanism.randomize(values, together)
    assert reports.tobytes() == np.concatenate(blocks).tobytes()


def test_warners_coin_is_log_three() -> None:
    assert GRR(2, 0.75).worst_ratio == 3
    assert math.log(3) <= GRR(2, 0.75).epsilon <= math.nextafter(math.log(3), math.inf)
    assert GRR.calibrate(2, GRR(2, 0.75).epsilon) == GRR(2, 0.75)


@given(k=st.integers(2, 10**5), epsilon=st.floats(0.01, 10))
def test_calibrate_spends_the_budget_and_no_more(k: int, epsilon: float) -> None:
    mechanism = GRR.calibrate(k, epsilon)
    assert mechanism.epsilon <= epsilon
    assert replace(mechanism, keep=mechanism.keep + UNIT).epsilon > epsilon
    # One unit of keep is worth this much ε, so nothing more than that is left.
    assert epsilon - mechanism.epsilon <= 2 * UNIT / mechanism.keep / (1 - mechanism.keep) + 1e-14


@given(k=st.integers(2, 10**5), epsilons=st.tuples(st.floats(0.01, 10), st.floats(0.01, 10)))
def test_a_larger_budget_keeps_more(k: int, epsilons: tuple[float, float]) -> None:
    low, high = (GRR.calibrate(k, epsilon).keep for epsilon in sorted(epsilons))
    assert low <= high


@pytest.mark.parametrize(
    "mechanism", [GRR(2, 0.75), GRR(4, 0.625), GRR.calibrate(3, 0.5)], ids=repr
)
@pytest.mark.parametrize("held", [0, 1, 3])
def test_the_count_has_the_closed_forms_mean_and_variance(mechanism: GRR, held: int) -> None:
    keep, lie = Fraction(mechanism.keep), (1 - Fraction(mechanism.keep)) / (mechanism.k - 1)
    truth = [held, 3 - held] + [0] * (mechanism.k - 2)
    law = aggregate_law(mechanism, population(mechanism, truth))
    mean = sum(counts[0] * chance for counts, chance in law.items())
    variance = sum((counts[0] - mean) ** 2 * chance for counts, chance in law.items())
    assert mean == held * keep + (3 - held) * lie
    assert variance == held * keep * (1 - keep) + (3 - held) * lie * (1 - lie)
    aggregate = mechanism.zero
    estimate = mechanism.debiased(
        replace(aggregate, n=3, counts=np.array([float(mean)] * mechanism.k))
    )
    assert estimate.values[0] == pytest.approx(held / 3, abs=1e-12)
    assert estimate.stderr[0] ** 2 == pytest.approx(float(variance / (3 * (keep - lie)) ** 2))


def test_a_lie_is_never_the_truth() -> None:
    # keep = 1/2: the lane 0x8000 lies; the second word holds the lanes of the lies.
    for value, lane, report in ((0, 0, 1), (1, 0, 0), (1, 0x8000, 2), (2, 0xFFFF, 1)):
        rng = Scripted([0x8000, lane])
        assert GRR(3, 0.5).randomize([value], rng)["answer"].tolist() == [report]


@pytest.mark.parametrize(
    ("k", "width"), [(2, 1), (256, 1), (257, 2), (65536, 2), (65537, 4), (2**32, 4)]
)
def test_a_report_takes_the_fewest_bytes(k: int, width: int) -> None:
    assert GRR.calibrate(k, 1.0).report_dtype.itemsize == width


@pytest.mark.parametrize("k", [-1, 0, 1, 2**32 + 1])
def test_a_wrong_k_is_refused_with_its_number(k: int) -> None:
    sentence = rf"^k must be between 2 and 2\^32, got {k}$"
    with pytest.raises(ParameterError, match=sentence):
        GRR(k, 0.75)
    with pytest.raises(ParameterError, match=sentence):
        GRR.calibrate(k, 1.0)


@pytest.mark.parametrize(
    "keep", [0.0, 0.25, math.nextafter(0.25, 0), 1.0, 1.5, -0.5, math.nan, math.inf, 2.0**-54, 1]
)
def test_a_wrong_keep_is_refused_with_its_number(keep: float) -> None:
    with pytest.raises(ParameterError, match=rf"^keep must be .* got {keep!r}$"):
        GRR(4, keep)


def test_a_keep_that_no_coin_can_have_is_refused() -> None:
    finer = 0.25 + 2.0**-54  # a float, but no multiple of 2^-53
    with pytest.raises(ParameterError, match="multiple of 2"):
        GRR(5, finer)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, -math.inf])
def test_a_wrong_budget_is_refused_with_its_number(epsilon: float) -> None:
    with pytest.raises(ParameterError, match=f"^epsilon must be .* got {epsilon}$"):
        GRR.calibrate(4, epsilon)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-17])
def test_a_budget_too_small_for_any_coin_is_refused(epsilon: float) -> None:
    with pytest.raises(ParameterError):
        GRR.calibrate(4, epsilon)


@pytest.mark.parametrize("epsilon", [37.0, 700.0, 1e6])
def test_a_huge_budget_buys_the_most_honest_coin(epsilon: float) -> None:
    assert GRR.calibrate(2, epsilon).keep == 1 - UNIT


def test_a_report_outside_the_range_is_refused_by_its_position() -> None:
    reports = np.array([(0,), (4,), (7,)], GRR(5, 0.5).report_dtype)
    with pytest.raises(InvalidReport, match="position 2 says 7; answers are numbered 0 to 4"):
        GRR(5, 0.5).aggregate(reports)


def test_nobody_is_randomised_when_one_answer_is_wrong() -> None:
    rng = Scripted([])
    with pytest.raises(InvalidAnswer):
        GRR(3, 0.5).randomize([0, 1, 3], rng)
    assert rng.used == 0


@pytest.mark.parametrize("k", [2, 3, 5, 1024])
def test_simulate_works_for_the_faintest_coin(k: int) -> None:
    faintest = GRR(k, math.floor(2**53 / k + 1) * UNIT)
    total = faintest.simulate([10] * k, Seeded(1))
    assert total.counts.sum() == total.n == 10 * k


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("family", [GRR, OUE, SUE])
def test_a_narrow_budget_is_not_overspent(
    family: type[GRR | OUE | SUE], kind: Callable[[float], Any]
) -> None:
    for budget in (0.1, 1.0, 1.1, 3.3):
        assert family.calibrate(5, kind(budget)).epsilon <= float(kind(budget))


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("family", [GRR, OUE, SUE])
def test_the_number_of_answers_may_be_numpys(
    family: type[GRR | OUE | SUE], kind: Callable[[int], Any]
) -> None:
    mechanism = family.calibrate(kind(200), 1.0)
    assert mechanism == family.calibrate(200, 1.0)
    assert type(mechanism.k) is int
    assert mechanism.aggregate(mechanism.randomize(np.arange(200), Seeded(1))).n == 200
    with pytest.raises(ParameterError, match=r"k must be a whole number, got 5\.0"):
        family.calibrate(5.0, 1.0)  # type: ignore[arg-type]
