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
