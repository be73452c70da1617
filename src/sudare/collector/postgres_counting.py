"""Counting in PostgreSQL: what a commit does in the window of each of its groups.

Nothing of a report is a parameter of a statement: a server that logs statements, or slow ones,
writes those down too. It comes by COPY, in binary, and no statement may fail over it.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from sudare.collector.counting import (
    Bools,
    Counted,
    Joined,
    all_of,
    counted,
    counts_of,
    digests_of,
    in_time,
    invitation_fates,
    some_of,
)
from sudare.collector.postgres_database import Cursor, run
from sudare.collector.postgres_names import Known, Place, make_table, new_stamp, table_of
from sudare.collector.store import Fate, Fates, Group, State
from sudare.errors import StoreUnavailable

_LATER = "SELECT 1 FROM windows WHERE collection = ? AND window_number >= ? AND closed = 1"
_WINDOW = f"""SELECT n, counts, closed_round, EXISTS ({_LATER}) FROM windows
    WHERE collection = ? AND window_number = ? FOR UPDATE"""  # noqa: S608
_NEW_WINDOW = f"""INSERT INTO windows (collection, window_number)
    SELECT ?, ? WHERE NOT EXISTS ({_LATER}) ON CONFLICT DO NOTHING"""
_FULL = 1 << 17  # bytes


def open_collections(cursor: Cursor, keys: list[str]) -> dict[str, int]:
    """The numbers of those collections that take reports, locked; and room for what is sent."""
    rows = run(
        cursor,
        "SELECT key, id, state, pg_total_relation_size('incoming') + "
        "pg_total_relation_size('offered') FROM collections "
        "WHERE key = ANY(?) ORDER BY key FOR SHARE",
        (keys,),
    )
    if rows and rows[0][3] > _FULL:
        cursor.execute("TRUNCATE incoming, offered")
    return {key: number for key, number, state, _ in rows if state == State.OPEN.value}


def count(
    cursor: Cursor, joined: Joined, place: Place, known_at: Callable[[Place, int], Known]
) -> Fates:
    """The fates of reports, and what is new of them written; their collection's row is locked.

    Args:
        cursor: in the transaction of the commit.
        joined: the reports.
        place: where they count.
        known_at: the names in memory of a place, which has so many.
    """
    group = joined.group
    window = run(cursor, _WINDOW, (*place, *place))
    if not window:
        run(cursor, _NEW_WINDOW, (*place, *place))
        window = run(cursor, _WINDOW, (*place, *place))
    if not window or window[0][3]:
        return all_of(joined, Fate.LATE)
    n, counts, closed_round, _ = window[0]
    known = known_at(place, n)
    if not n:
        cursor.execute(make_table(place))
    known.follow(cursor, place)
    if len(known) != n:
        raise StoreUnavailable(
            f"the store is damaged: window {group.window} of {group.collection.key[:12]}… has {n} "
            f"reports and {len(known)} names"
        )
    fates = all_of(joined, Fate.LATE)
    in_rounds = in_time(group, closed_round)
    some = group if in_rounds.all() else some_of(group, np.flatnonzero(in_rounds))
    fates[in_rounds] = _judged(cursor, place, some, known)
    new: Bools = fates == Fate.NEW
    if new.any():
        fresh = counted(group, new)
        sums = counts_of(group.collection, counts) + fresh.counts
        _write(cursor, place, fresh, sums, known)
    return fates


def _judged(cursor: Cursor, place: Place, group: Group, known: Known) -> Fates:
    """The fates of reports that are in time; the names of those that are new are known then."""
    if not group.collection.invited:
        return np.where(known.add(group.names), Fate.NEW, Fate.REPEATED).astype(np.uint8)
    fates = _invited(cursor, place, group, known.has(group.names))
    known.add(group.names[fates == Fate.NEW])
    return fates


def _invited(cursor: Cursor, place: Place, group: Group, counted_before: Bools) -> Fates:
    """The fates of reports that need an invitation; those used are written."""
    digests = digests_of(group)
    stamp = new_stamp()
    _send(cursor, "offered (stamp, digest)", "int8 bytea", ((stamp, one) for one in set(digests)))
    rows = run(
        cursor,
        "SELECT digest FROM offered JOIN invitations USING (digest) "
        "WHERE stamp = ? AND collection = ? EXCEPT "
        "SELECT digest FROM used WHERE collection = ? AND window_number = ?",
        (stamp, place[0], *place),
    )
    good = dict.fromkeys((digest for (digest,) in rows), True)
    fates = np.fromiter(invitation_fates(group, counted_before, good), np.uint8, len(digests))
    used = ((*place, digests[row]) for row in np.flatnonzero(fates == Fate.NEW))
    _send(cursor, "used (collection, window_number, digest)", "int8 int8 bytea", used)
    return fates


def _write(
    cursor: Cursor, place: Place, fresh: Counted, counts: NDArray[np.int64], known: Known
) -> None:
    """One row for the names of a group, one for its reports if they are kept, and the sum."""
    number, stamp = known.next_row()
    sent = (
        stamp,
        fresh.names.tobytes(),
        counts.astype("<i8", copy=False).tobytes(),
        None if fresh.reports is None else fresh.reports.tobytes(),
    )
    _send(cursor, "incoming (stamp, names, counts, payload)", "int8 bytea bytea bytea", [sent])
    run(
        cursor,
        "WITH sent AS (SELECT * FROM incoming WHERE stamp = ?), "  # noqa: S608
        f"named AS (INSERT INTO {table_of(place)} SELECT ?, stamp, names FROM sent), "
        "kept AS (INSERT INTO reports (collection, window_number, payload) "
        "SELECT ?, ?, payload FROM sent WHERE payload IS NOT NULL) "
        "UPDATE windows SET n = ?, counts = sent.counts FROM sent "
        "WHERE collection = ? AND window_number = ?",
        (stamp, number, *place, len(known), *place),
    )


def _send(cursor: Cursor, table: str, types: str, rows: Iterable[tuple[object, ...]]) -> None:
    """Rows for a table."""
    with cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(types.split())
        for row in rows:
            copy.write_row(row)
