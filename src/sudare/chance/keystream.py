"""How uniform words become choices: coins of exact probability, and bounded integers.

This is part of the format, which other languages repeat (``docs/reference/randomness.md``):
a request for lanes of 16 or 32 bits takes whole little-endian 64-bit words, lane 0 in the
lowest bits of the first. Large batches go through compiled kernels that give the same choices.
"""

import math
import operator
import threading
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError
from sudare.kernels import COMPILE_FROM

Words = NDArray[np.uint64]
Shape = int | tuple[int, ...]

COIN_BITS = 53  # probabilities are multiples of 2^-53: every one is a float, exactly
_LANE_BITS = 16  # a coin's first look; ties (2^-16 of the coins) take a word more
_TIE_BITS = COIN_BITS - _LANE_BITS
_PLANES = 8  # bits of 64 packed coins looked at before asking who is still undecided
_SUBSET_PLANES = 5  # bits of the coins that a subset begins with; what they miss is mended
_KEPT = 5 << 17  # words of working memory, 5 MiB: what a block of people needs
_GROUP = 32768  # packed words decided together: their planes fill 2 MiB, a cache's worth


class _Scratch(threading.local):
    """Each thread's working memory, kept from draw to draw.

    Fresh memory comes page by page, which takes longer than filling it. What is taken is nobody
    else's until it is given back: code that interrupts a draw and draws itself finds none, and
    takes fresh memory.
    """

    def take(self, name: str, words: int) -> Words:
        """Room for so many words, with whatever was last in it."""
        held: Words | None = self.__dict__.pop(name, None)
        if held is None or held.size < words:
            held = np.empty(max(words, 1024), "<u8")
        return held[:words]

    def give(self, name: str, part: NDArray[Any]) -> None:
        """Take back what ``take`` gave, or any part of it."""
        whole = part if part.base is None else part.base
        if isinstance(whole, np.ndarray) and whole.size <= _KEPT:
            self.__dict__[name] = whole


_scratch = _Scratch()


def threshold(p: float) -> int:
    """The integer ``p · 2^53``; refuses a ``p`` that is not such a multiple."""
    scaled = p * 2.0**COIN_BITS
    if not 0 <= p <= 1 or scaled != int(scaled):
        raise ParameterError(f"a probability must be a multiple of 2^-53 in [0, 1], got {p!r}")
    return int(scaled)


def packed_words(bits: int) -> int:
    """How many 64-bit words hold ``bits`` bits."""
    return -(-bits // 64)


class Keystream(ABC):
    """Randomness made of uniform 64-bit words."""

    @abstractmethod
    def fill(self, words: Words) -> None:
        """Overwrite ``words`` with the next words of the stream."""

    def words(self, count: int) -> Words:
        """The next ``count`` words of the stream."""
        words = np.empty(count, "<u8")
        self.fill(words)
        return words

    def _passing(self, count: int) -> Words:
        """The next ``count`` words, in working memory: give them back when ``done``."""
        words = _scratch.take("words", count)
        self.fill(words)
        return words

    def done(self, words: NDArray[Any]) -> None:
        """Hand back lanes or words that aren't needed any more, for the next draw."""
        _scratch.give("words", words)

    def _lanes(self, dtype: type[np.unsignedinteger[Any]], count: int) -> NDArray[Any]:
        """``count`` passing uniform integers of the dtype's width, out of whole words."""
        width = np.dtype(dtype).itemsize
        return self._passing(-(-count * width // 8)).view(dtype)[:count]

    def bernoulli(self, p: float, shape: Shape) -> NDArray[np.bool_]:
        """Independent coins: u < p for a uniform u of 53 bits, of which 16 mostly decide."""
        edge = threshold(p)
        if edge in (0, 1 << COIN_BITS):
            return np.full(shape, bool(edge))
        high, low = edge >> _TIE_BITS, edge & ((1 << _TIE_BITS) - 1)
        count = _size(shape)
        if count == 1:
            return np.full(shape, self._coin(high, low))
        lanes = self._lanes(np.uint16, count)
        coins, ties = _toss(lanes, high)
        self.done(lanes)
        if low:
            coins[ties] = self._remaining(ties.size, low, _TIE_BITS)
        return coins.reshape(shape)

    def below(self, bound: int, shape: Shape) -> NDArray[np.int64]:
        """Uniform integers: the high half of lane × bound, by Lemire's method."""
        bound = operator.index(bound)
        if bound == 1:
            return np.zeros(shape, np.int64)
        count = _size(shape)
        if count == 1:
            return np.full(shape, self._number(bound), np.int64)
        lanes = self.fair_lanes(bound, count)
        high = lanes.astype(np.uint64) * np.uint64(bound) >> np.uint64(8 * lanes.itemsize)
        self.done(lanes)
        return high.astype(np.int64).reshape(shape)

    def fair_lanes(self, bound: int, count: int) -> NDArray[Any]:
        """Lanes whose product with ``bound`` has a uniform high half: the biased are redrawn.

        Say when they are ``done``, and their memory serves the next draw.
        """
        width = _lane_width(bound)
        dtype = np.uint16 if width == 2 else np.uint32
        biased = (1 << 8 * width) % bound
        lanes = self._lanes(dtype, count)
        again = _low_products(lanes, bound, biased)
        while again.size:
            redrawn = self.words(-(-again.size * width // 8)).view(dtype)[: again.size]
            lanes[again] = redrawn
            again = again[_low_products(redrawn, bound, biased)]
        return lanes

    def _coin(self, high: int, low: int) -> bool:
        """One coin, as ``bernoulli`` tosses it, without an array."""
        first = int(self.words(1)[0]) & 0xFFFF
        if first != high or not low:
            return first < high
        return int(self.words(1)[0]) >> 64 - _TIE_BITS < low

    def _number(self, bound: int) -> int:
        """One number, as ``below`` draws it, without an array."""
        bits = 8 * _lane_width(bound)
        while True:
            product = (int(self.words(1)[0]) & (1 << bits) - 1) * bound
            if product & (1 << bits) - 1 >= (1 << bits) % bound:
                return product >> bits

    def packed(self, p: float, rows: int, bits: int) -> Words:
        """Coins in bulk: 64 comparisons u < p at a time, bit by bit from the highest.

        After 8 bits a quarter of a coin in 64 is undecided: each takes a word of its own.
        """
        edge, width = threshold(p), packed_words(bits)
        coins = np.empty(rows * width, np.uint64)
        if edge in (0, 1 << COIN_BITS):
            coins[:] = np.uint64(2**64 - 1) if edge else np.uint64(0)
        else:
            self._compare(edge, coins)
        table = coins.reshape(rows, width)
        if bits % 64:
            table[:, -1] &= np.uint64((1 << bits % 64) - 1)
        return table

    def _compare(self, edge: int, coins: Words) -> None:
        """Make each bit of ``coins`` say whether its u is below ``edge``, group by group."""
        compare, settle = _compare_plain, _settle_plain
        if coins.size >= COMPILE_FROM:
            from sudare.kernels.coins import compare, settle
        trailing = (edge & -edge).bit_length() - 1  # past p's last 1, no u is below it
        planes = min(_PLANES, COIN_BITS - trailing)
        left = COIN_BITS - planes
        low = edge & ((1 << left) - 1)
        masks = np.array([-(edge >> left + j & 1) & 2**64 - 1 for j in range(planes)][::-1], "<u8")
        room = _scratch.take("undecided", min(coins.size, _GROUP))
        for start in range(0, coins.size, _GROUP):
            below = coins[start : start + _GROUP]
            below[:] = 0
            undecided = room[: below.size]
            undecided[:] = 2**64 - 1
            words = self._passing(planes * below.size)
            compare(words.reshape(planes, -1), masks, below, undecided)
            self.done(words)
            if low:
                count = int(np.bitwise_count(undecided).sum())
                if count:
                    settle(below, undecided, self._remaining(count, low, left))
        _scratch.give("undecided", room)

    def subsets(self, items: int, chosen: NDArray[np.int64]) -> Words:
        """Uniform subsets: coins that come near the sizes, then items flipped until they fit.

        A row of equal coins is, given its size, a uniform subset of that size, whatever the coins'
        chance; and so it stays when a uniform one of its members is taken out, or of the others
        put in. Rows that have too many or too few draw as many items as they are off, in their
        order; an item that can't help is passed over, and what is missing is drawn again.
        """
        sizes = np.asarray(chosen, np.int64)
        if sizes.size and not 0 <= sizes.min() <= sizes.max() <= items:
            raise ParameterError(f"a subset of {items} items has 0 to {items}, not others")
        sets = np.empty((len(sizes), packed_words(items)), "<u8")
        flip = _flip_plain
        if _SUBSET_PLANES * sets.size >= COMPILE_FROM:
            from sudare.kernels.sets import flip
        off = self._coins_near(items, sizes, sets)
        rows = np.flatnonzero(off)
        off = off[rows]
        need = int(np.abs(off).sum())
        while need:
            lanes = self.fair_lanes(items, need)
            left, need = flip(sets, rows, off, lanes, items)
            self.done(lanes)
            rows, off = rows[:left], off[:left]
        return sets

    def _coins_near(self, items: int, sizes: NDArray[np.int64], sets: Words) -> NDArray[np.int64]:
        """Fill rows with coins of 2^-5 times a whole number of chance, near each row's share.

        Returns how many items each row has too few (above 0) or too many.
        """
        edges = (sizes << _SUBSET_PLANES) // items if items else sizes
        words = self._passing(_SUBSET_PLANES * sets.size)
        planes = words.reshape(_SUBSET_PLANES, *sets.shape)
        off = sizes.copy()
        if words.size >= COMPILE_FROM:
            from sudare.kernels.sets import coins_near

            coins_near(planes, edges, items, sets, off)
        else:
            _coins_near_plain(planes, edges, items, sets)
            off -= np.bitwise_count(sets).sum(axis=1, dtype=np.int64)
        self.done(words)
        return off

    def _remaining(self, count: int, low: int, bits: int) -> NDArray[np.bool_]:
        """Coins whose first bits equalled p's, decided by the remaining ``bits``, a word each."""
        return self.words(count) >> np.uint64(64 - bits) < low

    def generator(self) -> np.random.Generator:
        """A NumPy generator keyed from this stream, for simulations only: never on a device."""
        return np.random.Generator(np.random.PCG64DXSM(self.words(4).tolist()))


def _size(shape: Shape) -> int:
    return math.prod(shape) if isinstance(shape, tuple) else operator.index(shape)


def _lane_width(bound: int) -> int:
    """The bytes of a lane that draws below ``bound``: 2 while redraws stay rarer than 1 in 16."""
    if not 1 <= bound <= 2**32:
        raise ParameterError(f"a bound must be between 1 and 2^32, got {bound}")
    return 2 if bound <= 4096 else 4


def _toss(lanes: NDArray[np.uint16], high: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Whether each lane is below ``high``, and where it is equal to it."""
    if lanes.size < COMPILE_FROM:
        return lanes < high, np.flatnonzero(lanes == high)
    from sudare.kernels.coins import toss

    coins, ties = np.empty(lanes.size, np.bool_), _flags(lanes.size)
    toss(lanes, high, coins, ties)
    return coins, _positions(ties)


def _low_products(lanes: NDArray[Any], factor: int, limit: int) -> NDArray[np.int64]:
    """Where lane × factor, wrapped to the lane's width, is below ``limit``."""
    factor %= 1 << 8 * lanes.itemsize
    if lanes.size < COMPILE_FROM:
        return np.flatnonzero(lanes * lanes.dtype.type(factor) < limit)
    from sudare.kernels.choices import flag_low_products

    flags = _flags(lanes.size)
    flag_low_products(lanes, factor, limit, flags)
    return _positions(flags)


def _flags(count: int) -> NDArray[np.bool_]:
    """Room for flags in whole words, those past the count not set."""
    words = _scratch.take("flags", -(-count // 8))
    words[-1:] = 0
    return words.view(np.bool_)


def _positions(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where the flags are set; gives back their room."""
    from sudare.kernels.coins import positions

    found = _scratch.take("found", flags.size)
    count = positions(flags, found.view(np.int64))
    where = found[:count].astype(np.int64)
    _scratch.give("found", found)
    _scratch.give("flags", flags)
    return where


def _compare_plain(planes: Words, masks: Words, below: Words, undecided: Words) -> None:
    for words, mask in zip(planes, masks, strict=True):
        below |= undecided & ~words & mask  # u has a 0 where p has a 1: u < p
        undecided &= ~(words ^ mask)


def _settle_plain(below: Words, undecided: Words, coins: NDArray[np.bool_]) -> None:
    lanes = np.unpackbits(undecided.view(np.uint8), bitorder="little")
    lanes[np.flatnonzero(lanes)] = coins
    below |= np.packbits(lanes, bitorder="little").view("<u8")


def _coins_near_plain(planes: Words, edges: NDArray[np.int64], bits: int, sets: Words) -> None:
    undecided = np.full(sets.shape, 2**64 - 1, np.uint64)
    sets[:] = 0
    for j, words in enumerate(planes):
        bit = edges >> len(planes) - 1 - j & 1
        mask = (-bit).astype(np.uint64)[:, np.newaxis]
        sets |= undecided & ~words & mask
        undecided &= ~(words ^ mask)
    sets[edges == 1 << len(planes)] = 2**64 - 1
    if bits % 64:
        sets[:, -1] &= np.uint64((1 << bits % 64) - 1)


def _flip_plain(
    sets: Words, rows: NDArray[np.int64], off: NDArray[np.int64], lanes: NDArray[Any], items: int
) -> tuple[int, int]:
    """Put in or take out drawn items, as many as a row is ``off``, where that helps.

    Returns how many rows are still off, which move to the front, and by how many items in all.
    """
    drawn = (lanes.astype(np.uint64) * np.uint64(items) >> np.uint64(8 * lanes.itemsize)).tolist()
    at = 0
    for i, (row, count) in enumerate(zip(rows.tolist(), np.abs(off).tolist(), strict=True)):
        missing = off[i] > 0
        for item in drawn[at : at + count]:
            bit = np.uint64(1 << item % 64)
            if bool(sets[row, item // 64] & bit) != missing:
                sets[row, item // 64] ^= bit
                off[i] -= 1 if missing else -1
        at += count
    still = np.flatnonzero(off)
    rows[: still.size], off[: still.size] = rows[still], off[still]
    return still.size, int(np.abs(off[: still.size]).sum())
