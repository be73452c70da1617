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
_GROUP = 4096  # packed words decided together: their planes fill 256 KiB, a cache's worth
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
        lanes = self.lanes(np.uint16, int(np.prod(shape)))
        coins = lanes < high
        ties = lanes == high
        if low and ties.any():
            tied = np.flatnonzero(ties)
            coins[tied] = self.words(len(tied)) >> np.uint64(64 - _TIE_BITS) < low
        return coins.reshape(shape)

    def below(self, bound: int, shape: Shape) -> NDArray[np.int64]:
        """Uniform integers: the high half of lane × bound, by Lemire's method."""
        if bound == 1:
            return np.zeros(shape, np.int64)
        lanes = self.fair_lanes(bound, int(np.prod(shape)))
        high = lanes.astype(np.uint64) * np.uint64(bound) >> np.uint64(8 * lanes.itemsize)
        return high.astype(np.int64).reshape(shape)

    def fair_lanes(self, bound: int, count: int) -> NDArray[Any]:
        """Lanes whose product with ``bound`` has a uniform high half: the biased are redrawn."""
        if not 2 <= bound <= 2**32:
            raise ParameterError(f"a bound must be between 1 and 2^32, got {bound}")
        # 16 bits while redraws stay rarer than 1 in 256
        dtype: type[np.uint16 | np.uint32] = np.uint16 if bound <= 256 else np.uint32
        span = 1 << 8 * np.dtype(dtype).itemsize
        lanes = self.lanes(dtype, count)
        factor, biased = dtype(bound % span), span % bound
        again = np.flatnonzero(lanes * factor < biased)  # the product wraps: its low half
        while again.size:
            lanes[again] = self.lanes(dtype, again.size)
            again = again[lanes[again] * factor < biased]
        return lanes

    def packed(self, p: float, rows: int, bits: int) -> Words:
        """Coins in bulk: 64 comparisons ``u < p`` at a time, bit by bit from the highest."""
        edge, width = threshold(p), packed_words(bits)
        if edge == 1 << COIN_BITS:
            coins = np.full(rows * width, ~np.uint64(0))
        else:
            coins = np.empty(rows * width, np.uint64)
            for start in range(0, coins.size, _GROUP):
                group = coins[start : start + _GROUP]
                group[:] = self._compare(edge, group.size, compiled=coins.size >= COMPILE_FROM)
        table = coins.reshape(rows, width)
        if bits % 64:
            table[:, -1] &= np.uint64((1 << bits % 64) - 1)
        return table

    def _compare(self, edge: int, count: int, *, compiled: bool) -> Words:
        """``count`` words of coins, each bit 1 where its ``u < edge``."""
        if compiled:
            from sudare.kernels.coins import compare
        else:
            compare = _compare_plain
        below = np.zeros(count, np.uint64)
        undecided = np.full(count, ~np.uint64(0))
        position, end = COIN_BITS, _trailing_zeros(edge)  # past p's last 1 nothing is below it
        where: NDArray[np.int64] | slice = slice(None)  # the words with an undecided coin
        while position > end and undecided.size:
            planes = min(_PLANES, position - end)
            position -= planes
            bits = [edge >> (position + plane) & 1 for plane in reversed(range(planes))]
            masks = np.array([-bit & 2**64 - 1 for bit in bits], np.uint64)
            part = below[where]
            compare(self.words(planes * part.size).reshape(planes, -1), masks, part, undecided)
            below[where] = part
            still = np.flatnonzero(undecided)
            undecided = undecided[still]
            where = still if isinstance(where, slice) else where[still]
        return below

    def generator(self) -> np.random.Generator:
        """A NumPy generator keyed from this stream, for simulations only: never on a device."""
        return np.random.Generator(np.random.PCG64DXSM(self.words(4).tolist()))


def _trailing_zeros(number: int) -> int:
    return (number & -number).bit_length() - 1 if number else COIN_BITS


def _compare_plain(planes: Words, masks: Words, below: Words, undecided: Words) -> None:
    for words, mask in zip(planes, masks, strict=True):
        below |= undecided & ~words & mask  # u has a 0 where p has a 1: u < p
        undecided &= ~(words ^ mask)


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
        if size <= _SMALL:
            return np.frombuffer(bytearray(os.urandom(size)), "<u8")
        local = self._local
        if getattr(local, "process", None) != os.getpid() or local.left < size:
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
