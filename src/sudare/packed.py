"""Packed bits: one row of 64-bit words per person, bit v being bit v % 64 of word v // 64."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidReport
from sudare.kernels import COMPILE_FROM
from sudare.keystream import Words


def check_packed(words: Words, bits: int) -> None:
    """Raise ``InvalidReport`` unless the bits above ``bits`` are 0 in every row."""
    last = words[:, -1]
    beyond = ~np.uint64((1 << (bits - 1) % 64 + 1) - 1)
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


def grouped_counts(
    words: Words, bits: int, groups: NDArray[np.unsignedinteger[Any]], count: int
) -> NDArray[np.int64]:
    """For each of ``count`` groups its number of rows, then how many have each bit set."""
    sizes = np.bincount(groups, minlength=count)
    ends = np.cumsum(sizes)
    if words.size >= COMPILE_FROM:
        from sudare.kernels.counters import sort_rows

        ordered = np.empty_like(words)
        sort_rows(words, groups, ends - sizes, ordered)
    else:
        ordered = words[np.argsort(groups, kind="stable")]
    counts = np.empty((count, 1 + bits), np.int64)
    counts[:, 0] = sizes
    for group, (start, end) in enumerate(zip(ends - sizes, ends, strict=True)):
        counts[group, 1:] = column_counts(ordered[start:end], bits)
    return counts
