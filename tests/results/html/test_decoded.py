"""The page of decoded texts, read back as a browser would."""

import re

import numpy as np
import pytest

from sudare import Collection, Estimate, Rappor
from sudare.errors import ParameterError
from sudare.estimation.estimate import Interval
from sudare.results.html import decoded_page
from sudare.results.html.scale import Floats
from support.markup import Reader, number, place, read

HOSTILE = '<script>alert("1")</script>&\'"><svg onload=x>'


def collection(form: str = "full") -> Collection:
    made = Rappor.calibrate(2.0, form="full" if form == "full" else "instant")
    return Collection("Tea", "Which tea?", (), made)


def estimates(k: int, rest: float = 0.6) -> tuple[Estimate, Interval, Estimate, Floats]:
    """So many texts with intervals that lean, the whole, and p-values."""
    labels = tuple(f"text {i}" for i in range(k))
    shares = np.array([(1 - rest) * 2 * i / (k * (k + 1)) for i in range(k, 0, -1)], np.float64)
    found = Estimate(5000, shares, np.full(k, 0.004), np.zeros(k), labels)
    leaning = Interval(shares * 0.3, shares + 0.005)
    whole = np.array([1 - rest, rest])
    together = Estimate(5000, whole, np.full(2, 0.01), np.zeros(2), ("found", "the rest"))
    return found, leaning, together, np.linspace(0, 0.05, k)


def page(k: int, rest: float = 0.6, *, complete: bool = False) -> str:
    found, interval, whole, p_values = estimates(k, rest)
    return decoded_page(
        collection(),
        found,
        interval,
        None if complete else whole,
        candidates=1234,
        discoveries=k,
        p_values=p_values,
        level=0.9,
    )


def test_the_table_says_what_the_estimate_says() -> None:
    found, (low, high), _, _ = estimates(12)
    head, *rows = read(page(12)).table()
    assert head[:4] == ["Text", "Share", "Standard error", "90\N{NO-BREAK SPACE}% interval"]
    assert [row[0] for row in rows] == list(found.labels)
    for i, row in enumerate(rows):
        said = [number(part) for part in (row[1], row[2], *row[3].split(" to "))]
        meant = [100 * part[i] for part in (found.values, found.stderr, low, high)]
        assert said == pytest.approx(meant, abs=0.0051)
        assert number(row[5]) == round(5000 * float(found.values[i]))


@pytest.mark.parametrize("rest", [0.6, -0.02, 1.01])
def test_each_chart_has_an_axis_of_its_own(rest: float) -> None:
    """The bars of the second stand where the second's ticks say."""
    text = page(5, rest)
    charts = [read(part) for part in text.split('<div class="bars"')[1:]]
    _, leaning, whole, _ = estimates(5, rest)
    for chart, interval in zip(charts, (leaning, whole.interval(0.9)), strict=True):
        start, slope = _axis(chart)
        whiskers = chart.all("line", "whisker")[: interval.low.size]
        ends = [[start + slope * place(node, name) for name in ("x1", "x2")] for node in whiskers]
        expected = np.transpose(interval)
        assert np.allclose(ends, expected, atol=0.02 * abs(slope), rtol=0)
    assert text.count("url(#hatch)") == 1
    assert len(set(re.findall(r' id="(.*?)"', text))) == len(re.findall(r' id="', text))


def _axis(chart: Reader) -> tuple[float, float]:
    ticks = [node for node in chart.all("text") if node.text]
    shares = [number(node.text) / 100 for node in ticks]
    slope, start = np.polyfit([place(node, "x") for node in ticks], shares, 1)
    return float(start), float(slope)


def test_nothing_found_is_said() -> None:
    text = page(0, 1.0)
    assert "None of the candidates." in text
    assert "1,234, of which 0 found" in text
    assert not read(text).table()
    assert 'id="cap"' in text


def test_candidates_that_are_all_there_are_leave_nothing() -> None:
    text = page(60, 0.0, complete=True)
    assert text.count('<div class="bars"') == 1
    assert "The 50 largest of 60" in text
    assert "1,234, of which 60 found" in text
    assert "What they explain" not in text
    assert "Everything else" not in text
    assert "people answered nothing but the candidates" in text
    assert "url(#hatch)" not in text


def test_many_texts_are_listed_and_the_largest_drawn() -> None:
    text = page(300)
    assert "The 50 largest of 300" in text
    assert len(read(text).table()) == 301


def test_texts_are_text_and_not_too_much_of_it() -> None:
    found, interval, whole, p_values = estimates(2)
    text = decoded_page(
        collection("instant"),
        found.labelled((HOSTILE, "緑" * 9999)),
        interval,
        whole,
        candidates=2,
        discoveries=2,
        p_values=p_values,
        notes=[HOSTILE],
    )
    shown = read(text)
    assert not shown.all("script")
    assert [row[0] for row in shown.table()[1:]] == [HOSTILE, "緑" * 119 + "…"]
    assert "://" not in text
    assert len(text) < 20_000
    assert "Of all reports" not in text  # such a collection has no lifetime to speak of
    assert "Of all reports of an answer" in page(2)


def test_p_values_are_one_each() -> None:
    found, interval, whole, _ = estimates(3)
    with pytest.raises(ParameterError, match=r"p_values has the shape \(2,\); there are 3 texts"):
        decoded_page(
            collection(),
            found,
            interval,
            whole,
            candidates=9,
            discoveries=3,
            p_values=np.zeros(2),
        )
