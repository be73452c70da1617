"""What a person may answer, checked before anything is randomised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import Categories
from sudare.errors import InvalidAnswer, ParameterError

TYPES = ["i1", "u1", "<i2", ">i2", "u2", "<i4", ">u4", "<i8", ">i8", "u8"]


@given(k=st.integers(2, 300), values=st.lists(st.integers(-400, 400), min_size=1, max_size=20))
def test_exactly_the_numbers_below_k_pass(k: int, values: list[int]) -> None:
    wrong = [place for place, value in enumerate(values) if not 0 <= value < k]
    if wrong:
        with pytest.raises(InvalidAnswer, match=f"position {wrong[0]} is not one of 0 to {k - 1}"):
            Categories(k).check(values)
    else:
        assert Categories(k).check(values).tolist() == values


@pytest.mark.parametrize("dtype", TYPES)
def test_any_integer_type_is_checked_at_both_ends(dtype: str) -> None:
    values = np.array([0, 1, 100], dtype)
    assert Categories(101).check(values).tolist() == [0, 1, 100]
    with pytest.raises(InvalidAnswer, match="position 2 "):
        Categories(100).check(values)
    if "i" in dtype:
        with pytest.raises(InvalidAnswer, match="position 1 "):
            Categories(100).check(np.array([0, -1, 1], dtype))


def test_views_are_checked_as_they_are_read() -> None:
    values = np.array([0, 9, 1, 9, 2, 9])
    assert Categories(3).check(values[::2]).tolist() == [0, 1, 2]
    assert Categories(3).check(values[4::-2]).tolist() == [2, 1, 0]
    values.flags.writeable = False
    assert Categories(10).check(values).tolist() == values.tolist()


def test_one_answer_is_a_batch_of_one_and_none_is_a_batch_of_none() -> None:
    assert Categories(3).check(2).tolist() == [2]
    assert Categories(3).check([]).tolist() == []
    assert Categories(3).check(np.empty(0)).dtype.kind == "i"


@pytest.mark.parametrize(
    "values", [[0.0, 1.0], [True, False], ["0"], [None], [2**70], [1 + 0j], [b"1"]], ids=repr
)
def test_only_whole_numbers_are_answers(values: list[object]) -> None:
    with pytest.raises(InvalidAnswer, match="whole numbers"):
        Categories(3).check(np.array(values))


def test_answers_are_a_flat_list() -> None:
    with pytest.raises(InvalidAnswer, match="flat list, got 2 dimensions"):
        Categories(3).check([[0, 1], [1, 2]])


@pytest.mark.parametrize("secret", [["no"], ["yes"], [987654], [-987654]], ids=repr)
def test_an_error_never_tells_the_answer(secret: list[object]) -> None:
    with pytest.raises(InvalidAnswer) as raised:
        Categories(3).check(np.array(secret))
    assert str(secret[0]) not in str(raised.value)


def test_an_error_does_not_tell_the_length_of_an_answer() -> None:
    """For yes or no, the length is the answer."""
    sentences = set()
    for secret in ("yes", "no"):
        with pytest.raises(InvalidAnswer) as raised:
            Categories(3).check([secret])
        sentences.add(str(raised.value))
    assert len(sentences) == 1


@pytest.mark.parametrize("k", [-5, 0, 1, 2**32 + 1])
def test_a_domain_has_two_answers_or_more(k: int) -> None:
    with pytest.raises(ParameterError, match=f"got {k}$"):
        Categories(k)


def test_a_domain_lists_its_values() -> None:
    assert list(Categories(3)) == [0, 1, 2]
    assert Categories(3).size == 3
    assert Categories(2**32).check([2**32 - 1]).tolist() == [2**32 - 1]


@pytest.mark.parametrize("counts", [[1, 2], [1, 2, 3, 4], [1.0, 2.0, 3.0], [1, -1, 0], [[1, 2, 3]]])
def test_a_population_is_one_count_for_each_answer(counts: list[int]) -> None:
    with pytest.raises(ParameterError, match="3 counts of people"):
        Categories(3).population(counts)


def test_a_population_may_be_of_any_integer_type() -> None:
    found = Categories(3).population(np.array([1, 0, 255], np.uint8))
    assert found.dtype == np.int64
    assert found.tolist() == [1, 0, 255]
