"""Packed bits: those beyond the last are refused, and each is counted in its place."""

import numpy as np
import pytest

from sudare.chance.packed import check_packed, choose_bits, column_counts, grouped_counts
from sudare.errors import InvalidReport
from support.compiled import NEVER, compiled_from

WIDTHS = [1, 2, 63, 64, 65, 127, 128, 130, 200]
PATHS = pytest.mark.parametrize("size", [0, NEVER], ids=["compiled", "plain"])


def packed(numbers: list[int], bits: int) -> np.ndarray:
    """A row of words for each number, whose binary digits are the bits."""
    words = -(-bits // 64)
    return np.array([[n >> 64 * word & 2**64 - 1 for word in range(words)] for n in numbers], "<u8")


@pytest.mark.parametrize("bits", WIDTHS)
def test_bits_beyond_the_last_are_refused_by_position(bits: int) -> None:
    check_packed(packed([2**bits - 1, 0, 2 ** (bits - 1)], bits), bits)
    check_packed(packed([], bits).reshape(0, -(-bits // 64)), bits)
    for beyond in {bits, 64 * -(-bits // 64) - 1} - {bits - 1}:
        if beyond % 64:
            wrong = packed([0, 2**bits - 1, 1 << beyond, 1 << beyond], bits)
            with pytest.raises(InvalidReport, match=f"position 2 has a bit .* the {bits} allowed"):
                check_packed(wrong, bits)


@PATHS
@pytest.mark.parametrize("bits", WIDTHS)
def test_each_bit_is_counted_in_its_place_and_group(bits: int, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (300, bits))
    groups = rng.choice([0, 1, 4], 300).astype(np.uint16)  # some have nobody
    numbers = [sum(1 << at for at in np.flatnonzero(row).tolist()) for row in table]
    words = packed(numbers, bits)
    with compiled_from(size):
        assert column_counts(words, bits).tolist() == table.sum(axis=0).tolist()
        found = grouped_counts(words, bits, groups, 6)
    wanted = [[np.sum(groups == g), *table[groups == g].sum(axis=0)] for g in range(6)]
    assert found.tolist() == np.array(wanted).tolist()


@PATHS
def test_bits_are_chosen_one_by_one(size: int) -> None:
    kept, said, unsaid = (np.array([[word]], "<u8") for word in (0b1100, 0b1010, 0b0110))
    out = np.zeros_like(kept)
    with compiled_from(size):
        choose_bits(kept, said, unsaid, out)
    assert out.tolist() == [[0b1010]]
