"""How far smooth distributions are from the truth, by how much they are smoothed.

Beside the rule that is used stand the best constant for each case, found by trying, and the
constant 1/4 that was published for 1024 buckets (Li et al., SIGMOD 2020).
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wave_intervals import STEPS, shapes, simulated

from sudare import Seeded, SquareWave
from sudare.estimation.smoothed import smoothed, smoothing
from sudare.estimation.window_shares import WindowShares

EPSILONS, REPORTS, BINS = (0.5, 1.0, 2.0, 4.0), (1_000, 10_000, 100_000), (8, 16, 32, 64)
FIXED = 0.25
TRIED = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, FIXED)


@dataclass(frozen=True)
class Smoothing:
    """Wasserstein distances, in parts of the range, in the mean over shapes and collections.

    Attributes:
        epsilon: of a report.
        n: reports of a collection.
        bins: how many there are.
        rule: the distance with the smoothing that the rule says.
        best: with the best constant.
        fixed: with a constant of 1/4.
    """

    epsilon: float
    n: int
    bins: int
    rule: float
    best: float
    fixed: float

    def document(self) -> dict[str, Any]:
        """The row as JSON values."""
        return asdict(self)


def rows(collections: int, seed: int) -> Iterator[Smoothing]:
    """Every ε, number of reports and number of bins."""
    rng = Seeded(seed)
    for epsilon in EPSILONS:
        for n in REPORTS:
            for bins in BINS:
                wave = SquareWave.calibrate(STEPS, epsilon, bins=bins)
                ruled = smoothing(bins, n)
                tried = (ruled, *TRIED)
                found = np.mean(
                    [
                        _distances(wave, people, collections, tried, rng)
                        for people in shapes(n).values()
                    ],
                    axis=0,
                )
                yield Smoothing(
                    epsilon=epsilon,
                    n=n,
                    bins=bins,
                    rule=float(found[0]),
                    best=float(found.min()),
                    fixed=float(found[-1]),
                )


def _distances(
    wave: SquareWave,
    people: NDArray[np.int64],
    collections: int,
    tried: tuple[float, ...],
    rng: Seeded,
) -> NDArray[np.float64]:
    """The mean distance of collections of these people, for each smoothing that is tried."""
    counts = simulated(wave.window_shares, wave.domain.held(people), collections, rng)
    widths, truth = np.diff(wave.domain.edges), np.cumsum(people) / people.sum()
    return np.array(
        [
            np.mean(
                [_distance(wave.window_shares, each, widths, moved, truth) for each in counts.T]
            )
            for moved in tried
        ]
    )


def _distance(
    windows: WindowShares,
    counts: NDArray[np.int64],
    widths: NDArray[np.int64],
    moved: float,
    truth: NDArray[np.float64],
) -> float:
    shares = smoothed(counts, windows, widths, moved).shares
    before = np.concatenate([[0.0], np.cumsum(shares)])
    places = np.arange(1, len(truth) + 1) / len(truth)
    found = np.interp(places, np.linspace(0, 1, len(before)), before)
    return float(np.abs(found - truth).mean())
