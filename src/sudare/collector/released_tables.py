"""The sums that may be shown, of some windows at once: a commit for each would take seconds."""

from collections.abc import Sequence

from sudare.collection import Collection
from sudare.collector.counting import Sum, due, sum_of
from sudare.collector.token_tables import Run

SOME = 500  # windows in a transaction; others write in between

_SUMS = """SELECT window_number, w.n, w.counts, w.closed_round, coalesce(r.n, 0), r.counts
    FROM windows w LEFT JOIN released r USING (collection, window_number)
    WHERE w.collection = ? AND window_number IN ({})"""
_RELEASE = """INSERT INTO released (collection, window_number, n, counts)
    VALUES (?, ?, ?, ?) ON CONFLICT (collection, window_number)
    DO UPDATE SET n = excluded.n, counts = excluded.counts"""


def sums(run: Run, number: int, collection: Collection, windows: Sequence[int]) -> dict[int, Sum]:
    """What is held and what is released of each window that there is."""
    places = ", ".join("?" * len(windows))
    rows = run(_SUMS.format(places), (number, *windows))
    return {window: sum_of(collection, tuple(row)) for window, *row in rows}


def moved_on(
    run: Run, number: int, collection: Collection, windows: Sequence[int]
) -> dict[int, Sum]:
    """The same, with what is held released where the rule allows it now."""
    found = sums(run, number, collection, windows)
    for window, held in found.items():
        if due(collection, held):
            counts = held.counts.astype("<i8", copy=False).tobytes()
            run(_RELEASE, (number, window, held.n, counts))
            found[window] = Sum(held.n, held.counts, held.closed_round, held.n, held.counts)
    return found
