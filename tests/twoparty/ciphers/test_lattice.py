"""The lattice cipher: the laws of every cipher, its parameters, and how large errors are."""

import hashlib
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import InvalidCiphertext, ParameterError
from sudare.twoparty.ciphers import lattice as cipher_lattice
from sudare.twoparty.ciphers import polynomials as cipher_ring
from sudare.twoparty.ciphers.elgamal import ElGamal
from sudare.twoparty.ciphers.interface import WIDEST
from sudare.twoparty.ciphers.lattice import Lattice
from sudare.twoparty.ciphers.polynomials import DEGREE, FLOOD, PLAIN, pack, ring, unpack
from support.cipher_laws import CipherLaws
from support.lattice_errors import error_of

CIPHER = Lattice()
KEYS = CIPHER.keys()
GOOD = CIPHER.encrypt(KEYS.public, 1)
BAD = {
    "nothing": b"",
    "cut": GOOD[:-1],
    "longer": GOOD + b"\0",
    "a public key": KEYS.public,
    "a table": CIPHER.encrypt_table(KEYS, [1]),
    "the other cipher's": ElGamal().encrypt(ElGamal().keys().public, 1),
    "another key's": CIPHER.encrypt(CIPHER.keys().public, 1),
    **{
        f"bit {bit} of byte {at}": GOOD[:at] + bytes([GOOD[at] ^ 1 << bit]) + GOOD[at + 1 :]
        for at in (0, 16, 32, 33, 90000, len(GOOD) - 1)
        for bit in (0, 7)
    },
}


class TestLattice(CipherLaws):
    cipher = CIPHER
    keys = KEYS
    wide = (-WIDEST // 2, WIDEST // 2)
    bad = BAD
    no_public = (
        b"",
        GOOD,
        KEYS.public[:-1],
        cipher_lattice._seal("public", bytes(16), b"\xff" * (len(KEYS.public) - 32)),
        cipher_lattice._seal("public", b"", b""),
    )
    no_secret = (
        b"",
        KEYS.public,
        KEYS.secret[:-1],
        cipher_lattice._seal("secret", KEYS.public[:16], b"\xff" * 100),
    )


def test_what_it_is_made_of_is_the_same_in_every_version() -> None:
    """128 bits of security, also against quantum computers, end at a modulus of 202 bits."""
    assert (DEGREE, sum(cipher_ring.PRIMES)) == (8192, 202)
    mark = hashlib.sha256(KEYS.public[32:]).digest()[:16]
    made = CIPHER.encrypt(KEYS.public, 1)
    assert made[:32] == mark + hashlib.sha256(b"ciphertext" + mark + made[32:]).digest()[:16]


def test_a_difference_that_only_values_are_left_of_is_refused() -> None:
    """Both have the same second part, and other values."""
    mark, words = cipher_lattice._words(GOOD)
    words[:, 0] = (words[:, 0] + 1) % ring().moduli[:, 0]
    with pytest.raises(InvalidCiphertext, match="same randomness"):
        CIPHER.subtract(GOOD, cipher_lattice._ciphertext(mark, words))


@pytest.mark.parametrize("column", [1, DEGREE])
def test_a_second_part_of_one_coefficient_is_one(column: int) -> None:
    """It hides next to nothing, and is still no bare value: only 0 is refused."""
    mark, words = cipher_lattice._words(GOOD)
    words[:] = 0
    words[0, column] = 1
    made = cipher_lattice._ciphertext(mark, words)
    assert np.array_equal(cipher_lattice._words(made)[1], words)


def test_a_table_of_several_polynomials_and_its_bytes() -> None:
    """14,731 entries, as the document's table for three draws has at δ = 10⁻¹⁰."""
    values = [7 * index % 61 - 30 for index in range(14731)]
    table = CIPHER.encrypt_table(KEYS, values)
    assert len(table) < 3 * 8 * len(values)
    for index in (0, 1, DEGREE - 1, DEGREE, len(values) - 1):
        entry = CIPHER.entry(KEYS.public, table, index, len(values))
        assert CIPHER.decrypt(KEYS, entry, -30, 30) == values[index]


@pytest.mark.parametrize("value", [-WIDEST, -5, 0, 5, WIDEST])
def test_the_widest_ranges_are_opened_at_once(value: int) -> None:
    ciphertext = CIPHER.encrypt(KEYS.public, value)
    for low, high in ((0, WIDEST), (-WIDEST, 0)):
        if low <= value <= high:
            assert CIPHER.decrypt(KEYS, ciphertext, low, high) == value
        else:
            with pytest.raises(InvalidCiphertext, match=f"no value from {low} to {high}"):
                CIPHER.decrypt(KEYS, ciphertext, low, high)


def test_the_parameters_are_those_that_are_stated() -> None:
    context = ring()._context
    assert context.parameters_set()
    level = context.key_context_data()
    assert level.qualifiers().sec_level == ring()._seal.sec_level_type.tc128
    assert level.total_coeff_modulus_bit_count() == sum(cipher_ring.PRIMES) == 202
    assert ring().modulus.bit_length() == 174
    assert level.parms().poly_modulus_degree() == DEGREE


def test_errors_are_as_small_as_stated() -> None:
    """At most 2^13 in a fresh ciphertext and 22 in an entry: worst cases, not chances."""
    for value in (0, 1, -1, 12345):
        assert abs(error_of(KEYS, CIPHER.encrypt(KEYS.public, value), value)) <= 2**13
    table = CIPHER.encrypt_table(KEYS, range(40))
    entries = [CIPHER.entry(KEYS.public, table, index, 40) for index in range(40)]
    errors = [error_of(KEYS, entry, value) for value, entry in enumerate(entries)]
    assert max(map(abs, errors)) <= 22
    assert len(set(errors)) > 1


def test_a_flood_is_far_above_every_error_and_far_below_the_next_value() -> None:
    fresh = [CIPHER.rerandomise(KEYS.public, GOOD) for _ in range(40)]
    errors = [error_of(KEYS, ciphertext, 1) for ciphertext in fresh]
    assert max(map(abs, errors)) <= FLOOD + 2**14
    # All below half the flood: a chance of 2^-40.
    assert max(map(abs, errors)) > FLOOD // 2
    # A million floods and all other errors still round to the value.
    assert ring().modulus // PLAIN // 2 > 2**20 * FLOOD + 2**40
    assert CIPHER.decrypt(KEYS, _disturbed(GOOD, 2**20 * FLOOD), 0, 10) == 1
    assert CIPHER.decrypt(KEYS, _disturbed(GOOD, 2**24 * FLOOD), 0, 10) != 1  # that is too much


def _disturbed(ciphertext: bytes, error: int) -> bytes:
    mark, words = cipher_lattice._words(ciphertext)
    for row, modulus in enumerate(ring().moduli[:, 0]):
        words[row, 0] = (int(words[row, 0]) + error) % int(modulus)
    return cipher_lattice._ciphertext(mark, words)


@given(seed=st.integers(0, 2**32), count=st.integers(0, 50))
def test_packing_loses_nothing(seed: int, count: int) -> None:
    words = np.random.default_rng(seed).integers(0, 2**44, (3, count), np.uint64)
    packed = pack(words)
    assert len(packed) == cipher_ring.packed_bytes(3 * count)
    assert np.array_equal(unpack(packed, words.shape), words)


def test_coefficients_that_no_encryption_has() -> None:
    mark, words = cipher_lattice._words(GOOD)
    words[1, 5] = ring().moduli[1, 0]
    with pytest.raises(InvalidCiphertext, match="not below its modulus"):
        CIPHER.decrypt(KEYS, cipher_lattice._ciphertext(mark, words), 0, 10)
    words[:, 1:] = 0
    bare = cipher_lattice._seal("ciphertext", mark, pack(words))
    with pytest.raises(InvalidCiphertext, match="hides nothing"):
        CIPHER.decrypt(KEYS, bare, 0, 10)
    short = cipher_lattice._seal("ciphertext", mark, bytes(8))
    with pytest.raises(InvalidCiphertext, match="from 8 bytes"):
        CIPHER.add(GOOD, short)


def test_a_table_of_another_cipher_or_key_is_refused() -> None:
    with pytest.raises(InvalidCiphertext):
        CIPHER.entry(KEYS.public, ElGamal().encrypt_table(ElGamal().keys(), [1, 2, 3]), 0, 3)
    with pytest.raises(InvalidCiphertext, match="another public key"):
        CIPHER.entry(CIPHER.keys().public, CIPHER.encrypt_table(KEYS, [1, 2, 3]), 0, 3)


def test_without_seal_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "seal", None)
    with pytest.raises(ParameterError, match=r"sudare\[lattice\]"):
        ring.__wrapped__()
