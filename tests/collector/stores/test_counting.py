"""Counting without a database: groups joined and parted, ids and reports that say nothing more."""

from dataclasses import replace

import numpy as np
import pytest

from sudare.collector.stores.contract import Allowance, Group, ReportFate
from sudare.collector.stores.counting import (
    Joined,
    _beyond,
    all_of,
    byte_order,
    counted,
    digests_of,
    invitation_fates,
    join_groups,
    part_fates,
)
from sudare.formats.report_ids import ReportIds, bytes_of
from support.stores import new_ids
from support.uploads import said, tea

ASKED, OTHER = sorted((tea("a"), tea("b")), key=lambda one: one.key)
INVITED = tea("c", invited=True)


def group(*answers: int, ids: ReportIds | None = None, window: int = 0) -> Group:
    own = new_ids(len(answers)) if ids is None else ids
    return Group(ASKED, window, own, said(ASKED, *answers))


def test_groups_of_one_window_are_joined_in_one_order_for_all() -> None:
    """By key, then window; within a window as they came, so that the first of equal ids counts."""
    groups = [
        replace(group(0), collection=OTHER),
        group(1, 2, window=3),
        group(0, 0, 1, window=2),
        group(2, window=3),
    ]
    joined = join_groups(groups)
    assert [(one.group.collection, one.group.window) for one in joined] == [
        *((ASKED, 2), (ASKED, 3), (OTHER, 0)),
    ]
    assert [one.parts for one in joined] == [[(2, 3)], [(1, 2), (3, 1)], [(0, 1)]]
    assert [one.size for one in joined] == [3, 3, 1]
    assert joined[0].group is groups[2]  # one alone isn't copied
    together = joined[1].group
    assert together.reports["answer"].tolist() == [1, 2, 2]
    assert (together.ids == np.concatenate([groups[1].ids, groups[3].ids])).all()
    fates = [np.arange(one.size, dtype=np.uint8) + 10 * at for at, one in enumerate(joined)]
    assert [part.tolist() for part in part_fates(joined, fates)] == [
        [20],
        [10, 11],
        [0, 1, 2],
        [12],
    ]


def test_joined_reports_keep_their_invitations_and_those_without_have_none() -> None:
    own = np.full((2, 32), 7, np.uint8)
    with_one = Group(INVITED, 0, new_ids(2), said(INVITED, 0, 1), own)
    without = Group(INVITED, 0, new_ids(1), said(INVITED, 2))
    (joined,) = join_groups([with_one, without])
    assert digests_of(joined.group) == [bytes([7] * 32)] * 2 + [bytes(32)]
    (plain,) = join_groups([group(0), group(1)])
    assert plain.group.invitations is None
    assert all_of(Joined(with_one, []), ReportFate.LATE).tolist() == [ReportFate.LATE] * 2


def test_joined_groups_are_allowed_the_least_that_any_of_them_is() -> None:
    allowances = [
        Allowance([1], window=9, now=3.5),
        Allowance([1, 1], window=5, now=7.0),
        None,
        Allowance([3]),
    ]
    groups = [
        replace(group(*[0] * (sum(given.bodies) if given else 2)), allowance=given)
        for given in allowances
    ]
    for some in (groups, groups[::-1]):
        (joined,) = join_groups(some)
        allowed = joined.group.allowance
        assert allowed is not None
        assert (allowed.window, allowed.now) == (5, 3.5)
        assert sorted(allowed.bodies) == [1, 1, 1, 2, 3]
    (alone,) = join_groups(groups[2:3] * 2)
    assert alone.group.allowance is None
    (unbounded,) = join_groups([groups[3], groups[2]])
    assert unbounded.group.allowance is not None
    assert (unbounded.group.allowance.window, unbounded.group.allowance.now) == (None, None)


# Five reports in three bodies, of which the third is repeated.
BODIES = [2, 1, 2]
NEW = np.array([True, True, False, True, True])


@pytest.mark.parametrize(
    ("window", "now", "beyond"),
    [
        (None, None, None),
        (104, None, None),
        (103, None, (3, ReportFate.FULL)),
        (102, None, (3, ReportFate.FULL)),
        (101, None, (0, ReportFate.FULL)),
        (None, 4.0, None),
        (None, 2.5, None),
        (None, 2.0, (3, ReportFate.BUSY)),
        (None, 1.0, (3, ReportFate.BUSY)),
        (None, 0.0, (0, ReportFate.BUSY)),
        (103, 2.0, (3, ReportFate.FULL)),
        (104, 2.0, (3, ReportFate.BUSY)),
        (101, 4.0, (0, ReportFate.FULL)),
    ],
)
def test_the_first_body_that_goes_beyond_is_found(
    window: int | None, now: float | None, beyond: tuple[int, ReportFate] | None
) -> None:
    """Of a window that has 100 reports: no body is cut, and none begins when enough is new."""
    asked = replace(group(*[0] * 5), allowance=Allowance(BODIES, window, now))
    assert _beyond(asked, 100, NEW) == beyond
    assert _beyond(replace(asked, allowance=None), 100, NEW) is None


@pytest.mark.parametrize("size", [0, 1, 2, 300])
def test_ids_are_ordered_by_their_first_bytes(size: int) -> None:
    ids = new_ids(size)
    places = byte_order(ids).tolist()
    assert sorted(places) == list(range(size))
    first = [ids[place].tobytes()[:8] for place in places]
    assert first == sorted(first)


def test_what_is_stored_says_neither_when_a_report_came_nor_whose_it_is() -> None:
    """Ids stand in the order of their first word, reports in one that nothing tells.

    Of 600 reports, half of them 0, the chance that they stay as they came is below 1e-170.
    """
    kept = tea("kept", keeps_reports=True)
    answers = [0] * 300 + [1, 2] * 150
    ids = new_ids(len(answers)).copy()
    ids[:, 0] = np.arange(len(answers), dtype=np.uint64)[::-1] << np.uint64(40)
    new = np.ones(len(answers), bool)
    new[[0, 599]] = False
    told = counted(Group(kept, 0, ids, said(kept, *answers)), new)
    assert told.n == len(told.ids) == 598
    assert told.counts.tolist() == [299, 150, 149]
    assert told.ids.tolist() == ids[new][::-1].tolist()
    assert told.reports is not None
    as_came = bytes_of(said(kept, *answers)[new])
    assert sorted(told.reports.tolist()) == sorted(as_came.tolist())
    assert told.reports.tolist() != as_came.tolist()
    again = counted(Group(kept, 0, ids, said(kept, *answers)), new)
    assert again.reports is not None
    assert again.reports.tolist() != told.reports.tolist()


def test_bytes_are_kept_only_where_the_collection_says_so() -> None:
    told = counted(group(0, 1, 1), np.array([True, True, True]))
    assert told.reports is None
    assert (told.n, told.counts.tolist()) == (3, [1, 2, 0])


def test_an_invitation_is_used_up_by_the_first_new_report() -> None:
    ids = new_ids(6).copy()
    ids[3] = ids[0]  # the same report again, in the same commit
    first, second = bytes([1] * 32), bytes([2] * 32)
    named = [first, first, second, first, second, bytes(32)]
    invitations = np.frombuffer(b"".join(named), np.uint8).reshape(-1, 32)
    asked = Group(INVITED, 0, ids, said(INVITED, 0, 0, 0, 0, 0, 0), invitations)
    good = {first: True, second: True}
    known = np.array([False, False, True, False, False, False])
    assert list(invitation_fates(asked, known, good)) == [
        ReportFate.NEW,
        ReportFate.UNINVITED,
        ReportFate.REPEATED,
        ReportFate.REPEATED,
        ReportFate.NEW,
        ReportFate.UNINVITED,
    ]
    assert good == {first: False, second: False}
