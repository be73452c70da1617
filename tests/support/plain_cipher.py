"""A cipher that encrypts nothing, for tests of what happens around it."""

from collections.abc import Sequence

from sudare.chance.randomness import Randomness
from sudare.errors import InvalidCiphertext
from sudare.twoparty.ciphers.interface import Cipher, Keys

_SIZE = 8


def _value(ciphertext: bytes) -> int:
    if len(ciphertext) != _SIZE:
        raise InvalidCiphertext(f"a ciphertext has {_SIZE} bytes, got {len(ciphertext)}")
    return int.from_bytes(ciphertext, signed=True)


def _bytes(value: int) -> bytes:
    return value.to_bytes(_SIZE, signed=True)


class Plain(Cipher):
    """Everybody can read everything."""

    name = "plain"

    def keys(self) -> Keys:
        return Keys(b"public", b"secret")

    def encrypt(self, public: bytes, value: int) -> bytes:
        del public
        return _bytes(value)

    def encrypt_table(
        self, keys: Keys, values: Sequence[int], rng: Randomness | None = None
    ) -> bytes:
        del rng
        return b"".join(self.encrypt(keys.public, value) for value in values)

    def recompute_table(self, public: bytes, values: Sequence[int], rng: Randomness) -> bytes:
        return self.encrypt_table(Keys(public, b""), values, rng)

    def check_table(self, public: bytes, table: bytes, size: int) -> None:
        self.entry(public, table, 0, size)

    def entry(self, public: bytes, table: bytes, index: int, size: int) -> bytes:
        del public
        if len(table) != size * _SIZE:
            raise InvalidCiphertext(f"a table of {size} entries has {size * _SIZE} bytes")
        return table[index * _SIZE : (index + 1) * _SIZE]

    def add(self, first: bytes, second: bytes) -> bytes:
        return _bytes(_value(first) + _value(second))

    def subtract(self, first: bytes, second: bytes) -> bytes:
        return _bytes(_value(first) - _value(second))

    def rerandomise(self, public: bytes, ciphertext: bytes) -> bytes:
        del public
        return ciphertext

    def decrypt(self, keys: Keys, ciphertext: bytes, low: int, high: int) -> int:
        del keys
        value = _value(ciphertext)
        if not low <= value <= high:
            raise InvalidCiphertext(f"the value does not lie from {low} to {high}")
        return value
