"""People, their reports and the exact laws of small batches."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.keystream import Keystream
from sudare.mechanism import Mechanism, Records

CountLaw = dict[tuple[int, ...], Fraction]


def support(mechanism: Mechanism) -> set[bytes]:
    """Every report that some value can cause."""
    laws = mechanism.channel().laws.values()
    return {report for law in laws for report in law if isinstance(report, bytes)}


def records(mechanism: Mechanism, reports: Iterable[bytes]) -> Records:
    """Reports read back from their bytes."""
    return np.frombuffer(b"".join(reports), mechanism.report_dtype)


def population(mechanism: Mechanism, truth: Sequence[int]) -> NDArray[Any]:
    """One value per person, ``truth[i]`` people with the domain's i-th value."""
    return np.repeat(np.array(list(mechanism.domain)), truth)


def random_values(mechanism: Mechanism, count: int, rng: Keystream) -> NDArray[Any]:
    """Values drawn uniformly from the domain."""
    return np.array(list(mechanism.domain))[rng.below(mechanism.domain.size, count)]


def aggregate_law(mechanism: Mechanism, values: NDArray[Any]) -> CountLaw:
    """The exact law of the flattened counts of these people: a convolution of their own laws."""
    laws = mechanism.channel().laws
    total: CountLaw = {tuple(mechanism.zero.counts.ravel().tolist()): Fraction(1)}
    for value in values.tolist():
        one: CountLaw = {}
        for report, chance in laws[value].items():
            assert isinstance(report, bytes)
            counts = tuple(mechanism.tally(records(mechanism, [report])).ravel().tolist())
            one[counts] = one.get(counts, Fraction(0)) + chance
        convolved: CountLaw = {}
        for (a, p), (b, q) in product(total.items(), one.items()):
            key = tuple(x + y for x, y in zip(a, b, strict=True))
            convolved[key] = convolved.get(key, Fraction(0)) + p * q
        total = convolved
    return total
