"""EC-ElGamal with the value in the exponent, on ristretto255 by libsodium.

A value m is the point m·G, a ciphertext (r·G, m·G + r·P) for a fresh scalar r and the public key
P = x·G. The group has prime order, so a fresh encryption of 0 added to a ciphertext makes it
uniform among all ciphertexts of the same value, whatever it was before.
"""

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import rbcl
from numpy.typing import NDArray

from sudare.chance.randomness import Randomness, System
from sudare.errors import InvalidCiphertext
from sudare.twoparty.ciphers.interface import (
    Cipher,
    Keys,
    check_index,
    check_range,
    check_values,
    out_of_range,
)

ORDER = (1 << 252) + 27742317777372353535851937790883648493  # of the group, RFC 9496
POINT = 32  # bytes of a point, and of a scalar
PAIR = 2 * POINT
IDENTITY = bytes(POINT)
_MASK = (1 << ORDER.bit_length()) - 1
MOST_BABY_STEPS = 20  # as a power of 2

_NO_POINTS = f"these {PAIR} bytes are no two points of ristretto255"

# The binding's add and sub give the identity where an operand is no point: never trust that result.
_add: Callable[[bytes, bytes], bytes] = rbcl.crypto_core_ristretto255_add
_subtract: Callable[[bytes, bytes], bytes] = rbcl.crypto_core_ristretto255_sub
_is_point: Callable[[bytes], bool] = rbcl.crypto_core_ristretto255_is_valid_point
_random_scalar: Callable[[], bytes] = rbcl.crypto_core_ristretto255_scalar_random
_base: Callable[[bytes], bytes] = rbcl.crypto_scalarmult_ristretto255_base
_base_or_identity: Callable[[bytes], bytes] = (
    rbcl.crypto_scalarmult_ristretto255_base_allow_scalar_zero
)
_times: Callable[[bytes, bytes], bytes] = rbcl.crypto_scalarmult_ristretto255

# Each import of the binding writes libsodium to a new temporary file, loads it and leaves it there.
_library = Path(rbcl._sodium._name)  # noqa: SLF001 - nowhere else is the file's name
if _library.parent == Path(tempfile.gettempdir()):
    with contextlib.suppress(PermissionError):  # Windows keeps a library that is loaded
        _library.unlink(missing_ok=True)


class ElGamal(Cipher):
    """ElGamal: 64 bytes a value, perfect re-randomisation, not safe from a quantum computer."""

    name: ClassVar[str] = "elgamal"

    def keys(self) -> Keys:
        """Fresh keys: a random scalar x, never 0, and the point x·G."""
        secret = _random_scalar()
        return Keys(_base(secret), secret)

    def encrypt(self, public: bytes, value: int) -> bytes:
        """The ciphertext (r·G, m·G + r·P) of a value m."""
        check_values([value])
        first, second = _zero(check_public(public))
        return first + _add(second, _multiple(value))

    def encrypt_table(
        self, keys: Keys, values: Sequence[int], rng: Randomness | None = None
    ) -> bytes:
        """A table's ciphertexts in a row; as P1 knows x, the second point is (m + r·x)·G."""
        check_values(values)
        secret = int.from_bytes(_secret(keys), "little")
        pairs = []
        for value, r in zip(values, _scalars(rng or System(), len(values)), strict=True):
            pairs += [_base(_scalar(r)), _multiple(value + r * secret)]
        return b"".join(pairs)

    def recompute_table(self, public: bytes, values: Sequence[int], rng: Randomness) -> bytes:
        """The same ciphertexts without x: the second point is m·G + r·P."""
        check_values(values)
        check_public(public)
        shifts = {value: _multiple(value) for value in set(values)}
        pairs = []
        for value, r in zip(values, _scalars(rng, len(values)), strict=True):
            scalar = _scalar(r)
            shared = _times(scalar, public)
            pairs += [_base(scalar), _add(shared, shifts[value]) if value else shared]
        return b"".join(pairs)

    def check_table(self, public: bytes, table: bytes, size: int) -> None:
        """Raise unless every entry is a pair of points, of which the first isn't the identity."""
        check_public(public)
        _check_length(table, size)
        for index in range(size):
            try:
                _pair(table[PAIR * index : PAIR * (index + 1)])
            except InvalidCiphertext as error:
                raise InvalidCiphertext(f"entry {index} of a table of {size}: {error}") from None

    def entry(self, public: bytes, table: bytes, index: int, size: int) -> bytes:
        """The ciphertext at an index of a table: its pair of points."""
        check_public(public)
        check_index(index, size)
        _check_length(table, size)
        return b"".join(_pair(table[PAIR * index : PAIR * (index + 1)]))

    def add(self, first: bytes, second: bytes) -> bytes:
        """The ciphertext of a sum: both points added."""
        (a, b), (c, d) = _halves(first), _halves(second)
        return _proper(_add(a, c), _add(b, d))

    def subtract(self, first: bytes, second: bytes) -> bytes:
        """The ciphertext of a difference: both points subtracted."""
        (a, b), (c, d) = _halves(first), _halves(second)
        return _proper(_subtract(a, c), _subtract(b, d))

    def rerandomise(self, public: bytes, ciphertext: bytes) -> bytes:
        """A ciphertext with a fresh encryption of 0 added: uniform among all of its value."""
        return self.add(ciphertext, b"".join(_zero(check_public(public))))

    def decrypt(self, keys: Keys, ciphertext: bytes, low: int, high: int) -> int:
        """The value opened: the discrete logarithm of the second point less x times the first."""
        check_range(low, high)
        secret = _secret(keys)
        first, second = _pair(ciphertext)
        point = _subtract(second, _times(secret, first))
        found = _logarithm(_subtract(point, _multiple(low)), high - low)
        if found is None:
            raise out_of_range(low, high)
        return low + found

    def prove_opening(self, keys: Keys, ciphertext: bytes, value: int, context: bytes) -> bytes:
        """The proof that x is the logarithm of P, and of B - m·G to the base A."""
        from sudare.twoparty.ciphers.opening_proof import prove

        return prove(_secret(keys), _opening(keys.public, ciphertext, value), context)

    def opens_to(
        self, public: bytes, ciphertext: bytes, value: int, context: bytes, proof: bytes
    ) -> bool:
        """Whether a proof shows that both logarithms are the same."""
        from sudare.twoparty.ciphers.opening_proof import holds

        return holds(_opening(check_public(public), ciphertext, value), proof, context)


def is_short(point: bytes) -> bool:
    """Whether the highest bit of some bytes is 0, as in every point's one encoding.

    libsodium before 1.0.19 doesn't look: it would take a second encoding, also of the identity.
    """
    return point[-1] < 0x80


def _multiple(value: int) -> bytes:
    """The point ``value``·G."""
    return _base_or_identity(_scalar(value % ORDER))


def _scalar(number: int) -> bytes:
    return number.to_bytes(POINT, "little")


def _scalars(rng: Randomness, count: int) -> list[int]:
    """Scalars from 1 to the order less 1, each with the same chance, exactly.

    As many numbers of 256 bits as are still missing are drawn at once, as 8 lanes of 32 bits, the
    lowest first; of each the lowest 253 bits count, and those that are no scalars are left out.
    """
    found: list[int] = []
    while len(found) < count:
        data = rng.below(1 << 32, (count - len(found), POINT // 4)).astype("<u4").tobytes()
        numbers = (
            int.from_bytes(data[at : at + POINT], "little") & _MASK
            for at in range(0, len(data), POINT)
        )
        found += [number for number in numbers if 0 < number < ORDER]
    return found


def _opening(public: bytes, ciphertext: bytes, value: int) -> tuple[bytes, bytes, bytes]:
    """The points (P, A, B - m·G): the statement that a ciphertext opens to a value m."""
    first, second = _pair(ciphertext)
    return public, first, _subtract(second, _multiple(value))


def _check_length(table: bytes, size: int) -> None:
    if len(table) != PAIR * size:
        raise InvalidCiphertext(
            f"a table of {size} entries has {PAIR * size} bytes, not {len(table)}"
        )


def _zero(public: bytes) -> tuple[bytes, bytes]:
    """A fresh encryption of 0; a scalar is drawn from 1 to the order, so no point is the identity.

    (0 is left out by libsodium: a distance from uniform of 2^-252.)
    """
    scalar = _random_scalar()
    return _base(scalar), _times(scalar, public)


def _halves(ciphertext: bytes) -> tuple[bytes, bytes]:
    """Two strings of a point's length, not yet known to be points."""
    if len(ciphertext) != PAIR:
        raise InvalidCiphertext(f"a ciphertext has {PAIR} bytes, not {len(ciphertext)}")
    first, second = ciphertext[:POINT], ciphertext[POINT:]
    if not (is_short(first) and is_short(second)):
        raise InvalidCiphertext(_NO_POINTS)
    if first == IDENTITY:
        raise InvalidCiphertext("a ciphertext's first point is the identity: it hides nothing")
    return first, second


def _pair(ciphertext: bytes) -> tuple[bytes, bytes]:
    """Two points, the first not the identity."""
    first, second = _halves(ciphertext)
    if not (_is_point(first) and _is_point(second)):
        raise InvalidCiphertext(_NO_POINTS)
    return first, second


def _proper(first: bytes, second: bytes) -> bytes:
    """A result, unless one of its points is the identity.

    That is what the binding gives where an operand was no point. Of honest operands it comes only
    if all randomness cancels (a ciphertext less itself), else with a chance of 2^-251.
    """
    if IDENTITY in {first, second}:
        raise InvalidCiphertext(
            "an operand is no pair of points of ristretto255, or both have the same randomness"
        )
    return first + second


def check_public(key: bytes) -> bytes:
    """A public key as it is, if it is one in its one encoding."""
    if len(key) != POINT or key == IDENTITY or not (is_short(key) and _is_point(key)):
        raise InvalidCiphertext(
            f"a public key is a point of {POINT} bytes, not the identity: these {len(key)} are none"
        )
    return key


def _secret(keys: Keys) -> bytes:
    secret = keys.secret
    proper = len(secret) == POINT and 0 < int.from_bytes(secret, "little") < ORDER
    if not proper or _base(secret) != check_public(keys.public):
        raise InvalidCiphertext("the secret key is not the one of the public key")
    return secret


def _logarithm(point: bytes, largest: int) -> int | None:
    """The k from 0 to ``largest`` with k·G = ``point``, by baby steps and giant steps."""
    bits = min(((largest + 1).bit_length() + 1) // 2, MOST_BABY_STEPS)
    prefixes, steps = _baby_steps(bits)
    giant = _multiple(1 << bits)
    start, chunk, last = 0, 16, largest >> bits
    place = point
    while start <= last:
        places = []
        for _ in range(min(chunk, last + 1 - start)):
            places.append(place)
            place = _subtract(place, giant)
        wanted = _prefixes(places)
        at = np.minimum(np.searchsorted(prefixes, wanted), len(prefixes) - 1)
        for hit in np.flatnonzero(prefixes[at] == wanted):
            found = ((start + int(hit)) << bits) + int(steps[at[hit]])
            # A prefix may coincide with another's, with chance 2^-64: the point decides.
            if found <= largest and _multiple(found) == point:
                return found
        start, chunk = start + len(places), min(2 * chunk, 4096)
    return None


@lru_cache(maxsize=4)
def _baby_steps(bits: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """The first 8 bytes of k·G for each k below 2^``bits``, sorted, and the k of each."""
    one, point = _multiple(1), IDENTITY
    points = []
    for _ in range(1 << bits):
        points.append(point[:8])
        point = _add(point, one)
    prefixes = _prefixes(points)
    order = np.argsort(prefixes).astype(np.uint32)
    return prefixes[order], order


def _prefixes(points: list[bytes]) -> NDArray[np.uint64]:
    return np.frombuffer(b"".join(point[:8] for point in points), np.uint64)
