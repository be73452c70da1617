"""The proof that a ciphertext holds a bit: what it stands for, and what has none."""

import secrets

import pytest
import rbcl

from sudare.twoparty.ciphers.bit_proof import PROOF, encrypt_bit, is_bit
from sudare.twoparty.ciphers.elgamal import ORDER, PAIR, POINT, ElGamal

CIPHER = ElGamal()
KEYS = CIPHER.keys()
CONTEXT = b"a count"


@pytest.mark.parametrize("bit", [0, 1])
def test_a_bit_is_proved_and_opens_to_itself(bit: int) -> None:
    for _ in range(5):
        record = encrypt_bit(KEYS.public, bit, CONTEXT)
        assert len(record) == PAIR + PROOF
        assert is_bit(KEYS.public, record, CONTEXT)
        assert CIPHER.decrypt(KEYS, record[:PAIR], 0, 1) == bit


def test_a_proof_stands_for_one_ciphertext_one_key_and_one_context() -> None:
    record, other = (encrypt_bit(KEYS.public, bit, CONTEXT) for bit in (1, 1))
    assert not is_bit(KEYS.public, record, b"another count")
    assert not is_bit(CIPHER.keys().public, record, CONTEXT)
    assert not is_bit(KEYS.public, record[:PAIR] + other[PAIR:], CONTEXT)
    again = CIPHER.rerandomise(KEYS.public, record[:PAIR])
    assert not is_bit(KEYS.public, again + record[PAIR:], CONTEXT)


def test_every_changed_byte_and_length_is_refused() -> None:
    record = encrypt_bit(KEYS.public, 1, CONTEXT)
    for at in range(len(record)):
        changed = bytearray(record)
        changed[at] ^= 1 << secrets.randbelow(8)
        assert not is_bit(KEYS.public, bytes(changed), CONTEXT)
    for wrong in (record[:-1], record + b"\0", b"", bytes(len(record)), b"\xff" * len(record)):
        assert not is_bit(KEYS.public, wrong, CONTEXT)


def test_a_point_in_another_form_is_refused() -> None:
    """Its highest bit set: some libraries take that for the same point."""
    record = bytearray(encrypt_bit(KEYS.public, 0, CONTEXT))
    for at in (POINT - 1, PAIR - 1):
        longer = record.copy()
        longer[at] |= 0x80
        assert not is_bit(KEYS.public, bytes(longer), CONTEXT)
    other = KEYS.public[:-1] + bytes([KEYS.public[-1] | 0x80])
    assert not is_bit(other, bytes(record), CONTEXT)


def test_a_scalar_in_another_form_is_refused() -> None:
    """The same number plus the order would verify, and a copied record would look like another."""
    record = encrypt_bit(KEYS.public, 0, CONTEXT)
    for at in range(PAIR, PAIR + PROOF, POINT):
        number = int.from_bytes(record[at : at + POINT], "little") + ORDER
        longer = record[:at] + number.to_bytes(POINT, "little") + record[at + POINT :]
        assert not is_bit(KEYS.public, longer, CONTEXT)


@pytest.mark.parametrize("value", [2, -1, 10**6])
@pytest.mark.parametrize("claimed", [0, 1])
def test_another_value_has_no_proof(value: int, claimed: int) -> None:
    """The prover of a bit, run on a ciphertext that it made wrong: its true half isn't true."""
    unit = rbcl.crypto_scalarmult_ristretto255_base((1).to_bytes(POINT, "little"))
    shift = CIPHER.encrypt(KEYS.public, value - claimed)
    for _ in range(5):
        record = encrypt_bit(KEYS.public, claimed, CONTEXT)
        assert not is_bit(KEYS.public, CIPHER.add(record[:PAIR], shift) + record[PAIR:], CONTEXT)
        moved = record[POINT:PAIR]
        for _ in range(min(abs(value - claimed), 3)):
            moved = rbcl.crypto_core_ristretto255_add(moved, unit)
        assert not is_bit(KEYS.public, record[:POINT] + moved + record[PAIR:], CONTEXT)


def test_a_proof_that_simulates_both_halves_fails_at_the_hash() -> None:
    """Both equations of a forger hold by design; only the sum of its challenges can't."""
    for _ in range(20):
        scalars = [rbcl.crypto_core_ristretto255_scalar_random() for _ in range(4)]
        assert not is_bit(KEYS.public, CIPHER.encrypt(KEYS.public, 2) + b"".join(scalars), CONTEXT)
