"""Ring learning with errors: the BFV scheme of Microsoft SEAL, one coefficient at a time.

A BFV ciphertext of a polynomial is a pair (c₀, c₁) with c₀ + c₁·s ≈ Δ·m. Of a single value only
coefficient 0 counts, and that needs one coefficient of c₀: a ciphertext here is (c₀[0], c₁). The
others never leave whoever made them, so they can't tell anything.

SEAL draws all keys, secrets and errors, expands seeds, encrypts and decrypts. Written here is only
how numbers and its polynomials are laid out in bytes, what is linear in them, and the flooding.
"""

import hashlib
import secrets
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from sudare.chance.randomness import Randomness, System
from sudare.errors import InvalidCiphertext, ParameterError
from sudare.twoparty.ciphers.interface import (
    NOT_RECOMPUTABLE,
    Cipher,
    Keys,
    check_index,
    check_range,
    check_values,
    out_of_range,
)
from sudare.twoparty.ciphers.polynomials import (
    DEGREE,
    FLOOD,
    PLAIN,
    SEED,
    Words,
    pack,
    packed_bytes,
    ring,
    unpack,
)

_MARK = 16  # bytes of a digest


class Lattice(Cipher):
    """BFV: believed safe from quantum computers; 180 kB a value, but 22 bytes a table's entry."""

    name: ClassVar[str] = "lattice"

    def keys(self) -> Keys:
        """Fresh keys by SEAL, each with a mark of the public one, as every ciphertext has."""
        public, secret = ring().keys()
        mark = _digest(public)
        return Keys(_seal("public", mark, public), _seal("secret", mark, secret))

    def encrypt(self, public: bytes, value: int) -> bytes:
        """The ciphertext of a value at coefficient 0, by the public key."""
        check_values([value])
        mark, encryptor = _encryptor(public)
        return _ciphertext(mark, ring().encrypt(encryptor, value))

    def encrypt_table(
        self, keys: Keys, values: Sequence[int], rng: Randomness | None = None
    ) -> bytes:
        """A table encrypted: for every 8,192 entries the seed of c₁, of c₀ a coefficient each.

        SEAL draws the errors, always fresh.
        """
        check_values(values)
        rng = rng or System()
        mark = _mark(keys)
        owner = _owner(keys.secret)
        blocks = []
        for start in range(0, len(values), DEGREE):
            block = values[start : start + DEGREE]
            seed = bytes(rng.below(256, (SEED,)).tolist())
            blocks += [seed, pack(ring().encrypt_seeded(owner, block, seed))]
        return _seal("table", mark, b"".join(blocks))

    def recompute_table(self, public: bytes, values: Sequence[int], rng: Randomness) -> bytes:
        """Refused: c₀ + c₁·s ≈ Δ·m with its error laid open would lay open s."""
        del public, values, rng
        raise ParameterError(NOT_RECOMPUTABLE)

    def check_table(self, public: bytes, table: bytes, size: int) -> None:
        """Raise unless every coefficient of every block is below its modulus."""
        _, blocks = _blocks(public, table, size)
        for number in range(len(blocks)):
            _coefficients(blocks, number, size)

    def entry(self, public: bytes, table: bytes, index: int, size: int) -> bytes:
        """The ciphertext of a table's entry: X⁻ⁱ times the pair brings it to coefficient 0."""
        check_index(index, size)
        mark, blocks = _blocks(public, table, size)
        moduli = ring().moduli
        number, place = divmod(index, DEGREE)
        known = _coefficients(blocks, number, size)
        mask = ring().expand(blocks[number][:SEED])
        turned = np.hstack([mask[:, place:], (moduli - mask[:, :place]) % moduli])
        return _ciphertext(mark, np.hstack([known[:, [place]], turned]))

    def add(self, first: bytes, second: bytes) -> bytes:
        """The ciphertext of a sum: both parts added."""
        mark, one = _words(first)
        _, other = _words(second, mark)
        return _ciphertext(mark, (one + other) % ring().moduli)

    def subtract(self, first: bytes, second: bytes) -> bytes:
        """The ciphertext of a difference: both parts subtracted."""
        mark, one = _words(first)
        _, other = _words(second, mark)
        moduli = ring().moduli
        return _ciphertext(mark, (one + moduli - other) % moduli)

    def rerandomise(self, public: bytes, ciphertext: bytes) -> bytes:
        """A ciphertext with an encryption of 0 added, hiding c₁, and a flood, hiding the error."""
        mark, encryptor = _encryptor(public)
        _, words = _words(ciphertext, mark)
        moduli = ring().moduli
        fresh = (words + ring().encrypt(encryptor, 0)) % moduli
        flood = secrets.randbelow(2 * FLOOD) - FLOOD
        fresh[:, 0] = [
            (int(residue) + flood) % int(modulus)
            for residue, modulus in zip(fresh[:, 0], moduli[:, 0], strict=True)
        ]
        return _ciphertext(mark, fresh)

    def decrypt(self, keys: Keys, ciphertext: bytes, low: int, high: int) -> int:
        """The value opened: coefficient 0 of what SEAL decrypts, as a number from ``low`` on."""
        check_range(low, high)
        _, words = _words(ciphertext, _mark(keys))
        value = low + (ring().decrypt(_owner(keys.secret), words) - low) % PLAIN
        if value > high:
            raise out_of_range(low, high)
        return value


def _blocks(public: bytes, table: bytes, size: int) -> tuple[bytes, list[bytes]]:
    """The mark of a table, and its blocks of a seed and coefficients each, as long as they are."""
    mark, _ = _encryptor(public)
    body = _open("table", table, mark)[1]
    whole, last = _block_bytes(DEGREE), (size - 1) // DEGREE
    if len(body) != last * whole + _block_bytes(size - last * DEGREE):
        raise InvalidCiphertext(f"a table of {len(table)} bytes doesn't have {size} entries")
    return mark, [body[at : at + whole] for at in range(0, len(body), whole)]


def _coefficients(blocks: list[bytes], number: int, size: int) -> Words:
    """The coefficients of c₀ in one block of a table of this size."""
    count = min(DEGREE, size - number * DEGREE)
    return _residues(unpack(blocks[number][SEED:], (len(ring().moduli), count)))


def _block_bytes(count: int) -> int:
    """The length of a seed and so many coefficients of c₀."""
    return SEED + packed_bytes(ring().moduli.size * count)


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()[:_MARK]


def _seal(kind: str, mark: bytes, body: bytes) -> bytes:
    """The mark of the public key, a digest against accidents (not against forgers), the body."""
    return mark + _digest(kind.encode(), mark, body) + body


def _open(kind: str, data: bytes, wanted: bytes | None = None) -> tuple[bytes, bytes]:
    """The mark and the body, if nothing was changed and the key is the wanted one."""
    mark, digest, body = data[:_MARK], data[_MARK : 2 * _MARK], data[2 * _MARK :]
    if digest != _digest(kind.encode(), mark, body):
        raise InvalidCiphertext(f"these {len(data)} bytes are no {kind} of the lattice cipher")
    if wanted is not None and mark != wanted:
        raise InvalidCiphertext(f"this {kind} belongs to another public key")
    return mark, body


def _ciphertext(mark: bytes, words: Words) -> bytes:
    """Column 0 is c₀[0], the others c₁, one row for each prime."""
    if not words[:, 1:].any():
        raise InvalidCiphertext("both have the same randomness: the difference would hide nothing")
    return _seal("ciphertext", mark, pack(words))


def _words(ciphertext: bytes, wanted: bytes | None = None) -> tuple[bytes, Words]:
    mark, body = _open("ciphertext", ciphertext, wanted)
    words = _residues(unpack(body, (len(ring().moduli), 1 + DEGREE)))
    if not words[:, 1:].any():
        raise InvalidCiphertext("a ciphertext's second part is 0: it hides nothing")
    return mark, words


def _residues(words: Words) -> Words:
    if (words >= ring().moduli).any():
        raise InvalidCiphertext("a coefficient is not below its modulus")
    return words


def _mark(keys: Keys) -> bytes:
    """The mark of both keys."""
    mark, _ = _open("public", keys.public)
    if keys.secret[:_MARK] != mark:
        raise InvalidCiphertext("the secret key is not the one of the public key")
    return mark


@lru_cache(maxsize=4)
def _encryptor(public: bytes) -> tuple[bytes, Any]:
    """The mark of a public key, and SEAL's encryptor: kept, as loading takes longer than using."""
    mark, body = _open("public", public)
    return mark, ring().encryptor(body)


def _owner(secret: bytes) -> Any:  # noqa: ANN401 - SEAL's secret key, which has no types here
    return ring().secret_key(_open("secret", secret)[1])
