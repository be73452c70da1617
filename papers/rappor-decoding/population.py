"""Who is asked: 20,000 people, 100 strings by Zipf's law, and 100 candidates nobody holds."""

import numpy as np
from numpy.typing import NDArray

PEOPLE = 20_000
HELD = 100
CANDIDATES = tuple(f"{number:03d}" for number in range(1, 201))
HELD_FLAGS = np.arange(len(CANDIDATES)) < HELD
ZIPF = 0.7


def shares() -> NDArray[np.float64]:
    """The share of each string that is held: 1/r^0.7, scaled to sum to 1."""
    weights = np.arange(1, HELD + 1) ** -ZIPF
    return np.asarray(weights / weights.sum())
