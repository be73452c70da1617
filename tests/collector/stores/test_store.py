"""One set of tests for every store: what has counted, once, and what it says of it."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudare.collector.stores import kept_reports, tables
from sudare.collector.stores.contract import (
    Allowance,
    HeldCollection,
    ReportFate,
    Role,
    State,
    Store,
    Token,
)
from sudare.collector.stores.counting import join_groups
from sudare.collector.stores.open import open_store
from sudare.collector.stores.tables import Run, TableStore
from sudare.errors import ParameterError
from support.memory_store import MemoryStore
from support.stores import (
    Rules,
    answers,
    digests,
    fates,
    group,
    held,
    new_ids,
    question,
    rounds,
    stream,
    total,
)

NEW, REPEATED, LATE, UNINVITED, SHUT, FULL, BUSY = ReportFate

Open = Callable[[], Store]


pytestmark = pytest.mark.xdist_group("postgres")  # one server for all of them


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens one store again and again, each time letting go of it first."""
    if request.param == "sqlite":
        url = str(tmp_path / "store.db")
    else:
        url = request.getfixturevalue("postgres").new_database()
    stores: list[Store] = []

    def again() -> Store:
        while stores:
            stores.pop().shut()
        stores.append(open_store(url))
        return stores[-1]

    yield again
    while stores:
        stores.pop().shut()


@pytest.fixture
def store(opened: Open) -> Store:
    return opened()


# Counting


def test_a_name_counts_once(store: Store) -> None:
    tea = held(store, question())
    own = new_ids(3)
    assert fates(store, group(tea, answers(0, 1, 2), own)) == [[NEW] * 3]
    assert fates(store, group(tea, answers(0, 1, 2), own)) == [[REPEATED] * 3]
    assert total(store, tea) == (3, [1, 1, 1])


def test_repeats_within_a_group_and_between_groups(store: Store) -> None:
    tea = held(store, question())
    own = new_ids(3)
    first = group(tea, answers(0, 1, 1), own[[0, 1, 1]])
    second = group(tea, answers(2, 2), own[[2, 0]])
    assert fates(store, first, second) == [[NEW, NEW, REPEATED], [NEW, REPEATED]]
    assert total(store, tea) == (3, [1, 1, 1])


def test_a_name_counts_once_in_each_window_and_collection(store: Store) -> None:
    tea, coffee = held(store, question()), held(store, question("coffee"))
    own = new_ids(1)
    some = [
        group(coffee, answers(2), own),
        group(tea, answers(0), own),
        group(tea, answers(1), own, window=1),
        group(tea, answers(1), own, window=1),
    ]
    assert fates(store, *some) == [[NEW], [NEW], [NEW], [REPEATED]]
    assert total(store, tea) == (1, [1, 0, 0])
    assert total(store, tea, 1) == (1, [0, 1, 0])
    assert total(store, coffee) == (1, [0, 0, 1])


def test_what_was_committed_is_there_after_reopening(opened: Open) -> None:
    store = opened()
    tea = held(store, question())
    own = new_ids(5)
    store.commit([group(tea, answers(0, 1, 2), own[:3])])
    store = opened()
    assert [one.collection for one in store.held_collections()] == [tea]
    assert fates(store, group(tea, answers(0, 0, 0), own[2:])) == [[REPEATED, NEW, NEW]]
    assert total(opened(), tea) == (5, [3, 1, 1])


@pytest.mark.parametrize("size", [0, 1, 5000])
def test_groups_of_any_size(store: Store, size: int) -> None:
    tea = held(store, question(rules=Rules(keeps_reports=True)))
    own = np.arange(2 * size, dtype=np.uint64).reshape(-1, 2)  # the id of zeros is one as others
    values = answers(*(i % 3 for i in range(size)))
    assert fates(store, group(tea, values, own)) == [[NEW] * size]
    assert fates(store, group(tea, values, own)) == [[REPEATED] * size]
    kept = [report for some in store.reports(tea.key) for report in some["answer"].tolist()]
    assert sorted(kept) == sorted(values["answer"].tolist())


def test_groups_of_a_window_are_joined_without_invitations_that_nobody_asks_for() -> None:
    tea, club = question(), question("club", Rules(invited=True))
    some = [group(one, answers(0)) for one in (tea, tea, club, club)]
    invited = {one.group.collection: one.group.invitations for one in join_groups(some)}
    assert invited[tea] is None
    given = invited[club]
    assert given is not None
    assert given.tolist() == [[0] * 32] * 2  # the hash of nothing known


def test_nothing_at_all_is_committed(store: Store) -> None:
    assert store.commit([]) == []


def test_totals_of_random_commits_are_those_of_a_dictionary(store: Store, seed: int) -> None:
    tea = held(store, question(rules=Rules(keeps_reports=True)))
    rng = np.random.default_rng(seed)
    pool = new_ids(300)
    model: dict[int, int] = {}
    for _ in range(30):
        some = []
        expected: list[list[ReportFate]] = []
        for _ in range(rng.integers(1, 5)):
            chosen = rng.integers(0, len(pool), rng.integers(1, 40))
            said = rng.integers(0, 3, len(chosen))
            some.append(group(tea, answers(*said), pool[chosen]))
            expected.append([])
            for each, value in zip(chosen.tolist(), said.tolist(), strict=True):
                expected[-1].append(REPEATED if each in model else NEW)
                model.setdefault(each, value)
        assert fates(store, *some) == expected
    counts = np.bincount(list(model.values()), minlength=3).tolist()
    assert total(store, tea) == (len(model), counts)
    kept = np.concatenate([some["answer"] for some in store.reports(tea.key)])
    assert np.bincount(kept, minlength=3).tolist() == counts


def test_a_full_window_takes_no_more_and_still_knows_what_it_has(opened: Open) -> None:
    store = opened()
    tea = held(store, question())
    own = new_ids(6)
    most = Allowance([2, 2, 1], window=3)
    said = answers(0, 1, 2, 0, 1)
    assert fates(store, group(tea, said, own[:5], allowance=most)) == [[NEW] * 2 + [FULL] * 3]
    # A body that fits, though one before it didn't.
    assert fates(store, group(tea, answers(1), own[4:5], allowance=Allowance([1], 3))) == [[NEW]]
    store = opened()  # full it is after a restart, too
    known = own[[0, 5, 4, 5]]
    most = Allowance([2, 1, 1], window=3)
    assert fates(store, group(tea, answers(0, 1, 1, 1), known, allowance=most)) == [
        [REPEATED, FULL, REPEATED, FULL]
    ]
    assert total(store, tea) == (3, [1, 2, 0])
    assert fates(store, group(tea, answers(0), own[5:], window=1, allowance=most)) == [[NEW]]


def test_no_body_begins_when_enough_is_new_and_none_is_cut(store: Store) -> None:
    tea = held(store, question())
    own = new_ids(7)
    some = group(tea, answers(*[0] * 7), own, allowance=Allowance([1, 3, 1, 2], now=2))
    assert fates(store, some) == [[NEW] * 4 + [BUSY] * 3]
    nothing = Allowance([4, 3], now=0)
    again = [0, 1, 2, 3, 4, 4, 0]
    some = group(tea, answers(*[0] * 7), own[again], allowance=nothing)
    # The second of two equal ones repeats nothing that has counted.
    assert fates(store, some) == [[REPEATED] * 4 + [BUSY, BUSY, REPEATED]]
    assert total(store, tea) == (4, [4, 0, 0])
    assert fates(store, group(tea, answers(*[0] * 3), own[4:])) == [[NEW] * 3]


def test_an_invitation_is_good_in_each_window_until_it_is_used_there(store: Store) -> None:
    club, other = (held(store, question(name, Rules(invited=True))) for name in ("club", "other"))
    [used, unused, unknown] = [bytes(one) for one in digests("a", "b", "x")]
    store.invite(club.key, [used, unused])
    assert fates(store, group(club, answers(0), invitations=digests("a"))) == [[NEW]]
    good = {digest for digest in (used, unused, unknown) if store.is_invited(club.key, 0, digest)}
    assert good == {unused}
    assert store.is_invited(club.key, 1, used)
    assert not store.is_invited(other.key, 0, unused)


def test_what_is_put_off_keeps_its_invitation(store: Store) -> None:
    tea = held(store, question(rules=Rules(invited=True)))
    store.invite(tea.key, [bytes(one) for one in digests("a", "b")])
    own, said = new_ids(3), answers(0, 1, 2)
    some = group(
        tea, said, own, invitations=digests("a", "b", "x"), allowance=Allowance([1, 1, 1], now=1)
    )
    assert fates(store, some) == [[NEW, BUSY, BUSY]]
    assert fates(store, group(tea, said, own, invitations=digests("a", "b", "x"))) == [
        [REPEATED, NEW, UNINVITED]
    ]


@pytest.mark.parametrize("invited", [False, True])
def test_allowances_are_those_of_a_plain_store(store: Store, seed: int, invited: bool) -> None:
    tea, plain = question(rules=Rules(invited=invited)), MemoryStore()
    rng = np.random.default_rng(seed)
    pool, names = new_ids(120), [f"{number}" for number in range(150)]
    for one in (store, plain):
        held(one, tea)
        one.invite(tea.key, [bytes(each) for each in digests(*names[:120])])
    for _ in range(25):
        some = []
        for _ in range(rng.integers(1, 3)):
            bodies = rng.integers(1, 5, rng.integers(1, 8)).tolist()
            size = sum(bodies)
            most = int(rng.integers(1, 60)) if rng.random() < 0.7 else None
            now = int(rng.integers(-1, 12)) if rng.random() < 0.7 else None
            chosen = digests(*rng.choice(names, size)) if invited else None
            some.append(
                group(
                    tea,
                    answers(*rng.integers(0, 3, size)),
                    pool[rng.integers(0, len(pool), size)],
                    invitations=chosen,
                    allowance=Allowance(bodies, most, now),
                )
            )
        (whole,) = join_groups(some)
        (expected,) = fates(plain, whole.group)
        assert [each for one in fates(store, *some) for each in one] == expected
    assert total(store, tea) == total(plain, tea)


def test_stored_reports_are_neither_as_they_came_nor_as_their_names(store: Store) -> None:
    """A shuffle of 100 such answers keeps one given order with chance below 10⁻⁴⁰."""
    tea = held(store, question(rules=Rules(keeps_reports=True)))
    own = np.stack([np.arange(100, dtype=">u8").view(np.uint64), np.zeros(100, np.uint64)], axis=1)
    said = np.random.default_rng(1).integers(0, 3, len(own))
    for window, sent in ((0, own), (1, own[::-1])):  # in the order of ids, and against it
        store.commit([group(tea, answers(*said), sent, window=window)])
        (kept,) = store.reports(tea.key, window)
        assert sorted(kept["answer"].tolist()) == sorted(said.tolist())
        assert kept["answer"].tolist() not in (said.tolist(), said[::-1].tolist())


def test_many_groups_of_many_windows_are_read_whole(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pieces of a few rows and of a few bytes, while others come."""
    tea = held(store, question(rules=Rules(keeps_reports=True)))
    other = held(store, question("other", Rules(keeps_reports=True)))
    for step in range(30):
        sent = [
            group(one, answers(*[step % 3] * (step + 1)), window=step % 2) for one in (tea, other)
        ]
        store.commit(sent)
    for rows, size in ((4, 1 << 20), (1000, 40)):
        monkeypatch.setattr(kept_reports, "_ROWS", rows)
        monkeypatch.setattr(kept_reports, "_BYTES", size)
        for window, steps in ((0, range(0, 30, 2)), (1, range(1, 30, 2))):
            kept = [some["answer"].tolist() for some in store.reports(tea.key, window)]
            assert kept == [[step % 3] * (step + 1) for step in steps]
        whole = store.reports(tea.key)
        first = next(whole)
        store.commit([group(other, answers(0)), group(other, answers(0), window=1)])
        assert len(first) + sum(map(len, whole)) == 30 * 31 // 2


def test_reports_are_kept_only_where_the_collection_says_so(store: Store) -> None:
    tea = held(store, question())
    kept = held(store, question("kept", Rules(keeps_reports=True)))
    for window, value in ((0, 1), (1, 2)):
        store.commit([group(one, answers(value), window=window) for one in (tea, kept)])
    assert list(store.reports(tea.key)) == []
    assert [some["answer"].tolist() for some in store.reports(kept.key)] == [[1], [2]]
    assert [some["answer"].tolist() for some in store.reports(kept.key, 1)] == [[2]]


def test_threads_that_send_the_same_count_once(store: Store) -> None:
    tea = held(store, question())
    own = new_ids(200)
    barrier = threading.Barrier(4)

    def send(number: int) -> int:
        barrier.wait()
        some = [store.commit([group(tea, answers(number % 3), own[[i]])]) for i in range(len(own))]
        return sum(int((one[0] == NEW).sum()) for one in some)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(send, range(4))) == len(own)
    n, counts = total(store, tea)
    assert n == sum(counts) == len(own)


# Closing


def test_a_closed_window_takes_nothing_and_those_before_it_neither(opened: Open) -> None:
    store = opened()
    tea = held(store, question())
    own = new_ids(1)
    store.commit([group(tea, answers(0), own, window=1)])
    store.close(tea.key, 2)
    for _ in range(2):
        for window in (0, 1, 2):
            assert fates(store, group(tea, answers(0), own, window=window)) == [[LATE]]
        store = opened()
    assert fates(store, group(tea, answers(0), own, window=3)) == [[NEW]]
    found = [(one.window, one.n, one.closed) for one in store.windows(tea.key)]
    assert found == [(1, 1, True), (2, 0, True), (3, 1, False)]


@pytest.mark.parametrize("over_time", [False, True], ids=["answers", "stream"])
def test_the_newest_windows_are_listed_with_the_total_of_all(store: Store, over_time: bool) -> None:
    asked = held(store, stream() if over_time else question())
    reports = rounds(asked, (1, 0), (2, 1)) if over_time else answers(0, 1)
    store.commit([group(asked, reports, window=window) for window in range(1, 8)])
    store.close(asked.key, 3)
    every = store.windows(asked.key)
    assert [one.window for one in every] == [1, 2, 3, 4, 5, 6, 7]
    assert every.reports == 14
    for some, expected in (
        (store.windows(asked.key, last=2), every[-2:]),
        (store.windows(asked.key, last=0), []),
        (store.windows(asked.key, last=100), every),
        (store.windows(asked.key, after=3), every[3:]),
        (store.windows(asked.key, after=3, last=1), every[-1:]),
        (store.windows(asked.key, after=7), []),
    ):
        assert some == expected
        assert (some.number, some.reports) == (every.number, 14)


def test_a_collection_that_comes_back_has_another_number(opened: Open) -> None:
    store = opened()
    tea = held(store, question())
    numbers = []
    for _ in range(3):
        (found,) = store.held_collections()
        assert store.windows(tea.key).number == found.number
        numbers.append(found.number)
        store.remove(tea.key)
        store = opened()
        held(store, tea)
    assert len(set(numbers)) == 3


def test_closing_an_earlier_window_later_opens_nothing(store: Store) -> None:
    """Whatever the clock says: it may have been turned back."""
    tea = held(store, question())
    store.close(tea.key, 5)
    store.close(tea.key, 2)
    assert fates(store, group(tea, answers(0), window=4)) == [[LATE]]


def test_closed_rounds_take_nothing_and_open_ones_do(opened: Open) -> None:
    store = opened()
    awake = held(store, stream())
    all_rounds = rounds(awake, (1, 0), (2, 1), (3, 1), (4, 0))
    assert fates(store, group(awake, all_rounds)) == [[NEW] * 4]
    store.close(awake.key, 0, 2)
    store.close(awake.key, 0, 1)  # never backwards
    for _ in range(2):
        assert fates(store, group(awake, all_rounds)) == [[LATE, LATE, NEW, NEW]]
        store = opened()
    (found,) = store.windows(awake.key)
    assert (found.n, found.released, found.closed_round) == (8, 2, 2)
    store.close(awake.key, 0, 4)
    assert fates(store, group(awake, all_rounds)) == [[LATE] * 4]
    assert fates(store, group(awake, all_rounds, window=1)) == [[NEW] * 4]
    store.close(awake.key, 3, 4)  # the last round of a window closes it, and those before it
    for window in (1, 2, 3):
        assert fates(store, group(awake, all_rounds, window=window)) == [[LATE] * 4]


def test_rounds_are_closed_only_where_there_are_some(store: Store) -> None:
    tea = held(store, question())
    with pytest.raises(ParameterError, match="has no rounds"):
        store.close(tea.key, 0, 1)


def test_a_closed_collection_forgets_names_and_who_was_invited(store: Store) -> None:
    club = held(store, question(rules=Rules(invited=True)))
    other = held(store, question("other", Rules(invited=True)))
    for one in (club, other):
        store.invite(one.key, [digests("one")[0].tobytes()])
    sent = [group(one, answers(0), invitations=digests("one")) for one in (club, other)]
    assert fates(store, *sent) == [[NEW], [NEW]]
    assert isinstance(store, TableStore)
    assert store._read("SELECT count(*) FROM used") == [(2,)]
    store.change(club.key, state=State.CLOSED)
    assert store._read("SELECT count(*) FROM used") == [(1,)]
    with store.snapshot() as each:
        assert len(list(store.snapshot_ids(each))) == 1
    assert fates(store, *sent) == [[SHUT], [REPEATED]]


@pytest.mark.parametrize("state", [State.PAUSED, State.CLOSED])
def test_a_collection_that_is_not_open_takes_nothing(opened: Open, state: State) -> None:
    store = opened()
    tea = held(store, question())
    own = new_ids(1)
    store.commit([group(tea, answers(0), own)])
    store.change(tea.key, state=state)
    store = opened()
    assert fates(store, group(tea, answers(0))) == [[SHUT]]
    store.change(tea.key, state=State.OPEN)
    again = SHUT if state is State.CLOSED else REPEATED
    assert fates(store, group(tea, answers(0), own)) == [[again]]
    assert total(store, tea) == (1, [1, 0, 0])


def test_a_collection_that_is_not_held_takes_nothing(store: Store) -> None:
    assert fates(store, group(question(), answers(0))) == [[SHUT]]


# Releases


def test_releases_never_differ_by_few(opened: Open) -> None:
    store = opened()
    tea = held(store, question(rules=Rules(minimum=10)))
    ladder: list[tuple[int, int]] = []
    for step in range(60):
        store.commit([group(tea, answers(*[step % 3] * (1 + step % 4)))])
        released = store.release(tea.key, 0)
        if released is not None and (not ladder or released.aggregate.n != ladder[-1][0]):
            counts = released.aggregate.counts
            ladder.append((released.aggregate.n, int(counts.sum())))
        if step % 7 == 0:
            store = opened()
            assert store.release(tea.key, 0) == released
    assert len(ladder) > 5
    assert ladder[0][0] >= 10
    assert all(later - earlier >= 10 for (earlier, _), (later, _) in pairwise(ladder))
    assert all(n == counted for n, counted in ladder)
    (found,) = store.windows(tea.key)
    assert found.released == ladder[-1][0] <= found.n


def test_a_closed_window_is_released_by_the_same_rule(store: Store) -> None:
    tea = held(store, question(rules=Rules(minimum=3)))
    store.commit([group(tea, answers(0, 1)), group(tea, answers(2, 2, 2), window=1)])
    store.close(tea.key, 1)
    assert store.release(tea.key, 0) is None
    released = store.release(tea.key, 1)
    assert released is not None
    assert released.aggregate.counts.tolist() == [0, 0, 3]
    assert store.release(tea.key, 7) is None


def test_many_windows_are_released_in_few_transactions(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = held(store, question(rules=Rules(minimum=3)))
    store.commit([group(tea, answers(*[1] * n), window=n) for n in range(1, 10)])
    written, written_so_far = store._written, []

    def counted(work: Callable[[Run], Any]) -> Any:
        written_so_far.append(work)
        return written(work)

    monkeypatch.setattr(store, "_written", counted)
    monkeypatch.setattr(tables, "_RELEASED", 4)
    for _ in range(2):  # the second time, nothing is left to be moved on
        released = list(store.releases(tea.key, range(20)))
        assert [(one.aggregate.n, one.aggregate.counts.tolist()) for one in released] == [
            (n, [0, n, 0]) for n in range(3, 10)
        ]
        assert len(written_so_far) == 3  # of windows 3, 4 to 7, and 8 to 9
    assert list(store.releases(tea.key, [])) == []
    assert [store.release(tea.key, window) for window in range(20)] == [
        *([None] * 3),
        *released,
        *([None] * 10),
    ]


def test_over_time_closed_rounds_with_enough_reports_are_released(store: Store) -> None:
    awake = held(store, stream(minimum=2))
    some = rounds(awake, (1, 0), (1, 1), (2, 1), (3, 1), (3, 1), (3, 0))
    store.commit([group(awake, some)])
    assert store.release(awake.key, 0) is None
    store.close(awake.key, 0, 2)
    released = store.release(awake.key, 0)
    assert released is not None
    assert released.aggregate.n == 2
    assert released.aggregate.counts.tolist() == [[1, 1], [0, 0], [0, 0], [0, 0]]
    assert released.withheld == (2,)
    store.close(awake.key, 0)
    released = store.release(awake.key, 0)
    assert released is not None
    assert released.aggregate.n == 5
    assert released.aggregate.counts.tolist() == [[1, 1], [0, 0], [1, 2], [0, 0]]
    assert released.withheld == (2,)


# Invitations


def test_an_invitation_is_good_for_one_report_in_each_window(opened: Open) -> None:
    store = opened()
    club = held(store, question(rules=Rules(invited=True)))
    invited = digests("one", "two", "three")
    store.invite(club.key, [row.tobytes() for row in invited[:2]])
    own = new_ids(4)
    sent = group(club, answers(0, 1, 2, 1), own, invitations=invited[[0, 0, 2, 1]])
    assert fates(store, sent) == [[NEW, UNINVITED, UNINVITED, NEW]]
    store = opened()
    assert fates(store, sent) == [[REPEATED, UNINVITED, UNINVITED, REPEATED]]
    other = group(club, answers(2), invitations=invited[[0]])
    assert fates(store, other) == [[UNINVITED]]
    assert fates(store, group(club, answers(2), invitations=invited[[0]], window=1)) == [[NEW]]
    assert fates(store, group(club, answers(2), window=1)) == [[UNINVITED]]
    assert total(store, club) == (2, [1, 1, 0])


def test_a_name_that_was_uninvited_may_come_with_an_invitation(store: Store) -> None:
    club = held(store, question(rules=Rules(invited=True)))
    invited = digests("good", "bad")
    store.invite(club.key, [invited[0].tobytes()])
    own = new_ids(1)
    sent = group(club, answers(0, 1, 2), own[[0, 0, 0]], invitations=invited[[1, 0, 0]])
    assert fates(store, sent) == [[UNINVITED, NEW, REPEATED]]
    assert total(store, club) == (1, [0, 1, 0])


def test_an_invitation_raced_for_by_threads_is_used_once(store: Store) -> None:
    club = held(store, question(rules=Rules(invited=True)))
    invited = digests(*map(str, range(20)))
    store.invite(club.key, [row.tobytes() for row in invited])
    barrier = threading.Barrier(4)

    def send(number: int) -> int:
        barrier.wait()
        some = [group(club, answers(number % 3), invitations=row[np.newaxis]) for row in invited]
        return sum(fates(store, one) == [[NEW]] for one in some)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(send, range(4))) == len(invited)
    assert total(store, club)[0] == len(invited)


# Collections, candidates, tokens


def test_collections_are_in_order_and_stay(opened: Open) -> None:
    store = opened()
    collections = [
        HeldCollection(question("b"), State.PAUSED, public=True, grace=7),
        HeldCollection(question("a", Rules(windows=None))),
        HeldCollection(stream()),
    ]
    assert [store.add(one) for one in collections] == [True] * 3
    assert not store.add(HeldCollection(question("b")))
    assert store.held_collections() == collections
    store.change(collections[1].collection.key, public=True)
    store.change(collections[0].collection.key, state=State.OPEN, public=False)
    changed = [(one.state, one.public, one.grace) for one in opened().held_collections()]
    assert changed == [(State.OPEN, False, 7), (State.OPEN, True, 0), (State.OPEN, False, 0)]


def test_a_removed_collection_leaves_nothing(opened: Open) -> None:
    store = opened()
    club = held(store, question(rules=Rules(keeps_reports=True, invited=True)))
    tea = held(store, question())
    invited = digests("one")
    own = new_ids(1)
    store.invite(club.key, [invited[0].tobytes()])
    store.keep_candidates(club.key, ["a"])
    store.commit([group(club, answers(0), own, invitations=invited), group(tea, answers(1))])
    assert total(store, club) == (1, [1, 0, 0])
    store.remove(club.key)
    for _ in range(2):
        assert [one.collection for one in store.held_collections()] == [tea]
        with pytest.raises(ParameterError, match="no collection"):
            store.windows(club.key)
        store = opened()
    held(store, club)
    assert store.windows(club.key) == []
    assert store.candidates(club.key) == []
    assert fates(store, group(club, answers(0), own, invitations=invited)) == [[UNINVITED]]
    assert total(store, tea) == (1, [0, 1, 0])


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.windows("0" * 64),
        lambda store: store.close("0" * 64, 0),
        lambda store: store.release("0" * 64, 0),
        lambda store: list(store.reports("0" * 64)),
        lambda store: store.change("0" * 64, public=True),
        lambda store: store.remove("0" * 64),
        lambda store: store.candidates("0" * 64),
        lambda store: store.keep_candidates("0" * 64, []),
        lambda store: store.invite("0" * 64, []),
    ],
    ids=str.split("windows close release reports change remove candidates keep invite"),
)
def test_a_collection_that_is_not_held_is_refused_in_a_sentence(
    store: Store, ask: Callable[[Store], object]
) -> None:
    with pytest.raises(ParameterError, match="no collection 000000000000… is held in this store"):
        ask(store)


def test_candidates_are_replaced_whole(opened: Open) -> None:
    store = opened()
    tea = held(store, question())
    assert store.candidates(tea.key) == []
    texts = ["green", "ö\n", ""]
    store.keep_candidates(tea.key, texts)
    assert opened().candidates(tea.key) == texts


def test_tokens(opened: Open) -> None:
    store = opened()
    tokens = [
        Token("anna", b"a" * 32, Role.ADMIN, None, "Anna’s"),
        Token("bert", b"b" * 32, Role.RELAY, 1 << 40, ""),
    ]
    for token in reversed(tokens):
        store.add_token(token)
    with pytest.raises(ParameterError, match="there is a token anna already"):
        store.add_token(tokens[0])
    store = opened()
    assert store.tokens() == tokens
    with pytest.raises(ParameterError, match="anna and bert"):
        store.revoke("anna", _refused)
    assert store.tokens() == tokens
    assert store.revoke("anna")
    assert not store.revoke("anna")
    assert store.tokens() == tokens[1:]


def _refused(held: list[Token]) -> None:
    raise ParameterError(" and ".join(sorted(one.name for one in held)))


def test_a_store_that_works_checks_out(store: Store) -> None:
    store.check()
