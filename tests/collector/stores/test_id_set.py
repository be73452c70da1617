"""The set of report ids against Python's own, whatever is added and taken back."""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sudare.collector.stores import id_set
from sudare.collector.stores.id_set import IdSet
from sudare.formats.report_ids import ReportIds
from sudare.kernels.id_table import sip_hash
from support.stores import new_ids

WORDS = st.one_of(st.sampled_from([0, 1, 1 << 63, (1 << 64) - 1]), st.integers(0, (1 << 64) - 1))
IDS = st.lists(st.tuples(WORDS, WORDS), max_size=30)
_PLACES = 16
_LARGE = 50  # more than a new table holds


def rows(ids: list[tuple[int, int]]) -> ReportIds:
    return np.array(ids, np.uint64).reshape(-1, 2)


class SeenMachine(RuleBasedStateMachine):
    """Adds, repeats and undoes; a plain set says what must come out."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = IdSet(_PLACES)
        self.model: set[tuple[int, int]] = set()
        self.last: list[tuple[int, int]] = []

    @rule(ids=IDS)
    def add(self, ids: list[tuple[int, int]]) -> None:
        fresh = self.seen.add(rows(ids))
        self.last = []
        for each, new in zip(ids, fresh.tolist(), strict=True):
            assert new == (each not in self.model)
            if new:
                self.last.append(each)
            self.model.add(each)

    @rule(first=st.integers(0, 1 << 40))
    def add_many(self, first: int) -> None:
        self.add([(first + i, i << 44) for i in range(_LARGE)])

    @rule()
    def keep(self) -> None:
        self.seen.keep()
        self.last = []

    @rule()
    def undo(self) -> None:
        self.seen.undo()
        self.model.difference_update(self.last)
        self.last = []

    @rule(ids=IDS)
    def ask(self, ids: list[tuple[int, int]]) -> None:
        assert self.seen.has(rows(ids)).tolist() == [each in self.model for each in ids]

    @invariant()
    def as_many(self) -> None:
        assert len(self.seen) == len(self.model)

    def teardown(self) -> None:
        assert self.seen.has(rows(sorted(self.model))).all()


TestSeen = SeenMachine.TestCase


def test_the_first_place_is_taken_back_too() -> None:
    """Of two places a new id has either; that none of 64 has the first has chance 2^-64."""
    one = rows([(7, 9)])
    for _ in range(64):
        seen = IdSet(2)
        assert seen.add(one).all()
        seen.undo()
        assert len(seen) == 0
        assert not seen.has(one).any()
        assert not seen._table.any()


def without_memory(*_: object) -> int:
    raise MemoryError


@pytest.mark.parametrize("size", [10, 50], ids=["room", "growing"])
def test_where_memory_ends_nothing_is_lost(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """With and without a larger table: what was there is there, and nothing else."""
    seen = IdSet(128)
    own = new_ids(60)
    seen.add(own)
    more = new_ids(size)
    monkeypatch.setattr(id_set, "insert", without_memory)
    with pytest.raises(MemoryError):
        seen.add(more)
    monkeypatch.undo()
    seen.undo()  # nothing was added last
    assert len(seen) == len(own)
    assert seen.has(own).all()
    assert seen.add(more).all()
    assert not seen.add(own).any()


def test_the_hash_is_siphash() -> None:
    """The id 00 01 … 0f under the key 00 01 … 0f, as an independent program gives it."""
    key = np.frombuffer(bytes(range(16)), "<u8")
    low, high = np.frombuffer(bytes(range(16)), "<u8")
    assert int(sip_hash(low, high, key)) == plain_sip_hash(bytes(range(16)), bytes(range(16)))


def plain_sip_hash(message: bytes, key: bytes, compressions: int = 1, last: int = 3) -> int:
    """SipHash as its paper writes it, with Python's integers."""
    mask = (1 << 64) - 1
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]

    def turned(word: int, bits: int) -> int:
        return ((word << bits) | (word >> (64 - bits))) & mask

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) & mask
            v[1] = turned(v[1], 13) ^ v[0]
            v[0] = turned(v[0], 32)
            v[2] = (v[2] + v[3]) & mask
            v[3] = turned(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & mask
            v[3] = turned(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & mask
            v[1] = turned(v[1], 17) ^ v[2]
            v[2] = turned(v[2], 32)

    whole = len(message) // 8 * 8
    tail = message[whole:].ljust(7, b"\0") + bytes([len(message) % 256])
    for start in range(0, whole + 8, 8):
        word = int.from_bytes((message[:whole] + tail)[start : start + 8], "little")
        v[3] ^= word
        rounds(compressions)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(last)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_the_plain_siphash_gives_the_papers_value() -> None:
    """SipHash-2-4 of 15 bytes: appendix A of Aumasson and Bernstein (2012)."""
    assert plain_sip_hash(bytes(range(15)), bytes(range(16)), 2, 4) == 0xA129CA6149BE45E5


def test_names_chosen_by_a_stranger_meet_no_more_than_others() -> None:
    """Under secret odd multipliers these would fall onto 2⁸ values, 2⁸ on each."""
    shift = np.uint64(56)
    i, j = np.divmod(np.arange(1 << 16, dtype=np.uint64), np.uint64(1 << 8))
    ids = np.stack([i << shift, j << shift], axis=1)
    key = np.frombuffer(bytes(range(32)), np.uint64)
    hashes = [int(sip_hash(low, high, key)) & 0xFFFF for low, high in ids]
    # By a union bound over 2¹⁶ places, Poisson of mean 1: above 20 with chance below 10⁻¹³.
    assert np.bincount(hashes).max() <= 20


def test_memory_stays_below_64_bytes_a_name() -> None:
    seen = IdSet()
    ids = np.random.default_rng(1).integers(0, 1 << 63, (200_000, 2)).astype(np.uint64)
    for start in range(0, len(ids), 1000):
        seen.add(ids[start : start + 1000])
        assert seen.nbytes <= 64 * max(len(seen), 1024)
