"""Kernels of Bloom filters, each against plain NumPy or Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare.chance.packed import choose_bits
from sudare.kernels.coins import choose
from sudare.mechanisms import bloom
from sudare.mechanisms.strings import DIGEST, Digests
from support.compiled import NEVER, compiled_from

seeds = st.integers(0, 2**32 - 1)


def random_words(seed: int, shape: tuple[int, ...]) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 2**64, shape, np.uint64)


def random_digests(seed: int, count: int) -> Digests:
    found = np.empty(count, DIGEST)
    found["seed"], found["step"] = random_words(seed, (2, count))
    found["seed"][:1] = 2**64 - 1  # wraps at once
    found["step"] |= np.uint64(1)
    return found


def in_records(seed: int, count: int, width: int) -> NDArray[np.void]:
    """Rows as they lie in reports: 18 bytes apart for two words, so at odd addresses."""
    records = np.zeros(count, [("cohort", "<u2"), ("bits", "<u8", (width,))])
    records["bits"] = random_words(seed, (count, width))
    return records


def splitmix(state: int) -> int:
    """SplitMix64's output function, in Python's integers."""
    mask = 2**64 - 1
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
    state = (state ^ state >> 27) * 0x94D049BB133111EB & mask
    return state ^ state >> 31


def places(seed: int, step: int, cohort: int, hashes: int, bits: int) -> list[int]:
    word = splitmix((seed + (cohort + 1) * step) % 2**64)
    return [(word + j * (word >> 32 | 1)) % bits for j in range(hashes)]


@given(
    seed=seeds,
    count=st.integers(0, 40),
    cohorts=st.integers(1, 9),
    hashes=st.integers(1, 4),
    log_bits=st.sampled_from([2, 3, 7, 14, 16]),
)
@pytest.mark.parametrize("size", [0, NEVER], ids=["compiled", "plain"])
def test_design_rows_are_as_specified(
    *, size: int, seed: int, count: int, cohorts: int, hashes: int, log_bits: int
) -> None:
    digests, bits = random_digests(seed, count), 1 << log_bits
    hashes = min(hashes, bits - 1)
    with compiled_from(size):
        rows = bloom.design_rows(digests, cohorts, hashes, bits)
    assert rows.dtype == (np.uint16 if cohorts * bits <= 2**16 else np.uint32)
    assert rows.tolist() == [
        [
            cohort * bits + place
            for cohort in range(cohorts)
            for place in places(start, step, cohort, hashes, bits)
        ]
        for start, step in digests.tolist()
    ]


@given(
    seed=seeds,
    count=st.integers(0, 40),
    hashes=st.integers(1, 4),
    log_bits=st.sampled_from([2, 6, 7, 10]),
)
@pytest.mark.parametrize("size", [0, NEVER], ids=["compiled", "plain"])
def test_filters_have_the_bits_of_the_design(
    *, size: int, seed: int, count: int, hashes: int, log_bits: int
) -> None:
    digests, bits = random_digests(seed, count), 1 << log_bits
    hashes = min(hashes, bits - 1)
    cohorts = np.random.default_rng(seed).integers(0, 65536, count)
    with compiled_from(size):
        words = bloom.filters(digests, cohorts, hashes, bits)
    for row, (start, step), cohort in zip(
        words.tolist(), digests.tolist(), cohorts.tolist(), strict=True
    ):
        ones = set(places(start, step, cohort, hashes, bits))
        assert len(ones) == hashes
        assert row == [
            sum(1 << place % 64 for place in ones if place // 64 == word)
            for word in range(len(row))
        ]


@given(seed=seeds, count=st.integers(0, 300), width=st.integers(1, 17))
def test_choose_takes_each_bit_from_one_of_two(seed: int, count: int, width: int) -> None:
    kept, said, unsaid = random_words(seed, (3, count, width))
    expected = kept & said | ~kept & unsaid
    for out in (np.empty((count, width), np.uint64), in_records(seed, count, width)["bits"]):
        choose(kept, said, unsaid, out)
        assert np.array_equal(out, expected)
        out[:] = 0
        with compiled_from(NEVER):
            choose_bits(kept, said, unsaid, out)
        assert np.array_equal(out, expected)
