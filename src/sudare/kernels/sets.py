"""Subsets of what a person has and of what they haven't, put together as one set."""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

ONE = np.uint64(1)
SIX = np.uint64(6)
SIXTY_THREE = np.uint64(63)


@compiled
def _bit(words: NDArray[np.uint64], row: int, place: int) -> np.uint64:
    at = np.uint64(place)
    bit: np.uint64 = words[row, np.intp(at >> SIX)] >> (at & SIXTY_THREE) & ONE
    return bit


@compiled
def place(
    values: NDArray[np.uint8],
    own: NDArray[np.uint64],
    strange: NDArray[np.uint64],
    most: int,
    out: NDArray[np.uint64],
) -> None:
    """Write sets that have the i-th of a person's items if ``own`` has i, and so of all others.

    Args:
        values: One row of 0 and 1 per person, the answers that are selected; blanks follow.
        own: One row of packed bits per person, for their ``most`` items.
        strange: One row of packed bits per person, for all other items.
        most: How many items everybody has, and how many blanks there are.
        out: One row of packed bits per person, for all items.
    """
    answers = values.shape[1]
    for row in range(values.shape[0]):
        mine = 0
        for word in range(out.shape[1]):
            gathered = np.uint64(0)
            for item in range(64 * word, min(64 * word + 64, answers + most)):
                # As many blanks as are missing: so long as not all of a person's items have come.
                held = values[row, item] == 1 if item < answers else mine < most
                if held:
                    bit = _bit(own, row, mine)
                    mine += 1
                else:
                    bit = _bit(strange, row, item - mine)
                gathered |= bit << np.uint64(item - 64 * word)
            out[row, word] = gathered
