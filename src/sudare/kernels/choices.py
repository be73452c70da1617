"""One answer of k: sometimes a lie, then counted."""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

FOUR_TABLES = 512  # answers: up to here four tables fill no more than half of the first cache


@compiled
def low_products(
    lanes: NDArray[np.uint16] | NDArray[np.uint32], factor: int, offset: int, limit: int
) -> NDArray[np.int64]:
    """Where lane × factor + offset, wrapped to the lane's width, is below ``limit``.

    Args:
        lanes: Random integers of 16 or 32 bits.
        factor: What they are multiplied by.
        offset: What is added.
        limit: So rarely undercut that eight lanes at a time are passed over.
    """
    kind = lanes.dtype.type
    times, plus, end = kind(factor), kind(offset), kind(limit)
    flags = np.zeros(-(-lanes.size // 8) * 8, np.bool_)
    for i in range(lanes.size):  # a pass of its own: with a sum or a branch in it, it is scalar
        flags[i] = kind(kind(lanes[i] * times) + plus) < end
    eights = flags.view(np.uint64)
    count = 0
    for i in range(eights.size):
        count += eights[i] != 0
    found = np.empty(8 * count, np.int64)
    at = 0
    for eight in range(eights.size):
        if eights[eight]:
            for i in range(8 * eight, 8 * eight + 8):
                found[at] = i
                at += flags[i]
    return found[:at]


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
    # Unsigned types of stated width throughout: one sign or float in this loop and it is scalar.
    width = np.uint64(np.iinfo(lanes.dtype).bits)
    lies = np.uint64(bound)
    for i in range(values.size):
        value = np.uint32(values[i])
        lie = np.uint32(np.uint64(lanes[i]) * lies >> width)
        lie = np.uint32(lie + np.uint32(lie >= value))  # skip over the truth
        out[i] = value if honest[i] else lie


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
