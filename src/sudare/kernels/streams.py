"""Whole populations at random: binomials, hypergeometrics, and people who report several times.

For simulations only. Unlike other kernels these draw: from a generator whose state, four words of
the keystream, they are handed and move on. They follow their laws to within floating point, in a
fraction of the time that NumPy's own samplers take.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

Counts = NDArray[np.int64]
Logs = NDArray[np.float64]
State = NDArray[np.uint64]
Law = tuple[float, float, float]

_FEW = 10  # expected: below this, a search from 0 on is faster
# Stadlober's ratio of uniforms for the hypergeometric law: 2 √(2/e) and 3 - 2 √(3/e).
_WIDE, _NARROW = 2 * math.sqrt(2 / math.e), 3 - 2 * math.sqrt(3 / math.e)


@compiled
def draw_binomials(state: State, trials: Counts, chance: float, logs: Logs, out: Counts) -> None:
    """How many of each number of trials succeed.

    Args:
        state: Four words, not all zero: where chance comes from; moved on.
        trials: None negative.
        chance: Of a success, from 0 to 1.
        logs: The logarithms of 0!, 1!, 2!, …; larger ones are computed.
        out: As many numbers; overwritten.
    """
    rare = min(chance, 1 - chance)
    law = _with_logs(rare)
    for i in range(trials.size):
        rarer = _binomial(state, trials[i], law, logs)
        out[i] = rarer if chance == rare else trials[i] - rarer


@compiled
def draw_hypergeometrics(  # noqa: PLR0913, PLR0917 - compiled code takes its arguments by position
    state: State,
    good: Counts,
    bad: Counts,
    drawn: Counts,
    logs: Logs,
    out: Counts,
) -> None:
    """How many of the good are among those drawn, without replacement, each time.

    Args:
        state: Four words, not all zero: where chance comes from; moved on.
        good: How many there are.
        bad: How many others there are.
        drawn: At most as many as both together.
        logs: The logarithms of 0!, 1!, 2!, …; larger ones are computed.
        out: As many numbers; overwritten.
    """
    for i in range(drawn.size):
        out[i] = _hypergeometric(state, good[i], bad[i], drawn[i], logs)


@compiled
def spread_evenly_at_random(state: State, people: Counts, logs: Logs, out: Counts) -> None:
    """How many of some people fall into each of several places, any alike.

    Args:
        state: Four words, not all zero: where chance comes from; moved on.
        people: A number for each row.
        logs: The logarithms of 0!, 1!, 2!, …; larger ones are computed.
        out: A row of places for each; overwritten.
    """
    rows, places = out.shape
    laws = [_with_logs(1 / (places - place)) for place in range(places - 1)]
    for row in range(rows):
        left = people[row]
        for place in range(places - 1):
            here = _binomial(state, left, laws[place], logs)
            out[row, place] = here
            left -= here
        out[row, places - 1] = left


@compiled
def count_shots(  # noqa: PLR0913, PLR0917 - compiled code takes its arguments by position
    state: State,
    group: Counts,
    shots: int,
    flips: NDArray[np.float64],
    blocks: bool,
    counts: Counts,
) -> None:
    """How many people report their state in each round, and how many a flipped one.

    Args:
        state: Four words, not all zero: where chance comes from; moved on.
        group: The group of each person; shuffled, if people come in blocks.
        shots: In how many rounds a person reports.
        flips: The chance of at most 0, 1, 2, … flips among a person's rounds.
        blocks: Whether as many people as there are rounds share one order of the rounds, each
            beginning one further on; else everybody's rounds are drawn by themselves.
        counts: By repetition, group, round and 0 or 1 for flipped; zeros, added to.
    """
    repetitions, groups, rounds, _ = counts.shape
    order = np.arange(rounds)
    for repetition in range(repetitions):
        if blocks and groups > 1:
            _shuffle(state, group, group.size)
        for person in range(group.size):
            own = counts[repetition, group[person]]
            chance, left = _uniform(state), 0
            while left < shots and chance >= flips[left]:
                left += 1
            if blocks:
                first = person % rounds
                if first == 0:
                    _shuffle(state, order, rounds)
                for shot in range(shots):
                    number = order[(first + shot) % rounds]
                    flip = int(_uniform(state) * (shots - shot) < left)
                    own[number, flip] += 1
                    left -= flip
            else:
                _shuffle(state, order, shots)
                for shot in range(shots):  # in any order: so the first may be the flipped ones
                    own[order[shot], int(shot < left)] += 1


@compiled
def _with_logs(chance: float) -> Law:
    """A chance below 1 and what an inner loop would compute of it again and again."""
    hit = math.log(chance) if chance > 0 else -math.inf
    return chance, hit, math.log1p(-chance)


@compiled
def _uniform(state: State) -> float:
    """A number of 53 bits below 1, by xoshiro256++ (Blackman and Vigna 2021)."""
    total = state[0] + state[3]
    result = (total << np.uint64(23) | total >> np.uint64(41)) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = state[3] << np.uint64(45) | state[3] >> np.uint64(19)
    return float(result >> np.uint64(11)) * 2.0**-53


@compiled
def _shuffle(state: State, order: Counts, first: int) -> None:
    """Bring some of the numbers to the front, any in any order alike."""
    for i in range(min(first, order.size - 1)):
        other = i + int(_uniform(state) * (order.size - i))
        order[i], order[other] = order[other], order[i]


@compiled
def _binomial(state: State, n: int, law: Law, logs: Logs) -> int:
    """The number of successes, of a chance up to ½."""
    p, hit, miss = law
    if n == 0 or p == 0:
        return 0
    if n * p < _FEW:
        return _few_successes(state, n, p / (1 - p), math.exp(n * miss))
    # Hörmann 1993, "The generation of binomial random variates", algorithm BTRS.
    spread = math.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    middle = n * p + 0.5
    inside = 0.92 - 4.2 / b
    while True:
        u, v = _uniform(state) - 0.5, _uniform(state)
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + middle) if edge > 0 else -1
        if edge >= 0.07 and v <= inside:
            return int(k)
        if k < 0 or k > n or v == 0:
            continue
        mode = math.floor((n + 1) * p)
        bound = math.log(v * (2.83 + 5.1 / b) * spread / (a / (edge * edge) + b))
        reached = _log_factorial(mode, logs) + _log_factorial(n - mode, logs)
        reached -= _log_factorial(k, logs) + _log_factorial(n - k, logs)
        if bound <= reached + (k - mode) * (hit - miss):
            return int(k)


@compiled
def _few_successes(state: State, n: int, odds: float, none: float) -> int:
    """By inversion: the chance of k successes is taken off a uniform number, k = 0, 1, …."""
    while True:
        left, chance, k = _uniform(state), none, 0
        while left >= chance and k < n:
            left -= chance
            k += 1
            chance *= odds * (n - k + 1) / k
        if left < chance:  # else what rounding left over: once more
            return k


@compiled
def _hypergeometric(state: State, good: int, bad: int, drawn: int, logs: Logs) -> int:
    """Of the good among those drawn: by symmetry, of the fewer kind and of fewer draws."""
    fewer, people = min(good, bad), good + bad
    draws = min(drawn, people - drawn)
    if fewer == 0 or draws == 0:
        found = 0
    elif float(draws) * fewer < _FEW * people:
        found = _few_good(state, fewer, people - fewer, draws, logs)
    else:
        found = _ratio_of_uniforms(state, fewer, people - fewer, draws, logs)
    if good > bad:
        found = draws - found
    return found if drawn == draws else good - found


@compiled
def _few_good(state: State, good: int, bad: int, draws: int, logs: Logs) -> int:
    """By inversion, as for few successes."""
    none = math.exp(
        _log_factorial(bad, logs)
        - _log_factorial(bad - draws, logs)
        + _log_factorial(good + bad - draws, logs)
        - _log_factorial(good + bad, logs)
    )
    most = min(good, draws)
    while True:
        left, chance, k = _uniform(state), none, 0
        while left >= chance and k < most:
            left -= chance
            chance *= float(good - k) * (draws - k) / (float(k + 1) * (bad - draws + k + 1))
            k += 1
        if left < chance:
            return k


@compiled
def _ratio_of_uniforms(state: State, good: int, bad: int, draws: int, logs: Logs) -> int:
    """Stadlober 1990, "The ratio of uniforms approach for generating discrete random variates"."""
    people = good + bad
    share = good / people
    middle = draws * share + 0.5
    spread = math.sqrt((people - draws) * share * (1 - share) * draws / (people - 1) + 0.5)
    width = _WIDE * spread + _NARROW
    mode = math.floor((draws + 1.0) * (good + 1) / (people + 2))
    top = _log_ways(mode, good, bad, draws, logs)
    most = min(draws, good)
    while True:
        u, v = _uniform(state), _uniform(state)
        if u == 0:
            continue
        k = math.floor(middle + width * (v - 0.5) / u)
        if k < 0 or k > most:
            continue
        fall = top - _log_ways(k, good, bad, draws, logs)
        if u * (4 - u) - 3 <= fall:
            return int(k)
        if u * (u - fall) < 1 and 2 * math.log(u) <= fall:
            return int(k)


@compiled
def _log_ways(k: int, good: int, bad: int, draws: int, logs: Logs) -> float:
    """Minus the logarithm of the ways to draw k good, up to a constant."""
    return (
        _log_factorial(k, logs)
        + _log_factorial(good - k, logs)
        + _log_factorial(draws - k, logs)
        + _log_factorial(bad - draws + k, logs)
    )


@compiled
def _log_factorial(k: int, logs: Logs) -> float:
    if k < logs.size:
        return float(logs[k])
    # Stirling's series: where a table ends, its next term is below the last digit.
    return (k + 0.5) * math.log(k) - k + 0.5 * math.log(2 * math.pi) + 1 / (12 * k)
