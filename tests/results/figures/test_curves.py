"""Curves hold the errors and costs they were given."""

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer

from sudare import GRR, OUE, Seeded
from sudare.results import figures
from sudare.simulation.comparison import ErrorCurve, error_curves
from support.figures import ends_of, names_of


def curves() -> list[ErrorCurve]:
    return error_curves([GRR, OUE], [9, 5, 2], [0.5, 1.0, 2.0], 10, Seeded(1))


def test_errors_are_points_bars_and_theory_on_a_log_axis() -> None:
    measured = curves()
    figure = figures.error_figure(measured, y_label="people²", marks={"crossing $": 1.5})
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
    assert len(figures.error_figure(curves() * 4).axes[0].containers) == 8
    assert not figures.error_figure([]).axes[0].containers


def test_less_than_a_decade_has_plain_numbers() -> None:
    y = np.array([0.8, 1.2])
    flat = ErrorCurve("flat", np.array([1.0, 2.0]), y, 0 * y, y, y[:, None])
    names = names_of(figures.error_figure([flat]))
    assert "1.0" in names
    assert not any("10^" in name for name in names)


@pytest.mark.parametrize("lifetime", [2.0, None])
def test_the_cost_of_many_reports_is_a_line_below_its_bound(lifetime: float | None) -> None:
    figure = figures.cost_figure([1, 10, 100], [1.0, 1.5, 1.9], lifetime, title="$\\alpha$ tea")
    (axes,) = figure.axes
    line, *bound = axes.lines
    assert np.asarray(line.get_xydata()).tolist() == [[1, 1.0], [10, 1.5], [100, 1.9]]
    assert [np.asarray(drawn.get_ydata()).tolist() for drawn in bound] == (
        [] if lifetime is None else [[2.0, 2.0]]
    )
    assert axes.get_ylim()[0] == 0
    assert axes.get_xscale() == "log"
