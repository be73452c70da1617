"""Points that support some answers: drawn, and their counts summed by the answers they support."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled, compiled_for


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
    # A number below 2^26 over the prime, rounded down, is its product with this number, shifted:
    # 2^s / prime rounded up is too large by less than 2^-26 of itself (Granlund, Montgomery 1994).
    shift = np.uint64(26)
    while 1 << (int(shift) - 26) < prime:
        shift += np.uint64(1)
    base = np.uint64(prime)
    inverse = np.uint64(((1 << int(shift)) + prime - 1) // prime)
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
