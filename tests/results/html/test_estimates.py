"""The page of listed answers, read back as a browser would: it says what the numbers say."""

from dataclasses import replace

import numpy as np
import pytest

from sudare import GRR, OUE, Collection, Estimate, Mechanism, Seeded
from sudare.errors import ParameterError
from sudare.results.html import estimate_page
from sudare.results.html.scale import Floats
from sudare.results.wording import p_value
from support.markup import Node, number, place, read


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
        *("Consistent", "Present? (p-value)", people, "Truth"),
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
