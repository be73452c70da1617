"""The page of a share over time, read back as a browser would."""

import re
from dataclasses import replace

import numpy as np
import pytest

from sudare import GRR, Borappor, Collection, Glance, KShot, Seeded
from sudare.errors import ParameterError
from sudare.estimation.rounds import StreamEstimate
from sudare.mechanisms.aggregate import Aggregate
from sudare.results.html import stream_page
from sudare.results.html.scale import Floats
from support.markup import Reader, number, place, read

HOSTILE = '<script>alert("1")</script>&\'"><svg onload=x>'
ONLINE = Collection("online", "Online?", ("no", "yes"), Glance.calibrate(12, 2.0))
COUNTS = [[30, 50], [70, 9], [0, 0], [40, 45], [0, 0], [20, 60], [9, 70], [44, 40], [0, 0]]
COUNTS += [[0, 0], [50, 31], [45, 35]]


def estimate(counts: list[list[int]] = COUNTS, collection: Collection = ONLINE) -> StreamEstimate:
    total = Aggregate(collection.key, int(np.sum(counts)), np.array(counts, np.int64))
    found = collection.estimate(total)
    assert isinstance(found, StreamEstimate)
    return found


def test_the_table_says_what_the_estimate_says() -> None:
    found = estimate()
    head, *rows = read(stream_page(ONLINE, found, level=0.9)).table()
    sure = "90\N{NO-BREAK SPACE}%"
    assert head == ["Round", "Reports", "Share", f"{sure} interval", f"{sure} band"]
    assert [row[0] for row in rows] == [str(i) for i in range(1, 13)]
    told = [row for row in rows if row[2] != "no estimate"]
    assert [int(row[0]) for row in told] == found.rounds.tolist()
    assert all(row[1] == row[3] == row[4] == "–" for row in rows if row not in told)
    ends = (*found.interval(0.9), *found.simultaneous(0.9))
    for i, row in enumerate(told):
        assert int(row[1]) == found.reports[i]
        said = [number(part) for part in (row[2], *row[3].split(" to "), *row[4].split(" to "))]
        meant = [100 * float(part[i]) for part in (found.values, *ends)]
        assert said == pytest.approx(meant, abs=0.51)


def _axes(page: Reader) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where a round and a share stand: start and slope, in percent of the chart."""
    texts = page.all("text")
    across = [node for node in texts if "class" not in node.attributes]
    up = [node for node in texts if node.attributes.get("class") == "end"]
    found = []
    for nodes, side, unit in ((across, "x", 1), (up, "y", 100)):
        values = [number(node.text) / unit for node in nodes]
        slope, start = np.polyfit(values, [place(node, side) for node in nodes], 1)
        found.append((float(start), float(slope)))
    return found[0], found[1]


def _outlines(path: str) -> list[Floats]:
    parts = path.removeprefix("M").split("M")
    return [
        np.array([[float(end) for end in pair.split(",")] for pair in part.strip("Z").split()])
        for part in parts
    ]


def test_the_chart_stands_where_its_axes_say() -> None:
    found = estimate()
    page = read(stream_page(ONLINE, found, level=0.9))
    (x0, dx), (y0, dy) = _axes(page)
    dots = [node for node in page.all("use") if node.attributes["href"] == "#dot"][:8]
    assert [place(node, "x") for node in dots] == pytest.approx(x0 + dx * found.rounds, abs=0.05)
    assert [place(node, "y") for node in dots] == pytest.approx(y0 + dy * found.values, abs=0.05)
    bands = [node.attributes["d"] for node in page.all("path", "band c0")]
    for path, (low, high) in zip(
        bands, (found.simultaneous(0.9), found.interval(0.9)), strict=True
    ):
        outlines = _outlines(path)
        assert [len(outline) for outline in outlines] == [8, 4, 12, 8]  # 2, 1, 3 and 2 rounds
        corners = np.concatenate([outline[: len(outline) // 2] for outline in outlines])
        sides = np.column_stack([found.rounds - 0.5, found.rounds + 0.5]).ravel()
        assert corners[:, 0] == pytest.approx(x0 + dx * sides, abs=0.05)
        assert corners[:, 1] == pytest.approx(y0 + dy * np.repeat(high, 2), abs=0.05)
        under = np.concatenate([outline[: len(outline) // 2 - 1 : -1] for outline in outlines])
        assert under[:, 1] == pytest.approx(y0 + dy * np.repeat(low, 2), abs=0.05)
    (line,) = page.all("path", "line c0")
    assert [len(run) for run in _outlines(line.attributes["d"])] == [2, 1, 3, 2]


def test_of_many_rounds_only_those_that_stand_alone_are_marked() -> None:
    long = replace(ONLINE, mechanism=Glance.calibrate(300, 2.0))
    counts = [[10, 12]] * 300
    counts[150] = counts[152] = [0, 0]
    text = stream_page(long, estimate(counts, long))
    marks = [node for node in read(text).all("use") if node.attributes["href"] == "#dot"]
    assert len(marks) == 1 + 1  # round 152, and the legend's
    assert "298 of 300 rounds" in text


def test_privacy_is_that_of_a_whole_stream() -> None:
    made = replace(ONLINE, mechanism=KShot.calibrate(12, 4.0, shots=3))
    text = stream_page(made, estimate(collection=made))
    assert "All reports of a person together are at most e<sup>ε</sup> = 54.6 times" in text
    assert "likelier under one stream of states than under another" in text
    facts = dict(zip(*_definitions(text), strict=True))
    assert facts["Reports of a person"] == "3"
    assert facts["Rounds"] == "12"
    assert facts["Privacy of all reports of a person"] == "ε = 4"
    assert facts["Mechanism"] == "KSHOT"
    assert facts["Key"] == made.key


def _definitions(text: str) -> tuple[list[str], list[str]]:
    page = read(text)
    return [node.text for node in page.all("dt")], [node.text for node in page.all("dd")]


def test_the_truth_of_a_simulation_is_drawn_and_compared() -> None:
    made = replace(ONLINE, mechanism=Borappor.calibrate(12, 40.0))
    held = np.column_stack([np.arange(0, 6000, 500), 6000 - np.arange(0, 6000, 500)])
    found = made.estimate(made.simulate(held, Seeded(1)))
    assert isinstance(found, StreamEstimate)
    truth = held[:, 1] / 6000
    text = stream_page(made, found, truth=truth)
    page = read(text)
    (line,) = page.all("path", "line c2")
    _, (y0, dy) = _axes(page)
    (points,) = _outlines(line.attributes["d"])
    assert points[:, 1] == pytest.approx(y0 + dy * truth, abs=0.05)
    low, high = found.simultaneous()
    inside = int(((low <= truth) & (truth <= high)).sum())
    assert f"The band contains {inside} of 12." in text
    assert page.table()[0][-1] == "Truth"
    assert stream_page(made, found).count("c2") < text.count("c2")


@pytest.mark.parametrize("rounds", [1, 2, 3, 7, 1000])
def test_any_number_of_rounds_has_whole_ticks(rounds: int) -> None:
    made = replace(ONLINE, mechanism=Glance.calibrate(rounds, 2.0))
    page = read(stream_page(made, estimate([[5, 3]] * rounds, made)))
    ticks = [number(node.text) for node in page.all("text") if "class" not in node.attributes]
    assert ticks
    assert all(tick == int(tick) and 1 <= tick <= rounds for tick in ticks)
    assert len(set(ticks)) == len(ticks)


def test_nothing_that_is_named_becomes_markup() -> None:
    made = replace(ONLINE, name=HOSTILE, question=HOSTILE, answers=("no", HOSTILE))
    text = stream_page(made, estimate(collection=made), notes=[HOSTILE])
    assert "<script" not in text
    assert "onload=x>" not in re.sub(r'"[^"]*"', "", text)
    assert "default-src 'none'" in text
    assert len(set(re.findall(r' id="(.*?)"', text))) == len(re.findall(r' id="', text))


def test_what_does_not_belong_together_is_refused() -> None:
    found = estimate()
    for other in (
        replace(ONLINE, mechanism=Glance.calibrate(11, 2.0)),
        Collection("tea", "Which tea?", ("green", "black"), GRR(2, 0.75)),
    ):
        with pytest.raises(ParameterError, match="is not what this estimate of 12 rounds is of"):
            stream_page(other, found)
    with pytest.raises(ParameterError, match="there are 12 rounds"):
        stream_page(ONLINE, found, truth=np.zeros(11))
    with pytest.raises(ParameterError, match="a level must be"):
        stream_page(ONLINE, found, level=1.0)
