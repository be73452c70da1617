"""Figures of streams hold the runs and errors they were given."""

import numpy as np
import pytest
from matplotlib.container import BarContainer

from sudare import Seeded
from sudare.errors import ParameterError
from sudare.results import figures
from sudare.simulation.experiments import (
    METHODS,
    MaximalErrorCurve,
    Run,
    compare_streams,
    error_series,
    run_once,
)
from sudare.simulation.scenarios import counted, stream
from support.figures import line_of


def runs(*names: str, people: int = 5000) -> list[Run]:
    truth = stream("step", 30, people, Seeded(1))
    return [run_once(name, METHODS[name](30, 4.0), truth, Seeded(2)) for name in names]


def test_a_run_is_truth_estimates_and_band() -> None:
    (run,) = runs("kshot")
    figure = figures.stream_figure([run], level=0.9, title="Who is online?")
    assert np.asarray(line_of(figure, "truth").get_ydata()).tolist() == run.truth.tolist()
    assert np.asarray(line_of(figure, "estimate").get_ydata()).tolist() == run.shares.tolist()
    (band,) = figure.axes[0].containers
    assert isinstance(band, BarContainer)
    assert run.estimate is not None
    low, high = run.estimate.simultaneous(0.9)
    assert [bar.get_y() for bar in band.patches] == low.tolist()
    tops = [bar.get_y() + bar.get_height() for bar in band.patches]
    assert tops == pytest.approx(high.tolist())
    labels = [text.get_text() for text in figure.legends[0].texts]
    assert "90\N{NO-BREAK SPACE}% band for all rounds" in labels


def test_rounds_without_reports_are_gaps_and_marks() -> None:
    (run,) = runs("glance", people=25)
    figure = figures.stream_figure([run])
    assert run.missing
    silent = [number for number, share in enumerate(run.shares, 1) if np.isnan(share)]
    assert np.asarray(line_of(figure, "no reports").get_xdata()).tolist() == silent
    assert np.isnan(np.asarray(line_of(figure, "estimate").get_ydata())).sum() == run.missing
    assert len(figure.axes[0].containers[0]) == 30 - run.missing


def test_every_method_has_a_panel_and_all_one_scale() -> None:
    some = runs("glance", "borappor", "lpa")
    figure = figures.stream_figure(some)
    assert [axes.get_title("left") for axes in figure.axes] == ["glance", "borappor", "lpa"]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    low, high = figure.axes[0].get_ylim()
    for run in some:
        assert low < run.shares.min()
        assert run.shares.max() < high
    assert not figure.axes[2].containers  # published shares have no band


def test_errors_are_joined_points_on_a_logarithmic_axis() -> None:
    truth = counted([0.5] * 5, 200)
    methods = {name: METHODS[name] for name in ("glance", "kshot", "lpu")}
    curves = error_series(compare_streams({"x": truth}, methods, [1.0, 2.0, 4.0], 20, Seeded(1)))
    axes = figures.stream_error_figure(curves, title="Errors").axes[0]
    assert axes.get_yscale() == "log"
    joined = [line for line in axes.lines if line.get_label() == "_joined"]
    for curve, line in zip(curves, joined, strict=True):
        assert np.asarray(line.get_ydata()).tolist() == curve.y.tolist()
    assert len({str(line.get_color()) for line in joined}) == 3


def test_one_round_is_seen() -> None:
    run = run_once("glance", METHODS["glance"](1, 4.0), counted([0.5], 100), Seeded(1))
    figure = figures.stream_figure([run])
    assert line_of(figure, "truth").get_marker() == "_"
    low, high = figure.axes[0].get_xlim()
    assert [tick for tick in figure.axes[0].get_xticks() if low <= tick <= high] == [1]
    (many,) = runs("glance")
    assert not line_of(figures.stream_figure([many]), "truth").get_marker()


def test_errors_that_are_one_number_have_plain_ticks() -> None:
    one = np.array([100.0008333])
    curve = MaximalErrorCurve("borappor", np.array([4.0]), one, np.array([1e-11]))
    figure = figures.stream_error_figure([curve])
    figure.draw_without_rendering()
    axes = figure.axes[0]
    assert not axes.yaxis.get_major_formatter().get_offset()
    assert all(len(tick.get_text()) < 8 for tick in axes.get_yticklabels())


def test_a_figure_of_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least 1 run, got 0"):
        figures.stream_figure([])
