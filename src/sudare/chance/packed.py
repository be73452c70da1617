"""Packed bits: one row of 64-bit words per person, bit v being bit v % 64 of word v // 64."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import Words
from sudare.errors import InvalidReport
from sudare.kernels import COMPILE_FROM


def check_packed(words: Words, bits: int) -> None:
    """Raise ``InvalidReport`` unless the bits above ``bits`` are 0 in every row."""
    if bits % 64 == 0:
        return  # every bit of a word is allowed
    last = words[:, -1]
    beyond = ~np.uint64((1 << bits % 64) - 1)
    if np.bitwise_or.reduce(last) & beyond:
        where = int(np.argmax(last & beyond != 0))
        raise InvalidReport(
            f"the report at position {where} has a bit set beyond the {bits} allowed"
        )


def column_counts(words: Words, bits: int) -> NDArray[np.int64]:
    """How many rows have each of the ``bits`` set."""
    if words.size >= COMPILE_FROM:
        from sudare.kernels.counters import column_counts as compiled_counts

        return compiled_counts(words)[:bits]
    unpacked = np.unpackbits(words.view(np.uint8), axis=1, count=bits, bitorder="little")
    counts: NDArray[np.int64] = unpacked.sum(axis=0, dtype=np.int64)
    return counts


def has_bit(words: Words, bit: int) -> NDArray[np.bool_]:
    """Which rows have this bit set."""
    said: NDArray[np.bool_] = words[:, bit >> 6] & np.uint64(1 << (bit & 63)) != 0
    return said


def choose_bits(kept: Words, said: Words, unsaid: Words, out: Words) -> None:
    """Fill ``out`` with the bits of ``said`` where ``kept`` is 1, and of ``unsaid`` elsewhere."""
    if kept.size >= COMPILE_FROM:
        from sudare.kernels.coins import choose

        choose(kept, said, unsaid, out)
    else:
        out[:] = (said ^ unsaid) & kept ^ unsaid


def grouped_counts(
    words: Words, bits: int, groups: NDArray[np.unsignedinteger[Any]], count: int
) -> NDArray[np.int64]:
    """For each of ``count`` groups its number of rows, then how many have each bit set.

    Args:
        words: One row per person, in any layout: a column of its own, or a field of records.
        bits: How many bits a row has.
        groups: The group of each row, below ``count``; in any layout.
        count: How many groups there are, at most 2^16.
    """
    if words.size < COMPILE_FROM:
        return _grouped_plain(words, bits, groups, count)
    if count == 1:
        counts = column_counts(np.ascontiguousarray(words), bits)
        return np.concatenate([[len(words)], counts])[np.newaxis]
    return _grouped_compiled(words, bits, groups.astype(np.uint16, copy=False), count)


def _grouped_plain(
    words: Words, bits: int, groups: NDArray[np.unsignedinteger[Any]], count: int
) -> NDArray[np.int64]:
    counts = np.zeros((count, 1 + bits), np.int64)
    counts[:, 0] = np.bincount(groups, minlength=count)
    order = np.argsort(groups, kind="stable")
    for group, rows in enumerate(np.split(order, np.cumsum(counts[:-1, 0]))):
        counts[group, 1:] += column_counts(words[rows], bits)
    return counts


def _grouped_compiled(
    words: Words, bits: int, groups: NDArray[np.uint16], count: int
) -> NDArray[np.int64]:
    from sudare.kernels.lanes import NUMBERS, count_in_groups

    width = words.shape[1]
    lanes = np.zeros(count * width * NUMBERS + 7, np.uint64)
    skipped = -lanes.ctypes.data // 8 % 8  # to where a cache line begins
    lanes = lanes[skipped : skipped + count * width * NUMBERS]
    counts = np.empty((count, 1 + 64 * width), np.int64)  # the kernel writes all of it
    counts[:, 0] = 0
    count_in_groups(words, groups, lanes, np.zeros(count, np.uint8), counts.reshape(-1))
    return np.ascontiguousarray(counts[:, : 1 + bits])
