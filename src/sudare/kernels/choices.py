"""One answer of k: sometimes a lie, then counted."""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

ONE = np.uint64(1)
FOUR_TABLES = 512  # answers: up to here four tables fill no more than half of the first cache


@compiled
def respond(  # noqa: PLR0913, PLR0917 - a kernel takes what its loop reads
    values: NDArray[np.integer],
    coins: NDArray[np.uint16],
    threshold: int,
    lanes: NDArray[np.uint16] | NDArray[np.uint32],
    bound: int,
    reject: int,
    out: NDArray[np.unsignedinteger],
) -> int:
    """k-ary randomised response: the truth where the coin is below the threshold, else a lie.

    A lie is uniform among the other answers: a lane of L random bits times ``bound``, shifted by L
    (Lemire 2019, "Fast random integer generation in an interval"). A lane whose product modulo
    2**L is below ``reject`` would favour some answers; the caller draws it again.

    Args:
        values: True answers, from 0 to ``bound``.
        coins: One per person.
        threshold: Honest coins, from 0 to 65536.
        lanes: One per person.
        bound: How many lies there are: k - 1.
        reject: 2**L modulo ``bound``.
        out: Receives the reports.

    Returns:
        How many lanes must be drawn again.
    """
    # Unsigned types of stated width throughout: one sign or float in this loop and it is scalar.
    width = np.uint64(np.iinfo(lanes.dtype).bits)
    low = (ONE << width) - ONE
    honest_below = np.uint32(threshold)
    lies = np.uint64(bound)
    unfair_below = np.uint64(reject)
    unfair = np.uint64(0)
    for i in range(values.size):
        product = np.uint64(lanes[i]) * lies
        unfair += np.uint64((product & low) < unfair_below)
        value = np.uint32(values[i])
        lie = np.uint32(product >> width)
        lie = np.uint32(lie + np.uint32(lie >= value))  # skip over the truth
        out[i] = value if np.uint32(coins[i]) < honest_below else lie
    return int(unfair)


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
