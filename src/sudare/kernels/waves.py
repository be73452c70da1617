"""A number's bin as one of the outputs in the window around it, or another output."""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled


@compiled
def surround(  # noqa: PLR0913, PLR0917 - compiled code takes its arguments by position
    values: NDArray[np.integer],
    bins: NDArray[np.uint16],
    honest: NDArray[np.bool_],
    near: NDArray[np.uint16],
    width: int,
    far: NDArray[np.uint16],
    others: int,
    out: NDArray[np.unsignedinteger],
) -> None:
    """Write an output of each window where the coin is honest, else one that isn't in it.

    Both are uniform: a lane of 16 random bits times their number, shifted by 16 (Lemire 2019,
    "Fast random integer generation in an interval").

    Args:
        values: True numbers.
        bins: The bin of each number, where its window begins.
        honest: One coin per person.
        near: One lane per person, fair for ``width``.
        width: How many outputs a window has.
        far: One lane per person, fair for ``others``.
        others: How many outputs are not in a window.
        out: Receives the reports.
    """
    inside, outside = np.uint32(width), np.uint32(others)
    for i in range(values.size):
        first = np.uint32(bins[values[i]])
        lie = np.uint32(np.uint32(np.uint32(far[i]) * outside) >> np.uint32(16))
        lie += inside * np.uint32(lie >= first)  # skip over the window
        truth = first + np.uint32(np.uint32(np.uint32(near[i]) * inside) >> np.uint32(16))
        out[i] = truth if honest[i] else lie


@compiled
def smooth(  # noqa: PLR0913, PLR0917 - compiled code takes its arguments by position
    told: NDArray[np.float64],
    width: int,
    chances: tuple[float, float],
    bins: NDArray[np.float64],
    moved: float,
    limits: tuple[float, int],
) -> tuple[NDArray[np.float64], float, int]:
    """Steps of expectation maximisation, each with one of smoothing, until one changes nothing.

    Args:
        told: The share of reports that give each output.
        width: How many outputs a window has.
        chances: Of an output in the window of a bin, and of any other.
        bins: How wide each bin is, 1 in the mean.
        moved: The part of a difference between neighbours that is moved.
        limits: The sum of changes that is nothing, and the most steps.

    Returns:
        The shares, the sum of what the last step changed, and how many there were.
    """
    count = bins.size
    difference, outside = chances[0] - chances[1], chances[1]
    shares, likelier, gain = bins / bins.sum(), np.empty(count), np.empty(told.size)
    change, steps = 1.0, 0
    while change > limits[0] and steps < limits[1]:
        window, everywhere = 0.0, 0.0
        for j in range(told.size):  # how often each output was to be expected
            window += shares[j] if j < count else 0.0
            window -= shares[j - width] if j >= width else 0.0
            gain[j] = told[j] / (outside + difference * max(window, 0.0))
            everywhere += gain[j]
        window = 0.0
        for j in range(width - 1):
            window += gain[j]
        for b in range(count):
            window += gain[b + width - 1]
            likelier[b] = shares[b] * (outside * everywhere + difference * window)
            window -= gain[b]
        over = 0.0
        change = 0.0
        for b in range(count):
            under = over  # what comes from the bin below
            over = 0.0
            if b + 1 < count:
                between = 2 * bins[b] * bins[b + 1] / (bins[b] + bins[b + 1])
                over = moved * between * (likelier[b] / bins[b] - likelier[b + 1] / bins[b + 1])
            after = likelier[b] + under - over
            change += abs(after - shares[b])
            shares[b] = after
        steps += 1
    return shares, change, steps
