"""A proof that an ElGamal ciphertext opens to a value, and says no more: two equal logarithms.

(A, B) holds m under P = x·G exactly if B - m·G = x·A: x is the logarithm of P to the base G and of
B - m·G to the base A. Chaum and Pedersen prove that (CRYPTO '92), here without interaction, as in
``bit_proof``. A proof is a challenge and a response, 64 bytes, and is bound to a context.
"""

import hashlib

import rbcl

from sudare.twoparty.ciphers.elgamal import ORDER, POINT

PROOF = 2 * POINT
_DOMAIN = b"sudare: an ElGamal ciphertext on ristretto255 opens to a value, 1"

_subtract = rbcl.crypto_core_ristretto255_sub
_times = rbcl.crypto_scalarmult_ristretto255
_times_base = rbcl.crypto_scalarmult_ristretto255_base


def prove(secret: bytes, statement: tuple[bytes, ...], context: bytes) -> bytes:
    """The proof of whoever has the secret x, of the points (P, A, B - m·G)."""
    _, first, _ = statement
    w: bytes = rbcl.crypto_core_ristretto255_scalar_random()
    challenge = _challenge(context, *statement, _times_base(w), _times(w, first))
    response = (_number(w) + challenge * _number(secret)) % ORDER
    return _scalar(challenge) + _scalar(response)


def holds(statement: tuple[bytes, ...], proof: bytes, context: bytes) -> bool:
    """Whether a proof shows, in this context, that of the points (P, A, Q) P = x·G and Q = x·A."""
    challenge, response = proof[:POINT], proof[POINT:]
    if len(proof) != PROOF or any(_number(each) >= ORDER for each in (challenge, response)):
        return False
    public, first, shared = statement
    try:
        commitments = (
            _subtract(_times_base(response), _times(challenge, public)),
            _subtract(_times(response, first), _times(challenge, shared)),
        )
    except RuntimeError:  # the library's word for a product that is the identity
        return False
    return _challenge(context, *statement, *commitments) == _number(challenge)


def _challenge(context: bytes, *points: bytes) -> int:
    """The hash of statement and commitments as a scalar; each has its fixed length."""
    text = _DOMAIN + hashlib.sha256(context).digest() + b"".join(points)
    return int.from_bytes(hashlib.sha512(text).digest(), "little") % ORDER


def _number(scalar: bytes) -> int:
    return int.from_bytes(scalar, "little")


def _scalar(number: int) -> bytes:
    return number.to_bytes(POINT, "little")
