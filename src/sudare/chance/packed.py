"""Packed bits: one row of 64-bit words per person, bit v being bit v % 64 of word v // 64."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import Words
from sudare.errors import InvalidReport
from sudare.kernels import COMPILE_FROM

_GROUP = 1 << 14  # rows per group sorted at a time: fewer cost more calls, more only memory


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
    """For each of ``count`` groups its number of rows, then how many have each bit set."""
    counts = np.zeros((count, 1 + bits), np.int64)
    if words.size < COMPILE_FROM:
        _count_groups_plain(words, groups, counts)
        return counts
    size = count * _GROUP
    for top in range(0, len(words), size):
        _count_groups(words[top : top + size], groups[top : top + size], counts)
    return counts


def _count_groups_plain(
    words: Words, groups: NDArray[np.unsignedinteger[Any]], counts: NDArray[np.int64]
) -> None:
    sizes = np.bincount(groups, minlength=len(counts))
    counts[:, 0] += sizes
    order = np.argsort(groups, kind="stable")
    for group, rows in enumerate(np.split(order, np.cumsum(sizes)[:-1])):
        counts[group, 1:] += column_counts(words[rows], counts.shape[1] - 1)


def _count_groups(
    words: Words, groups: NDArray[np.unsignedinteger[Any]], counts: NDArray[np.int64]
) -> None:
    from sudare.kernels.choices import histogram
    from sudare.kernels.counters import column_counts, sort_rows

    groups = np.ascontiguousarray(groups)
    sizes = histogram(groups, len(counts))
    starts = np.cumsum(sizes) - sizes
    ordered = np.empty(words.shape, np.uint64)
    sort_rows(words, groups, starts, ordered)
    counts[:, 0] += sizes
    for group in np.flatnonzero(sizes):
        rows = ordered[starts[group] : starts[group] + sizes[group]]
        counts[group, 1:] += column_counts(rows)[: counts.shape[1] - 1]
