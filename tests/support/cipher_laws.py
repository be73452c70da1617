"""The laws that every cipher obeys.

A cipher's test class inherits ``CipherLaws``, gives the cipher and keys, and names bytes that are
none of its ciphertexts and keys.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.chance.randomness import Seeded
from sudare.errors import InvalidCiphertext, ParameterError
from sudare.twoparty.ciphers.interface import RECOMPUTABLE, WIDEST, Cipher, Keys

SMALL = st.integers(-1000, 1000)


class CipherLaws:
    """Inherit, and every law is a test of the cipher."""

    cipher: ClassVar[Cipher]
    keys: ClassVar[Keys]
    wide: ClassVar[tuple[int, int]]
    """A range as wide as is opened at once."""
    bad: ClassVar[Mapping[str, bytes]]
    """Bytes that no operation takes for a ciphertext under the keys, each by its name."""
    no_public: ClassVar[Sequence[bytes]]
    no_secret: ClassVar[Sequence[bytes]]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "bad_bytes" in metafunc.fixturenames:
            metafunc.parametrize("bad_bytes", self.bad.values(), ids=self.bad.keys())

    @pytest.fixture
    def one(self) -> bytes:
        """The value 1 under encryption."""
        return self.cipher.encrypt(self.keys.public, 1)

    # What is computed under encryption

    def test_sums_and_differences_of_entries_and_single_values(self) -> None:
        cipher, keys = self.cipher, self.keys

        @settings(max_examples=20)
        @given(values=st.lists(SMALL, min_size=2, max_size=6), data=st.data())
        def adds_up(values: list[int], data: st.DataObject) -> None:
            table = cipher.encrypt_table(keys, values)
            assert len(table) == len(cipher.encrypt_table(keys, [0] * len(values)))
            single = data.draw(SMALL)
            total, plain = cipher.encrypt(keys.public, single), single
            for index, value in enumerate(values):
                entry = cipher.entry(keys.public, table, index, len(values))
                if data.draw(st.booleans()):
                    total, plain = cipher.add(total, entry), plain + value
                else:
                    total, plain = cipher.subtract(total, entry), plain - value
            fresh = cipher.rerandomise(keys.public, total)
            assert fresh != total
            assert len(fresh) == len(total) == len(entry)
            for ciphertext in (total, fresh):
                assert cipher.decrypt(keys, ciphertext, -7000, 7000) == plain

        adds_up()

    def test_a_table_of_the_same_randomness_is_the_same_without_the_secret(self) -> None:
        cipher, keys, values = self.cipher, self.keys, [-WIDEST, -1, 0, 0, 1, 2, WIDEST]
        if cipher.name not in RECOMPUTABLE:
            with pytest.raises(ParameterError, match="without P1's secret"):
                cipher.recompute_table(keys.public, values, Seeded(1))
            return
        table = cipher.encrypt_table(keys, values, Seeded(1))
        assert cipher.recompute_table(keys.public, values, Seeded(1)) == table
        others = (keys.public, values, Seeded(2)), (cipher.keys().public, values, Seeded(1))
        for other in (*others, (keys.public, values[::-1], Seeded(1))):
            assert cipher.recompute_table(*other) != table
        for public in self.no_public:
            with pytest.raises(InvalidCiphertext, match="public"):
                cipher.recompute_table(public, values, Seeded(1))

    def test_a_proof_of_what_is_opened_is_taken(self, one: bytes) -> None:
        proof = self.cipher.prove_opening(self.keys, one, 1, b"a session")
        assert self.cipher.opens_to(self.keys.public, one, 1, b"a session", proof)
        assert not self.cipher.opens_to(self.keys.public, one, 1, b"a session", proof + b"1")

    @pytest.mark.parametrize("value", [-WIDEST, -5, 0, 5, WIDEST])
    def test_the_ends_of_a_range_are_in_it_and_nothing_beyond(self, value: int) -> None:
        ciphertext = self.cipher.encrypt(self.keys.public, value)
        below, above = max(value - 700, -WIDEST), min(value + 700, WIDEST)
        for low, high in ((value, value), (below, value), (value, above)):
            assert self.cipher.decrypt(self.keys, ciphertext, low, high) == value
        for low, high in ((below, value - 1), (value + 1, above)):
            if low <= high:
                with pytest.raises(InvalidCiphertext, match=f"no value from {low} to {high}"):
                    self.cipher.decrypt(self.keys, ciphertext, low, high)

    # What is refused

    def test_bytes_that_are_no_ciphertext(self, one: bytes, bad_bytes: bytes) -> None:
        cipher, keys = self.cipher, self.keys
        for first, second in ((one, bad_bytes), (bad_bytes, one)):
            with pytest.raises(InvalidCiphertext):
                cipher.add(first, second)
            with pytest.raises(InvalidCiphertext):
                cipher.subtract(first, second)
        with pytest.raises(InvalidCiphertext):
            cipher.rerandomise(keys.public, bad_bytes)
        with pytest.raises(InvalidCiphertext):
            cipher.decrypt(keys, bad_bytes, *self.wide)

    def test_a_flipped_bit_never_opens(self, one: bytes) -> None:
        bits = 8 * len(one)
        for bit in (*range(0, bits, bits // 30), bits - 1):
            flipped = (int.from_bytes(one, "little") ^ 1 << bit).to_bytes(len(one), "little")
            with pytest.raises(InvalidCiphertext):
                self.cipher.decrypt(self.keys, flipped, *self.wide)

    def test_a_ciphertext_less_itself_would_hide_nothing(self, one: bytes) -> None:
        with pytest.raises(InvalidCiphertext, match="same randomness"):
            self.cipher.subtract(one, one)

    def test_keys_of_others(self, one: bytes) -> None:
        other = self.cipher.keys()
        foreign = self.cipher.encrypt(other.public, 1)
        with pytest.raises(InvalidCiphertext, match=r"another (public )?key"):
            self.cipher.decrypt(self.keys, foreign, *self.wide)
        crossed = Keys(self.keys.public, other.secret)
        with pytest.raises(InvalidCiphertext, match="not the one"):
            self.cipher.encrypt_table(crossed, [1])
        for ciphertext in (one, foreign):
            with pytest.raises(InvalidCiphertext, match="not the one"):
                self.cipher.decrypt(crossed, ciphertext, 0, 1)

    def test_bytes_that_are_no_secret_key(self, one: bytes) -> None:
        for secret in self.no_secret:
            keys = Keys(self.keys.public, secret)
            with pytest.raises(InvalidCiphertext, match="secret"):
                self.cipher.decrypt(keys, one, 0, 10)
            with pytest.raises(InvalidCiphertext, match="secret"):
                self.cipher.encrypt_table(keys, [1])

    def test_bytes_that_are_no_public_key(self, one: bytes) -> None:
        table = self.cipher.encrypt_table(self.keys, [1, 2])
        for public in self.no_public:
            with pytest.raises(InvalidCiphertext, match="public"):
                self.cipher.encrypt(public, 1)
            with pytest.raises(InvalidCiphertext, match="public"):
                self.cipher.rerandomise(public, one)
            with pytest.raises(InvalidCiphertext, match="public"):
                self.cipher.entry(public, table, 0, 2)
            with pytest.raises(InvalidCiphertext, match="public"):
                self.cipher.check_table(public, table, 2)

    def test_tables_of_another_size_and_indices_beyond(self, one: bytes) -> None:
        table = self.cipher.encrypt_table(self.keys, [1, 2, 3])
        for size in (2, 4, 10_000):
            sentence = rf"a table of (\d+ bytes doesn't have )?{size} entries"
            with pytest.raises(InvalidCiphertext, match=sentence):
                self.cipher.entry(self.keys.public, table, 0, size)
            with pytest.raises(InvalidCiphertext, match=sentence):
                self.cipher.check_table(self.keys.public, table, size)
        for index in (-1, 3):
            with pytest.raises(ParameterError, match=f"none at {index}"):
                self.cipher.entry(self.keys.public, table, index, 3)
        for cut in (b"", one, table[:-1]):
            with pytest.raises(InvalidCiphertext):
                self.cipher.entry(self.keys.public, cut, 0, 3)
            with pytest.raises(InvalidCiphertext):
                self.cipher.check_table(self.keys.public, cut, 3)
        self.cipher.check_table(self.keys.public, table, 3)

    def test_values_and_ranges_that_are_too_wide(self, one: bytes) -> None:
        for value in (WIDEST + 1, -WIDEST - 1):
            with pytest.raises(ParameterError, match="position 0 is beyond"):
                self.cipher.encrypt(self.keys.public, value)
            with pytest.raises(ParameterError, match="position 1 is beyond"):
                self.cipher.encrypt_table(self.keys, [0, value])
        for low, high in ((1, 0), (0, WIDEST + 1), (-1, WIDEST), (WIDEST + 1, WIDEST + 2)):
            with pytest.raises(ParameterError, match="can't be opened"):
                self.cipher.decrypt(self.keys, one, low, high)

    def test_the_secret_is_not_printed(self) -> None:
        assert "secret" not in repr(self.keys)
        assert repr(self.keys.secret) not in repr(self.keys)
