"""One row of each person: known by their names, kept by rule or by chance."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from sudare import Seeded
from sudare.answers.one_each import Keep, KeptRows, People
from sudare.chance.randomness import Scripted


def names(chance: np.random.Generator, people: int, rows: int) -> list[str]:
    return [f"person {number}" * (number % 5) for number in chance.integers(0, people, rows)]


def test_people_are_numbered_as_they_come(seed: int) -> None:
    """As a dict would, over chunks, slices, growth and the empty name."""
    told = names(np.random.default_rng(seed), 3000, 20_000)
    people = People()
    known: dict[str, int] = {}
    wanted = [known.setdefault(name, len(known)) for name in told]
    column = pa.array(told)
    parts = [column.slice(start, 777) for start in range(0, len(told), 777)]
    assert np.concatenate([people.numbers(part) for part in parts]).tolist() == wanted
    assert len(people) == len(known)


def test_names_are_hashed_by_all_their_letters() -> None:
    """Also where they differ at a word's seam, or only in length."""
    different = ["x" * size for size in range(40)] + ["x" * size + "y" for size in range(40)]
    assert len(set(People().numbers(pa.array(different)).tolist())) == len(set(different))


def test_the_hash_is_siphash() -> None:
    """SipHash-1-3 of 128 bits under the key 00 01 … 0f, by a plain path of its own."""
    from sudare.kernels.people import hash_names

    key = np.frombuffer(bytes(range(16)), np.uint64)
    texts = [bytes(range(size)) for size in (0, 1, 7, 8, 9, 15, 16, 63)]
    ends = np.cumsum([0, *map(len, texts)])
    found = np.empty((len(texts), 2), np.uint64)
    hash_names(ends, np.frombuffer(b"".join(texts), np.uint8), key, found)
    assert found.tolist() == [list(_siphash128(bytes(range(16)), text)) for text in texts]


def _siphash128(key: bytes, text: bytes) -> tuple[int, int]:
    mask = (1 << 64) - 1
    words = [int.from_bytes(key[i : i + 8], "little") for i in (0, 8)]
    start = b"somepseudorandomlygeneratedbytes"
    state = [int.from_bytes(start[8 * i : 8 * i + 8], "big") ^ words[i % 2] for i in range(4)]
    state[1] ^= 0xEE

    def turn(word: int, by: int) -> int:
        return (word << by | word >> (64 - by)) & mask

    def rounds(count: int) -> None:
        for _ in range(count):
            a, b, c, d = state
            a = (a + b) & mask
            b = turn(b, 13) ^ a
            a = turn(a, 32)
            c = (c + d) & mask
            d = turn(d, 16) ^ c
            a = (a + d) & mask
            d = turn(d, 21) ^ a
            c = (c + b) & mask
            b = turn(b, 17) ^ c
            c = turn(c, 32)
            state[:] = a, b, c, d

    padded = text + bytes(7 - len(text) % 8) + bytes([len(text) % 256])
    for place in range(0, len(padded), 8):
        word = int.from_bytes(padded[place : place + 8], "little")
        state[3] ^= word
        rounds(1)
        state[0] ^= word
    state[2] ^= 0xEE
    rounds(3)
    low = state[0] ^ state[1] ^ state[2] ^ state[3]
    state[1] ^= 0xDD
    rounds(3)
    return low, state[0] ^ state[1] ^ state[2] ^ state[3]


def test_first_rows(seed: int) -> None:
    told = names(np.random.default_rng(seed), 50, 500)
    people = People()
    parts = [people.first_rows(pa.array(told[start : start + 60])) for start in range(0, 500, 60)]
    kept = np.flatnonzero(np.concatenate(parts)).tolist()
    assert kept == sorted(told.index(name) for name in set(told))


def kept_rows(keep: Keep, told: list[str], chunk: int, rng: Seeded | Scripted) -> list[int]:
    kept = KeptRows(keep, rng)
    for start in range(0, len(told), chunk):
        part = told[start : start + chunk]
        kept.see(pa.array(part), np.arange(start, start + len(part)))
    found: list[int] = kept.sorted().tolist()
    return found


def test_last_rows(seed: int) -> None:
    told = names(np.random.default_rng(seed), 50, 500)
    wanted = sorted({name: row for row, name in enumerate(told)}.values())
    assert kept_rows("last", told, 60, Seeded(seed)) == wanted


@pytest.mark.parametrize("rows", [1, 2, 3, 7])
def test_any_row_has_the_same_chance(rows: int, seed: int) -> None:
    """20,000 people with so many rows each: every share within 7 standard errors (10⁻⁹)."""
    people = 20_000
    told = [str(person) for _ in range(rows) for person in range(people)]
    kept = kept_rows("random", told, 30_011, Seeded(seed))
    assert [row % people for row in sorted(kept, key=lambda row: row % people)] == [*range(people)]
    found = Counter(row // people for row in kept)
    spread = (people * (1 / rows) * (1 - 1 / rows)) ** 0.5
    assert all(abs(found[turn] - people / rows) <= 7 * spread for turn in range(rows))


def test_a_word_that_would_be_uneven_is_left_out() -> None:
    """2⁶⁴ is 1 modulo 3: the word 0 is refused for a third row, and one more is drawn."""
    # First row: any word. Second: 1 is no multiple of 2. Third: 0 is left out, then 3 replaces.
    script = Scripted([5, 1, 0, 3])
    assert kept_rows("random", ["a", "a", "a"], 3, script) == [2]
    assert script.used == 4
    assert kept_rows("random", ["a", "a", "a"], 3, Scripted([5, 1, 0, 4])) == [0]


def test_memory_is_bounded_by_people() -> None:
    people = People()
    for start in range(0, 200_000, 20_000):
        people.numbers(pa.array([str(start + i) for i in range(20_000)]))
    assert 32 <= people.nbytes / len(people) <= 64
    held = people.nbytes
    for _ in range(5):
        people.numbers(pa.array([str(i) for i in range(20_000)]))
    assert people.nbytes == held
