"""A set of report ids by open addressing: linear probing in a table whose hash is secret.

Ids are chosen by strangers. Their places follow from SipHash-1-3 (Aumasson and Bernstein 2012)
under a key of this process, so that nobody can make many of them meet. Multipliers alone, however
secret, would not do: modulo 2⁶⁴ with odd ones, two ids that differ by 2⁶³ in both words always
meet.

A table has a row of two words for each place, a power of two of them; a row of zeros is free.
The id of zeros is stood in for by a secret one.
"""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

ZERO = np.uint64(0)
LAST = np.uint64(0xFF)
TAIL = np.uint64(16 << 56)  # SipHash's last word: nothing but the length
S13, S51, S16, S48 = np.uint64(13), np.uint64(51), np.uint64(16), np.uint64(48)
S17, S47, S21, S43 = np.uint64(17), np.uint64(47), np.uint64(21), np.uint64(43)
S32 = np.uint64(32)
START = (
    np.uint64(0x736F6D6570736575),
    np.uint64(0x646F72616E646F6D),
    np.uint64(0x6C7967656E657261),
    np.uint64(0x7465646279746573),
)
START_0, START_1, START_2, START_3 = START
_AHEAD = 64  # places looked up together, so that the memory's delays overlap

_State = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@compiled
def sip_round(a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64) -> _State:
    """One round of SipHash on its four words."""
    a += b
    b = ((b << S13) | (b >> S51)) ^ a
    a = (a << S32) | (a >> S32)
    c += d
    d = ((d << S16) | (d >> S48)) ^ c
    a += d
    d = ((d << S21) | (d >> S43)) ^ a
    c += b
    b = ((b << S17) | (b >> S47)) ^ c
    c = (c << S32) | (c >> S32)
    return a, b, c, d


@compiled
def sip_hash(low: np.uint64, high: np.uint64, key: NDArray[np.uint64]) -> np.uint64:
    """SipHash-1-3 of an id's 16 bytes, under the first two words of a key."""
    a, b = key[0] ^ START_0, key[1] ^ START_1
    c, d = key[0] ^ START_2, key[1] ^ START_3
    a, b, c, d = sip_round(a, b, c, d ^ low)
    a, b, c, d = sip_round(a ^ low, b, c, d ^ high)
    a, b, c, d = sip_round(a ^ high, b, c, d ^ TAIL)
    a, b, c, d = sip_round(a ^ TAIL, b, c ^ LAST, d)
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@compiled
def place_shift(places: int) -> np.uint64:
    """How far a hash is shifted to be a place: the first bits say where."""
    bits = 0
    while 1 << bits < places:
        bits += 1
    return np.uint64(64 - bits)


@compiled
def move(old: NDArray[np.uint64], table: NDArray[np.uint64], key: NDArray[np.uint64]) -> None:
    """Move the ids of a table into a larger one that is empty.

    A place is the first bits of a hash, so that ids are in nearly the same order in both: the
    memory is walked through, not jumped about in.
    """
    mask = np.uint64(len(table) - 1)
    shift = place_shift(len(table))
    for i in range(len(old)):
        low, high = old[i, 0], old[i, 1]
        if low != ZERO or high != ZERO:
            place = np.int64(sip_hash(low, high, key) >> shift)
            while table[place, 0] != ZERO or table[place, 1] != ZERO:
                place = np.int64(np.uint64(place + 1) & mask)
            table[place, 0], table[place, 1] = low, high


@compiled
def insert(
    ids: NDArray[np.uint64],
    table: NDArray[np.uint64],
    key: NDArray[np.uint64],
    places: NDArray[np.int64],
) -> int:
    """Add ids to a table with room for all of them; how many were not there before.

    Args:
        ids: One row of two words each.
        table: The set.
        key: Two words of the hash, and two that stand in for the id of zeros.
        places: Receives the place that each new id took, and -1 where it was there already.
    """
    mask = np.uint64(len(table) - 1)
    shift = place_shift(len(table))
    fresh = 0
    touched = ZERO
    for start in range(0, len(ids), _AHEAD):
        stop = min(start + _AHEAD, len(ids))
        for i in range(start, stop):
            low, high = ids[i, 0], ids[i, 1]
            if low == ZERO and high == ZERO:
                low, high = key[2], key[3]
            places[i] = np.int64(sip_hash(low, high, key) >> shift)
        for i in range(start, stop):
            touched ^= table[places[i], 0]  # fetches its cache line
        for i in range(start, stop):
            low, high = ids[i, 0], ids[i, 1]
            if low == ZERO and high == ZERO:
                low, high = key[2], key[3]
            place = places[i]
            places[i] = -1
            while table[place, 0] != low or table[place, 1] != high:
                if table[place, 0] == ZERO and table[place, 1] == ZERO:
                    table[place, 0], table[place, 1] = low, high
                    places[i] = place
                    fresh += 1
                    break
                place = np.int64(np.uint64(place + 1) & mask)
    if touched == key[0] and touched == ~key[0]:
        fresh = -1  # never: it keeps the compiler from leaving out what was touched
    return fresh


@compiled
def find(
    ids: NDArray[np.uint64],
    table: NDArray[np.uint64],
    key: NDArray[np.uint64],
    found: NDArray[np.bool_],
) -> None:
    """Whether each of some ids is in a table; ``insert`` says what the arguments are."""
    mask = np.uint64(len(table) - 1)
    shift = place_shift(len(table))
    for i in range(len(ids)):
        low, high = ids[i, 0], ids[i, 1]
        if low == ZERO and high == ZERO:
            low, high = key[2], key[3]
        place = np.int64(sip_hash(low, high, key) >> shift)
        found[i] = False
        while table[place, 0] != ZERO or table[place, 1] != ZERO:
            if table[place, 0] == low and table[place, 1] == high:
                found[i] = True
                break
            place = np.int64(np.uint64(place + 1) & mask)


@compiled
def clear(places: NDArray[np.int64], table: NDArray[np.uint64]) -> None:
    """Free the places that the last ``insert`` took; every other id keeps its own."""
    for i in range(len(places)):
        if places[i] >= 0:
            table[places[i], 0] = ZERO
            table[places[i], 1] = ZERO
