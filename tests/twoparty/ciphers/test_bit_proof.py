"""The proof that a ciphertext holds a bit: what it stands for, and what has none."""

import secrets
from typing import Any

import pytest
import rbcl

from sudare.twoparty.ciphers import bit_proof
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


# Forgeries that a weaker challenge would take: what it leaves out is solved for after it is known.


def times_base(number: int) -> bytes:
    point: bytes = rbcl.crypto_scalarmult_ristretto255_base(scalar(number))
    return point


def scalar(number: int) -> bytes:
    return (number % ORDER).to_bytes(POINT, "little")


def fraction(above: int, below: int) -> int:
    return above * pow(below, -1, ORDER) % ORDER


def root(square: int) -> int | None:
    """A square root modulo the order, which is 5 modulo 8; every second number has one."""
    for unit in (1, pow(2, (ORDER - 1) // 4, ORDER)):
        found = unit * pow(square, (ORDER + 3) // 8, ORDER) % ORDER
        if found * found % ORDER == square % ORDER:
            return found
    return None


def solution(a: int, b: int, c: int) -> int | None:
    """An x with a·x² + b·x + c = 0 modulo the order, where there is one."""
    found = root(b * b - 4 * a * c)
    return None if found is None else fraction(found - b, 2 * a)


def weak(kept: tuple[bytes, ...], commitments: list[int]) -> int:
    return bit_proof._challenge(CONTEXT, *kept, *map(times_base, commitments))


def forged_ciphertext(left_out: set[str]) -> tuple[int, int, int, bytes] | None:
    """Key, value and record (x, v, …): of ciphertext, the part that isn't hashed comes last.

    Everything is a multiple of G: the key x, the points a and b, the commitments t and u of either
    half. They fit the challenges if c0·d = u0 - t0·x and c1·(d + 1) = u1 - t1·x, for d = a·x - b:
    so c0 + c1 = c is a quadratic equation for d, and the record holds v = -d.
    """
    x, a, b, *drawn = (1 + secrets.randbelow(ORDER - 1) for _ in range(7))
    t0, u0, t1, u1 = drawn
    points = {"key": times_base(x), "first": times_base(a), "second": times_base(b)}
    c = weak(tuple(points[name] for name in points if name not in left_out), drawn)
    k0, k1 = u0 - t0 * x, u1 - t1 * x
    d = solution(c, c - k0 - k1, -k0)
    if d is None:
        return None
    if "first" in left_out:
        a = fraction(d + b, x)
    else:
        b = (a * x - d) % ORDER
    c0, c1 = fraction(k0, d), fraction(k1, d + 1)
    record = times_base(a) + times_base(b) + scalar(c0) + scalar(c1)
    return x, -d % ORDER, c, record + scalar(t0 + c0 * a) + scalar(t1 + c1 * a)


def forged_key() -> tuple[int, int, int, bytes] | None:
    """A record that is whole before its key is: (c - c1)·(a·x - b) + t0·x = u0 is solved for x."""
    a, b, *drawn = (1 + secrets.randbelow(ORDER - 1) for _ in range(6))
    t0, u0, t1, u1 = drawn
    c = weak((times_base(a), times_base(b)), drawn)
    m, n = c - u0 - u1 - c * b, t0 + t1 + c * a
    x = solution(n * a, m * a - n * b + t0, -m * b - u0)
    if x is None:
        return None
    c0 = (m + n * x) % ORDER
    c1 = (c - c0) % ORDER
    record = times_base(a) + times_base(b) + scalar(c0) + scalar(c1)
    return x, (b - a * x) % ORDER, c, record + scalar(t0 + c0 * a) + scalar(t1 + c1 * a)


@pytest.mark.parametrize(
    "left_out",
    [{"key"}, {"first"}, {"second"}, {"first", "second"}],
    ids=lambda names: " and ".join(sorted(names)),
)
def test_what_a_weaker_challenge_would_prove_is_refused(
    left_out: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the key or the ciphertext in the hash, a proof of any other value could be had."""
    found = None
    while found is None:
        found = forged_key() if left_out == {"key"} else forged_ciphertext(left_out)
    x, value, whole, record = found
    public = times_base(x)
    assert value not in {0, 1}
    shown = rbcl.crypto_core_ristretto255_sub(
        record[POINT:PAIR], rbcl.crypto_scalarmult_ristretto255(scalar(x), record[:POINT])
    )
    assert shown == times_base(value)  # what the record opens to
    assert not is_bit(public, record, CONTEXT)
    challenge, places = bit_proof._challenge, ("key", "first", "second")

    def weaker(context: bytes, *points: bytes) -> Any:
        kept = [point for at, point in enumerate(points) if at > 2 or places[at] not in left_out]
        return challenge(context, *kept)

    monkeypatch.setattr(bit_proof, "_challenge", weaker)
    assert is_bit(public, record, CONTEXT)  # or this would be no forgery
    assert (
        whole
        == sum(int.from_bytes(record[at : at + POINT], "little") for at in (PAIR, PAIR + POINT))
        % ORDER
    )
