"""Figures hold the numbers they were given, and files are what their suffix says."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure

from sudare import GRR, OUE, Estimate, Seeded
from sudare.errors import ParameterError
from sudare.estimation.estimate import Interval
from sudare.results import figures as plots
from sudare.results.figures import frame
from sudare.simulation.comparison import ErrorCurve, error_curves
from support.tools import JAPANESE_FONT

TEAS = ("お〜いお茶", "伊右衛門", "綾鷹", "生茶", "明大茶")


@pytest.fixture
def fresh_fonts() -> Iterator[None]:
    yield
    frame.family.cache_clear()
    frame._drawable.cache_clear()


def estimate_of(k: int) -> Estimate:
    mechanism = GRR.calibrate(k, 1.0)
    return mechanism.estimate(mechanism.simulate(np.arange(1, k + 1), Seeded(k)))


def curves() -> list[ErrorCurve]:
    return error_curves([GRR, OUE], [9, 5, 2], [0.5, 1.0, 2.0], 10, Seeded(1))


def names_of(figure: Figure) -> list[str]:
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.axes[0].get_yticklabels()]


def points_of(figure: Figure, label: str) -> list[float]:
    (line,) = (line for line in figure.axes[0].lines if line.get_label() == label)
    return [float(x) for x in np.asarray(line.get_xdata())]


def ends_of(bars: ErrorbarContainer) -> np.ndarray:
    (lines,) = bars.lines[2]
    assert isinstance(lines, LineCollection)
    return np.array(lines.get_segments())


@pytest.mark.parametrize("k", [2, 5, 43])
def test_an_estimate_is_bars_with_its_intervals(k: int) -> None:
    estimate = estimate_of(k)
    truth, reported = np.full(k, 1 / k), np.linspace(0, 1, k)
    figure = plots.estimate_figure(estimate, level=0.9, truth=truth, reported=reported)
    bars, intervals = figure.axes[0].containers
    assert isinstance(bars, BarContainer)
    assert isinstance(intervals, ErrorbarContainer)
    assert [bar.get_width() for bar in bars.patches] == estimate.values.tolist()
    np.testing.assert_allclose(ends_of(intervals)[:, :, 0].T, estimate.interval(0.9))
    assert points_of(figure, "truth") == truth.tolist()
    assert points_of(figure, "reported") == reported.tolist()


@pytest.mark.parametrize("k", [2, 43])
def test_every_interval_is_inside_the_figure(k: int) -> None:
    estimate = estimate_of(k)
    left, right = plots.estimate_figure(estimate).axes[0].get_xlim()
    low, high = estimate.interval()
    assert left < low.min() < 0
    assert high.max() < right


def test_43_names_stand_clear_of_each_other() -> None:
    figure = plots.estimate_figure(estimate_of(43).labelled([f"A{i}" for i in range(1, 44)]))
    assert names_of(figure) == [f"A{i}" for i in range(1, 44)]
    boxes = [text.get_window_extent() for text in figure.axes[0].get_yticklabels()]
    assert all(above.y0 > below.y1 for above, below in pairwise(boxes))


def test_of_very_many_answers_some_are_named() -> None:
    names = names_of(plots.estimate_figure(estimate_of(400)))
    assert names[:3] == ["0", "3", "6"]


def test_japanese_names_are_drawn(tmp_path: Path) -> None:
    JAPANESE_FONT.path()
    figure = plots.estimate_figure(estimate_of(5).labelled(TEAS), title="お茶")
    assert names_of(figure) == list(TEAS)
    for suffix in ("png", "svg", "pdf"):  # a glyph that is missing would warn
        plots.save(figure, tmp_path / f"teas.{suffix}")


@pytest.mark.usefixtures("fresh_fonts")
def test_without_a_japanese_font_nothing_warns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(frame, "_JAPANESE", ())
    frame.family.cache_clear()
    frame._drawable.cache_clear()
    figure = plots.estimate_figure(estimate_of(5).labelled((*TEAS[:4], "tea")), title="お茶 tea")
    assert names_of(figure) == ["0", "1", "2", "3", "tea"]
    assert figure.get_suptitle() == "?? tea"
    plots.save(figure, tmp_path / "teas.png")


def test_names_are_text_not_mathematics(tmp_path: Path) -> None:
    hard = ("$5 to $x^{", "a\tb\nc", "x" * 99, "\U0001f375\x00")
    figure = plots.estimate_figure(estimate_of(4).labelled(hard), title="$5", level=0.99)
    assert names_of(figure) == ["$5 to $x^{", "a b c", "x" * 39 + "…", "3"]
    plots.save(figure, tmp_path / "hard.svg")


def test_truth_has_one_share_per_answer() -> None:
    with pytest.raises(ParameterError, match="truth must be 5 shares, one per answer, got 4"):
        plots.estimate_figure(estimate_of(5), truth=[0.25] * 4)


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
    figure = plots.decoded_figure(found, leaning, whole, level=0.9, title="?")
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
    figure = plots.decoded_figure(found, leaning, whole, of=7)
    assert figure.axes[0].get_title("left") == "the 3 largest of 7 found"
    nothing = np.empty(0)
    none = Estimate(1000, nothing, nothing, nothing)
    (alone,) = plots.decoded_figure(none, Interval(nothing, nothing), whole).axes
    assert len(alone.patches) == 2
    plots.save(alone.figure.get_figure(root=True), tmp_path / "none.png")


def test_candidates_that_are_all_there_are_stand_alone() -> None:
    found, leaning, _ = decoded_estimates(99)
    (axes,) = plots.decoded_figure(found, leaning, None, of=120).axes
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
    figure = plots.decoded_figure(found.labelled(texts), leaning, whole)
    width = 19 if len(frame.family()) > 1 else 0
    names = names_of(figure)
    assert names[0] == ("緑" * width if width else "?" * 19) + "…"
    assert names[1:] == ["x" * 39 + "…", "?? tea", "a b"]
    plots.save(figure, tmp_path / "texts.svg")


def test_errors_are_points_bars_and_theory_on_a_log_axis() -> None:
    measured = curves()
    figure = plots.error_figure(measured, y_label="people²", marks={"crossing $": 1.5})
    axes = figure.axes[0]
    assert axes.get_yscale() == "log"
    assert axes.get_ylabel() == "people²"
    assert [text.get_text() for text in axes.texts] == ["crossing $"]
    assert [1.5, 1.5] in [np.asarray(line.get_xdata()).tolist() for line in axes.lines]
    for curve, bars in zip(measured, axes.containers, strict=True):
        assert isinstance(bars, ErrorbarContainer)
        assert bars.get_label() == curve.label
        assert np.asarray(bars.lines[0].get_ydata()).tolist() == curve.y.tolist()
        half = np.diff(ends_of(bars)[:, :, 1], axis=1)[:, 0] / 2
        np.testing.assert_allclose(half, 1.959964 * curve.stderr)
    drawn = [np.asarray(line.get_ydata()).tolist() for line in axes.lines]
    assert all(curve.theory.tolist() in drawn for curve in measured)


def test_more_curves_than_colours_and_none() -> None:
    assert len(plots.error_figure(curves() * 4).axes[0].containers) == 8
    assert not plots.error_figure([]).axes[0].containers


@pytest.mark.parametrize(
    ("suffix", "signature"),
    [("png", rb"\x89PNG\r\n"), ("svg", rb"<\?xml"), ("pdf", rb"%PDF-"), ("PNG", rb"\x89PNG")],
)
def test_a_file_is_what_its_suffix_says_and_repeats(
    suffix: str, signature: bytes, tmp_path: Path
) -> None:
    first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    for path in (first, second):
        plots.save(plots.error_figure(curves(), title="twice"), path)
    assert re.match(signature, first.read_bytes())
    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first, second]


@pytest.mark.parametrize("name", ["plot.gif", "plot", "plot.html"])
def test_another_suffix_is_refused_and_nothing_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"saved as \.png, \.svg, \.pdf; got .*plot"):
        plots.save(plots.error_figure([]), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(_: Figure, path: Path, **_options: object) -> None:
        path.write_text("half")
        raise OSError("no space left")

    path = tmp_path / "plot.svg"
    path.write_text("old")
    monkeypatch.setattr(Figure, "savefig", full)
    with pytest.raises(OSError, match="no space"):
        plots.save(plots.error_figure([]), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_less_than_a_decade_has_plain_numbers() -> None:
    y = np.array([0.8, 1.2])
    flat = ErrorCurve("flat", np.array([1.0, 2.0]), y, 0 * y, y, y[:, None])
    names = names_of(plots.error_figure([flat]))
    assert "1.0" in names
    assert not any("10^" in name for name in names)


@pytest.mark.parametrize("lifetime", [2.0, None])
def test_the_cost_of_many_reports_is_a_line_below_its_bound(lifetime: float | None) -> None:
    figure = plots.cost_figure([1, 10, 100], [1.0, 1.5, 1.9], lifetime, title="$\\alpha$ tea")
    (axes,) = figure.axes
    line, *bound = axes.lines
    assert np.asarray(line.get_xydata()).tolist() == [[1, 1.0], [10, 1.5], [100, 1.9]]
    assert [np.asarray(drawn.get_ydata()).tolist() for drawn in bound] == (
        [] if lifetime is None else [[2.0, 2.0]]
    )
    assert axes.get_ylim()[0] == 0
    assert axes.get_xscale() == "log"
