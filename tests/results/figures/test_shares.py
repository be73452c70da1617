"""Shares as bars hold the numbers they were given: of listed answers, and of decoded texts."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.container import BarContainer, ErrorbarContainer

from sudare import GRR, Estimate, Seeded
from sudare.errors import ParameterError
from sudare.estimation.estimate import Interval
from sudare.results import figures
from sudare.results.figures import frame
from support.figures import ends_of, line_of, names_of


def estimate_of(k: int) -> Estimate:
    mechanism = GRR.calibrate(k, 1.0)
    return mechanism.estimate(mechanism.simulate(np.arange(1, k + 1), Seeded(k)))


@pytest.mark.parametrize("k", [2, 5, 43])
def test_an_estimate_is_bars_with_its_intervals(k: int) -> None:
    estimate = estimate_of(k)
    truth, reported = np.full(k, 1 / k), np.linspace(0, 1, k)
    figure = figures.estimate_figure(estimate, level=0.9, truth=truth, reported=reported)
    bars, intervals = figure.axes[0].containers
    assert isinstance(bars, BarContainer)
    assert isinstance(intervals, ErrorbarContainer)
    assert [bar.get_width() for bar in bars.patches] == estimate.values.tolist()
    np.testing.assert_allclose(ends_of(intervals)[:, :, 0].T, estimate.interval(0.9))
    assert np.asarray(line_of(figure, "truth").get_xdata()).tolist() == truth.tolist()
    assert np.asarray(line_of(figure, "reported").get_xdata()).tolist() == reported.tolist()


@pytest.mark.parametrize("k", [2, 43])
def test_every_interval_is_inside_the_figure(k: int) -> None:
    estimate = estimate_of(k)
    left, right = figures.estimate_figure(estimate).axes[0].get_xlim()
    low, high = estimate.interval()
    assert left < low.min() < 0
    assert high.max() < right


def test_43_names_stand_clear_of_each_other() -> None:
    figure = figures.estimate_figure(estimate_of(43).labelled([f"A{i}" for i in range(1, 44)]))
    assert names_of(figure) == [f"A{i}" for i in range(1, 44)]
    boxes = [text.get_window_extent() for text in figure.axes[0].get_yticklabels()]
    assert all(above.y0 > below.y1 for above, below in pairwise(boxes))


def test_of_very_many_answers_some_are_named() -> None:
    names = names_of(figures.estimate_figure(estimate_of(400)))
    assert names[:3] == ["0", "3", "6"]


def test_truth_has_one_share_per_answer() -> None:
    with pytest.raises(ParameterError, match="truth must be 5 shares, one per answer, got 4"):
        figures.estimate_figure(estimate_of(5), truth=[0.25] * 4)


def decoded_estimates(k: int) -> tuple[Estimate, Interval, Estimate]:
    """So many texts, with intervals that lean, and the whole."""
    shares = 0.02 / np.arange(1, k + 1)
    labels = tuple(f"text {i}" for i in range(k))
    found = Estimate(1000, shares, np.full(k, 0.004), np.zeros(k), labels)
    leaning = Interval(shares * 0.2, shares + 0.003)
    whole = np.array([shares.sum(), 1 - shares.sum()])
    together = Estimate(1000, whole, np.full(2, 0.01), np.zeros(2), ("found", "the rest"))
    return found, leaning, together


@pytest.mark.parametrize("k", [1, 12, 40, 99])
def test_decoded_texts_stand_above_what_they_leave(k: int) -> None:
    """The largest 40 on an axis of their own, and below it the whole from 0 to 100 %."""
    found, leaning, whole = decoded_estimates(k)
    figure = figures.decoded_figure(found, leaning, whole, level=0.9, title="?")
    above, below = figure.axes
    shown = min(k, 40)
    for axes, estimate, count, interval in (
        (above, found, shown, leaning),
        (below, whole, 2, whole.interval(0.9)),
    ):
        bars, intervals = axes.containers
        assert isinstance(bars, BarContainer)
        assert isinstance(intervals, ErrorbarContainer)
        widths = [bar.get_width() for bar in bars.patches]
        assert widths == estimate.values[:count].tolist()
        low, high = interval
        np.testing.assert_allclose(ends_of(intervals)[:, :, 0].T, (low[:count], high[:count]))
    assert names_of(figure) == list(found.labels[:shown])
    assert [bar.get_hatch() for bar in below.patches] == [None, "////"]
    left, right = below.get_xlim()
    assert (left <= 0, right >= 1) == (True, True)
    assert above.get_title("left") == ("the 40 largest of 99 found" if k > 40 else "")


def test_what_was_found_may_be_the_largest_of_more_or_nothing(tmp_path: Path) -> None:
    found, leaning, whole = decoded_estimates(3)
    figure = figures.decoded_figure(found, leaning, whole, of=7)
    assert figure.axes[0].get_title("left") == "the 3 largest of 7 found"
    nothing = np.empty(0)
    none = Estimate(1000, nothing, nothing, nothing)
    (alone,) = figures.decoded_figure(none, Interval(nothing, nothing), whole).axes
    assert len(alone.patches) == 2
    figures.save(alone.figure.get_figure(root=True), tmp_path / "none.png")


def test_candidates_that_are_all_there_are_stand_alone() -> None:
    found, leaning, _ = decoded_estimates(99)
    (axes,) = figures.decoded_figure(found, leaning, None, of=120).axes
    assert axes.get_title("left") == "the 40 largest of 120 candidates"
    bars, intervals = axes.containers
    assert isinstance(bars, BarContainer)
    assert isinstance(intervals, ErrorbarContainer)
    assert [bar.get_width() for bar in bars.patches] == found.values[:40].tolist()
    np.testing.assert_allclose(ends_of(intervals)[:, :, 0].T, np.array(leaning)[:, :40])
    assert axes.get_xlabel() == "share of 1,000 people"


def test_texts_are_cut_by_their_width_and_drawn_as_far_as_they_can_be(tmp_path: Path) -> None:
    found, leaning, whole = decoded_estimates(4)
    texts = ("緑" * 99, "x" * 9999, "\U0010fffe\x1b tea", "a\tb")
    figure = figures.decoded_figure(found.labelled(texts), leaning, whole)
    width = 19 if len(frame.family()) > 1 else 0
    names = names_of(figure)
    assert names[0] == ("緑" * width if width else "?" * 19) + "…"
    assert names[1:] == ["x" * 39 + "…", "?<U+001B> tea", "a b"]
    figures.save(figure, tmp_path / "texts.svg")
