"""Where the records of a delimited text begin, though cells may hold line ends and lines be blank.

The rules are those of Arrow's CSV reader: a quote at the beginning of a cell opens it, a doubled
one stands for itself, and after the closing one the rest of the cell is taken as it is.
"""

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.compiler import compiled

CELL_START, IN_CELL, IN_QUOTES, AFTER_QUOTE = 0, 1, 2, 3
MODE, RECORDS, LINES, AFTER_RETURN, HAS_CELLS, APART, STATE = 0, 1, 2, 3, 4, 5, 6
"""The places of a state, and how many there are."""
NEWLINE, RETURN = 10, 13


@compiled
def scan_records(  # noqa: C901, PLR0912 - where in a cell a byte stands, case by case
    data: NDArray[np.uint8],
    signs: NDArray[np.int64],
    state: NDArray[np.int64],
    changes: NDArray[np.int64],
) -> int:
    """Read a piece of a text on from a state; how many rows of ``changes`` were filled.

    Args:
        data: The piece.
        signs: The byte between cells, the byte that quotes them (-1 for none), and 1 if an empty
            line is no record.
        state: Where in a cell the text is, the records and lines that are complete, whether the
            last byte was a carriage return, whether the open record has anything in it, and how far
            lines and records were apart where that was told last.
        changes: Receives, each time that lines and records drift apart, the number of the next
            record and how many more lines than records there are before it.
    """
    delimiter, quote, skips_blank = signs[0], signs[1], signs[2]
    mode, records, lines = state[MODE], state[RECORDS], state[LINES]
    after_return, has_cells = state[AFTER_RETURN], state[HAS_CELLS]
    apart = state[APART]
    found = 0
    for i in range(len(data)):
        byte = np.int64(data[i])
        second_half = byte == NEWLINE and after_return
        after_return = np.int64(byte == RETURN)
        line_end = byte == RETURN or (byte == NEWLINE and not second_half)
        if mode == AFTER_QUOTE:
            mode = IN_QUOTES if byte == quote else IN_CELL
            if mode == IN_QUOTES:
                continue
        if mode == IN_QUOTES:
            if byte == quote:
                mode = AFTER_QUOTE
            elif line_end:
                lines += 1
        elif line_end:
            lines += 1
            if has_cells or not skips_blank:
                records += 1
            if lines - records != apart:
                apart = lines - records
                changes[found, 0], changes[found, 1] = records, apart
                found += 1
            mode, has_cells = CELL_START, 0
        elif not second_half:
            has_cells = 1
            if byte == delimiter:
                mode = CELL_START
            elif byte == quote and mode == CELL_START:
                mode = IN_QUOTES
            else:
                mode = IN_CELL
    state[MODE], state[RECORDS], state[LINES] = mode, records, lines
    state[AFTER_RETURN], state[HAS_CELLS], state[APART] = after_return, has_cells, apart
    return found
