"""Bloom filters: which bits a text sets in which cohort, compiled and plain alike."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare.mechanisms.bloom import design_rows, filters
from sudare.mechanisms.strings import Digests, digests
from support.chance import assert_follows, rejects
from support.compiled import NEVER, compiled_from

KEY = "0123456789abcdef" * 4
widths = st.sampled_from([2, 4, 16, 64, 128, 1024])


def hashed(count: int, key: str = KEY) -> Digests:
    return digests(key, (b"text %d" % number for number in range(count)))


def positions(words: NDArray[np.uint64], bits: int) -> list[list[int]]:
    """The ones of each row, read bit by bit."""
    return [
        [place for place in range(bits) if int(row[place // 64]) >> place % 64 & 1] for row in words
    ]


def reference(seed: int, step: int, cohort: int, hashes: int, bits: int) -> list[int]:
    """The specification, in Python's own integers."""
    state = (seed + (cohort + 1) * step) % 2**64
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    state = (state ^ state >> 27) * 0x94D049BB133111EB % 2**64
    word = state ^ state >> 31
    return [(word + j * (word >> 32 | 1)) % bits for j in range(hashes)]


@given(bits=widths, share=st.floats(0, 1), cohorts=st.integers(1, 70), texts=st.integers(0, 40))
def test_compiled_plain_and_specified_positions_are_the_same(
    bits: int, share: float, cohorts: int, texts: int
) -> None:
    hashes = 1 + int(share * min(bits - 2, 30))
    values = hashed(texts)
    where = np.arange(texts) % cohorts
    rows, planted = [], []
    for size in (0, NEVER):
        with compiled_from(size):
            rows.append(design_rows(values, cohorts, hashes, bits))
            planted.append(filters(values, where, hashes, bits))
    assert rows[0].dtype == rows[1].dtype
    assert rows[0].tobytes() == rows[1].tobytes()
    assert planted[0].tobytes() == planted[1].tobytes()
    for person, (seed, step) in enumerate(values.tolist()):
        expected = reference(seed, step, int(where[person]), hashes, bits)
        assert positions(planted[0][person : person + 1], bits) == [sorted(expected)]
        stacked = [
            cohort * bits + place
            for cohort in range(cohorts)
            for place in reference(seed, step, cohort, hashes, bits)
        ]
        assert rows[0][person].tolist() == stacked


@pytest.mark.parametrize("compiled", [0, NEVER])
@pytest.mark.parametrize(("bits", "hashes"), [(2, 1), (4, 3), (64, 2), (128, 32), (128, 127)])
def test_every_text_sets_exactly_its_bits(bits: int, hashes: int, compiled: int) -> None:
    values = hashed(500)
    with compiled_from(compiled):
        words = filters(values, np.arange(500) % 7, hashes, bits)
        rows = design_rows(values, 7, hashes, bits).reshape(500, 7, hashes)
    assert set(np.bitwise_count(words).sum(axis=1).tolist()) == {hashes}
    assert {len(set(places)) for person in rows.tolist() for places in person} == {hashes}
    assert (rows // bits == np.arange(7)[:, np.newaxis]).all()


@pytest.mark.parametrize(("cohorts", "bits", "width"), [(512, 128, 2), (1024, 128, 4)])
def test_rows_are_as_narrow_as_they_can_be(cohorts: int, bits: int, width: int) -> None:
    for size in (0, NEVER):
        with compiled_from(size):
            rows = design_rows(hashed(40), cohorts, 2, bits)
        assert rows.dtype.itemsize == width
        assert rows.max() < cohorts * bits
        assert rows.max() >= (cohorts - 1) * bits


@pytest.mark.parametrize("which", [0, 1, 2])
def test_positions_are_uniform(which: int) -> None:
    """The first, second and third bit of many texts, in one cohort and over all of them."""
    bits, texts = 16, 40_000
    rows = design_rows(hashed(texts), 4, 3, bits).reshape(texts, 4, 3)
    for places in (rows[:, 0, which], rows[:, 3, which] - 3 * bits):
        counts = Counter(places.tolist())
        assert_follows(counts, dict.fromkeys(range(bits), 1 / bits), texts)
        lopsided = {place: (1 + (-1) ** place / 4) / bits for place in range(bits)}
        assert rejects(counts, lopsided, texts)


def test_cohorts_and_the_two_bits_of_a_text_are_independent() -> None:
    """Pairs of positions: in two cohorts, and two of one cohort, which differ by an odd number."""
    bits, texts = 8, 40_000
    rows = design_rows(hashed(texts), 2, 2, bits).reshape(texts, 2, 2) % bits
    across = Counter(zip(rows[:, 0, 0].tolist(), rows[:, 1, 0].tolist(), strict=True))
    pairs = [(a, b) for a in range(bits) for b in range(bits)]
    assert_follows(across, dict.fromkeys(pairs, 1 / 64), texts)
    assert rejects(across, {(a, b): (1 + (a == b) / 2) / 68 for a, b in pairs}, texts)
    within = Counter(map(tuple, rows[:, 0].tolist()))
    odd = {(a, b): 1 / 32 if (a - b) % 2 else 0.0 for a, b in pairs}
    assert_follows(within, odd, texts)


def test_different_collections_have_different_families() -> None:
    """Two texts collide in one collection and not in another, as often as chance has it."""
    texts, bits = 20_000, 16
    one, other = (
        design_rows(hashed(texts, key), 1, 1, bits)[:, 0].tolist() for key in (KEY, "ff" * 32)
    )
    agreeing = sum(a == b for a, b in zip(one, other, strict=True))
    counts = {True: agreeing, False: texts - agreeing}
    assert_follows(counts, {True: 1 / bits, False: 1 - 1 / bits}, texts)
    assert rejects(counts, {True: 1.2 / bits, False: 1 - 1.2 / bits}, texts)
