"""People, their reports and the exact laws of small batches."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.chance.channel import Channel
from sudare.chance.keystream import Keystream
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.bloom import filters
from sudare.mechanisms.continual import ContinualMechanism
from sudare.mechanisms.domain import Selections, Streams
from sudare.mechanisms.interface import Mechanism, Records
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.strings import Strings

CountLaw = dict[tuple[int, ...], Fraction]
ENUMERABLE_BITS = 8


@lru_cache
def values(mechanism: Mechanism) -> list[Any]:
    """The whole domain; of texts, enough to set every filter that some text sets."""
    if not isinstance(mechanism.domain, Strings):
        return list(mechanism.domain)
    assert isinstance(mechanism, Rappor)
    if mechanism.bits > ENUMERABLE_BITS:
        return [f"text {number}" for number in range(100)]
    texts = [f"text {number}" for number in range(1000)]
    hashed, found = mechanism.domain.check(texts), dict[tuple[int, bytes], int]()
    for cohort in range(mechanism.cohorts):
        where = np.full(len(texts), cohort)
        set_by = filters(hashed, where, mechanism.hashes, mechanism.bits)
        for number, words in enumerate(set_by):
            found.setdefault((cohort, words.tobytes()), number)
    return [texts[number] for number in sorted(set(found.values()))]


@lru_cache
def channel(mechanism: Mechanism) -> Channel:
    """The enumerated law of every value."""
    return mechanism.channel(values(mechanism))


def simulated(mechanism: Mechanism, truth: Sequence[int], rng: Keystream) -> Aggregate:
    """A simulated aggregate of ``truth[i]`` people with the i-th value, and nobody else."""
    if isinstance(mechanism.domain, Streams | Selections):
        rows = values(mechanism)[: len(truth)]
        return mechanism.simulate(mechanism.domain.groups(rows, truth), rng)
    held = dict(zip(values(mechanism), [*truth, *[0] * len(values(mechanism))], strict=False))
    texts = isinstance(mechanism.domain, Strings)
    return mechanism.simulate(held if texts else list(held.values()), rng)


def support(mechanism: Mechanism) -> set[bytes]:
    """Every report that some value can cause."""
    laws = channel(mechanism).laws.values()
    return {report for law in laws for report in law if isinstance(report, bytes)}


def records(mechanism: Mechanism, reports: Iterable[bytes]) -> Records:
    """Reports read back from their bytes."""
    return np.frombuffer(b"".join(reports), mechanism.report_dtype)


def population(mechanism: Mechanism, truth: Sequence[int]) -> NDArray[Any]:
    """One value per person, ``truth[i]`` people with the domain's i-th value."""
    return np.repeat(np.array(values(mechanism)[: len(truth)]), truth, axis=0)


def true_shares(mechanism: Mechanism, truth: Sequence[int]) -> NDArray[np.float64]:
    """The share of each answer among ``truth[i]`` people with the domain's i-th value."""
    if isinstance(mechanism.domain, Selections):
        return np.asarray(population(mechanism, truth).mean(axis=0))
    return np.array(truth) / sum(truth)


def random_values(mechanism: Mechanism, count: int, rng: Keystream) -> NDArray[Any]:
    """Values drawn uniformly from the domain."""
    if isinstance(mechanism.domain, Streams):
        return rng.below(2, (count, mechanism.domain.rounds)).astype(np.uint8)
    if isinstance(mechanism.domain, Selections):  # too many to list
        size = rng.below(mechanism.domain.most + 1, count)
        return _unpacked(rng.subsets(mechanism.domain.k, size), mechanism.domain.k)
    return np.array(values(mechanism))[rng.below(len(values(mechanism)), count)]


def _unpacked(words: NDArray[np.uint64], bits: int) -> NDArray[np.uint8]:
    return np.unpackbits(words.view(np.uint8), axis=1, count=bits, bitorder="little")


def aggregate_law(mechanism: Mechanism, values: NDArray[Any]) -> CountLaw:
    """The exact law of the flattened counts of these people: a convolution of their own laws."""
    laws = channel(mechanism).laws
    total: CountLaw = {tuple(mechanism.zero.counts.ravel().tolist()): Fraction(1)}
    for value in values.tolist():
        one: CountLaw = {}
        for report, chance in laws[tuple(value) if isinstance(value, list) else value].items():
            assert isinstance(report, bytes)
            counts = tuple(mechanism.tally(records(mechanism, [report])).ravel().tolist())
            one[counts] = one.get(counts, Fraction(0)) + chance
        convolved: CountLaw = {}
        for (a, p), (b, q) in product(total.items(), one.items()):
            key = tuple(x + y for x, y in zip(a, b, strict=True))
            convolved[key] = convolved.get(key, Fraction(0)) + p * q
        total = convolved
    return total


def placed_law(mechanism: ContinualMechanism, held: list[list[int]]) -> CountLaw:
    """The exact law of counts where people of each round's states are anybody."""
    columns = [set(permutations([0] * zeros + [1] * ones)) for zeros, ones in held]
    placements = list(product(*columns))
    law: CountLaw = {}
    for placement in placements:
        for counts, chance in aggregate_law(mechanism, np.array(placement).T).items():
            law[counts] = law.get(counts, Fraction(0)) + chance / len(placements)
    return law
