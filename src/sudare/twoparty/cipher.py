"""Additively homomorphic encryption, as the two parties use it: one small interface.

P1 has the keys. P2 adds, subtracts and re-randomises what it can't read. A re-randomised sum tells
P1 nothing but its value: not which ciphertexts were added, though P1 made them all.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True)
class Keys:
    """P1's keys.

    Attributes:
        public: what P2 and devices encrypt under.
        secret: what opens; it never leaves P1.
    """

    public: bytes
    secret: bytes = field(repr=False)


class Cipher(ABC):
    """Whole numbers under encryption; ciphertexts are bytes of one form, checked when used.

    Bytes that are no ciphertext, key or table of this cipher raise ``InvalidCiphertext``.
    """

    name: ClassVar[str]

    @abstractmethod
    def keys(self) -> Keys:
        """Fresh keys, from the operating system's randomness."""

    @abstractmethod
    def encrypt(self, public: bytes, value: int) -> bytes:
        """A ciphertext of one value, by anybody who has the public key."""

    @abstractmethod
    def encrypt_table(self, keys: Keys, values: Sequence[int]) -> bytes:
        """A table of values, in this order, by P1; more compact than single ones if it can be."""

    @abstractmethod
    def entry(self, public: bytes, table: bytes, index: int, size: int) -> bytes:
        """The ciphertext of a table's entry, and of nothing else in it."""

    @abstractmethod
    def add(self, first: bytes, second: bytes) -> bytes:
        """A ciphertext of the sum."""

    @abstractmethod
    def subtract(self, first: bytes, second: bytes) -> bytes:
        """A ciphertext of the difference."""

    @abstractmethod
    def rerandomise(self, public: bytes, ciphertext: bytes) -> bytes:
        """The same value in a ciphertext that tells nothing of how it came about."""

    @abstractmethod
    def decrypt(self, keys: Keys, ciphertext: bytes, low: int, high: int) -> int:
        """The value, known to lie from ``low`` to ``high``; raises ``InvalidCiphertext`` else."""
