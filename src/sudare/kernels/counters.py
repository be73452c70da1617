"""Column counts of packed bits, by vertical counters.

Counting bit by bit costs 64 additions a word. Here 64 columns are counted at once: plane j holds
bit j of 64 small counters, and rows are added by full adders made of logic (Harley and Seal; see
Muła, Kurz and Lemire 2018, "Faster population counts using AVX2 instructions"). Full planes are
turned into 16-bit counters, four to a word, and those now and then into integers.
"""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

TILE = 256  # words: eight planes of a tile fill half of the first cache
PLANES_HOLD = 248  # rows: the most that are a multiple of 8 and below 256
SIXTEEN_BITS_HOLD = 264 * PLANES_HOLD  # rows: with 8 of the rest still below 65536

FIELD = np.uint64(0xFFFF)
EVEN_BYTES = np.uint64(0x00FF00FF00FF00FF)
EIGHT = np.uint64(8)
# Steps of the transposition of 8 x 8 bits: how far bits move, and which stay.
FAR, FAR_MASK = np.uint64(4), np.uint64(0x0F0F0F0F0F0F0F0F)
NEAR, NEAR_MASK = np.uint64(2), np.uint64(0x3333333333333333)
NEXT, NEXT_MASK = np.uint64(1), np.uint64(0x5555555555555555)


def column_counts(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many rows of packed bits have each bit set.

    Args:
        words: One row per person, C-contiguous; bit v is bit ``v % 64`` of word ``v // 64``.

    Returns:
        One count per bit, 64 for each column of ``words``.
    """
    # Shapes are arranged here, uncompiled: compiling this took longer than all the loops.
    size, columns = words.shape
    abreast = max(1, TILE // columns)  # narrow rows side by side: the loops run along a row
    wide = abreast * columns
    rows = size // (8 * abreast) * 8
    flat = words.reshape(-1)
    rest = flat[rows * wide :]
    packed = np.zeros((-(-wide // TILE), 16 * TILE), np.uint64)
    counts = np.zeros(64 * columns, np.int64)
    _count(flat[: rows * wide].reshape(rows, wide), packed, counts)
    if rest.size > 0:
        padded = np.zeros((8, wide), np.uint64)  # rows of zeros add nothing
        padded.reshape(-1)[: rest.size] = rest
        _count(padded, packed, counts)
    _unpack(packed, wide, counts)
    return counts


@compiled
def _count(
    words: NDArray[np.uint64], packed: NDArray[np.uint64], counts: NDArray[np.int64]
) -> None:
    """Count the bits of ``words``, a multiple of 8 rows, into ``packed``, and when full on."""
    rows, columns = words.shape
    planes = np.empty(8 * TILE, np.uint64)
    for top in range(0, rows, PLANES_HOLD):
        if top > 0 and top % SIXTEEN_BITS_HOLD == 0:
            _unpack(packed, columns, counts)
            packed[:] = 0
        bottom = min(rows, top + PLANES_HOLD)
        for tile in range(len(packed)):
            start = tile * TILE
            stop = min(columns, start + TILE)
            planes[:] = 0
            for row in range(top, bottom, 8):
                _add_eight(words[row : row + 8], start, stop, planes)
            _pack(planes, stop - start, packed[tile])


@compiled
def _full(a: np.uint64, b: np.uint64, c: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Sum and carry of three bits, in each lane."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@compiled
def _add_eight(rows: NDArray[np.uint64], start: int, stop: int, planes: NDArray[np.uint64]) -> None:
    """Add eight rows, from word ``start`` to ``stop``, to the counters in ``planes``."""
    # Eight pointers to read and one to write, as planes lie at constant distances: at most so many
    # does LLVM prove apart before it vectorises.
    r0, r1 = rows[0, start:stop], rows[1, start:stop]
    r2, r3 = rows[2, start:stop], rows[3, start:stop]
    r4, r5 = rows[4, start:stop], rows[5, start:stop]
    r6, r7 = rows[6, start:stop], rows[7, start:stop]
    for i in range(stop - start):
        ones, two_a = _full(r0[i], r1[i], planes[i])
        ones, two_b = _full(r2[i], r3[i], ones)
        ones, two_c = _full(r4[i], r5[i], ones)
        ones, two_d = _full(r6[i], r7[i], ones)
        twos, four_a = _full(two_a, two_b, planes[i + TILE])
        twos, four_b = _full(two_c, two_d, twos)
        fours, carry = _full(four_a, four_b, planes[i + 2 * TILE])
        planes[i] = ones
        planes[i + TILE] = twos
        planes[i + 2 * TILE] = fours
        for j in range(3, 8):
            plane = planes[i + j * TILE]
            planes[i + j * TILE] = plane ^ carry
            carry &= plane


@compiled
def _swap(
    low: np.uint64, high: np.uint64, distance: np.uint64, mask: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Exchange the upper bits of ``low`` with the lower bits of ``high``, as the mask tells."""
    moved = ((low >> distance) ^ high) & mask
    return low ^ (moved << distance), high ^ moved


@compiled
def _pack(planes: NDArray[np.uint64], width: int, packed: NDArray[np.uint64]) -> None:
    """Add the counters in ``planes`` to 16-bit ones.

    Byte c of the transposed word b is the counter of lane 8 * c + b. Even bytes go to part 2 * b
    of ``packed`` and odd ones to part 2 * b + 1, so lane 16 * field + 8 * odd + b is at a field of
    part 2 * b + odd.
    """
    for i in range(width):
        b0, b1, b2, b3 = planes[i], planes[i + TILE], planes[i + 2 * TILE], planes[i + 3 * TILE]
        b4, b5 = planes[i + 4 * TILE], planes[i + 5 * TILE]
        b6, b7 = planes[i + 6 * TILE], planes[i + 7 * TILE]
        b0, b4 = _swap(b0, b4, FAR, FAR_MASK)
        b1, b5 = _swap(b1, b5, FAR, FAR_MASK)
        b2, b6 = _swap(b2, b6, FAR, FAR_MASK)
        b3, b7 = _swap(b3, b7, FAR, FAR_MASK)
        b0, b2 = _swap(b0, b2, NEAR, NEAR_MASK)
        b1, b3 = _swap(b1, b3, NEAR, NEAR_MASK)
        b4, b6 = _swap(b4, b6, NEAR, NEAR_MASK)
        b5, b7 = _swap(b5, b7, NEAR, NEAR_MASK)
        b0, b1 = _swap(b0, b1, NEXT, NEXT_MASK)
        b2, b3 = _swap(b2, b3, NEXT, NEXT_MASK)
        b4, b5 = _swap(b4, b5, NEXT, NEXT_MASK)
        b6, b7 = _swap(b6, b7, NEXT, NEXT_MASK)
        part = i
        for word in (b0, b1, b2, b3, b4, b5, b6, b7):
            packed[part] += word & EVEN_BYTES
            packed[part + TILE] += (word >> EIGHT) & EVEN_BYTES
            part += 2 * TILE


@compiled
def _unpack(packed: NDArray[np.uint64], columns: int, counts: NDArray[np.int64]) -> None:
    """Add the 16-bit counters to ``counts``, columns laid side by side to the same ones."""
    at = 0
    for column in range(columns):
        tile, i = divmod(column, TILE)
        for part in range(16):
            word = packed[tile, part * TILE + i]
            lane = at + 8 * (part % 2) + part // 2
            for field in range(4):
                counts[lane + 16 * field] += np.int64((word >> np.uint64(16 * field)) & FIELD)
        at += 64
        if at == counts.size:
            at = 0
