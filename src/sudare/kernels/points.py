"""Points that support some answers: drawn, and their counts summed by the answers they support."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled, compiled_for

_TOGETHER = 2048  # people whose digits fill the first cache


@compiled
def _reciprocal(divisor: int) -> tuple[np.uint64, np.uint64]:
    """Two numbers r, s: a number below 2^26 over the divisor, rounded down, is r times it >> s.

    2^s / divisor rounded up is too large by less than 2^-26 of itself (Granlund, Montgomery 1994).
    """
    shift = np.uint64(26)
    while 1 << (int(shift) - 26) < divisor:
        shift += np.uint64(1)
    return np.uint64(((1 << int(shift)) + divisor - 1) // divisor), shift


@compiled
def equations(  # noqa: PLR0913, PLR0917 - the numbers of one equation
    values: NDArray[np.integer],
    honest: NDArray[np.bool_],
    solved: NDArray[np.int64],
    unsolved: NDArray[np.int64],
    prime: int,
    firsts: NDArray[np.int64],
    out: NDArray[np.unsignedinteger],
) -> None:
    """Projective geometry response: an equation that the answer solves, else one that it doesn't.

    Args:
        values: True answers.
        honest: One coin per person.
        solved: A number per person, of the equations that the answer solves.
        unsolved: A number per person, of those that it doesn't.
        prime: The base of the digits.
        firsts: The number of the first left side that has 0, 1, 2 … digits after its leading 1.
        out: Receives the numbers of the equations.
    """
    inverse, shift = _reciprocal(prime)
    base = np.uint64(prime)
    for i in range(values.size):
        side, off = solved[i], 0
        if not honest[i]:
            if unsolved[i] == 0:
                out[i] = 0
                continue
            side = (unsolved[i] - 1) // (prime - 1)
            off = unsolved[i] - side * (prime - 1)
        after = firsts.size - 1
        while firsts[after] > side:
            after -= 1
        leading = firsts[after] * (prime - 1) + 1  # the 1 with the digits after it: a power
        left, answer = np.uint64(side - firsts[after] + leading), np.uint64(values[i])
        product = np.uint64(0)
        while left > 0 and answer > 0:
            left_rest = left * inverse >> shift
            answer_rest = answer * inverse >> shift
            product += (left - left_rest * base) * (answer - answer_rest * base)
            left, answer = left_rest, answer_rest
        told = (product + np.uint64(off)) % base
        out[i] = np.uint64(1 + prime * side) + told


@compiled
def _sum_line(
    twice: NDArray[np.signedinteger],
    slope: int,
    lines: NDArray[np.signedinteger],
    row: int,
    wanted: int,
) -> None:
    q = twice.shape[0]
    for z in range(wanted):
        lines[row, z] = twice[0, z]
    start = 0
    for b in range(1, q):
        start += slope
        if start >= q:
            start -= q
        for z in range(wanted):
            lines[row, z] += twice[b, start + z]


# In 32 bits as long as all reports fit: a compiler that waits for the first 2^31 would be late.
@compiled_for(
    types.void(types.int32[:, ::1], types.int64, types.int64),
    types.void(types.int64[:, ::1], types.int64, types.int64),
)
def sum_lines(lines: NDArray[np.signedinteger], stride: int, wanted: int) -> None:
    """Sums of counts along lines: row a of a group gets the sum over b of row b, from a·b on.

    Args:
        lines: Rows of q counts, in groups of q rows; a row goes on from its end at its beginning.
        stride: How far the rows of a group are apart.
        wanted: How many of the sums of a row are needed; the rest is left as it is.
    """
    q = lines.shape[1]
    twice = np.empty((q, 2 * q), lines.dtype)  # so that a row need not go on from its beginning
    for group in range(0, lines.shape[0], q * stride):
        for first in range(group, group + stride):
            for b in range(q):
                for z in range(q):
                    twice[b, z] = twice[b, q + z] = lines[first + b * stride, z]
            for a in range(q):
                _sum_line(twice, a, lines, first + a * stride, wanted)


@compiled
def hashes(  # noqa: PLR0913, PLR0917 - the numbers of one hash
    values: NDArray[np.integer],
    honest: NDArray[np.bool_],
    lanes: NDArray[np.uint16] | NDArray[np.uint32],
    prime: int,
    dimension: int,
    out: NDArray[np.unsignedinteger],
) -> None:
    """Local hashing: a seed with the answer's cell by it, else with another cell.

    Digit by digit for some hundred people at once, which a processor does for several in a step.

    Args:
        values: True answers.
        honest: One coin per person.
        lanes: One per person, fair for (g - 1) · g^m: how far off a lie is, and a seed.
        prime: The base of the digits, g, and the number of cells.
        dimension: How many digits there are, m.
        out: Receives the numbers of the points.
    """
    seeds = prime**dimension
    inverse, shift = _reciprocal(prime)
    of_seeds, seed_shift = _reciprocal(seeds)
    bound, bits = np.uint64((prime - 1) * seeds), np.uint64(8 * lanes.itemsize)
    base, every, one = np.uint64(prime), np.uint64(seeds), np.uint64(1)
    left, answer = np.empty(_TOGETHER, np.uint64), np.empty(_TOGETHER, np.uint64)
    told, start = np.empty(_TOGETHER, np.uint64), np.empty(_TOGETHER, np.uint64)
    for first in range(0, values.size, _TOGETHER):
        size = min(_TOGETHER, values.size - first)
        for i in range(size):
            number = np.uint64(lanes[first + i]) * bound >> bits
            off = number * of_seeds >> seed_shift
            left[i] = number - off * every
            start[i] = left[i] * base
            answer[i] = np.uint64(values[first + i])
            told[i] = (off + one) * np.uint64(not honest[first + i])
        for _ in range(dimension):
            for i in range(size):
                left_rest = left[i] * inverse >> shift
                answer_rest = answer[i] * inverse >> shift
                told[i] += (left[i] - left_rest * base) * (answer[i] - answer_rest * base)
                left[i], answer[i] = left_rest, answer_rest
        for i in range(size):
            out[first + i] = start[i] + told[i] - (told[i] * inverse >> shift) * base


@compiled
def rows(
    values: NDArray[np.integer],
    honest: NDArray[np.bool_],
    numbers: NDArray[np.int64],
    out: NDArray[np.unsignedinteger],
) -> None:
    """Hadamard response: a row with a + in the answer's column, else one with a -.

    Args:
        values: True answers.
        honest: One coin per person.
        numbers: The bits of the row but one, which the sign decides.
        out: Receives the rows.
    """
    for i in range(values.size):
        column = np.uint32(np.uint32(values[i]) + np.uint32(1))
        deciding = np.uint32(column & np.uint32(~column + np.uint32(1)))
        number = np.uint32(numbers[i])
        lower = np.uint32(number & np.uint32(deciding - np.uint32(1)))
        row = np.uint32(np.uint32(np.uint32(number - lower) << np.uint32(1)) | lower)
        odd = np.uint32(row & column)
        odd ^= np.uint32(odd >> np.uint32(16))
        odd ^= np.uint32(odd >> np.uint32(8))
        odd ^= np.uint32(odd >> np.uint32(4))
        odd ^= np.uint32(odd >> np.uint32(2))
        odd = np.uint32(np.uint32(odd ^ np.uint32(odd >> np.uint32(1))) & np.uint32(1))
        out[i] = np.uint32(row | (deciding if odd == np.uint32(honest[i]) else np.uint32(0)))
