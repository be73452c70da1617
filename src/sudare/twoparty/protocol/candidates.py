"""Cut and choose: P1 makes several candidates of its encrypted tables, and one of them is used.

P1 is bound to all of them by their digests before it hears which one P2 uses. It opens every other
by the seed from which all of it follows, and P2 makes it again, bit for bit. So a candidate that is
no shuffle of the agreed tables under P1's key is found, unless it is the one that is used: of c
candidates with chance 1/c. That is security against covert adversaries with a deterrence of
1 - 1/c, in the words of Aumann and Lindell (TCC 2007).

Seeds are independent, so those that are opened say nothing of the one that is kept.
"""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from sudare.chance.randomness import Derived, Randomness
from sudare.errors import FalseTables, InvalidMessage
from sudare.twoparty.ciphers.interface import Cipher, Keys
from sudare.twoparty.noise.scheme import Scheme

SEED = 32  # bytes
DIGEST = 32
_DOMAIN = b"sudare: a candidate of two parties' tables, 1"
_NUMBER = struct.Struct(">I")

Tables = tuple[bytes, ...]


@dataclass(frozen=True)
class Candidate:
    """The tables of a scheme, shuffled and encrypted, and the seed from which they follow."""

    seed: bytes = field(repr=False)
    tables: Tables = field(repr=False)

    @classmethod
    def drawn(cls, cipher: Cipher, keys: Keys, scheme: Scheme, rng: Randomness) -> "Candidate":
        """A candidate of a fresh seed: the step of P1."""
        seed = bytes(rng.below(256, (SEED,)).tolist())
        stream = Derived(seed)
        orders = scheme.shuffled(stream)  # all of them before the first is encrypted
        tables = (cipher.encrypt_table(keys, order.tolist(), stream) for order in orders)
        return cls(seed, tuple(tables))


def recomputed(cipher: Cipher, public: bytes, scheme: Scheme, seed: bytes) -> Tables:
    """The tables that follow from a seed, made again without P1's secret: the step of P2."""
    stream = Derived(seed)
    orders = scheme.shuffled(stream)
    return tuple(cipher.recompute_table(public, order.tolist(), stream) for order in orders)


def digest(public: bytes, position: int, tables: Tables) -> bytes:
    """The digest that binds P1 to a candidate under its key, at its position among the others."""
    found = hashlib.sha256(_DOMAIN + _NUMBER.pack(position))
    for part in (public, *tables):
        found.update(_NUMBER.pack(len(part)) + part)
    return found.digest()


def split(data: bytes, size: int, what: str, count: int) -> list[bytes]:
    """So many pieces of one size; bytes that aren't as many are refused."""
    if len(data) != size * count:
        raise InvalidMessage(f"{count} {what} have {size * count} bytes, these are {len(data)}")
    return [data[at : at + size] for at in range(0, len(data), size)]


def check_used(public: bytes, digests: Sequence[bytes], used: int, tables: Tables) -> None:
    """Raise where the tables to be used aren't those that P1 was bound to before the choice."""
    if digest(public, used, tables) != digests[used]:
        raise FalseTables(
            f"P1 doesn't follow the protocol: the tables that it sent for candidate {used + 1} of "
            f"{len(digests)} aren't those that it was bound to (nothing was drawn)"
        )


def check_opened(
    cipher: Cipher,
    public: bytes,
    scheme: Scheme,
    digests: Sequence[bytes],
    seeds: dict[int, bytes],
) -> None:
    """Raise where an opened candidate is no shuffle of the agreed tables under P1's key.

    Args:
        cipher: the cipher that both agreed on.
        public: P1's key.
        scheme: the agreed tables.
        digests: those that P1 was bound to, by position.
        seeds: those of all candidates but the one that is used, by position.
    """
    for position, seed in seeds.items():
        found = digest(public, position, recomputed(cipher, public, scheme, seed))
        if found != digests[position]:
            raise FalseTables(
                f"P1 doesn't follow the protocol: candidate {position + 1} of {len(digests)} is no "
                f"shuffle of the agreed tables under its key, or was opened by another seed "
                f"(nothing was drawn)"
            )
