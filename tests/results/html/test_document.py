"""What holds for every page: it stands alone, says labels as text, and can be seen by all."""

import re
from dataclasses import replace

import numpy as np
import pytest

from sudare import GRR, Collection, Seeded
from sudare.results.html import error_page, estimate_page
from sudare.simulation.comparison import ErrorCurve
from support.markup import read

HOSTILE = '<script>alert("1")</script>&\'"><svg onload=x>'


def hostile_pages() -> list[str]:
    mechanism = GRR(2, 0.75)
    collection = Collection(HOSTILE, HOSTILE, (HOSTILE, "緑茶"), mechanism)
    aggregate = replace(mechanism.simulate([30, 70], Seeded(1)), key=collection.key)
    x = np.array([1.0, 2.0])
    return [
        estimate_page(collection, collection.estimate(aggregate), notes=[HOSTILE]),
        error_page(
            HOSTILE,
            [ErrorCurve(HOSTILE, x, x, x / 10, x, x[:, None])],
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
