"""Each kernel against a computation that is obviously right."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray

from sudare.kernels.choices import flag_low_products, histogram, respond
from sudare.kernels.coins import compare, plant, positions, settle, toss
from sudare.kernels.counters import PLANES_HOLD, SIXTEEN_BITS_HOLD, TILE, column_counts

ALL_ONES = np.uint64(2**64 - 1)
seeds = st.integers(0, 2**32 - 1)


def random_words(seed: int, shape: tuple[int, ...]) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 2**64, shape, np.uint64)


def as_bits(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Bit v of each row, v running along the last axis."""
    lanes = np.arange(64, dtype=np.uint64)
    spread = (words[..., None] >> lanes) & np.uint64(1)
    return spread.astype(np.uint8).reshape(*words.shape[:-1], 64 * words.shape[-1])


def test_importing_the_package_does_not_import_numba() -> None:
    code = "import sys, sudare.kernels; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# coins


def compared(planes: NDArray[np.uint64], numerator: int) -> tuple[NDArray[np.bool_], ...]:
    """Lanes where the integer u read from the planes is below, and equal to, the numerator."""
    rows = len(planes)
    weights = 1 << np.arange(rows - 1, -1, -1)
    u = weights @ as_bits(planes).astype(np.int64)
    return u < numerator, u == numerator


def masks_of(numerator: int, rows: int) -> NDArray[np.uint64]:
    bits = [numerator >> j & 1 for j in range(rows - 1, -1, -1)]
    return np.where(np.array(bits) == 1, ALL_ONES, np.uint64(0))


@given(seed=seeds, rows=st.integers(1, 8), size=st.integers(0, 1200), data=st.data())
def test_compare_is_the_comparison_of_integers(
    seed: int, rows: int, size: int, data: st.DataObject
) -> None:
    numerator = data.draw(st.integers(0, 2**rows - 1))
    planes = random_words(seed, (rows, size))
    below = np.zeros(size, np.uint64)
    undecided = np.full(size, ALL_ONES)
    compare(planes, masks_of(numerator, rows), below, undecided)
    less, equal = compared(planes, numerator)
    assert np.array_equal(as_bits(below), less)
    assert np.array_equal(as_bits(undecided), equal)


@given(seed=seeds, numerator=st.integers(0, 2**8 - 1), size=st.integers(1, 600))
def test_compare_goes_on_where_it_stopped(seed: int, numerator: int, size: int) -> None:
    planes = random_words(seed, (8, size))
    masks = masks_of(numerator, 8)
    below = np.zeros(size, np.uint64)
    undecided = np.full(size, ALL_ONES)
    compare(planes[:3], masks[:3], below, undecided)
    compare(planes[3:], masks[3:], below, undecided)
    less, equal = compared(planes, numerator)
    assert np.array_equal(as_bits(below), less)
    assert np.array_equal(as_bits(undecided), equal)


@given(
    seed=seeds,
    size=st.integers(0, 300),
    columns=st.integers(1, 20),
    dtype=st.sampled_from([np.int64, np.uint8, np.int32, np.uint64]),
)
def test_plant_sets_one_bit_of_each_row(
    seed: int, size: int, columns: int, dtype: DTypeLike
) -> None:
    rng = np.random.default_rng(seed)
    bits = random_words(seed, (size, columns))
    top = min(64 * columns, 256)  # what every dtype holds
    values = rng.integers(0, top, size).astype(dtype)
    heads = rng.random(size) < 0.5
    expected = as_bits(bits)
    expected[np.arange(size), values.astype(np.int64)] = heads
    plant(bits, values, heads)
    assert np.array_equal(as_bits(bits), expected)


@pytest.mark.parametrize("value", [0, 63, 64, 127])
@pytest.mark.parametrize("start", [0, 2**64 - 1])
@pytest.mark.parametrize("head", [False, True])
def test_plant_at_the_edges_of_words(value: int, start: int, head: bool) -> None:
    bits = np.full((1, 2), start, np.uint64)
    expected = as_bits(bits)
    expected[0, value] = head
    plant(bits, np.array([value]), np.array([head]))
    assert np.array_equal(as_bits(bits), expected)


# choices


@given(seed=seeds, size=st.integers(0, 300))
def test_settle_hands_the_coins_to_the_open_lanes_in_order(seed: int, size: int) -> None:
    below = random_words(seed, (size, 1))
    undecided = random_words(seed + 1, (size, 1)) & ~below
    undecided[::3] = 0
    coins = np.random.default_rng(seed).integers(0, 2, int(as_bits(undecided).sum())) == 1
    expected = as_bits(below)
    expected[as_bits(undecided) == 1] = coins
    settle(below[:, 0], undecided[:, 0], coins)
    assert (as_bits(below) == expected).all()


@given(seed=seeds, size=st.integers(0, 500), high=st.integers(0, 65535))
def test_toss_compares_and_finds_the_ties(seed: int, size: int, high: int) -> None:
    lanes = np.random.default_rng(seed).integers(0, 65536, size).astype(np.uint16)
    lanes[::4] = high
    coins, ties = np.empty(size, np.bool_), np.empty(size + 3, np.bool_)
    ties[size:] = False
    toss(lanes, high, coins, ties)
    assert coins.tolist() == [lane < high for lane in lanes.tolist()]
    assert ties.tolist() == [lane == high for lane in lanes.tolist()] + [False] * 3


@given(seed=seeds, eights=st.integers(0, 60), rarity=st.integers(0, 60))
def test_positions_are_those_of_the_flags(seed: int, eights: int, rarity: int) -> None:
    flags = np.random.default_rng(seed).integers(0, rarity + 1, 8 * eights) == 0
    found = np.empty(flags.size, np.int64)
    count = positions(flags, found)
    assert found[:count].tolist() == np.flatnonzero(flags).tolist()


@given(
    seed=seeds,
    size=st.integers(0, 500),
    dtype=st.sampled_from([np.uint16, np.uint32]),
    factor=st.integers(1, 65535),
)
def test_low_products_are_flagged(
    seed: int, size: int, dtype: type[np.unsignedinteger], factor: int
) -> None:
    span = int(np.iinfo(dtype).max) + 1
    lanes = np.random.default_rng(seed).integers(0, span, size).astype(dtype)
    limit = factor // 2
    flags = np.empty(size, np.bool_)
    flag_low_products(lanes, factor, limit, flags)
    assert flags.tolist() == [lane * factor % span < limit for lane in lanes.tolist()]


def other_than(value: int, lane: int, width: int, bound: int) -> int:
    """The lie that a lane of ``width`` bits stands for."""
    others = [answer for answer in range(bound + 1) if answer != value]
    return others[lane * bound >> width]


@given(
    seed=seeds,
    size=st.integers(0, 200),
    k=st.integers(2, 300),
    width=st.sampled_from([16, 32]),
    kinds=st.sampled_from(
        [
            (np.int64, np.uint8),
            (np.int64, np.uint16),
            (np.int64, np.uint32),
            (np.uint8, np.uint8),
            (np.int16, np.uint16),
            (np.uint32, np.uint32),
            (np.uint64, np.uint16),
        ]
    ),
)
def test_respond_is_randomised_response(
    *,
    seed: int,
    size: int,
    k: int,
    width: int,
    kinds: tuple[type[np.integer], type[np.unsignedinteger]],
) -> None:
    kind, report = kinds
    k = min(k, int(np.iinfo(report).max) + 1)
    rng = np.random.default_rng(seed)
    values = rng.integers(0, k, size).astype(kind)
    honest = rng.integers(0, 2, size).astype(np.bool_)
    lanes = rng.integers(0, 2**width, size).astype(f"uint{width}")
    lanes[::5] = rng.choice([0, 1, 2**width - 1], lanes[::5].size)
    out = np.empty(size, report)
    respond(values, honest, lanes, k - 1, out)
    assert out.tolist() == [
        value if kept else other_than(value, lane, width, k - 1)
        for value, kept, lane in zip(values.tolist(), honest, lanes.tolist(), strict=True)
    ]


def test_respond_at_the_largest_answers() -> None:
    top = 2**32 - 1
    values = np.array([top, 0, top, top - 1], np.int64)
    lanes = np.array([top, top, 0, top], np.uint32)
    honest = np.array([True, False, False, False])
    out = np.empty(4, np.uint32)
    respond(values, honest, lanes, top, out)
    assert out.tolist() == [top, top, 0, top]


@given(
    seed=seeds,
    size=st.integers(0, 3000),
    k=st.one_of(st.sampled_from([2, 256, 512, 513, 65536]), st.integers(1, 2000)),
    dtype=st.sampled_from([np.uint8, np.uint16, np.uint32]),
    constant=st.booleans(),
)
def test_histogram_counts(
    seed: int, size: int, k: int, dtype: type[np.unsignedinteger], constant: bool
) -> None:
    k = min(k, int(np.iinfo(dtype).max) + 1)
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, k, size).astype(dtype)
    if constant:
        answers[:] = k - 1
    counts = histogram(answers, k)
    assert counts.dtype == np.int64
    assert counts.tolist() == np.bincount(answers, minlength=k).tolist()


# counters


def counted(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Bit by bit."""
    lanes = [((words >> np.uint64(b)) & np.uint64(1)).sum(axis=0) for b in range(64)]
    return np.array(lanes, np.int64).T.ravel()


@given(
    seed=seeds,
    size=st.integers(0, 700),
    columns=st.one_of(st.integers(1, 20), st.sampled_from([TILE - 1, TILE, TILE + 1, 2 * TILE])),
)
def test_column_counts(seed: int, size: int, columns: int) -> None:
    words = random_words(seed, (size, columns))
    counts = column_counts(words)
    assert counts.dtype == np.int64
    assert np.array_equal(counts, counted(words))


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, PLANES_HOLD, PLANES_HOLD + 1, 2 * PLANES_HOLD])
@pytest.mark.parametrize("columns", [1, 2, 7, 16, TILE, TILE + 3, 1600])
def test_column_counts_of_full_rows(size: int, columns: int) -> None:
    """Every counter as high as it can be: nothing may carry out of its plane or field."""
    counts = column_counts(np.full((size, columns), ALL_ONES))
    assert counts.tolist() == [size] * (64 * columns)


@pytest.mark.parametrize(
    "extra", [-1, 0, 1, 7, 8, PLANES_HOLD + 3, SIXTEEN_BITS_HOLD + 2 * PLANES_HOLD]
)
def test_column_counts_beyond_sixteen_bits(extra: int) -> None:
    """Rows too wide to lie abreast, through every flush."""
    size = SIXTEEN_BITS_HOLD + extra
    columns = TILE // 2 + 1
    words = np.full((size, columns), ALL_ONES)
    words[:, 0] = random_words(extra + 1, (size,))
    words[0, 1] = 1
    counts = column_counts(words)
    assert np.array_equal(counts[:64], counted(words[:, :1]))
    assert counts[64] == size
    assert set(counts[65:128].tolist()) == {size - 1}
    assert set(counts[128:].tolist()) == {size}


def test_column_counts_of_many_narrow_rows() -> None:
    words = random_words(7, (300_001, 3))
    assert np.array_equal(column_counts(words), counted(words))


def test_column_counts_of_received_bytes() -> None:
    words = np.frombuffer(random_words(8, (500, 2)).tobytes(), np.uint64).reshape(500, 2)
    assert not words.flags.writeable
    assert np.array_equal(column_counts(words), counted(words))
