"""Pages are read back as a browser would: what they say must be what the numbers say."""

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare import GRR, OUE, Collection, Estimate, Mechanism, Seeded
from sudare.errors import ParameterError
from sudare.results.html import error_page, estimate_page
from sudare.results.html.scale import Floats, Scale
from sudare.results.wording import p_value
from support.markup import Node, number, place, read

HOSTILE = '<script>alert("1")</script>&\'"><svg onload=x>'


class Curve(NamedTuple):
    label: str
    x: Floats
    y: Floats
    stderr: Floats | None = None
    theory: Floats | None = None


def survey(mechanism: Mechanism, k: int, n: int = 20_000) -> tuple[Collection, Estimate, Floats]:
    weights = 1 / np.arange(1, k + 1)
    truth = np.round(n * weights / weights.sum()).astype(np.int64)
    collection = Collection("Tea", "Which tea?", tuple(f"tea {i}" for i in range(k)), mechanism)
    aggregate = replace(mechanism.simulate(truth, Seeded(1)), key=collection.key)
    return collection, collection.estimate(aggregate), truth / truth.sum()


def test_the_table_says_what_the_estimate_says() -> None:
    collection, estimate, truth = survey(OUE.calibrate(43, 1.0), 43)
    consistent, p_values = np.clip(estimate.values, 0, 1), np.linspace(0, 1, 43)
    page = read(
        estimate_page(
            collection,
            estimate,
            level=0.9,
            consistent=consistent,
            p_values=p_values,
            truth=truth,
        )
    )
    head, *rows = page.table()
    people = f"People (of\N{NO-BREAK SPACE}{estimate.n:,})"
    assert head == [
        *("Answer", "Share", "Standard error", "90\N{NO-BREAK SPACE}% interval"),
        *("Consistent", "Present? (p-value)", people, "Truth (simulated)"),
    ]
    low, high = estimate.interval(0.9)
    half = 0.5 * 10.0 ** -len(rows[0][1].split(".")[1].split("\N{NO-BREAK SPACE}")[0]) + 1e-12
    assert [row[0] for row in rows] == list(collection.answers)
    for i, row in enumerate(rows):
        ends = row[3].split(" to ")
        said = [number(row[1]), number(row[2]), *map(number, ends), number(row[4]), number(row[7])]
        meant = [a[i] for a in (estimate.values, estimate.stderr, low, high, consistent, truth)]
        assert np.abs(np.array(said) - 100 * np.array(meant)).max() <= half
        assert row[5] == p_value(p_values[i])
        assert number(row[6]) == round(float(estimate.values[i] * estimate.n))


@pytest.mark.parametrize("k", [2, 5, 43])
def test_bars_and_whiskers_stand_where_the_numbers_say(k: int) -> None:
    collection, estimate, truth = survey(OUE.calibrate(k, 0.5), k, n=3_000)
    consistent = np.clip(estimate.values, 0, 1)
    page = read(estimate_page(collection, estimate, consistent=consistent, truth=truth))
    ticks = [node for node in page.all("text") if node.text]
    shares = np.array([number(node.text) / 100 for node in ticks])
    slope, start = np.polyfit([place(node, "x") for node in ticks], shares, 1)

    def share(of: Node, name: str) -> float:
        return float(start + slope * place(of, name))

    *whiskers, _ = page.all("line", "whisker")  # the last is the legend's
    low, high = estimate.interval()
    near = 0.02 * abs(slope)  # places are rounded to hundredths of a percent of the axis
    assert np.allclose([share(node, "x1") for node in whiskers], low, atol=near, rtol=0)
    assert np.allclose([share(node, "x2") for node in whiskers], high, atol=near, rtol=0)
    assert k == 2 or low.min() < 0
    assert min(place(node, "x1") for node in whiskers) > 0
    bars = [node for node in page.all("rect") if "x" in node.attributes]
    for bar, value in zip(bars, estimate.values, strict=True):
        below = bar.attributes.get("class") == "below"
        end = place(bar, "x") + (0 if below else place(bar, "width"))
        assert below == (value < 0)
        assert start + slope * end == pytest.approx(value, abs=2 * near)
    for style, tag, values in [("consistent", "line", consistent), ("truth", "use", truth)]:
        *marks, _ = page.all(tag, style)
        name = "x1" if tag == "line" else "x"
        assert np.allclose([share(node, name) for node in marks], values, atol=near, rtol=0)


def test_a_thousand_answers_show_the_largest_fifty_and_list_all() -> None:
    collection, estimate, truth = survey(OUE.calibrate(1000, 2.0), 1000)
    text = estimate_page(
        collection, estimate, truth=truth, consistent=truth, p_values=np.ones(1000)
    )
    page = read(text)
    shown = [node.text for node in page.all("b") if node.text]
    largest = np.argsort(-estimate.values, kind="stable")[:50]
    assert shown == [collection.answers[i] for i in largest]
    assert "50 largest of 1,000" in text
    assert len(page.table()) == 1001
    assert len(text.encode()) < 160_000
    assert len(estimate_page(collection, estimate).encode()) < 120_000


@pytest.mark.parametrize(("k", "most"), [(2, 12_000), (5, 13_000), (43, 30_000)])
def test_pages_are_small(k: int, most: int) -> None:
    collection, estimate, _ = survey(GRR.calibrate(k, 1.0), k)
    assert len(estimate_page(collection, estimate).encode()) < most


def hostile_pages() -> list[str]:
    mechanism = GRR(2, 0.75)
    collection = Collection(HOSTILE, HOSTILE, (HOSTILE, "緑茶"), mechanism)
    aggregate = replace(mechanism.simulate([30, 70], Seeded(1)), key=collection.key)
    x = np.array([1.0, 2.0])
    return [
        estimate_page(collection, collection.estimate(aggregate), notes=[HOSTILE]),
        error_page(
            HOSTILE,
            [Curve(HOSTILE, x, x, x / 10)],
            x_label=HOSTILE,
            y_label=HOSTILE + "y",
            notes=[HOSTILE],
        ),
    ]


@pytest.mark.parametrize("text", hostile_pages())
def test_labels_are_text_and_nothing_else(text: str) -> None:
    page = read(text)
    assert not page.all("script")
    assert all("onload" not in node.attributes for node in page.nodes)
    assert HOSTILE in page.table()[0] + page.table()[1]
    assert [node.text for node in page.all("title")] == [HOSTILE]
    assert page.all("p")[-1].text == HOSTILE


@pytest.mark.parametrize("text", hostile_pages())
def test_pages_stand_alone_and_are_accessible(text: str) -> None:
    page = read(text)
    assert "://" not in text
    assert "@import" not in text
    assert not any(page.all(tag) for tag in ("link", "img", "iframe", "object"))
    hrefs = [node.attributes["href"] for node in page.nodes if "href" in node.attributes]
    names = {"#" + node.attributes["id"] for node in page.nodes if "id" in node.attributes}
    assert hrefs
    assert set(hrefs) | set(re.findall(r"url\((.*?)\)", text)) <= names | {"#cap"}
    assert page.all("html")[0].attributes == {"lang": "en"}
    assert len(page.all("h1")) == 1
    drawn = [node for node in page.nodes if node.attributes.get("role") == "img"]
    assert drawn
    assert all(node.attributes["aria-label"] for node in drawn)
    assert {node.attributes["scope"] for node in page.all("th")} == {"col", "row"}


def luminance(colour: str) -> float:
    full = colour if len(colour) == 6 else "".join(2 * c for c in colour)
    parts = np.array([int(full[i : i + 2], 16) / 255 for i in (0, 2, 4)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_colours_have_contrast_on_screen_in_the_dark_and_in_print() -> None:
    themes = re.findall(r":root \{(.*?)\}", hostile_pages()[0], flags=re.DOTALL)
    assert len(themes) == 3
    for theme in themes:
        colours = {
            name: luminance(colour)
            for name, colour in re.findall(r"--(\w+): #([0-9a-f]{3,6})", theme)
        }

        def contrast(a: str, b: str, colours: dict[str, float] = colours) -> float:
            dark, light = sorted((colours[a], colours[b]))
            return (light + 0.05) / (dark + 0.05)

        for ground in ("paper", "card"):
            assert min(contrast(text, ground) for text in ("ink", "soft")) >= 4.5
        marks = ("bar", "tick", "truth", *(f"c{i}" for i in range(6)))
        assert min(contrast(mark, "paper") for mark in marks) >= 3
        assert contrast("ink", "bar") >= 3


def test_privacy_in_plain_words() -> None:
    collection, estimate, _ = survey(GRR.calibrate(5, 1.0), 5)
    text = estimate_page(collection, estimate).replace("\N{NO-BREAK SPACE}", " ")
    assert "at most e<sup>ε</sup> = 2.72 times likelier" in text
    assert "tells the true answer 40 % of the time, and otherwise one of the other 4" in text
    assert "ε = 1<" in text
    assert collection.key in text
    assert "Values below 0 are normal" in text
    assert "simulat" not in text
    collection, estimate, truth = survey(OUE.calibrate(43, 1.0), 43)
    text = estimate_page(collection, estimate, truth=truth).replace("\N{NO-BREAK SPACE}", " ")
    assert "yes 50 % of the time to the true one, and 27 % of the time" in text
    assert "expect about 2 to miss" in text
    low, high = estimate.interval()
    inside = np.sum((low <= truth) & (truth <= high))
    assert f"{inside} of the 43 intervals contain them" in text


def test_a_wrong_shape_is_refused() -> None:
    collection, estimate, _ = survey(GRR.calibrate(5, 1.0), 5)
    with pytest.raises(ParameterError, match=r"truth has the shape \(4,\); there are 5 answers"):
        estimate_page(collection, estimate, truth=np.zeros(4))
    with pytest.raises(ParameterError, match="level must be between 0 and 1, got 95"):
        estimate_page(collection, estimate, level=95)


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


@given(
    low=st.floats(-1e6, 1e6),
    length=st.floats(1e-3, 1e6),
    most=st.integers(6, 9),
)
def test_linear_ticks_are_few_and_on_the_axis(low: float, length: float, most: int) -> None:
    scale = Scale.over(np.array([low, low + length]))
    ticks = scale.ticks(most)
    assert 2 <= ticks.size <= most
    places = scale.place(ticks)
    assert np.all((places >= 0) & (places <= 100))
    assert np.all(np.diff(places) > 0)


@given(low=st.floats(-12, 6), length=st.floats(0.01, 20), most=st.integers(6, 9))
def test_log_ticks_are_few_and_on_the_axis(low: float, length: float, most: int) -> None:
    scale = Scale.over(10 ** np.array([low, low + length]), log=True)
    ticks = scale.ticks(most)
    assert 2 <= ticks.size <= most
    assert np.all((scale.low <= ticks) & (ticks <= scale.high))


@given(value=st.floats(-5, 5))
def test_a_single_value_still_has_an_axis(value: float) -> None:
    scale = Scale.over(np.array([value]))
    assert scale.low < value < scale.high
