"""Glance with groups of fixed size: the exact law of its maximal error, as a plain sum."""

from collections import Counter

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom, hypergeom
from setting import Floats

from sudare.planning.bounds.maximal import MaximalError

_TIE = 1e-9  # reports: an error so near to x is x


def groups_maximum(keep: float, people: int, ones: ArrayLike) -> MaximalError:
    """The law of the maximal error of Glance with fixed groups: N/T people report in each round.

    Rounds are independent. Where people don't divide evenly, the first rounds have one more here,
    and any in ``simulate_many``: if shares also differ by round, the two laws do.
    """
    slope, held = 2 * keep - 1, np.asarray(ones).tolist()
    size, more = divmod(people, len(held))
    rounds = Counter((size + (number < more), each) for number, each in enumerate(held))
    laws = {(size, each): _said(keep, people, each, size) for size, each in rounds if size}

    def within(errors: Floats) -> Floats:
        chances = np.ones(errors.size)
        for (size, each), law in laws.items():
            off = np.abs(np.arange(size + 1) - size * (1 - keep + slope * each / people))
            inside = off <= errors[:, np.newaxis] * slope * size + _TIE
            chances *= (inside @ law) ** rounds[size, each]
        return chances

    return MaximalError(within, 1 / slope)


def _said(keep: float, people: int, held: int, size: int) -> Floats:
    """The chances that 0, 1, … of so many reporters say 1, where so many people are in state 1."""
    law = np.zeros(size + 1)
    for asked, chance in enumerate(hypergeom.pmf(np.arange(size + 1), people, held, size)):
        kept = binom.pmf(np.arange(asked + 1), asked, keep)
        lied = binom.pmf(np.arange(size - asked + 1), size - asked, 1 - keep)
        law += chance * np.convolve(kept, lied)
    return law
