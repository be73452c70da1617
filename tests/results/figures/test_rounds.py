"""The figure of shares over time holds the numbers it was given."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import StepPatch

from sudare import Glance
from sudare.errors import ParameterError
from sudare.estimation.rounds import StreamEstimate
from sudare.mechanisms.aggregate import Aggregate
from sudare.results import figures
from support.figures import line_of


def estimate(counts: list[list[int]]) -> StreamEstimate:
    mechanism = Glance.calibrate(len(counts), 2.0)
    return mechanism.estimate(
        Aggregate(mechanism.key, int(np.sum(counts)), np.array(counts, np.int64))
    )


GAPS = estimate([[30, 50], [70, 9], [0, 0], [40, 45], [0, 0], [20, 60]])
TOLD = GAPS.rounds - 1


def test_estimates_intervals_and_band_are_drawn_where_they_are() -> None:
    figure = figures.rounds_figure(GAPS, level=0.9, title="Online?", y_label="share of “yes”")
    drawn = np.array(line_of(figure, "estimate").get_xydata())
    assert drawn[TOLD, 1].tolist() == GAPS.values.tolist()
    assert drawn[TOLD, 0].tolist() == GAPS.rounds.tolist()
    assert np.isnan(np.delete(drawn[:, 1], TOLD)).all()  # a gap, not a 0
    band, interval = (patch for patch in figure.axes[0].patches if isinstance(patch, StepPatch))
    for patch, (low, high) in ((band, GAPS.simultaneous(0.9)), (interval, GAPS.interval(0.9))):
        top, edges, bottom = patch.get_data()
        assert edges.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
        assert np.asarray(top)[TOLD].tolist() == high.tolist()
        assert np.asarray(bottom)[TOLD].tolist() == low.tolist()
        assert np.isnan(np.delete(top, TOLD)).all()
    assert np.array(line_of(figure, "no estimate").get_xydata())[:, 0].tolist() == [3, 5]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    sure = "90\N{NO-BREAK SPACE}%"
    assert {f"{sure} band, all rounds at once", f"{sure} interval of a round"} <= set(labels)
    assert figure.axes[0].get_ylabel() == "share of “yes”"


def test_without_gaps_none_is_in_the_legend() -> None:
    figure = figures.rounds_figure(estimate([[3, 4]] * 5))
    assert "no estimate" not in [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_axis_holds_the_band_below_zero_and_above_one() -> None:
    wide = estimate([[9, 0], [0, 9]])
    low, high = wide.simultaneous()
    assert low.min() < 0
    assert high.max() > 1
    bottom, top = figures.rounds_figure(wide).axes[0].get_ylim()
    assert bottom < low.min()
    assert top > high.max()


def test_the_truth_stands_beside_it() -> None:
    truth = np.linspace(0.1, 0.9, 6)
    figure = figures.rounds_figure(GAPS, truth=truth)
    assert np.array(line_of(figure, "truth").get_xydata())[:, 1].tolist() == truth.tolist()
    with pytest.raises(ParameterError, match="truth must be 6 shares, one per round, got 5"):
        figures.rounds_figure(GAPS, truth=truth[:5])


@pytest.mark.parametrize("rounds", [1, 2, 1000])
def test_any_number_of_rounds_can_be_saved(rounds: int, tmp_path: Path) -> None:
    figure = figures.rounds_figure(estimate([[5, 3]] * rounds), title="$Which_ tea$?")
    figures.save(figure, tmp_path / "a.svg")
    again = figures.rounds_figure(estimate([[5, 3]] * rounds), title="$Which_ tea$?")
    figures.save(again, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_long_label_is_cut() -> None:
    figure = figures.rounds_figure(GAPS, y_label="share of " + 500 * "x")
    assert len(figure.axes[0].get_ylabel()) < 60
