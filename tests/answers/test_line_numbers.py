"""The line of every record, whatever cells hold and however the text comes in pieces."""

import csv
import io
import random

import pytest

from sudare.answers.line_numbers import LineNumbers

CELLS = ("a", "b c", '"x"', '"p\nq"', '"p\r\nq"', '"a""b"', "", "1", 'x"y', '"\n\n"')


def lines_by_the_standard_library(text: str, *, skips_blank: bool) -> list[int]:
    found, before = [], 0
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    for row in rows:
        if row or not skips_blank:
            found.append(before + 1)
        before = rows.line_num
    return found


def fed(text: str, sizes: random.Random, most: int, *, skips_blank: bool) -> LineNumbers:
    numbers = LineNumbers(";", quoted=True, skips_blank=skips_blank, first_line=1)
    data = text.encode()
    while data:
        size = sizes.randint(1, most)
        numbers.feed(data[:size])
        data = data[size:]
    return numbers


@pytest.mark.parametrize("skips_blank", [True, False])
@pytest.mark.parametrize("most", [1, 5, 100])
def test_any_text_in_any_pieces(most: int, skips_blank: bool, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - of texts to try
    for trial in range(1500):
        end = chance.choice(["\n", "\r\n", "\r"])
        rows = [
            ";".join(chance.choice(CELLS) for _ in range(chance.randint(0, 3)))
            for _ in range(chance.randint(1, 8))
        ]
        text = "".join(row + end for row in rows)
        if trial % 3 == 0:
            text = text.replace('"', "")
        if end == "\r":
            text = text.replace("\r\n", "\r")
        wanted = lines_by_the_standard_library(text, skips_blank=skips_blank)
        numbers = fed(text, chance, most, skips_blank=skips_blank)
        assert [numbers.of(record) for record in range(len(wanted))] == wanted, repr(text)


def test_what_is_dealt_with_is_forgotten_and_nothing_else() -> None:
    numbers = LineNumbers(",", quoted=True, skips_blank=True, first_line=1)
    for _ in range(1000):
        numbers.feed(b'"a\nb",c\n\n')
    wanted = [1 + 3 * record for record in range(1000)]
    assert [numbers.of(record) for record in range(1000)] == wanted
    numbers.forget(900)
    assert len(numbers._records) < 300
    assert [numbers.of(record) for record in range(900, 1000)] == wanted[900:]


@pytest.mark.parametrize(
    ("text", "line"),
    [('a\nb\n"c\nd', 3), ('a\n"b""\n', 2), ('a\n"b"\n', None), ('a\nx"y\n', None), ("a", None)],
)
def test_a_quote_that_is_never_closed(text: str, line: int | None) -> None:
    numbers = LineNumbers(",", quoted=True, skips_blank=True, first_line=1)
    numbers.feed(text.encode())
    assert numbers.open_quote == line


def test_quotes_may_mean_nothing() -> None:
    numbers = LineNumbers("\x1f", quoted=False, skips_blank=False, first_line=1)
    numbers.feed(b'"a\nb\r"\rc"\n')
    assert [numbers.of(record) for record in range(5)] == [1, 2, 3, 4, 5]
    assert numbers.open_quote is None
