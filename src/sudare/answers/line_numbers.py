"""On which line of a text each of its records begins, known as the text is read."""

from bisect import bisect_right
from threading import Lock

import numpy as np
from numpy.typing import NDArray

# The same as in kernels.lines, which only texts with quotes or blank lines need.
NEWLINE, RETURN, QUOTE, NO_BYTE = 10, 13, 34, -1
CELL_START, IN_CELL, IN_QUOTES = 0, 1, 2
MODE, RECORDS, LINES, HAS_CELLS, APART = 0, 1, 2, 4, 5


class LineNumbers:
    """The lines of records: one each, unless cells hold line ends or lines are blank.

    Most pieces of a text have neither a quote nor a blank line, and only their line ends are
    counted. The others are read byte by byte. The beginnings of records that have been dealt with
    are forgotten, so that memory stays bounded.
    """

    def __init__(self, delimiter: str, *, quoted: bool, skips_blank: bool, first_line: int) -> None:
        self._delimiter = ord(delimiter)
        self._quoted = quoted
        self._skips_blank = skips_blank
        self._first_line = first_line
        self._lock = Lock()  # the text is read ahead, by another thread
        self._state = np.zeros(6, np.int64)
        self._last = b"\n"  # a text begins where a line does
        self._records = [0]  # from this record on, a line's number is so much larger
        self._apart = [0]

    def feed(self, piece: bytes) -> None:
        """Read the text's next bytes."""
        if not piece:
            return
        data = np.frombuffer(piece, np.uint8)
        with self._lock:
            lines = self._plain_lines(piece, data)
            if lines is None:
                self._scan(data)
            else:
                last = piece[-1]
                self._state[RECORDS] += lines
                self._state[LINES] += lines
                cell_ended = last in {NEWLINE, self._delimiter}
                self._state[MODE] = CELL_START if cell_ended else IN_CELL
                self._state[HAS_CELLS] = last != NEWLINE
            self._last = piece[-1:]

    def _plain_lines(self, piece: bytes, data: NDArray[np.uint8]) -> int | None:
        """How many lines a piece ends, if each of them is a record; None if that isn't plain."""
        state = self._state
        if self._last == b"\r" or state[LINES] - state[RECORDS] != state[APART]:
            return None
        if self._quoted and (state[MODE] >= IN_QUOTES or b'"' in piece):
            return None
        newlines = data == NEWLINE
        lines, ends = int(np.count_nonzero(newlines)), newlines
        if b"\r" in piece:
            returns = data == RETURN
            if np.count_nonzero(returns[:-1] & newlines[1:]) != np.count_nonzero(returns):
                return None  # some stand alone
            ends = newlines | returns
        blank = self._last == b"\n" and bool(ends[0])
        if self._skips_blank and (blank or np.count_nonzero(newlines[:-1] & ends[1:])):
            return None
        return lines

    def _scan(self, data: NDArray[np.uint8]) -> None:
        from sudare.kernels.lines import scan_records

        ends = np.count_nonzero((data == NEWLINE) | (data == RETURN))
        changes = np.empty((ends, 2), np.int64)
        quote = QUOTE if self._quoted else NO_BYTE
        signs = np.array([self._delimiter, quote, self._skips_blank], np.int64)
        found = scan_records(data, signs, self._state, changes)
        self._records += changes[:found, 0].tolist()
        self._apart += changes[:found, 1].tolist()

    def of(self, record: int) -> int:
        """The line on which a record begins, counted from 1; records count from 0."""
        with self._lock:
            return self._first_line + record + self._apart[bisect_right(self._records, record) - 1]

    def forget(self, record: int) -> None:
        """Forget where records before this one began."""
        with self._lock:
            first = bisect_right(self._records, record) - 1
            del self._records[:first], self._apart[:first]

    @property
    def open_quote(self) -> int | None:
        """The line of the record that the text ends in the middle of, within quotes."""
        if self._state[MODE] != IN_QUOTES:
            return None
        return self.of(int(self._state[RECORDS]))
