"""Tables as files: numbers stay numbers, and no text runs in a spreadsheet."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.formats.strangers import visible
from sudare.formats.tables import csv_text, text_cell
from support.strangers import TEXTS, commands

FORMULAS = [
    '=cmd|"/c calc"!A1',
    "+1",
    "-2+3",
    "@SUM(A1)",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    "  =1",
    "\u00a0=1",
    "\u3000=1",
    '"=1"',
    "'=1",
    "''=1",
]
ANY = st.text() | st.text("=+-@; '\"`＝a") | st.sampled_from([*TEXTS.values(), *FORMULAS])


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(text: str) -> None:
    [_, [cell, number, small]] = read(csv_text([{"a": text, "b": -0.01, "c": -3}], ["a", "b", "c"]))
    assert cell == "'" + text
    assert (number, small) == ("-0.01", "-3")


def test_a_semicolon_may_begin_a_cell() -> None:
    assert text_cell("tea;=1; -2;x") == "tea;'=1;' -2;x"


@pytest.mark.parametrize(
    "text", ["green", "tea; black", "1+1", "a=b", "緑茶", "it's", "'tis", "1,5 – 2"]
)
def test_other_texts_are_as_they_are(text: str) -> None:
    assert read(csv_text([{"a": text}], ["a"])) == [["a"], [text]]
    assert text_cell(text) == text


@given(
    st.text() | st.text("=+-@; '\"`＝a") | st.sampled_from([*TEXTS.values(), *FORMULAS]),
    st.floats(),
    st.integers(),
)
def test_a_row_is_a_line_and_a_reader_gets_the_visible_text(
    text: str, share: float, number: int
) -> None:
    told = csv_text([{"a": text, "b": share, "c": number, "d": None}], ["a", "b", "c", "d"])
    assert commands(told) == set()
    assert told.count("\n") == 2
    [_, [cell, *others]] = read(told)
    assert others == [str(share), str(number), ""]
    for part in cell.split(";"):  # which begins another cell where a comma is in numbers
        assert part.startswith("'") or not part.strip("\"'` ").startswith(tuple("=+-@＝＋－＠"))
    assert re.sub(r"""(^|;)'(?=[\s"'`]*[=+\-@＝＋－＠])""", r"\1", cell) == visible(text)
