"""Numbers as people read them: each kind has one form."""

from fractions import Fraction

import numpy as np

from sudare.results.wording import (
    at_most,
    counted,
    decimals_for,
    fixed,
    integer,
    measured,
    p_value,
    percent,
    percent_range,
    powered,
    scientific,
)

SPACE = "\N{NO-BREAK SPACE}"


def test_what_rounds_to_zero_has_no_sign_and_what_is_not_finite_is_absent() -> None:
    assert [fixed(-0.001, 2), fixed(-1234.5, 1), fixed(np.nan, 1)] == ["0.00", "−1,234.5", "–"]


def test_shares_are_told_in_percent() -> None:
    assert [percent(-0.0213, 1), percent(np.inf, 1)] == [f"−2.1{SPACE}%", "–"]
    assert percent_range(-0.045, 0.0041, 1) == f"−4.5 to 0.4{SPACE}%"
    levels = [percent(level) for level in (0.9, 0.95, 0.995, 0.9999, 0.99999)]
    assert levels == [f"{text}{SPACE}%" for text in ("90", "95", "99.5", "99.99", "99.999")]


def test_decimals_give_an_error_two_digits() -> None:
    assert [decimals_for(error) for error in (12.3, 1.23, 0.0123, 0.0)] == [0, 1, 3, 2]


def test_at_most_is_never_less_than_it_is() -> None:
    assert at_most(Fraction(3)) == "3"
    assert at_most(Fraction(30001, 10000)) == "3.01"
    assert at_most(Fraction(38961, 10000)) == "3.9"
    assert at_most(Fraction(123456)) == "124,000"
    assert at_most(Fraction(10**9)) == "10⁹"
    assert at_most(Fraction(4851651, 10**7) * 10**9) == "4.86×10⁸"
    assert at_most(Fraction(2) ** 2000) == "1.15×10⁶⁰²"  # beyond a float


def test_very_large_and_very_small_numbers_have_a_power_of_ten() -> None:
    assert [scientific(v) for v in (0, 0.25, -2e-5, 1e6)] == ["0", "0.25", "−2×10⁻⁵", "10⁶"]
    assert [scientific(v) for v in (9.99996e-5, 5e-324)] == ["10⁻⁴", "4.941×10⁻³²⁴"]
    assert measured(1.234e-5, 5e-7) == "(1.234 ± 0.050)×10⁻⁵"


def test_minus_signs_are_minus_signs_and_zero_has_none() -> None:
    assert [integer(n) for n in (-(10**20) - 1, 0, 1234)] == [
        "−100,000,000,000,000,000,001",
        "0",
        "1,234",
    ]
    assert [powered(v) for v in (-0.00193, 12345.0)] == ["−1.93e−03", "1.23e+04"]
    assert [scientific(-0.0), scientific(-0.0, plain=False)] == ["0", "0×10⁰"]
    assert scientific(0.000123456, digits=2) == "1.2×10⁻⁴"


def test_a_p_value_has_no_more_zeros_than_anyone_reads() -> None:
    told = [p_value(p) for p in (0.0, 9.99e-5, 0.0001, 0.0123, 0.5, 1.0, np.nan)]
    assert told == ["< 0.0001", "< 0.0001", "0.0001", "0.012", "0.50", "1.0", "–"]


def test_things_are_counted_in_the_singular_and_in_the_plural() -> None:
    assert [counted(n, "report") for n in (0, 1, 2000)] == [
        "0 reports",
        "1 report",
        "2,000 reports",
    ]
    assert [counted(n, "person", "people") for n in (1, 2)] == ["1 person", "2 people"]
