"""RAPPOR's privacy over one report, k reports and all of them: formulas against the code.

The experiments run the device's own steps (``assign`` and ``permanent`` once, ``instant`` for
each report) down every path of chance, for every filter that a text can set.
"""

import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sudare import Channel, Randomness, Rappor, exact_law
from sudare.chance.channel import Law
from sudare.chance.exact import log_up
from sudare.errors import ParameterError
from support.enumeration import channel, values

DOCUMENT = Rappor(128, 2, 64, 0.5, 0.5, 0.75)  # the parameters that are usually quoted
coins = st.integers(1, 63).map(lambda sixty_fourths: sixty_fourths / 64)


def memoised(mechanism: Rappor, reports: int) -> Channel:
    """The law of all reports of one device, which draws its permanent bits once."""

    def law(value: Any) -> Law:
        checked = mechanism.domain.check([value])

        def life(rng: Randomness) -> Hashable:
            assigned = mechanism.assign(1, rng)
            kept = mechanism.permanent(checked, assigned, rng)
            sent = [mechanism.instant(kept, assigned, rng) for _ in range(reports)]
            return b"".join(report.tobytes() for report in sent)

        return exact_law(life)

    return Channel({value: law(value) for value in values(mechanism)})


def kept(mechanism: Rappor) -> Channel:
    """The law of what a device keeps: its cohort and its permanent bits."""

    def law(value: Any) -> Law:
        checked = mechanism.domain.check([value])

        def life(rng: Randomness) -> Hashable:
            assigned = mechanism.assign(1, rng)
            return assigned.tobytes() + mechanism.permanent(checked, assigned, rng).tobytes()

        return exact_law(life)

    return Channel({value: law(value) for value in values(mechanism)})


# One report


@pytest.mark.parametrize("hashes", [0, 1, 2, 3])
def test_one_report_in_full_form_costs_what_is_declared(hashes: int) -> None:
    """All three coins of four bits; with 3 hashes two texts can't differ in all their bits."""
    mechanism = Rappor(4, hashes, 1, 0.5, 0.25, 0.75)
    found = channel(mechanism)
    assert len(found.laws) == 4  # four filters, whatever the number of (consecutive) hashes
    assert all(len(law) == 16 for law in found.laws.values())
    said = Fraction(5, 8) * Fraction(5, 8) / (Fraction(3, 8) * Fraction(3, 8))
    assert found.worst_ratio == mechanism.worst_ratio == said ** (1 if hashes != 2 else 2)
    assert Rappor(4, hashes, 1, 0.5, 0.25, 0.875).worst_ratio != found.worst_ratio


def test_the_quoted_parameters_cost_what_is_quoted() -> None:
    assert DOCUMENT.worst_ratio == Fraction(11 * 7, 9 * 5) ** 2
    assert DOCUMENT.epsilon == pytest.approx(1.0743, abs=5e-5)
    assert DOCUMENT.lifetime_ratio == 3**4
    assert DOCUMENT.lifetime_epsilon == pytest.approx(4 * math.log(3), rel=1e-15)
    assert Fraction(DOCUMENT.lifetime_epsilon) >= Fraction(log_up(Fraction(81)))


# Many reports of one permanent randomisation


@pytest.mark.parametrize(("hashes", "reports"), [(0, 1), (0, 2), (1, 1), (1, 2), (1, 3)])
def test_many_reports_cost_what_is_declared(hashes: int, reports: int) -> None:
    mechanism = Rappor(2, hashes, 1, 0.5, 0.25, 0.875)
    assert memoised(mechanism, reports).worst_ratio == mechanism.ratio_of(reports)
    assert mechanism.ratio_of(reports) != Rappor(2, hashes, 1, 0.5, 0.25, 0.75).ratio_of(reports)


@pytest.mark.parametrize(("hashes", "p", "q"), [(1, 0.25, 1.0), (2, 0.0, 0.75), (3, 0.0, 0.75)])
def test_two_reports_of_four_bits_cost_what_is_declared(hashes: int, p: float, q: float) -> None:
    mechanism = Rappor(4, hashes, 1, 0.5, p, q)
    assert memoised(mechanism, 2).worst_ratio == mechanism.ratio_of(2)
    assert mechanism.ratio_of(1) < mechanism.ratio_of(2) < mechanism.ratio_of(1) ** 2


def test_cohorts_tell_nothing() -> None:
    one, several = (Rappor(2, 1, cohorts, 0.5, 0.25, 0.875) for cohorts in (1, 4))
    assert memoised(several, 2).worst_ratio == one.ratio_of(2) == several.ratio_of(2)


@pytest.mark.parametrize("hashes", [0, 1, 2, 3])
@pytest.mark.parametrize("f", [0.125, 0.5, 0.75])
def test_the_lifetime_is_what_the_kept_bits_tell(hashes: int, f: float) -> None:
    mechanism = Rappor(4, hashes, 2 if hashes else 1, f, 0.25, 0.75)
    assert kept(mechanism).worst_ratio == mechanism.lifetime_ratio
    assert mechanism.lifetime_ratio == ((2 - Fraction(f)) / Fraction(f)) ** (2 * mechanism.changes)


def test_noise_that_is_drawn_again_costs_again() -> None:
    """What memoising is for: the law of two fresh reports is that of twice the cost."""
    mechanism = Rappor(2, 1, 1, 0.5, 0.25, 0.875)

    def fresh(value: Any) -> Law:
        def twice(rng: Randomness) -> Hashable:
            return b"".join(mechanism.randomize([value], rng).tobytes() for _ in range(2))

        return exact_law(twice)

    found = Channel({value: fresh(value) for value in values(mechanism)})
    assert found.worst_ratio == mechanism.ratio_of(1) ** 2 > mechanism.ratio_of(2)


def test_without_permanent_noise_every_report_costs_the_same() -> None:
    mechanism = Rappor(2, 1, 1, 0.0, 0.25, 0.75)
    assert mechanism.lifetime_ratio is None
    assert mechanism.lifetime_epsilon == math.inf
    for reports in (1, 2, 3):
        assert memoised(mechanism, reports).worst_ratio == mechanism.ratio_of(reports) == 9**reports
        assert mechanism.epsilon_of(reports) == pytest.approx(reports * mechanism.epsilon)


@given(f=coins, p=coins, q=coins, hashes=st.integers(0, 5), reports=st.integers(1, 40))
def test_the_cost_rises_from_one_report_to_the_lifetime(
    f: float, p: float, q: float, hashes: int, reports: int
) -> None:
    assume(p < q)
    mechanism = Rappor(8, hashes, 1, f, p, q)
    assert mechanism.lifetime_ratio is not None
    assert mechanism.worst_ratio <= mechanism.ratio_of(reports)
    assert mechanism.ratio_of(reports) < mechanism.ratio_of(reports + 1) < mechanism.lifetime_ratio
    assert mechanism.ratio_of(reports + 1) < mechanism.worst_ratio * mechanism.ratio_of(reports)
    spent = [mechanism.epsilon_of(count) for count in (1, reports, reports + 1)]
    assert [mechanism.epsilon, *spent, mechanism.lifetime_epsilon] == sorted(
        [mechanism.epsilon, *spent, mechanism.lifetime_epsilon]
    )


def test_the_cost_of_very_many_reports_is_the_lifetime() -> None:
    assert DOCUMENT.epsilon_of(1) == DOCUMENT.epsilon
    assert DOCUMENT.epsilon_of(1000) == pytest.approx(DOCUMENT.lifetime_epsilon, rel=1e-12)
    one_time = Rappor(128, 2, 64, 0.5, 0.0, 1.0)
    assert {one_time.epsilon_of(reports) for reports in (1, 2, 1000, 10**9)} == {
        one_time.lifetime_epsilon
    }


@pytest.mark.parametrize("f", [0.0, 2.0**-40, 0.5])
@pytest.mark.parametrize("reports", [1001, 1500])
def test_beyond_a_thousand_reports_no_less_than_the_exact_cost(f: float, reports: int) -> None:
    """Nearly the same bit by bit, so that the exact cost is still rising there."""
    mechanism = Rappor(4, 1, 1, f, 0.5, 0.5 + 2.0**-10)
    exact = log_up(mechanism.ratio_of(reports))
    assert mechanism.epsilon_of(1000) < exact <= mechanism.epsilon_of(reports)
    assert mechanism.epsilon_of(reports) <= reports * mechanism.epsilon * (1 + 1e-12) or f


@pytest.mark.parametrize(
    ("reports", "sentence"), [(0, "at least 1, got 0$"), (1.5, "must be a whole number, got 1.5$")]
)
def test_a_wrong_number_of_reports_is_refused(reports: Any, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        DOCUMENT.epsilon_of(reports)


def test_a_ratio_of_many_digits_is_logged_at_once() -> None:
    wide = Rappor.calibrate(1.0, hashes=32)
    assert 2 * (1 - 1e-12) < wide.epsilon_of(300) <= wide.lifetime_epsilon <= 2


# Calibration: never above the budget, and the next finer coin would be


STEPS: dict[str, Callable[[Rappor], tuple[float, float, float]]] = {
    "one-time": lambda made: (made.f - 2.0**-52, made.p, made.q),
    "instant": lambda made: (made.f, made.p - 2.0**-53, made.q),
    "full": lambda made: (
        (made.f, made.p - 2.0**-53, made.q) if made.p else (made.f, made.p, made.q + 2.0**-53)
    ),
}


@pytest.mark.parametrize("form", ["full", "one-time", "instant"])
@pytest.mark.parametrize("basic", [False, True])
@given(
    epsilon=st.floats(0.01, 10),
    shape=st.sampled_from([(4, 1), (4, 2), (4, 3), (128, 1), (128, 2), (1024, 8)]),
    lifetime=st.one_of(st.none(), st.floats(1.001, 20)),
)
def test_calibrate_spends_the_budget_and_no_more(
    form: str, basic: bool, epsilon: float, shape: tuple[int, int], lifetime: float | None
) -> None:
    bits, hashes = shape
    budget = None if lifetime is None or form != "full" else lifetime * epsilon
    name: Any = {"full": "basic"}.get(form, f"basic {form}") if basic else form
    made = Rappor.calibrate(epsilon, form=name, lifetime=budget, bits=bits, hashes=hashes)
    assert (made.bits, made.hashes, made.cohorts) == ((bits, 0, 1) if basic else (bits, hashes, 64))
    assert made.epsilon <= epsilon
    f, p, q = STEPS[form](made)
    assert Rappor(bits, made.hashes, made.cohorts, f, p, q).epsilon > epsilon
    if form == "instant":
        assert (made.f, made.q) == (0, 0.5)
        return
    allowed = epsilon if form == "one-time" else 2 * epsilon if budget is None else budget
    assert made.epsilon <= made.lifetime_epsilon <= allowed
    finer = Rappor(bits, made.hashes, made.cohorts, made.f - 2.0**-52, made.p, made.q)
    assert finer.lifetime_epsilon > allowed


@given(epsilon=st.floats(0.05, 8), lifetime=st.floats(1.1, 10))
def test_no_other_odds_of_a_report_are_better_for_rare_answers(
    epsilon: float, lifetime: float
) -> None:
    """Against all q on a grid, each with the p that the budget leaves it."""
    made = Rappor.calibrate(epsilon, lifetime=lifetime * epsilon)

    def spread(holder: float, others: float) -> float:
        return others * (1 - others) / (holder - others) ** 2

    best = spread(made.holder, made.others)
    b = made.f / 2
    for said in (number / 200 for number in range(1, 200)):
        others = said / (said + math.exp(epsilon) * (1 - said))  # its odds are e^ε below
        p = ((1 - b) * others - b * said) / (1 - 2 * b)
        q = ((1 - b) * said - b * others) / (1 - 2 * b)
        if 0 <= p < q <= 1:
            assert spread(said, others) >= best * (1 - 1e-9)
