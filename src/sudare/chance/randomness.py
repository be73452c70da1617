"""Chance, behind three questions: a coin of exact probability, a bounded integer, a subset.

A mechanism sees only ``Randomness``. Behind it stands

- ``System``: a cryptographic keystream keyed from the operating system, for devices;
- ``Derived``: the same keystream keyed from a device's secret, for what it must repeat;
- ``Seeded``: the same keystream keyed from a seed, for experiments;
- ``Scripted``: words given in advance, for golden vectors in any language;
- the paths of ``sudare.chance.exact.exact_law``, which walk down every answer at once.
"""

import hashlib
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from sudare.chance.keystream import Keystream, Shape, Words
from sudare.errors import ScriptExhausted

_SMALL = 1024  # bytes for which asking the operating system is faster than ciphering
_REKEY = 1 << 30  # bytes drawn from one key


class Randomness(Protocol):
    """A source of chance: coins of exact probability, bounded integers, and subsets."""

    def bernoulli(self, p: float, shape: Shape) -> NDArray[np.bool_]:
        """Independent coins, True with probability exactly ``p``."""

    def below(self, bound: int, shape: Shape) -> NDArray[np.int64]:
        """Independent integers, uniform on ``0 .. bound - 1``."""

    def packed(self, p: float, rows: int, bits: int) -> Words:
        """``rows`` × ``bits`` coins in 64-bit words: coin i is bit i % 64 of word i // 64."""

    def subsets(self, items: int, chosen: NDArray[np.int64]) -> Words:
        """A uniform subset of ``0 .. items - 1`` per row, of as many items as ``chosen`` says.

        Packed as coins are: item i is bit i % 64 of word i // 64.
        """


class _Process:
    """The process that draws, so that a forked child knows its parent's keys from its own.

    Python's own forks replace a token. Forks below it (a library's, by libc) run none of its code,
    but the child has another number.
    """

    def __init__(self) -> None:
        self.renew()
        if hasattr(os, "register_at_fork"):  # not where processes don't fork
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.token = object()

    @property
    def identity(self) -> tuple[object, int]:
        """Both marks, of which every fork changes one at least."""
        return self.token, os.getpid()


_process = _Process()


@dataclass
class _Keyed:
    """A stream, whose it is, and how many bytes may still be drawn from it."""

    process: tuple[object, int]
    stream: CipherContext
    left: int


class System(Keystream):
    """The device's randomness: AES-256-CTR keyed from the operating system.

    Each thread and each process draws from a key of its own (a forked child never repeats its
    parent, whoever forked), renewed every GiB. A few bytes come straight from the operating system.
    """

    def __init__(self) -> None:
        self._local = threading.local()

    def fill(self, words: Words) -> None:
        """Overwrite ``words`` with fresh random ones."""
        size = words.nbytes
        keyed: _Keyed | None = getattr(self._local, "keyed", None)
        if keyed is None or keyed.process != _process.identity or keyed.left < size:
            if size <= _SMALL:  # a single answer is not worth a key
                words[:] = np.frombuffer(os.urandom(size), "<u8")
                return
            # Whole before it is kept: if anything fails here, no old key goes on in its place.
            keyed = _Keyed(_process.identity, _aes_ctr(os.urandom(32)), max(_REKEY, size))
            self._local.keyed = keyed
        keyed.left -= size
        _draw(keyed.stream, words)


class Derived(Keystream):
    """A keystream that a secret key determines, for all that a device must draw again alike.

    AES-256-CTR under the key: to anybody without it, as good as fresh.
    """

    def __init__(self, key: bytes) -> None:
        self._stream = _aes_ctr(key)

    def fill(self, words: Words) -> None:
        """Overwrite ``words`` with the next ones that the key determines."""
        _draw(self._stream, words)


class Seeded(Derived):
    """A repeatable keystream for experiments, keyed by SHA-256 of the seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(hashlib.sha256(b"sudare seed %d" % seed).digest())


class Scripted(Keystream):
    """Words given in advance: the same script gives the same reports in every language."""

    def __init__(self, script: Sequence[int]) -> None:
        self._script = np.array(script, np.uint64)
        self.used = 0

    def fill(self, words: Words) -> None:
        """Overwrite ``words`` with the next ones of the script."""
        left = len(self._script) - self.used
        if words.size > left:
            raise ScriptExhausted(f"the script has {left} words left, {words.size} were asked for")
        words[:] = self._script[self.used : self.used + words.size]
        self.used += words.size


def _aes_ctr(key: bytes) -> CipherContext:
    # CTR, not GCM over zeros: the same keystream, and faster wherever GHASH isn't free.
    return Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor()


_ZEROS = memoryview(bytes(1 << 20))  # what is enciphered: the output is the keystream itself


def _draw(stream: CipherContext, words: Words) -> None:
    target = words.view(np.uint8).data
    for start in range(0, len(target), len(_ZEROS)):
        piece = target[start : start + len(_ZEROS)]
        stream.update_into(_ZEROS[: len(piece)], piece)
