"""How a CSV is delimited."""

import pytest

from sudare.answers.dialect import check_delimiter, find_delimiter
from sudare.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1;2\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("price;share\n1,5;2,5\n1,7;2,5\n", ";"),
        ("name, first;age\nx;1\ny;2\n", ";"),
        ('"a;b;c",d\n1,2\n', ","),
        ("a,b\n1,2,3\n1,2\n1,2\n", ","),
        ("answer\ngreen\n", ","),
        ("answer\ngreen, please\nblack\n", ";"),
        ("", ","),
    ],
)
def test_it_is_found_out(text: str, delimiter: str) -> None:
    assert find_delimiter(text) == delimiter


@pytest.mark.parametrize(
    ("given", "meant"), [("tab", "\t"), ("\\t", "\t"), ("semicolon", ";"), (":", ":")]
)
def test_it_may_be_named(given: str, meant: str) -> None:
    assert check_delimiter(given) == meant


@pytest.mark.parametrize("given", ["", "::", '"', "\n", "é", "\0"])
def test_what_is_none(given: str) -> None:
    with pytest.raises(ParameterError, match="--delimiter is one character, or one of comma, "):
        check_delimiter(given)
