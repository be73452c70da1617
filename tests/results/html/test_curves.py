"""The page of errors as curves, read back as a browser would."""

from typing import NamedTuple

import numpy as np
import pytest

from sudare.errors import ParameterError
from sudare.results.html import error_page
from sudare.results.html.scale import Floats
from support.markup import place, read


class Curve(NamedTuple):
    label: str
    x: Floats
    y: Floats
    stderr: Floats | None = None
    theory: Floats | None = None


def test_curves_stand_where_the_numbers_say_on_a_log_axis() -> None:
    x = np.linspace(0.5, 5, 10)
    y = np.exp(-2 * x)
    page = read(error_page("Error", [Curve("a", x, y, y / 10)], x_label="ε", y_label="MSE"))
    ups = [node for node in page.all("text", "end") if node.text]
    across = [node for node in page.all("text") if "class" not in node.attributes]
    superscripts = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    exponents = [int(node.text.removeprefix("10").translate(superscripts)) for node in ups]
    rise = np.polyfit([place(node, "y") for node in ups], exponents, 1)
    run = np.polyfit(
        [place(node, "x") for node in across], [float(node.text) for node in across], 1
    )
    *marks, _ = [node for node in page.all("use") if node.attributes["href"] == "#mark0"]
    assert np.allclose(np.polyval(run, [place(node, "x") for node in marks]), x, atol=0.01)
    heights = 10 ** np.polyval(rise, [place(node, "y") for node in marks])
    assert np.allclose(heights, y, rtol=0.01)
    assert page.table()[1] == ["0.5", "0.368 ± 0.037"]
    assert page.table()[10] == ["5", "(4.54 ± 0.45)×10⁻⁵"]


def test_what_a_log_axis_cannot_show_stays_in_the_table() -> None:
    x = np.arange(1.0, 6.0)
    gap = Curve("gap", x, np.array([1.0, 0.1, 0.0, 0.1, np.nan]), np.full(5, 0.3))
    other = Curve("other", x[::-2], np.array([3.0, 2.0, 1.0]))
    text = error_page("Gaps", [gap, other], x_label="x", y_label="y")
    page = read(text)
    line, straight = (node.attributes["d"] for node in page.all("path") if "line" in str(node))
    assert line.count("M") == 2
    assert straight.count("M") == 1
    assert "nan" not in text
    assert [row[1:] for row in page.table()[1:]] == [
        ["1.00 ± 0.30", "1"],
        ["0.10 ± 0.30", "–"],
        ["0.00 ± 0.30", "2"],
        ["0.10 ± 0.30", "–"],
        ["–", "3"],
    ]


def test_curves_that_cannot_be_drawn_are_refused() -> None:
    one = np.ones(1)
    for curves, why in [
        ([], "at least 1 curve, got 0"),
        ([Curve("a", one, np.ones(2))], "1 places and 2 values"),
        ([Curve("a", np.ones(2), np.ones(2))], "two points at one place"),
        ([Curve("a", one, one), Curve("a", one, one)], "the same label"),
        ([Curve("a", one, 0 * one)], "none of the values is finite and above 0"),
    ]:
        with pytest.raises(ParameterError, match=why):
            error_page("Error", curves, x_label="x", y_label="y")
