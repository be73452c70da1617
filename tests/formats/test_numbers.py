"""Numbers as arguments: whole ones are taken, and what was given is repeated as it was."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import ParameterError
from sudare.formats.numbers import as_given, counted, there_are, whole


def test_a_whole_number_is_pythons_own() -> None:
    assert type(whole("people", np.int8(7))) is int
    with pytest.raises(ParameterError, match=r"people must be a whole number, got 7\.0"):
        whole("people", 7.0)  # type: ignore[arg-type]  # what a caller may get wrong


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
