"""Windows of time: where a moment belongs, and what may be windows at all."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, Collection, Glance
from sudare.collection.windows import Windows, current_start, length_text, seconds_of
from sudare.errors import InvalidDocument, ParameterError

DAY = 86_400
TEA = Collection("tea", "Which tea?", ("green", "black"), GRR(2, 0.75), 100)


@given(
    start=st.integers(0, 2**40), seconds=st.integers(1, 10**6), moment=st.integers(-(2**40), 2**41)
)
def test_a_moment_is_in_the_window_that_has_begun_last(
    start: int, seconds: int, moment: int
) -> None:
    windows = Windows(start, seconds)
    window = windows.at(moment)
    assert windows.opens(window) <= moment < windows.opens(window + 1)


@given(moment=st.integers(0, 10**7), rounds=st.integers(1, 60), each=st.integers(1, 100))
def test_rounds_are_counted_on_over_windows(moment: int, rounds: int, each: int) -> None:
    windows = Windows(0, rounds * each)
    number = windows.round_at(moment, rounds)
    assert number - 1 <= Fraction(moment, each) < number
    assert (number - 1) // rounds == windows.at(moment)


@pytest.mark.parametrize(
    ("start", "seconds", "sentence"),
    [
        (0, 0, "a window's seconds must be between 1 and 2\\^53, got 0"),
        (-1, 60, "a window's start must be between 0 and 2\\^53, got -1"),
        (0, 1.5, "a window's seconds must be a whole number"),
    ],
)
def test_other_windows_are_refused(start: int, seconds: int, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Windows(start, seconds)


@pytest.mark.parametrize("moment", [0, 1, 899, 900, DAY - 1, DAY, 10**9 + 7])
@pytest.mark.parametrize("seconds", [1, 90, 900, 3600, 7 * 3600, DAY, 7 * DAY])
def test_the_current_window_holds_the_moment(moment: int, seconds: int) -> None:
    start = current_start(moment, seconds)
    assert start <= moment < start + seconds
    assert start // DAY == moment // DAY  # it begins today


@pytest.mark.parametrize("text", ["1s", "90s", "15m", "1h", "25h", "1d", "999999999d"])
def test_lengths_read_back(text: str) -> None:
    assert length_text(seconds_of(text)) == text


def test_a_window_holds_rounds_of_whole_seconds() -> None:
    stream = Glance.calibrate(50, 1.0)
    Collection("online", "Online?", ("no", "yes"), stream, windows=Windows(0, 100))
    with pytest.raises(ParameterError, match=r"50 rounds lasts a whole number .* got 101 seconds"):
        Collection("online", "Online?", ("no", "yes"), stream, windows=Windows(0, 101))


def test_rules_are_in_the_document_and_in_the_key_and_only_if_there_are_any() -> None:
    ruled = [
        TEA,
        Collection(TEA.name, TEA.question, TEA.answers, TEA.mechanism, 100, Windows(7, 60)),
        Collection(TEA.name, TEA.question, TEA.answers, TEA.mechanism, 100, keeps_reports=True),
        Collection(TEA.name, TEA.question, TEA.answers, TEA.mechanism, 100, invited=True),
    ]
    assert len({collection.key for collection in ruled}) == 4
    for collection in ruled:
        assert Collection.from_json(collection.to_json()) == collection
    assert all(word not in TEA.to_json() for word in (b"windows", b"keeps_reports", b"invited"))


def test_windows_of_a_document_are_checked() -> None:
    wrong = TEA.to_json().replace(b'"epsilon"', b'"windows": {"start": 0}, "epsilon"')
    with pytest.raises(InvalidDocument, match="seconds"):
        Collection.from_json(wrong)
