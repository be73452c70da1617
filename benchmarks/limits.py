"""What the machine can do at most, on one core: cipher a keystream, and read memory."""

from dataclasses import dataclass

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from timing import best_cpu

CHUNK = 256 * 1024  # bytes ciphered at a time: they stay in the cache
KEYSTREAM = 64 * CHUNK
READ = 512 * 1024 * 1024  # bytes: far more than any cache holds


@dataclass(frozen=True)
class Limits:
    """Bytes per second, each."""

    keystream: float
    memory: float


@dataclass(frozen=True)
class Limit:
    """The least time that the machine allows, in nanoseconds per person, and by which part."""

    name: str
    ns: float


def measure(seconds: float) -> Limits:
    """Both limits of this machine, now."""
    return Limits(keystream(seconds), memory(seconds))


def keystream(seconds: float) -> float:
    """AES-256 in counter mode over zeros: bytes of secure randomness per second."""
    zeros, out = bytes(CHUNK), bytearray(CHUNK)
    stream = Cipher(algorithms.AES(bytes(32)), modes.CTR(bytes(16))).encryptor()

    def run() -> None:
        for _ in range(KEYSTREAM // CHUNK):
            stream.update_into(zeros, out)

    return KEYSTREAM / best_cpu(run, seconds)


def memory(seconds: float) -> float:
    """A sum over an array that no cache holds: bytes read per second."""
    array = np.ones(READ // 8, np.uint64)
    return READ / best_cpu(array.sum, seconds)
