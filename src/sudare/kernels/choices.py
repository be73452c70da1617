"""One answer of k: fair lanes, sometimes a lie, then counted."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled, compiled_for

FOUR_TABLES = 512  # answers: up to here four tables fill no more than half of the first cache


@compiled
def flag_low_products(
    lanes: NDArray[np.uint16] | NDArray[np.uint32],
    factor: int,
    limit: int,
    flags: NDArray[np.bool_],
) -> None:
    """Flag each lane whose product with ``factor``, wrapped to the lane's width, is below a limit.

    Args:
        lanes: Random integers of 16 or 32 bits.
        factor: What they are multiplied by.
        limit: Below the factor.
        flags: One per lane; overwritten.
    """
    kind = lanes.dtype.type
    times, end = kind(factor), kind(limit)
    for i in range(lanes.size):
        flags[i] = kind(lanes[i] * times) < end


@compiled
def respond(
    values: NDArray[np.integer],
    honest: NDArray[np.bool_],
    lanes: NDArray[np.uint16] | NDArray[np.uint32],
    bound: int,
    out: NDArray[np.unsignedinteger],
) -> None:
    """k-ary randomised response: the truth where the coin is honest, else one of the others.

    A lie is uniform among the other answers: a lane of L random bits times ``bound``, shifted
    by L (Lemire 2019, "Fast random integer generation in an interval").

    Args:
        values: True answers, from 0 to ``bound``.
        honest: One coin per person.
        lanes: One per person, fair for this bound.
        bound: How many lies there are: k - 1.
        out: Receives the reports.
    """
    # Unsigned types of stated width throughout: one sign or float in these loops and they are
    # scalar. Products of 16-bit lanes fit 32 bits, which multiplies twice as many at a time.
    if lanes.itemsize == 2:
        few = np.uint32(bound)
        for i in range(values.size):
            lie = np.uint32(np.uint32(np.uint32(lanes[i]) * few) >> np.uint32(16))
            out[i] = _report(np.uint32(values[i]), honest[i], lie)
    else:
        many = np.uint64(bound)
        for i in range(values.size):
            lie = np.uint32(np.uint64(lanes[i]) * many >> np.uint64(32))
            out[i] = _report(np.uint32(values[i]), honest[i], lie)


@compiled
def _report(value: np.uint32, honest: np.bool_, lie: np.uint32) -> np.uint32:
    skipped = np.uint32(lie + np.uint32(lie >= value))  # skip over the truth
    return value if honest else skipped


@compiled
def histogram(answers: NDArray[np.unsignedinteger], k: int) -> NDArray[np.int64]:
    """How many people gave each of k answers.

    Args:
        answers: All below k.
        k: How many answers there are.
    """
    first = np.zeros(k, np.int64)
    whole = 0
    if k <= FOUR_TABLES:
        # Neighbours often agree, and one counter would have to wait for its own last store.
        second, third, fourth = np.zeros_like(first), np.zeros_like(first), np.zeros_like(first)
        whole = answers.size // 4 * 4
        for i in range(0, whole, 4):
            first[answers[i]] += 1
            second[answers[i + 1]] += 1
            third[answers[i + 2]] += 1
            fourth[answers[i + 3]] += 1
        first += second + third + fourth
    for i in range(whole, answers.size):
        first[answers[i]] += 1
    return first


# Any layout, and memory that may not be written: columns, or fields of records that were received.
_BITS = types.Array(types.uint8, 1, "A", readonly=True, aligned=False)
_ROUNDS = [
    types.Array(kind, 1, "A", readonly=True, aligned=False)
    for kind in (types.uint8, types.uint16, types.uint32)
]


@compiled_for(*(types.int64[::1](rounds, _BITS, types.int64) for rounds in _ROUNDS))
def count_rounds(
    rounds: NDArray[np.unsignedinteger], bits: NDArray[np.uint8], last: int
) -> NDArray[np.int64]:
    """How many reports say 0 and how many say 1, round by round.

    Args:
        rounds: The round of each report, from 1 to ``last``.
        bits: What it says: 0 or 1.
        last: How many rounds there are.

    Returns:
        Two counts for each round.
    """
    even, odd = np.zeros(2 * last, np.int64), np.zeros(2 * last, np.int64)
    pairs = rounds.size // 2 * 2
    for i in range(0, pairs, 2):  # by turns: a counter would have to wait for its own last store
        even[2 * (int(rounds[i]) - 1) + int(bits[i])] += 1
        odd[2 * (int(rounds[i + 1]) - 1) + int(bits[i + 1])] += 1
    for i in range(pairs, rounds.size):
        even[2 * (int(rounds[i]) - 1) + int(bits[i])] += 1
    return even + odd


@compiled
def spread_apart(numbers: NDArray[np.int64]) -> None:
    """Make the draws of each row, each among the numbers left, different and rising, in place.

    Args:
        numbers: One line per row; the j-th counts, from 0, the numbers that the j before it
            have left.
    """
    for row in numbers:
        for j in range(1, row.size):
            number = row[j]
            place = 0
            while place < j and number >= row[place]:
                number += 1
                place += 1
            for i in range(j, place, -1):
                row[i] = row[i - 1]
            row[place] = number
