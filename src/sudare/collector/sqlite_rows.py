"""The statements by which a SQLite store counts, and forgets names."""

import sqlite3
from collections.abc import Sequence

from sudare.collector.payloads import Read, some_within
from sudare.collector.sqlite_memory import Change
from sudare.collector.store import State

ADD_NAMES = "INSERT INTO seen (collection, window_number, names) VALUES (?, ?, ?)"
_ADD_REPORTS = "INSERT INTO reports (collection, window_number, payload) VALUES (?, ?, ?)"
_USE = "INSERT INTO used (collection, window_number, digest) VALUES (?, ?, ?)"
_NEW_WINDOW = """INSERT INTO windows (collection, window_number) SELECT ?1, ?2
    WHERE NOT EXISTS (
        SELECT 1 FROM windows WHERE collection = ?1 AND window_number >= ?2 AND closed = 1
    ) ON CONFLICT (collection, window_number) DO NOTHING"""
_NEW_SUM = f"""UPDATE windows SET n = ?, counts = ?
    WHERE collection = ? AND window_number = ? AND n = ? AND closed_round = ? AND closed = 0
    AND (SELECT state FROM collections WHERE id = collection) = '{State.OPEN.value}'"""  # noqa: S608

_ASKED = 10_000  # invitations in one question: SQLite takes 32,766 parameters
# What is deleted while others wait.
_FORGOTTEN_BYTES = 1 << 21
_FORGOTTEN_ROWS = 4096


def write(connection: sqlite3.Connection, change: Change) -> bool:
    """Write the names of new reports, themselves if they are kept, and the sum.

    False if the window isn't on disk what it is in memory: then nothing of this may be kept.
    """
    window, new = change.window, change.counted
    place = (change.held.number, change.number)
    if not window.n:
        connection.execute(_NEW_WINDOW, place)
    counts = change.counts.astype("<i8", copy=False)
    done = connection.execute(_NEW_SUM, (change.n, counts, *place, window.n, window.closed_round))
    if done.rowcount != 1:
        return False
    connection.execute(ADD_NAMES, (*place, new.names))
    if new.reports is not None:
        connection.execute(_ADD_REPORTS, (*place, new.reports))
    connection.executemany(_USE, [(*place, digest) for digest in change.used])
    return True


def good_invitations(
    read: Read, place: tuple[int, int], digests: Sequence[bytes]
) -> dict[bytes, bool]:
    """Those of some invitations that are known, and unused in a window."""
    good: dict[bytes, bool] = {}
    for start in range(0, len(digests), _ASKED):
        some = digests[start : start + _ASKED]
        these = f"digest IN ({', '.join('?' * len(some))})"
        rows = read(
            f"SELECT digest FROM invitations WHERE collection = ? AND {these} EXCEPT "  # noqa: S608
            f"SELECT digest FROM used WHERE collection = ? AND window_number = ? AND {these}",
            (place[0], *some, *place, *some),
        )
        good.update((digest, True) for (digest,) in rows)
    return good


def some_to_forget(read: Read, number: int, last: int) -> list[tuple[int]]:
    """Some rows of names of a collection's windows up to one; none when all are forgotten."""
    rows = read(
        "SELECT id, length(names) FROM seen WHERE collection = ? AND window_number <= ? "  # noqa: S608
        f"LIMIT {_FORGOTTEN_ROWS}",
        (number, last),
    )
    some = some_within([size for _, size in rows], _FORGOTTEN_BYTES)
    return [(row,) for row, _ in rows[:some]]
