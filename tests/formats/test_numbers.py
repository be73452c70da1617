"""Numbers as arguments: whole ones are taken, and what was given is repeated as it was."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import ParameterError
from sudare.formats.numbers import as_given, counted, real, there_are, whole, yes_or_no


def test_a_whole_number_is_pythons_own() -> None:
    assert type(whole("people", np.int8(7))) is int
    with pytest.raises(ParameterError, match=r"people must be a whole number, got 7\.0"):
        whole("people", 7.0)  # type: ignore[arg-type]  # what a caller may get wrong


def test_true_is_no_number_and_a_number_is_not_true() -> None:
    with pytest.raises(ParameterError, match="people must be a whole number, got True"):
        whole("people", True)
    with pytest.raises(ParameterError, match="share must be a number, got False"):
        real("share", False)
    with pytest.raises(ParameterError, match="population must be true or false, got 1"):
        yes_or_no("population", 1)
    assert yes_or_no("population", True) is True


def test_a_number_is_a_float_of_full_width() -> None:
    for number in (np.float32(0.5), Fraction(1, 2), Decimal("0.5"), 0.5):
        assert (real("share", number), type(real("share", number))) == (0.5, float)
    assert real("share", 10**400) == math.inf
    for wrong in ("0.5", b"0", 1j, [0.5], np.array([1.0, 2.0]), None):
        with pytest.raises(ParameterError, match="share must be a number, got"):
            real("share", wrong)


def test_a_number_that_was_chosen_is_written_as_people_write_it() -> None:
    chosen = [as_given(number) for number in (4, 0.1, 1e-6, 1.0000001, np.float64(2.5))]
    assert chosen == ["4", "0.1", "1e-06", "1.0000001", "2.5"]


def test_things_are_counted_in_the_singular_and_in_the_plural() -> None:
    assert [counted(number, "report") for number in (0, 1, 2000)] == [
        "0 reports",
        "1 report",
        "2,000 reports",
    ]
    assert there_are(1, "person", "people") == "there is 1 person"
    assert there_are(2, "person", "people") == "there are 2 people"


@given(st.floats(0, allow_infinity=False))
def test_a_number_that_was_chosen_is_repeated_to_the_last_digit(number: float) -> None:
    assert float(as_given(number)) == number
