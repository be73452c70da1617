"""Numbers as arguments: whole ones are taken, and what was given is repeated as it was."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import ParameterError
from sudare.formats.numbers import as_given, whole


def test_a_whole_number_is_pythons_own() -> None:
    assert type(whole("people", np.int8(7))) is int
    with pytest.raises(ParameterError, match=r"people must be a whole number, got 7\.0"):
        whole("people", 7.0)  # type: ignore[arg-type]  # what a caller may get wrong


def test_a_number_that_was_chosen_is_written_as_people_write_it() -> None:
    chosen = [as_given(number) for number in (4, 0.1, 1e-6, 1.0000001, np.float64(2.5))]
    assert chosen == ["4", "0.1", "1e-06", "1.0000001", "2.5"]


@given(st.floats(0, allow_infinity=False))
def test_a_number_that_was_chosen_is_repeated_to_the_last_digit(number: float) -> None:
    assert float(as_given(number)) == number
