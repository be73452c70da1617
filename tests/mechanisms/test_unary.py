"""Unary encodings: OUE and SUE."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import OUE, SUE, Mechanism
from sudare.errors import InvalidReport, ParameterError
from sudare.mechanisms.unary import Unary
from support.enumeration import aggregate_law, population
from support.laws import MechanismLaws

UNIT = 2.0**-53
WIDTHS = (2, 43, 64, 65, 128, 1024)


class TestOUE(MechanismLaws):
    instances: ClassVar = [OUE(2, 0.5, 0.25), OUE.calibrate(3, 1.0), OUE.calibrate(4, 2.0)]
    large: ClassVar = [OUE.calibrate(k, 1.0) for k in WIDTHS]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, OUE)
        return replace(mechanism, q=mechanism.q + 3 / 32)


class TestSUE(MechanismLaws):
    instances: ClassVar = [SUE(2, 0.75, 0.25), SUE.calibrate(3, 1.0), SUE.calibrate(4, 2.0)]
    large: ClassVar = [SUE.calibrate(k, 2.0) for k in WIDTHS]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, SUE)
        return replace(mechanism, p=mechanism.p - 3 / 32, q=mechanism.q + 3 / 32)


def test_warners_coin_on_both_bits_is_log_nine() -> None:
    assert SUE(2, 0.75, 0.25).worst_ratio == 9
    assert OUE(2, 0.5, 0.25).worst_ratio == 3


@given(k=st.integers(2, 10**5), epsilon=st.floats(0.01, 10))
def test_calibrate_spends_the_budget_and_no_more(k: int, epsilon: float) -> None:
    oue, sue = OUE.calibrate(k, epsilon), SUE.calibrate(k, epsilon)
    assert oue.epsilon <= epsilon
    assert replace(oue, q=oue.q - UNIT).epsilon > epsilon
    assert sue.epsilon <= epsilon
    assert replace(sue, p=sue.p + UNIT, q=sue.q - UNIT).epsilon > epsilon
    for mechanism in (oue, sue):  # a unit of q is worth this much ε, once or for p as well
        unit = 2 * UNIT / mechanism.q / (1 - mechanism.q)
        assert epsilon - mechanism.epsilon <= unit + 1e-14


@pytest.mark.parametrize(
    "mechanism", [OUE(2, 0.5, 0.25), SUE(3, 0.75, 0.25), OUE.calibrate(3, 0.5)], ids=repr
)
@pytest.mark.parametrize("held", [0, 1, 3])
def test_the_count_has_the_closed_forms_mean_and_variance(mechanism: Unary, held: int) -> None:
    p, q = Fraction(mechanism.p), Fraction(mechanism.q)
    truth = [held, 3 - held] + [0] * (mechanism.k - 2)
    law = aggregate_law(mechanism, population(mechanism, truth))
    mean = sum(counts[0] * chance for counts, chance in law.items())
    variance = sum((counts[0] - mean) ** 2 * chance for counts, chance in law.items())
    assert mean == held * p + (3 - held) * q
    assert variance == held * p * (1 - p) + (3 - held) * q * (1 - q)
    counts = np.array([float(mean)] * mechanism.k)
    estimate = mechanism.debiased(replace(mechanism.zero, n=3, counts=counts))
    assert estimate.values[0] == pytest.approx(held / 3, abs=1e-12)
    assert estimate.stderr[0] ** 2 == pytest.approx(float(variance / (3 * (p - q)) ** 2))


def test_oue_has_the_least_variance_for_an_absent_answer() -> None:
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        oue, sue = OUE.calibrate(10, epsilon), SUE.calibrate(10, epsilon)
        spread = [m.q * (1 - m.q) / (m.p - m.q) ** 2 for m in (oue, sue)]
        assert spread[0] < spread[1]
        assert spread[0] == pytest.approx(4 * math.exp(epsilon) / math.expm1(epsilon) ** 2)


@pytest.mark.parametrize(("k", "width"), [(2, 8), (64, 8), (65, 16), (1024, 128)])
def test_a_report_takes_whole_words(k: int, width: int) -> None:
    assert OUE.calibrate(k, 1.0).report_dtype.itemsize == width


@pytest.mark.parametrize("k", [2, 43, 63, 65, 127])
def test_a_bit_beyond_the_answers_is_refused_by_position(k: int) -> None:
    mechanism = OUE.calibrate(k, 1.0)
    reports = np.zeros(3, mechanism.report_dtype)
    reports["bits"][1, -1] = 1 << (k - 1) % 64
    mechanism.aggregate(reports)
    reports["bits"][2, -1] = 1 << k % 64
    with pytest.raises(InvalidReport, match=f"position 2 has a bit set beyond the {k} allowed"):
        mechanism.aggregate(reports)


@pytest.mark.parametrize("k", [64, 128])
def test_full_words_have_no_bit_to_refuse(k: int) -> None:
    reports = np.zeros(2, OUE.calibrate(k, 1.0).report_dtype)
    reports["bits"] = ~np.uint64(0)
    assert OUE.calibrate(k, 1.0).aggregate(reports).counts.tolist() == [2] * k


@pytest.mark.parametrize(
    ("p", "q"), [(0.5, 0.5), (0.25, 0.5), (0.5, 0.0), (1.0, 0.5), (0.5, 2.0**-54), (0.5, math.nan)]
)
def test_wrong_odds_are_refused_with_their_numbers(p: float, q: float) -> None:
    for family in (OUE, SUE):
        with pytest.raises(ParameterError, match=rf"^p and q must be .*p={p!r} and q={q!r}$"):
            family(4, p, q)


def test_each_family_keeps_to_its_odds() -> None:
    with pytest.raises(ParameterError, match=r"^OUE has p = 1/2, got 0.75$"):
        OUE(4, 0.75, 0.25)
    with pytest.raises(ParameterError, match=r"^SUE has p = 1 - q, got p=0.5 and q=0.25$"):
        SUE(4, 0.5, 0.25)


@pytest.mark.parametrize("family", [OUE, SUE])
@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_a_wrong_budget_is_refused_with_its_number(family: type[OUE | SUE], epsilon: float) -> None:
    with pytest.raises(ParameterError, match=f"^epsilon must be .* got {epsilon}$"):
        family.calibrate(4, epsilon)


@pytest.mark.parametrize("family", [OUE, SUE])
def test_a_wrong_k_is_refused_with_its_number(family: type[OUE | SUE]) -> None:
    with pytest.raises(ParameterError, match=r"got 1$"):
        family.calibrate(1, 1.0)


@pytest.mark.parametrize("family", [OUE, SUE])
@pytest.mark.parametrize("epsilon", [100.0, 1e4])
def test_a_huge_budget_buys_the_rarest_lie(family: type[OUE | SUE], epsilon: float) -> None:
    assert family.calibrate(4, epsilon).q == UNIT


@pytest.mark.parametrize("family", [OUE, SUE])
def test_a_budget_too_small_for_any_coin_is_refused(family: type[OUE | SUE]) -> None:
    with pytest.raises(ParameterError):
        family.calibrate(4, 1e-17)
