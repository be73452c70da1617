"""Uniform subsets, and sets that are put together of them."""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

ONE = np.uint64(1)
SIX = np.uint64(6)
SIXTY_THREE = np.uint64(63)
ALL = np.uint64(2**64 - 1)
PLANES = 5  # digits of the numbers that make the coins of a subset: part of the format


@compiled
def _ones(word: np.uint64) -> np.uint64:
    pairs = word - (word >> ONE & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + (
        pairs >> np.uint64(2) & np.uint64(0x3333333333333333)
    )
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    count: np.uint64 = eights * np.uint64(0x0101010101010101) >> np.uint64(56)
    return count


@compiled
def _mask(edge: int, digit: int) -> np.uint64:
    """All ones if the edge has a 1 at this digit, or lies beyond all numbers; else 0."""
    one = np.uint64(edge >> digit & 1 | edge >> PLANES)
    mask: np.uint64 = np.uint64(0) - one
    return mask


@compiled
def _below(digits: np.uint64, edge: np.uint64, rest: np.uint64) -> np.uint64:
    """Which numbers are below the edge by this digit, or by the ``rest`` where they are equal."""
    zero = ~digits
    below: np.uint64 = (zero & edge) | ((zero | edge) & rest)
    return below


@compiled
def coins_near(
    planes: NDArray[np.uint64],
    edges: NDArray[np.int64],
    bits: int,
    sets: NDArray[np.uint64],
    off: NDArray[np.int64],
) -> None:
    """Make each bit of a row say whether a uniform number of five digits is below the row's edge.

    Args:
        planes: Random words, the five digits of each number from the first on, C-contiguous.
        edges: One per row, at most 32: then every number is below it.
        bits: How many bits a row has.
        sets: One row of words per edge; overwritten.
        off: One number per edge, which is less afterwards by how many bits of the row are 1.
    """
    width = sets.shape[1]
    last = ALL >> np.uint64(64 * width - bits)
    first, second, third, fourth, fifth = planes[0], planes[1], planes[2], planes[3], planes[4]
    for row in range(edges.size):
        edge = edges[row]
        every = _mask(edge, PLANES)
        for word in range(width):  # digit by digit from the last: no loop, to be vectorised
            below = _below(fifth[row, word], _mask(edge, 0), every)
            below = _below(fourth[row, word], _mask(edge, 1), below)
            below = _below(third[row, word], _mask(edge, 2), below)
            below = _below(second[row, word], _mask(edge, 3), below)
            sets[row, word] = _below(first[row, word], _mask(edge, 4), below)
        sets[row, width - 1] &= last
        count = np.uint64(0)
        for word in range(width):
            count += _ones(sets[row, word])
        off[row] -= np.int64(count)


@compiled
def flip(
    sets: NDArray[np.uint64],
    rows: NDArray[np.int64],
    off: NDArray[np.int64],
    lanes: NDArray[np.uint16] | NDArray[np.uint32],
    items: int,
) -> tuple[int, int]:
    """Put in or take out drawn items, as many as a row is off, where that helps.

    Args:
        sets: One row of packed bits each, C-contiguous; changed in place.
        rows: Those that don't fit yet; those that still don't move to the front.
        off: How many items each of these has too few (above 0) or too many; kept up to date.
        lanes: Random integers, fair for ``items``, one for each item that some row is off.
        items: How many there are; an item is the high half of a lane times this.

    Returns:
        How many rows still don't fit, and how many items they are off in all.
    """
    words, width = sets.reshape(-1), np.uint64(sets.shape[1])
    bits, bound = np.uint64(8 * lanes.itemsize), np.uint64(items)
    first, left, still = np.uint64(0), 0, 0
    for i in range(rows.size):
        row, need = rows[i], off[i]
        start = np.uint64(row) * width
        adding = np.uint64(need > 0)
        last = first + np.uint64(abs(need))
        helped = np.uint64(0)
        for at in range(first, last):
            item = np.uint64(lanes[at]) * bound >> bits
            place, bit = start + (item >> SIX), item & SIXTY_THREE
            helps = words[place] >> bit & ONE ^ adding
            words[place] ^= helps << bit
            helped += helps
        first = last
        need -= np.int64(helped) if need > 0 else -np.int64(helped)
        rows[left], off[left] = row, need  # the next one's place if it fits: no branch to guess
        left += need != 0
        still += abs(need)
    return left, still


@compiled
def insert(
    others: NDArray[np.uint64],
    values: NDArray[np.integer],
    honest: NDArray[np.bool_],
    out: NDArray[np.uint64],
) -> None:
    """Make room for each person's own answer in a set of the others, and put it in if honest.

    Args:
        others: One row of packed bits per person, for all answers but their own.
        values: Their own answers.
        honest: One coin per person.
        out: One row of packed bits per person, for all answers.
    """
    width = others.shape[1]
    for row in range(values.size):
        value = np.uint64(values[row])
        own, lane = np.intp(value >> SIX), value & SIXTY_THREE
        for word in range(own):
            out[row, word] = others[row, word]
        here = others[row, own] if own < width else np.uint64(0)
        below = (ONE << lane) - ONE
        out[row, own] = (here & below) | (np.uint64(honest[row]) << lane)
        out[row, own] |= (here & ~below) << ONE
        for word in range(own + 1, out.shape[1]):
            after = others[row, word] << ONE if word < width else np.uint64(0)
            out[row, word] = after | others[row, word - 1] >> SIXTY_THREE


@compiled
def _bit(words: NDArray[np.uint64], row: int, place: int) -> np.uint64:
    at = np.uint64(place)
    bit: np.uint64 = words[row, np.intp(at >> SIX)] >> (at & SIXTY_THREE) & ONE
    return bit


@compiled
def place(
    values: NDArray[np.uint8],
    own: NDArray[np.uint64],
    strange: NDArray[np.uint64],
    most: int,
    out: NDArray[np.uint64],
) -> None:
    """Write sets that have the i-th of a person's items if ``own`` has i, and so of all others.

    Args:
        values: One row of 0 and 1 per person, the answers that are selected; blanks follow.
        own: One row of packed bits per person, for their ``most`` items.
        strange: One row of packed bits per person, for all other items.
        most: How many items everybody has, and how many blanks there are.
        out: One row of packed bits per person, for all items.
    """
    answers = values.shape[1]
    for row in range(values.shape[0]):
        mine = 0
        for word in range(out.shape[1]):
            gathered = np.uint64(0)
            for item in range(64 * word, min(64 * word + 64, answers + most)):
                # As many blanks as are missing: so long as not all of a person's items have come.
                held = values[row, item] == 1 if item < answers else mine < most
                if held:
                    bit = _bit(own, row, mine)
                    mine += 1
                else:
                    bit = _bit(strange, row, item - mine)
                gathered |= bit << np.uint64(item - 64 * word)
            out[row, word] = gathered
