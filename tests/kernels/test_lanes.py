"""Counts in groups, by byte lanes, against the plain path and against unpacked bits."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudare.chance.packed import grouped_counts
from support.compiled import NEVER, compiled_from

ALL_ONES = 2**64 - 1
seeds = st.integers(0, 2**32 - 1)


def in_records(seed: int, count: int, width: int, groups: int) -> NDArray[np.void]:
    """Rows as they lie in reports: 18 bytes apart for two words, so at odd addresses."""
    rng = np.random.default_rng(seed)
    records = np.zeros(count, [("cohort", "<u2"), ("bits", "<u8", (width,))])
    records["bits"] = rng.integers(0, 2**64, (count, width), np.uint64)
    records["cohort"] = rng.integers(0, groups, count)
    return records


def compiled_counts(
    words: NDArray[np.uint64], bits: int, of: NDArray[np.unsignedinteger], groups: int
) -> NDArray[np.int64]:
    with compiled_from(0):
        return grouped_counts(words, bits, of, groups)


@given(
    seed=seeds,
    count=st.integers(0, 300),
    bits=st.sampled_from([2, 63, 64, 65, 128, 192, 1000]),
    groups=st.integers(1, 70),
)
def test_groups_are_counted_alike(seed: int, count: int, bits: int, groups: int) -> None:
    records = in_records(seed, count, -(-bits // 64), groups)
    of = records["cohort"]
    words = np.ascontiguousarray(records["bits"])
    unpacked = np.unpackbits(words.view(np.uint8), axis=1, count=bits, bitorder="little")
    expected = [
        [(of == group).sum(), *unpacked[of == group].sum(axis=0)] for group in range(groups)
    ]
    with compiled_from(NEVER):
        plain = grouped_counts(records["bits"], bits, of, groups)
    assert np.array_equal(plain, expected)
    assert np.array_equal(compiled_counts(records["bits"], bits, of, groups), expected)


@given(seed=seeds, width=st.integers(1, 5), kind=st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_the_layout_changes_nothing(seed: int, width: int, kind: type[np.unsignedinteger]) -> None:
    records = in_records(seed, 700, width, 3)
    words, of = records["bits"], records["cohort"]
    with compiled_from(NEVER):
        expected = grouped_counts(words, 64 * width, of, 3)
    received = np.frombuffer(records.tobytes(), records.dtype)  # may not be written
    columns = np.ascontiguousarray(words), of.astype(kind)
    for array in columns:
        array.flags.writeable = False
    twice = np.repeat(columns[0], 2, axis=0)[::2], np.repeat(columns[1], 2)[::2]
    layouts = [(words, of), (received["bits"], received["cohort"]), columns, twice]
    layouts.append((np.asfortranarray(words), of))
    for rows, groups in layouts:
        assert np.array_equal(compiled_counts(rows, 64 * width, groups, 3), expected)


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("count", [254, 255, 256, 509, 510, 511, 65_535, 65_536, 65_537])
def test_no_lane_overflows(count: int, width: int) -> None:
    """Every bit of every row is 1, and all rows but one are of one group."""
    words = np.full((count, width), ALL_ONES, np.uint64)
    of = np.zeros(count, np.uint16)
    of[count // 2] = 4
    counts = compiled_counts(words, 64 * width, of, 5)
    assert counts.tolist() == [[rows] * (1 + 64 * width) for rows in (count - 1, 0, 0, 0, 1)]


@pytest.mark.parametrize("groups", [2, 1024, 65_536])
def test_many_groups_of_many_rows(groups: int) -> None:
    records = in_records(groups, 150_001, 1, groups)
    with compiled_from(NEVER):
        expected = grouped_counts(records["bits"], 16, records["cohort"], groups)
    found = grouped_counts(records["bits"], 16, records["cohort"], groups)
    assert np.array_equal(found, expected)
    assert found.flags.c_contiguous


def test_threads_count_side_by_side() -> None:
    records = in_records(7, 200_000, 2, 64)
    expected = grouped_counts(records["bits"], 128, records["cohort"], 64)
    found: list[NDArray[np.int64]] = []

    def run() -> None:
        found.extend(grouped_counts(records["bits"], 128, records["cohort"], 64) for _ in range(10))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    assert all(np.array_equal(counts, expected) for counts in found)
