"""Simulated annealing over small tables of signed integers: the search for noise tables.

A noise is Σ_t (T_t[i_t] - T_t[j_t]) with i_t ≠ j_t. Row t of ``values`` and ``counts`` holds the
different entries of T_t and how often each stands in it; a count of 0 is a free place. Floats,
as the search only proposes: what it finds is proved elsewhere, in integers.
"""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled
def uniform(state: NDArray[np.uint64]) -> float:
    """The next number from 0 to 1 of a SplitMix64, the same on every machine."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return float((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@compiled
def _difference_law(values: Integers, counts: Integers) -> Floats:
    """The chances of 0, 1, … as the difference of two entries of one table; -x is as x."""
    size, low, high = 0, 0, 0
    for value, count in zip(values, counts):  # noqa: B905 - numba's zip knows no strict
        if count:
            low = value if size == 0 else min(low, value)
            high = value if size == 0 else max(high, value)
            size += count
    law = np.zeros(high - low + 1)
    for a in range(len(values)):
        for b in range(len(values)):
            gap = values[a] - values[b]
            if gap >= 0 and counts[a] and counts[b]:
                law[gap] += counts[a] * (counts[b] - (a == b))  # no index is drawn twice
    return law / (size * (size - 1.0))


@compiled
def noise_law(values: Integers, counts: Integers) -> Floats:
    """The law of the noise that tables give, from its least value to its greatest, 0 midway."""
    law = np.ones(1)
    for t in range(len(values)):
        difference = _difference_law(values[t], counts[t])
        reach = len(difference) - 1
        wider = np.zeros(len(law) + 2 * reach)
        for gap in range(-reach, reach + 1):
            chance = difference[abs(gap)]
            if chance > 0:
                for x in range(len(law)):
                    wider[x + reach + gap] += chance * law[x]
        law = wider
    return law


@compiled
def mean_and_excess(law: Floats, factor: float, sensitivity: int) -> tuple[float, float]:
    """E|Z| of a noise, and the largest Σ max(0, P(x) - e^ε P(x - k)), k up to the sensitivity."""
    middle, mean, worst = len(law) // 2, 0.0, 0.0
    for x in range(len(law)):
        mean += abs(x - middle) * law[x]
    for shift in range(1, sensitivity + 1):
        excess = 0.0
        for x in range(len(law)):
            behind = law[x - shift] if x >= shift else 0.0
            if law[x] > factor * behind:
                excess += law[x] - factor * behind
        worst = max(worst, excess)
    return mean, worst


@compiled
def _change(values: Integers, counts: Integers, stride: int, state: NDArray[np.uint64]) -> None:
    """One small step: of a count, of a value, or of entries from one place to another."""
    tables, places = values.shape
    t, a = int(uniform(state) * tables), int(uniform(state) * places)
    kind = uniform(state)
    if kind < 0.5:
        step = 1 + int(uniform(state) * (counts[t, a] // 8 + 1))
        if uniform(state) < 0.5:
            step = -step
        counts[t, a] = max(0, counts[t, a] + step)
    elif kind < 0.8:
        step = 1 + int(uniform(state) * stride)
        values[t, a] += step if uniform(state) < 0.5 else -step
    else:
        u, b = int(uniform(state) * tables), int(uniform(state) * places)
        moved = min(counts[t, a], 1 + int(uniform(state) * 8))
        counts[t, a] -= moved
        counts[u, b] += moved


@compiled
def _valid(values: Integers, counts: Integers, widest: int) -> bool:
    """Whether each table has two entries, its values differ, and none reaches too far."""
    for t in range(len(values)):
        size = 0
        for a in range(values.shape[1]):
            if counts[t, a]:
                size += counts[t, a]
                for b in range(a):
                    if counts[t, b]:
                        gap = abs(values[t, a] - values[t, b])
                        if gap == 0 or gap > widest:
                            return False
        if size < 2:
            return False
    return True


@compiled
def anneal(  # noqa: PLR0913, PLR0917 - a kernel takes plain numbers
    values: Integers,
    counts: Integers,
    factor: float,
    sensitivity: int,
    delta: float,
    entries: int,
    widest: int,
    steps: int,
    heat: float,
    weight: float,
    seed: int,
) -> tuple[Integers, Integers, float]:
    """The best tables met while annealing that hold δ and the number of entries, and their E|Z|.

    The mean is infinite where none was met.
    """
    state = np.array([seed], np.uint64)
    values, counts = values.copy(), counts.copy()
    kept_values, kept_counts, kept_mean = values.copy(), counts.copy(), np.inf
    old_values, old_counts = values.copy(), counts.copy()
    score = np.inf
    for step in range(steps + 1):
        old_values[:], old_counts[:] = values, counts
        if step:  # the start itself is judged first
            _change(values, counts, max(1, widest // 16), state)
        if _valid(values, counts, widest):
            mean, excess = mean_and_excess(noise_law(values, counts), factor, sensitivity)
            size = counts.sum()
            new = np.log(mean + 1e-9) + 3 * max(0.0, size / entries - 1)
            new += weight * max(0.0, np.log(max(excess, 1e-300) / delta))
            temperature = heat * (1 - step / (steps + 1)) ** 2 + 1e-6
            if new < score or uniform(state) < np.exp((score - new) / temperature):
                score = new
                if excess <= delta and size <= entries and mean < kept_mean:
                    kept_values[:], kept_counts[:], kept_mean = values, counts, mean
                continue
        values[:], counts[:] = old_values, old_counts
    return kept_values, kept_counts, kept_mean
