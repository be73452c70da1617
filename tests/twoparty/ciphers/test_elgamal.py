"""EC-ElGamal: what is computed under encryption, and what is refused."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import rbcl
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.errors import InvalidCiphertext, ParameterError
from sudare.twoparty.ciphers import elgamal as cipher_elgamal
from sudare.twoparty.ciphers.elgamal import IDENTITY, ORDER, PAIR, POINT, ElGamal
from sudare.twoparty.ciphers.interface import WIDEST, Keys

CIPHER = ElGamal()
KEYS = CIPHER.keys()
SMALL = st.integers(-1000, 1000)
Use = Callable[[], object]


@settings(max_examples=20)
@given(values=st.lists(SMALL, min_size=2, max_size=6), data=st.data())
def test_sums_and_differences_of_entries_and_single_values(
    values: list[int], data: st.DataObject
) -> None:
    table = CIPHER.encrypt_table(KEYS, values)
    assert len(table) == PAIR * len(values)
    single = data.draw(SMALL)
    total, plain = CIPHER.encrypt(KEYS.public, single), single
    for index, value in enumerate(values):
        entry = CIPHER.entry(KEYS.public, table, index, len(values))
        if data.draw(st.booleans()):
            total, plain = CIPHER.add(total, entry), plain + value
        else:
            total, plain = CIPHER.subtract(total, entry), plain - value
    fresh = CIPHER.rerandomise(KEYS.public, total)
    assert fresh != total
    assert len(fresh) == PAIR
    for ciphertext in (total, fresh):
        assert CIPHER.decrypt(KEYS, ciphertext, -7000, 7000) == plain


def test_a_ciphertext_is_what_it_says() -> None:
    """(r·G, m·G + r·P), computed here from the group alone."""
    ciphertext = CIPHER.encrypt(KEYS.public, 3)
    shared = rbcl.crypto_scalarmult_ristretto255(KEYS.secret, ciphertext[:POINT])
    three = rbcl.crypto_scalarmult_ristretto255_base((3).to_bytes(POINT, "little"))
    assert rbcl.crypto_core_ristretto255_add(three, shared) == ciphertext[POINT:]
    assert rbcl.crypto_scalarmult_ristretto255_base(KEYS.secret) == KEYS.public


@pytest.mark.parametrize("value", [-5, 0, 5])
def test_the_ends_of_a_range_are_in_it_and_nothing_beyond(value: int) -> None:
    ciphertext = CIPHER.encrypt(KEYS.public, value)
    assert CIPHER.decrypt(KEYS, ciphertext, value, value) == value
    assert CIPHER.decrypt(KEYS, ciphertext, value - 700, value) == value
    assert CIPHER.decrypt(KEYS, ciphertext, value, value + 700) == value
    for low, high in ((value - 700, value - 1), (value + 1, value + 700)):
        with pytest.raises(InvalidCiphertext, match=f"no value from {low} to {high}"):
            CIPHER.decrypt(KEYS, ciphertext, low, high)


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


@pytest.mark.parametrize("changed", [b"", bytes(63), bytes(65), bytes(PAIR), b"\xff" * PAIR])
def test_bytes_that_are_no_ciphertext(changed: bytes) -> None:
    good = CIPHER.encrypt(KEYS.public, 1)
    uses: list[Use] = [
        lambda: CIPHER.add(good, changed),
        lambda: CIPHER.add(changed, good),
        lambda: CIPHER.subtract(good, changed),
        lambda: CIPHER.subtract(changed, good),
        lambda: CIPHER.rerandomise(KEYS.public, changed),
        lambda: CIPHER.decrypt(KEYS, changed, 0, 10),
        lambda: CIPHER.entry(KEYS.public, good + changed, 1, 2),
    ]
    for use in uses:
        with pytest.raises(InvalidCiphertext):
            use()


@pytest.mark.parametrize("half", [0, 1])
def test_a_half_that_is_no_point_is_found_though_the_binding_says_nothing(half: int) -> None:
    good = CIPHER.encrypt(KEYS.public, 1)
    bad = b"\xff" * POINT + good[POINT:] if half == 0 else good[:POINT] + b"\xff" * POINT
    assert rbcl.crypto_core_ristretto255_add(b"\xff" * POINT, KEYS.public) == IDENTITY
    other = CIPHER.encrypt(KEYS.public, 2)
    for first, second in ((bad, other), (other, bad)):
        with pytest.raises(InvalidCiphertext):
            CIPHER.add(first, second)
        with pytest.raises(InvalidCiphertext):
            CIPHER.subtract(first, second)
    with pytest.raises(InvalidCiphertext):
        CIPHER.decrypt(KEYS, bad, 0, 10)
    with pytest.raises(InvalidCiphertext):
        CIPHER.rerandomise(KEYS.public, bad)


@pytest.mark.parametrize("bit", [*range(0, 8 * PAIR, 17), 8 * PAIR - 1])
def test_a_flipped_bit_never_opens(bit: int) -> None:
    """No point, or a point that is no small multiple: with a chance of 2^-240 it is one."""
    good = CIPHER.encrypt(KEYS.public, 1)
    flipped = (int.from_bytes(good, "little") ^ 1 << bit).to_bytes(PAIR, "little")
    with pytest.raises(InvalidCiphertext):
        CIPHER.decrypt(KEYS, flipped, -1000, 1000)


def test_a_second_encoding_is_refused_though_the_binding_takes_it() -> None:
    disguised = IDENTITY[:-1] + b"\x80"
    assert rbcl.crypto_core_ristretto255_is_valid_point(disguised)
    good = CIPHER.encrypt(KEYS.public, 1)
    with pytest.raises(InvalidCiphertext, match="public key"):
        CIPHER.encrypt(disguised, 1)
    for bad in (disguised + good[POINT:], good[:POINT] + disguised):
        with pytest.raises(InvalidCiphertext, match="no two points"):
            CIPHER.add(good, bad)
        with pytest.raises(InvalidCiphertext, match="no two points"):
            CIPHER.decrypt(KEYS, bad, 0, 10)


def test_no_copy_of_the_library_is_left_behind(tmp_path: Path) -> None:
    code = "import sudare.twoparty.ciphers.elgamal as e; print(e.ElGamal().keys().public.hex())"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert list(tmp_path.iterdir()) == []


def test_a_ciphertext_less_itself_would_hide_nothing() -> None:
    good = CIPHER.encrypt(KEYS.public, 1)
    with pytest.raises(InvalidCiphertext, match="same randomness"):
        CIPHER.subtract(good, good)


def test_keys_of_others() -> None:
    other = CIPHER.keys()
    foreign = CIPHER.encrypt(other.public, 1)
    mixed = CIPHER.add(foreign, CIPHER.encrypt(KEYS.public, 1))
    for ciphertext in (foreign, mixed, CIPHER.rerandomise(KEYS.public, foreign)):
        with pytest.raises(InvalidCiphertext, match="another key"):
            CIPHER.decrypt(KEYS, ciphertext, -1000, 1000)
    crossed = Keys(KEYS.public, other.secret)
    with pytest.raises(InvalidCiphertext, match="not the one"):
        CIPHER.encrypt_table(crossed, [1])
    with pytest.raises(InvalidCiphertext, match="not the one"):
        CIPHER.decrypt(crossed, foreign, 0, 1)


@pytest.mark.parametrize(
    "secret", [b"", bytes(POINT), ORDER.to_bytes(POINT, "little"), b"\xff" * POINT, bytes(31)]
)
def test_bytes_that_are_no_secret_key(secret: bytes) -> None:
    with pytest.raises(InvalidCiphertext, match="secret key"):
        CIPHER.decrypt(Keys(KEYS.public, secret), CIPHER.encrypt(KEYS.public, 1), 0, 1)


@pytest.mark.parametrize("public", [b"", bytes(POINT), b"\xff" * POINT, bytes(33)])
def test_bytes_that_are_no_public_key(public: bytes) -> None:
    good = CIPHER.encrypt(KEYS.public, 1)
    uses: list[Use] = [
        lambda: CIPHER.encrypt(public, 1),
        lambda: CIPHER.rerandomise(public, good),
        lambda: CIPHER.entry(public, good, 0, 1),
    ]
    for use in uses:
        with pytest.raises(InvalidCiphertext, match="public key"):
            use()


def test_tables_of_another_size_and_indices_beyond() -> None:
    table = CIPHER.encrypt_table(KEYS, [1, 2, 3])
    for size in (2, 4):
        with pytest.raises(InvalidCiphertext, match=f"table of {size} entries"):
            CIPHER.entry(KEYS.public, table, 0, size)
    for index in (-1, 3):
        with pytest.raises(ParameterError, match=f"none at {index}"):
            CIPHER.entry(KEYS.public, table, index, 3)


def test_values_and_ranges_that_are_too_wide() -> None:
    for value in (WIDEST + 1, -WIDEST - 1):
        with pytest.raises(ParameterError, match="position 0 is beyond"):
            CIPHER.encrypt(KEYS.public, value)
        with pytest.raises(ParameterError, match="position 1 is beyond"):
            CIPHER.encrypt_table(KEYS, [0, value])
    good = CIPHER.encrypt(KEYS.public, 1)
    for low, high in ((1, 0), (0, WIDEST + 1), (-1, WIDEST), (WIDEST + 1, WIDEST + 2)):
        with pytest.raises(ParameterError, match="can't be opened"):
            CIPHER.decrypt(KEYS, good, low, high)


def test_the_secret_is_not_printed() -> None:
    assert "secret" not in repr(KEYS)
    assert repr(KEYS.secret) not in repr(KEYS)
