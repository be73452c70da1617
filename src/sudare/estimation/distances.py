"""How far an estimated distribution of numbers is from the true one."""

import numpy as np
from numpy.typing import NDArray

from sudare.estimation.estimate import Floats


def wasserstein(shares: Floats, edges: NDArray[np.int64], held: NDArray[np.int64]) -> float:
    """The Wasserstein distance between shares of bins and people, in parts of the range.

    That is how far numbers must be moved, in the mean, to make the one distribution of the other.

    Args:
        shares: of the bins, in each of which the numbers are spread evenly.
        edges: the place of the first number of each bin, and the one after the last.
        held: how many people hold each number.
    """
    places = np.arange(1, len(held) + 1)
    before = np.interp(places, edges, np.concatenate([[0.0], np.cumsum(shares)]))
    return float(np.abs(before - np.cumsum(held) / held.sum()).mean())
