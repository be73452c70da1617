"""People by their names: a number for each, by a secret hash, and one row of each by chance.

A table has a row of three words for each place, a power of two of them: two of a name's hash, and
the person's number plus one. A place is free where that is zero.
"""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled
from sudare.kernels.id_table import (
    START_0,
    START_1,
    START_2,
    START_3,
    ZERO,
    place_shift,
    sip_round,
)

ONE, EIGHT, WIDE, WIDER = np.uint64(1), np.uint64(8), np.uint64(0xEE), np.uint64(0xDD)
_WORD = 8  # bytes


@compiled
def hash_names(
    offsets: NDArray[np.int64],
    letters: NDArray[np.uint8],
    key: NDArray[np.uint64],
    hashes: NDArray[np.uint64],
) -> None:
    """SipHash-1-3 of 128 bits of each name, under a key of two words.

    Args:
        offsets: Where each name begins in ``letters``, and where the last one ends.
        letters: The bytes of all names.
        key: Two secret words.
        hashes: Receives two words for each name.
    """
    for i in range(len(hashes)):
        first, end = offsets[i], offsets[i + 1]
        a, b = key[0] ^ START_0, key[1] ^ START_1 ^ WIDE
        c, d = key[0] ^ START_2, key[1] ^ START_3
        place = first
        tail = np.uint64(end - first) << np.uint64(56)
        while True:
            word, whole = ZERO, end - place >= _WORD
            for j in range(min(end - place, _WORD)):
                word |= np.uint64(letters[place + j]) << (EIGHT * np.uint64(j))
            if not whole:
                word |= tail
            a, b, c, d = sip_round(a, b, c, d ^ word)
            a ^= word
            place += _WORD
            if not whole:
                break
        c ^= WIDE
        for _ in range(3):
            a, b, c, d = sip_round(a, b, c, d)
        hashes[i, 0] = a ^ b ^ c ^ d
        b ^= WIDER
        for _ in range(3):
            a, b, c, d = sip_round(a, b, c, d)
        hashes[i, 1] = a ^ b ^ c ^ d


@compiled
def move_people(old: NDArray[np.uint64], table: NDArray[np.uint64]) -> None:
    """Move the people of a table into a larger one that is empty."""
    mask = np.uint64(len(table) - 1)
    shift = place_shift(len(table))
    for i in range(len(old)):
        if old[i, 2] != ZERO:
            place = np.int64(old[i, 0] >> shift)
            while table[place, 2] != ZERO:
                place = np.int64(np.uint64(place + 1) & mask)
            table[place] = old[i]


@compiled
def number_people(
    hashes: NDArray[np.uint64], table: NDArray[np.uint64], people: int, numbers: NDArray[np.int64]
) -> int:
    """Number people in the order in which they come; how many there are after these.

    Args:
        hashes: Two words for each row, of its person's name.
        table: The people so far, with room for these.
        people: How many they are.
        numbers: Receives the number of each row's person.
    """
    mask = np.uint64(len(table) - 1)
    shift = place_shift(len(table))
    for i in range(len(hashes)):
        low, high = hashes[i, 0], hashes[i, 1]
        place = np.int64(low >> shift)
        while table[place, 2] != ZERO and (table[place, 0] != low or table[place, 1] != high):
            place = np.int64(np.uint64(place + 1) & mask)
        if table[place, 2] == ZERO:
            people += 1
            table[place, 0], table[place, 1], table[place, 2] = low, high, np.uint64(people)
        numbers[i] = np.int64(table[place, 2] - ONE)
    return people


@compiled
def keep_any(
    numbers: NDArray[np.int64],
    rows: NDArray[np.int64],
    words: NDArray[np.uint64],
    seen: NDArray[np.int64],
    kept: NDArray[np.int64],
) -> int:
    """Keep one row of each person, each of a person's rows with the same chance, exactly.

    A person's n-th row replaces the one that was kept with the chance 1/n: a uniform word that
    would make the n remainders uneven is left out. How many rows were treated before the words
    ended.

    Args:
        numbers: The person of each row.
        rows: The rows' own numbers.
        words: Uniform ones.
        seen: How many rows each person had; updated.
        kept: The row that is kept of each person; updated.
    """
    used = 0
    for i in range(len(numbers)):
        person = numbers[i]
        n = np.uint64(seen[person] + 1)
        uneven = (ZERO - n) % n  # 2^64 modulo n
        while used < len(words) and words[used] < uneven:
            used += 1
        if used == len(words):
            return i
        if words[used] % n == ZERO:
            kept[person] = rows[i]
        used += 1
        seen[person] += 1
    return len(numbers)
