"""Bit positions of hashed strings: a SplitMix64 sequence per string, one number per cohort.

The same functions run compiled on arrays and, as plain NumPy, on a single device's answer.
"""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

ROW_SHIFT = np.uint64(32)
FIRST, SECOND, THIRD = np.uint64(30), np.uint64(27), np.uint64(31)
FIRST_FACTOR, SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
ONE = np.uint64(1)
SIX = np.uint64(6)
SIXTY_THREE = np.uint64(63)


@compiled
def _mixed(state: np.uint64) -> np.uint64:
    """SplitMix64's output function (Steele, Lea and Flood 2014, Stafford's variant 13)."""
    state = (state ^ (state >> FIRST)) * FIRST_FACTOR
    state = (state ^ (state >> SECOND)) * SECOND_FACTOR
    return state ^ (state >> THIRD)


@compiled
def design_rows(
    seeds: NDArray[np.uint64],
    steps: NDArray[np.uint64],
    bits: int,
    rows: NDArray[np.unsignedinteger],
) -> None:
    """Where each string's ones stand in the stacked filters of all cohorts.

    Args:
        seeds: One per string.
        steps: One odd number per string.
        bits: Bits of a filter, a power of two.
        rows: Shape (strings, cohorts, hashes); receives cohort · bits + position.
    """
    strings, cohorts, hashes = rows.shape
    mask, height = np.uint64(bits - 1), np.uint64(bits)
    words = np.empty(cohorts, np.uint64)
    for i in range(strings):
        seed, step = seeds[i], steps[i]
        # One loop for each thing: so the compiler does several cohorts at once.
        for cohort in range(cohorts):
            words[cohort] = _mixed(seed + np.uint64(cohort + 1) * step)
        for j in range(hashes):
            for cohort in range(cohorts):
                word = words[cohort]
                place = (word + np.uint64(j) * ((word >> ROW_SHIFT) | ONE)) & mask
                rows[i, cohort, j] = np.uint64(cohort) * height + place


@compiled
def plant_filters(  # noqa: PLR0913, PLR0917 - a pure function of arrays
    seeds: NDArray[np.uint64],
    steps: NDArray[np.uint64],
    cohorts: NDArray[np.integer],
    hashes: int,
    bits: int,
    words: NDArray[np.uint64],
) -> None:
    """Set each person's ``hashes`` bits, by their string and their cohort.

    Args:
        seeds: One per person.
        steps: One odd number per person.
        cohorts: One per person.
        hashes: How many bits to set.
        bits: Bits of a filter, a power of two.
        words: One row per person, zero; bit v is bit ``v % 64`` of word ``v // 64``.
    """
    mask = np.uint64(bits - 1)
    for i in range(seeds.size):
        word = _mixed(seeds[i] + (np.uint64(cohorts[i]) + ONE) * steps[i])
        stride = (word >> ROW_SHIFT) | ONE
        for _ in range(hashes):
            place = word & mask
            words[i, np.intp(place >> SIX)] |= ONE << (place & SIXTY_THREE)
            word += stride
