"""Whole populations at random: binomials, hypergeometrics, and people who report several times.

For simulations only. Unlike other kernels these draw: from a generator whose state, four words of
the keystream, they are handed and move on. They follow their laws to within floating point, in a
fraction of the time that NumPy's own samplers take: where the same law comes again and again, it
is written out in a table.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled
from sudare.kernels.tables import (
    binomial_row,
    hypergeometric_row,
    look_up,
    new_guides,
    poisson_row,
    widest,
)
from sudare.kernels.variates import (
    Counts,
    Logs,
    State,
    binomial,
    count_ones,
    hypergeometric,
    next_word,
    shuffle,
    uniform,
    with_logs,
)

_REPEATED = 256  # numbers per law, from which a table is worth its while
_TOSSED = 1024  # coins: up to here, to toss each is faster
_SHORT = 2  # standard deviations by which numbers drawn apart from each other stay below all


@compiled
def draw_binomials(state: State, trials: Counts, chance: float, logs: Logs, out: Counts) -> None:
    """Binomial numbers: how many of each number of trials succeed.

    Args:
        state: Four words, not all zero: where chance comes from; moved on.
        trials: None negative.
        chance: Of a success, from 0 to 1.
        logs: The logarithms of 0!, 1!, 2!, …; larger ones are computed.
        out: One number each; overwritten.
    """
    rare = min(chance, 1 - chance)
    law = with_logs(rare)
    least, laws = _range(trials)
    if rare == 0 or trials.size < _REPEATED * laws:
        for i in range(trials.size):
            out[i] = binomial(state, trials[i], law, logs)
    else:
        rows = np.empty((laws, widest(math.sqrt((least + laws) * rare * (1 - rare)))))
        guides, firsts = new_guides(laws), np.empty(laws, np.int64)
        for i in range(laws):
            firsts[i] = binomial_row(least + i, law, logs, rows[i], guides[i])
        for i in range(trials.size):
            which = trials[i] - least
            out[i] = firsts[which] + look_up(uniform(state), rows[which], guides[which])
    if chance != rare:
        for i in range(trials.size):
            out[i] = trials[i] - out[i]


@compiled
def draw_heads(state: State, coins: Counts, logs: Logs, out: Counts) -> None:
    """Binomial numbers of chance ½: how many of each number of fair coins show heads.

    Args:
        state: Four words, not all zero: where chance comes from; moved on.
        coins: None negative.
        logs: The logarithms of 0!, 1!, 2!, …; larger ones are computed.
        out: One number each; overwritten.
    """
    fair = with_logs(0.5)
    for i in range(coins.size):
        if coins[i] > _TOSSED:
            out[i] = binomial(state, coins[i], fair, logs)
            continue
        heads, left = 0, coins[i]
        while left > 0:
            tossed = next_word(state)
            if left < 64:
                tossed >>= np.uint64(64 - left)
            heads += count_ones(tossed)
            left -= 64
        out[i] = heads


@compiled
def draw_hypergeometrics(  # noqa: PLR0913, PLR0917 - compiled code takes its arguments by position
    state: State,
    good: Counts,
    bad: Counts,
    drawn: Counts,
    logs: Logs,
    out: Counts,
) -> None:
    """Hypergeometric numbers: how many good are among those drawn without replacement.

    Args:
        state: Four words, not all zero: where chance comes from; moved on.
        good: How many good there are.
        bad: How many others there are.
        drawn: At most as many as both together.
        logs: The logarithms of 0!, 1!, 2!, …; larger ones are computed.
        out: One number each; overwritten.
    """
    least, laws = _range(drawn)
    alike = _range(good)[1] == 1 and _range(bad)[1] == 1
    if not alike or drawn.size < _REPEATED * laws:
        for i in range(drawn.size):
            out[i] = hypergeometric(state, good[i], bad[i], drawn[i], logs)
        return
    share = good[0] / max(1, good[0] + bad[0])
    rows = np.empty((laws, widest(math.sqrt((least + laws) * share * (1 - share)))))
    guides, firsts = new_guides(laws), np.empty(laws, np.int64)
    for i in range(laws):
        firsts[i] = hypergeometric_row(good[0], bad[0], least + i, logs, rows[i], guides[i])
    for i in range(drawn.size):
        which = drawn[i] - least
        out[i] = firsts[which] + look_up(uniform(state), rows[which], guides[which])


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
    laws = [with_logs(1 / (places - place)) for place in range(places - 1)]
    table, guides, first, known = np.empty(0), new_guides(1)[0], 0, -1
    for row in range(rows):
        left = people[row]
        short = _SHORT * math.sqrt(left)
        if short >= places or left < places:
            for place in range(places - 1):
                out[row, place] = binomial(state, left, laws[place], logs)
                left -= out[row, place]
            out[row, places - 1] = left
            continue
        # Poisson numbers are people who fall independently, given how many there are of them; so
        # are the few who are still missing.
        if left != known:
            mean = (left - short) / places
            table = np.empty(widest(math.sqrt(mean)))
            first, known = poisson_row(mean, table, guides), left
        left = -1
        while left < 0:
            left = known
            for place in range(places):
                out[row, place] = first + look_up(uniform(state), table, guides)
                left -= out[row, place]
        for _ in range(left):
            out[row, int(uniform(state) * places)] += 1


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
            shuffle(state, group, group.size)
        for person in range(group.size):
            own = counts[repetition, group[person]]
            chance, left = uniform(state), 0
            while left < shots and chance >= flips[left]:
                left += 1
            if blocks:
                first = person % rounds
                if first == 0:
                    shuffle(state, order, rounds)
                for shot in range(shots):
                    number = order[(first + shot) % rounds]
                    flip = int(uniform(state) * (shots - shot) < left)
                    own[number, flip] += 1
                    left -= flip
            else:
                shuffle(state, order, shots)
                for shot in range(shots):  # in any order: so the first may be the flipped ones
                    own[order[shot], int(shot < left)] += 1


@compiled
def _range(numbers: Counts) -> tuple[int, int]:
    """The least of the numbers, and how many there are from it to the largest."""
    if numbers.size == 0:
        return 0, 1
    least = most = numbers[0]
    for number in numbers:
        least, most = min(least, number), max(most, number)
    return least, most - least + 1
