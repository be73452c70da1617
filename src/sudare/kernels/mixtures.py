"""How likely each report is under each candidate: a count of shared bits, looked up in a table."""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

ONE = np.uint64(1)
SIX = np.uint64(6)
SIXTY_THREE = np.uint64(63)


@compiled
def fill_likelihoods(
    words: NDArray[np.uint64],
    cohorts: NDArray[np.integer],
    positions: NDArray[np.unsignedinteger],
    table: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """The likelihood of each report under each candidate, by how many of its bits are set.

    Args:
        words: One row per report; bit v is bit ``v % 64`` of word ``v // 64``.
        cohorts: One per report.
        positions: Shape (cohorts, candidates, hashes): the bits that a candidate sets.
        table: The likelihood by the number of bits that are 1, from none to all.
        out: One row per report; its first columns receive the candidates' likelihoods.
    """
    candidates, hashes = positions.shape[1], positions.shape[2]
    spread = np.empty(64 * words.shape[1], np.uint8)
    for i in range(words.shape[0]):
        for place in range(spread.size):
            word = words[i, np.intp(np.uint64(place) >> SIX)]
            spread[place] = (word >> (np.uint64(place) & SIXTY_THREE)) & ONE
        own = positions[cohorts[i]]
        for j in range(candidates):
            ones = 0
            for hashed in range(hashes):
                ones += spread[own[j, hashed]]
            out[i, j] = table[ones]
