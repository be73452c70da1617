"""Coins of exact probability, one to a byte or 64 to a word."""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

BLOCK = 512  # words: below and undecided (8 KB) stay in the first cache over all planes
ONE = np.uint64(1)
SIX = np.uint64(6)
SIXTY_THREE = np.uint64(63)


@compiled
def toss(
    lanes: NDArray[np.uint16], high: int, coins: NDArray[np.bool_], ties: NDArray[np.bool_]
) -> None:
    """Decide each coin u < p by the first 16 bits of u and p, or leave it tied.

    Args:
        lanes: The first bits of each u.
        high: The first bits of p.
        coins: Receives whether u is below p, False where tied.
        ties: Receives whether the first bits are equal.
    """
    edge = np.uint16(high)
    for i in range(lanes.size):
        coins[i] = lanes[i] < edge
        ties[i] = lanes[i] == edge


@compiled
def positions(flags: NDArray[np.bool_], found: NDArray[np.int64]) -> int:
    """Where the flags are set; made for flags so rare that most eights are empty.

    Args:
        flags: A multiple of eight of them.
        found: Receives the positions, and must have room for one per flag.

    Returns:
        How many there are.
    """
    eights = flags.view(np.uint64)
    at = 0
    for eight in range(eights.size):
        if eights[eight]:
            for i in range(8 * eight, 8 * eight + 8):
                if flags[i]:
                    found[at] = i
                    at += 1
    return at


@compiled
def compare(
    planes: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    below: NDArray[np.uint64],
    undecided: NDArray[np.uint64],
) -> None:
    """Advance the comparison u < p of every lane by some bits, most significant first.

    Each bit of a word is a lane with its own uniform u and the common probability p. A lane is
    decided at the first bit where u and p differ: there u is below p if and only if p has the 1.

    Args:
        planes: Random words, one row per bit of u, C-contiguous.
        masks: The bits of p for these rows: all ones or zero.
        below: Lanes known to have u < p; changed in place.
        undecided: Lanes where u and p agree so far; changed in place.
    """
    rows, size = planes.shape
    for start in range(0, size, BLOCK):
        stop = min(size, start + BLOCK)
        under = below[start:stop]
        tied = undecided[start:stop]
        for j in range(rows):
            plane = planes[j, start:stop]
            # Public parameters decide this branch, never a lane: timing tells nothing.
            if masks[j] != 0:
                for i in range(stop - start):
                    under[i] |= tied[i] & ~plane[i]
                    tied[i] &= plane[i]
            else:
                for i in range(stop - start):
                    tied[i] &= ~plane[i]


@compiled
def settle(
    below: NDArray[np.uint64], undecided: NDArray[np.uint64], coins: NDArray[np.bool_]
) -> None:
    """Decide each lane that is still undecided, in order, by the next coin; in place.

    Args:
        below: Lanes known to have u < p; receives the coins that are.
        undecided: Lanes still open, as many in all as there are coins.
        coins: One per open lane.
    """
    at = 0
    for i in range(below.size):
        lanes = undecided[i]
        while lanes != 0:
            rest = lanes & (lanes - ONE)
            if coins[at]:
                below[i] |= lanes ^ rest  # the lowest open lane
            at += 1
            lanes = rest


@compiled
def plant(bits: NDArray[np.uint64], values: NDArray[np.integer], heads: NDArray[np.bool_]) -> None:
    """Set bit ``values[i]`` of row i to ``heads[i]``, in place.

    Args:
        bits: One row of words per person; bit v is bit ``v % 64`` of word ``v // 64``.
        values: One bit number per row, inside the row.
        heads: What that bit becomes.
    """
    for i in range(values.size):
        value = np.uint64(values[i])
        word = np.intp(value >> SIX)
        lane = value & SIXTY_THREE
        bits[i, word] = (bits[i, word] & ~(ONE << lane)) | (np.uint64(heads[i]) << lane)


@compiled
def choose(
    kept: NDArray[np.uint64],
    said: NDArray[np.uint64],
    unsaid: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Take bits from ``said`` where ``kept`` is 1 and from ``unsaid`` where it is 0.

    Args:
        kept: One row of words per person.
        said: As large as ``kept``.
        unsaid: As large as ``kept``.
        out: As large as ``kept``; overwritten, and may lie inside records.
    """
    columns = kept.shape[1]
    for i in range(kept.shape[0]):
        for column in range(columns):
            other = unsaid[i, column]
            out[i, column] = ((said[i, column] ^ other) & kept[i, column]) ^ other
