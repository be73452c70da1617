"""A proof that an ElGamal ciphertext holds 0 or 1, and says no more: "or" of two equalities.

(A, B) = (r·G, v·G + r·P) holds v exactly if A and B - v·G are the same multiple of G and of P,
which Chaum and Pedersen prove (CRYPTO '92). "v = 0 or v = 1" is the disjunction of Cramer, Damgård
and Schoenmakers (CRYPTO '94): the prover answers the true half, simulates the other, and only the
sum of both challenges is given, by a hash (Fiat and Shamir, CRYPTO '86; of statement and
commitments both, as Bernhard, Pereira and Warinschi ask for, ASIACRYPT 2012).

A proof is two challenges and two responses, 128 bytes. It is bound to a context, so it can't be
moved to another count; and whoever changes a ciphertext, even by re-randomising it, can't prove it.
"""

import hashlib

import rbcl

from sudare.twoparty.ciphers.elgamal import ORDER, PAIR, POINT, check_public, is_short

PROOF = 4 * POINT
_DOMAIN = b"sudare: an ElGamal ciphertext on ristretto255 holds a bit, 1"

_add = rbcl.crypto_core_ristretto255_add
_subtract = rbcl.crypto_core_ristretto255_sub
_is_point = rbcl.crypto_core_ristretto255_is_valid_point
_times = rbcl.crypto_scalarmult_ristretto255
_times_base = rbcl.crypto_scalarmult_ristretto255_base
_ONE = (1).to_bytes(POINT, "little")


def encrypt_bit(public: bytes, bit: int, context: bytes) -> bytes:
    """A record of a bit: its ciphertext, and the proof that this holds 0 or 1."""
    check_public(public)
    r = _random()
    unit = _times_base(_ONE)
    shared = _times(r, public)
    first, second = _times_base(r), _add(shared, unit) if bit else shared
    true, false = (1, 0) if bit else (0, 1)
    w, challenges, responses = _random(), [b"", b""], [b"", b""]
    challenges[false], responses[false] = _random(), _random()
    shifted = _shifted(second, false)
    simulated = _commitments(public, first, shifted, challenges[false], responses[false])
    honest = _times_base(w), _times(w, public)
    commitments = (*honest, *simulated) if true == 0 else (*simulated, *honest)
    whole = _challenge(context, public, first, second, *commitments)
    own = (whole - _number(challenges[false])) % ORDER
    challenges[true] = _scalar(own)
    responses[true] = _scalar((_number(w) + own * _number(r)) % ORDER)
    return b"".join((first, second, *challenges, *responses))


def is_bit(public: bytes, record: bytes, context: bytes) -> bool:
    """Whether a record of ciphertext and proof shows that it holds 0 or 1, in this context."""
    if len(record) != PAIR + PROOF:
        return False
    pieces = [record[at : at + POINT] for at in range(0, len(record), POINT)]
    first, second, *scalars = pieces
    proper = all(_number(scalar) < ORDER for scalar in scalars)
    points = (public, first, second)
    if not proper or not all(is_short(point) and _is_point(point) for point in points):
        return False
    try:
        commitments = [
            point
            for value in (0, 1)
            for point in _commitments(
                public, first, _shifted(second, value), scalars[value], scalars[2 + value]
            )
        ]
    except RuntimeError:  # the library's word for a product that is the identity, as that of 0
        return False
    whole = _challenge(context, public, first, second, *commitments)
    return (_number(scalars[0]) + _number(scalars[1])) % ORDER == whole


def _shifted(second: bytes, value: int) -> bytes:
    """B - v·G: r·P if the ciphertext holds v."""
    shifted: bytes = _subtract(second, _times_base(_ONE)) if value else second
    return shifted


def _commitments(
    public: bytes, first: bytes, second: bytes, challenge: bytes, response: bytes
) -> tuple[bytes, bytes]:
    """z·G - c·A and z·P - c·B: what must have been committed to for this answer to be right."""
    return (
        _subtract(_times_base(response), _times(challenge, first)),
        _subtract(_times(response, public), _times(challenge, second)),
    )


def _challenge(context: bytes, *points: bytes) -> int:
    """The hash of statement and commitments as a scalar; each has its fixed length."""
    text = _DOMAIN + hashlib.sha256(context).digest() + b"".join(points)
    return int.from_bytes(hashlib.sha512(text).digest(), "little") % ORDER


def _random() -> bytes:
    scalar: bytes = rbcl.crypto_core_ristretto255_scalar_random()
    return scalar


def _number(scalar: bytes) -> int:
    return int.from_bytes(scalar, "little")


def _scalar(number: int) -> bytes:
    return number.to_bytes(POINT, "little")
