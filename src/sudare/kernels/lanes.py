"""Column counts of packed bits in each of many groups, by byte lanes.

A group has 64 bytes for each word of its rows, one for each bit: eight 64-bit numbers, of which the
j-th adds ``(word >> j) & 0x0101010101010101``. They are added up elsewhere before any byte is full,
after 255 rows. So rows are read once, in the order in which they come, and nothing is sorted.

The eight are one vector of LLVM's, spelled out: left to itself, LLVM joins them only where its SLP
vectoriser runs, which Numba leaves out by default.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled_for

FULL = 255  # rows: what a byte holds
NUMBERS = 8  # of 64 bits, for each word of a row
AHEAD = 128  # rows: lanes that fill the first cache hold up the processor's own fetching
EVERY_BYTE = 0x0101010101010101

Codegen = tuple[Any, Callable[..., Any]]

_WORD, _INDEX, _BYTE = ir.IntType(64), ir.IntType(32), ir.IntType(8)
_EIGHT = ir.VectorType(_WORD, NUMBERS)
_BYTES = ir.VectorType(_BYTE, 64)
_COUNTS = ir.VectorType(_WORD, 64)
# Bit 8 * i + j of a word is byte i of number j.
_BIT_ORDER = [8 * (bit % 8) + bit // 8 for bit in range(64)]


def _constant(kind: ir.Type, numbers: Sequence[int]) -> ir.Constant:
    return ir.Constant(ir.VectorType(kind, len(numbers)), list(numbers))


def _vector_code(function: Callable[..., Codegen]) -> Callable[..., None]:
    """Code for LLVM, to be called in kernels as a function."""
    return cast("Callable[..., None]", intrinsic(function))


class _Memory:
    """The arrays that vector code was called with, as places in memory."""

    def __init__(self, context: Any, builder: ir.IRBuilder, signature: Any) -> None:  # noqa: ANN401
        self._context, self._builder, self._kinds = context, builder, signature.args

    def place(self, given: Sequence[ir.Value], argument: int, vector: ir.VectorType) -> ir.Value:
        """Where a vector begins: in an argument's array, at the index that the next one says."""
        array, at = given[argument : argument + 2]
        made = self._context.make_array(self._kinds[argument])
        data = made(self._context, self._builder, array).data
        return self._builder.bitcast(self._builder.gep(data, [at]), vector.as_pointer())


@_vector_code
def _add(_context: object, lanes: Any, at: Any, word: Any) -> Codegen:  # noqa: ANN401
    """Add each bit of ``word`` to its byte of the eight numbers of ``lanes`` from ``at`` on."""

    def generate(context: Any, build: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:  # noqa: ANN401
        place = _Memory(context, build, signature).place(given, 0, _EIGHT)
        none = ir.Constant(_EIGHT, ir.Undefined)
        single = build.insert_element(none, given[2], _INDEX(0))
        words = build.shuffle_vector(single, none, _constant(_INDEX, [0] * NUMBERS))
        shifted = build.lshr(words, _constant(_WORD, range(NUMBERS)))
        bits = build.and_(shifted, _constant(_WORD, [EVERY_BYTE] * NUMBERS))
        build.store(build.add(build.load(place, align=8), bits), place, align=8)
        return context.get_dummy_value()

    return types.void(lanes, at, word), generate


@_vector_code
def _empty(_context: object, lanes: Any, at: Any, counts: Any, to: Any) -> Codegen:  # noqa: ANN401
    """Add 64 bytes of ``lanes`` from ``at`` on to ``counts``, in the bits' order; clear them."""

    def generate(context: Any, build: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:  # noqa: ANN401
        memory = _Memory(context, build, signature)
        source, target = memory.place(given, 0, _BYTES), memory.place(given, 2, _COUNTS)
        held = build.load(source, align=8)
        build.store(ir.Constant(_BYTES, None), source, align=8)
        none = ir.Constant(_BYTES, ir.Undefined)
        ordered = build.shuffle_vector(held, none, _constant(_INDEX, _BIT_ORDER))
        wide = build.zext(ordered, _COUNTS)
        build.store(build.add(build.load(target, align=8), wide), target, align=8)
        return context.get_dummy_value()

    return types.void(lanes, at, counts, to), generate


@_vector_code
def _fetch(_context: object, rows: Any, row: Any) -> Codegen:  # noqa: ANN401
    """Begin to fetch a row from memory; one that isn't there does no harm."""

    def generate(context: Any, build: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:  # noqa: ANN401
        array = context.make_array(signature.args[0])(context, build, given[0])
        stride = build.extract_value(array.strides, 0)
        start = build.ptrtoint(array.data, _WORD)
        place = build.inttoptr(build.add(start, build.mul(given[1], stride)), _BYTE.as_pointer())
        kinds = [_BYTE.as_pointer(), _INDEX, _INDEX, _INDEX]
        prefetch = build.module.declare_intrinsic(
            "llvm.prefetch", kinds[:1], ir.FunctionType(ir.VoidType(), kinds)
        )
        reading, soon, data = _INDEX(0), _INDEX(3), _INDEX(1)
        build.call(prefetch, [place, reading, soon, data])
        return context.get_dummy_value()

    return types.void(rows, row), generate


# Any layout, and memory that may not be written: columns, or fields of records that were received.
_ROWS = types.Array(types.uint64, 2, "A", readonly=True, aligned=False)
_GROUPS = types.Array(types.uint16, 1, "A", readonly=True, aligned=False)
_LANES, _ROOM, _TOTALS = types.uint64[::1], types.uint8[::1], types.int64[::1]


@compiled_for(types.void(_LANES, types.int64, types.int64, types.int64, _TOTALS))
def _spill(
    lanes: NDArray[np.uint64], group: int, rows: int, width: int, counts: NDArray[np.int64]
) -> None:
    """Add what ``rows`` rows left in a group's lanes to its counts."""
    first = group * (1 + 64 * width)
    if counts[first] == 0:  # nothing yet: what else is there was never written
        counts[first : first + 1 + 64 * width] = 0
    counts[first] += rows
    if rows > 0:
        for column in range(width):
            at = (group * width + column) * NUMBERS
            _empty(lanes, at, counts, first + 1 + 64 * column)


@compiled_for(types.void(_ROWS, _GROUPS, _LANES, _ROOM, _TOTALS))
def count_in_groups(
    words: NDArray[np.uint64],
    groups: NDArray[np.uint16],
    lanes: NDArray[np.uint64],
    held: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None:
    """How many rows each group has, and how many of them have each bit set.

    Args:
        words: One row per person, in any layout; bit v is bit ``v % 64`` of word ``v // 64``.
        groups: The group of each row, in any layout; all below the number of groups.
        lanes: Eight for each group and word, 0; fastest where a cache line begins. Left at 0.
        held: One for each group, 0; rows that its lanes hold. Left at 0.
        counts: For each group its rows, to begin with 0, then room for 64 counts for each word.
    """
    width = words.shape[1]
    if width == 2:  # the loop below, unrolled: a quarter faster at the most usual width
        for i in range(groups.size):
            group = int(groups[i])
            _fetch(words, i + AHEAD)
            _add(lanes, group * 16, words[i, 0])
            _add(lanes, group * 16 + 8, words[i, 1])
            held[group] += np.uint8(1)
            if held[group] == FULL:
                _spill(lanes, group, FULL, width, counts)
                held[group] = 0
    else:
        for i in range(groups.size):
            group = int(groups[i])
            _fetch(words, i + AHEAD)
            for column in range(width):
                _add(lanes, (group * width + column) * NUMBERS, words[i, column])
            held[group] += np.uint8(1)
            if held[group] == FULL:
                _spill(lanes, group, FULL, width, counts)
                held[group] = 0
    for group in range(held.size):
        _spill(lanes, group, int(held[group]), width, counts)
        held[group] = 0
