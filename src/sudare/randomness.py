"""Chance, behind two questions: a coin of exact probability, and a bounded integer.

A mechanism sees only ``Randomness``. Behind it stands

- ``System``: a cryptographic keystream keyed from the operating system, for devices;
- ``Seeded``: the same keystream keyed from a seed, for experiments;
- ``Scripted``: words given in advance, for golden vectors in any language;
- the paths of ``sudare.exact.exact_law``, which walk down every answer at once.

How keystream words become choices is part of the format (other languages repeat it):
a request for lanes of 16 or 32 bits takes whole little-endian 64-bit words, lane 0 in the
lowest bits of the first. See ``docs/reference/randomness.md``.
"""

import hashlib
import math
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from sudare.errors import ParameterError, ScriptExhausted
from sudare.kernels import COMPILE_FROM

Words = NDArray[np.uint64]
Shape = int | tuple[int, ...]

COIN_BITS = 53  # probabilities are multiples of 2^-53: every one is a float, exactly
_LANE_BITS = 16  # a coin's first look; ties (2^-16 of the coins) take a word more
_TIE_BITS = COIN_BITS - _LANE_BITS
_PLANES = 8  # bits of 64 packed coins looked at before asking who is still undecided
_GROUP = 8192  # packed words decided together: their planes fill 512 KiB, a cache's worth
_COMPILED_GROUP = COMPILE_FROM // 64  # a packed word is 64 coins
_SMALL = 1024  # bytes for which asking the operating system is faster than ciphering
_REKEY = 1 << 30  # bytes drawn from one key


class Randomness(Protocol):
    """The two questions, and packed coins, which are many of the first."""

    def bernoulli(self, p: float, shape: Shape) -> NDArray[np.bool_]:
        """Independent coins, True with probability exactly ``p``."""
        ...

    def below(self, bound: int, shape: Shape) -> NDArray[np.int64]:
        """Independent integers, uniform on ``0 .. bound - 1``."""
        ...

    def packed(self, p: float, rows: int, bits: int) -> Words:
        """``rows`` × ``bits`` coins in 64-bit words: coin i is bit i % 64 of word i // 64."""
        ...


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
    def words(self, count: int) -> Words:
        """The next ``count`` words."""

    def lanes(self, dtype: type[np.unsignedinteger[Any]], count: int) -> NDArray[Any]:
        """``count`` uniform integers of the dtype's width, out of whole words."""
        width = np.dtype(dtype).itemsize
        return self.words(-(-count * width // 8)).view(dtype)[:count]

    def bernoulli(self, p: float, shape: Shape) -> NDArray[np.bool_]:
        """Independent coins: u < p for a uniform u of 53 bits, of which 16 mostly decide."""
        edge = threshold(p)
        if edge in (0, 1 << COIN_BITS):
            return np.full(shape, bool(edge))
        high, low = edge >> _TIE_BITS, edge & ((1 << _TIE_BITS) - 1)
        lanes = self.lanes(np.uint16, _size(shape))
        coins = lanes < high
        if low:
            ties = _low_products(lanes, 1, -high, 1)
            coins[ties] = self._remaining(ties.size, low, _TIE_BITS)
        return coins.reshape(shape)

    def below(self, bound: int, shape: Shape) -> NDArray[np.int64]:
        """Uniform integers: the high half of lane × bound, by Lemire's method."""
        if bound == 1:
            return np.zeros(shape, np.int64)
        lanes = self.fair_lanes(bound, _size(shape))
        high = lanes.astype(np.uint64) * np.uint64(bound) >> np.uint64(8 * lanes.itemsize)
        return high.astype(np.int64).reshape(shape)

    def fair_lanes(self, bound: int, count: int) -> NDArray[Any]:
        """Lanes whose product with ``bound`` has a uniform high half: the biased are redrawn."""
        if not 2 <= bound <= 2**32:
            raise ParameterError(f"a bound must be between 1 and 2^32, got {bound}")
        # 16 bits while redraws stay rarer than 1 in 256
        dtype: type[np.uint16 | np.uint32] = np.uint16 if bound <= 256 else np.uint32
        biased = (1 << 8 * np.dtype(dtype).itemsize) % bound
        lanes = self.lanes(dtype, count)
        again = _low_products(lanes, bound, 0, biased)
        while again.size:
            lanes[again] = redrawn = self.lanes(dtype, again.size)
            again = again[_low_products(redrawn, bound, 0, biased)]
        return lanes

    def packed(self, p: float, rows: int, bits: int) -> Words:
        """Coins in bulk: 64 comparisons u < p at a time, bit by bit from the highest.

        After 8 bits a quarter of a coin in 64 is undecided: each takes a word of its own.
        """
        edge, width = threshold(p), packed_words(bits)
        if edge == 1 << COIN_BITS:
            coins = np.full(rows * width, ~np.uint64(0))
        else:
            coins = np.zeros(rows * width, np.uint64)
            for start in range(0, coins.size if edge else 0, _GROUP):
                self._compare(edge, coins[start : start + _GROUP])
        table = coins.reshape(rows, width)
        if bits % 64:
            table[:, -1] &= np.uint64((1 << bits % 64) - 1)
        return table

    def _compare(self, edge: int, below: Words) -> None:
        """Set each bit of ``below`` whose u is below ``edge``."""
        compare, settle = _compare_plain, _settle_plain
        if below.size >= _COMPILED_GROUP:
            from sudare.kernels.coins import compare, settle
        trailing = (edge & -edge).bit_length() - 1  # past p's last 1, no u is below it
        planes = min(_PLANES, COIN_BITS - trailing)
        bits = [edge >> (COIN_BITS - 1 - plane) & 1 for plane in range(planes)]
        masks = np.array([-bit & 2**64 - 1 for bit in bits], np.uint64)
        undecided = np.full(below.size, ~np.uint64(0))
        compare(self.words(planes * below.size).reshape(planes, -1), masks, below, undecided)
        left = COIN_BITS - planes
        low = edge & ((1 << left) - 1)
        if low:
            coins = self._remaining(int(np.bitwise_count(undecided).sum()), low, left)
            settle(below, undecided, coins)

    def _remaining(self, count: int, low: int, bits: int) -> NDArray[np.bool_]:
        """Coins whose first bits equalled p's, decided by the remaining ``bits``, a word each."""
        return self.words(count) >> np.uint64(64 - bits) < low

    def generator(self) -> np.random.Generator:
        """A NumPy generator keyed from this stream, for simulations only: never on a device."""
        return np.random.Generator(np.random.PCG64DXSM(self.words(4).tolist()))


def _size(shape: Shape) -> int:
    return shape if isinstance(shape, int) else math.prod(shape)


def _low_products(lanes: NDArray[Any], factor: int, offset: int, limit: int) -> NDArray[np.int64]:
    """Where lane × factor + offset, wrapped to the lane's width, is below ``limit``."""
    span = 1 << 8 * lanes.itemsize
    factor, offset = factor % span, offset % span
    if lanes.size >= COMPILE_FROM:
        from sudare.kernels.choices import low_products

        return low_products(lanes, factor, offset, limit)
    kind = lanes.dtype.type
    return np.flatnonzero(lanes * kind(factor) + kind(offset) < limit)


def _compare_plain(planes: Words, masks: Words, below: Words, undecided: Words) -> None:
    for words, mask in zip(planes, masks, strict=True):
        below |= undecided & ~words & mask  # u has a 0 where p has a 1: u < p
        undecided &= ~(words ^ mask)


def _settle_plain(below: Words, undecided: Words, coins: NDArray[np.bool_]) -> None:
    lanes = np.unpackbits(undecided.view(np.uint8), bitorder="little")
    lanes[np.flatnonzero(lanes)] = coins
    below |= np.packbits(lanes, bitorder="little").view("<u8")


class System(Keystream):
    """The device's randomness: AES-256-CTR keyed from the operating system.

    Each thread and each process draws from a key of its own (a forked child never repeats its
    parent), renewed every GiB. A few bytes come straight from the operating system.
    """

    def __init__(self) -> None:
        self._local = threading.local()

    def words(self, count: int) -> Words:
        """The next ``count`` words."""
        size = 8 * count
        local = self._local
        if getattr(local, "process", None) != os.getpid() or local.left < size:
            if size <= _SMALL:  # a single answer is not worth a key
                return np.frombuffer(bytearray(os.urandom(size)), "<u8")
            local.process, local.left = os.getpid(), max(_REKEY, size)
            local.stream = _aes_ctr(os.urandom(32))
        local.left -= size
        return _draw(local.stream, count)


class Seeded(Keystream):
    """A repeatable keystream for experiments: AES-256-CTR keyed by SHA-256 of the seed."""

    def __init__(self, seed: int) -> None:
        self._stream = _aes_ctr(hashlib.sha256(b"sudare seed %d" % seed).digest())

    def words(self, count: int) -> Words:
        """The next ``count`` words."""
        return _draw(self._stream, count)


class Scripted(Keystream):
    """Words given in advance: the same script gives the same reports in every language."""

    def __init__(self, script: Sequence[int]) -> None:
        self._script = np.array(script, np.uint64)
        self.used = 0

    def words(self, count: int) -> Words:
        """The next ``count`` words of the script."""
        left = len(self._script) - self.used
        if count > left:
            raise ScriptExhausted(f"the script has {left} words left, {count} were asked for")
        self.used += count
        return self._script[self.used - count : self.used].copy()


def _aes_ctr(key: bytes) -> CipherContext:
    # CTR, not GCM over zeros: the same keystream, and faster wherever GHASH isn't free.
    return Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor()


_ZEROS = memoryview(bytes(1 << 20))  # what is enciphered: the output is the keystream itself


def _draw(stream: CipherContext, count: int) -> Words:
    out = np.empty(count, "<u8")
    target = out.view(np.uint8).data
    for start in range(0, len(target), len(_ZEROS)):
        piece = target[start : start + len(_ZEROS)]
        stream.update_into(_ZEROS[: len(piece)], piece)
    return out
