"""Bloom filters of strings: which bits a digest sets, in every cohort.

Cohort c sees the word ``SplitMix64(seed + (c + 1) · step)`` of a digest: its low bits are the
first position, its upper half (made odd) the stride to the next. A filter has a power of two of
bits, so that an odd stride visits no position twice: every string sets exactly ``hashes`` bits
in every cohort. Specified to the bit in ``docs/reference/hashing.md``.
"""

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import Words, packed_words
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.strings import Digests

_MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))  # SplitMix64: shift, factor
_ONE = np.uint64(1)


def design_rows(
    digests: Digests, cohorts: int, hashes: int, bits: int
) -> NDArray[np.unsignedinteger]:
    """Each string's ones in the stacked filters of all cohorts: row c · bits + position."""
    narrow = cohorts * bits <= 1 << 16
    rows = np.empty((len(digests), cohorts, hashes), np.uint16 if narrow else np.uint32)
    if rows.size >= COMPILE_FROM:
        from sudare.kernels.hashing import design_rows as compiled_rows

        seeds, steps = (np.ascontiguousarray(digests[name]) for name in ("seed", "step"))
        compiled_rows(seeds, steps, bits, rows)
    else:
        every = np.arange(cohorts)
        first = every[:, np.newaxis] * bits
        rows[:] = first + _positions(digests[:, np.newaxis], every, hashes, bits)
    return rows.reshape(len(digests), cohorts * hashes)


def filters(digests: Digests, cohorts: NDArray[np.int64], hashes: int, bits: int) -> Words:
    """Each person's Bloom filter in packed words, by their string and their cohort."""
    words = np.zeros((len(digests), packed_words(bits)), "<u8")
    if words.size >= COMPILE_FROM:
        from sudare.kernels.hashing import plant_filters

        seeds, steps = (np.ascontiguousarray(digests[name]) for name in ("seed", "step"))
        plant_filters(seeds, steps, cohorts, hashes, bits, words)
        return words
    positions = _positions(digests, cohorts, hashes, bits)
    people = np.arange(len(digests))
    for place in positions.T:
        words[people, place >> 6] |= np.left_shift(_ONE, (place & 63).astype(np.uint64))
    return words


def _positions(
    digests: Digests, cohorts: NDArray[np.int64], hashes: int, bits: int
) -> NDArray[np.int64]:
    """The bits that each string sets in a cohort's filter, broadcast over both."""
    word = digests["seed"] + (cohorts.astype(np.uint64) + _ONE) * digests["step"]
    for shift, factor in _MIXING:
        word = (word ^ (word >> np.uint64(shift))) * np.uint64(factor)
    word ^= word >> np.uint64(31)
    stride = word >> np.uint64(32) | _ONE
    every = np.arange(hashes, dtype=np.uint64)
    places = word[..., np.newaxis] + stride[..., np.newaxis] * every & np.uint64(bits - 1)
    return np.asarray(places, np.int64)
