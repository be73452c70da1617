"""On which line of a text each of its records begins, known as the text is read."""

from bisect import bisect_right
from threading import Lock

import numpy as np

_ENDS = (b"\n\n", b"\n\r", b"\r\r")  # of which one is where a line is blank


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
        self._state = np.zeros(5, np.int64)
        self._last = b"\n"  # a text begins where a line does
        self._records = [0]  # from this record on, a line's number is so much larger
        self._apart = [0]

    def feed(self, piece: bytes) -> None:
        """Read the text's next bytes."""
        if not piece:
            return
        with self._lock:
            if self._is_plain(piece):
                ended = int(np.count_nonzero(np.frombuffer(piece, np.uint8) == 10))
                self._state[1:3] += ended
                self._state[0] = 0 if piece.endswith(b"\n") else 1
                self._state[4] = not piece.endswith(b"\n")
            else:
                self._scan(piece)
            self._last = piece[-1:]

    def _is_plain(self, piece: bytes) -> bool:
        """Whether every line of a piece is one record, and it is between no two of them."""
        if self._quoted and (b'"' in piece or self._state[0] >= 2):
            return False
        returns = b"\r" in piece
        if self._last == b"\r" or (returns and piece.count(b"\r\n") != piece.count(b"\r")):
            return False
        if not self._skips_blank:
            return True
        seam = self._last + piece[:2]
        ends = _ENDS if returns else _ENDS[:1]
        return not any(end in piece or end in seam for end in ends)

    def _scan(self, piece: bytes) -> None:
        from sudare.kernels.lines import scan_records

        data = np.frombuffer(piece, np.uint8)
        changes = np.empty((1 + np.count_nonzero((data == 10) | (data == 13)), 2), np.int64)
        # Where quotes mean nothing, they are told as the delimiter is: by a byte that isn't there.
        text = data if self._quoted else np.where(data == 34, 0, data).astype(np.uint8)
        found = scan_records(text, self._delimiter, self._skips_blank, self._state, changes)
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
        if self._state[0] != 2:
            return None
        return self.of(int(self._state[1]))
