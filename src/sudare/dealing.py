"""Rounds dealt to people such that each round gets the same number of them."""

import numpy as np
from numpy.typing import NDArray

from sudare.randomness import Randomness


def dealt(rounds: int, shots: int, count: int, rng: Randomness) -> NDArray[np.int64]:
    """The rounds, from 0, of so many people, a row each, rising in it.

    People in blocks of T, by the order in which they come, share one random order of the rounds:
    the first has the first k of them (``shots``), the next begins one further on, and so around.
    Each round is used k times by a block.
    """
    blocks = -(-count // rounds)
    order = np.tile(np.arange(rounds), (blocks, 1))
    every = np.arange(blocks)
    for place in range(rounds - 1):  # Fisher and Yates
        other = place + rng.below(rounds - place, blocks)
        order[every, place], order[every, other] = order[every, other], order[every, place]
    turns = (np.arange(rounds)[:, np.newaxis] + np.arange(shots)) % rounds
    return np.sort(order[:, turns].reshape(-1, shots)[:count], axis=1)
