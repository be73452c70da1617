"""Intervals of shares and of quantiles from reports by windows."""

import json
from pathlib import Path

import numpy as np
import pytest

from sudare import Seeded, SquareWave
from sudare.laws.draws import ALPHA, two_sided
from support.scripts import paper_module

PAPER = Path(__file__).parents[2] / "papers" / "number-distribution"
COLLECTIONS = 3000


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """What was simulated 20,000 times for each case: between 94 and 96 %, all of it."""
    rows = json.loads((PAPER / "result.json").read_bytes())["coverage"]
    assert min(row["collections"] for row in rows) >= 20_000
    kept = [row for row in rows if not row["few"]]
    assert {row["epsilon"] for row in kept} == {0.5, 1, 2, 4}
    for row in kept:
        for share in (row["bins"], row["below"], *row["quantiles"].values()):
            assert 0.94 <= share <= 0.96, row
    for row in rows:  # of few reports, quantiles hold more often, never less
        assert 0.94 <= row["bins"] <= 0.96
        assert 0.94 <= row["below"] <= 0.96
        assert min(row["quantiles"].values()) >= 0.94


def test_a_share_of_that_is_simulated_again(seed: int) -> None:
    """A quantile's coverage, by the paper's own code: fails by chance with 5e-9 at most.

    An interval of 90 %, where one of 95 % is stated, would be noticed.
    """
    paper = paper_module("number-distribution", "wave_intervals")
    people = paper.shapes(200_000)["bell"]
    wave = SquareWave.calibrate(paper.STEPS, 1.0)
    found = paper.covered(wave, "bell", people, COLLECTIONS, Seeded(seed))
    stated = json.loads((PAPER / "result.json").read_bytes())["coverage"]
    row = next(row for row in stated if (row["shape"], row["n"]) == ("bell", 200_000))
    for name, share in found.quantiles.items():
        held = round(share * COLLECTIONS)
        assert two_sided(held, COLLECTIONS, row["quantiles"][name]) > ALPHA
        assert two_sided(held, COLLECTIONS, 0.9) < ALPHA


@pytest.mark.parametrize(("epsilon", "n"), [(1.0, 20_000), (1.0, 1000), (4.0, 10**6)])
def test_an_interval_of_a_quantile_ends_where_the_test_begins_to_reject(
    epsilon: float, n: int, seed: int
) -> None:
    wave = SquareWave.calibrate(999, epsilon)
    windows = wave.window_shares
    held = np.diff(np.round(n * np.linspace(0, 1, 1001) ** 1.5).astype(np.int64))
    counts = wave.simulate(held, Seeded(seed)).counts

    def estimated(places: np.ndarray) -> object:
        return windows.up_to(counts, n, places)

    def holds(place: float, share: float) -> bool:
        low, high = windows.up_to(counts, n, np.array([place])).interval(0.95)
        return bool(low[0] <= share <= high[0])

    for share in (0.05, 0.3, 0.5, 0.99):
        low, high = windows.place_interval(estimated, share, 0.95)  # type: ignore[arg-type]
        assert 0 <= low <= high <= wave.bins
        assert holds(low, share)
        assert holds(high, share)
        assert low == 0 or not holds(low - 1e-6, share)
        assert high == wave.bins or not holds(high + 1e-6, share)
        fine = np.linspace(0, wave.bins, 5000)
        lower, upper = windows.up_to(counts, n, fine).interval(0.95)
        kept = fine[(lower <= share) & (share <= upper)]
        assert not len(kept) or (kept[0] >= low - 0.26 and kept[-1] <= high + 0.26)


def test_a_quantile_is_known_however_narrow_its_interval_is() -> None:
    """A billion people in one bin: nothing is rejected where the estimate is the share."""
    wave = SquareWave.calibrate(15, 4.0)
    held = np.zeros(16, np.int64)
    held[5] = 10**9
    counts = wave.simulate(held, Seeded(3)).counts
    windows = wave.window_shares
    low, high = windows.place_interval(
        lambda places: windows.up_to(counts, 10**9, places), 0.5, 0.95
    )
    assert 5.49 < low <= high < 5.51


@pytest.mark.parametrize(("n", "low"), [(5, 1), (10, 3), (12, 5)])
def test_a_quantile_at_an_end_has_an_interval_where_it_is_a_point(n: int, low: int) -> None:
    windows, counts = SquareWave.calibrate(1, 1.0, 2).window_shares, np.array([low, n - low])
    for quantile in (1e-9, 1 - 1e-9):
        first, last = windows.place_interval(
            lambda places: windows.up_to(counts, n, places), quantile, 0.95
        )
        assert 0 <= first <= last <= windows.bins
