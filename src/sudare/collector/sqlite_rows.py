"""The statements by which a SQLite store counts, and forgets names."""

import sqlite3
from collections.abc import Sequence

from sudare.collector.payloads import Read, some_within
from sudare.collector.sqlite_memory import Change
from sudare.collector.store import State

ADD_NAMES = "INSERT INTO seen (collection, window_number, names) VALUES (?, ?, ?)"
_USE = "INSERT INTO used (collection, window_number, digest) VALUES (?, ?, ?)"
COUNTING = (
    """CREATE TEMP VIEW counted AS SELECT
        0 AS collection, 0 AS window_number, 0 AS n_before, 0 AS closed_round,
        0 AS n, x'' AS counts, x'' AS names, x'' AS reports""",
    f"""CREATE TEMP TRIGGER counting INSTEAD OF INSERT ON counted BEGIN
        INSERT INTO windows (collection, window_number) SELECT NEW.collection, NEW.window_number
            WHERE NEW.n_before = 0 AND NOT EXISTS (
                SELECT 1 FROM windows WHERE collection = NEW.collection
                AND window_number >= NEW.window_number AND closed = 1
            ) ON CONFLICT (collection, window_number) DO NOTHING;
        UPDATE windows SET n = NEW.n, counts = NEW.counts
            WHERE collection = NEW.collection AND window_number = NEW.window_number
            AND n = NEW.n_before AND closed_round = NEW.closed_round AND closed = 0
            AND (SELECT state FROM collections WHERE id = NEW.collection) = '{State.OPEN.value}';
        SELECT RAISE(ABORT, 'not as in memory') WHERE changes() <> 1;
        INSERT INTO seen (collection, window_number, names)
            VALUES (NEW.collection, NEW.window_number, NEW.names);
        INSERT INTO reports (collection, window_number, payload)
            SELECT NEW.collection, NEW.window_number, NEW.reports WHERE NEW.reports IS NOT NULL;
    END""",  # noqa: S608
)
"""What a connection needs to count a group by one statement, which is a transaction by itself.

Python's lock is let go and awaited around every statement: five of them took a single report longer
than the disk did, because meanwhile the event loop has it.
"""
_COUNT = "INSERT INTO counted VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

_ASKED = 10_000  # invitations in one question: SQLite takes 32,766 parameters
# What is deleted while others wait.
_FORGOTTEN_BYTES = 1 << 21
_FORGOTTEN_ROWS = 4096


def write(connection: sqlite3.Connection, change: Change) -> bool:
    """Write the names of new reports, themselves if they are kept, and the sum.

    False if the window isn't on disk what it is in memory: then nothing of this is kept.
    """
    window, new = change.window, change.counted
    place = (change.held.number, change.number)
    counts = change.counts.astype("<i8", copy=False)
    values = (window.n, window.closed_round, change.n, counts, new.names, new.reports)
    try:
        connection.execute(_COUNT, (*place, *values))
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorname == "SQLITE_CONSTRAINT_TRIGGER":
            return False
        raise
    if change.used:
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
