"""Proofs that an ElGamal ciphertext opens to a value: what they show, and what can't be forged."""

import hashlib

import pytest
import rbcl

from sudare.twoparty.ciphers.elgamal import ORDER, POINT, ElGamal
from sudare.twoparty.ciphers.opening_proof import _DOMAIN, PROOF, holds

CIPHER = ElGamal()
KEYS = CIPHER.keys()
SUM = CIPHER.encrypt(KEYS.public, 42)
PROVED = CIPHER.prove_opening(KEYS, SUM, 42, b"a session")

_subtract = rbcl.crypto_core_ristretto255_sub
_times = rbcl.crypto_scalarmult_ristretto255
_base = rbcl.crypto_scalarmult_ristretto255_base


def test_the_value_that_is_opened_is_proved_and_no_other() -> None:
    assert len(PROVED) == PROOF == 64
    for value in (42, 0, 41, 43, -42, 2**63 - 1):
        assert CIPHER.opens_to(KEYS.public, SUM, value, b"a session", PROVED) == (value == 42)
        told = CIPHER.prove_opening(KEYS, SUM, value, b"a session")  # which P1 would like to tell
        assert CIPHER.opens_to(KEYS.public, SUM, value, b"a session", told) == (value == 42)


def test_a_proof_is_bound_to_its_key_its_ciphertext_and_its_context() -> None:
    other = CIPHER.encrypt(KEYS.public, 42)
    again = CIPHER.rerandomise(KEYS.public, SUM)
    for public, ciphertext, context in (
        (CIPHER.keys().public, SUM, b"a session"),
        (KEYS.public, other, b"a session"),
        (KEYS.public, again, b"a session"),
        (KEYS.public, SUM, b"another session"),
    ):
        assert not CIPHER.opens_to(public, ciphertext, 42, context, PROVED)


@pytest.mark.parametrize(
    "proof",
    [b"", PROVED[:-1], PROVED + b"\0", bytes(PROOF), b"\xff" * PROOF],
    ids=["nothing", "short", "long", "zeros", "ones"],  # the same in every process
)
def test_bytes_that_are_no_proof(proof: bytes) -> None:
    assert not CIPHER.opens_to(KEYS.public, SUM, 42, b"a session", proof)


def test_every_bit_of_a_proof_counts() -> None:
    for bit in range(8 * PROOF):
        flipped = (int.from_bytes(PROVED) ^ 1 << bit).to_bytes(PROOF)
        assert not CIPHER.opens_to(KEYS.public, SUM, 42, b"a session", flipped)


def test_a_scalar_has_one_encoding() -> None:
    challenge, response = PROVED[:POINT], int.from_bytes(PROVED[POINT:], "little")
    longer = challenge + (response + ORDER).to_bytes(POINT, "little")
    assert not CIPHER.opens_to(KEYS.public, SUM, 42, b"a session", longer)


def scalar(number: int) -> bytes:
    return (number % ORDER).to_bytes(POINT, "little")


def hashed(*points: bytes) -> int:
    """A challenge that leaves out what isn't given."""
    text = _DOMAIN + hashlib.sha256(b"a session").digest() + b"".join(points)
    return int.from_bytes(hashlib.sha512(text).digest(), "little") % ORDER


def test_a_point_that_is_solved_for_after_the_challenge_is_refused() -> None:
    """As a forger could if the hash left it out: the other equation is answered honestly."""
    secret, first = int.from_bytes(KEYS.secret, "little"), SUM[:POINT]
    shared, w, free = _times(KEYS.secret, first), 12345, _base(scalar(67890))

    made = _base(scalar(w)), free  # the second commitment is any point
    challenge = hashed(KEYS.public, first, *made)
    response = scalar(w + challenge * secret)
    solved = _times(scalar(pow(challenge, -1, ORDER)), _subtract(_times(response, first), free))
    assert solved != shared
    proof = scalar(challenge) + response
    assert not holds((KEYS.public, first, solved), proof, b"a session")

    made = free, _times(scalar(w), first)  # the first one is
    challenge = hashed(first, shared, *made)
    response = scalar(w + challenge * secret)
    solved = _times(scalar(pow(challenge, -1, ORDER)), _subtract(_base(response), free))
    assert solved != KEYS.public
    proof = scalar(challenge) + response
    assert not holds((solved, first, shared), proof, b"a session")
