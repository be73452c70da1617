"""EC-ElGamal: the laws of every cipher, its group, its logarithms, and what the binding misses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import rbcl
from hypothesis import given
from hypothesis import strategies as st

from sudare.chance.randomness import Scripted
from sudare.errors import InvalidCiphertext
from sudare.twoparty.ciphers import elgamal as cipher_elgamal
from sudare.twoparty.ciphers.elgamal import IDENTITY, ORDER, PAIR, POINT, ElGamal
from sudare.twoparty.ciphers.interface import WIDEST
from support.cipher_laws import CipherLaws

CIPHER = ElGamal()
KEYS = CIPHER.keys()
GOOD = CIPHER.encrypt(KEYS.public, 1)
NO_POINT = b"\xff" * POINT
BAD = {
    "nothing": b"",
    "cut": GOOD[:-1],
    "63 zeros": bytes(63),
    "65 zeros": bytes(65),
    "64 zeros": bytes(PAIR),
    "no points": NO_POINT + NO_POINT,
    "no first point": NO_POINT + GOOD[POINT:],
    "no second point": GOOD[:POINT] + NO_POINT,
}


class TestElGamal(CipherLaws):
    cipher = CIPHER
    keys = KEYS
    wide = (-1000, 1000)
    bad = BAD
    no_public = (b"", IDENTITY, NO_POINT, bytes(33))
    no_secret = (b"", bytes(POINT), ORDER.to_bytes(POINT, "little"), NO_POINT, bytes(31))


def test_a_ciphertext_is_what_it_says() -> None:
    """(r·G, m·G + r·P), computed here from the group alone."""
    ciphertext = CIPHER.encrypt(KEYS.public, 3)
    assert len(ciphertext) == PAIR
    shared = rbcl.crypto_scalarmult_ristretto255(KEYS.secret, ciphertext[:POINT])
    three = rbcl.crypto_scalarmult_ristretto255_base((3).to_bytes(POINT, "little"))
    assert rbcl.crypto_core_ristretto255_add(three, shared) == ciphertext[POINT:]
    assert rbcl.crypto_scalarmult_ristretto255_base(KEYS.secret) == KEYS.public


def test_a_table_is_its_ciphertexts_in_a_row() -> None:
    assert len(CIPHER.encrypt_table(KEYS, range(6))) == 6 * PAIR
    for bad in BAD.values():
        with pytest.raises(InvalidCiphertext):
            CIPHER.entry(KEYS.public, GOOD + bad, 1, 2)


def test_scalars_are_all_from_one_to_the_order() -> None:
    """What lies outside is left out, and as many as are missing are drawn next."""

    def words(number: int) -> list[int]:
        return [number >> 64 * at & 2**64 - 1 for at in range(4)]

    drawn = [ORDER, 0, ORDER - 1, 2**253 - 1, 5 | 7 << 253, 1 << 252, 0, 9, 1]
    script = [word for number in drawn for word in words(number)]
    rng = Scripted(script)
    assert cipher_elgamal._scalars(rng, 4) == [ORDER - 1, 5, 1 << 252, 9]
    assert rng.used == 4 * 8  # four numbers, three, then one
    assert cipher_elgamal._scalars(rng, 1) == [1]
    assert cipher_elgamal._scalars(rng, 0) == []


@given(largest=st.integers(0, 3000), data=st.data())
def test_logarithms_of_every_range(largest: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, largest))
    assert cipher_elgamal._logarithm(cipher_elgamal._multiple(k), largest) == k
    assert cipher_elgamal._logarithm(cipher_elgamal._multiple(largest + 1), largest) is None
    assert cipher_elgamal._logarithm(cipher_elgamal._multiple(-1), largest) is None


def test_a_prefix_that_coincides_does_not_make_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    prefixes, steps = cipher_elgamal._baby_steps(4)
    # Every baby step claims to be the next one: hits are found, and none is right.
    monkeypatch.setattr(cipher_elgamal, "_baby_steps", lambda _: (prefixes, (steps + 1) % 16))
    assert cipher_elgamal._logarithm(cipher_elgamal._multiple(7), 100) is None


def test_large_totals_with_few_baby_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The far end of a wide range, with the limit on memory scaled down with the range."""
    monkeypatch.setattr(cipher_elgamal, "MOST_BABY_STEPS", 8)
    total = CIPHER.encrypt(KEYS.public, WIDEST - 3)
    assert CIPHER.decrypt(KEYS, total, WIDEST - 2**18, WIDEST) == WIDEST - 3


def test_the_binding_says_nothing_of_bytes_that_are_no_point() -> None:
    """So that the laws' ciphertexts without a point are found by us, or by nobody."""
    assert rbcl.crypto_core_ristretto255_add(NO_POINT, KEYS.public) == IDENTITY


def test_a_second_encoding_is_refused_though_the_binding_takes_it() -> None:
    disguised = IDENTITY[:-1] + b"\x80"
    assert rbcl.crypto_core_ristretto255_is_valid_point(disguised)
    with pytest.raises(InvalidCiphertext, match="public key"):
        CIPHER.encrypt(disguised, 1)
    for bad in (disguised + GOOD[POINT:], GOOD[:POINT] + disguised):
        with pytest.raises(InvalidCiphertext, match="no two points"):
            CIPHER.add(GOOD, bad)
        with pytest.raises(InvalidCiphertext, match="no two points"):
            CIPHER.decrypt(KEYS, bad, 0, 10)


def test_no_copy_of_the_library_is_left_behind(tmp_path: Path) -> None:
    code = "import sudare.twoparty.ciphers.elgamal as e; print(e.ElGamal().keys().public.hex())"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert list(tmp_path.iterdir()) == []


def test_what_others_encrypted_opens_to_nothing_whatever_is_added() -> None:
    foreign = CIPHER.encrypt(CIPHER.keys().public, 1)
    for ciphertext in (CIPHER.add(foreign, GOOD), CIPHER.rerandomise(KEYS.public, foreign)):
        with pytest.raises(InvalidCiphertext, match="another key"):
            CIPHER.decrypt(KEYS, ciphertext, -1000, 1000)
