"""People, their reports and the exact laws of small batches: the package's, and one more."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np

from sudare.laws.enumeration import (
    CountLaw,
    aggregate_law,
    channel,
    population,
    random_values,
    records,
    simulated,
    support,
    values,
)
from sudare.mechanisms.over_time.continual import ContinualMechanism

__all__ = [
    "CountLaw",
    "aggregate_law",
    "channel",
    "placed_law",
    "population",
    "random_values",
    "records",
    "simulated",
    "support",
    "values",
]


def placed_law(mechanism: ContinualMechanism, held: list[list[int]]) -> CountLaw:
    """The exact law of counts where people of each round's states are anybody."""
    columns = [set(permutations([0] * zeros + [1] * ones)) for zeros, ones in held]
    placements = list(product(*columns))
    law: CountLaw = {}
    for placement in placements:
        for counts, chance in aggregate_law(mechanism, np.array(placement).T).items():
            law[counts] = law.get(counts, Fraction(0)) + chance / len(placements)
    return law
