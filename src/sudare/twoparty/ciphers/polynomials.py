"""SEAL's polynomials as arrays: rows are the primes of the modulus, columns the coefficients.

SEAL's binding shows no coefficients, but it writes and reads ciphertexts as bytes in a documented
form: a head that is always the same, then the coefficients as 64-bit words.
"""

import struct
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidCiphertext, ParameterError

Words = NDArray[np.uint64]
Object = Any  # SEAL's objects have no types that a checker could see

DEGREE = 8192  # coefficients of a polynomial
# Bits of the primes of the modulus, the last for keys only. 202 in all: 128 bits of security also
# against quantum computers by the HomomorphicEncryption.org standard (218 where only others count).
PRIMES = (43, 43, 44, 44, 28)
PLAIN = 1 << 42  # values are known modulo this: ±2^40, and whether they lie beyond
FLOOD = 1 << 109  # a flood is uniform from -FLOOD to FLOOD - 1
SEED = 64  # bytes that SEAL expands to a uniform polynomial
_BITS = max(PRIMES)  # of a coefficient
_WORD = 8
_HEADER = 16  # bytes before everything that SEAL writes: what it is, and at the end its length
_BLAKE2XB = b"\x01"  # how a seed is expanded
_REFUSALS = (ValueError, RuntimeError, IndexError)  # what SEAL raises on bytes it can't read


def pack(words: Words) -> bytes:
    """Coefficients as bytes, without the bits that are always 0."""
    bits = np.unpackbits(
        np.ascontiguousarray(words, "<u8").view(np.uint8).reshape(-1, _WORD),
        axis=1,
        count=_BITS,
        bitorder="little",
    )
    return np.packbits(bits.ravel(), bitorder="little").tobytes()


def packed_bytes(count: int) -> int:
    """The length of so many coefficients, packed."""
    return -(-count * _BITS // 8)


def unpack(data: bytes, shape: tuple[int, ...]) -> Words:
    """The coefficients that ``pack`` made these bytes of, in their shape."""
    count = int(np.prod(shape))
    if len(data) != packed_bytes(count):
        raise InvalidCiphertext(f"{count} coefficients can't be read from {len(data)} bytes")
    bits = np.unpackbits(np.frombuffer(data, np.uint8), count=count * _BITS, bitorder="little")
    padded = np.zeros((count, 8 * _WORD), np.uint8)
    padded[:, :_BITS] = bits.reshape(count, _BITS)
    words = np.packbits(padded, axis=1, bitorder="little").view("<u8")
    return words.reshape(shape).astype(np.uint64)


class Ring:
    """SEAL with one set of parameters, and its objects as arrays."""

    def __init__(self, seal: ModuleType) -> None:
        parameters = seal.EncryptionParameters(seal.scheme_type.bfv)
        parameters.set_poly_modulus_degree(DEGREE)
        primes = seal.CoeffModulus.Create(DEGREE, PRIMES)
        parameters.set_coeff_modulus(primes)
        parameters.set_plain_modulus(PLAIN)
        self._seal = seal
        self._context = seal.SEALContext(parameters, True, seal.sec_level_type.tc128)
        self._evaluator = seal.Evaluator(self._context)
        # SEAL keeps the last prime for keys.
        self._primes = [prime.value() for prime in primes]
        self.moduli: Words = np.array(self._primes[:-1], np.uint64)[:, None]
        self.modulus = int(np.prod([int(prime) for prime in self._primes[:-1]], dtype=object))
        generator = seal.KeyGenerator(self._context)
        public = generator.create_public_key()
        self._public_head = public.to_string()[: -2 * len(primes) * DEGREE * _WORD]
        zero = seal.Encryptor(self._context, public).encrypt_zero().to_string()
        self._head = zero[: -2 * self.moduli.size * DEGREE * _WORD]

    def keys(self) -> tuple[bytes, bytes]:
        """A fresh public key and its secret key, as bytes."""
        generator = self._seal.KeyGenerator(self._context)
        public = generator.create_public_key().to_string()[len(self._public_head) :]
        return pack(np.frombuffer(public, "<u8")), generator.secret_key().to_string()

    def encryptor(self, public: bytes) -> Object:
        """SEAL's encryptor under a public key."""
        words = unpack(public, (2 * len(self._primes) * DEGREE,))
        return self._seal.Encryptor(
            self._context, self._read("public", self._public_head + words.tobytes())
        )

    def secret_key(self, secret: bytes) -> Object:
        """SEAL's secret key of these bytes."""
        return self._read("secret", secret)

    def _read(self, kind: str, data: bytes) -> Object:
        try:
            return getattr(self._context, f"from_{kind}_str")(data)
        except _REFUSALS:
            raise InvalidCiphertext(f"SEAL can't read these bytes as a {kind} key") from None

    def encrypt(self, encryptor: Object, value: int) -> Words:
        """A public-key encryption of a value at coefficient 0: column 0 is c₀[0], then c₁."""
        known, mask = self._coefficients(encryptor.encrypt(self._plaintext([value])))
        return np.hstack([known[:, :1], mask])

    def encrypt_seeded(self, secret: Object, values: Sequence[int], seed: bytes) -> Words:
        """The c₀ that goes with the c₁ of a seed, one coefficient for each value.

        SEAL encrypts with a random c₁ of its own, and c₀ ≈ Δ·m − c₁·s. Adding (c₁ − c₁')·s to c₀
        makes it that of c₁', with the same error: the form that SEAL's C++ interface writes.
        """
        own = self._seal.Encryptor(self._context, secret).encrypt_symmetric(self._plaintext(values))
        known, mask = self._coefficients(own)
        change = (mask + self.moduli - self.expand(seed)) % self.moduli
        pair = self._ciphertext(np.stack([change, change]))
        product = self._evaluator.multiply_plain(pair, self._secret_polynomial(secret))
        return ((known + self._coefficients(product)[0]) % self.moduli)[:, : len(values)]

    def decrypt(self, secret: Object, words: Words) -> int:
        """Coefficient 0 of the plaintext of a ciphertext."""
        pair = np.zeros((2, self.moduli.size, DEGREE), np.uint64)
        pair[0, :, 0], pair[1] = words[:, 0], words[:, 1:]
        text = self._seal.Decryptor(self._context, secret).decrypt(self._ciphertext(pair))
        # Hexadecimal terms from the highest exponent down: "5x^2 + 1x^1 + A".
        constant = text.to_string().rpartition(" + ")[2]
        return 0 if "x" in constant else int(constant, 16)

    def expand(self, seed: bytes) -> Words:
        """The uniform polynomial c₁ of a seed, as SEAL expands it."""
        kind, size = self._head[:_WORD], self.moduli.size * DEGREE
        count = struct.pack("<QQ", _HEADER + _WORD + size * _WORD, size)
        source = kind + struct.pack("<Q", _HEADER + 1 + SEED) + _BLAKE2XB + seed
        form = self._head[_HEADER : -_HEADER - _WORD]  # parameters, two polynomials, their size
        body = form + kind + count + bytes(size * _WORD) + source
        return self._coefficients(
            self._loaded(kind + struct.pack("<Q", _HEADER + len(body)) + body)
        )[1]

    def _secret_polynomial(self, secret: Object) -> Object:
        """The s of a secret key, of coefficients -1, 0 and 1: what (0, Δ) decrypts to."""
        pair = np.zeros((2, self.moduli.size, DEGREE), np.uint64)
        scale = (self.modulus + PLAIN // 2) // PLAIN
        pair[1, :, 0] = [scale % int(prime) for prime in self.moduli[:, 0]]
        return self._seal.Decryptor(self._context, secret).decrypt(self._ciphertext(pair))

    def _plaintext(self, values: Sequence[int]) -> Object:
        terms = [
            f"{value % PLAIN:X}x^{exponent}" if exponent else f"{value % PLAIN:X}"
            for exponent, value in enumerate(values)
            if value % PLAIN
        ]
        return self._seal.Plaintext(" + ".join(reversed(terms)) or "0")

    def _ciphertext(self, words: Words) -> Object:
        return self._loaded(self._head + np.ascontiguousarray(words, "<u8").tobytes())

    def _loaded(self, data: bytes) -> Object:
        ciphertext = self._seal.Ciphertext(self._context)
        try:
            ciphertext.load_bytes(self._context, data)
        except _REFUSALS:
            raise InvalidCiphertext("SEAL can't read these bytes as a ciphertext") from None
        return ciphertext

    def _coefficients(self, ciphertext: Object) -> tuple[Words, Words]:
        words = np.frombuffer(ciphertext.to_string()[len(self._head) :], np.dtype("<u8"))
        known, mask = words.reshape(2, self.moduli.size, DEGREE)
        return known, mask


@cache
def ring() -> Ring:
    """SEAL with our parameters, made once."""
    try:
        import seal
    except ModuleNotFoundError:
        raise ParameterError(
            "the lattice cipher needs Microsoft SEAL: pip install 'sudare[lattice]'"
        ) from None
    return Ring(seal)
