"""How often intervals of a distribution hold the truth: bins, shares below a place, quantiles.

The people are the same in all collections; what is drawn anew is the noise. An interval of a
quantile reaches from the first place that a test doesn't reject to the last, so that it holds the
true place where that isn't rejected, or lies between two that aren't.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare import Seeded, SquareWave
from sudare.estimation.window_shares import WindowShares

LEVEL = 0.95
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
STEPS = 999
# Reports that are many enough for an ε; below them intervals of quantiles hold more often.
ENOUGH = ((0.5, 300_000), (1.0, 50_000), (1.0, 200_000), (2.0, 20_000), (4.0, 20_000))
FEW = ((0.5, 10_000), (1.0, 2_000), (2.0, 1_000), (4.0, 300))

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Coverage:
    """How often intervals of 95 % hold the truth, in parts of 1.

    Attributes:
        shape: of the true distribution.
        epsilon: of a report.
        n: reports of a collection.
        collections: that were simulated.
        bins: the share of a bin, in the mean over all.
        below: the share below an edge of a bin, in the mean over all.
        quantiles: each of those told.
        few: whether these reports are few.
    """

    shape: str
    epsilon: float
    n: int
    collections: int
    bins: float
    below: float
    quantiles: dict[str, float]
    few: bool

    def document(self) -> dict[str, Any]:
        """The row as JSON values."""
        return asdict(self)


def shapes(people: int) -> dict[str, NDArray[np.int64]]:
    """How many of the people hold each number."""
    place = (np.arange(STEPS + 1) + 0.5) / (STEPS + 1)
    two = 0.6 * _bell(place, 0.3, 0.1) + 0.4 * _bell(place, 0.75, 0.08)
    weights = {
        "bell": _bell(place, 0.5, 0.15),
        "skewed": place**0.5 * (1 - place) ** 4,
        "two humps": two,
    }
    found = {}
    for name, weight in weights.items():
        before = np.round(people * np.cumsum(weight) / weight.sum()).astype(np.int64)
        found[name] = np.diff(before, prepend=0)
    return found


def _bell(place: Floats, middle: float, width: float) -> Floats:
    weight: Floats = np.exp(-(((place - middle) / width) ** 2) / 2) / width
    return weight


def rows(collections: int, seed: int) -> Iterator[Coverage]:
    """Every shape, ε and number of reports."""
    rng = Seeded(seed)
    for epsilon, n in (*ENOUGH, *FEW):
        for shape, people in shapes(n).items():
            wave = SquareWave.calibrate(STEPS, epsilon)
            yield covered(wave, shape, people, collections, rng)


def covered(
    wave: SquareWave, shape: str, people: NDArray[np.int64], collections: int, rng: Seeded
) -> Coverage:
    """How often intervals hold the truth of these people."""
    held, windows = wave.domain.held(people), wave.window_shares
    n = int(held.sum())
    counts = simulated(windows, held, collections, rng)
    before = np.concatenate([[0.0], np.cumsum(held) / n])
    edges = np.arange(1.0, wave.bins)
    places = np.interp(QUANTILES, before, np.arange(wave.bins + 1.0)).tolist()
    truths = dict(zip(map(str, QUANTILES), places, strict=True))
    low, high = windows.sums(counts, n, np.eye(wave.bins)).interval(LEVEL)
    bins = (low <= held[:, np.newaxis] / n) & (held[:, np.newaxis] / n <= high)
    low, high = windows.up_to(counts, n, edges).interval(LEVEL)
    below = (low <= before[1:-1, np.newaxis]) & (before[1:-1, np.newaxis] <= high)
    return Coverage(
        shape=shape,
        epsilon=float(f"{wave.epsilon:.6g}"),
        n=n,
        collections=collections,
        bins=float(bins.mean()),
        below=float(below.mean()),
        quantiles={
            share: float(_holds(windows, counts, n, float(share), place).mean())
            for share, place in truths.items()
        },
        few=(round(wave.epsilon, 6), n) in FEW,
    )


def simulated(
    windows: WindowShares, held: NDArray[np.int64], collections: int, rng: Seeded
) -> NDArray[np.int64]:
    """How many reports give each output, a column for each collection."""
    law = windows.law / windows.law.sum(axis=0)
    generator = rng.generator()
    drawn = [generator.multinomial(count, law[:, b], collections) for b, count in enumerate(held)]
    counts: NDArray[np.int64] = np.sum(drawn, axis=0).T
    return counts


def _holds(
    windows: WindowShares, counts: NDArray[np.int64], n: int, share: float, truth: float
) -> NDArray[np.bool_]:
    """Whether the interval of a quantile holds its true place, for each collection."""
    whole = np.arange(windows.bins + 1.0)
    places = np.unique(np.append(np.arange(4 * windows.bins + 1) / 4, truth))
    low, high = windows.up_to(counts, n, places).interval(LEVEL)
    taken = (low <= share) & (share <= high)
    known = windows.up_to(counts, n, whole).values - share
    crossed = known[:-1] * known[1:] <= 0  # there the estimate is the share, and isn't rejected
    slope = np.where(known[:-1] == known[1:], 1.0, known[1:] - known[:-1])
    at = np.where(crossed, whole[:-1, np.newaxis] - known[:-1] / slope, np.nan)
    first = np.minimum(_first(places, taken), np.nanmin(at, axis=0))
    last = np.maximum(-_first(-places[::-1], taken[::-1]), np.nanmax(at, axis=0))
    return np.asarray((first <= truth) & (truth <= last), np.bool_)


def _first(places: Floats, taken: NDArray[np.bool_]) -> Floats:
    """The first place that is taken, for each collection; infinity where none is."""
    return np.where(taken.any(axis=0), places[np.argmax(taken, axis=0)], np.inf)
