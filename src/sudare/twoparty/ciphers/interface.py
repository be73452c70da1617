"""Additively homomorphic encryption, as the two parties use it: one small interface.

P1 has the keys. P2 adds, subtracts and re-randomises what it can't read. A re-randomised sum tells
P1 nothing but its value: not which ciphertexts were added, though P1 made them all.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sudare.errors import InvalidCiphertext, ParameterError

if TYPE_CHECKING:
    from sudare.chance.randomness import Randomness

CIPHERS = ("elgamal", "lattice")
RECOMPUTABLE = ("elgamal",)  # those whose tables can be made again from a seed and P1's public key
USUAL_CANDIDATES = 20  # of P1's tables, where they can: a false one is found with a chance of 95 %
NOT_RECOMPUTABLE = (
    "a lattice table can't be made again without P1's secret: its candidates must be 1"
)
WIDEST = 1 << 40  # a value lies from -WIDEST to WIDEST, and an opened one within WIDEST of another


@dataclass(frozen=True)
class Keys:
    """P1's key pair: everybody may encrypt to it, and P1 alone opens.

    Attributes:
        public: what P2 and devices encrypt under.
        secret: what opens; it never leaves P1.
    """

    public: bytes
    secret: bytes = field(repr=False)


class Cipher(ABC):
    """A cipher of whole numbers that add up unread; ciphertexts are bytes, checked when used.

    Bytes that are no ciphertext, key or table of this cipher raise ``InvalidCiphertext``, and so
    does a sum or difference in which all randomness has cancelled: it would hide nothing.
    """

    name: ClassVar[str]

    @abstractmethod
    def keys(self) -> Keys:
        """Fresh keys, from the operating system's randomness."""

    @abstractmethod
    def encrypt(self, public: bytes, value: int) -> bytes:
        """A ciphertext of one value, by anybody who has the public key."""

    @abstractmethod
    def encrypt_table(
        self, keys: Keys, values: Sequence[int], rng: "Randomness | None" = None
    ) -> bytes:
        """A table of values under encryption, in this order, by P1; more compact if it can be.

        The randomness is that of ``rng``, or fresh; what a library draws itself is always fresh.
        """

    @abstractmethod
    def recompute_table(self, public: bytes, values: Sequence[int], rng: "Randomness") -> bytes:
        """The table that ``encrypt_table`` makes of the same randomness, without the secret key.

        Raises ``ParameterError`` where a cipher is not ``RECOMPUTABLE``.
        """

    @abstractmethod
    def check_table(self, public: bytes, table: bytes, size: int) -> None:
        """Raise unless each of a table's entries is a ciphertext, drawn or not."""

    @abstractmethod
    def entry(self, public: bytes, table: bytes, index: int, size: int) -> bytes:
        """The ciphertext of a table's entry, and of nothing else in it."""

    @abstractmethod
    def add(self, first: bytes, second: bytes) -> bytes:
        """A ciphertext of the sum of two encrypted values."""

    @abstractmethod
    def subtract(self, first: bytes, second: bytes) -> bytes:
        """A ciphertext of the difference of two encrypted values."""

    @abstractmethod
    def rerandomise(self, public: bytes, ciphertext: bytes) -> bytes:
        """The same value in a ciphertext that tells nothing of how it came about."""

    @abstractmethod
    def decrypt(self, keys: Keys, ciphertext: bytes, low: int, high: int) -> int:
        """The value of a ciphertext, if it lies from ``low`` to ``high``; else raises."""

    def prove_opening(self, keys: Keys, ciphertext: bytes, value: int, context: bytes) -> bytes:
        """A proof that a ciphertext opens to a value, bound to a context; empty if there is none.

        Of a ciphertext that opens to something else it proves nothing.
        """
        del keys, ciphertext, value, context
        return b""

    def opens_to(
        self, public: bytes, ciphertext: bytes, value: int, context: bytes, proof: bytes
    ) -> bool:
        """Whether a proof shows that a ciphertext opens to a value; an empty one, if none can."""
        del public, ciphertext, value, context
        return not proof


def cipher_named(name: str) -> Cipher:
    """The cipher of this name; its library is loaded only now."""
    if name == "elgamal":
        from sudare.twoparty.ciphers.elgamal import ElGamal

        return ElGamal()
    if name == "lattice":
        from sudare.twoparty.ciphers.lattice import Lattice

        return Lattice()
    raise ParameterError(f"a cipher is one of {', '.join(CIPHERS)}, got {name[:32]!r}")


def usual_candidates(cipher: str) -> int:
    """How many candidates of its tables P1 makes unless the parties agree on another number."""
    return USUAL_CANDIDATES if cipher in RECOMPUTABLE else 1


def check_values(values: Sequence[int]) -> None:
    """Refuse values that are too large to be encrypted; the message doesn't repeat them."""
    for position, value in enumerate(values):
        if not -WIDEST <= value <= WIDEST:
            raise ParameterError(f"the value at position {position} is beyond ±2^40")


def check_range(low: int, high: int) -> None:
    """Refuse a range that is empty or too wide to be opened."""
    if not 0 <= high - low <= WIDEST or max(abs(low), abs(high)) > WIDEST:
        raise ParameterError(
            f"values from {low} to {high} can't be opened: from low to high, at most 2^40 apart"
        )


def check_index(index: int, size: int) -> None:
    """Refuse an index that a table of this size doesn't have."""
    if not 0 <= index < size:
        raise ParameterError(f"a table of {size} entries has none at {index}")


def out_of_range(low: int, high: int) -> InvalidCiphertext:
    """The error of a ciphertext that opens to no value in its range."""
    return InvalidCiphertext(
        f"this holds no value from {low} to {high}: it was changed, is under another key, "
        "or more was added than was agreed"
    )
