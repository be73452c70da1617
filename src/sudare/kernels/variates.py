"""Single random numbers, inside other kernels: words, binomials, hypergeometrics.

For simulations only: the generator is fast and repeatable, not secure. The laws are kept to within
floating point.
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
def next_word(state: State) -> np.uint64:
    """The next word of xoshiro256++ (Blackman and Vigna 2021)."""
    total = state[0] + state[3]
    result = (total << np.uint64(23) | total >> np.uint64(41)) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = state[3] << np.uint64(45) | state[3] >> np.uint64(19)
    return np.uint64(result)


@compiled
def uniform(state: State) -> float:
    """A uniform number of 53 bits, at least 0 and below 1."""
    return float(next_word(state) >> np.uint64(11)) * 2.0**-53


@compiled
def count_ones(word: np.uint64) -> int:
    """How many bits of a word are set: by halves of 2, 4 and 8 bits, then all bytes together."""
    word -= word >> np.uint64(1) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        word >> np.uint64(2) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(word * np.uint64(0x0101010101010101) >> np.uint64(56))


@compiled
def shuffle(state: State, order: Counts, first: int) -> None:
    """Bring some of the numbers to the front: any of them, in any order, each as likely."""
    for i in range(min(first, order.size - 1)):
        other = i + int(uniform(state) * (order.size - i))
        order[i], order[other] = order[other], order[i]


@compiled
def with_logs(chance: float) -> Law:
    """A chance below 1 with its logarithm and that of its complement, for inner loops."""
    hit = math.log(chance) if chance > 0 else -math.inf
    return chance, hit, math.log1p(-chance)


@compiled
def binomial(state: State, n: int, law: Law, logs: Logs) -> int:
    """A binomial number: the successes among n trials, of a chance up to ½."""
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
        u, v = uniform(state) - 0.5, uniform(state)
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + middle) if edge > 0 else -1
        if edge >= 0.07 and v <= inside:
            return int(k)
        if k < 0 or k > n or v == 0:
            continue
        mode = math.floor((n + 1) * p)
        bound = math.log(v * (2.83 + 5.1 / b) * spread / (a / (edge * edge) + b))
        reached = log_factorial(mode, logs) + log_factorial(n - mode, logs)
        reached -= log_factorial(k, logs) + log_factorial(n - k, logs)
        if bound <= reached + (k - mode) * (hit - miss):
            return int(k)


@compiled
def _few_successes(state: State, n: int, odds: float, none: float) -> int:
    """By inversion: the chance of k successes is taken off a uniform number, k = 0, 1, …."""
    while True:
        left, chance, k = uniform(state), none, 0
        while left >= chance and k < n:
            left -= chance
            k += 1
            chance *= odds * (n - k + 1) / k
        if left < chance:  # else what rounding left over: once more
            return k


@compiled
def hypergeometric(state: State, good: int, bad: int, drawn: int, logs: Logs) -> int:
    """A hypergeometric number: how many good are among those drawn without replacement.

    By symmetry, it is drawn for the fewer kind and for fewer draws.
    """
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
        log_factorial(bad, logs)
        - log_factorial(bad - draws, logs)
        + log_factorial(good + bad - draws, logs)
        - log_factorial(good + bad, logs)
    )
    most = min(good, draws)
    while True:
        left, chance, k = uniform(state), none, 0
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
        u, v = uniform(state), uniform(state)
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
        log_factorial(k, logs)
        + log_factorial(good - k, logs)
        + log_factorial(draws - k, logs)
        + log_factorial(bad - draws + k, logs)
    )


@compiled
def log_factorial(k: int, logs: Logs) -> float:
    """The logarithm of k!, from a table or computed."""
    if k < logs.size:
        return float(logs[k])
    # Stirling's series: where a table ends, its next term is below the last digit.
    return (k + 0.5) * math.log(k) - k + 0.5 * math.log(2 * math.pi) + 1 / (12 * k)
